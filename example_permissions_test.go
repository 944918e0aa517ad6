package quarry_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
)

// Rules decide which calls run. The journal says of each by which one, and what the
// stages before it said.
func ExamplePermissions() {
	write := quarry.NewTool(quarry.ToolSpec{
		Name:  "write_file",
		Scope: quarry.Scope{Kind: quarry.ScopePath, Field: "path"},
	}, func(_ context.Context, in struct {
		Path string `json:"path"`
	}) (string, error) {
		return "Written.", nil
	})
	agent, err := quarry.New(quarry.Config{
		Model: modeltest.NewScripted(
			modeltest.Call("write_file", `{"path": "drafts/plan.md"}`).
				Call("write_file", `{"path": "drafts/secret/keys.md"}`).
				Call("write_file", `{"path": "README.md"}`),
			modeltest.Say("One of three is written."),
		),
		Permissions: &quarry.Permissions{
			Allow: []string{"write_file(drafts/**)"},
			Deny:  []string{"write_file(secret/)"},
			Mode:  quarry.ModeDontAsk, // nobody is there to be asked
		},
		Tools: []*quarry.Tool{write},
	})
	if err != nil {
		log.Fatal(err)
	}
	decisions := make([]*quarry.Decision, 3)
	for ev, err := range agent.Stream(context.Background(), quarry.Input{Prompt: "Write three files."}) {
		if err != nil {
			log.Fatal(err)
		}
		if ev.Record == nil {
			continue
		}
		switch e := ev.Record.Event.(type) {
		case *session.ToolCalled: // it runs
			decisions[e.Index] = e.Decision
		case *session.ToolAnswered:
			if e.Refused {
				decisions[e.Index] = e.Decision
			}
		}
	}
	for _, d := range decisions {
		fmt.Printf("%s: %s\n", d.Behavior, d.Reason)
		fmt.Println("  " + strings.Join(d.Trace, "; "))
	}
	// Output:
	// allow: the rule write_file(drafts/**) allows it
	//   hook: nothing; deny: no rule; ask: no rule; mode: dontAsk; allow: allow by write_file(drafts/**)
	// deny: the rule write_file(secret/) denies it
	//   hook: nothing; deny: deny by write_file(secret/)
	// deny: no rule allows it, and the mode dontAsk denies what would be asked for
	//   hook: nothing; deny: no rule; ask: no rule; mode: dontAsk; allow: no rule; person: ask; person: deny by dontAsk
}
