// Package reading has what tools share that show texts to a model: how long a text
// is, where it can be cut, and how a name is put on a line of its own.
package reading

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Tokens estimates how many tokens a model takes for s: one for four ASCII
// characters, one for every other character.
func Tokens(s string) int {
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

// OneLine collapses white space and cuts to about n bytes: titles and headings
// come from documents and must not break out of their line.
func OneLine(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= n {
		return s
	}
	return s[:RuneStart(s, n)] + "…"
}

// RuneStart returns the largest rune boundary of s that is not above n.
func RuneStart(s string, n int) int {
	if n >= len(s) {
		return len(s)
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return max(n, 0)
}

// Count says how many of a thing there are.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Fit returns where to stop so that text[start:end] has at most n tokens: at hi,
// or behind the last line or word that fits.
func Fit(text string, start, hi, n int) int {
	if Tokens(text[start:hi]) <= n {
		return hi
	}
	end := start
	for i := start; i < hi; {
		next := min(RuneStart(text, i+1024), hi)
		if Tokens(text[start:next]) > n {
			break
		}
		i, end = next, next
	}
	if end == start {
		end = min(RuneStart(text, start+n), hi)
	}
	for _, sep := range []string{"\n", " "} {
		if i := strings.LastIndex(text[start:end], sep); i > (end-start)/2 {
			return start + i + 1
		}
	}
	return end
}

// Capital makes the first letter of s a capital; s begins with one of ASCII.
func Capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
