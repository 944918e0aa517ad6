package extract

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/quarry-sdk/quarry/internal/lazyregexp"
)

// readRST reads reStructuredText by a light scan of its lines: headings with over-
// and underlines, directives, literal blocks, lists, tables, fields and inline roles.
// Markup that it does not know stays in the text as it is.
func (r *Reader) readRST(ctx context.Context, src string, _ Hint) (*Document, error) {
	text := strings.ReplaceAll(strings.ReplaceAll(src, "\r\n", "\n"), "\r", "\n")
	s := &rstScanner{lines: strings.Split(strings.ReplaceAll(text, "\t", "        "), "\n")}
	s.b.limit = r.options.MaxText
	s.b.kind = blockKind{kind: Paragraph, main: true}
	for s.at < len(s.lines) && !s.b.full {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		s.block(false)
	}
	doc := s.b.finish()
	doc.Title = s.title
	for _, b := range doc.Blocks {
		if doc.Title == "" && b.Kind == Heading {
			doc.Title = collapse(doc.Text[b.Start:b.End])
		}
	}
	return doc, nil
}

type rstScanner struct {
	b      builder
	lines  []string
	at     int
	depth  int // of nested blocks
	items  int // depth of list items
	title  string
	styles []string // heading styles in the order of their first use
}

// maxRSTDepth is the depth of nested blocks below which all is running text.
const maxRSTDepth = 50

func indent(s string) int { return len(s) - len(strings.TrimLeft(s, " ")) }

func blank(s string) bool { return strings.TrimSpace(s) == "" }

func (r *rstScanner) line(i int) string {
	if i < 0 || i >= len(r.lines) {
		return ""
	}
	return strings.TrimRight(r.lines[i], " ")
}

// adornment returns the character of a heading line such as "=====", or 0.
func adornment(s string) byte {
	if len(s) < 2 || !strings.ContainsRune("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", rune(s[0])) || strings.Count(s, s[:1]) != len(s) {
		return 0
	}
	return s[0]
}

// block reads one block at the current line. inTable is set inside list tables.
func (r *rstScanner) block(inTable bool) {
	line := r.line(r.at)
	trimmed := strings.TrimLeft(line, " ")
	switch {
	case blank(trimmed):
		r.at++
		r.b.block(2)
	case r.heading():
	case gridLine(trimmed):
		r.grid()
	case simpleLine(trimmed):
		r.simple()
	case adornment(line) != 0 && len(line) >= 4:
		r.at++ // a transition
		r.b.block(2)
	case strings.HasPrefix(trimmed, ".. ") || trimmed == "..":
		r.explicit(inTable)
	case strings.HasPrefix(trimmed, "__ "):
		r.at++
	default:
		r.paragraph(line)
	}
}

// heading reads a title with its underline, or over- and underline, and reports whether there is one.
func (r *rstScanner) heading() bool {
	over := adornment(r.line(r.at))
	title, under := r.line(r.at), r.line(r.at+1)
	style, size := "", 2
	switch {
	case over != 0 && !blank(under) && r.line(r.at+2) == r.line(r.at) && utf8.RuneCountInString(strings.TrimSpace(under)) <= len(r.line(r.at)):
		title, style, size = strings.TrimSpace(under), string([]byte{over, over}), 3
	case over == 0 && title != "" && indent(title) == 0 && adornment(under) != 0 && (len(under) >= 4 || len(under) >= utf8.RuneCountInString(title)):
		style = under[:1]
	default:
		return false
	}
	level := 0
	for i, s := range r.styles {
		if s == style {
			level = i + 1
		}
	}
	if level == 0 {
		r.styles = append(r.styles, style)
		level = len(r.styles)
	}
	kind := blockKind{kind: Heading, level: min(level, 6), main: true}
	if r.depth > 0 { // in a note: it heads no section
		kind = blockKind{kind: Paragraph, main: true}
	}
	r.b.block(2)
	r.b.whole(kind, inlineRST(title))
	r.b.block(2)
	r.at += size
	return true
}

// body returns the lines after the current one that are blank or indented more than depth, dedented.
func (r *rstScanner) body(depth int) []string {
	r.at++
	start := r.at
	for r.at < len(r.lines) && (blank(r.lines[r.at]) || indent(r.lines[r.at]) > depth) {
		r.at++
	}
	end := r.at
	for end > start && blank(r.lines[end-1]) {
		end--
	}
	least := -1
	for _, l := range r.lines[start:end] {
		if !blank(l) && (least < 0 || indent(l) < least) {
			least = indent(l)
		}
	}
	out := make([]string, 0, end-start)
	for _, l := range r.lines[start:end] {
		if len(l) >= least && least > 0 {
			l = l[least:]
		}
		out = append(out, strings.TrimRight(l, " "))
	}
	return out
}

// nested reads lines as blocks of their own.
func (r *rstScanner) nested(lines []string, inTable bool) {
	if r.depth >= maxRSTDepth {
		r.b.text(strings.Join(lines, "\n"))
		return
	}
	outer, at := r.lines, r.at
	r.lines, r.at = lines, 0
	r.depth++
	for r.at < len(r.lines) && !r.b.full {
		r.block(inTable)
	}
	r.depth--
	r.lines, r.at = outer, at
}

func (r *rstScanner) literal(lines []string) {
	if len(lines) == 0 {
		return
	}
	r.b.block(2)
	r.b.whole(blockKind{kind: Preformatted, main: true, whole: true}, strings.TrimLeft(strings.Join(lines, "\n"), "\n"))
	r.b.block(2)
}

var directive = lazyregexp.New(`^\.\. (?:\|[^|]+\| )?([A-Za-z][\w.:+-]*?):: ?(.*)$`)

// hiddenDirectives hold no text of the page.
var hiddenDirectives = map[string]bool{
	"toctree": true, "index": true, "image": true, "include": true, "contents": true, "meta": true, "raw": true,
	"highlight": true, "default-domain": true, "currentmodule": true, "module": true, "sectionauthor": true,
	"moduleauthor": true, "role": true, "only-if": true, "literalinclude": true, "autosummary": true, "tabularcolumns": true,
	"highlightlang": true, "unicode": true, "program": true, "py:currentmodule": true, "automodule": true, "autoclass": true,
	"autofunction": true,
}

var literalDirectives = map[string]bool{
	"code": true, "code-block": true, "sourcecode": true, "parsed-literal": true, "productionlist": true, "math": true,
	"doctest": true, "testcode": true, "testoutput": true, "prompt": true, "console": true, "graphviz": true,
}

// explicit reads a directive, a footnote, a target or a comment.
func (r *rstScanner) explicit(inTable bool) {
	line := r.line(r.at)
	depth := indent(line)
	trimmed := line[depth:]
	m := directive().FindStringSubmatch(trimmed)
	if m == nil {
		body := r.body(depth)
		if rest, ok := strings.CutPrefix(trimmed, ".. ["); ok {
			if label, text, ok := strings.Cut(rest, "]"); ok { // a footnote or a citation
				r.b.block(2)
				r.b.text(label + " ")
				r.nested(append([]string{strings.TrimSpace(text)}, body...), inTable)
			}
		}
		return
	}
	name, argument := strings.ToLower(m[1]), strings.TrimSpace(m[2])
	body := r.body(depth)
	var options []string
	for len(body) > 0 && fieldLine().MatchString(body[0]) {
		options = append(options, body[0])
		body = body[1:]
	}
	switch {
	case hiddenDirectives[name]:
	case literalDirectives[name]:
		if (name == "math" || name == "productionlist" || name == "prompt") && argument != "" {
			body = append([]string{argument}, body...)
		}
		r.literal(body)
	case name == "title":
		r.title = collapse(argument)
	case name == "list-table":
		r.caption(argument)
		r.nested(body, true)
	case name == "csv-table":
		r.caption(argument)
		for _, o := range options {
			if cells, ok := strings.CutPrefix(o, ":header:"); ok {
				r.csv(cells)
			}
		}
		for _, l := range body {
			r.csv(l)
		}
		r.b.block(2)
	case name == "figure":
		r.nested(body, inTable)
	default:
		// Notes, object descriptions and unknown directives: the argument is a line of text, the body more of it.
		r.caption(argument)
		r.nested(body, inTable)
	}
}

func (r *rstScanner) caption(s string) {
	r.b.block(2)
	r.b.text(inlineRST(s))
	r.b.block(2)
}

// csv writes a line of a table of separated values.
func (r *rstScanner) csv(line string) {
	var cells []string
	for cell := range strings.SplitSeq(line, ",") {
		cells = append(cells, strings.Trim(strings.TrimSpace(cell), `"`))
	}
	r.writeRow(cells)
}

var (
	bullet    = lazyregexp.New(`^( *)([-*+•]|\(?(?:\d{1,3}|[a-zA-Z#])[.)]) +`)
	fieldLine = lazyregexp.New(`^ *:([^:\n]+):(?: +(.*)|)$`)
	lineBlock = lazyregexp.New(`^( *)\|(?: (.*)|)$`)
)

// cutBullet splits a line into the indent of its bullet or number and the text behind
// it.
func cutBullet(line string) (depth int, text string, ok bool) {
	m := bullet().FindStringSubmatchIndex(line[:min(len(line), 256)])
	if m == nil {
		return 0, "", false
	}
	return m[3], strings.TrimLeft(line[m[1]:], " "), true
}

// paragraph reads a paragraph, a list item, a field or a line of a line block.
func (r *rstScanner) paragraph(line string) {
	if depth, first, ok := cutBullet(line); ok {
		rest := r.body(depth)
		r.b.block(1)
		if _, _, ok := cutBullet(first); ok && (first[0] == '*' || first[0] == '-') {
			r.row(first, rest) // "* - cell" of a list table
			return
		}
		r.items++
		restore := r.b.setKind(blockKind{kind: ListItem, level: r.items, main: true})
		r.nested(append([]string{first}, rest...), false)
		r.b.block(1)
		restore()
		r.items--
		return
	}
	if m := lineBlock().FindStringSubmatch(line); m != nil {
		r.b.block(1)
		r.b.text(inlineRST(m[2]))
		r.b.block(1)
		r.at++
		return
	}
	if m := fieldLine().FindStringSubmatch(line); m != nil && !strings.Contains(m[1], "`") {
		rest := r.body(indent(line))
		r.b.block(1)
		r.b.text(inlineRST(m[1]) + " ")
		r.nested(append([]string{m[2]}, rest...), false)
		r.b.block(1)
		return
	}
	depth := indent(line)
	var para []string
	for r.at < len(r.lines) {
		l := r.line(r.at)
		if blank(l) || indent(l) != depth && len(para) > 0 || len(para) > 0 && adornment(r.line(r.at+1)) != 0 && len(r.line(r.at+1)) >= 4 {
			break
		}
		para = append(para, strings.TrimSpace(l))
		r.at++
	}
	if len(para) == 0 { // nothing may stop the scan
		para = append(para, strings.TrimSpace(r.line(r.at)))
		r.at++
	}
	text := strings.Join(para, " ")
	quoted := strings.HasSuffix(text, "::")
	if quoted {
		text = strings.TrimSuffix(text, "::")
		if text != "" && !strings.HasSuffix(text, " ") {
			text += ":"
		}
	}
	r.b.block(1)
	r.b.text(inlineRST(text))
	r.b.block(1)
	if quoted {
		next := r.at
		for next < len(r.lines) && blank(r.lines[next]) {
			next++
		}
		if next < len(r.lines) && indent(r.lines[next]) > depth {
			r.at--
			r.literal(r.body(depth))
		}
	}
}

// row reads the cells of one row of a list table: first holds the first cell with its bullet, rest the others.
func (r *rstScanner) row(first string, rest []string) {
	cells := [][]string{}
	for _, l := range append([]string{first}, rest...) {
		if depth, text, ok := cutBullet(l); ok && depth == 0 {
			cells = append(cells, []string{text})
		} else if len(cells) > 0 {
			cells[len(cells)-1] = append(cells[len(cells)-1], strings.TrimSpace(l))
		}
	}
	row := make([]string, 0, len(cells))
	for _, c := range cells {
		row = append(row, strings.Join(c, " "))
	}
	r.writeRow(row)
}

// writeRow writes the cells of a row of a table.
func (r *rstScanner) writeRow(cells []string) {
	r.b.block(1)
	restore := r.b.setKind(blockKind{kind: TableRow, main: true})
	r.b.startRow()
	for i, c := range cells {
		if i > 0 {
			r.b.cell()
		}
		r.b.text(inlineRST(c))
	}
	r.b.endRow()
	restore()
}

func gridLine(s string) bool {
	return len(s) > 2 && s[0] == '+' && s[len(s)-1] == '+' && strings.Trim(s, "+-=") == ""
}

// grid reads a table drawn with +---+ lines. Cells that span lines are joined.
func (r *rstScanner) grid() {
	r.b.block(2)
	var row []string
	emit := func() {
		if row != nil {
			r.writeRow(row)
		}
		row = nil
	}
	for ; r.at < len(r.lines); r.at++ {
		l := strings.TrimSpace(r.line(r.at))
		if gridLine(l) {
			emit()
			continue
		}
		if !strings.HasPrefix(l, "|") {
			break
		}
		cells := strings.Split(strings.Trim(l, "|"), "|")
		for len(row) < len(cells) {
			row = append(row, "")
		}
		for i, c := range cells {
			row[i] += " " + c
		}
	}
	emit()
	r.b.block(2)
}

func simpleLine(s string) bool {
	return strings.HasPrefix(s, "==") && strings.Contains(s, " ") && strings.Trim(s, "= ") == ""
}

// simple reads a table whose columns are marked by lines of "=====  =====".
func (r *rstScanner) simple() {
	rule := r.line(r.at)
	var columns []int
	for i := range rule {
		if rule[i] == '=' && (i == 0 || rule[i-1] == ' ') {
			columns = append(columns, i)
		}
	}
	r.b.block(2)
	rules := 1
	for r.at++; r.at < len(r.lines); r.at++ {
		l := r.line(r.at)
		trimmed := strings.TrimSpace(l)
		if simpleLine(trimmed) {
			rules++
			if next := r.line(r.at + 1); rules >= 2 && blank(next) {
				r.at++
				break
			}
			continue
		}
		if trimmed == "" || strings.Trim(trimmed, "- ") == "" {
			continue
		}
		cells := make([]string, len(columns))
		for i, from := range columns {
			to := len(l)
			if i+1 < len(columns) {
				to = min(columns[i+1], len(l))
			}
			if from < to {
				cells[i] = strings.ToValidUTF8(l[from:to], "")
			}
		}
		r.writeRow(cells)
	}
	r.b.block(2)
}

var (
	inlineCode  = lazyregexp.New("``(.+?)``")
	inlineRole  = lazyregexp.New("(?::[A-Za-z][\\w:.+-]*:)?`([^`]+)`(?::[A-Za-z][\\w:.+-]*:)?_{0,2}")
	inlineBold  = lazyregexp.New(`\*\*(\S|\S.*?\S)\*\*`)
	inlineItal  = lazyregexp.New(`(^|[\s(\['"{<-])\*([^\s*]|[^\s*][^*]*?[^\s*])\*($|[\s)\]}'".,:;!?>/-])`)
	inlineSubst = lazyregexp.New(`\|([^|\s][^|]*?)\|_{0,2}`)
	inlineFoot  = lazyregexp.New(`\[(#?[\w-]*|\*)\]_`)
	inlineRef   = lazyregexp.New(`(\w)_{1,2}($|[\s).,:;!?])`)
	backslash   = lazyregexp.New(`\\(.)`)
)

// inlineRST reduces inline markup to its text.
func inlineRST(s string) string {
	if !strings.ContainsAny(s, "`*|_\\[") {
		return s
	}
	var sb strings.Builder
	for {
		m := inlineCode().FindStringSubmatchIndex(s)
		if m == nil {
			sb.WriteString(inlineText(s))
			return sb.String()
		}
		sb.WriteString(inlineText(s[:m[0]]))
		sb.WriteString(s[m[2]:m[3]])
		s = s[m[1]:]
	}
}

func inlineText(s string) string {
	s = inlineRole().ReplaceAllStringFunc(s, func(m string) string {
		text := inlineRole().FindStringSubmatch(m)[1]
		if i := strings.LastIndex(text, "<"); i > 0 && strings.HasSuffix(text, ">") { // text <target>
			return strings.TrimSpace(text[:i])
		}
		if last, ok := strings.CutPrefix(text, "~"); ok { // shown without its modules
			return last[strings.LastIndexByte(last, '.')+1:]
		}
		return strings.TrimPrefix(text, "!")
	})
	s = inlineBold().ReplaceAllString(s, "$1")
	s = inlineItal().ReplaceAllString(s, "$1$2$3")
	s = inlineSubst().ReplaceAllString(s, "$1")
	s = inlineFoot().ReplaceAllString(s, "[$1]")
	s = inlineRef().ReplaceAllString(s, "$1$2")
	return backslash().ReplaceAllString(s, "$1")
}
