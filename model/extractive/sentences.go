package extractive

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// span is a stretch of a text.
type span struct{ start, end int }

// sentencesOf splits a text into sentences, rows and lines, white space trimmed.
// Paragraphs end at an empty line; a line ends one too where it does not look
// like a line that was broken to fit a width.
func sentencesOf(text string) []span {
	var list []span
	add := func(start, end int) {
		s := text[start:end]
		lead := len(s) - len(strings.TrimLeftFunc(s, unicode.IsSpace))
		s = strings.TrimSpace(s)
		if s != "" {
			list = append(list, span{start + lead, start + lead + len(s)})
		}
	}
	start := 0
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '\n':
			if lineEnds(text, start, i) {
				add(start, i)
				start = i + 1
			}
			i++
		case c == '.' || c == '!' || c == '?':
			end := i + 1
			for end < len(text) && closing(text[end:]) > 0 {
				end += closing(text[end:])
			}
			if sentenceEnds(text, start, i, end) {
				add(start, end)
				start = end
			}
			i = end
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(text[i:])
			i += n
			if r == '。' || r == '！' || r == '？' {
				for i < len(text) && closing(text[i:]) > 0 {
					i += closing(text[i:])
				}
				add(start, i)
				start = i
			}
		default:
			i++
		}
	}
	add(start, len(text))
	return list
}

// closing returns the length of a closing quotation mark or bracket at the start
// of s, 0 for anything else.
func closing(s string) int {
	r, n := utf8.DecodeRuneInString(s)
	switch r {
	case '"', '\'', ')', ']', '”', '’', '」', '』', '）', '»':
		return n
	}
	return 0
}

// lineEnds tells whether the line end at i ends a sentence that began at start.
func lineEnds(text string, start, i int) bool {
	rest := text[i+1:]
	if rest == "" || rest[0] == '\n' {
		return true
	}
	begin := strings.LastIndexByte(text[:i], '\n') + 1
	line := text[begin:i]
	next := rest
	if j := strings.IndexByte(rest, '\n'); j >= 0 {
		next = rest[:j]
	}
	if strings.ContainsRune(line, '\t') || strings.ContainsRune(next, '\t') {
		return true
	}
	trimmed := strings.TrimSpace(next)
	if trimmed == "" {
		return true
	}
	r, _ := utf8.DecodeRuneInString(trimmed)
	if strings.ContainsRune("-*+•#>|", r) || next[0] == ' ' {
		return true
	}
	// A line that was broken to fit a width is long, and goes on in the next.
	return utf8.RuneCountInString(line) < 45
}

// abbreviations are followed by a point that ends no sentence.
var abbreviations = set("e.g i.e etc vs cf no fig dr mr mrs ms st jr sr prof approx resp incl al inc ltd co corp vol ed eds pp p ca dept est gen col lt sgt capt u.s u.k jan feb mar apr jun jul aug sep sept oct nov dec")

// sentenceEnds tells whether the mark at i, closed at end, ends the sentence that
// began at start.
func sentenceEnds(text string, start, i, end int) bool {
	if end == len(text) {
		return true
	}
	r, _ := utf8.DecodeRuneInString(text[end:])
	if !unicode.IsSpace(r) {
		return false
	}
	rest := strings.TrimLeftFunc(text[end:], unicode.IsSpace)
	if rest == "" {
		return true
	}
	if text[i] != '.' {
		return true
	}
	word := text[start:i]
	if j := strings.LastIndexFunc(word, func(r rune) bool { return unicode.IsSpace(r) || r == '(' || r == '[' }); j >= 0 {
		_, n := utf8.DecodeRuneInString(word[j:])
		word = word[j+n:]
	}
	if begins := strings.TrimSpace(text[start:i]); begins == word && strings.Trim(word, "0123456789.") == "" {
		return false // the number of a heading or of an item
	}
	lower := strings.ToLower(word)
	next, _ := utf8.DecodeRuneInString(rest)
	if end == i+1 && abbreviations[lower] && !(lower == "etc" && unicode.IsUpper(next)) {
		return false
	}
	if utf8.RuneCountInString(word) == 1 && unicode.IsUpper([]rune(word)[0]) && unicode.IsUpper(next) {
		return false // an initial
	}
	if !unicode.IsLower(next) {
		return true
	}
	// An identifier keeps its small letter at the beginning of a sentence.
	name := rest
	if j := strings.IndexFunc(rest, unicode.IsSpace); j >= 0 {
		name = rest[:j]
	}
	return strings.ContainsAny(name, "_0123456789(")
}
