package prices

import (
	_ "embed"
	"slices"
	"strings"
	"time"

	"github.com/quarry-sdk/quarry/model"
)

//go:embed prices.tsv
var builtIn string

// Table is a price table. It is not changed once it is made, so any number of
// goroutines may use it.
type Table struct {
	rows   []Price
	byName map[string]int
}

// Default returns the table that is built in.
func Default() *Table {
	t, err := Load(strings.NewReader(builtIn))
	if err != nil {
		panic("prices: the table that is built in: " + err.Error()) // its test reads it
	}
	return t
}

// datePart stands for a date in a name.
const datePart = "DATE"

// Find returns the price of a model, named PROVIDER/NAME as a response names it.
// A row is meant by the names that it lists and by no other: claude-sonnet-4 does
// not find claude-sonnet-4-5, nor does a dated name find the row without a date,
// unless the row lists it, or lists a name that ends in DATE, as in
// claude-sonnet-4-5-DATE, which stands for a date as 20250929 or 2025-09-29.
func (t *Table) Find(name string) (Price, bool) {
	i, ok := t.index(name)
	if !ok {
		return Price{}, false
	}
	p := t.rows[i]
	p.Names = slices.Clone(p.Names)
	return p, true
}

// Cost is the list price in USD of what one response of a model used, as
// [Price.Cost] has it. It is not known for a model that the table does not have.
// With it a Table is what quarry.Config.Prices takes.
func (t *Table) Cost(name string, usage *model.Usage) (usd float64, known bool) {
	i, ok := t.index(name)
	if !ok {
		return 0, false
	}
	return t.rows[i].Cost(usage)
}

// index is the row of a model.
func (t *Table) index(name string) (int, bool) {
	i, ok := t.byName[name]
	if !ok {
		i, ok = t.byName[undated(name)]
	}
	return i, ok
}

// undated puts DATE for the date at the end of a name; "" where there is none.
func undated(name string) string {
	for _, layout := range []string{"20060102", time.DateOnly} {
		at := len(name) - len(layout)
		if at < 1 || name[at-1] != '-' {
			continue
		}
		if _, err := time.Parse(layout, name[at:]); err == nil {
			return name[:at] + datePart
		}
	}
	return ""
}

// Rows returns all rows, in the order of the files.
func (t *Table) Rows() []Price {
	rows := slices.Clone(t.rows)
	for i := range rows {
		rows[i].Names = slices.Clone(rows[i].Names)
	}
	return rows
}

// Merge returns a table in which the rows of over come first and replace those
// of t. A row that has the own, first name of a row of t replaces it for all its
// names; one that has another of its names replaces it for this name only.
// Nothing is kept of a row that is replaced: what over leaves out is unknown.
func (t *Table) Merge(over *Table) *Table {
	merged := &Table{byName: make(map[string]int)}
	for _, p := range over.Rows() {
		for _, old := range t.rows {
			if !slices.Contains(p.Names, old.Names[0]) {
				continue
			}
			for _, name := range old.Names {
				if _, taken := over.index(name); !taken {
					p.Names = append(p.Names, name)
				}
			}
		}
		merged.add(p)
	}
	for _, p := range t.Rows() {
		p.Names = slices.DeleteFunc(p.Names, func(name string) bool {
			_, taken := merged.index(name)
			return taken
		})
		if len(p.Names) > 0 {
			merged.add(p)
		}
	}
	return merged
}

func (t *Table) add(p Price) {
	for _, name := range p.Names {
		t.byName[name] = len(t.rows)
	}
	t.rows = append(t.rows, p)
}
