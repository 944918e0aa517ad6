package files_test

import (
	"testing"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
)

// TestNotToldOfOwnChanges: what a session changed itself is no news to it.
func TestNotToldOfOwnChanges(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"a": "one\n", "b": "one\n"})
	b.run(read("a"), edit("a", "one", "two"), read("b"), write("b", "two\n"), write("c", "new\n"), read("c"))
	agent, err := quarry.New(quarry.Config{Model: modeltest.NewScripted(modeltest.Say("ok")), Store: b.store, Tools: b.ws.Tools()})
	if err != nil {
		t.Fatal(err)
	}
	for ev, err := range agent.Stream(t.Context(), quarry.Input{Prompt: "And now?", Session: "s"}) {
		if err != nil {
			t.Fatal(err)
		}
		if ev.Record != nil {
			if c, ok := ev.Record.Event.(*session.Changed); ok {
				t.Errorf("it is told of %v", c.Sources)
			}
		}
	}
}
