package extract

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxCells is the number of cells that a row may have; it is that of Excel.
const maxCells = 16_384

// readCSV reads a table of separated values. Each record is a row whose cells are
// separated by tabs; white space inside of a cell is squeezed.
func (r *Reader) readCSV(ctx context.Context, src string, _ Hint) (*Document, error) {
	table := csv.NewReader(strings.NewReader(src))
	table.Comma = separator(src)
	for line := range strings.Lines(src) {
		if strings.Count(line, string(table.Comma)) >= maxCells {
			return nil, fmt.Errorf("%w: a row has more than %d cells", ErrTooLarge, maxCells)
		}
	}
	table.FieldsPerRecord = -1
	table.LazyQuotes = true
	table.ReuseRecord = true
	b := &builder{limit: r.options.MaxText, kind: blockKind{kind: TableRow, main: true}}
	for {
		record, err := table.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, errors.Join(ErrDamaged, err)
		}
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		b.startRow()
		for i, cell := range record {
			if i > 0 {
				b.cell()
			}
			b.text(cell)
		}
		b.endRow()
		if b.full {
			break
		}
	}
	return b.finish(), nil
}

// separator returns the character that separates the cells of a table: of tab, comma,
// semicolon and bar the one that is found outside of quotes most evenly in the first
// lines.
func separator(src string) rune {
	best, bestScore := ',', 0.0
	for _, sep := range "\t,;|" {
		least, most, lines := 1<<30, 0, 0
		quoted := false
		n := 0
		for _, c := range cutText(src, 16<<10) {
			switch {
			case c == '"':
				quoted = !quoted
			case c == sep && !quoted:
				n++
			case c == '\n' && !quoted:
				least, most, n = min(least, n), max(most, n), 0
				lines++
			}
		}
		if lines == 0 {
			least, most = n, n
		}
		if score := float64(least) / float64(most+1) * (1 + float64(least)/100); least > 0 && score > bestScore {
			best, bestScore = sep, score
		}
	}
	return best
}
