package quarry_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
)

// Booking is what the tool of the example takes and returns.
type Booking struct {
	Name  string `json:"name" jsonschema:"who comes"`
	Seats int    `json:"seats" jsonschema:"how many, 1 to 8"`
	Note  string `json:"note,omitempty"`
}

// Arguments are checked before the tool runs. The model is told what is wrong,
// and mends its call.
func ExampleNewTool() {
	book := quarry.NewTool(quarry.ToolSpec{
		Name:        "book",
		Description: "Books a table for tonight.",
	}, func(_ context.Context, in Booking) (string, error) {
		if in.Seats > 8 {
			return "", fmt.Errorf("no table has %d seats; book two tables of up to 8", in.Seats)
		}
		return "Booked.", nil
	})

	// This model prints what it is told about its last call.
	told := func(next *modeltest.Turn) *modeltest.Turn {
		asked := false
		return modeltest.Func(func(_ context.Context, req *model.Request) (*modeltest.Turn, error) {
			if asked {
				return nil, nil
			}
			asked = true
			last := req.Messages[len(req.Messages)-1].Blocks[0].(*model.ToolResult)
			fmt.Println(last.Content.Text())
			return next, nil
		})
	}
	agent, err := quarry.New(quarry.Config{
		Model: modeltest.NewScripted(
			modeltest.Call("book", `{"name": "Ada"}`),
			told(modeltest.Call("book", `{"name": "Ada", "seats": "4"}`)),
			told(modeltest.Call("book", `{"name": "Ada", "seats": 12}`)),
			told(modeltest.Call("book", `{"name": "Ada", "seats": 8}`)),
			told(modeltest.Say("Your table is booked.")),
		),
		Tools: []*quarry.Tool{book},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := agent.Run(context.Background(), quarry.Input{Prompt: "A table for us, please."})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Text)
	// Output:
	// "seats" is missing (integer: how many, 1 to 8); add it
	// "seats" must be an integer; it is a string "4"
	// no table has 12 seats; book two tables of up to 8
	// Booked.
	// Your table is booked.
}

// The schema is derived from the type.
func ExampleTool_InputSchema() {
	book := quarry.NewTool(quarry.ToolSpec{Name: "book"}, func(_ context.Context, in Booking) (Booking, error) { return in, nil })
	var schema struct {
		Required   []string
		Properties map[string]struct{ Type, Description string }
	}
	if err := json.Unmarshal(book.InputSchema(), &schema); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("required:", schema.Required)
	for _, field := range []string{"name", "seats", "note"} {
		p := schema.Properties[field]
		fmt.Printf("%s: %s %q\n", field, p.Type, p.Description)
	}
	// Output:
	// required: [name seats]
	// name: string "who comes"
	// seats: integer "how many, 1 to 8"
	// note: string ""
}

// A tool that writes to the outside world hands its idempotency key on, so that
// a call which a crash has cut off can be made again.
func ExampleCallFrom() {
	pay := quarry.NewTool(quarry.ToolSpec{Name: "pay", Idempotent: true}, func(ctx context.Context, in struct {
		Cents int `json:"cents"`
	}) (string, error) {
		call, _ := quarry.CallFrom(ctx)
		return fmt.Sprintf("paid %d with key %s", in.Cents, call.Key), nil
	})
	agent, err := quarry.New(quarry.Config{
		Model: modeltest.NewScripted(modeltest.Call("pay", map[string]int{"cents": 250}), modeltest.Say("Paid.")),
		Tools: []*quarry.Tool{pay},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	in := quarry.Input{Prompt: "Pay 2.50.", Session: "order-7"}
	for ev := range agent.Stream(context.Background(), in) {
		if ev.Record == nil {
			continue
		}
		if answered, ok := ev.Record.Event.(*session.ToolAnswered); ok {
			fmt.Println(answered.Content.Text())
		}
	}
	// Output:
	// paid 250 with key order-7/1.0
}
