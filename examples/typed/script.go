package main

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/quarry-sdk/quarry/examples/internal/play"
	"github.com/quarry-sdk/quarry/model/modeltest"
)

var (
	invoiceNumber = regexp.MustCompile(`invoice (\S*\d)`)
	invoiceLine   = regexp.MustCompile(`(?m)^- (\d+) x (.+) at ([\d.]+)$`)
	invoiceTotal  = regexp.MustCompile(`Total: ([\d.]+)`)
	invoiceDue    = regexp.MustCompile(`due on ([\d-]+)`)
)

// script plays the model where there is no key: a reader of mails of one form, who
// first writes the total as it stands in the mail, and is corrected.
func script(s *play.Scene) *modeltest.Turn {
	find := func(re *regexp.Regexp) string {
		if m := re.FindStringSubmatch(s.Prompt); m != nil {
			return m[1]
		}
		return ""
	}
	cents := func(amount string) int {
		n, _ := strconv.Atoi(strings.ReplaceAll(amount, ".", "")) // the patterns have digits there
		return n
	}
	if find(invoiceNumber) == "" {
		return modeltest.Say("I see no invoice here.")
	}
	answer := map[string]any{"number": find(invoiceNumber), "total_cents": find(invoiceTotal)}
	if due := find(invoiceDue); due != "" {
		answer["due"] = due
	}
	lines := []Line{}
	for _, m := range invoiceLine.FindAllStringSubmatch(s.Prompt, -1) {
		count, _ := strconv.Atoi(m[1])
		lines = append(lines, Line{m[2], count, cents(m[3])})
	}
	answer["lines"] = lines
	if s.Turn > 0 {
		answer["total_cents"] = cents(find(invoiceTotal))
	}
	return modeltest.Call("final_answer", answer)
}
