package corpus

import (
	"cmp"
	"slices"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/quarry-sdk/quarry/extract"
)

// layout notes where the parts of a page lie that head sections beside its headings,
// and those whose headings head none.
type layout struct {
	marks []mark
	notes []span // admonitions
}

// span is a run of bytes of a text.
type span struct{ start, end int }

// mark opens a section at start, or with level < 0 closes every section of level -level and deeper.
type mark struct{ level, start, end int }

// entryLevel is the level of the first depth of named definition list entries.
const entryLevel = 7

// visit looks at an element whose text lies between start and end.
func (o *layout) visit(n *html.Node, start, end int) {
	switch {
	case n.DataAtom == atom.Dl:
		o.marks = append(o.marks, mark{level: -(entryLevel + listDepth(n)), start: end})
	case n.DataAtom == atom.Dt && end > start && named(n):
		if depth := listDepth(n); depth > 0 {
			o.marks = append(o.marks, mark{entryLevel + depth - 1, start, end})
		}
	case admonition(n):
		o.notes = append(o.notes, span{start, end})
	}
}

// listDepth counts the definition lists around n.
func listDepth(n *html.Node) int {
	depth := 0
	for p := n.Parent; p != nil; p = p.Parent {
		if p.DataAtom == atom.Dl {
			depth++
		}
	}
	return depth
}

// all returns the marks of a document in their order: those of its headings, but for
// the ones in notes and in entries, and those noted.
func (o *layout) all(doc *extract.Document) []mark {
	var list []mark
	for i := range o.marks {
		m := &o.marks[i]
		// The range of an element may begin with the white space before it.
		for m.level > 0 && m.start < m.end && m.start < len(doc.Text) && isSpace(doc.Text[m.start]) {
			m.start++
		}
		m.start, m.end = min(m.start, len(doc.Text)), min(m.end, len(doc.Text))
	}
	notes := outermost(o.notes)
	var entries []span
	for _, m := range o.marks {
		if m.level > 0 {
			entries = append(entries, span{m.start, m.end})
		}
	}
	entries = outermost(entries)
	for _, b := range doc.Blocks {
		if b.Kind == extract.Heading && !inside(notes, b.Start, b.End) && !inside(entries, b.Start, b.End) {
			list = append(list, mark{b.Level, b.Start, b.End})
		}
	}
	for _, m := range o.marks {
		if m.level < 0 || !inside(notes, m.start, m.end) {
			list = append(list, m)
		}
	}
	slices.SortStableFunc(list, func(a, b mark) int {
		if c := cmp.Compare(a.start, b.start); c != 0 {
			return c
		}
		return cmp.Compare(a.level, b.level)
	})
	return list
}

// outermost sorts spans that lie apart or in one another, and drops the inner ones.
func outermost(list []span) []span {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b span) int {
		if c := cmp.Compare(a.start, b.start); c != 0 {
			return c
		}
		return cmp.Compare(b.end, a.end)
	})
	kept := list[:0]
	for _, s := range list {
		if len(kept) == 0 || s.start >= kept[len(kept)-1].end {
			kept = append(kept, s)
		}
	}
	return kept
}

// inside reports whether one of the spans, which lie apart in their order, holds the
// bytes from start to end.
func inside(list []span, start, end int) bool {
	i, found := slices.BinarySearchFunc(list, start, func(s span, at int) int { return cmp.Compare(s.start, at) })
	if !found {
		i--
	}
	return i >= 0 && end <= list[i].end
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' }

// named reports whether n can be linked to, by its own id or that of an anchor at its beginning.
func named(n *html.Node) bool {
	if attr(n, "id") != "" {
		return true
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == atom.A && (attr(c, "id") != "" || attr(c, "name") != "") {
			return true
		}
	}
	return false
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}
