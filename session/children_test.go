package session_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/session"
)

func childAnswer(call *session.RunChild) session.Event {
	return &session.ToolAnswered{Turn: call.Called.Turn, Index: call.Called.Index, Name: call.Called.Name}
}

// What children do is shown on the goroutine that advances the parent, in their
// order, however much it is; a slow reader holds them up, and loses nothing.
func TestChildrenAreShown(t *testing.T) {
	t.Parallel()
	const n = 2000
	s := newStage(t, &scripted{steps: []string{"child1 child2"}})
	s.hands.child = func(_ context.Context, call *session.RunChild, observe session.Observer) (session.Event, error) {
		for i := range n {
			if !observe(session.Observation{Session: call.Called.Name, Record: &session.Record{Seq: int64(i + 1), Event: &session.Resumed{}}}) {
				t.Error("a child is told to stop by its observer")
			}
		}
		return childAnswer(call), nil
	}
	seen := map[string]int64{}
	if err := s.engine.Advance(t.Context(), s.live, func(o session.Observation) bool {
		if o.Session != "a" {
			if seen[o.Session]++; o.Record.Seq != seen[o.Session] {
				t.Fatalf("record %d of %s comes as number %d", o.Record.Seq, o.Session, seen[o.Session])
			}
		}
		return true
	}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int64{"child1": n, "child2": n}, seen); diff != "" {
		t.Errorf("wrong records were seen (-want +got):\n%s", diff)
	}
}

// Where the observer wants no more, children are stopped and waited for, longer
// than tools are, and nothing more is shown.
func TestChildrenAreWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, &scripted{steps: []string{"child slow"}})
		ended := false
		s.hands.child = func(ctx context.Context, call *session.RunChild, observe session.Observer) (session.Event, error) {
			for i := 0; ctx.Err() == nil; i++ { // more than there is room for
				observe(session.Observation{Session: "child", Record: &session.Record{Event: &session.Resumed{}}})
			}
			time.Sleep(time.Second) // its store is slow
			ended = true
			return nil, nil
		}
		free := make(chan struct{})
		s.hands.tools["slow"] = func(_ context.Context, call *session.CallTool) session.Event {
			<-free
			return answer(call)
		}
		shown := 0
		err := s.engine.Advance(t.Context(), s.live, func(o session.Observation) bool {
			if o.Session == "child" {
				shown++
			}
			return shown < 10
		})
		if !errors.Is(err, session.ErrStopped) || !ended || shown != 10 {
			t.Errorf("got %v; the child ended: %v; %d were shown", err, ended, shown)
		}
		var recs []session.Record
		for rec, err := range s.store.Load(t.Context(), "a", 0) {
			if err != nil {
				t.Fatal(err)
			}
			recs = append(recs, rec)
		}
		got, ok := recs[len(recs)-1].Event.(*session.Interrupted)
		want := &session.Interrupted{
			Reason:   session.ErrStopped.Error(),
			Canceled: []session.CallRef{{Turn: 1, Index: 0, Name: "child", Child: "child"}},
			Running:  []session.CallRef{{Turn: 1, Index: 1, Name: "slow"}},
		}
		if diff := cmp.Diff(want, got); !ok || diff != "" {
			t.Errorf("it was interrupted otherwise (-want +got):\n%s", diff)
		}
		close(free)
	})
}

// An error of a child ends the parent; outcomes that came with it are kept.
func TestChildError(t *testing.T) {
	t.Parallel()
	broken := errors.New("the child's store is broken")
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, &scripted{steps: []string{"child1 child2 read"}})
		s.hands.child = func(ctx context.Context, call *session.RunChild, _ session.Observer) (session.Event, error) {
			if call.Called.Name == "child1" {
				time.Sleep(time.Second)
				return nil, broken
			}
			<-ctx.Done()
			return nil, nil
		}
		if err := s.engine.Advance(t.Context(), s.live, listen); !errors.Is(err, broken) {
			t.Fatalf("got %v", err)
		}
		// It goes on when the store is mended.
		s.hands.child = nil
		if err := s.engine.Advance(t.Context(), s.live, listen); err != nil {
			t.Fatal(err)
		}
	})
}
