package prices

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// maxLine is the longest line of a file in bytes.
const maxLine = 1 << 20

// FieldError says what is wrong with a price file and where.
type FieldError struct {
	Line int
	// Field is the column's name, empty where the whole line is meant.
	Field string
	Err   error
}

// Error implements error.
func (e *FieldError) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("line %d: %v", e.Line, e.Err)
	}
	return fmt.Sprintf("line %d, %s: %v", e.Line, e.Field, e.Err)
}

// Unwrap returns the error of the field.
func (e *FieldError) Unwrap() error { return e.Err }

// Load reads a price file: UTF-8 text whose columns are separated by one tab.
// Its first line names the columns, in any order; only names and source must be
// among them. Each other line is a model. Empty lines and lines that begin with
// # are skipped. The columns are the fields of [Price] by their JSON names, with
// blanks between names, and "-" where something is not known.
//
// What is wrong with a file is a [*FieldError].
func Load(r io.Reader) (*Table, error) {
	var (
		t       = &Table{byName: make(map[string]int)}
		columns []string
		lines   = bufio.NewScanner(r)
		n       int
	)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		n++
		text := strings.TrimSuffix(lines.Text(), "\r")
		if n == 1 {
			text = strings.TrimPrefix(text, "\ufeff")
		}
		if strings.TrimSpace(text) == "" || strings.HasPrefix(text, "#") {
			continue
		}
		cells := strings.Split(text, "\t")
		if columns == nil {
			if err := checkColumns(cells); err != nil {
				return nil, &FieldError{Line: n, Err: err}
			}
			columns = cells
			continue
		}
		p, field, err := parseRow(columns, cells)
		if err == nil {
			field, err = "names", t.checkNames(p.Names)
		}
		if err != nil {
			return nil, &FieldError{n, field, err}
		}
		t.add(p)
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, &FieldError{Line: n + 1, Err: fmt.Errorf("it has more than %d bytes", maxLine)}
	} else if err != nil {
		return nil, err
	}
	if columns == nil {
		return nil, &FieldError{Line: max(n, 1), Err: errors.New("there is no line that names the columns")}
	}
	return t, nil
}

func checkColumns(cells []string) error {
	seen := make(map[string]bool)
	for _, c := range cells {
		if new(Price).cell(c) == nil {
			return fmt.Errorf("there is no column %q; the first line names the columns, with one tab between them", c)
		}
		if seen[c] {
			return fmt.Errorf("the column %s is there twice", c)
		}
		seen[c] = true
	}
	for _, c := range []string{"names", "source"} {
		if !seen[c] {
			return fmt.Errorf("there is no column %s", c)
		}
	}
	return nil
}

// parseRow reads a line; field is the column that err is about.
func parseRow(columns, cells []string) (p Price, field string, err error) {
	if len(cells) != len(columns) {
		return p, "", fmt.Errorf("it has %d columns, and the first line has %d; separate them by one tab each", len(cells), len(columns))
	}
	for i, c := range columns {
		if err := p.cell(c)(cells[i]); err != nil {
			return p, c, err
		}
	}
	return p, "", nil
}

// cell returns what reads a column into p; nil where there is no such column.
func (p *Price) cell(column string) func(string) error {
	switch column {
	case "names":
		return func(s string) error {
			p.Names = strings.Fields(s)
			return nil
		}
	case "input":
		return p.Input.parse
	case "output":
		return p.Output.parse
	case "cache_read":
		return p.CacheRead.parse
	case "cache_write_5m":
		return p.CacheWrite5m.parse
	case "cache_write_1h":
		return p.CacheWrite1h.parse
	case "search_1k":
		return p.Search1k.parse
	case "fetch_1k":
		return p.Fetch1k.parse
	case "prompt_limit":
		return parseTokens(&p.PromptLimit)
	case "context_window":
		return parseTokens(&p.ContextWindow)
	case "max_output":
		return parseTokens(&p.MaxOutput)
	case "as_of":
		return p.parseAsOf
	case "source":
		return p.parseSource
	}
	return nil
}

func (r *Rate) parse(s string) (err error) {
	*r, err = ParseRate(s)
	return err
}

func parseTokens(n *int64) func(string) error {
	return func(s string) (err error) {
		if s == unknown {
			return nil
		}
		if *n, err = strconv.ParseInt(s, 10, 64); err != nil || *n < 1 {
			return fmt.Errorf("%q is no number of tokens; write one such as 200000, or - for unknown", s)
		}
		return nil
	}
}

func (p *Price) parseAsOf(s string) error {
	if s == unknown {
		return nil
	}
	for _, layout := range []string{time.DateOnly, "2006-01", "2006"} {
		if _, err := time.Parse(layout, s); err == nil {
			p.AsOf = s
			return nil
		}
	}
	return fmt.Errorf("%q is no day, month or year; write 2026-09-30, 2026-09 or 2026", s)
}

func (p *Price) parseSource(s string) error {
	if strings.TrimSpace(s) == "" || s == unknown {
		return errors.New("it is empty; say where the prices are from")
	}
	p.Source = s
	return nil
}

// checkNames tells what is wrong with the names of a new row.
func (t *Table) checkNames(names []string) error {
	if len(names) == 0 {
		return errors.New("it is empty; name the model as PROVIDER/NAME")
	}
	seen := make(map[string]bool)
	for _, name := range names {
		if _, taken := t.byName[name]; taken || seen[name] {
			return fmt.Errorf("%q is there twice", name)
		}
		seen[name] = true
		if strings.ContainsFunc(name, unicode.IsControl) {
			return fmt.Errorf("%q has a control character", name)
		}
		if provider, rest, ok := strings.Cut(name, "/"); ok && (provider == "" || rest == "") || name == unknown {
			return fmt.Errorf("%q is no name of a model; write PROVIDER/NAME", name)
		}
		if at := strings.Index(name, datePart); at >= 0 && (at != len(name)-len(datePart) || at == 0 || name[at-1] != '-') {
			return fmt.Errorf("%q has %s not at its end behind a hyphen", name, datePart)
		}
	}
	return nil
}
