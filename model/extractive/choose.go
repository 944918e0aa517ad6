package extractive

import (
	"strings"
)

// What a further sentence must reach of the best one's score: in the same
// document; and in another one, where its score first loses a part, because an
// answer from one place is better than one from many.
const (
	keepShare  = 0.5
	otherShare = 0.92
	nearShare  = 0.85
)

// pairShare is the part of Config.MinScore that is asked of questions in East
// Asian scripts: many of their pairs of characters belong to no word.
const pairShare = 0.4

// choose picks the sentences of the answer, in the order in which they stand; none
// where the corpus does not answer.
func (s *state) choose() []candidate {
	limit := s.model.cfg.Sentences
	var chosen []candidate
	parts := s.query.parts
	for i := range parts {
		ranked := rank(s.query, &parts[i], s.pages, s.prior, s.st)
		if len(ranked) == 0 {
			continue
		}
		share := (limit - len(chosen)) / (len(parts) - i)
		if i+1 < len(parts) {
			share = max(1, (limit+1)/len(parts))
		}
		floor := s.model.cfg.MinScore
		if s.query.eastAsian {
			floor *= pairShare
		}
		picked := len(chosen)
		chosen = pick(chosen, ranked, max(1, share), floor)
		if len(chosen) > picked && len(parts) == 1 {
			chosen = s.cover(chosen, ranked, floor)
		}
	}
	return chosen
}

// knowsNames tells whether the corpus knows what the question calls by name. A
// page about something else is no answer, however much it resembles the rest of
// the question.
func (s *state) knowsNames() bool {
	for _, n := range s.query.names {
		low := strings.ToLower(n)
		if d, ok := s.df[low]; ok && d == 0 {
			return false
		}
		if !distinct(n) {
			continue
		}
		known := false
		for _, p := range s.pages {
			known = known || p.mentions(low)
		}
		if !known {
			return false
		}
	}
	return true
}

// pick adds up to n sentences of one part: the best one, and others near it.
func pick(chosen, ranked []candidate, n int, floor float64) []candidate {
	cover := 0.0
	for _, c := range ranked[:min(len(ranked), 5)] {
		cover = max(cover, c.cover)
	}
	if cover < floor {
		return chosen
	}
	best := ranked[0]
	var mine []candidate
	for len(mine) < n {
		next, value := -1, keepShare*best.score
		for i, c := range ranked[:min(len(ranked), 60)] {
			v := c.score
			if len(mine) > 0 && c.doc != best.doc {
				if v *= otherShare; v < nearShare*best.score {
					continue
				}
			}
			if v > value && !alike(chosen, c) && !alike(mine, c) {
				next, value = i, v
			}
		}
		if next < 0 {
			break
		}
		mine = append(mine, ranked[next])
	}
	return append(chosen, mine...)
}

// alike tells whether a sentence says nearly what one of the list says.
func alike(list []candidate, c candidate) bool {
	mine := strings.Fields(strings.ToLower(c.text))
	for _, have := range list {
		if have.text == c.text {
			return true
		}
		theirs := make(map[string]bool)
		for _, w := range strings.Fields(strings.ToLower(have.text)) {
			theirs[w] = true
		}
		same := 0
		for _, w := range mine {
			if theirs[w] {
				same++
			}
		}
		if n := min(len(mine), len(theirs)); n >= 5 && float64(same) >= 0.8*float64(max(len(mine), len(theirs))) {
			return true
		}
	}
	return false
}
