package search

import (
	"cmp"
	"context"
	"iter"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Page is a page at hand.
type Page struct {
	URL, Title, Text string
	// Published is as in [Result].
	Published string
}

// Index is a provider that searches pages at hand, such as those that were fetched
// before: by BM25 (k1 1.2, b 0.75) over their words, and for scripts without blanks
// between words over pairs of characters. It is in memory, and may be used by many
// goroutines at once.
type Index struct {
	name string

	mu    sync.RWMutex
	pages []indexed
	at    map[string]int // by Key
	docs  map[string]int // in how many pages a word is
	words int
}

type indexed struct {
	Page
	counts map[string]int
	length int
}

// NewIndex returns an empty index. Name is the provider's; it defaults to "local".
func NewIndex(name string) *Index {
	return &Index{name: cmp.Or(name, "local"), at: map[string]int{}, docs: map[string]int{}}
}

// Add adds a page, or replaces the one with the same [Key].
func (x *Index) Add(p Page) {
	doc := indexedText(p)
	x.mu.Lock()
	defer x.mu.Unlock()
	i, known := x.at[Key(p.URL)]
	if !known {
		x.at[Key(p.URL)] = len(x.pages)
		x.insert(doc)
		return
	}
	for word := range x.pages[i].counts {
		x.docs[word]--
	}
	x.words -= x.pages[i].length
	x.pages[i] = doc
	x.count(doc)
}

func (x *Index) insert(d indexed) {
	x.pages = append(x.pages, d)
	x.count(d)
}

func (x *Index) count(d indexed) {
	for word := range d.counts {
		x.docs[word]++
	}
	x.words += d.length
}

func indexedText(p Page) indexed {
	d := indexed{Page: p, counts: map[string]int{}}
	for range titleWeight {
		d.add(p.Title)
	}
	d.add(p.Text)
	return d
}

// titleWeight is how often a word of the title counts.
const titleWeight = 3

func (d *indexed) add(text string) {
	for word := range indexWords(text) {
		d.counts[word]++
		d.length++
	}
}

// Len is the number of pages.
func (x *Index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.pages)
}

// Name implements [Provider].
func (x *Index) Name() string { return x.name }

// Limits implements [Provider].
func (x *Index) Limits() Limits { return Limits{MaxResults: MaxResults, Sites: true, Time: true} }

// Search implements [Provider].
func (x *Index) Search(_ context.Context, q Query) ([]Result, error) {
	q.Max = cmp.Or(q.Max, DefaultMax)
	x.mu.RLock()
	defer x.mu.RUnlock()
	wanted := slices.Compact(slices.Sorted(indexWords(q.Text))) // sorted, so that equal queries add up equally
	type scored struct {
		page  int
		score float64
	}
	var hits []scored
	for i := range x.pages {
		if s := x.score(&x.pages[i], wanted); s > 0 {
			hits = append(hits, scored{i, s})
		}
	}
	slices.SortStableFunc(hits, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var out []Result
	for _, h := range hits {
		p := &x.pages[h.page]
		out = append(out, Result{URL: p.URL, Title: plain(p.Title), Snippet: snippet(p.Text, wanted), Published: p.Published})
	}
	return keep(out, q, x.name), nil
}

func (x *Index) score(d *indexed, wanted []string) float64 {
	const k1, b = 1.2, 0.75
	average := float64(x.words) / float64(len(x.pages))
	score := 0.0
	for _, word := range wanted {
		tf := float64(d.counts[word])
		if tf == 0 {
			continue
		}
		n := float64(x.docs[word])
		idf := math.Log(1 + (float64(len(x.pages))-n+0.5)/(n+0.5))
		score += idf * tf * (k1 + 1) / (tf + k1*(1-b+b*float64(d.length)/average))
	}
	return score
}

// indexWords yields the words of a text in lower case. A run of Chinese or Japanese
// is yielded as its pairs of characters.
func indexWords(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for field := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) }) {
			runes := []rune(field)
			if !unicode.In(runes[0], unicode.Han, unicode.Hiragana, unicode.Katakana) || len(runes) < 3 {
				if !yield(field) {
					return
				}
				continue
			}
			for i := range len(runes) - 1 {
				if !yield(string(runes[i : i+2])) {
					return
				}
			}
		}
	}
}

// snippetRunes is the length of a snippet.
const snippetRunes = 200

// snippet is the stretch of a text around the first place that has most of the
// words.
func snippet(text string, wanted []string) string {
	best, most := "", -1
	for line := range strings.SplitSeq(text, "\n") {
		n := 0
		for word := range indexWords(line) {
			if slices.Contains(wanted, word) {
				n++
			}
		}
		if n > most && strings.TrimSpace(line) != "" {
			best, most = line, n
		}
	}
	return shorten(plain(best), snippetRunes)
}
