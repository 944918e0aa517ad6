package pdf

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// line is a line of a region, its pieces in reading order.
type line struct {
	text        []mark
	left, right float64
	base        float64
	size        float64
	bold        bool
	cells       int // parts between wide gaps
	rtl         bool
}

// lines joins the segments of a region to lines from top to bottom.
func lines(region []*segment) []line {
	sorted := slices.Clone(region)
	slices.SortStableFunc(sorted, func(a, b *segment) int { return cmp.Compare(b.base, a.base) })
	var out []line
	for i := 0; i < len(sorted); {
		// The line is as high as its first piece, and grows with larger ones.
		low, high := sorted[i].bottom(), sorted[i].top()
		pieces := []*segment{sorted[i]}
		i++
		for i < len(sorted) && overlap(low, high, sorted[i].bottom(), sorted[i].top()) >= 0.5 {
			if s := sorted[i]; s.size > pieces[0].size {
				low, high = s.bottom(), s.top()
			}
			pieces = append(pieces, sorted[i])
			i++
		}
		out = append(out, joined(pieces))
	}
	return out
}

// joined makes a line of its pieces.
func joined(pieces []*segment) line {
	rtl := 0
	for _, s := range pieces {
		rtl += s.rtl
	}
	slices.SortStableFunc(pieces, func(a, b *segment) int {
		if rtl > 0 {
			return cmp.Compare(b.right, a.right)
		}
		return cmp.Compare(a.left, b.left)
	})
	main := pieces[0]
	for _, s := range pieces {
		if len(s.text) > len(main.text) {
			main = s
		}
	}
	l := line{left: main.left, right: main.right, base: main.base, size: main.size, bold: true, cells: 1, rtl: rtl > 0}
	for i, s := range pieces {
		if i > 0 {
			gap := s.left - pieces[i-1].right
			if rtl > 0 {
				gap = pieces[i-1].left - s.right
			}
			first := s.text[0]
			switch size := max(s.size, pieces[i-1].size); {
			case gap > cellGap*size:
				l.text = append(l.text, mark{'\t', first.x, first.y})
				l.cells++
			case gap > 0.2*min(s.size, pieces[i-1].size), gap > 0.05*size && !pieces[i-1].before(s):
				l.text = append(l.text, mark{' ', first.x, first.y})
			}
		}
		l.text = append(l.text, s.text...)
		l.left, l.right = min(l.left, s.left), max(l.right, s.right)
		l.bold = l.bold && s.bold
	}
	return l
}

// before tells that what follows a segment in the content of the page is t.
func (s *segment) before(t *segment) bool { return s.next == t }

// endsSentence tells that a line ends as a sentence does.
func (l *line) endsSentence() bool {
	for i := len(l.text) - 1; i >= 0; i-- {
		r := l.text[i].r
		if unicode.Is(unicode.Pf, r) || unicode.Is(unicode.Pe, r) || r == '"' || r == '\'' {
			continue
		}
		return strings.ContainsRune(".!?:。！？؟۔", r)
	}
	return false
}

// hyphenated tells that a line ends with a hyphen behind a letter.
func (l *line) hyphenated() bool {
	n := len(l.text)
	if n < 2 {
		return false
	}
	switch l.text[n-1].r {
	case '-', lineHyphen, '\u00ad', '\u2010':
		return unicode.IsLetter(l.text[n-2].r)
	}
	return false
}

// startsLower tells that a line goes on as the second half of a word does.
func (l *line) startsLower() bool {
	return len(l.text) > 0 && unicode.IsLetter(l.text[0].r) && !unicode.IsUpper(l.text[0].r)
}

// bulleted tells that a line begins an item of a list.
func (l *line) bulleted() bool {
	var b strings.Builder
	for _, m := range l.text[:min(len(l.text), 6)] {
		b.WriteRune(m.r)
	}
	head, _, found := strings.Cut(strings.ReplaceAll(b.String(), "\t", " "), " ")
	if !found {
		return false
	}
	switch head {
	case "•", "◦", "▪", "▫", "‣", "●", "○", "■", "□", "–", "—", "-", "*", "·", "\uf0b7", "\uf0a7", "➢", "✓":
		return true
	}
	// "1." and "a)" and "(iv)", but not "1984."
	trimmed := strings.TrimPrefix(head, "(")
	label := strings.TrimRight(trimmed, ".)")
	if label == trimmed || label == "" || len(label) > 3 {
		return false
	}
	for _, r := range label {
		if r >= 0x80 || !unicode.IsDigit(r) && !(len(label) == 1 && unicode.IsLetter(r)) && !strings.ContainsRune("ivx", r) {
			return false
		}
	}
	return true
}
