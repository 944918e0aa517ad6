package extractive

import (
	"slices"
	"strings"
)

// subjects are the pages whose title the question names, such as two programs
// that it compares; nil where there are not at least two.
func (s *state) subjects() []int {
	asked := make(map[string]bool)
	for _, w := range s.st.words(s.question) {
		if !stopWords[strings.ToLower(s.question[w.start:w.end])] {
			asked[w.stem] = true
		}
	}
	var list []int
	for i, p := range s.pages {
		n, all := 0, true
		for _, w := range s.st.words(p.title) {
			if w.whole || isNumber(strings.ToLower(p.title[w.start:w.end])) {
				continue
			}
			n++
			all = all && asked[w.stem]
		}
		if n > 0 && n <= maxTitle && all && !slices.ContainsFunc(list, func(j int) bool { return s.pages[j].doc == p.doc }) {
			list = append(list, i)
		}
	}
	if len(list) < 2 {
		return nil
	}
	return list[:min(len(list), 3)]
}

// maxTitle is how many words a title has that is a name: more of them are a
// description, whose words a question has by chance.
const maxTitle = 3

// cover gives each subject of the question a sentence of its own, where one holds
// enough of it. The last ones of the others make room.
func (s *state) cover(chosen, ranked []candidate, floor float64) []candidate {
	subjects := s.subjects()
	about := func(c candidate) bool {
		return slices.ContainsFunc(subjects, func(i int) bool { return s.pages[i].doc == c.doc })
	}
	for _, i := range subjects {
		doc := s.pages[i].doc
		if slices.ContainsFunc(chosen, func(c candidate) bool { return c.doc == doc }) {
			continue
		}
		for _, c := range ranked {
			if c.doc != doc || c.cover < floor || c.score < keepShare*ranked[0].score || alike(chosen, c) {
				continue
			}
			if len(chosen) >= s.model.cfg.Sentences {
				last := len(chosen) - 1
				for j := last; j > 0; j-- {
					if !about(chosen[j]) {
						last = j
						break
					}
				}
				chosen = slices.Delete(chosen, last, last+1)
			}
			chosen = append(chosen, c)
			break
		}
	}
	return chosen
}
