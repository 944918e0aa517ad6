// Command typed reads an invoice out of a mail into a Go struct. The model's answer is
// checked against a schema that is derived from the type, and asked for again where it
// does not fit; what no schema can say, the program checks itself.
//
//	go run ./examples/typed
//	go run ./examples/typed mail.txt
package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/examples/internal/play"
)

// Invoice is what the program wants to know. The tags are what the model reads about
// each field.
type Invoice struct {
	Number string `json:"number"`
	Due    string `json:"due,omitempty" jsonschema:"the day it is due, as 2025-03-05"`
	Lines  []Line `json:"lines"`
	Cents  int    `json:"total_cents" jsonschema:"the total in cents, as the mail has it"`
}

// Line is one thing that is charged.
type Line struct {
	What  string `json:"what"`
	Count int    `json:"count"`
	Cents int    `json:"cents_each"`
}

//go:embed mail.txt
var mail string

func main() {
	text := mail
	if len(os.Args) > 1 {
		data, err := os.ReadFile(os.Args[1])
		if err != nil {
			fmt.Fprintln(os.Stderr, "typed:", err)
			os.Exit(1)
		}
		text = string(data)
	}
	if err := run(context.Background(), text, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "typed:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, mail string, out io.Writer) error {
	m, err := play.Model(os.Stderr, script)
	if err != nil {
		return err
	}
	agent, err := quarry.New(quarry.Config{Model: m})
	if err != nil {
		return err
	}
	invoice, result, err := quarry.RunTyped[Invoice](ctx, agent, quarry.Input{Prompt: "Read the invoice in this mail:\n\n" + mail})
	var none *quarry.OutputError
	if errors.As(err, &none) {
		return fmt.Errorf("there is no invoice in it (%s): %s", none.Result.Subtype, none.Result.Text)
	}
	if err != nil {
		return err
	}
	for _, attempt := range result.Trail {
		fmt.Fprintf(out, "Refused an answer: %s\n", attempt.Problem)
	}

	// From here on it is plain Go.
	sum := 0
	for _, l := range invoice.Lines {
		fmt.Fprintf(out, "%4d x %-20s %8.2f\n", l.Count, l.What, float64(l.Count*l.Cents)/100)
		sum += l.Count * l.Cents
	}
	fmt.Fprintf(out, "Invoice %s, due %s: %.2f\n", invoice.Number, invoice.Due, float64(invoice.Cents)/100)
	if sum != invoice.Cents {
		return fmt.Errorf("the lines of invoice %s come to %.2f; do not pay it yet", invoice.Number, float64(sum)/100)
	}
	return nil
}
