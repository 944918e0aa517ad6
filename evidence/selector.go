package evidence

import (
	"strings"
	"unicode/utf8"
)

// contextLen is about how many characters a prefix or a suffix has.
const contextLen = 32

// Selectors say where a quote stands, in three ways: by bytes, by code points, and by words that survive when what stands
// before them grows or shrinks.
type Selectors struct {
	// Bytes are the byte offsets that the rest of this package uses.
	Bytes    Span                 `json:"bytes"`
	Position TextPositionSelector `json:"position"`
	Quote    TextQuoteSelector    `json:"quote"`
}

// TextQuoteSelector is the selector of that name in the W3C Web Annotation Data Model, section 4.2.4. All three texts are in
// the form of [Normalize]; a prefix keeps its last blank and a suffix its first.
type TextQuoteSelector struct {
	Type   string `json:"type"` // "TextQuoteSelector"
	Exact  string `json:"exact"`
	Prefix string `json:"prefix,omitempty"`
	Suffix string `json:"suffix,omitempty"`
}

// TextPositionSelector is the selector of that name in the W3C Web Annotation Data Model, section 4.2.5. Start and End count
// code points of the original text, from 0; the character at End is not part of it. A byte that is not valid UTF-8 counts
// as one.
type TextPositionSelector struct {
	Type  string `json:"type"` // "TextPositionSelector"
	Start int    `json:"start"`
	End   int    `json:"end"`
}

// Span returns the byte offsets of p in text. It reports false if p does not lie in text.
func (p TextPositionSelector) Span(text string) (Span, bool) {
	if p.Start < 0 || p.End < p.Start {
		return Span{}, false
	}
	s := Span{Start: -1}
	at, points := 0, 0
	for {
		if points == p.Start {
			s.Start = at
		}
		if points == p.End {
			s.End = at
			return s, true
		}
		if at == len(text) {
			return Span{}, false
		}
		_, n := utf8.DecodeRuneInString(text[at:])
		at += n
		points++
	}
}

// Select returns the selectors of s, which lies in the text; a span of [Text.Locate] does. A span that does not is cut to the
// text.
func (t *Text) Select(s Span) Selectors {
	s = t.cut(s)
	start := utf8.RuneCountInString(t.text[:s.Start])
	from, to := t.folded.at(s.Start), t.folded.at(s.End)
	return Selectors{
		Bytes: s,
		Position: TextPositionSelector{
			Type:  "TextPositionSelector",
			Start: start,
			End:   start + utf8.RuneCountInString(t.text[s.Start:s.End]),
		},
		Quote: TextQuoteSelector{
			Type:   "TextQuoteSelector",
			Exact:  Normalize(t.text[s.Start:s.End]),
			Prefix: t.prefix(from),
			Suffix: t.suffix(to),
		},
	}
}

// cut moves the ends of s into the text and to the starts of characters.
func (t *Text) cut(s Span) Span {
	s.Start = min(max(s.Start, 0), len(t.text))
	s.End = min(max(s.End, s.Start), len(t.text))
	for s.Start > 0 && s.Start < len(t.text) && !utf8.RuneStart(t.text[s.Start]) {
		s.Start--
	}
	for s.End < len(t.text) && !utf8.RuneStart(t.text[s.End]) {
		s.End++
	}
	return s
}

// prefix returns the words before the normalised offset p.
func (t *Text) prefix(p int) string {
	s := t.folded.norm
	from := back(s, 0, p, contextLen)
	whole := t.cutAfter(from, p)
	return strings.TrimLeft(s[whole:p], " ")
}

// suffix returns the words after the normalised offset p.
func (t *Text) suffix(p int) string {
	s := t.folded.norm
	to := forth(s, p, len(s), contextLen)
	return strings.TrimRight(s[p:t.cutBefore(p, to)], " ")
}

// Find returns where the quote of a selector stands in the text, which need not be the text that it was made from. The exact
// text is looked for as by [Text.Locate]. Of several places those are returned, from left to right, around which most of
// prefix and suffix stands; more than one only if they are equally good.
func (t *Text) Find(q TextQuoteSelector) []Span {
	spans := t.Locate(q.Exact)
	if len(spans) < 2 {
		return spans
	}
	prefix, suffix := Normalize(q.Prefix), Normalize(q.Suffix)
	best := -1
	var found []Span
	for _, s := range spans {
		before := strings.TrimRight(t.folded.norm[:t.folded.at(s.Start)], " ")
		after := strings.TrimLeft(t.folded.norm[t.folded.at(s.End):], " ")
		score := sharedEnd(before, prefix) + sharedStart(after, suffix)
		if score > best {
			best, found = score, found[:0]
		}
		if score == best {
			found = append(found, s)
		}
	}
	return found
}

// sharedEnd is the number of bytes with which both strings end.
func sharedEnd(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// sharedStart is the number of bytes with which both strings start.
func sharedStart(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
