package extractive

import (
	"slices"
	"strings"
)

// passage is a stretch of one page that is quoted: sentences that follow each
// other, with the heading that they stand directly below.
type passage struct {
	doc  string
	text string
}

// passages makes quotes of the chosen sentences, in the order of the choice.
func (s *state) passages(chosen []candidate) []passage {
	type stretch struct {
		first, last int // units
		page        int
	}
	var list []stretch
	for _, c := range chosen {
		if slices.ContainsFunc(list, func(x stretch) bool { return x.page == c.page && c.at >= x.first && c.at <= x.last }) {
			continue
		}
		x := stretch{c.at, c.at, c.page}
		units := s.pages[c.page].units
		if h := heading(units, c.at); h >= 0 {
			x.first = h
		}
		merged := false
		for i := range list {
			y := &list[i]
			if y.page == x.page && (x.first <= y.last+1 && x.last >= y.first-1) && units[x.first].part == units[y.first].part {
				y.first, y.last = min(x.first, y.first), max(x.last, y.last)
				merged = true
				break
			}
		}
		if !merged {
			list = append(list, x)
		}
	}
	var out []passage
	for _, x := range list {
		p := s.pages[x.page]
		text := p.parts[p.units[x.first].part].text[p.units[x.first].start:p.units[x.last].end]
		if len(text) > maxPassage {
			text = p.units[x.last].text
		}
		out = append(out, passage{p.doc, text})
	}
	return out
}

// maxPassage is the length in bytes above which sentences are not quoted as one.
const maxPassage = 1800

// heading finds the heading or the term that a sentence stands below, at most one
// sentence between them; -1 where there is none.
func heading(units []unit, at int) int {
	for i := at - 1; i >= max(0, at-2); i-- {
		u := &units[i]
		if u.part != units[at].part {
			return -1
		}
		if u.heading {
			if units[at].end-u.start > 600 || !isTerm(u.text) {
				return -1
			}
			return i
		}
	}
	return -1
}

// isTerm tells whether a heading is the term of a definition: the name of an
// option, a command or a parameter, as "work_mem (integer)" and "CONCURRENTLY".
func isTerm(heading string) bool {
	fields := strings.Fields(heading)
	if len(fields) == 0 || len(fields) > 5 || strings.ContainsAny(heading, ":;,") {
		return false
	}
	first := fields[0]
	return strings.ContainsAny(first, `_-\(`) || strings.ToUpper(first) == first && strings.ToLower(first) != first && len(first) > 1
}
