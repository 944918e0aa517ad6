package corpus

import (
	"context"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// snippetSize is the greatest length of a snippet in characters.
const snippetSize = 300

// snippet chooses the window of text[from:to] that holds the most of the query, each term once and by its rarity, and
// returns its byte offsets and that of the first word that counted.
func (s *snapshot) snippet(text string, from, to int, query []concept) (start, end, focus int) {
	passage := text[from:to]
	rarity := make(map[string]float64, len(query))
	for _, c := range query {
		for _, v := range c.variants {
			field := fieldBody
			if v.kind == wholeTerm {
				field = fieldWhole
			}
			list, err := s.lookup(context.Background(), field, v.text)
			if key := field + v.text; err == nil && len(list) > 0 {
				rarity[key] = max(rarity[key], v.weight*c.weight*idf(len(s.docOf), len(list)))
			}
		}
	}
	type hit struct {
		start, end int
		key        string
	}
	var hits []hit
	for _, t := range s.terms(passage) {
		field := fieldBody
		if t.kind == wholeTerm {
			field = fieldWhole
		}
		if rarity[field+t.text] > 0 {
			hits = append(hits, hit{t.start, t.end, field + t.text})
		}
	}
	// characters[i] would be exact; counting on the fly keeps to the few windows that begin at a hit.
	best, bestFrom, bestTo := -1.0, 0, 0
	for i := range hits {
		seen := make(map[string]bool)
		value, last := 0.0, hits[i].end
		for _, h := range hits[i:] {
			if h.end-hits[i].start > snippetSize && utf8.RuneCountInString(passage[hits[i].start:h.end]) > snippetSize {
				break
			}
			if last = max(last, h.end); !seen[h.key] {
				seen[h.key] = true
				value += rarity[h.key]
			} else {
				value += rarity[h.key] / 20
			}
		}
		if value > best {
			best, bestFrom, bestTo = value, hits[i].start, last
		}
	}
	start, end = window(passage, bestFrom, bestTo)
	return from + start, from + end, from + bestFrom
}

// window widens passage[lo:hi] to at most snippetSize characters, whole words and if possible from the beginning of a
// sentence or line on.
func window(passage string, lo, hi int) (start, end int) {
	spare := snippetSize - utf8.RuneCountInString(passage[lo:hi])
	if spare < 0 { // one very long word
		end := lo
		for range snippetSize {
			_, n := utf8.DecodeRuneInString(passage[end:])
			end += n
		}
		return lo, end
	}
	// Backwards: at most two thirds of what is to spare, to the nearest beginning of a sentence, else of a word.
	start = lo
	word := lo
	for i, left := lo, spare*2/3; ; left-- {
		if beginsSentence(passage, i) {
			start, word = i, i
			break
		}
		if prev, _ := utf8.DecodeLastRuneInString(passage[:i]); unicode.IsSpace(prev) {
			word = i
		}
		if left <= 0 {
			break
		}
		_, n := utf8.DecodeLastRuneInString(passage[:i])
		i -= n
	}
	if start == lo {
		start = word
	}
	// Forwards: what is left, to the last end of a word.
	left := snippetSize - utf8.RuneCountInString(passage[start:hi])
	end = hi
	i := hi
	for ; i < len(passage) && left > 0; left-- {
		r, n := utf8.DecodeRuneInString(passage[i:])
		if unicode.IsSpace(r) || r > 0x2E80 {
			end = i
			if r > 0x2E80 {
				end = i + n
			}
		}
		i += n
	}
	if i == len(passage) {
		end = i
	} else if left == 0 {
		if r, _ := utf8.DecodeRuneInString(passage[i:]); unicode.IsSpace(r) {
			end = i
		}
	}
	trimmed := strings.TrimRightFunc(passage[start:max(end, hi)], unicode.IsSpace)
	lead := len(trimmed) - len(strings.TrimLeftFunc(trimmed, unicode.IsSpace))
	return start + lead, start + len(trimmed)
}

// beginsSentence reports whether a sentence, a line or the text begins at i.
func beginsSentence(text string, i int) bool {
	if i == 0 {
		return true
	}
	prev, _ := utf8.DecodeLastRuneInString(text[:i])
	if strings.ContainsRune("\n。！？", prev) {
		return true
	}
	if prev != ' ' {
		return false
	}
	end := strings.TrimRight(text[:i], " ")
	return end == "" || strings.IndexByte(".!?\n", end[len(end)-1]) >= 0
}

// passages scores every passage of one document.
func (s *snapshot) passages(ctx context.Context, i int, doc *Document, query []concept) ([]Passage, error) {
	r := s.scorer(&defaults)
	defer r.release()
	if err := r.run(ctx, query); err != nil {
		return nil, err
	}
	var list []Passage
	for p := s.first[i]; p < s.first[i+1]; p++ {
		from, to := s.bounds(p)
		hit := Passage{Text: doc.Text[from:to], Start: from, End: to, Score: r.passage.value[p]}
		if sec, ok := doc.SectionAt(from); ok {
			hit.Heading = sec.Path
		}
		list = append(list, hit)
	}
	sort.SliceStable(list, func(a, b int) bool { return list[a].Score > list[b].Score })
	return list, nil
}
