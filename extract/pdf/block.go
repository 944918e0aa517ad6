package pdf

import (
	"unicode"
	"unicode/utf8"

	"github.com/quarry-sdk/quarry/extract"
	"golang.org/x/text/unicode/norm"
)

// block is a paragraph as it is written, with what the whole document needs to know
// of it.
type block struct {
	text    []byte
	kind    extract.BlockKind
	level   int
	size    float64
	lines   int
	letters bool
	hyphens int            // lines that end in the middle of a word
	links   []extract.Link // in text
	aside   bool           // a running title or a page number
}

// linkWork bounds the characters of a page times its links.
const linkWork = 20_000_000

// written writes the paragraphs of a page.
func written(list []paragraph, links []link) []block {
	n := 0
	for _, g := range list {
		for _, l := range g.lines {
			n += len(l.text)
		}
	}
	if n*len(links) > linkWork {
		links = nil
	}
	out := make([]block, 0, len(list))
	for _, g := range list {
		b := block{kind: g.kind, level: g.level, size: g.size, lines: len(g.lines)}
		spans := make([]extract.Link, len(links))
		for i, l := range g.lines {
			if i > 0 {
				b.text = append(b.text, '\n')
				if g.lines[i-1].hyphenated() && len(l.text) > 0 && unicode.IsLetter(l.text[0].r) {
					b.hyphens++
				}
			}
			for _, m := range l.text {
				start := len(b.text)
				b.text = appendCharacter(b.text, m.r)
				b.letters = b.letters || unicode.IsLetter(m.r)
				for k := range links {
					if m.r > ' ' && links[k].area.contains(float64(m.x), float64(m.y)) {
						if spans[k].URL == "" {
							spans[k] = extract.Link{Start: start, URL: links[k].url}
						}
						spans[k].End = len(b.text)
					}
				}
			}
		}
		for _, s := range spans {
			if s.URL != "" {
				b.links = append(b.links, s)
			}
		}
		out = append(out, b)
	}
	return out
}

// appendCharacter appends a character as it is quoted: ligatures, the forms that
// Arabic letters take in a word and the radicals that some fonts give for Chinese
// characters become the letters that they show. What has no meaning must not vanish:
// it becomes U+FFFD, so that no quote reaches over it.
func appendCharacter(text []byte, r rune) []byte {
	switch {
	case r == lineHyphen:
		return append(text, '-')
	case r < 0x80 && r >= 0x20, r == '\t':
		return append(text, byte(r))
	case r < 0x20, r >= 0x7F && r < 0xA0:
		return utf8.AppendRune(text, utf8.RuneError)
	case r >= 0xFB00 && r < 0xFE00, r >= 0xFE70 && r < 0xFEFF, r >= 0x2E80 && r < 0x2FE0:
		return norm.NFKC.AppendString(text, string(r))
	}
	return utf8.AppendRune(text, r)
}
