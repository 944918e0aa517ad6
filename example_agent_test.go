package quarry_test

import (
	"context"
	"fmt"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model/modeltest"
)

// An agent with one tool. The model is a scripted one; a real one comes from
// model/anthropic and needs no other change.
func Example() {
	weather := quarry.NewTool(quarry.ToolSpec{
		Name:        "weather",
		Description: "Tells the weather in a city. Use it for today only.",
		Effect:      quarry.ReadOnly,
	}, func(_ context.Context, in struct {
		City string `json:"city" jsonschema:"the city's name"`
	}) (string, error) {
		return "Rain in " + in.City + ", 14 °C.", nil
	})

	agent, err := quarry.New(quarry.Config{
		Instructions: "Answer in one sentence.",
		Model: modeltest.NewScripted(
			modeltest.Call("weather", map[string]string{"city": "Florence"}),
			modeltest.Say("Yes: it rains in Florence."),
		),
		Tools: []*quarry.Tool{weather},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := agent.Run(context.Background(), quarry.Input{Prompt: "Do I need an umbrella in Florence?"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Text)
	fmt.Println(result.Subtype, result.Turns, "turns,", result.ToolCalls, "tool call")
	// Output:
	// Yes: it rains in Florence.
	// success 2 turns, 1 tool call
}

// A run that a limit ends is a result that says so, and no error.
func ExampleLimits() {
	poll := quarry.NewTool(quarry.ToolSpec{Name: "poll", Effect: quarry.ReadOnly}, func(_ context.Context, in struct {
		Page int `json:"page"`
	}) (string, error) {
		return fmt.Sprintf("page %d of many", in.Page), nil
	})
	agent, err := quarry.New(quarry.Config{
		Limits: quarry.Limits{Turns: 2},
		Model: modeltest.NewScripted(
			modeltest.Call("poll", map[string]int{"page": 1}),
			modeltest.Call("poll", map[string]int{"page": 2}),
		),
		Tools: []*quarry.Tool{poll},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := agent.Run(context.Background(), quarry.Input{Prompt: "Read all pages."})
	fmt.Println(err)
	fmt.Println(result.Subtype, result.Reason)
	fmt.Println(result.Detail)
	// Output:
	// <nil>
	// limit max_turns
	// the model was asked 2 times, which is the limit of turns; raise Limits.Turns
}
