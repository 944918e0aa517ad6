package cli

import (
	"cmp"
	"fmt"
	"net/http"
	"os"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/prices"
	"github.com/quarry-sdk/quarry/session"
)

// priceTable returns the built-in prices, with those of the file that the flag or
// the environment names put over them.
func (a *app) priceTable() (*prices.Table, error) {
	table := prices.Default()
	path := a.flags.prices
	if path == "" {
		path = os.Getenv("QUARRY_PRICES")
	}
	if path == "" {
		return table, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, usagef("read the prices: %w", err)
	}
	defer f.Close()
	over, err := prices.Load(f)
	if err != nil {
		return nil, usagef("read the prices of %s: %w", path, err)
	}
	return table.Merge(over), nil
}

// bill tells what a prompt cost. The sum is that of its result; the records of
// the session and of its children tell whether that is all. What an interrupted
// child used is in no sum, nor is anything in journals of earlier versions.
type bill struct {
	prices quarry.Prices
	// models are what each session asks by default, as PROVIDER/NAME, by its id.
	models map[string]string

	// The rest is of the open prompt: the models that were asked, how many calls
	// were answered, and how many have no outcome but may have been billed.
	asked          map[string]bool
	answered, lost int64
}

func newBill(p quarry.Prices) *bill {
	return &bill{prices: p, models: make(map[string]string), asked: make(map[string]bool)}
}

// record takes in a record of the session, or of a child.
func (b *bill) record(id string, rec *session.Record) {
	switch ev := rec.Event.(type) {
	case *session.Started:
		b.models[id] = ev.Model
	case *session.Reconfigured:
		b.models[id] = cmp.Or(ev.Model, b.models[id])
	case *session.ModelCalled:
		b.asked[cmp.Or(ev.Model, b.models[id])] = true
		b.lost++
	case *session.ModelAnswered:
		b.lost--
		b.answered++
	case *session.ModelFailed:
		if ev.Error.Status >= http.StatusBadRequest { // what is turned away is not billed
			b.lost--
		}
	}
}

// end returns what the prompt cost in USD, nil where that is not known, and goes
// on to the next prompt.
func (b *bill) end(spent *session.Spent) *float64 {
	whole := spent.Lost == 0 && b.lost <= 0 && spent.Turns >= b.answered
	if !whole {
		whole = b.free(spent)
	}
	b.asked, b.answered, b.lost = make(map[string]bool), 0, 0
	if spent.Unpriced > 0 || !whole {
		return nil
	}
	usd := spent.USD.USD()
	return &usd
}

// free tells whether all models that were asked cost nothing.
func (b *bill) free(spent *session.Spent) bool {
	names := make([]string, 0, len(b.asked)+len(spent.Agents))
	for name := range b.asked {
		names = append(names, name)
	}
	for i := range spent.Agents {
		names = append(names, spent.Agents[i].Model)
	}
	for _, name := range names {
		if usd, known := b.prices.Cost(name, &model.Usage{InputTokens: 1000, OutputTokens: 1000}); !known || usd != 0 {
			return false
		}
	}
	return true
}

// costText is a cost for people.
func costText(cost *float64) string {
	switch {
	case cost == nil:
		return "cost unknown"
	case *cost == 0:
		return "free"
	case *cost < 0.0001:
		return "below 0.0001 USD"
	}
	return fmt.Sprintf("%.4f USD", *cost)
}
