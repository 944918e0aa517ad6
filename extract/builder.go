package extract

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// builder assembles a text and notes where its blocks and links lie. The readers of
// the formats call it in the order of the document. Outside preformatted text it
// squeezes white space; it never adds anything but white space.
type builder struct {
	buf      []byte
	limit    int  // bytes of text after which the rest is dropped; 0 is none
	full     bool // text was dropped
	newlines int  // line ends due before the next text
	breaks   int  // line breaks due before the next text that end no block
	tabs     int  // cell separators due before the next text
	space    bool // a blank is due before the next text
	pre      int  // depth of preformatted elements
	row      int  // depth of table rows, which hold their blocks together
	kind     blockKind
	open     bool // the last of blocks goes on
	blocks   []Block
	links    []Link
}

// blockKind is what the next block will be.
type blockKind struct {
	kind  BlockKind
	level int
	main  bool
	// firstLine tells that the kind ends with the first line.
	firstLine bool
	// whole tells that blocks inside do not end this one.
	whole bool
}

// block ends the current block and asks for at least n line ends before the next
// text.
func (b *builder) block(n int) {
	b.space, b.breaks = false, 0
	if b.row > 0 || b.kind.whole {
		if b.tabs == 0 {
			b.newlines = max(b.newlines, min(n, 1))
		}
		return
	}
	b.newlines = max(b.newlines, n)
	b.closeBlock()
}

// closeBlock ends the current block at the last character that is not white space.
func (b *builder) closeBlock() {
	if !b.open {
		return
	}
	b.open = false
	last := &b.blocks[len(b.blocks)-1]
	last.End = last.Start + len(bytes.TrimRight(b.buf[last.Start:], " \t\n"))
	if last.End == last.Start {
		b.blocks = b.blocks[:len(b.blocks)-1]
	}
	if b.kind.firstLine {
		b.kind = blockKind{kind: Paragraph, main: b.kind.main}
	}
}

// side says whether what follows belongs to the main content. A block that is open
// ends where that changes, without a line end; a row of a table stays one block.
func (b *builder) side(main bool) {
	if b.open && b.blocks[len(b.blocks)-1].Main != main && b.row == 0 && !b.kind.whole {
		kind := b.kind
		b.closeBlock()
		b.kind = kind
	}
	b.kind.main = main
}

// lineBreak breaks the line inside a block. Two of them end the block, and leave one
// empty line.
func (b *builder) lineBreak() {
	b.space = false
	if len(b.buf) == 0 || b.newlines > 0 && b.row == 0 {
		return
	}
	b.breaks++
	if b.breaks > 1 && b.row == 0 && !b.kind.whole {
		b.block(2)
	}
}

// startRow begins a row of a table.
func (b *builder) startRow() {
	b.block(1)
	b.row++
}

// cell separates the next text from the previous cell of the row by a tab.
func (b *builder) cell() {
	b.space, b.newlines, b.breaks = false, 0, 0
	b.tabs++
}

// endRow ends the row and drops the separators of trailing empty cells.
func (b *builder) endRow() {
	b.tabs = 0
	b.row--
	b.block(1)
}

// flush writes the white space that is due, and opens a block if none is.
func (b *builder) flush() {
	switch {
	case len(b.buf) == 0:
		if b.tabs > 0 && b.row > 0 { // leading empty cells of the first row
			b.openBlock()
			b.buf = append(b.buf, strings.Repeat("\t", b.tabs)...)
		}
	case b.tabs > 0:
		if !b.open {
			b.lineEnds()
			b.openBlock()
		}
		for range b.tabs {
			b.buf = append(b.buf, '\t')
		}
	case b.newlines > 0 || b.breaks > 0:
		b.newlines = max(b.newlines, min(b.breaks, 1))
		b.lineEnds()
	case b.space:
		b.buf = append(b.buf, ' ')
	}
	b.newlines, b.breaks, b.tabs, b.space = 0, 0, 0, false
	b.openBlock()
}

func (b *builder) lineEnds() {
	if b.tabs > 0 {
		b.newlines = max(b.newlines, 1)
	}
	have := len(b.buf) - len(bytes.TrimRight(b.buf, "\n"))
	for ; have < b.newlines; have++ {
		b.buf = append(b.buf, '\n')
	}
}

func (b *builder) openBlock() {
	if b.open {
		return
	}
	b.open = true
	k := b.kind
	if k.kind == "" {
		k.kind = Paragraph
	}
	b.full = b.full || len(b.blocks) >= maxBlocks
	b.blocks = append(b.blocks, Block{Kind: k.kind, Level: k.level, Main: k.main, Start: len(b.buf)})
}

// maxBlocks is the number of blocks after which the rest of a text is dropped.
const maxBlocks = 500_000

const blanks = " \t\n\r\f"

// text appends s, which is taken to be running text unless a preformatted element is
// open.
func (b *builder) text(s string) {
	if b.pre > 0 {
		b.verbatim(s)
		return
	}
	for s != "" {
		i := strings.IndexAny(s, blanks)
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
		s = strings.TrimLeft(s, blanks)
		if b.newlines == 0 && b.breaks == 0 && b.tabs == 0 && len(b.buf) > 0 && !endsInSpace(b.buf) {
			b.space = true
		}
	}
}

// verbatim appends s with its line ends and blanks.
func (b *builder) verbatim(s string) {
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
	if strings.IndexByte(s, '\r') >= 0 {
		s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	}
	b.append(s)
}

func (b *builder) append(s string) {
	if b.limit > 0 && len(b.buf)+len(s) > b.limit {
		b.full = true
		s = cutText(s, max(0, b.limit-len(b.buf)))
	}
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

// setBlock makes the blocks until the returned function is called of the kind k.
func (b *builder) setKind(k blockKind) (restore func()) {
	before := b.kind
	b.kind = k
	return func() { b.kind = before }
}

// whole writes s as a block of its own.
func (b *builder) whole(k blockKind, s string) (start, end int) {
	b.block(1)
	restore := b.setKind(k)
	if b.kind.kind == Preformatted {
		b.pre++
		b.text(s)
		b.pre--
	} else {
		b.text(s)
	}
	start, end = b.here()
	b.closeBlock()
	restore()
	b.block(1)
	return start, end
}

// here returns the bounds of the open block, or twice the end of the text.
func (b *builder) here() (start, end int) {
	if b.open {
		return b.blocks[len(b.blocks)-1].Start, len(b.buf)
	}
	return len(b.buf), len(b.buf)
}

// link notes that the text from start on is a link. White space that lies before its
// first character is no part of it.
func (b *builder) link(start int, url string) {
	for start < len(b.buf) && strings.IndexByte(" \t\n", b.buf[start]) >= 0 {
		start++
	}
	if start < len(b.buf) {
		b.links = append(b.links, Link{start, len(b.buf), url})
	}
}

// finish returns the document. White space at the end of the text is dropped.
func (b *builder) finish() *Document {
	b.kind.whole, b.row = false, 0
	b.closeBlock()
	text := string(bytes.TrimRight(b.buf, " \t\n\r"))
	doc := &Document{Text: text, Blocks: b.blocks, Links: b.links}
	for i := range doc.Links {
		doc.Links[i].End = min(doc.Links[i].End, len(text))
	}
	if b.full {
		doc.Warnings = append(doc.Warnings, Warning{"truncated", "The text was cut off where it became too long."})
	}
	return doc
}

// collapse squeezes runs of white space, the no-break space too, to one blank.
func collapse(s string) string { return strings.Join(strings.Fields(s), " ") }
