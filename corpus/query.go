package corpus

import (
	"context"
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// concept is one content word of a query with the words that may stand for it.
type concept struct {
	weight   float64 // how often the query has it
	variants []variant
}

// variant is one way to say a concept.
type variant struct {
	text   string // the stem, or the whole compound
	word   string // the exact form, "" where there is none
	kind   kind
	weight float64
}

// thesaurusText has a group of words that may stand for one another on each line.
//
//go:embed thesaurus.txt
var thesaurusText string

// thesaurus maps a stem to its synonyms, in the order of the file.
var thesaurus = sync.OnceValue(func() map[string][]variant {
	a := newAnalyzer()
	groups := make(map[string][]variant)
	for line := range strings.Lines(thesaurusText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		words := a.terms(nil, line)
		for _, from := range words {
		next:
			for _, to := range words {
				if to.text == from.text {
					continue
				}
				for _, v := range groups[from.text] {
					if v.text == to.text {
						continue next
					}
				}
				groups[from.text] = append(groups[from.text], variant{text: to.text, word: to.word})
			}
		}
	}
	return groups
})

// analyseQuery returns the concepts of a query in the order of their first occurrence, with their synonyms and glosses.
func (s *snapshot) analyseQuery(ctx context.Context, query string, w *weights) []concept {
	terms := s.terms(query)
	var list []concept
	at := make(map[variant]int)
	for _, t := range terms {
		v := variant{text: t.text, kind: t.kind}
		if i, ok := at[v]; ok {
			list[i].weight++
			continue
		}
		at[v] = len(list)
		list = append(list, concept{weight: 1, variants: []variant{{text: t.text, word: t.word, kind: t.kind, weight: 1}}})
	}
	list = s.gloss(ctx, list, at, query, w)
	if w.synonym > 0 {
		for i := range list {
			// The variants of a gloss belong to the glossary, which all searches share.
			list[i].variants = slices.Clip(list[i].variants)
			for _, v := range thesaurus()[list[i].variants[0].text] {
				if _, asked := at[variant{text: v.text}]; !asked && list[i].variants[0].kind == wordTerm {
					v.weight = w.synonym
					list[i].variants = append(list[i].variants, v)
				}
			}
		}
	}
	return list
}

// glossaryText has a Chinese word and its English on each line.
//
//go:embed glossary.txt
var glossaryText string

// glossary maps a Chinese word to the English words of the phrase, each with its alternatives.
var glossary = sync.OnceValue(func() map[string][]concept {
	a := newAnalyzer()
	words := make(map[string][]concept)
	for line := range strings.Lines(glossaryText) {
		chinese, english, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || chinese == "#" {
			continue
		}
		for phrase := range strings.FieldsSeq(english) {
			var c concept
			for _, t := range a.terms(nil, strings.ReplaceAll(phrase, "/", " ")) {
				if t.kind == wordTerm {
					c.variants = append(c.variants, variant{text: t.text, word: t.word, weight: 1})
				}
			}
			if len(c.variants) > 0 {
				words[chinese] = append(words[chinese], c)
			}
		}
	}
	return words
})

// longestGloss is the length in characters of the longest Chinese word looked for.
const longestGloss = 6

// gloss adds English words for the Chinese ones of a query, so that questions find pages in English. They count fully
// where the corpus does not know the Chinese word, and little where it does.
func (s *snapshot) gloss(ctx context.Context, list []concept, at map[variant]int, query string, w *weights) []concept {
	runes := []rune(query)
	for i := 0; i < len(runes); {
		n := 0
		if unspaced(runes[i]) {
			for n = min(longestGloss, len(runes)-i); n > 0 && glossary()[string(runes[i:i+n])] == nil; n-- {
			}
		}
		if n == 0 {
			i++
			continue
		}
		word := string(runes[i : i+n])
		weight := 1.0
		for _, t := range s.terms(word) {
			if found, err := s.lookup(ctx, fieldBody, t.text); err == nil && len(found) > 0 {
				weight = w.glossary
			}
		}
		for _, c := range glossary()[word] {
			if _, asked := at[variant{text: c.variants[0].text}]; !asked {
				at[variant{text: c.variants[0].text}] = len(list)
				c.weight = weight
				list = append(list, c)
			}
		}
		i += n
	}
	return list
}
