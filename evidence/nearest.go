package evidence

import (
	"math"
	"strings"
	"unicode/utf8"
)

// maxNearestWords bounds how many words of a quote the search for the nearest passage looks at.
const maxNearestWords = 300

// word is a word of a normalised text; in scripts without blanks each character is one.
type word struct{ start, end int }

// eachWord calls f for each word of s until it returns false.
func eachWord(s string, f func(w word) bool) {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !wordRune(r) {
			i += n
			continue
		}
		start := i
		i += n
		for !unspaced(r) && i < len(s) {
			next, n := utf8.DecodeRuneInString(s[i:])
			if !wordRune(next) || unspaced(next) {
				break
			}
			i += n
		}
		if !f(word{start, i}) {
			return
		}
	}
}

// hit is a word of the text that the quote has too.
type hit struct{ at, id int }

// nearest returns the passage of the normalised text that is most like quote, from word to word, and how like it is: the
// share of the quote's words in it, rare words counting more, from 0 (no word in common) to 1.
func (t *Text) nearest(quote string) (start, end int, likeness float64) {
	var quoted []string
	ids := map[string]int{}
	var need []int
	eachWord(quote, func(w word) bool {
		s := strings.ToLower(quote[w.start:w.end])
		quoted = append(quoted, s)
		if _, ok := ids[s]; !ok {
			ids[s] = len(need)
			need = append(need, 0)
		}
		need[ids[s]]++
		return len(quoted) < maxNearestWords
	})
	var words []word
	var hits []hit
	freq := make([]int, len(need))
	s := t.folded.norm
	eachWord(s, func(w word) bool {
		if id, ok := ids[strings.ToLower(s[w.start:w.end])]; ok {
			hits = append(hits, hit{at: len(words), id: id})
			freq[id]++
		}
		words = append(words, w)
		return true
	})
	if len(hits) == 0 {
		return 0, 0, 0
	}
	first, last, likeness := densest(hits, need, freq, len(quoted)+len(quoted)/4+2)
	lo, hi := max(0, first-8), min(len(words), last+9)
	from, to := align(quoted, lowered(s, words[lo:hi]))
	if from == to {
		return words[first].start, words[last].end, likeness
	}
	return words[lo+from].start, words[lo+to-1].end, likeness
}

func lowered(s string, words []word) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = strings.ToLower(s[w.start:w.end])
	}
	return out
}

// densest returns the first and the last hit, as numbers of words, of the window of width words that has most of the
// quote's words, and the share of the quote's weight in it.
func densest(hits []hit, need, freq []int, width int) (first, last int, share float64) {
	weight := make([]float64, len(need))
	total := 0.0
	for id, n := range need {
		weight[id] = 1 / (1 + math.Log2(float64(1+freq[id])))
		total += weight[id] * float64(n)
	}
	have := make([]int, len(need))
	sum, best := 0.0, -1.0
	l := 0
	for r, h := range hits {
		if have[h.id]++; have[h.id] <= need[h.id] {
			sum += weight[h.id]
		}
		for hits[l].at <= h.at-width {
			id := hits[l].id
			if have[id] <= need[id] {
				sum -= weight[id]
			}
			have[id]--
			l++
		}
		if sum > best+1e-9 {
			best, first, last = sum, hits[l].at, hits[r].at
		}
	}
	return first, last, best / total
}

// align returns the stretch of words that becomes quote with the fewest words changed, left out or added (Sellers, The theory
// and computation of evolutionary distances, 1980).
func align(quote, words []string) (from, to int) {
	type cell struct{ cost, from int }
	row := make([]cell, len(words)+1)
	for j := range row {
		row[j] = cell{0, j}
	}
	for i, q := range quote {
		diagonal := row[0]
		row[0] = cell{i + 1, 0}
		for j, w := range words {
			c := diagonal
			if q != w {
				c.cost++
			}
			if up := row[j+1]; up.cost+1 < c.cost {
				c = cell{up.cost + 1, up.from}
			}
			if left := row[j]; left.cost+1 < c.cost {
				c = cell{left.cost + 1, left.from}
			}
			diagonal, row[j+1] = row[j+1], c
		}
	}
	best := row[0]
	for j, c := range row {
		if c.cost <= best.cost {
			best, to = c, j
		}
	}
	return best.from, to
}
