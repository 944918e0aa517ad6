package docs

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/quarry-sdk/quarry/corpus"
	"github.com/quarry-sdk/quarry/toolbox/internal/reading"
)

// findSection finds the section that a model means: by its heading path, its
// heading, a part of it, or its words. Among equals the first one wins.
func findSection(doc *corpus.Document, name string) (corpus.Section, error) {
	want := words(name)
	best, cost := -1, noMatch
	for i, s := range doc.Sections {
		if c := sectionCost(s, want); c < cost {
			best, cost = i, c
		}
	}
	if best >= 0 {
		return doc.Sections[best], nil
	}
	var near []string
	for _, s := range doc.Sections {
		if len(near) == 12 {
			break
		}
		if s.Level > 0 && len(s.Path) <= 3 {
			near = append(near, fmt.Sprintf("%q", reading.OneLine(s.Heading, 80)))
		}
	}
	if near == nil {
		return corpus.Section{}, fmt.Errorf("the document %s has no sections; read it by offset", doc.ID)
	}
	return corpus.Section{}, fmt.Errorf("the document %s has no section like %q; it has, among others: %s", doc.ID, reading.OneLine(name, 100), strings.Join(near, ", "))
}

// noMatch is the cost of a section that is not meant.
const noMatch = 1 << 20

// sectionCost tells how far a section is from what is wanted.
func sectionCost(s corpus.Section, want []string) int {
	if len(want) == 0 {
		return noMatch
	}
	heading, path := words(s.Heading), words(strings.Join(s.Path, " "))
	w, h, p := strings.Join(want, " "), strings.Join(heading, " "), strings.Join(path, " ")
	switch {
	case p == w:
		return 0
	case h == w:
		return 1
	case strings.HasSuffix(" "+p, " "+w):
		return 2
	case strings.HasPrefix(h, w):
		return 100 + len(h) - len(w)
	case strings.Contains(" "+h, " "+w):
		return 1000 + len(h) - len(w)
	case holdsAll(heading, want):
		return 10_000 + len(heading)
	case holdsAll(path, want):
		return 20_000 + len(path)
	case strings.Contains(w, h) && len(heading) > 1:
		return 30_000 + len(w) - len(h)
	}
	// A slip or two in the spelling.
	if d := distance(h, w, 2+len(w)/8); d <= 2+len(w)/8 && d < len(w)/2 {
		return 40_000 + d
	}
	return noMatch
}

// words are the letters and digits of s in lower case.
func words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_'
	})
}

func holdsAll(in, want []string) bool {
	set := make(map[string]bool, len(in))
	for _, w := range in {
		set[w] = true
	}
	for _, w := range want {
		if !set[w] {
			return false
		}
	}
	return true
}

// distance is the number of characters to change, drop or add to make b of a; a
// number above limit where it is above it.
func distance(a, b string, limit int) int {
	s, t := []rune(a), []rune(b)
	if d := len(s) - len(t); d > limit || -d > limit {
		return limit + 1
	}
	row := make([]int, len(t)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range s {
		diagonal := row[0]
		row[0] = i + 1
		for j := range t {
			next := diagonal
			if r != t[j] {
				next = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(t)]
}
