package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/quarry-sdk/quarry"
)

// bank is the outside world: a file with a line for each payment, which stays when the
// process dies.
type bank struct {
	dir string
	out io.Writer
	// crashAfter is the payment of this process after which it dies; 0 for none.
	crashAfter, made int
}

type bill struct {
	To    string `json:"to"`
	Euros int    `json:"euros"`
}

func (b *bank) tools() []*quarry.Tool {
	return []*quarry.Tool{
		quarry.NewTool(quarry.ToolSpec{
			Name:        "open_bills",
			Description: "Lists the bills that are to be paid.",
			Effect:      quarry.ReadOnly,
		}, b.openBills),
		// Idempotent lets a call that was cut off be made again. The tool keeps that
		// promise with the call's key, which is the same in both processes. Without it
		// the call would not be repeated, and the model told that nobody knows.
		quarry.NewTool(quarry.ToolSpec{
			Name:        "pay",
			Description: "Pays one bill.",
			Idempotent:  true,
		}, b.pay),
	}
}

func (b *bank) openBills(context.Context, struct{}) ([]bill, error) {
	fmt.Fprintln(b.out, "  reads the bills")
	return []bill{{"the baker", 20}, {"the printer", 120}, {"the carrier", 45}}, nil
}

func (b *bank) pay(ctx context.Context, in bill) (string, error) {
	call, _ := quarry.CallFrom(ctx) // a tool that is called has one
	paid, err := b.statement()
	if err != nil {
		return "", err
	}
	if strings.Contains(paid, call.Key+" ") {
		fmt.Fprintf(b.out, "  finds that %s was paid already\n", in.To)
		return "paid " + in.To, nil
	}
	f, err := os.OpenFile(b.path(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	_, err = fmt.Fprintf(f, "  %s %d euros to %s\n", call.Key, in.Euros, in.To)
	if err := errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	fmt.Fprintf(b.out, "  pays %s\n", in.To)
	if b.made++; b.made == b.crashAfter {
		fmt.Fprintln(b.out, "  dies")
		os.Exit(crashed)
	}
	return "paid " + in.To, nil
}

func (b *bank) path() string { return filepath.Join(b.dir, "statement.txt") }

// statement returns all payments.
func (b *bank) statement() (string, error) {
	data, err := os.ReadFile(b.path())
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return string(data), err
}
