package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/quarry-sdk/quarry"
)

// maxUndo bounds the texts that are tried to find out what a file was before an
// edit.
const maxUndo = 256

// reconcileEdit finds out whether an edit took effect that a crash cut off. The
// journal has the hash of the file as it was read: the file is still that, or the
// edits taken back lead to it, or nobody knows.
func (w *Workspace) reconcileEdit(ctx context.Context, input json.RawMessage) (output any, happened bool, err error) {
	call, _ := quarry.CallFrom(ctx)
	var in editIn
	if err := json.Unmarshal(input, &in); err != nil {
		return nil, false, err
	}
	w.writing.Lock()
	defer w.writing.Unlock()
	p, err := w.existing(in.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil // the tool will say so
	}
	if err != nil {
		return nil, false, err
	}
	defer p.close()
	data, err := w.load(p)
	if err != nil {
		return nil, false, err
	}
	before := lastSeen(call, p.path)
	if before == "" || before == hashOf(data) {
		return nil, false, nil
	}
	u := undo{want: before, left: maxUndo}
	old, ok := u.find(string(data), in.Edits)
	if !ok {
		return nil, false, fmt.Errorf("%q is not as it was read, and it cannot be told whether that is by this edit; read it again", p.path)
	}
	_, out, err := w.apply(p.path, old, in.Edits)
	if err != nil || out.SHA256 != hashOf(data) {
		return nil, false, fmt.Errorf("%q is not as this edit leaves it; read it again", p.path)
	}
	noteRead(call, &out.version)
	return out, true, nil
}

// undo looks for the text that was there before edits.
type undo struct {
	want string // its hash
	left int    // how many may still be tried
}

// find takes the last edit back in every way there is, then the one before it.
func (u *undo) find(text string, edits []edit) (string, bool) {
	if u.left--; u.left < 0 {
		return "", false
	}
	if len(edits) == 0 {
		return text, hashOf([]byte(text)) == u.want
	}
	last, rest := edits[len(edits)-1], edits[:len(edits)-1]
	forms := []edit{last}
	if crlf := (edit{strings.ReplaceAll(last.Old, "\n", "\r\n"), strings.ReplaceAll(last.New, "\n", "\r\n"), last.All}); crlf != last {
		forms = append(forms, crlf)
	}
	for _, e := range forms {
		if e.New == "" {
			continue // it may have stood anywhere
		}
		if e.All {
			if old, ok := u.find(strings.ReplaceAll(text, e.New, e.Old), rest); ok {
				return old, true
			}
			continue
		}
		for at := range indexes(text, e.New) {
			old, ok := u.find(text[:at]+e.Old+text[at+len(e.New):], rest)
			if ok || u.left < 0 {
				return old, ok
			}
		}
	}
	return "", false
}

// indexes yields where piece stands in text, overlapping places too.
func indexes(text, piece string) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for at := 0; at <= len(text); at++ {
			i := strings.Index(text[at:], piece)
			if i < 0 {
				return
			}
			if at += i; !yield(at) {
				return
			}
		}
	}
}
