package cli

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"os"
	"strings"

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

// meter adds up what the model calls of a prompt cost, from the session's
// records. Each response has the price of the model that it names.
type meter struct {
	table *prices.Table
	// model is the agent's model, asked the one that the last call went to: it or a
	// fallback, as PROVIDER/NAME.
	model, asked string

	usd     float64
	unknown bool
	// calling tells that a call is in flight, or that its outcome is lost.
	calling bool
}

// newMeter makes a meter for a model that is asked. Before are the records of a
// session that is resumed.
func (a *app) newMeter(modelName string, before []session.Record) (*meter, error) {
	table, err := a.priceTable()
	if err != nil {
		return nil, err
	}
	m := &meter{table: table, model: modelName}
	for i := range before {
		m.record(&before[i])
	}
	m.model = modelName
	return m, nil
}

func (m *meter) record(rec *session.Record) {
	switch ev := rec.Event.(type) {
	case *session.Started:
		m.model = ev.Model
	case *session.Prompted:
		m.usd, m.unknown, m.calling = 0, false, false
	case *session.ModelCalled:
		if m.calling {
			m.lose()
		}
		m.calling = true
		m.asked = cmp.Or(ev.Model, m.model)
	case *session.ModelAnswered:
		m.calling = false
		m.answered(ev.Response)
	case *session.ModelFailed:
		m.calling = false
		if ev.Error.Status < http.StatusBadRequest { // what is turned away is not billed
			m.lose()
		}
	}
}

func (m *meter) answered(resp *model.Response) {
	name := m.asked
	if resp.Model != "" {
		name = resp.Model
		if provider, _, ok := strings.Cut(m.asked, "/"); ok {
			name = provider + "/" + resp.Model
		}
	}
	price, _ := m.table.Find(name)
	usd, known := price.Cost(&resp.Usage)
	m.usd += usd
	m.unknown = m.unknown || !known
}

// lose counts a call that may have been billed and whose usage nobody knows: it
// is free where everything is.
func (m *meter) lose() {
	price, _ := m.table.Find(m.asked)
	in, inKnown := price.Input.USD()
	out, outKnown := price.Output.USD()
	if !inKnown || !outKnown || in != 0 || out != 0 {
		m.unknown = true
	}
}

// cost is the price of the prompt so far in USD; nil where it is not known.
func (m *meter) cost() *float64 {
	if m.calling {
		m.calling = false
		m.lose()
	}
	if m.unknown {
		return nil
	}
	usd := math.Round(m.usd*1e12) / 1e12 // without the dust of adding floats
	return &usd
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
