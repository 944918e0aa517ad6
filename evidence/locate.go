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
	t.search(q, true, func(start, end int) step {
		if t.inside(end) {
			return retry
		}
		spans = append(spans, Span{Start: t.folded.start(start), End: t.folded.end(end)})
		return goOn
	})
	return spans
}

// step says how a search goes on after a place.
type step int

const (
	goOn  step = iota // behind the place
	retry             // at the next character
	stop
)

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

// search calls f with the normalised offsets of each place where q stands. If whole is set, it leaves out those that start
// inside a word or a number; where they end is for f to see.
func (t *Text) search(q preparedQuote, whole bool, f func(start, end int) step) {
	var x *startIndex
	if t.index != nil && len(q.key.key) >= prefixLen {
		x = t.index()
	}
	candidates(t.keys, x, q.key.key, func(p int) int {
		start := t.keys.norm(p) - len(q.lead)
		// The boundary is looked at first: it costs the same however long the quote is.
		if start < 0 || whole && t.inside(start) {
			return p + 1
		}
		end, ok := t.reads(start, q.norm)
		if !ok {
			return p + 1
		}
		switch f(start, end) {
		case goOn:
			return p + len(q.key.key)
		case stop:
			return -1
		}
		return p + 1
	})
}

// reads reports whether the normalised text reads as quote from start on, and where that ends.
func (t *Text) reads(start int, quote string) (end int, ok bool) {
	if len(t.folded.breaks) == 0 {
		return start + len(quote), strings.HasPrefix(t.folded.norm[start:], quote)
	}
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
