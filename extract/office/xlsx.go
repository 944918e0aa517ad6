package office

import (
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"

	"github.com/quarry-sdk/quarry/extract"
)

// The limits of a workbook beyond those of all files.
const (
	maxStrings = 32 << 20 // bytes of shared strings
	maxColumns = 16384    // of the format
	maxTabs    = 64       // between two cells
	maxCell    = 1 << 20  // bytes of a cell
	maxFormat  = 255      // bytes of a number format
)

// workbook is the state of reading a workbook (ECMA-376 part 1, 18).
type workbook struct {
	archive  *archive
	w        *writer
	strings  []string
	formats  []string // of each cell style
	date1904 bool
}

type sheet struct {
	name, part string
	hidden     bool
}

func (a *archive) xlsx(w *writer, main string) error {
	relations, err := a.relations(main)
	if err != nil {
		return err
	}
	b := &workbook{archive: a, w: w}
	var sheets []sheet
	err = a.each(main, func(_ *walker, e xml.StartElement) error {
		switch e.Name.Local {
		case "workbookPr":
			v := attr(e, "date1904")
			b.date1904 = v == "1" || v == "true"
		case "sheet":
			if r, ok := relations[relID(e, "id")]; ok && !r.web && r.kind == "worksheet" {
				state := attr(e, "state")
				sheets = append(sheets, sheet{attr(e, "name"), r.target, state == "hidden" || state == "veryHidden"})
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := b.readStrings(a.related(relations, "sharedStrings")); err != nil {
		return err
	}
	if err := b.readFormats(a.related(relations, "styles")); err != nil {
		return err
	}
	number := 0
	for _, s := range sheets {
		if !a.has(s.part) {
			w.warn("damaged", "the sheet %q is missing", s.name)
			continue
		}
		if !s.hidden {
			number++
		}
		first := len(w.doc.Blocks)
		err := b.sheet(s)
		if !s.hidden {
			w.page(number, first, tidy(s.name))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *workbook) readStrings(name string) error {
	if name == "" {
		return nil
	}
	size := 0
	return b.archive.each(name, func(w *walker, e xml.StartElement) error {
		if e.Name.Local != "si" {
			return nil
		}
		text, err := rich(w)
		if err != nil {
			return err
		}
		if size += len(text) + 16; size > maxStrings {
			return errTooManyStrings
		}
		b.strings = append(b.strings, text)
		return nil
	})
}

// rich returns the text of an element of runs, without what is only for reading
// aloud.
func rich(w *walker) (string, error) {
	var out strings.Builder
	for depth := w.depth; ; {
		token, err := w.next()
		if err != nil {
			return "", err
		}
		switch t := token.(type) {
		case nil:
			return out.String(), nil
		case xml.StartElement:
			switch t.Name.Local {
			case "rPh":
				if err := w.skip(); err != nil {
					return "", err
				}
			case "t":
				text, err := w.text()
				if err != nil {
					return "", err
				}
				out.WriteString(text)
			}
		case xml.EndElement:
			if w.depth < depth {
				return out.String(), nil
			}
		}
	}
}

func (b *workbook) readFormats(name string) error {
	if name == "" {
		return nil
	}
	custom := map[int]string{}
	inCells := false
	return b.archive.each(name, func(_ *walker, e xml.StartElement) error {
		switch e.Name.Local {
		case "numFmt":
			if id, err := strconv.Atoi(attr(e, "numFmtId")); err == nil {
				custom[id] = attr(e, "formatCode")
			}
		case "cellXfs":
			inCells = true
		case "cellStyles", "dxfs", "cellStyleXfs":
			inCells = false
		case "xf":
			if inCells && len(b.formats) < 1<<16 {
				id, _ := strconv.Atoi(attr(e, "numFmtId"))
				code, ok := custom[id]
				if !ok {
					code = builtinFormats[id]
				}
				if len(code) > maxFormat {
					code = ""
				}
				b.formats = append(b.formats, code)
			}
		}
		return nil
	})
}

// sheet writes the rows of a sheet.
func (b *workbook) sheet(s sheet) error {
	w, err := b.archive.walk(s.part)
	if err != nil {
		return err
	}
	defer w.close()
	var hidden [maxColumns + 1]bool // columns
	var row passage
	last, column, secret := 0, 0, false
	for {
		token, err := w.next()
		if err != nil || token == nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "col":
				if v := attr(t, "hidden"); v == "1" || v == "true" {
					from, _ := strconv.Atoi(attr(t, "min"))
					to, _ := strconv.Atoi(attr(t, "max"))
					for i := max(0, from); i <= min(to, maxColumns); i++ {
						hidden[i] = true
					}
				}
			case "row":
				v := attr(t, "hidden")
				row, last, column, secret = passage{}, 0, 0, s.hidden || v == "1" || v == "true"
			case "c":
				column++
				if n := columnOf(attr(t, "r")); n > 0 {
					column = n
				}
				text, err := b.cell(w, t)
				if err != nil {
					return err
				}
				if text == "" {
					continue
				}
				if secret || column <= maxColumns && hidden[column] {
					b.w.doc.Hidden += len(text)
					continue
				}
				if last > 0 {
					for range max(1, min(column-last, maxTabs)) {
						row.add("\t")
					}
				}
				last = column
				row.add(text)
			}
		case xml.EndElement:
			if t.Name.Local == "row" {
				if err := b.w.block(extract.TableRow, 0, true, row); err != nil {
					return err
				}
				row = passage{}
			}
		}
	}
}

// columnOf returns the number of the column of a reference such as "AB12", from 1.
func columnOf(reference string) int {
	n := 0
	for i := 0; i < len(reference) && reference[i] >= 'A' && reference[i] <= 'Z'; i++ {
		if n = n*26 + int(reference[i]-'A') + 1; n > maxColumns {
			return 0
		}
	}
	return n
}

// cell returns what a cell shows, on one line.
func (b *workbook) cell(w *walker, e xml.StartElement) (string, error) {
	kind, styleID := attr(e, "t"), attr(e, "s")
	var value string
	for depth := w.depth; ; {
		token, err := w.next()
		if err != nil {
			return "", err
		}
		switch t := token.(type) {
		case nil:
			return "", nil
		case xml.StartElement:
			switch t.Name.Local {
			case "v":
				value, err = w.text()
			case "is":
				value, err = rich(w)
			default:
				err = w.skip()
			}
			if err != nil {
				return "", err
			}
		}
		if _, ok := token.(xml.EndElement); ok && w.depth < depth {
			break
		}
	}
	switch kind {
	case "s":
		i, err := strconv.Atoi(strings.TrimSpace(value))
		if err != nil || i < 0 || i >= len(b.strings) {
			return "", nil
		}
		value = b.strings[i]
	case "b":
		value = map[string]string{"1": "TRUE", "0": "FALSE"}[strings.TrimSpace(value)]
	case "", "n":
		format := ""
		if i, err := strconv.Atoi(styleID); err == nil && i >= 0 && i < len(b.formats) {
			format = b.formats[i]
		}
		value = formatNumber(strings.TrimSpace(value), format, b.date1904)
	}
	if len(value) > maxCell {
		value = strings.ToValidUTF8(value[:maxCell], "")
	}
	return strings.Join(strings.FieldsFunc(value, func(r rune) bool { return r == '\n' || r == '\r' || r == '\t' }), " "), nil
}

var errTooManyStrings = fmt.Errorf("%w: its shared strings take more than %d bytes", extract.ErrTooLarge, maxStrings)
