package quarry_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
)

// A run that needs a person ends, and costs nothing until somebody answers: in the
// same process or in another one with the same store. Then the session goes on.
func ExampleAgent_Answer() {
	pay := quarry.NewTool(quarry.ToolSpec{Name: "pay", NeedsApproval: true}, func(_ context.Context, in struct {
		Euros int    `json:"euros"`
		To    string `json:"to"`
	}) (string, error) {
		fmt.Printf("paying %d € to %s\n", in.Euros, in.To)
		return "Paid.", nil
	})
	agent, err := quarry.New(quarry.Config{
		Model: modeltest.NewScripted(
			modeltest.Call("pay", `{"euros": 120, "to": "the printer"}`),
			modeltest.Say("The bill is paid."),
		),
		Park:  true,
		Tools: []*quarry.Tool{pay},
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	result, err := agent.Run(ctx, quarry.Input{Prompt: "Pay the printer's bill.", Session: "bill-7"})
	if err != nil {
		log.Fatal(err)
	}
	call := result.Pending[0]
	fmt.Printf("%s: %s %s\n", result.Subtype, call.Name, call.Input)

	yes := quarry.Answer{Allow: true, By: "ada"}
	if err := agent.Answer(ctx, "bill-7", call.ID, yes); err != nil {
		log.Fatal(err)
	}
	// An answer counts once.
	fmt.Println(errors.Is(agent.Answer(ctx, "bill-7", call.ID, yes), quarry.ErrNotPending))

	result, err = agent.Run(ctx, quarry.Input{Session: "bill-7"}) // no prompt: go on
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Text)
	// Output:
	// waiting: pay {"euros":120,"to":"the printer"}
	// true
	// paying 120 € to the printer
	// The bill is paid.
}

// A person who is at hand is asked while the run waits. This one changes what is
// paid, and the call runs with that.
func ExampleApproval() {
	pay := quarry.NewTool(quarry.ToolSpec{Name: "pay", NeedsApproval: true}, func(_ context.Context, in struct {
		Euros int `json:"euros"`
	}) (string, error) {
		fmt.Printf("paying %d €\n", in.Euros)
		return "Paid.", nil
	})
	agent, err := quarry.New(quarry.Config{
		Approver: func(_ context.Context, ask quarry.Approval) (quarry.Answer, error) {
			fmt.Printf("%s wants to call %s %s: %s\n", ask.Agent, ask.Name, ask.Input, ask.Reason)
			return quarry.Answer{Allow: true, Input: []byte(`{"euros": 100}`), By: "terminal"}, nil
		},
		Model: modeltest.NewScripted(modeltest.Call("pay", `{"euros": 120}`), modeltest.Say("The bill is paid.")),
		Name:  "clerk",
		Tools: []*quarry.Tool{pay},
	})
	if err != nil {
		log.Fatal(err)
	}
	result, err := agent.Run(context.Background(), quarry.Input{Prompt: "Pay the bill."})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Text)
	// Output:
	// clerk wants to call pay {"euros":120}: the tool always needs an approval
	// paying 100 €
	// The bill is paid.
}

// The model asks the person, and is told the answer as the call's result.
func ExampleAskUser() {
	m := modeltest.NewScripted(
		modeltest.Call(quarry.AskUserName, `{"question": "Which city?", "choices": ["Florence", "Rome"]}`),
		modeltest.Say("It is sunny in Florence."),
	)
	agent, err := quarry.New(quarry.Config{
		Approver: func(_ context.Context, ask quarry.Approval) (quarry.Answer, error) {
			if !ask.Question { // the call asks for leave
				return quarry.Answer{Note: "not without a reason"}, nil
			}
			fmt.Println("asked:", string(ask.Input))
			return quarry.Answer{Text: "Florence", By: "terminal"}, nil
		},
		Model: m,
		Tools: []*quarry.Tool{quarry.AskUser()},
	})
	if err != nil {
		log.Fatal(err)
	}
	result, err := agent.Run(context.Background(), quarry.Input{Prompt: "How is the weather?"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("told:", m.Requests()[1].Messages[2].Blocks[0].(*model.ToolResult).Content.Text())
	fmt.Println(result.Text)
	// Output:
	// asked: {"question":"Which city?","choices":["Florence","Rome"]}
	// told: Florence
	// It is sunny in Florence.
}

// The function of a tool asks before it acts. It is called again when the person
// has answered.
func ExampleCall_Ask() {
	book := quarry.NewTool(quarry.ToolSpec{Name: "book", Description: "Books a seat."}, func(ctx context.Context, _ struct{}) (string, error) {
		call, _ := quarry.CallFrom(ctx)
		seat, err := call.Ask(quarry.Question{Text: "Which seat?", Choices: []string{"aisle", "window"}})
		if err != nil {
			return "", err
		}
		if seat.Declined {
			return "not booked", nil
		}
		return "booked: " + seat.Text, nil
	})
	agent, err := quarry.New(quarry.Config{
		Model: modeltest.NewScripted(modeltest.CallID("b1", "book", nil), modeltest.Say("You sit by the window.")),
		Park:  true,
		Tools: []*quarry.Tool{book},
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	result, err := agent.Run(ctx, quarry.Input{Prompt: "Book me a seat.", Session: "trip"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Subtype, string(result.Pending[0].Input))
	if err := agent.Answer(ctx, "trip", "b1", quarry.Answer{Text: "window"}); err != nil {
		log.Fatal(err)
	}
	if result, err = agent.Run(ctx, quarry.Input{Session: "trip"}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Text)
	// Output:
	// waiting {"question":"Which seat?","choices":["aisle","window"]}
	// You sit by the window.
}
