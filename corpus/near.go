package corpus

import (
	"path"
	"sort"
	"strings"
	"unicode/utf8"
)

// maxNear is the number of near matches that an error names.
const maxNear = 5

// near returns the ids that resemble id, best first: the same but for case, extension or folder, then those that
// continue or contain it, then those within a third of its length in edits, then those that share a word's stem.
func near(id string, docs []docEntry) []string {
	type match struct {
		id   string
		cost int
	}
	norm := func(s string) string { return strings.ToLower(strings.Trim(s, "/ ")) }
	bare := func(s string) string {
		if e := path.Ext(s); formats[e] != "" {
			s = strings.TrimSuffix(s, e)
		}
		return s
	}
	want := bare(norm(id))
	if want == "" {
		return nil
	}
	a := newAnalyzer()
	stems := make(map[string]bool)
	for _, t := range a.terms(nil, want) {
		stems[t.text] = t.kind == wordTerm
	}
	base := path.Base(want)
	var list []match
	for _, d := range docs {
		have := bare(norm(d.ID))
		cost := -1
		switch limit := 2 + utf8.RuneCountInString(base)/3; {
		case have == want || norm(d.Path) == norm(id):
			cost = 0
		case path.Base(have) == base:
			cost = 1
		case strings.HasPrefix(have, want) || strings.HasPrefix(path.Base(have), base):
			cost = 10 + min(len(have)-len(want), 80)
		default:
			if n := distance(path.Base(have), base, limit); n <= limit {
				cost = 10 + 4*n
			} else if strings.Contains(have, base) && len(base) > 2 {
				cost = 100 + len(have)
			} else if shared := countShared(a, have, stems); shared > 0 {
				cost = 1000 - 100*min(shared, 8) + min(len(have), 90)
			}
		}
		if cost >= 0 {
			list = append(list, match{d.ID, cost})
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].cost < list[j].cost })
	var ids []string
	for _, m := range list[:min(len(list), maxNear)] {
		ids = append(ids, m.id)
	}
	return ids
}

// countShared counts the words of an id whose stems are asked for.
func countShared(a *analyzer, id string, stems map[string]bool) int {
	n := 0
	for _, t := range a.terms(nil, id) {
		if stems[t.text] {
			n++
		}
	}
	return n
}

// distance is the Levenshtein distance in characters; beyond limit it returns some number above it.
func distance(a, b string, limit int) int {
	s, t := []rune(a), []rune(b)
	if d := len(s) - len(t); d > limit || -d > limit {
		return limit + 1
	}
	row := make([]int, len(t)+1)
	for j := range row {
		row[j] = j
	}
	for i := range s {
		diagonal, best := row[0], i+1
		row[0] = i + 1
		for j := range t {
			cost := diagonal
			if s[i] != t[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
			best = min(best, cost)
		}
		if best > limit {
			return limit + 1
		}
	}
	return row[len(t)]
}
