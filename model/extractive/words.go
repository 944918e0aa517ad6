package extractive

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// word is a word of a text: its stem, or a pair of East Asian characters.
type word struct {
	stem       string
	start, end int
	whole      bool // an identifier or another compound as a whole
}

// stemmer cuts the endings off English words and remembers what it did.
type stemmer map[string]string

func (st stemmer) stem(w string) string {
	if len(w) < 3 {
		return w
	}
	if s, ok := st[w]; ok {
		return s
	}
	s := w
	if isASCIIWord(w) {
		env := snowballstem.NewEnv(w)
		english.Stem(env)
		s = env.Current()
	}
	st[w] = s
	return s
}

func isASCIIWord(w string) bool {
	for i := range len(w) {
		if w[i] < 'a' || w[i] > 'z' {
			return false
		}
	}
	return true
}

// words returns the words of s in order, stop words included. A compound such as
// server.crt gives its parts and then itself; a run of East Asian characters its
// overlapping pairs.
func (st stemmer) words(s string) []word {
	var list []word
	compound, parts := -1, 0
	flush := func(end int) {
		if compound >= 0 && parts > 1 {
			list = append(list, word{strings.ToLower(s[compound:end]), compound, end, true})
		}
		compound, parts = -1, 0
	}
	for i := 0; i < len(s); {
		r, n := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[i:])
		}
		switch {
		case eastAsian(r):
			flush(i)
			i = pairs(&list, s, i)
		case wordRune(r):
			if compound < 0 {
				compound = i
			}
			end := i
			for end < len(s) {
				r, n := utf8.DecodeRuneInString(s[end:])
				if eastAsian(r) || !wordRune(r) {
					break
				}
				end += n
			}
			parts++
			if end-i <= maxWord {
				list = append(list, word{st.stem(strings.ToLower(s[i:end])), i, end, false})
			}
			i = end
		default:
			if j := symbol(s, i); j > i {
				flush(i)
				list = append(list, word{s[i:j], i, j, true})
				i = j
				continue
			}
			if compound >= 0 && !(n == 1 && connector(s[i]) && i+1 < len(s) && wordStart(s[i+1:])) {
				flush(i)
			}
			i += n
		}
	}
	flush(len(s))
	return list
}

// maxWord is the length above which a word is data and not language.
const maxWord = 100

func connector(c byte) bool { return c == '_' || c == '.' || c == '-' || c == '/' || c == ':' }

func wordStart(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return wordRune(r) && !eastAsian(r)
}

func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Mc, r)
}

func eastAsian(r rune) bool {
	if r < 0x1100 {
		return false
	}
	return r >= 0x3040 && r <= 0x30FF || r >= 0x3400 && r <= 0x9FFF || r >= 0xAC00 && r <= 0xD7A3 ||
		r >= 0xF900 && r <= 0xFAFF || r >= 0x20000 && r <= 0x3FFFF || r == 0x3005 || r >= 0x1100 && r <= 0x11FF
}

// pairs adds the overlapping pairs of the East Asian run at i and returns its end.
func pairs(list *[]word, s string, i int) int {
	prev, alone := -1, true
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !eastAsian(r) {
			break
		}
		if prev >= 0 {
			*list = append(*list, word{s[prev : i+n], prev, i + n, false})
			alone = false
		}
		prev, i = i, i+n
	}
	if alone && prev >= 0 {
		*list = append(*list, word{s[prev:i], prev, i, false})
	}
	return i
}

// runeUp returns the smallest rune boundary of s that is not below n.
func runeUp(s string, n int) int {
	n = max(n, 0)
	for n < len(s) && !utf8.RuneStart(s[n]) {
		n++
	}
	return min(n, len(s))
}

func hasEastAsian(s string) bool {
	for _, r := range s {
		if eastAsian(r) {
			return true
		}
	}
	return false
}

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// symbol returns the end of an operator or a backslash command that stands alone
// at i; i where there is none.
func symbol(s string, i int) int {
	if i > 0 && s[i-1] != ' ' && s[i-1] != '\t' && s[i-1] != '\n' && s[i-1] != '(' {
		return i
	}
	j := i
	for j < len(s) && strings.IndexByte(`%<>=!~@#&|^*+\?-`, s[j]) >= 0 && j-i < 5 {
		j++
	}
	if j == i {
		return i
	}
	if s[i] == '\\' && j == i+1 {
		for j < len(s) && asciiLetter(s[j]) {
			j++
		}
		if j == i+1 {
			return i
		}
		return j
	}
	if j < len(s) && strings.IndexByte(" \t\n,.;:?)", s[j]) < 0 {
		return i
	}
	switch s[i:j] {
	case "-", "--", "*", "+", "?", "!", "&", "=", "#", "|":
		return i
	}
	return j
}

func asciiLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
