package quarry_test

import (
	"context"
	"fmt"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
)

// A stream shows the answer as it is written, and what tools are called with and
// come to. The result is the last event, whatever happens.
func ExampleAgent_Stream() {
	add := quarry.NewTool(quarry.ToolSpec{Name: "add", Effect: quarry.ReadOnly}, func(_ context.Context, in struct {
		A int `json:"a"`
		B int `json:"b"`
	}) (int, error) {
		return in.A + in.B, nil
	})
	agent, err := quarry.New(quarry.Config{
		Model: modeltest.NewScripted(
			modeltest.Call("add", map[string]int{"a": 19, "b": 23}),
			modeltest.Say("The sum of both is 42."),
		),
		Tools: []*quarry.Tool{add},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for ev, err := range agent.Stream(context.Background(), quarry.Input{Prompt: "What is 19 + 23?"}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch {
		case ev.Delta != nil && ev.Delta.Kind == model.EventText:
			fmt.Printf("text    %q\n", ev.Delta.Text)
		case ev.Record != nil:
			switch e := ev.Record.Event.(type) {
			case *session.ToolCalled:
				fmt.Println("call   ", e.Name)
			case *session.ToolAnswered:
				fmt.Println("result ", e.Content.Text())
			}
		case ev.Result != nil:
			fmt.Println("end    ", ev.Result.Subtype)
		}
	}
	// Output:
	// call    add
	// result  42
	// text    "The sum of b"
	// text    "oth is 42."
	// end     success
}
