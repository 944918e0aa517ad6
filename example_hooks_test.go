package quarry_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
)

// A hook before a call denies it, for certain and not for probable. The model is told
// the reason, and the tool does not run.
func ExampleHook() {
	remove := quarry.NewTool(quarry.ToolSpec{Name: "delete_branch"}, func(_ context.Context, in struct {
		Branch string `json:"branch"`
	}) (string, error) {
		fmt.Println("deleting", in.Branch)
		return "Deleted.", nil
	})
	m := modeltest.NewScripted(
		modeltest.Call("delete_branch", `{"branch": "old"}`).Call("delete_branch", `{"branch": "main"}`),
		modeltest.Say("I have deleted old, and may not delete main."),
	)
	agent, err := quarry.New(quarry.Config{
		Hooks: []quarry.Hook{{
			Match: "delete_branch",
			Name:  "keep main",
			On:    quarry.PreToolUse,
			Run: func(_ context.Context, in *quarry.HookInput) (quarry.HookOutput, error) {
				if strings.Contains(string(in.Input), `"main"`) {
					return quarry.HookOutput{Decision: quarry.Deny, Reason: "main is never deleted"}, nil
				}
				return quarry.HookOutput{}, nil // no opinion
			},
		}},
		Model: m,
		Tools: []*quarry.Tool{remove},
	})
	if err != nil {
		log.Fatal(err)
	}
	result, err := agent.Run(context.Background(), quarry.Input{Prompt: "Delete all branches."})
	if err != nil {
		log.Fatal(err)
	}
	for _, told := range m.Requests()[1].Messages[2].Blocks {
		fmt.Println("told:", told.(*model.ToolResult).Content.Text())
	}
	fmt.Println(result.Text)
	// Output:
	// deleting old
	// told: Deleted.
	// told: this call was denied: main is never deleted. Do not try to get round that; go on without it, or say that it could not be done
	// I have deleted old, and may not delete main.
}

// A hook after a call replaces what the model is told of it, and adds to the
// conversation. The journal keeps the tool's own result.
func ExampleHook_replace() {
	customer := quarry.NewTool(quarry.ToolSpec{Name: "get_customer", Effect: quarry.ReadOnly}, func(context.Context, struct{}) (string, error) {
		return "Ada Lovelace, card 4111111111111111", nil
	})
	m := modeltest.NewScripted(
		modeltest.Call("get_customer", `{}`),
		modeltest.Say("It is Ada Lovelace."),
	)
	agent, err := quarry.New(quarry.Config{
		Hooks: []quarry.Hook{{
			Match: "get_customer",
			Name:  "hide cards",
			On:    quarry.PostToolUse,
			Run: func(_ context.Context, in *quarry.HookInput) (quarry.HookOutput, error) {
				hidden := strings.ReplaceAll(in.Answer.Content.Text(), "411111111111", "************")
				return quarry.HookOutput{Output: &hidden, Context: "Never name a card in full."}, nil
			},
		}},
		Model: m,
		Tools: []*quarry.Tool{customer},
	})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := agent.Run(context.Background(), quarry.Input{Prompt: "Who is it?"}); err != nil {
		log.Fatal(err)
	}
	told := m.Requests()[1].Messages[2].Blocks
	fmt.Println(told[0].(*model.ToolResult).Content.Text())
	fmt.Println(told[1].(*model.Text).Text)
	// Output:
	// Ada Lovelace, card ************1111
	// Never name a card in full.
}

// A hook at the end sends the model back to work, with what is still to do.
func ExampleHook_stop() {
	agent, err := quarry.New(quarry.Config{
		Hooks: []quarry.Hook{{
			Name: "sign",
			On:   quarry.Stop,
			Run: func(_ context.Context, in *quarry.HookInput) (quarry.HookOutput, error) {
				if strings.Contains(in.Text, "Yours") {
					return quarry.HookOutput{}, nil
				}
				return quarry.HookOutput{Decision: quarry.Deny, Reason: "the letter is not signed"}, nil
			},
		}},
		Model: modeltest.NewScripted(modeltest.Say("Dear Ada,"), modeltest.Say("Dear Ada, yes. Yours, Charles")),
	})
	if err != nil {
		log.Fatal(err)
	}
	result, err := agent.Run(context.Background(), quarry.Input{Prompt: "Write to Ada."})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Text)
	fmt.Println(result.Turns, "turns")
	// Output:
	// Dear Ada, yes. Yours, Charles
	// 2 turns
}
