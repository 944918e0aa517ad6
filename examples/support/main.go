// Command support is an agent for the customers of a small shop. It looks up
// customers and orders and gives money back. Refunds over 100 euros are decided by a
// person: not because the prompt says so, but because a hook does.
//
//	go run ./examples/support
//	go run ./examples/support "ada@example.org here. My order 1001 came broken."
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/examples/internal/play"
	"github.com/quarry-sdk/quarry/toolbox/hooks"
)

const instructions = `You work for a shop and answer its customers.
Look up the customer and the orders before you decide. Refund what arrived broken
or never arrived, in full, one call for each order. Say what you have done and
what a person still has to decide.`

func main() {
	message := strings.Join(os.Args[1:], " ")
	if message == "" {
		message = "Ada here, ada@example.org. The lamp of order 1001 came broken, and the desk of 1002 never came. I want my money back."
	}
	if err := run(context.Background(), message, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "support:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, message string, out io.Writer) error {
	m, err := play.Model(os.Stderr, script)
	if err != nil {
		return err
	}

	// The shop's two systems write dates as they like; the model reads one form.
	dates, err := hooks.NormalizeDates(hooks.Dates{Match: "get_customer|lookup_order"})
	if err != nil {
		return err
	}
	// The limit holds whatever the model was talked into. The shop itself sees to it
	// that nobody splits a refund: an order is refunded once.
	limit, err := hooks.AskOver(hooks.Over{Tool: "refund", Field: "amount", Limit: "100"})
	if err != nil {
		return err
	}

	shop := newShop()
	agent, err := quarry.New(quarry.Config{
		Hooks:        []quarry.Hook{dates, limit},
		Instructions: instructions,
		Model:        m,
		Name:         "support",
		Park:         true, // what a person has to decide waits, and the run ends
		Tools:        shop.tools(),
	})
	if err != nil {
		return err
	}
	result, err := agent.Run(ctx, quarry.Input{Prompt: message})
	if err != nil {
		return err
	}

	fmt.Fprintf(out, "The agent says: %s\n", result.Text)
	for _, r := range shop.refunds {
		fmt.Fprintf(out, "Refunded: %s euros for order %s (%s)\n", r.Amount, r.OrderID, r.Reason)
	}
	for _, call := range result.Pending {
		fmt.Fprintf(out, "Waits for a person: %s %s, because %s\n", call.Name, call.Input, call.Reason)
	}
	if !result.OK() && result.Subtype != quarry.Waiting {
		return fmt.Errorf("the run ended as %s: %s", result.Subtype, result.Detail)
	}
	return nil
}
