package extractive

import (
	_ "embed"
	"strings"
	"sync"
)

// expansion is a word that a page may use where the question has another.
type expansion struct {
	word   string
	weight float64
}

// expansions returns the further words for the words of a text, by the offset of
// the word where the phrase begins.
func expansions(st stemmer, text string) map[int][]expansion {
	var list []word
	for _, w := range st.words(text) {
		if !w.whole {
			list = append(list, w)
		}
	}
	out := make(map[int][]expansion)
	for i := range list {
		for _, e := range thesaurus()[list[i].stem] {
			if !follows(list[i:], e.phrase) {
				continue
			}
			at := list[i].start
			for w := range strings.FieldsSeq(e.written) {
				out[at] = append(out[at], expansion{w, 0.7})
			}
		}
	}
	return out
}

// follows tells whether the words begin with the phrase, "a" and "the" between
// them left out.
func follows(list []word, phrase []string) bool {
	i := 0
	for _, want := range phrase {
		for i < len(list) && i > 0 && (list[i].stem == "a" || list[i].stem == "the") && list[i].stem != want {
			i++
		}
		if i >= len(list) || list[i].stem != want {
			return false
		}
		i++
	}
	return true
}

type entry struct {
	phrase  []string
	written string
}

// thesaurusText has a group on each line: phrases, a bar, words.
//
//go:embed thesaurus.txt
var thesaurusText string

// thesaurus holds the groups by the stem of the first word of each phrase.
var thesaurus = sync.OnceValue(func() map[string][]entry {
	st := make(stemmer)
	m := make(map[string][]entry)
	for line := range strings.Lines(thesaurusText) {
		said, written, ok := strings.Cut(line, "|")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		for phrase := range strings.SplitSeq(said, ",") {
			var stems []string
			for _, w := range st.words(phrase) {
				if !w.whole {
					stems = append(stems, w.stem)
				}
			}
			if len(stems) > 0 {
				m[stems[0]] = append(m[stems[0]], entry{stems, written})
			}
		}
	}
	return m
})
