package pdf

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// The measures of a text layer that does not say what the page shows.
const (
	badShare     = 0.1  // of characters without a meaning
	vowelLetters = 200  // that the share of vowels needs
	vowelShare   = 0.16 // of a text in any language of Latin letters; such languages have 30 to 50 %
)

// garbage says why the text of a page cannot be quoted; it is empty if it can.
func garbage(list []glyph, images int) string {
	var n, bad, latin, vowels int
	for _, g := range list {
		if g.generated || unicode.IsSpace(g.r) {
			continue
		}
		n++
		if meaningless(g.r) {
			bad++
		}
		if g.r < 0x250 && unicode.IsLetter(g.r) {
			latin++
			switch g.r | 0x20 {
			case 'a', 'e', 'i', 'o', 'u', 'y':
				vowels++
			default:
				if g.r >= 0xC0 { // most letters with accents are vowels
					vowels++
				}
			}
		}
	}
	switch {
	case n == 0 && images > 0:
		return "the page is an image or a drawing without a text layer; its text would have to be recognised"
	case n == 0:
		return ""
	case float64(bad) > badShare*float64(n):
		return fmt.Sprintf("%d of the %d characters of the text layer have no known meaning", bad, n)
	case latin >= vowelLetters && float64(vowels) < vowelShare*float64(latin):
		return fmt.Sprintf("only %d of %d letters are vowels; the text layer does not say what the page shows", vowels, latin)
	}
	return ""
}

// meaningless tells that a character says nothing of what is seen: no mapping,
// a control, a private or an unassigned one.
func meaningless(r rune) bool {
	switch {
	case r == utf8.RuneError, r < 0x20, r >= 0x7F && r < 0xA0:
		return true
	case r == lineHyphen:
		return false
	}
	return unicode.Is(unicode.Co, r) || !assigned(r)
}

func assigned(r rune) bool {
	return unicode.IsPrint(r) || unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.M, r)
}
