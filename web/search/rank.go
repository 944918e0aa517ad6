package search

import "slices"

// Rank scores texts for a query as [Index] does: higher fits better, and 0 has none
// of the words. The scores of different calls cannot be compared.
func Rank(query string, texts []string) []float64 {
	x := NewIndex("")
	for _, text := range texts {
		x.insert(indexedText(Page{Text: text}))
	}
	wanted := slices.Compact(slices.Sorted(indexWords(query)))
	scores := make([]float64, len(texts))
	for i := range x.pages {
		scores[i] = x.score(&x.pages[i], wanted)
	}
	return scores
}
