package hooks_test

import (
	"context"
	"fmt"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/toolbox/hooks"
)

// The model reads dates in one form. The journal keeps the tool's result.
func ExampleNormalizeDates() {
	dates, err := hooks.NormalizeDates(hooks.Dates{})
	if err != nil {
		fmt.Println(err)
		return
	}
	order := quarry.NewTool(quarry.ToolSpec{Name: "lookup_order", Effect: quarry.ReadOnly}, func(context.Context, struct{}) (string, error) {
		return `{"id": 1741176000, "created_at": 1741176000, "note": "Arrived on Mar 9, 2025."}`, nil
	})
	agent, err := quarry.New(quarry.Config{
		Hooks: []quarry.Hook{dates},
		Model: modeltest.NewScripted(
			modeltest.Call("lookup_order", struct{}{}),
			modeltest.Func(func(_ context.Context, req *model.Request) (*modeltest.Turn, error) {
				told := req.Messages[len(req.Messages)-1].Blocks[0].(*model.ToolResult)
				return modeltest.Say(told.Content.Text()), nil
			}),
		),
		Tools: []*quarry.Tool{order},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for ev, err := range agent.Stream(context.Background(), quarry.Input{Prompt: "Where is my order?"}) {
		switch {
		case err != nil:
			fmt.Println(err)
		case ev.Record != nil:
			if a, ok := ev.Record.Event.(*session.ToolAnswered); ok {
				fmt.Println("journal:", a.Content.Text())
			}
		case ev.Result != nil:
			fmt.Println("model:  ", ev.Result.Text)
		}
	}
	// Output:
	// journal: {"id": 1741176000, "created_at": 1741176000, "note": "Arrived on Mar 9, 2025."}
	// model:   {"id": 1741176000, "created_at": "2025-03-05T12:00:00Z", "note": "Arrived on 2025-03-09."}
}

// refund is the tool of the examples below.
var refund = quarry.NewTool(quarry.ToolSpec{Name: "refund"}, func(_ context.Context, in struct {
	Order  string  `json:"order"`
	Amount float64 `json:"amount"`
}) (string, error) {
	fmt.Printf("%s gets %.2f back\n", in.Order, in.Amount)
	return "done", nil
})

// A small refund is made. A large one waits for a person, in every mode.
func ExampleAskOver() {
	limit, err := hooks.AskOver(hooks.Over{Tool: "refund", Field: "amount", Limit: "500"})
	if err != nil {
		fmt.Println(err)
		return
	}
	agent, err := quarry.New(quarry.Config{
		Hooks: []quarry.Hook{limit},
		Model: modeltest.NewScripted(
			modeltest.Call("refund", `{"order": "A-1", "amount": 20}`).Call("refund", `{"order": "A-2", "amount": 500.01}`),
			modeltest.Say("Both are done."),
		),
		Park:  true, // nobody is at hand: the call waits in the journal
		Tools: []*quarry.Tool{refund},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	result, err := agent.Run(ctx, quarry.Input{Prompt: "Refund A-1 and A-2.", Session: "case-1"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, ask := range result.Pending {
		fmt.Println("waiting:", ask.Reason)
	}
	if err := agent.Answer(ctx, "case-1", "", quarry.Answer{Allow: true, By: "ada"}); err != nil {
		fmt.Println(err)
		return
	}
	if result, err = agent.Run(ctx, quarry.Input{Session: "case-1"}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Text)
	// Output:
	// A-1 gets 20.00 back
	// waiting: amount is 500.01, over the limit of 500
	// A-2 gets 500.01 back
	// Both are done.
}

// The model is told to hand a large refund over, and does.
func ExampleDenyOver() {
	limit, err := hooks.DenyOver(hooks.Over{Tool: "refund", Field: "amount", Limit: "500", Advice: "call escalate"})
	if err != nil {
		fmt.Println(err)
		return
	}
	escalate := quarry.NewTool(quarry.ToolSpec{Name: "escalate"}, func(_ context.Context, in struct {
		Case string `json:"case"`
	}) (string, error) {
		fmt.Println("to a person:", in.Case)
		return "noted", nil
	})
	agent, err := quarry.New(quarry.Config{
		Hooks: []quarry.Hook{limit},
		Model: modeltest.NewScripted(
			modeltest.Call("refund", `{"order": "A-2", "amount": 600}`),
			modeltest.Func(func(_ context.Context, req *model.Request) (*modeltest.Turn, error) {
				if modeltest.ToolResults(req) > 1 {
					return modeltest.Say("A person looks at it."), nil
				}
				told := req.Messages[len(req.Messages)-1].Blocks[0].(*model.ToolResult)
				fmt.Println("told:", told.Content.Text())
				return modeltest.Call("escalate", `{"case": "600 for A-2"}`), nil
			}),
		),
		Tools: []*quarry.Tool{escalate, refund},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := agent.Run(context.Background(), quarry.Input{Prompt: "Refund A-2."})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Text)
	// Output:
	// told: this call was denied: amount is 600, over the limit of 500; call escalate. Do not try to get round that; go on without it, or say that it could not be done
	// to a person: 600 for A-2
	// A person looks at it.
}
