package cli

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/quarry-sdk/quarry/model/prices"
)

func (a *app) modelsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "models",
		Short: "List the models known, their limits and prices",
		Long: `Models lists the models whose limits or prices are known, and where that is from.
A model that is not listed can be used all the same; what it costs is unknown.

Prices are USD per million tokens. Quarry never looks them up: each row says when
its source was last known to say so. --prices FILE, or QUARRY_PRICES, puts a table
of your own over the one that is built in.`,
		Example: "  quarry models\n  quarry models --prices my-prices.tsv --json",
		Args:    exactly(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			table, err := a.priceTable()
			if err != nil {
				return err
			}
			if a.flags.machine() {
				return a.printJSON(map[string]any{"models": table.Rows(), "aliases": aliases})
			}
			return a.printModels(table.Rows())
		},
	}
}

func (a *app) printModels(rows []prices.Price) error {
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "context\tmax output\tinput\toutput\tcache read\twrite 5m\twrite 1h\tsearch\tas of\tsource\t  model")
	var sources []string
	number := make(map[string]int)
	for _, p := range rows {
		if number[p.Source] == 0 {
			sources = append(sources, p.Source)
			number[p.Source] = len(sources)
		}
		limit := ""
		if p.PromptLimit > 0 {
			limit = fmt.Sprintf(" (prompts up to %s)", tokens(p.PromptLimit))
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t[%d]\t  %s%s\n", limitText(p.ContextWindow), limitText(p.MaxOutput),
			p.Input, p.Output, p.CacheRead, p.CacheWrite5m, p.CacheWrite1h, p.Search1k,
			orDash(p.AsOf), number[p.Source], clean(strings.Join(p.Names, ", ")), limit)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write the models: %w", err)
	}
	fmt.Fprintln(a.stdout, "\nInput to write 1h: USD per million tokens. Search: USD per 1,000 searches of the provider. -: not known.")
	fmt.Fprintln(a.stdout, aliasText())
	for i, s := range sources {
		fmt.Fprintf(a.stdout, "[%d] %s\n", i+1, clean(s))
	}
	return nil
}

func limitText(n int64) string {
	if n == 0 {
		return "-"
	}
	return strconv.FormatInt(n, 10)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
