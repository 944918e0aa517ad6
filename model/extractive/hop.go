package extractive

import (
	"slices"
	"strings"

	"github.com/quarry-sdk/quarry/internal/lazyregexp"
)

// hop is a further search for something that a page named and the question did
// not: a parameter whose value is wanted, or what the first half of a question
// turned out to be.
type hop struct {
	part  int
	words []string
	query string
}

// hopNames are identifiers that are worth a search of their own.
var hopNames = lazyregexp.New(`\b[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+\b`)

// pointsBack tells that a part of a question needs the answer to another one.
var pointsBack = lazyregexp.New(`(?i)\b(it|its|they|them|their|that|this|these|those|such)\b`)

// findHops looks at the best sentences of the pages that were read first.
func (s *state) findHops() []hop {
	var list []hop
	pages := s.pages[:s.first]
	lower := strings.ToLower(s.question)
	var before []candidate // of the part before
	for i := range s.query.parts {
		p := &s.query.parts[i]
		ranked := rank(s.query, p, pages, s.prior, s.st)
		if len(ranked) == 0 {
			continue
		}
		best := ranked[0]
		switch {
		case (p.want.number || p.want.byDefault) && !satisfied(p, ranked, lower):
			var names []string
			for _, c := range ranked[:min(len(ranked), 6)] {
				if c.cover < 0.75*best.cover {
					continue
				}
				for _, n := range hopNames().FindAllString(c.text, -1) {
					if !strings.Contains(lower, strings.ToLower(n)) && !slices.Contains(names, n) {
						names = append(names, n)
					}
				}
			}
			for _, n := range names[:min(len(names), 3)] {
				q := n
				if p.want.byDefault {
					q += " default"
				}
				list = append(list, hop{part: i, words: []string{n}, query: q})
			}
		case len(before) > 0 && pointsBack().MatchString(p.text):
			words := s.newWords(before[0].text, 5)
			if len(words) > 0 {
				list = append(list, hop{part: i, words: words, query: content(p.text) + " " + strings.Join(words, " ")})
			}
		}
		before = ranked
	}
	return list[:min(len(list), 4)]
}

// satisfied tells whether one of the best sentences has the form that is wanted.
func satisfied(p *part, ranked []candidate, lower string) bool {
	for _, c := range ranked[:min(len(ranked), 3)] {
		f := p.want.fit(c.text, lower)
		if c.cover >= 0.75*ranked[0].cover && (f >= 0.3 || f > 0 && !p.want.byDefault) {
			return true
		}
	}
	return false
}

// newWords are up to n content words of a text that the question does not have.
func (s *state) newWords(text string, n int) []string {
	asked := make(map[string]bool)
	for _, w := range s.st.words(s.question) {
		asked[w.stem] = true
	}
	var list []string
	for _, w := range s.st.words(text) {
		low := strings.ToLower(text[w.start:w.end])
		if asked[w.stem] || stopWords[low] || fillers[low] || len(low) < 3 || isNumber(low) || w.whole {
			continue
		}
		asked[w.stem] = true
		if list = append(list, low); len(list) == n {
			break
		}
	}
	return list
}

// apply adds the words of the hop to what is looked for.
func (h *hop) apply(p *part, df map[string]int, documents int, st stemmer) {
	for _, word := range h.words {
		for _, w := range st.words(word) {
			low := strings.ToLower(word[w.start:w.end])
			if stopWords[low] || slices.ContainsFunc(p.concepts, func(c concept) bool { return c.alts[0].stem == w.stem }) {
				continue
			}
			weight := 0.5 * rarity(low, df, documents)
			p.concepts = append(p.concepts, concept{surface: low, weight: weight, alts: []alternative{{w.stem, 1}}, given: true})
			p.total += weight
		}
	}
}
