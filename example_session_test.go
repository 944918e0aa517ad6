package quarry_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session/sqlite"
)

// A run is left in the middle, as by a crash, and another agent on the same
// store goes on. What was searched is not searched again.
func Example_session() {
	dir, err := os.MkdirTemp("", "quarry")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	store, err := sqlite.Open(ctx, sqlite.Config{Path: filepath.Join(dir, "quarry.db")})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()

	search := quarry.NewTool(quarry.ToolSpec{Name: "search", Effect: quarry.ReadOnly}, func(_ context.Context, in struct {
		Query string `json:"query"`
	}) (string, error) {
		fmt.Println("searching for", in.Query)
		return "PostgreSQL listens on port 5432.", nil
	})
	newAgent := func() (*quarry.Agent, error) {
		return quarry.New(quarry.Config{
			Model: modeltest.NewScripted(modeltest.EachConversation(
				modeltest.Call("search", map[string]string{"query": "default port"}),
				modeltest.Say("It is 5432."),
				modeltest.Say("You asked for the default port."),
			)),
			Store: store,
			Tools: []*quarry.Tool{search},
		})
	}

	first, err := newAgent()
	if err != nil {
		fmt.Println(err)
		return
	}
	for ev, err := range first.Stream(ctx, quarry.Input{Prompt: "What is the default port?", Session: "ports"}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		if ev.Record != nil && ev.Record.Event.Kind() == "tool_answered" {
			fmt.Println("leaving")
			break
		}
	}

	second, err := newAgent()
	if err != nil {
		fmt.Println(err)
		return
	}
	resumed, err := second.Run(ctx, quarry.Input{Session: "ports"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resumed.Text)

	// A further prompt goes on with the conversation.
	more, err := second.Run(ctx, quarry.Input{Session: "ports", Prompt: "What did I ask?"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(more.Text)
	// Output:
	// searching for default port
	// leaving
	// It is 5432.
	// You asked for the default port.
}
