package cli

import (
	"cmp"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/session"
)

// contextJSON is the result of sessions show --context --json.
type contextJSON struct {
	Session string `json:"session"`
	quarry.ContextUse
	// Percent is the part of the window that is used; null where that is not known.
	Percent *float64 `json:"percent"`
}

// showContext prints what the next request of a session is made of.
func (a *app) showContext(info *session.Info, recs []session.Record) error {
	use, err := quarry.Breakdown(recs)
	if err != nil {
		return fmt.Errorf("the context of session %s: %w", info.ID, err)
	}
	table, err := a.priceTable()
	if err != nil {
		return err
	}
	known, _ := table.Find(info.Model)
	use.Window = cmp.Or(use.Window, known.ContextWindow)
	out := contextJSON{Session: info.ID, ContextUse: *use}
	if use.Window > 0 {
		percent := percentOf(use.Total, use.Window)
		out.Percent = &percent
	}
	if a.flags.machine() {
		return a.printJSON(out)
	}
	of := ""
	if out.Percent != nil {
		of = fmt.Sprintf(" of %d, %.1f %%", use.Window, *out.Percent)
	}
	fmt.Fprintf(a.stdout, "The next request has about %d tokens%s.\n", use.Total, of)
	if n := use.Compactions; n > 0 {
		fmt.Fprintf(a.stdout, "The conversation was made shorter %s.\n", plural(n, "time"))
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\nblocks\ttokens\tshare\t  part")
	row := func(blocks string, tokens int64, part string) {
		fmt.Fprintf(w, "%s\t%d\t%.1f %%\t  %s\n", blocks, tokens, percentOf(tokens, use.Total), part)
	}
	row("-", use.System, "system prompt")
	row("-", use.Tools, "tool list")
	for _, k := range use.Kinds {
		row(itoa(k.Blocks), k.Tokens, strings.ReplaceAll(k.Kind, "_", " "))
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	return nil
}

// percentOf is n as a percentage of all, to one digit behind the point.
func percentOf(n, all int64) float64 {
	if all == 0 {
		return 0
	}
	return float64(1000*n/all) / 10
}
