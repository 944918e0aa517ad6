// Package prices knows what models cost and how much they take: a table that is
// built in, and tables of your own that replace what it says.
//
//	table := prices.Default()
//	usd, known := table.Cost("anthropic/"+resp.Model, &resp.Usage)
//	agent, err := quarry.New(quarry.Config{Model: m, Prices: table})
//
// A price that the table does not have is unknown; it is never zero and never
// that of a model with a similar name. Each row tells where it is from and when
// that was last known to be so: prices change, and this package never looks them
// up. What it computes is the list price; discounts, taxes and the prices of
// gateways are not in it.
package prices
