package fictional

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Wording is how a value may be put into words.
type Wording struct {
	// Normal is the value in its normal form, a short statement in English.
	Normal string `json:"normal"`
	// Parts are what a text must say to state the value: of each part one of its
	// variants.
	Parts [][]string `json:"parts"`
}

// StatedIn reports whether a text says every part of the value in one of its variants, as
// whole words, whatever their case. It does not see whether the text denies it.
func (w Wording) StatedIn(text string) bool {
	if len(w.Parts) == 0 {
		return false
	}
	text = plainForm(text)
	for _, variants := range w.Parts {
		said := false
		for _, v := range variants {
			said = said || containsWords(text, plainForm(v))
		}
		if !said {
			return false
		}
	}
	return true
}

// plainForm is a text in lower case, composed, with single blanks and plain dashes and
// apostrophes.
func plainForm(s string) string {
	s = strings.NewReplacer("–", "-", "—", "-", "‑", "-", "’", "'", "\u00ad", "").Replace(norm.NFC.String(s))
	return strings.Join(strings.Fields(strings.ToLower(s)), " ")
}

// containsWords reports whether some words stand in a text and are not parts of longer
// ones. Where a script writes no blanks between words, any place will do.
func containsWords(text, words string) bool {
	for from := 0; words != ""; {
		i := strings.Index(text[from:], words)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(words)
		if apart(text[:start], words) && apartAfter(words, text[end:]) {
			return true
		}
		_, n := utf8.DecodeRuneInString(text[start:])
		from = start + n
	}
	return false
}

// apart reports whether words begin where something before them ends. "5" does not
// begin in "2.5".
func apart(before, words string) bool {
	a, n := utf8.DecodeLastRuneInString(before)
	b, _ := utf8.DecodeRuneInString(words)
	if (a == '.' || a == ',') && unicode.IsDigit(b) {
		last, _ := utf8.DecodeLastRuneInString(before[:len(before)-n])
		return !unicode.IsDigit(last)
	}
	return !joins(a, b)
}

// apartAfter reports whether words end where something after them begins. "2" does not
// end in "2.4".
func apartAfter(words, after string) bool {
	a, _ := utf8.DecodeLastRuneInString(words)
	b, n := utf8.DecodeRuneInString(after)
	if (b == '.' || b == ',') && unicode.IsDigit(a) {
		next, _ := utf8.DecodeRuneInString(after[n:])
		return !unicode.IsDigit(next)
	}
	return !joins(a, b)
}

// joins reports whether two characters belong to one word.
func joins(a, b rune) bool {
	inWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }
	return inWord(a) && inWord(b) && !unicode.Is(unicode.Han, a) && !unicode.Is(unicode.Han, b)
}
