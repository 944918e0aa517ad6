package docs

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// tokens estimates how many tokens a model takes for s: one for four ASCII
// characters, one for every other character.
func tokens(s string) int {
	ascii, other := 0, 0
	for i := range len(s) {
		switch {
		case s[i] < utf8.RuneSelf:
			ascii++
		case utf8.RuneStart(s[i]):
			other++
		}
	}
	return ascii/4 + other
}

// oneLine collapses white space and cuts to about n bytes: titles and headings
// come from documents and must not break out of their line.
func oneLine(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= n {
		return s
	}
	return s[:runeStart(s, n)] + "…"
}

// runeStart returns the largest rune boundary of s that is not above n.
func runeStart(s string, n int) int {
	if n >= len(s) {
		return len(s)
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return max(n, 0)
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// headingPath shows a heading path on one line.
func headingPath(path []string) string {
	parts := make([]string, len(path))
	for i, p := range path {
		parts[i] = oneLine(p, 100)
	}
	return strings.Join(parts, " > ")
}
