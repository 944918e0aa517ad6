package extractive

import (
	"sort"
	"strings"
)

// unknown tells whether the corpus has none of the East Asian words of a question.
func unknown(q *query, df map[string]int) bool {
	asked := false
	for _, c := range q.parts[0].concepts {
		if !eastAsianWord(c.surface) {
			continue
		}
		n, ok := df[c.surface]
		if ok && n > 0 {
			return false
		}
		asked = asked || ok
	}
	return asked
}

// translationWords is how many words stand for a question in another language.
const translationWords = 8

// translate takes the words that the best pages for a question have in common for
// its translation: where the search itself knows the other language, they are
// what it looked for.
func (q *query) translate(hits []hit, df map[string]int, documents int, st stemmer) {
	type found struct {
		word, stem string
		value      float64
		hits       int
	}
	words := make(map[string]*found)
	for _, h := range hits[:min(len(hits), 5)] {
		seen := make(map[string]bool)
		text := h.title + " . " + h.heading + " . " + h.snippet
		for _, w := range st.words(text) {
			low := strings.ToLower(text[w.start:w.end])
			if w.whole || stopWords[low] || fillers[low] || len(low) < 3 || isNumber(low) || seen[w.stem] || eastAsianWord(low) {
				continue
			}
			seen[w.stem] = true
			f := words[w.stem]
			if f == nil {
				f = &found{word: low, stem: w.stem}
				words[w.stem] = f
			}
			f.hits++
			f.value += 1 / float64(2+h.rank)
		}
	}
	var list []*found
	for _, f := range words {
		if f.hits > 1 || len(hits) == 1 {
			list = append(list, f)
		}
	}
	sort.Slice(list, func(i, j int) bool {
		if list[i].value != list[j].value {
			return list[i].value > list[j].value
		}
		return list[i].stem < list[j].stem
	})
	for i := range q.parts {
		p := &q.parts[i]
		kept := p.concepts[:0]
		p.total = 0
		for _, c := range p.concepts {
			if !eastAsianWord(c.surface) {
				kept = append(kept, c)
				p.total += c.weight
			}
		}
		p.concepts = kept
		for _, f := range list[:min(len(list), translationWords)] {
			c := concept{surface: f.word, weight: f.value * rarity(f.word, df, documents), alts: []alternative{{f.stem, 1}}}
			p.concepts = append(p.concepts, c)
			p.total += c.weight
		}
	}
	for _, f := range list[:min(len(list), translationWords)] {
		q.translation = append(q.translation, f.word)
	}
}
