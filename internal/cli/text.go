package cli

import (
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
)

// clean makes text from outside safe for a terminal: control characters, which
// could move the cursor or hide what is printed, become visible blanks.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.Is(unicode.Cc, r), unicode.Is(unicode.Bidi_Control, r), r == '\u2028', r == '\u2029':
			return ' '
		}
		return r
	}, s)
}

// line folds text to one line of at most width columns.
func line(s string, width int) string {
	s = strings.Join(strings.Fields(clean(s)), " ")
	if uniseg.StringWidth(s) <= width {
		return s
	}
	var b strings.Builder
	used := 0
	for g := uniseg.NewGraphemes(s); g.Next(); {
		if used += g.Width(); used > width-1 {
			break
		}
		b.WriteString(g.Str())
	}
	return b.String() + "…"
}

// wrap breaks text into lines of at most width columns, at blanks where it can.
// Line ends of the text are kept.
func wrap(s string, width int) []string {
	var lines []string
	for _, para := range strings.Split(strings.TrimRight(s, "\n"), "\n") {
		lines = append(lines, wrapLine(strings.ReplaceAll(para, "\t", "  "), width)...)
	}
	return lines
}

func wrapLine(s string, width int) []string {
	var (
		lines []string
		b     strings.Builder
		used  int
	)
	flush := func() {
		lines = append(lines, strings.TrimRight(b.String(), " "))
		b.Reset()
		used = 0
	}
	rest, state := s, -1
	for rest != "" {
		var word string
		word, rest, _, state = uniseg.FirstLineSegmentInString(rest, state)
		w := uniseg.StringWidth(strings.TrimRight(word, " "))
		if used > 0 && used+w > width {
			flush()
		}
		for w > width { // a word longer than a line
			head, tail := splitAt(word, width)
			lines = append(lines, head)
			word, w = tail, uniseg.StringWidth(tail)
		}
		b.WriteString(word)
		used += uniseg.StringWidth(word)
	}
	if b.Len() > 0 || len(lines) == 0 {
		flush()
	}
	return lines
}

// splitAt cuts s behind at most width columns.
func splitAt(s string, width int) (head, tail string) {
	used, n := 0, 0
	for g := uniseg.NewGraphemes(s); g.Next(); {
		if used += g.Width(); used > width && n > 0 {
			break
		}
		n += len(g.Str())
	}
	return s[:n], s[n:]
}

// plural returns "1 turn" or "3 turns".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return itoa(n) + " " + noun + "s"
}
