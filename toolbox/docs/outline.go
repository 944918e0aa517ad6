package docs

import (
	"fmt"
	"strings"

	"github.com/quarry-sdk/quarry/corpus"
	"github.com/quarry-sdk/quarry/toolbox/internal/reading"
)

// outline lists a document's sections with their bytes and sizes, as deep as
// outlineTokens allow.
func outline(doc *corpus.Document) string {
	deepest := 0
	for _, s := range doc.Sections {
		deepest = max(deepest, len(s.Path))
	}
	for depth := deepest; ; depth-- {
		text := outlineTo(doc, depth)
		if reading.Tokens(text) <= outlineTokens {
			return text
		}
		if depth <= 2 {
			end := reading.Fit(text, 0, len(text), outlineTokens)
			return text[:end] + fmt.Sprintf("… and more headings; the document has %s\n", reading.Count(len(doc.Sections), "section"))
		}
	}
}

func outlineTo(doc *corpus.Document, depth int) string {
	var b strings.Builder
	hidden := 0
	for _, s := range doc.Sections {
		if len(s.Path) > depth {
			hidden++
			continue
		}
		fmt.Fprintf(&b, "%s%s (%d-%d, %d bytes)\n", strings.Repeat("  ", max(len(s.Path)-1, 0)), reading.OneLine(s.Heading, 100), s.Start, s.End, s.End-s.Start)
	}
	if hidden > 0 {
		fmt.Fprintf(&b, "(%s below these)\n", reading.Count(hidden, "heading"))
	}
	return b.String()
}
