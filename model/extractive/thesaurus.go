package extractive

import (
	_ "embed"
	"strings"
	"sync"
)

// meant is what a phrase of a text stands for.
type meant struct {
	start, end int // the phrase
	words      []string
	phrase     bool // more than one word
}

// expansions finds the phrases of a text that pages may put otherwise.
func expansions(st stemmer, text string) []meant {
	var list []word
	for _, w := range st.words(text) {
		if !w.whole {
			list = append(list, w)
		}
	}
	var out []meant
	for i := range list {
		for _, e := range thesaurus()[list[i].stem] {
			if n := follows(list[i:], e.phrase); n > 0 {
				out = append(out, meant{list[i].start, list[i+n-1].end, strings.Fields(e.written), n > 1})
			}
		}
	}
	return out
}

// follows tells how many of the words the phrase takes up that they begin with,
// "a" and "the" between them left out; 0 where they do not.
func follows(list []word, phrase []string) int {
	i := 0
	for _, want := range phrase {
		for i < len(list) && i > 0 && (list[i].stem == "a" || list[i].stem == "the") && list[i].stem != want {
			i++
		}
		if i >= len(list) || list[i].stem != want {
			return 0
		}
		i++
	}
	return i
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
