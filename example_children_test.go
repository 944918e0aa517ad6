package quarry_test

import (
	"context"
	"fmt"
	"log"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
)

// A coordinator sends two agents in one response. They work at the same time; what
// they come to are the results of the calls, each with a handle.
func ExampleAgentDefinition() {
	answers := modeltest.Func(func(_ context.Context, req *model.Request) (*modeltest.Turn, error) {
		return modeltest.Say(req.System.Blocks.Text() + " about " + req.Messages[0].Blocks.Text() + "."), nil
	})
	type send struct {
		Agent  string `json:"agent"`
		Prompt string `json:"prompt"`
	}
	agent, err := quarry.New(quarry.Config{
		Name: "coordinator",
		Model: modeltest.NewScripted(
			modeltest.Call("Agent", send{"historian", "Florence"}).Call("Agent", send{"economist", "Florence"}),
			modeltest.Say("Both have reported."),
		),
		Agents: []quarry.AgentDefinition{{
			Name: "historian", Description: "Knows what was.", Instructions: "A story", Model: modeltest.NewScripted(answers),
		}, {
			Name: "economist", Description: "Knows what it costs.", Instructions: "A figure", Model: modeltest.NewScripted(answers),
		}},
	})
	if err != nil {
		log.Fatal(err)
	}
	var result *quarry.Result
	for ev, err := range agent.Stream(context.Background(), quarry.Input{Prompt: "Report on Florence.", Session: "report"}) {
		if err != nil {
			log.Fatal(err)
		}
		if ev.Record != nil && ev.Session == "report" {
			if answered, ok := ev.Record.Event.(*session.ToolAnswered); ok && answered.Index == 0 {
				fmt.Println(answered.Content.Text())
			}
		}
		result = ev.Result
	}
	fmt.Println(result.Text, result.Spent.Children, "children")
	// Output:
	// A story about Florence.[Quarry: this is the result of the agent historian. Its handle is report-1-0; give that as "continue" to ask it more.]
	// Both have reported. 2 children
}

// An agent hands two questions to readers, which work at the same time, each on a
// session of its own.
func ExampleAgentTool() {
	reader, err := quarry.New(quarry.Config{
		Name: "reader",
		Model: modeltest.NewScripted(modeltest.Func(func(_ context.Context, req *model.Request) (*modeltest.Turn, error) {
			return modeltest.Say("I have read " + req.Messages[0].Blocks.Text() + "."), nil
		})),
	})
	if err != nil {
		log.Fatal(err)
	}
	boss, err := quarry.New(quarry.Config{
		Name: "boss",
		Model: modeltest.NewScripted(
			modeltest.Call("reader", map[string]string{"prompt": "page 1"}).Call("reader", map[string]string{"prompt": "page 2"}),
			modeltest.Say("Both pages are read."),
		),
		Tools: []*quarry.Tool{quarry.AgentTool(quarry.ToolSpec{
			Name:        "reader",
			Description: "Reads a page. It sees nothing of this conversation.",
		}, reader)},
	})
	if err != nil {
		log.Fatal(err)
	}
	result, err := boss.Run(context.Background(), quarry.Input{Prompt: "Read both pages."})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Text)
	fmt.Println("turns of the tree:", result.Spent.Turns)
	for _, row := range result.Spent.Agents {
		fmt.Println(row.Agent, row.Turns)
	}
	// Output:
	// Both pages are read.
	// turns of the tree: 4
	// boss 2
	// reader 2
}
