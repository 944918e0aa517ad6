package extractive

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// candidate is a sentence that may be quoted.
type candidate struct {
	doc   string
	text  string
	score float64
	// cover is the share of the question that the sentence and its surroundings
	// hold.
	cover float64
	page  int // index of its page
	at    int // position in the page
	entry int
}

// The share of a concept that counts where it stands near a sentence and not in
// it.
const (
	inPrevious = 0.6
	inNext     = 0.35
	inHeading  = 1
	inEntry    = 0.5
	inPath     = 0.5
	inTitle    = 0.5
)

// The weights of what adds to the cover of a sentence: its own words alone, the
// words of the sentences within reach, and what the searches thought of the page.
const (
	ownWeight    = 0.3
	windowWeight = 0.75
	reach        = 3
	priorWeight  = 0.3
)

// unit is a sentence or a heading of a page.
type unit struct {
	text    string
	heading bool
	entry   int // number of the heading that it stands below
	hits    []float64
	words   int
	path    []float64 // hits of the heading path
	// part is the part of the page that it stands in, from start to end.
	part, start, end int
}

// lexicon finds the concepts of a part by stem.
type lexicon struct {
	st     stemmer
	part   *part
	byStem map[string][]conceptHit
}

type conceptHit struct {
	concept int
	weight  float64
}

func newLexicon(p *part, st stemmer) *lexicon {
	l := &lexicon{st: st, part: p, byStem: make(map[string][]conceptHit)}
	for i, c := range p.concepts {
		for _, a := range c.alts {
			l.byStem[a.stem] = append(l.byStem[a.stem], conceptHit{i, a.weight})
		}
	}
	return l
}

// hits tells how far each concept of the part occurs in s.
func (l *lexicon) hits(s string) (hits []float64, words int) {
	hits = make([]float64, len(l.part.concepts))
	for _, w := range l.st.words(s) {
		if !w.whole {
			words++
		}
		for _, h := range l.byStem[w.stem] {
			hits[h.concept] = max(hits[h.concept], h.weight)
		}
	}
	return hits, words
}

// units takes a page apart.
func (l *lexicon) units(p *page) []unit {
	var list []unit
	entry := 0
	for n, part := range p.parts {
		entry++
		path, _ := l.hits(part.heading)
		last := -1
		for _, s := range sentencesOf(part.text) {
			text := part.text[s.start:s.end]
			u := unit{text: text, part: n, start: s.start, end: s.end}
			u.hits, u.words = l.hits(text)
			alone := (last < 0 || strings.Contains(part.text[last:s.start], "\n")) && (s.end == len(part.text) || part.text[s.end] == '\n')
			if alone && looksLikeHeading(text) {
				u.heading = true
				entry++
			}
			u.entry = entry
			for _, h := range p.headings {
				if at := part.start + s.start; at >= h.start && at < h.end {
					more, _ := l.hits(h.text)
					path = union(path, more)
				}
			}
			u.path = path
			list = append(list, u)
			last = s.end
		}
	}
	return list
}

func union(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = max(a[i], b[i])
	}
	return out
}

// looksLikeHeading tells headings and the terms of definition lists from
// sentences.
func looksLikeHeading(s string) bool {
	if len(s) > 100 || strings.ContainsAny(s, "\t\n") {
		return false
	}
	switch s[len(s)-1] {
	case '.', ':', ';', ',', '!', '?':
		return false
	}
	r, _ := utf8.DecodeLastRuneInString(s)
	return r != '。' && r != '：' && r != '；'
}

// rank scores the sentences of all pages for one part of a question, best first.
func rank(q *query, p *part, pages []*page, prior map[string]float64, st stemmer) []candidate {
	l := newLexicon(p, st)
	lower := strings.ToLower(q.text)
	var list []candidate
	for n, page := range pages {
		title, _ := l.hits(page.title)
		units := l.units(page)
		page.units = units
		entries := make(map[int][]float64)
		headings := make(map[int][]float64)
		for _, u := range units {
			if u.heading {
				headings[u.entry] = u.hits
			}
			if e, ok := entries[u.entry]; ok {
				entries[u.entry] = union(e, u.hits)
			} else {
				entries[u.entry] = u.hits
			}
		}
		for i, u := range units {
			if u.heading || u.words < 2 {
				continue
			}
			level := func(hits []float64, share float64, c int) float64 {
				if hits == nil {
					return 0
				}
				return hits[c] * share
			}
			var prev, next []float64
			if i > 0 && units[i-1].entry == u.entry {
				prev = units[i-1].hits
			}
			if i+1 < len(units) && units[i+1].entry == u.entry {
				next = units[i+1].hits
			}
			var window []float64
			for j := max(0, i-reach); j <= min(len(units)-1, i+reach); j++ {
				if units[j].entry != u.entry {
					continue
				}
				if window == nil {
					window = units[j].hits
				} else {
					window = union(window, units[j].hits)
				}
			}
			cover, own, wide := 0.0, 0.0, 0.0
			for c := range p.concepts {
				w := p.concepts[c].weight
				own += w * u.hits[c]
				around := max(level(headings[u.entry], inHeading, c), level(u.path, inPath, c), level(title, inTitle, c))
				wide += w * max(window[c], around)
				cover += w * max(u.hits[c], around, level(prev, inPrevious, c), level(next, inNext, c), level(entries[u.entry], inEntry, c))
			}
			if p.total > 0 {
				cover /= p.total
				own /= p.total
				wide /= p.total
			}
			if cover == 0 {
				continue
			}
			score := (cover + ownWeight*own + windowWeight*wide) * (1 + p.want.fit(u.text, lower)) * (1 + priorWeight*prior[page.doc])
			score *= form(u)
			list = append(list, candidate{doc: page.doc, text: u.text, score: score, cover: cover, page: n, at: i, entry: u.entry})
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].score > list[j].score })
	return list
}

// form lowers what is no good sentence to quote: very short, very long, or a
// pointer to another place.
func form(u unit) float64 {
	v := 1.0
	switch {
	case u.words < 4:
		v *= 0.7
	case u.words > 80:
		v *= 0.8
	}
	if strings.HasSuffix(u.text, ";") || strings.ContainsAny(u.text[:1], "#$>") {
		v *= 0.7 // code
	}
	if strings.HasPrefix(u.text, "See ") || strings.HasPrefix(u.text, "For more information") {
		v *= 0.6
	}
	if strings.HasSuffix(u.text, ":") {
		v *= 0.85
	}
	return v
}
