package extract

import (
	"context"
	"strings"
	"unicode/utf8"
)

// maxTitle is the length in characters up to which a first line is taken for a title.
const maxTitle = 120

// readPlain keeps a plain text as it is, but for line ends. Its paragraphs are what
// empty lines separate.
func (r *Reader) readPlain(_ context.Context, src string, _ Hint) (*Document, error) {
	text := strings.ReplaceAll(strings.ReplaceAll(src, "\r\n", "\n"), "\r", "\n")
	text = strings.TrimRight(strings.Trim(text, "\n\f"), " \t\n\f")
	doc := &Document{Text: text}
	at, start, end := 0, -1, 0
	closeBlock := func() {
		if start >= 0 {
			doc.Blocks = append(doc.Blocks, Block{Kind: Paragraph, Start: start, End: end, Main: true})
			start = -1
		}
	}
	for line := range strings.Lines(text) {
		if body := strings.TrimRight(line, " \t\n\f"); strings.TrimSpace(body) == "" {
			closeBlock()
		} else {
			if start < 0 {
				start = at
				if len(doc.Blocks) == 0 && utf8.RuneCountInString(collapse(body)) <= maxTitle {
					doc.Title = collapse(body)
				}
			}
			end = at + len(body)
		}
		at += len(line)
	}
	closeBlock()
	return doc, nil
}
