package extract

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxColumns is the number of columns up to which cells that span several are kept
// apart from what follows by as many tabs.
const maxColumns = 64

// table is a table that is being written.
type table struct {
	layout bool
	column int   // of the next cell of the row
	filled []int // per column, in how many more rows a cell from above lies in it
	cells  int   // written in this row
}

// table writes a table: one of data row by row, one that only lays the page out as
// what is in it.
func (w *walker) table(n *html.Node, s style) {
	t := &table{layout: w.row > 0 || isLayout(n)}
	w.tables = append(w.tables, t)
	restore := w.setKind(w.kind)
	w.children(n, s.look)
	restore()
	w.tables = w.tables[:len(w.tables)-1]
}

// isLayout reports whether a table holds what no table of data does: another table, a
// heading, preformatted text, or cells that are pages by themselves.
func isLayout(n *html.Node) bool {
	if role := attr(n, "role"); role == "presentation" || role == "none" {
		return true
	}
	size, cells := 0, 0
	for c := range n.Descendants() {
		switch c.DataAtom {
		case atom.Table, atom.H1, atom.H2, atom.H3, atom.H4, atom.Pre, atom.Article, atom.Nav, atom.Form, atom.Blockquote, atom.Hr:
			return true
		case atom.Td, atom.Th:
			cells++
		}
		if c.Type == html.TextNode && c.Parent.DataAtom != atom.Script && c.Parent.DataAtom != atom.Style {
			size += len(strings.TrimSpace(c.Data))
		}
	}
	return cells < 2 || size/cells > 400
}

// innerTable returns the table that is being written, nil outside of one.
func (w *walker) innerTable() *table {
	if len(w.tables) == 0 {
		return nil
	}
	return w.tables[len(w.tables)-1]
}

func (w *walker) tableRow(n *html.Node, s style) {
	t := w.innerTable()
	if t == nil || t.layout || w.kind.whole {
		w.children(n, s.look)
		return
	}
	t.column, t.cells = 0, 0
	restore := w.setKind(blockKind{kind: TableRow})
	w.startRow()
	w.children(n, s.look)
	w.endRow()
	restore()
	for i := range t.filled {
		t.filled[i] = max(0, t.filled[i]-1)
	}
}

// tableCell writes a cell behind as many tabs as there are columns before it.
func (w *walker) tableCell(n *html.Node, s style) {
	t := w.innerTable()
	if t == nil || t.layout || w.row == 0 {
		w.children(n, s.look)
		return
	}
	if t.cells > 0 {
		w.cell()
	}
	t.cells++
	for t.column < len(t.filled) && t.filled[t.column] > 0 {
		t.column++
		w.cell()
	}
	w.children(n, s.look)
	columns, rows := span(n, "colspan"), span(n, "rowspan")
	for i := 0; i < columns && t.column < maxColumns; i++ {
		if i > 0 {
			w.cell()
		}
		if t.column == len(t.filled) {
			t.filled = append(t.filled, 0)
		}
		t.filled[t.column] = rows
		t.column++
	}
}

// span returns the number of columns or rows of a cell, 1 for what is no number or
// too many for a table that people read.
func span(n *html.Node, key string) int {
	v, err := strconv.Atoi(strings.TrimSpace(attr(n, key)))
	if err != nil || v < 1 || v > maxColumns && key == "colspan" || v > 65534 {
		return 1
	}
	return v
}
