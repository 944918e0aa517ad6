package session_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
)

// renaming is a store in which somebody renames the session just before each of
// the first appends that go on with it, as often as renames says.
type renaming struct {
	session.Store
	renames []int
}

func (r *renaming) Append(ctx context.Context, id string, after int64, recs []session.Record) error {
	if after > 0 && len(r.renames) > 0 {
		for range r.renames[0] {
			if err := session.Rename(ctx, r.Store, id, "another", time.Now()); err != nil {
				return err
			}
		}
		r.renames = r.renames[1:]
	}
	return r.Store.Append(ctx, id, after, recs)
}

// TestRenameWhileWorkedOn renames a session under a process that works on it: it
// goes on, and what it shows is what is in the journal.
func TestRenameWhileWorkedOn(t *testing.T) {
	t.Parallel()
	inner := session.NewMemory()
	store := &renaming{inner, []int{1, 2, 0, 1}}
	m := &scripted{steps: []string{"model", "model"}}
	live, err := session.Create(t.Context(), store, "a", m, time.Now(), &session.Started{Machine: "scripted"})
	if err != nil {
		t.Fatal(err)
	}
	var shown []int64
	observe := func(o session.Observation) bool {
		if o.Record != nil {
			shown = append(shown, o.Record.Seq)
		}
		return true
	}
	engine := &session.Engine{Hands: &hands{diary: &diary{}}}
	if err := engine.Submit(t.Context(), live, &session.Prompted{Message: model.UserText("go")}, observe); err != nil {
		t.Fatal(err)
	}
	if err := engine.Advance(t.Context(), live, observe); err != nil {
		t.Fatal(err)
	}
	var others []int64
	renamed := 0
	for _, rec := range journalOf(t, inner, "a")[1:] {
		if rec.Event.Kind() == session.KindRenamed {
			renamed++
			continue
		}
		others = append(others, rec.Seq)
	}
	if renamed != 4 || !slices.Equal(others, shown) {
		t.Errorf("it was renamed %d times; shown are the records %v, in the journal are %v", renamed, shown, others)
	}
	// Anything else that somebody appends is a conflict still.
	last := live.Last()
	for i, ev := range []session.Event{&session.Renamed{Title: "x"}, &session.Interrupted{Reason: "rival"}} {
		at := last + 1 + int64(i)
		if err := inner.Append(t.Context(), "a", at-1, []session.Record{{Seq: at, Time: time.Now(), Event: ev}}); err != nil {
			t.Fatal(err)
		}
	}
	err = engine.Submit(t.Context(), live, &session.Prompted{Message: model.UserText("go")}, observe)
	if !errors.Is(err, session.ErrConflict) {
		t.Errorf("after a rival's record: %v, want a conflict", err)
	}
}
