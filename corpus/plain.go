package corpus

import (
	"strings"
	"unicode/utf8"
)

// maxTitle is the length in characters up to which a first line is taken for a title.
const maxTitle = 120

// extractPlain keeps a plain text as it is, but for line ends.
func extractPlain(src []byte) (*extract, error) {
	text := strings.ReplaceAll(strings.ReplaceAll(string(src), "\r\n", "\n"), "\r", "\n")
	text = strings.Trim(text, "\n\f")
	text = strings.TrimRight(text, " \t\n")
	e := &extract{text: text}
	for line := range strings.Lines(text) {
		if line = collapse(line); line != "" {
			if utf8.RuneCountInString(line) <= maxTitle {
				e.title = line
			}
			break
		}
	}
	return e, nil
}
