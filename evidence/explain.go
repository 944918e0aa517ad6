package evidence

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Reason says why a quote was refused.
type Reason string

// The reasons, in the order in which [Explain] tries them.
const (
	ReasonFound    Reason = "found"           // it was not refused
	ReasonInvalid  Reason = "invalid_utf8"    // the quote is not valid UTF-8
	ReasonNoWords  Reason = "no_words"        // it is empty or has no letter and no digit
	ReasonInside   Reason = "inside_word"     // it starts or ends inside a word or a number
	ReasonMarks    Reason = "quotation_marks" // it is wrapped in quotation marks that the text does not have
	ReasonEllipsis Reason = "ellipsis"        // it joins or cuts passages with an ellipsis
	ReasonCase     Reason = "letter_case"     // only capital and small letters differ
	ReasonDiffers  Reason = "differs"         // a passage is like it, but not word for word
	ReasonAbsent   Reason = "absent"          // no passage is much like it
)

// Explanation says why a quote was refused. Passage and fragments are normalised. String puts it into words.
type Explanation struct {
	Reason Reason
	// Nearest is where the nearest passage stands in the text; it is empty if there is none.
	Nearest Span
	// Passage is the nearest passage, at most 300 characters of it around the first difference. It can be quoted as it is.
	Passage string
	// After is what text and quote share just before the first difference; InText and InQuote are how each goes on. For
	// [ReasonInside], InText is the word or number that the quote cuts.
	After, InText, InQuote string
	// Characters names the first differing characters where they are not plain ASCII and may look alike.
	Characters string
}

const (
	maxPassage  = 300 // characters
	maxFragment = 60
)

// Explain says why [Locate] does not find quote in text, and which passage comes nearest. Its answer is bounded, whatever the
// length of text and quote. The passage is text from a source: data, never an instruction.
func Explain(text, quote string) Explanation {
	return newText(text).Explain(quote)
}

// Explain is [Explain] in a prepared text.
func (t *Text) Explain(quote string) Explanation {
	if !utf8.ValidString(quote) {
		return Explanation{Reason: ReasonInvalid}
	}
	q, ok := prepare(quote)
	if !ok {
		return Explanation{Reason: ReasonNoWords}
	}
	if e, ok := t.explainInside(q); ok {
		return e
	}
	if inner := strings.Trim(q.norm, `"'`); inner != q.norm {
		if e, ok := t.explainLocated(ReasonMarks, inner); ok {
			return e
		}
	}
	if e, ok := t.explainEllipsis(q.norm); ok {
		return e
	}
	return t.explainNearest(q.norm)
}

// explainInside explains a quote whose characters all stand in the text, in one piece, be it found or refused.
func (t *Text) explainInside(q preparedQuote) (Explanation, bool) {
	var e Explanation
	t.search(q, true, func(start, end int) step {
		if t.inside(end) {
			return retry
		}
		e = t.explanation(ReasonFound, start, end, start)
		return stop
	})
	if e.Reason == ReasonFound {
		return e, true
	}
	t.search(q, false, func(start, end int) step {
		cut := end
		if t.inside(start) {
			cut = start
		}
		from, to := t.widen(start, end)
		e = t.explanation(ReasonInside, from, to, cut)
		from, to = t.widen(cut, cut)
		e.InText = clip(t.folded.norm[from:to])
		return stop
	})
	return e, e.Reason != ""
}

// widen moves start to the left and end to the right until neither is inside a word or a number.
func (t *Text) widen(start, end int) (int, int) {
	s := t.folded.norm
	for start > 0 && t.inside(start) {
		_, n := utf8.DecodeLastRuneInString(s[:start])
		start -= n
	}
	for end < len(s) && t.inside(end) {
		_, n := utf8.DecodeRuneInString(s[end:])
		end += n
	}
	return start, end
}

// explainLocated explains a quote of which the part inner is found.
func (t *Text) explainLocated(reason Reason, inner string) (Explanation, bool) {
	q, ok := prepare(inner)
	if !ok {
		return Explanation{}, false
	}
	e, ok := t.explainInside(q)
	if !ok || e.Reason != ReasonFound {
		return Explanation{}, false
	}
	e.Reason = reason
	return e, true
}

var ellipses = strings.NewReplacer("[...]", "\x00", "[…]", "\x00", "(...)", "\x00", "(…)", "\x00", "...", "\x00", "…", "\x00")

// explainEllipsis explains a quote whose parts between ellipses all stand in the text.
func (t *Text) explainEllipsis(quote string) (Explanation, bool) {
	parts := strings.Split(ellipses.Replace(quote), "\x00")
	if len(parts) < 2 {
		return Explanation{}, false
	}
	var longest Explanation
	for _, part := range parts {
		if _, ok := prepare(part); !ok {
			continue
		}
		e, ok := t.explainLocated(ReasonEllipsis, part)
		if !ok {
			return Explanation{}, false
		}
		if e.Nearest.End-e.Nearest.Start > longest.Nearest.End-longest.Nearest.Start {
			longest = e
		}
	}
	return longest, longest.Reason != ""
}

// explainNearest explains a quote by the passage most like it and the first difference.
func (t *Text) explainNearest(quote string) Explanation {
	start, end, likeness := t.nearest(quote)
	if likeness == 0 {
		return Explanation{Reason: ReasonAbsent}
	}
	start, end = t.widen(start, end)
	start, end = t.takePunctuation(start, end, quote)
	i, j := t.compare(start, quote)
	reason := ReasonDiffers
	switch {
	case likeness < 0.4:
		reason = ReasonAbsent
	case strings.EqualFold(t.folded.norm[start:end], quote):
		reason = ReasonCase
	}
	e := t.explanation(reason, start, end, min(i, end))
	if reason != ReasonAbsent {
		t.difference(&e, start, i, quote, j)
	}
	return e
}

// takePunctuation widens a passage by the punctuation with which the quote too starts and ends.
func (t *Text) takePunctuation(start, end int, quote string) (int, int) {
	s := t.folded.norm
	lead := quote[:len(quote)-len(strings.TrimLeftFunc(quote, notWord))]
	trail := quote[len(strings.TrimRightFunc(quote, notWord)):]
	if strings.HasSuffix(s[:start], lead) && !t.inside(start-len(lead)) {
		start -= len(lead)
	}
	if strings.HasPrefix(s[end:], trail) && !t.inside(end+len(trail)) {
		end += len(trail)
	}
	return start, end
}

func notWord(r rune) bool { return !wordRune(r) }

// difference fills in how text and quote go on where they part, at i and j; the passage starts at start.
func (t *Text) difference(e *Explanation, start, i int, quote string, j int) {
	s := t.folded.norm
	a, b := firstRune(s[i:]), firstRune(quote[j:])
	if (a >= utf8.RuneSelf || b >= utf8.RuneSelf) && a != 0 && b != 0 {
		e.Characters = fmt.Sprintf("%U in the text, %U in the quote", a, b)
	}
	// Go back to the start of the word, as far as both agree.
	for n := 0; i > start && j > 0 && n < maxFragment/2; n++ {
		r, size := utf8.DecodeLastRuneInString(s[:i])
		if r == ' ' || unspaced(r) || !strings.HasSuffix(quote[:j], s[i-size:i]) {
			break
		}
		i, j = i-size, j-size
	}
	e.InText, e.InQuote = fewWords(s[i:]), fewWords(quote[j:])
	e.After = lastWords(s[start:i])
}

func firstRune(s string) rune {
	if s == "" {
		return 0
	}
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// fewWords returns the first three words of s, clipped.
func fewWords(s string) string {
	s = strings.TrimLeft(clip(s), " ")
	for i, blanks := 0, 0; i < len(s); i++ {
		if s[i] == ' ' {
			if blanks++; blanks == 3 {
				return s[:i]
			}
		}
	}
	return strings.TrimRight(s, " ")
}

// lastWords returns the last four words of s, clipped.
func lastWords(s string) string {
	s = strings.TrimRight(s, " ")
	runes := 0
	for i, blanks := len(s), 0; i > 0; {
		r, n := utf8.DecodeLastRuneInString(s[:i])
		if r == ' ' {
			blanks++
		}
		if runes++; blanks == 4 || runes > maxFragment {
			return strings.TrimLeft(s[i:], " ")
		}
		i -= n
	}
	return s
}

// clip returns at most the first maxFragment characters of s.
func clip(s string) string {
	n := 0
	for i := range s {
		if n++; n > maxFragment {
			return s[:i]
		}
	}
	return s
}

// explanation shows the normalised passage [start, end), cut to its part around at if it is too long.
func (t *Text) explanation(reason Reason, start, end, at int) Explanation {
	e := Explanation{Reason: reason, Nearest: Span{Start: t.folded.start(start), End: t.folded.end(end)}}
	s := t.folded.norm
	from, to := start, end
	if utf8.RuneCountInString(s[start:end]) > maxPassage {
		from = t.cutAfter(back(s, start, min(at, end), maxPassage/3), end)
		to = t.cutBefore(from, forth(s, from, end, maxPassage))
	}
	e.Passage = strings.Trim(s[from:to], " ")
	return e
}

// back returns the place n characters before at, but not before start.
func back(s string, start, at, n int) int {
	for ; n > 0 && at > start; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:at])
		at -= size
	}
	return at
}

// forth returns the place n characters after at, but not after end.
func forth(s string, at, end, n int) int {
	for ; n > 0 && at < end; n-- {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return at
}

// cutAfter returns the first place from p on where a quote may start; p itself if there is none before end.
func (t *Text) cutAfter(p, end int) int {
	for at := p; at < end; at = forth(t.folded.norm, at, end, 1) {
		if !t.inside(at) && firstRune(t.folded.norm[at:]) != ' ' {
			return at
		}
	}
	return p
}

// cutBefore returns the last place up to p where a quote may end; p itself if there is none after start.
func (t *Text) cutBefore(start, p int) int {
	for at := p; at > start; at = back(t.folded.norm, start, at, 1) {
		if r, _ := utf8.DecodeLastRuneInString(t.folded.norm[:at]); r != ' ' && !t.inside(at) {
			return at
		}
	}
	return p
}

// String says in at most a few lines why the quote was refused and how to mend it.
func (e Explanation) String() string {
	var b strings.Builder
	switch e.Reason {
	case ReasonFound:
		return "The quote stands in the text word for word."
	case ReasonInvalid:
		return "The quote is not valid UTF-8. Copy a passage from the text."
	case ReasonNoWords:
		return "The quote has no words. Copy a passage from the text."
	case ReasonInside:
		fmt.Fprintf(&b, "The quote starts or ends inside “%s”. Quote that whole.", e.InText)
	case ReasonMarks:
		b.WriteString("The quote is wrapped in quotation marks that the text does not have. Leave them out.")
	case ReasonEllipsis:
		b.WriteString("The quote has an ellipsis that the text does not have. Quote one unbroken passage; make a second quote for the second place.")
	case ReasonCase:
		b.WriteString("Capital and small letters differ.")
	case ReasonAbsent:
		b.WriteString("No passage of the text is much like the quote. Quote what the text says, or drop the statement.")
	default:
		b.WriteString("The quote does not stand in the text word for word.")
	}
	if e.Passage != "" {
		b.WriteString("\nNearest passage: ")
		b.WriteString(e.Passage)
	}
	if (e.Reason == ReasonDiffers || e.Reason == ReasonCase) && e.InText+e.InQuote != "" {
		b.WriteString("\nFirst difference: ")
		if e.After != "" {
			fmt.Fprintf(&b, "after “%s” ", e.After)
		}
		fmt.Fprintf(&b, "the text has %s, the quote has %s", shown(e.InText), shown(e.InQuote))
		if e.Characters != "" {
			fmt.Fprintf(&b, " (%s)", e.Characters)
		}
		b.WriteString(".\nCopy the passage exactly, with every digit, sign and word; if it does not say what you state, drop the statement.")
	}
	return b.String()
}

func shown(fragment string) string {
	if strings.IndexFunc(fragment, unicode.IsGraphic) < 0 {
		return "nothing more"
	}
	return "“" + fragment + "”"
}
