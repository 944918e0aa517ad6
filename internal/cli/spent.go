package cli

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/quarry-sdk/quarry/session"
)

// writeAttribution prints who has spent what, where there is more than one agent.
func writeAttribution(w io.Writer, spent *session.Spent) error {
	names := make(map[string]bool)
	for i := range spent.Agents {
		names[spent.Agents[i].Agent] = true
	}
	if len(names) < 2 {
		return nil
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\nagent\tmodel\tturns\tin\tout\tcost")
	for i := range spent.Agents {
		row := &spent.Agents[i]
		cost := "unknown"
		if row.Unpriced == 0 {
			cost = money(row.USD)
		}
		u := &row.Usage
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\t%s\n", line(row.Agent, 20), line(row.Model, 40), row.Turns,
			tokens(u.InputTokens+u.CacheReadTokens+u.CacheWriteTokens), tokens(u.OutputTokens), cost)
	}
	fmt.Fprintln(table, "\ntool\tcalls\terrors\tcost")
	for i := range spent.Tools {
		row := &spent.Tools[i]
		cost := "-"
		if row.USD != 0 {
			cost = money(row.USD)
		}
		fmt.Fprintf(table, "%s\t%d\t%d\t%s\n", line(row.Tool, 20), row.Calls, row.Errors, cost)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	return nil
}

// money is an amount for people.
func money(m session.Money) string {
	usd := m.USD()
	return costText(&usd)
}
