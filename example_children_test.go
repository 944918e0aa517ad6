package quarry_test

import (
	"context"
	"fmt"
	"log"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
)

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
