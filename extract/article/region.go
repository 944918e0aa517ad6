package article

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
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
