package evidence

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// longQuote is the number of bytes above which a fragment names only the first and the last words of a quote.
	longQuote = 120
	// edgeWords is the number of those words; a character of a script without blanks counts as half a word.
	edgeWords = 4
	// maxContext is the most words that a fragment adds before or after the quote to tell it from its like.
	maxContext = 12
	// maxSteps is how many places a search looks at, so that a text that repeats itself costs no more than its length.
	maxSteps = 2000
)

// TextFragment returns the address that opens pageURL at the span and marks it, as the draft "Scroll to Text Fragment" of
// the WICG has it: pageURL#:~:text=[prefix-,]start[,end][,-suffix]. A fragment that pageURL has is kept before ":~:".
//
// A browser looks for each part within one block of the page. Line breaks of the text are taken for the ends of blocks: a
// span that crosses one, and a long one, is named by its first and its last words. Words around it are added only where
// the browser, which ignores letter case and takes the first place, would stop elsewhere. Where even twelve words do not
// tell two places apart, the fragment opens the first. It returns pageURL if the span has no words.
func (t *Text) TextFragment(pageURL string, s Span) string {
	s = t.cut(s)
	v := t.view()
	from, to := v.at(s.Start), v.at(s.End)
	for from < to && blank(v.lower[from]) {
		from++
	}
	for to > from && blank(v.lower[to-1]) {
		to--
	}
	if from == to {
		return pageURL
	}
	base, _, _ := strings.Cut(pageURL, ":~:")
	if !strings.Contains(base, "#") {
		base += "#"
	}
	return base + ":~:text=" + v.directive(from, to).String()
}

// directive is a text directive, in the parts of a view; empty ones are absent.
type directive struct{ prefix, start, end, suffix string }

func (d directive) String() string {
	var b strings.Builder
	if d.prefix != "" {
		b.WriteString(escapePart(d.prefix) + "-,")
	}
	b.WriteString(escapePart(d.start))
	if d.end != "" {
		b.WriteString("," + escapePart(d.end))
	}
	if d.suffix != "" {
		b.WriteString(",-" + escapePart(d.suffix))
	}
	return b.String()
}

// escapePart percent-encodes all but letters, digits, '.', '_' and '~' of ASCII.
func escapePart(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if asciiWord(c) || c == '.' || c == '~' {
			b.WriteByte(c)
			continue
		}
		b.Write([]byte{'%', hex[c>>4], hex[c&15]})
	}
	return b.String()
}

// view is a text as a browser searches it: white space within a line is one blank, line ends stay, letters are small.
type view struct {
	shown string // with its letters as written
	lower string // the same in small letters, byte for byte in step with shown
	text  []int32
}

func newView(text string) *view {
	v := &view{}
	shown := make([]byte, 0, len(text))
	lower := make([]byte, 0, len(text))
	v.text = make([]int32, 0, len(text)+1)
	put := func(i int, s, l string) {
		for range len(s) {
			v.text = append(v.text, int32(i))
		}
		shown = append(shown, s...)
		lower = append(lower, l...)
	}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case lineBreak(r):
			if k := len(shown); k > 0 && shown[k-1] == ' ' {
				shown[k-1], lower[k-1] = '\n', '\n'
			} else if k > 0 && shown[k-1] != '\n' {
				put(i, "\n", "\n")
			}
		case unicode.IsSpace(r):
			if k := len(shown); k > 0 && !blank(shown[k-1]) {
				put(i, " ", " ")
			}
		default:
			s := text[i : i+n]
			l := s
			if small := string(unicode.ToLower(r)); len(small) == n {
				l = small
			}
			put(i, s, l)
		}
		i += n
	}
	v.text = append(v.text, int32(len(text)))
	v.shown, v.lower = string(shown), string(lower)
	return v
}

func blank(c byte) bool { return c == ' ' || c == '\n' }

// at returns the offset in the view of the character at the offset i of the text, or of the next one shown.
func (v *view) at(i int) int {
	lo, hi := 0, len(v.text)-1
	for lo < hi {
		if mid := (lo + hi) / 2; int(v.text[mid]) < i {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// directive returns the shortest directive that leads to [from, to).
func (v *view) directive(from, to int) directive {
	whole := v.lower[from:to]
	edges := len(whole) > longQuote || strings.Contains(whole, "\n")
	var best directive
	for words := edgeWords; words <= maxContext; words += 4 {
		start, end := to, from
		if edges {
			start, end = v.wordsAfter(from, to, words), v.wordsBefore(from, to, words)
			if end < start { // they overlap: each to its own line
				if strings.Contains(whole, "\n") {
					start = min(start, from+strings.IndexByte(whole, '\n'))
					end = max(end, from+strings.LastIndexByte(whole, '\n')+1)
				} else {
					start = to
				}
			}
		}
		for around := 0; around <= maxContext; around += 3 {
			d := directive{start: v.shown[from:start]}
			if start < to {
				d.end = v.shown[end:to]
			}
			if words == edgeWords && around == 0 {
				best = d
			}
			prefix, suffix := v.context(from, to, around)
			for _, c := range [][2]string{{prefix, ""}, {"", suffix}, {prefix, suffix}} {
				d.prefix, d.suffix = c[0], c[1]
				if a, b, ok := v.find(d); ok && a == from && b == to {
					return d
				}
			}
		}
		if !edges {
			break
		}
	}
	return best
}

// context returns up to n words before from and after to, each within one line.
func (v *view) context(from, to, n int) (prefix, suffix string) {
	if n == 0 {
		return "", ""
	}
	return strings.TrimSpace(v.shown[v.wordsBeforePlace(from, n):from]), strings.TrimSpace(v.shown[to:v.wordsAfterPlace(to, n)])
}

// wordsAfter returns the end of up to n words from from on, within one line and before to.
func (v *view) wordsAfter(from, to, n int) int {
	end := from
	for i, left := from, 2*n; i < to && v.shown[i] != '\n' && left > 0; {
		r, size := utf8.DecodeRuneInString(v.shown[i:])
		i += size
		switch {
		case unspaced(r):
			left--
			end = i
		case i == to || blank(v.shown[i]):
			left -= 2
			end = i
		}
	}
	if end == from { // the line ends in the middle of what is no word
		end = to
		if i := strings.IndexByte(v.shown[from:to], '\n'); i >= 0 {
			end = from + i
		}
	}
	return end
}

// wordsBefore returns the start of up to n words before to, within one line and after from.
func (v *view) wordsBefore(from, to, n int) int {
	start := to
	for i, left := to, 2*n; i > from && v.shown[i-1] != '\n' && left > 0; {
		r, size := utf8.DecodeLastRuneInString(v.shown[:i])
		i -= size
		switch {
		case unspaced(r):
			left--
			start = i
		case i == from || blank(v.shown[i-1]):
			left -= 2
			start = i
		}
	}
	return start
}

// wordsBeforePlace is wordsBefore for context: in the same line, or the last one before it if from starts a line.
func (v *view) wordsBeforePlace(at, n int) int {
	end := at
	for end > 0 && blank(v.shown[end-1]) {
		end--
	}
	return v.wordsBefore(0, end, n)
}

func (v *view) wordsAfterPlace(at, n int) int {
	start := at
	for start < len(v.shown) && blank(v.shown[start]) {
		start++
	}
	return v.wordsAfter(start, len(v.shown), n)
}

// find returns the first place to which a browser follows d.
func (v *view) find(d directive) (from, to int, ok bool) {
	start, end := lowerSame(d.start), lowerSame(d.end)
	prefix, suffix := lowerSame(d.prefix), lowerSame(d.suffix)
	steps := 0
	for at := 0; steps < maxSteps; steps++ {
		i := v.next(start, at)
		if i < 0 {
			return 0, 0, false
		}
		at = i + 1
		if !strings.HasSuffix(strings.TrimRight(v.lower[:i], " \n"), prefix) {
			continue
		}
		for stop := i + len(start); steps < maxSteps; steps++ {
			if end != "" {
				j := v.next(end, stop)
				if j < 0 {
					break
				}
				stop = j + len(end)
			}
			if strings.HasPrefix(strings.TrimLeft(v.lower[stop:], " \n"), suffix) {
				return i, stop, true
			}
			if end == "" {
				break
			}
		}
	}
	return 0, 0, false
}

// next returns the first place from at on where s stands in whole words, or -1.
func (v *view) next(s string, at int) int {
	for {
		i := strings.Index(v.lower[at:], s)
		if i < 0 {
			return -1
		}
		i += at
		if !v.insideWord(i) && !v.insideWord(i+len(s)) {
			return i
		}
		at = i + 1
	}
}

// insideWord reports whether a word of a script with blanks goes on across i.
func (v *view) insideWord(i int) bool {
	l, _ := utf8.DecodeLastRuneInString(v.lower[:i])
	r, _ := utf8.DecodeRuneInString(v.lower[i:])
	return i > 0 && i < len(v.lower) && spacedWord(l) && spacedWord(r)
}

// lowerSame is s in the small letters of a view.
func lowerSame(s string) string {
	return strings.Map(func(r rune) rune {
		if l := unicode.ToLower(r); utf8.RuneLen(l) == utf8.RuneLen(r) {
			return l
		}
		return r
	}, s)
}
