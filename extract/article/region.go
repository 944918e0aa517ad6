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
		if text := p.text(l); strings.ContainsAny(text, "0123456789") {
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

// firstText is the index of the first text of a kept paragraph, or of the
// container's end.
func (p *page) firstText(top int32) int32 {
	for k := range p.lines {
		if l := &p.lines[k]; l.good && !l.dropped && p.inside(l.first, top) {
			return l.first
		}
	}
	return p.nodes[top].end
}
