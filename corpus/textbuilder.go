package corpus

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// textBuilder assembles a canonical text and notes where its headings, links and entries lie. Extractors call it in
// document order. Outside preformatted text it squeezes white space; it never adds anything but white space.
type textBuilder struct {
	buf      []byte
	newlines int  // line ends due before the next text
	tabs     int  // cell separators due before the next text
	space    bool // a blank is due before the next text
	pre      int  // depth of preformatted elements
	marks    []mark
	linked   []link
	heading  int // depth of open headings; one inside another belongs to it
	quiet    int // depth of elements whose headings are no sections (notes beside the text)
}

// link is a hyperlink and the bytes that belong to it.
type link struct {
	start, end int
	href       string
}

// mark opens a section at start, or with level < 0 closes every section of level -level and deeper.
type mark struct{ level, start, end int }

// block asks for at least n line ends before the next text.
func (b *textBuilder) block(n int) {
	b.space = false
	if b.tabs == 0 && n > b.newlines {
		b.newlines = n
	}
}

// cell separates the next text from the previous cell of the row by a tab.
func (b *textBuilder) cell() {
	b.space, b.newlines = false, 0
	b.tabs++
}

// endRow drops the separators of trailing empty cells.
func (b *textBuilder) endRow() {
	b.tabs = 0
	b.block(1)
}

// flush writes the white space that is due.
func (b *textBuilder) flush() {
	switch {
	case len(b.buf) == 0:
	case b.tabs > 0:
		for range b.tabs {
			b.buf = append(b.buf, '\t')
		}
	case b.newlines > 0:
		have := len(b.buf) - len(bytes.TrimRight(b.buf, "\n"))
		for ; have < b.newlines; have++ {
			b.buf = append(b.buf, '\n')
		}
	case b.space:
		b.buf = append(b.buf, ' ')
	}
	b.newlines, b.tabs, b.space = 0, 0, false
}

// text appends s, which is taken to be running text unless a preformatted element is open.
func (b *textBuilder) text(s string) {
	if b.pre > 0 {
		b.verbatim(s)
		return
	}
	for s != "" {
		i := strings.IndexAny(s, " \t\n\r\f")
		if i != 0 {
			word := s
			if i > 0 {
				word = s[:i]
			}
			b.flush()
			b.append(word)
			s = s[len(word):]
			continue
		}
		s = strings.TrimLeft(s, " \t\n\r\f")
		if b.newlines == 0 && b.tabs == 0 && len(b.buf) > 0 && !endsInSpace(b.buf) {
			b.space = true
		}
	}
}

// verbatim appends s with its line ends and blanks.
func (b *textBuilder) verbatim(s string) {
	if s == "" {
		return
	}
	if b.newlines > 0 || len(b.buf) == 0 {
		// Leading empty lines of a block say nothing; an indent is kept.
		trimmed := strings.TrimLeft(s, "\r\n")
		if trimmed == "" {
			return
		}
		s = trimmed
	}
	b.flush()
	b.append(strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n"))
}

func (b *textBuilder) append(s string) {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	b.buf = append(b.buf, s...)
}

func endsInSpace(b []byte) bool {
	switch b[len(b)-1] {
	case ' ', '\n', '\t':
		return true
	}
	return false
}

// startHeading begins a heading on a line of its own and returns its offset.
func (b *textBuilder) startHeading() int {
	b.block(2)
	b.flush()
	b.heading++
	return len(b.buf)
}

// endHeading ends the heading that began at start. An empty one leaves no trace.
func (b *textBuilder) endHeading(level, start int) {
	b.heading--
	if b.quiet == 0 && b.heading == 0 && len(b.buf) > start {
		end := len(b.buf)
		if end-start > maxHeading { // one that was never closed: its first line is meant
			if i := bytes.IndexByte(b.buf[start:], '\n'); i >= 0 {
				end = start + i
			}
		}
		b.marks = append(b.marks, mark{level, start, end})
	}
	b.block(2)
}

// maxHeading is the length in bytes up to which a heading may have several lines.
const maxHeading = 300

// closeLevel ends the open sections of this level and deeper at the current place.
func (b *textBuilder) closeLevel(level int) {
	if b.heading == 0 {
		b.marks = append(b.marks, mark{level: -level, start: len(b.buf)})
	}
}

// link notes that the bytes from start on belong to a hyperlink.
func (b *textBuilder) link(start int, href string) {
	if len(b.buf) > start {
		b.linked = append(b.linked, link{start, len(b.buf), href})
	}
}

// finish returns the document's text, sections and links. An empty title is taken from the first heading.
func (b *textBuilder) finish(title string) *extract {
	text := string(bytes.TrimRight(b.buf, " \t\n\r"))
	e := &extract{title: collapse(title), text: text, linked: b.linked}
	for i, m := range b.marks {
		b.marks[i].start, b.marks[i].end = min(m.start, len(text)), min(m.end, len(text))
	}
	if e.title == "" {
		for _, m := range b.marks {
			if m.level > 0 && m.end > m.start {
				e.title = collapse(text[m.start:m.end])
				break
			}
		}
	}
	e.marks = b.marks
	return e
}

// extract is what a format's reader hands on.
type extract struct {
	title  string
	text   string
	marks  []mark
	linked []link
}

// sections builds the nested section list from the marks. Every path begins with title.
func (e *extract) sections(title string) []Section {
	root := Section{Path: []string{title}, Heading: title, End: len(e.text)}
	list := []Section{root}
	open := []int{0}
	closeTo := func(level, at int) {
		for len(open) > 1 && list[open[len(open)-1]].Level >= level {
			list[open[len(open)-1]].End = at
			open = open[:len(open)-1]
		}
	}
	for i, m := range e.marks {
		if m.level < 0 {
			closeTo(-m.level, m.start)
			continue
		}
		heading := collapse(e.text[m.start:m.end])
		if heading == "" {
			continue
		}
		if i == 0 && heading == title && len(list) == 1 {
			continue // The document's own heading opens no second section.
		}
		closeTo(m.level, m.start)
		parent := list[open[len(open)-1]]
		path := append(append(make([]string, 0, len(parent.Path)+1), parent.Path...), heading)
		list = append(list, Section{Path: path, Heading: heading, Level: m.level, Start: m.start, End: len(e.text)})
		open = append(open, len(list)-1)
	}
	kept := list[:1]
	for _, s := range list[1:] {
		if s.End > s.Start {
			kept = append(kept, s)
		}
	}
	return kept
}
