package quarry_test

import (
	"context"
	"testing"
	"time"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
)

// TestRenameAndFork leaves a run in the middle, forks it, renames both a day
// later, and goes on with each. Renaming changes nothing of the run, and the day
// is no time worked.
func TestRenameAndFork(t *testing.T) {
	t.Parallel()
	store := session.NewMemory()
	searched := 0
	search := quarry.NewTool(quarry.ToolSpec{Name: "search", Effect: quarry.ReadOnly}, func(_ context.Context, _ struct{}) (string, error) {
		searched++
		return "found", nil
	})
	agent, err := quarry.New(quarry.Config{
		Model: modeltest.NewScripted(modeltest.EachConversation(modeltest.Call("search", struct{}{}), modeltest.Say("Done."))),
		Store: store, Tools: []*quarry.Tool{search},
	})
	if err != nil {
		t.Fatal(err)
	}
	for ev, err := range agent.Stream(t.Context(), quarry.Input{Session: "a", Prompt: "Search."}) {
		if err != nil {
			t.Fatal(err)
		}
		if ev.Record != nil && ev.Record.Event.Kind() == session.KindToolAnswered {
			break
		}
	}
	at := int64(0)
	for rec, err := range store.Load(t.Context(), "a", 0) {
		if err != nil {
			t.Fatal(err)
		}
		if rec.Event.Kind() == session.KindToolAnswered {
			at = rec.Seq
		}
	}
	if err := store.Fork(t.Context(), "b", "a", at); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"a", "b"} {
		if err := session.Rename(t.Context(), store, id, "another title", time.Now().Add(24*time.Hour)); err != nil {
			t.Fatal(err)
		}
		result, err := agent.Run(t.Context(), quarry.Input{Session: id})
		if err != nil || !result.OK() || result.Text != "Done." || result.Session != id || result.Duration > time.Hour {
			t.Errorf("%s ends with %+v, %v", id, result, err)
		}
	}
	if searched != 1 {
		t.Errorf("the search was made %d times, want 1", searched)
	}
}
