package extractive

import (
	_ "embed"
	"slices"
	"sort"
	"strings"
	"sync"
)

// glossaryText has a Chinese word of computing and its English on each line: the
// words of a phrase, alternatives joined by a slash. It is the file of package
// corpus, which searches with it; this model may not import that package.
//
//go:embed glossary.txt
var glossaryText string

// glossary maps a Chinese word to the English words of its phrase, each with its
// alternatives.
var glossary = sync.OnceValue(func() map[string][][]string {
	m := make(map[string][][]string)
	for line := range strings.Lines(glossaryText) {
		chinese, english, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || chinese == "#" {
			continue
		}
		for phrase := range strings.FieldsSeq(english) {
			m[chinese] = append(m[chinese], strings.Split(phrase, "/"))
		}
	}
	return m
})

// longestGloss is the length in characters of the longest Chinese word looked for.
const longestGloss = 6

// gloss returns the English words for the Chinese ones of a text that the glossary
// has, the longest match first.
func gloss(text string) [][]string {
	var list [][]string
	runes := []rune(text)
	for i := 0; i < len(runes); {
		n := 0
		if eastAsian(runes[i]) {
			for n = min(longestGloss, len(runes)-i); n > 0 && glossary()[string(runes[i:i+n])] == nil; n-- {
			}
		}
		if n > 0 {
			list = append(list, glossary()[string(runes[i:i+n])]...)
		}
		i += max(n, 1)
	}
	return list
}

// english makes concepts of the English words for a text, the context of the
// question at half their weight.
func (q *query) english(df map[string]int, documents int, st stemmer) bool {
	if len(gloss(q.text)) < 2 {
		return false
	}
	for i := range q.parts {
		p := &q.parts[i]
		var concepts []concept
		p.total = 0
		add := func(text string, share float64) {
			for _, words := range gloss(text) {
				c := concept{surface: words[0], alts: appendAlts(nil, words, st)}
				if slices.ContainsFunc(concepts, func(have concept) bool { return have.surface == c.surface }) {
					continue
				}
				for j := range c.alts {
					c.alts[j].weight = 1
				}
				c.weight = share * rarity(words[0], df, documents)
				p.total += c.weight
				concepts = append(concepts, c)
				for _, w := range words {
					if !slices.Contains(q.translation, w) {
						q.translation = append(q.translation, w)
					}
				}
			}
		}
		add(p.text, 1)
		add(q.text, 0.5)
		for _, c := range p.concepts {
			if !eastAsianWord(c.surface) {
				p.total += c.weight
				concepts = append(concepts, c)
			}
		}
		p.concepts = concepts
	}
	return true
}

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
