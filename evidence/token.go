package evidence

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// tokenKind is what a token of a sentence is.
type tokenKind uint8

const (
	punctToken  tokenKind = iota // one character that is neither letter nor digit
	wordToken                    // letters of a script with blanks, digits and apostrophes between them included
	numberToken                  // digits with the separators between them
	hanToken                     // one character of a script without blanks
)

// token is a piece of a sentence.
type token struct {
	start, end int
	kind       tokenKind
	first      bool   // it starts a sentence, a line or a quotation
	gap        bool   // white space or the start of the string is before it
	sentence   int    // the number of its sentence
	text       string // in the form of [Normalize]
	low        string // in small letters
	num        number // of a numberToken
}

// scanner turns a string into tokens.
type scanner struct {
	s      string
	lang   language
	tokens []token
}

// tokenize splits s; every token starts and ends at characters of s.
func tokenize(s string, lang language) []token {
	sc := scanner{s: s, lang: lang, tokens: make([]token, 0, len(s)/5+4)}
	gap, first, sentence := true, true, 0
	add := func(k tokenKind, start, end int) *token {
		sc.tokens = append(sc.tokens, token{start: start, end: end, kind: k, gap: gap, first: first, sentence: sentence})
		gap = false
		return &sc.tokens[len(sc.tokens)-1]
	}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case lineBreak(r):
			if !first || len(sc.tokens) == 0 {
				sentence++
			}
			gap, first = true, true
			i += n
		case unicode.IsSpace(r):
			gap = true
			i += n
		case invisible(r) || joiner(r):
			i += n
		case unicode.IsDigit(r):
			num, end := scanNumber(s, i, sc.lang)
			if end2 := sc.alnum(i, end); end2 > end {
				t := add(wordToken, i, end2)
				t.text = cleanWord(s[i:end2])
				t.low = strings.ToLower(t.text)
				i = end2
			} else {
				t := add(numberToken, i, end)
				t.text, t.num = s[i:end], num
				t.low = t.text
				i = end
			}
			first = false
		case unspaced(r):
			t := add(hanToken, i, i+n)
			t.text = s[i : i+n]
			t.low = t.text
			i += n
			first = false
		case unicode.IsLetter(r):
			end := sc.word(i)
			t := add(wordToken, i, end)
			t.text = cleanWord(s[i:end])
			t.low = strings.ToLower(t.text)
			i = end
			first = false
		default:
			plain := foldRune(r)
			if r == '－' {
				plain = '-'
			}
			t := add(punctToken, i, i+n)
			t.text = string(plain)
			if r == utf8.RuneError {
				t.text = "\uFFFD"
			}
			t.low = t.text
			i += n
			switch {
			case endsSentence(r) && sc.sentenceEnd(r, i):
				sentence++
				first = true
			case opens(r) && (gap || first || len(sc.tokens) == 1 || t.gap), r == ':' || r == '：' || r == '•':
				first = true
			case plain != '"' && plain != '\'' && plain != '(' && r != '[' && plain != '-':
				first = first && endsSentence(r)
			}
		}
	}
	return sc.tokens
}

func endsSentence(r rune) bool {
	switch r {
	case '.', '!', '?', '。', '！', '？', '…', '；':
		return true
	}
	return false
}

func opens(r rune) bool {
	switch r {
	case '“', '„', '«', '"', '「', '『', '‘', '(', '（':
		return true
	}
	return false
}

// sentenceEnd reports whether the mark r that ends at i ends a sentence: not behind an initial or a usual abbreviation.
func (sc *scanner) sentenceEnd(r rune, i int) bool {
	if r != '.' {
		return true
	}
	if i < len(sc.s) {
		next, _ := utf8.DecodeRuneInString(sc.s[i:])
		if unicode.IsLetter(next) && !unspaced(next) || unicode.IsDigit(next) || next == ',' {
			return false
		}
		// A small letter goes on with the sentence.
		rest := strings.TrimLeftFunc(sc.s[i:min(len(sc.s), i+16)], unicode.IsSpace)
		if next, _ := utf8.DecodeRuneInString(rest); unicode.IsLower(next) {
			return false
		}
	}
	if len(sc.tokens) < 2 {
		return true
	}
	before := sc.tokens[len(sc.tokens)-2]
	if before.kind == numberToken && sc.lang == german && len(before.text) <= 2 {
		return false // an ordinal
	}
	if before.kind != wordToken {
		return true
	}
	if utf8.RuneCountInString(before.text) == 1 && before.text != "I" {
		return false
	}
	return !abbreviations()[before.low]
}

// word returns the end of the word that starts at i. An apostrophe or a point between letters belongs to it where it does
// in "don't", "O'Neill" and "U.S.".
func (sc *scanner) word(i int) int {
	s := sc.s
	letters := 0
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			return i
		case (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) || r == '_') && !unspaced(r):
			letters++
			i += n
		case invisible(r) || joiner(r):
			if j := skipInvisible(s, i); j < len(s) && letterAt(s, j) {
				i = j
			} else {
				return i
			}
		case foldRune(r) == '\'' && letters > 0 && letterAt(s, i+n):
			i += n
		case r == '.' && letters == 1 && initials(s, i):
			// U.S., e.g., J.K.
			for i+1 < len(s) && s[i] == '.' && letterAt(s, i+1) {
				_, m := utf8.DecodeRuneInString(s[i+1:])
				if letterAt(s, i+1+m) {
					break
				}
				i += 1 + m
			}
			return i
		default:
			return i
		}
	}
	return i
}

// initials reports whether the point at i is followed by a single letter and another point or the end of the word.
func initials(s string, i int) bool {
	if !letterAt(s, i+1) {
		return false
	}
	_, n := utf8.DecodeRuneInString(s[i+1:])
	return !letterAt(s, i+1+n)
}

func skipInvisible(s string, i int) int {
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !invisible(r) && !joiner(r) {
			break
		}
		i += n
	}
	return i
}

func letterAt(s string, i int) bool {
	r, _ := utf8.DecodeRuneInString(s[i:])
	return unicode.IsLetter(r) && !unspaced(r)
}

// alnum returns the end of a name like 9to5Mac or 737MAX that starts with the digits [i, end), or end if letters that
// follow are a unit, a magnitude or the ending of an ordinal.
func (sc *scanner) alnum(i, end int) int {
	if end >= len(sc.s) || !letterAt(sc.s, end) {
		return end
	}
	stop := sc.word(end)
	tail := cleanWord(sc.s[end:stop])
	if len(tail) > 1 && tail[0] == 'T' && tail[1] >= '0' && tail[1] <= '9' {
		return end // of a date with a time
	}
	if glued(tail) {
		return end
	}
	for j := i; j < end; j++ {
		if sc.s[j] == ',' || sc.s[j] == ' ' {
			return end
		}
	}
	return stop
}

// glued reports whether a word that follows digits directly says something of the number.
func glued(w string) bool {
	low := strings.ToLower(w)
	if _, ok := magnitudeOf(w, english); ok || ordinalEnding(low) || currencyWordMap()[low] != "" || currencyCodeSet()[w] {
		return true
	}
	switch low {
	case "am", "pm", "s", "x", "p", "er", "e":
		return true
	}
	_, ok := unitOf(w)
	return ok
}

func ordinalEnding(low string) bool {
	switch low {
	case "st", "nd", "rd", "th":
		return true
	}
	return false
}

// cleanWord is a word in the form of [Normalize].
func cleanWord(s string) string {
	plain := true
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if invisible(r) || joiner(r) {
			return -1
		}
		return foldRune(r)
	}, s))
}
