// Command coordinator is an agent that divides a question among three others, which
// work at the same time. One of them does not come to its end; the coordinator is
// told so, and its report says what is known without it.
//
//	go run ./examples/coordinator
//	go run ./examples/coordinator "Is the bridge safe, and what will it cost?"
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/examples/internal/play"
)

const instructions = `You coordinate reports on the bridge of a small town.
Divide the question among your agents and send them all in one response: they see
nothing of this conversation, so each prompt has to say what you want to know and
how short. Do not use their tools yourself. Then write the report from what they
have found, in a line for each, and say plainly what is missing and why. Do not
send an agent again that could not finish.`

// agents are those that the coordinator may send. Each has the one tool that it
// needs, and limits of its own.
var agents = []quarry.AgentDefinition{
	{
		Name:         "historian",
		Description:  "Knows what was built and repaired. Send it for anything before this year.",
		Instructions: "You read the archive and answer in one sentence, with the years.",
		Tools:        []string{"read_archive"},
	},
	{
		Name:         "inspector",
		Description:  "Knows the state of the bridge today. Send it for anything that is measured.",
		Instructions: "You read each sensor that you are asked about and answer in one sentence, with the numbers.",
		Tools:        []string{"read_sensor"},
	},
	{
		Name:         "auditor",
		Description:  "Adds up what was spent, from the ledger. Send it for sums of money.",
		Instructions: "You turn the pages of the ledger from the first to the last, add up what was spent on the bridge, and answer in one sentence. Give no sum before you have seen the last page.",
		Limits:       quarry.Limits{Turns: 3}, // and the ledger has more pages than that
		Tools:        []string{"read_ledger"},
	},
}

func main() {
	question := strings.Join(os.Args[1:], " ")
	if question == "" {
		question = "How old is the bridge, how is it today, and what was spent on it so far?"
	}
	if err := run(context.Background(), question, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "coordinator:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, question string, out io.Writer) error {
	m, err := play.Model(os.Stderr, script)
	if err != nil {
		return err
	}
	agent, err := quarry.New(quarry.Config{
		Agents:       agents,
		Instructions: instructions,
		Model:        m,
		Name:         "coordinator",
		Tools:        tools(),
	})
	if err != nil {
		return err
	}

	// The journals of the three come in the same stream as the coordinator's, under
	// their own sessions.
	var result *quarry.Result
	var seen timeline
	for ev, err := range agent.Stream(ctx, quarry.Input{Prompt: question}) {
		if err != nil {
			return err
		}
		if ev.Record != nil {
			seen.add(ev.Session, ev.Record)
		}
		if ev.Result != nil {
			result = ev.Result
		}
	}
	fmt.Fprintf(out, "%s\n\n", result.Text)
	seen.print(out)
	if !result.OK() {
		return fmt.Errorf("the run ended as %s: %s", result.Subtype, result.Detail)
	}
	return nil
}
