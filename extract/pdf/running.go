package pdf

import (
	"strings"
	"unicode"
)

// running marks what repeats at the head or the foot of the pages, and page numbers
// that stand alone there, as no part of the main text.
func running(pages []*page) {
	const repeated = 3
	edges := func(p *page) []*block {
		n := len(p.blocks)
		if n < 2 {
			return nil
		}
		return []*block{&p.blocks[0], &p.blocks[n-1]}
	}
	count := map[string]int{}
	for _, p := range pages {
		for _, g := range edges(p) {
			if key := g.pattern(); key != "" {
				count[key]++
			}
		}
	}
	for _, p := range pages {
		for _, g := range edges(p) {
			if key := g.pattern(); key != "" && count[key] >= repeated {
				g.aside = true
			}
		}
	}
}

// pattern is the text of a single short line with its numbers blanked out.
func (b *block) pattern() string {
	if b.lines != 1 || len(b.text) > 200 {
		return ""
	}
	var out strings.Builder
	digit := false
	for _, r := range string(b.text) {
		if unicode.IsDigit(r) {
			if !digit {
				out.WriteByte('#')
			}
			digit = true
			continue
		}
		digit = false
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}
