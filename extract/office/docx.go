package office

import (
	"encoding/xml"
	"strconv"
	"strings"

	"github.com/quarry-sdk/quarry/extract"
)

// docx reads a text document (ECMA-376 part 1, 17).
func (a *archive) docx(w *writer, main string) error {
	relations, err := a.relations(main)
	if err != nil {
		return err
	}
	styles, language, err := a.docxStyles(a.related(relations, "styles"))
	if err != nil {
		return err
	}
	w.doc.Language = language
	d := &docx{archive: a, w: w, styles: styles, relations: relations}
	if err := d.part(main); err != nil {
		return err
	}
	// Notes follow the text, in the order of their references.
	for _, kind := range []string{"footnotes", "endnotes"} {
		if err := d.notes(a.related(relations, kind), d.references[kind]); err != nil {
			return err
		}
	}
	return nil
}

// docx is the state of reading a text document.
type docx struct {
	archive    *archive
	w          *writer
	styles     map[string]docxStyle
	relations  map[string]relation
	references map[string][]string // identifiers of notes, by the kind of part

	open      []*docxParagraph // paragraphs within each other, by text boxes
	tables    []*docxTable     // tables within each other
	queue     []block          // what stands in text boxes of the open paragraph
	footnotes map[string][]block
	note      string // the note that is being read
	run       docxRun
}

// block is a block that is not written yet.
type block struct {
	kind  extract.BlockKind
	level int
	passage
}

type docxParagraph struct {
	passage
	style docxStyle
	list  int // depth, from 1
	level int // of a heading, given directly
	links []docxLink
}

type docxLink struct {
	start int
	url   string
}

type docxRun struct {
	hidden, shown bool
}

type docxTable struct {
	cells   []passage
	deleted bool // the row is
}

func (d *docx) part(name string) error {
	w, err := d.archive.walk(name)
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
			err = d.start(w, t)
		case xml.EndElement:
			err = d.end(t)
		}
		if err != nil {
			return err
		}
	}
}

func (d *docx) start(w *walker, e xml.StartElement) error {
	p := d.paragraph()
	switch e.Name.Local {
	case "del", "moveFrom":
		d.w.deleted++
		if p == nil && len(d.tables) > 0 { // in the properties of a row
			d.tables[len(d.tables)-1].deleted = true
		}
		return w.skip()
	case "rPrChange", "pPrChange", "tblPrChange", "trPrChange", "tcPrChange", "sectPrChange":
		return w.skip() // how it was before
	case "Fallback", "instrText", "delText", "fldData": // said elsewhere, or not to be seen
		return w.skip()
	case "footnote", "endnote":
		d.note = attr(e, "id")
	case "p":
		if strings.Contains(e.Name.Space, "wordprocessingml") {
			d.open = append(d.open, &docxParagraph{})
			d.run = docxRun{}
		}
	case "tbl":
		d.tables = append(d.tables, &docxTable{})
	case "tr":
		if n := len(d.tables); n > 0 {
			*d.tables[n-1] = docxTable{}
		}
	case "tc":
		if n := len(d.tables); n > 0 {
			d.tables[n-1].cells = append(d.tables[n-1].cells, passage{})
		}
	}
	if p == nil {
		return nil
	}
	switch e.Name.Local {
	case "pStyle":
		p.style = style(d.styles, attr(e, "val"))
	case "outlineLvl":
		if n, err := strconv.Atoi(attr(e, "val")); err == nil && n >= 0 && n < 9 {
			p.level = min(6, n+1)
		}
	case "ilvl":
		if n, err := strconv.Atoi(attr(e, "val")); err == nil && n >= 0 && n < 9 && p.list >= 0 {
			p.list = n + 1
		}
	case "numId":
		switch {
		case attr(e, "val") == "0":
			p.list = -1 // a list of the style, switched off
		case p.list == 0:
			p.list = 1
		}
	case "r":
		d.run = docxRun{}
	case "rStyle":
		if s := style(d.styles, attr(e, "val")); !d.run.hidden && !d.run.shown {
			d.run = docxRun{s.hidden, s.shown}
		}
	case "vanish", "webHidden":
		if e.Name.Local == "vanish" {
			d.run = docxRun{on(e), !on(e)}
		}
	case "rPr":
	case "t":
		text, err := w.text()
		if err != nil {
			return err
		}
		d.say(text)
	case "tab", "ptab":
		d.say("\t")
	case "br", "cr":
		d.say("\n")
	case "noBreakHyphen":
		d.say("\u2011")
	case "softHyphen":
		d.say("\u00ad")
	case "sym":
		if n, err := strconv.ParseUint(attr(e, "char"), 16, 32); err == nil && n < 0x110000 {
			d.say(string(rune(n)))
		}
	case "hyperlink":
		url := ""
		if r, ok := d.relations[relID(e, "id")]; ok && r.web {
			url = address(r.target)
		}
		p.links = append(p.links, docxLink{len(p.text), url})
	case "footnoteReference", "endnoteReference":
		kind := strings.TrimSuffix(e.Name.Local, "Reference") + "s"
		if d.references == nil {
			d.references = map[string][]string{}
		}
		if len(d.references[kind]) < maxNotes {
			d.references[kind] = append(d.references[kind], attr(e, "id"))
		}
	}
	return nil
}

// maxNotes bounds the notes of a document.
const maxNotes = 100_000

// paragraph is the innermost paragraph that is open.
func (d *docx) paragraph() *docxParagraph {
	if n := len(d.open); n > 0 {
		return d.open[n-1]
	}
	return nil
}

// say adds text to the paragraph, unless it is hidden.
func (d *docx) say(text string) {
	p := d.paragraph()
	hidden := d.run.hidden || p.style.hidden && !d.run.shown
	if hidden {
		d.w.doc.Hidden += len(text)
		return
	}
	p.add(text)
}

func (d *docx) end(e xml.EndElement) error {
	switch e.Name.Local {
	case "p":
		if p := d.paragraph(); p != nil && strings.Contains(e.Name.Space, "wordprocessingml") {
			return d.endParagraph(p)
		}
	case "hyperlink":
		if p := d.paragraph(); p != nil && len(p.links) > 0 {
			l := p.links[len(p.links)-1]
			p.links = p.links[:len(p.links)-1]
			if l.url != "" && l.start < len(p.text) {
				p.passage.links = append(p.passage.links, extract.Link{Start: l.start, End: len(p.text), URL: l.url})
			}
		}
	case "tr":
		if n := len(d.tables); n > 0 {
			row := rowOf(d.tables[n-1].cells)
			deleted := d.tables[n-1].deleted
			*d.tables[n-1] = docxTable{}
			if deleted {
				return nil
			}
			if n > 1 { // a table in a cell of another
				return d.put(block{kind: extract.Paragraph, passage: row})
			}
			return d.emit(block{kind: extract.TableRow, passage: row})
		}
	case "tbl":
		if n := len(d.tables); n > 0 {
			d.tables = d.tables[:n-1]
		}
	case "footnote", "endnote":
		d.note = ""
	}
	return nil
}

// rowOf joins cells by tabs. Line ends in a cell are blanks.
func rowOf(cells []passage) passage {
	var row passage
	for i, c := range cells {
		if i > 0 {
			row.add("\t")
		}
		c = c.trimmed()
		for _, l := range c.links {
			l.Start, l.End = l.Start+len(row.text), l.End+len(row.text)
			row.links = append(row.links, l)
		}
		for j, b := range c.text {
			if b == '\n' || b == '\t' {
				c.text[j] = ' '
			}
		}
		row.text = append(row.text, c.text...)
	}
	return row
}

func (d *docx) endParagraph(p *docxParagraph) error {
	d.open = d.open[:len(d.open)-1]
	b := block{kind: extract.Paragraph, passage: p.passage}
	switch {
	case p.level > 0:
		b.kind, b.level = extract.Heading, p.level
	case p.style.kind == extract.Heading:
		b.kind, b.level = p.style.kind, p.style.level
	case p.list > 0:
		b.kind, b.level = extract.ListItem, p.list
	case p.style.kind == extract.ListItem && p.list == 0:
		b.kind, b.level = extract.ListItem, 1
	case p.style.kind != "" && p.style.kind != extract.ListItem:
		b.kind = p.style.kind
	}
	if len(d.open) > 0 { // in a text box: it follows its paragraph
		d.queue = append(d.queue, b)
		return nil
	}
	queue := d.queue
	d.queue = nil
	if err := d.put(b); err != nil {
		return err
	}
	for _, q := range queue {
		if err := d.put(q); err != nil {
			return err
		}
	}
	return nil
}

// put adds a block to the cell that is open, or to the document.
func (d *docx) put(b block) error {
	for i := len(d.tables) - 1; i >= 0; i-- {
		cells := d.tables[i].cells
		if len(cells) == 0 {
			continue
		}
		c := &cells[len(cells)-1]
		if len(c.text) > 0 && len(b.text) > 0 {
			c.add(" ")
		}
		for _, l := range b.links {
			l.Start, l.End = l.Start+len(c.text), l.End+len(c.text)
			c.links = append(c.links, l)
		}
		c.text = append(c.text, b.text...)
		return nil
	}
	return d.emit(b)
}

func (d *docx) emit(b block) error {
	if d.footnotes != nil {
		d.footnotes[d.note] = append(d.footnotes[d.note], b)
		return nil
	}
	return d.w.block(b.kind, b.level, true, b.passage)
}

// notes writes the notes that are referred to.
func (d *docx) notes(name string, references []string) error {
	if name == "" || len(references) == 0 {
		return nil
	}
	relations, err := d.archive.relations(name)
	if err != nil {
		return err
	}
	d.relations, d.footnotes = relations, map[string][]block{}
	if err := d.part(name); err != nil {
		return err
	}
	notes := d.footnotes
	d.footnotes = nil
	for _, id := range references {
		for _, b := range notes[id] {
			if err := d.w.block(b.kind, b.level, true, b.passage); err != nil {
				return err
			}
		}
		delete(notes, id)
	}
	return nil
}
