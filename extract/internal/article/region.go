package article

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// region says where on the page a date of the page may stand.
type region struct {
	title int32 // the heading that shows the title, or -1
	start int32 // where the lines around the title begin
	text  int32 // the first paragraph
	top   int32 // the container
	notes []note
}

// note is a short line with a digit, read before anything was dropped.
type note struct {
	at   int32
	text string
}

// near tells whether a node stands between title and text, or just above.
func (z *region) near(i int32) bool { return z.start <= i && i < z.text }

const (
	// elsewhere are the names of what never holds the dates of the page itself.
	elsewhere = commentName | relatedName | captionName
	// beside are those of what holds them only between title and text.
	beside = elsewhere | sideName | footName | navName | adName
)

// foreign tells whether a node belongs to something else on the page: a comment,
// a list of other articles, a picture; by the names given.
func (p *page) foreign(i, top int32, names names) bool {
	names |= otherName
	for j, steps := i, 0; j >= 0 && steps < maxClimb; j, steps = p.nodes[j].parent, steps+1 {
		nd := &p.nodes[j]
		if nd.n.DataAtom == atom.Body || p.inside(top, j) {
			return false
		}
		if nd.names&names != 0 || nd.n.DataAtom == atom.Article && !p.inside(j, top) {
			return true
		}
	}
	return false
}

// maxClimb bounds the ancestors that are looked at for one node, maxSeen the
// elements that are looked at for a date, and maxStamps the dates that are kept.
const (
	maxClimb  = 256
	maxSeen   = 400
	maxStamps = 64
)

// maxNotes bounds the short lines that are kept for dates and bylines.
const maxNotes = 2000

// takeNotes keeps the short lines that may hold a date, before lines are dropped.
func (p *page) takeNotes() []note {
	var notes []note
	for k := range p.lines {
		l := &p.lines[k]
		if l.chars > 240 || len(notes) >= maxNotes {
			continue
		}
		if text := p.spaced(l); strings.ContainsAny(text, "0123456789") {
			notes = append(notes, note{l.first, text})
		}
	}
	return notes
}

// around finds where the lines about the text stand: from a little above the
// title to the first paragraph behind it.
func (p *page) around(title, top, text int32, notes []note) region {
	z := region{title: title, start: top, text: text, top: top, notes: notes}
	if title >= 0 && title < z.text {
		z.start = title
	}
	// A few lines above: kickers and datelines often precede the headline.
	for i, lines := z.start-1, 0; i > p.body && lines < 6; i-- {
		n := p.nodes[i].n
		if n.Type == html.TextNode && !isBlank(n.Data) && n.Parent != nil && n.Parent.DataAtom != atom.Script && n.Parent.DataAtom != atom.Style {
			lines++
		}
		if n.DataAtom == atom.Nav || n.DataAtom == atom.H1 {
			break
		}
		z.start = i
	}
	return z
}

// firstText is the index of the first text of a kept paragraph, past a short one
// that may only introduce the article, or of the container's end.
func (p *page) firstText(top int32) int32 {
	found := int32(-1)
	for k := range p.lines {
		l := &p.lines[k]
		if !l.good || l.dropped || !p.inside(l.first, top) {
			continue
		}
		if l.chars >= 250 || found >= 0 {
			return l.first
		}
		found = l.first
	}
	return p.nodes[top].end
}

// spaced is the text of a line with a blank between texts of different elements,
// since styles often draw the gap between an author and a date.
func (p *page) spaced(l *line) string {
	var parts []string
	size := 0
	for i := l.first; i <= l.last && size < maxText; i++ {
		if nd := &p.nodes[i]; nd.line >= 0 {
			s := strings.TrimSpace(nd.n.Data)
			if len(s) > maxText {
				s = s[:maxText]
			}
			parts = append(parts, s)
			size += len(s)
		}
	}
	return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
}

// nearestHeading is the last h1 before the text of the container, for a page that
// claims no title that a heading shows; -1 if there is none.
func (p *page) nearestHeading(text int32) int32 {
	for i := text - 1; i > p.body; i-- {
		if p.nodes[i].n.DataAtom == atom.H1 {
			return i
		}
	}
	return -1
}
