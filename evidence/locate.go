package evidence

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Locate returns every place, from left to right and without overlap, where quote stands word for word in text, as byte
// offsets into text. It returns nil if there is none.
//
// Text and quote are compared under [Normalize]. One thing more is read out of the text: a hyphen directly before a line
// break, inside a word, may be the typesetter's or the author's, so "exam-\nple" in the text is found by "example",
// "exam-ple" and "exam- ple". Beside a digit it is only ever the author's: "COVID-\n19" is found by "COVID-19", never by "COVID19".
//
// A quote must not start or end inside a word or a number of the text. Signs, decimal points, separators between groups of
// digits, percent and currency signs belong to their number; apostrophes and hyphens between letters belong to their
// word. In scripts without blanks between words (Chinese, Japanese, Thai …) a quote may start and end at any character,
// but not inside a number.
//
// A quote without a letter or a digit, and one that is not valid UTF-8, is found nowhere.
func Locate(text, quote string) []Span {
	return newText(text).Locate(quote)
}

// Locate is [Locate] in a prepared text.
func (t *Text) Locate(quote string) []Span {
	q, ok := prepare(quote)
	if !ok {
		return nil
	}
	var spans []Span
	t.search(q, func(start, end int) bool {
		if !t.inside(start) && !t.inside(end) {
			spans = append(spans, Span{Start: t.folded.start(start), End: t.folded.end(end)})
			return true
		}
		return false
	})
	return spans
}

// preparedQuote is a normalised quote, split for the search: norm is lead + core + trail, where lead and trail hold only
// hyphens and blanks.
type preparedQuote struct {
	norm, lead, core, trail string
	key                     keyString
}

// prepare normalises a quote; it reports false if the quote cannot stand anywhere.
func prepare(quote string) (preparedQuote, bool) {
	if !utf8.ValidString(quote) {
		return preparedQuote{}, false
	}
	q := preparedQuote{norm: Normalize(quote)}
	if strings.IndexFunc(q.norm, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) < 0 {
		return preparedQuote{}, false
	}
	q.core = strings.TrimLeft(q.norm, "- ")
	q.lead = q.norm[:len(q.norm)-len(q.core)]
	q.core = strings.TrimRight(q.core, "- ")
	q.trail = q.norm[len(q.lead)+len(q.core):]
	q.key = keysOf(q.core)
	return q, true
}

// search calls f with the normalised offsets of each place where q stands, whatever the boundaries of words. When f returns
// true the search goes on after that place, otherwise at the next character.
func (t *Text) search(q preparedQuote, f func(start, end int) bool) {
	var x *startIndex
	if t.index != nil && len(q.key.key) >= prefixLen {
		x = t.index()
	}
	candidates(t.keys, x, q.key.key, func(p int) int {
		next := p + 1
		if !utf8.RuneStart(t.keys.key[p]) {
			return next
		}
		last := p + len(q.key.key)
		start := t.keys.norm(p) - len(q.lead)
		if start < 0 {
			return next
		}
		end, ok := t.reads(start, q.norm)
		if ok && f(start, end) {
			return last
		}
		return next
	})
}

// reads reports whether the normalised text reads as quote from start on, and where that ends.
func (t *Text) reads(start int, quote string) (end int, ok bool) {
	end, rest := t.compare(start, quote)
	return end, rest == len(quote)
}

// compare follows the normalised text from start and quote from its beginning as long as they agree, and returns how far
// that is in each.
func (t *Text) compare(start int, quote string) (i, j int) {
	s := t.folded.norm
	i = start
	for j < len(quote) && i < len(s) {
		if s[i] == '-' {
			if b, ok := t.folded.breakAt(i); ok {
				n := breakReading(b, quote[j:])
				if n < 0 {
					return i, j
				}
				i, j = i+2, j+n
				continue
			}
		}
		if s[i] != quote[j] {
			return i, j
		}
		i, j = i+1, j+1
	}
	return i, j
}

// breakReading returns how many bytes of rest read the word break b, or -1 if none can.
func breakReading(b wordBreak, rest string) int {
	switch {
	case strings.HasPrefix(rest, "- "):
		return 2
	case strings.HasPrefix(rest, "-"):
		if len(rest) == 1 { // a quote that ends with the hyphen itself
			return -1
		}
		return 1
	case b.joins:
		return 0
	}
	return -1
}
