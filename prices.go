package quarry

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
)

// Prices tells what models cost. Package model/prices has a table.
type Prices interface {
	// Cost is the price in USD of what one response of a model used; the model is
	// named PROVIDER/NAME. Where any part of it is not known, known is false.
	Cost(model string, usage *model.Usage) (usd float64, known bool)
}

// priceOf is the price of a response: that of the model that it names, or where it
// names none of the one that was asked. It is nil where that is not known.
func priceOf(p Prices, asked string, resp *model.Response) *session.Money {
	if p == nil {
		return nil
	}
	name := asked
	if provider, _, ok := strings.Cut(asked, "/"); ok && resp.Model != "" && resp.Model != asked {
		name = provider + "/" + resp.Model
	}
	usd, known := p.Cost(name, &resp.Usage)
	if !known {
		return nil
	}
	cost := session.USD(usd)
	return &cost
}

// priced tells whether the price of a model is known.
func priced(p Prices, name string) bool {
	if p == nil {
		return false
	}
	_, known := p.Cost(name, &model.Usage{InputTokens: 1, OutputTokens: 1})
	return known
}

// models names the models that the agent and its children may ask and whose
// price is not known.
func (a *Agent) unpriced(p Prices) []string {
	return a.unpricedBut(p, make(map[*Agent]bool))
}

// unpricedBut leaves out the agents that it has been at: an agent may send itself.
func (a *Agent) unpricedBut(p Prices, been map[*Agent]bool) (names []string) {
	if been[a] {
		return nil
	}
	been[a] = true
	p = cmp.Or(a.cfg.Prices, p)
	for i := range len(a.cfg.Fallbacks) + 1 {
		if name := a.model(i).Name(); !priced(p, name) {
			names = append(names, name)
		}
	}
	for _, t := range a.cfg.Tools {
		for _, child := range t.runs() {
			names = append(names, child.unpricedBut(p, been)...)
		}
	}
	return names
}

// limitMoney settles the limit of money: it holds only where each price is known.
// Set are the limits as they were given.
func (a *Agent) limitMoney(set *Limits) error {
	unknown := a.unpriced(nil)
	switch {
	case len(unknown) == 0:
		return nil
	case set.USD == 0 || set.Tokens > 0 && set.USD > 0:
		a.cfg.Limits.USD = Unlimited
		return nil
	case set.USD < 0:
		return nil
	case a.cfg.Prices == nil:
		return errors.New("Limits.USD is set and there are no prices; set Config.Prices, or Limits.Tokens instead")
	}
	return fmt.Errorf("Limits.USD is set and the price of %s is not known; add it to Config.Prices, or set Limits.Tokens", strings.Join(unknown, " and of "))
}
