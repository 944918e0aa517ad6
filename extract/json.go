package extract

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxJSONDepth is how deep values may lie in one another.
const maxJSONDepth = 1000

// readJSON reads one JSON value or several. Each value that is no object and no list
// is a block, after its key and a colon if it has one; a key whose value has parts of
// its own is a block before them.
func (r *Reader) readJSON(ctx context.Context, src string, _ Hint) (*Document, error) {
	d := json.NewDecoder(strings.NewReader(src))
	d.UseNumber()
	b := &builder{limit: r.options.MaxText, kind: blockKind{kind: Paragraph, main: true}}
	// open are the brackets that are not closed yet; key is the one whose value comes.
	var open []json.Delim
	key, isKey := "", false
	for n := 0; !b.full; n++ {
		if n%1024 == 0 && context.Cause(ctx) != nil {
			return nil, context.Cause(ctx)
		}
		token, err := d.Token()
		if errors.Is(err, io.EOF) && len(open) == 0 {
			break
		}
		if err != nil {
			doc := b.finish()
			if doc.Text == "" {
				return nil, errors.Join(ErrDamaged, err)
			}
			doc.Warnings = append(doc.Warnings, Warning{"damaged", fmt.Sprintf("The JSON ends at byte %d: %v.", d.InputOffset(), err)})
			return doc, nil
		}
		inObject := len(open) > 0 && open[len(open)-1] == '{'
		switch delim, _ := token.(json.Delim); delim {
		case '{', '[':
			if key != "" {
				b.whole(b.kind, key)
			}
			key = ""
			if open, isKey = append(open, delim), delim == '{'; len(open) > maxJSONDepth {
				return nil, fmt.Errorf("%w: it nests more than %d values", ErrTooLarge, maxJSONDepth)
			}
			continue
		case '}', ']':
			open = open[:len(open)-1]
			isKey = len(open) > 0 && open[len(open)-1] == '{'
			continue
		}
		if inObject && isKey {
			key, _ = token.(string)
			isKey = false
			continue
		}
		value := fmt.Sprint(token)
		if token == nil {
			value = "null"
		}
		label := key
		if label != "" {
			label += ": "
		}
		b.block(1)
		b.text(label)
		b.text(value)
		b.block(1)
		key, isKey = "", inObject
	}
	return b.finish(), nil
}
