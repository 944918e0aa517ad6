package office

import (
	"encoding/xml"
	"strconv"

	"github.com/quarry-sdk/quarry/extract"
)

// pptx reads a presentation (ECMA-376 part 1, 19).
func (a *archive) pptx(w *writer, main string) error {
	relations, err := a.relations(main)
	if err != nil {
		return err
	}
	var slides []string
	err = a.each(main, func(_ *walker, e xml.StartElement) error {
		if e.Name.Local == "sldId" {
			if r, ok := relations[relID(e, "id")]; ok && !r.web {
				slides = append(slides, r.target)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, name := range slides {
		if !a.has(name) {
			w.warn("damaged", "slide %d is missing", i+1)
			continue
		}
		first := len(w.doc.Blocks)
		err := a.slideWithNotes(w, name)
		w.page(i+1, first, "")
		if err != nil {
			return err
		}
	}
	return nil
}

func (a *archive) slideWithNotes(w *writer, name string) error {
	s := &slide{main: true}
	if err := s.read(a, name); err != nil {
		return err
	}
	if s.hidden {
		for _, b := range s.blocks() {
			w.doc.Hidden += len(b.text)
		}
		return nil
	}
	for _, b := range s.blocks() {
		if err := w.block(b.kind, b.level, !b.aside, b.passage); err != nil {
			return err
		}
	}
	relations, err := a.relations(name)
	if err != nil {
		return err
	}
	notes := a.related(relations, "notesSlide")
	if notes == "" {
		return nil
	}
	n := &slide{}
	if err := n.read(a, notes); err != nil {
		return err
	}
	for _, b := range n.blocks() {
		if b.aside { // the number of the page
			continue
		}
		if err := w.block(extract.Paragraph, 0, false, b.passage); err != nil {
			return err
		}
	}
	return nil
}

// slide is what is read of a slide or of its notes.
type slide struct {
	main   bool
	hidden bool
	titles []slideBlock
	body   []slideBlock

	relations map[string]relation
	shape     string // the kind of placeholder
	secret    bool   // the shape is hidden
	p         *slideBlock
	link      string
	cells     []passage
	inCell    bool
}

type slideBlock struct {
	block
	aside bool
}

func (s *slide) blocks() []slideBlock { return append(s.titles, s.body...) }

func (s *slide) read(a *archive, name string) error {
	relations, err := a.relations(name)
	if err != nil {
		return err
	}
	s.relations = relations
	w, err := a.walk(name)
	if err != nil {
		return err
	}
	defer w.close()
	for {
		token, err := w.next()
		if err != nil || token == nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			err = s.start(w, t)
		case xml.EndElement:
			s.end(t)
		}
		if err != nil {
			return err
		}
	}
}

func (s *slide) start(w *walker, e xml.StartElement) error {
	switch e.Name.Local {
	case "Fallback":
		return w.skip()
	case "sld":
		s.hidden = attr(e, "show") == "0" || attr(e, "show") == "false"
	case "sp", "graphicFrame", "pic":
		s.shape, s.secret = "", false
	case "cNvPr":
		s.secret = attr(e, "hidden") == "1" || attr(e, "hidden") == "true"
	case "ph":
		if s.shape = attr(e, "type"); s.shape == "" {
			s.shape = "body"
		}
	case "tr":
		s.cells = nil
	case "tc":
		s.cells = append(s.cells, passage{})
		s.inCell = true
	case "p":
		s.p = &slideBlock{block: block{kind: extract.Paragraph}}
		switch s.shape {
		case "title", "ctrTitle":
			s.p.kind, s.p.level = extract.Heading, 1
		case "body":
			if s.main {
				s.p.kind, s.p.level = extract.ListItem, 1
			}
		case "dt", "ftr", "hdr", "sldNum":
			s.p.aside = true
		}
	}
	if s.p == nil {
		return nil
	}
	switch e.Name.Local {
	case "pPr":
		if n, err := strconv.Atoi(attr(e, "lvl")); err == nil && n >= 0 && n < 9 && s.p.kind == extract.ListItem {
			s.p.level = n + 1
		}
	case "buNone":
		if s.p.kind == extract.ListItem {
			s.p.kind, s.p.level = extract.Paragraph, 0
		}
	case "hlinkClick":
		if r, ok := s.relations[relID(e, "id")]; ok && r.web {
			s.link = address(r.target)
		}
	case "br":
		s.p.add("\n")
	case "t":
		text, err := w.text()
		if err != nil {
			return err
		}
		start := len(s.p.text)
		s.p.add(text)
		if s.link != "" && text != "" {
			s.p.links = append(s.p.links, extract.Link{Start: start, End: len(s.p.text), URL: s.link})
		}
	}
	return nil
}

func (s *slide) end(e xml.EndElement) {
	switch e.Name.Local {
	case "r", "fld":
		s.link = ""
	case "p":
		if s.p == nil {
			return
		}
		p := *s.p
		s.p = nil
		switch {
		case s.secret:
		case s.inCell && len(s.cells) > 0:
			c := &s.cells[len(s.cells)-1]
			if len(c.text) > 0 {
				c.add(" ")
			}
			for _, l := range p.links {
				l.Start, l.End = l.Start+len(c.text), l.End+len(c.text)
				c.links = append(c.links, l)
			}
			c.text = append(c.text, p.text...)
		case p.kind == extract.Heading:
			s.titles = append(s.titles, p)
		default:
			s.body = append(s.body, p)
		}
	case "tc":
		s.inCell = false
	case "tr":
		s.body = append(s.body, slideBlock{block: block{kind: extract.TableRow, passage: rowOf(s.cells)}})
		s.cells = nil
	}
}
