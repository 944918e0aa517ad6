package session_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
)

// wantLines checks what the store and the hands did since the last look.
func (s *stage) wantLines(t *testing.T, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, s.take()); diff != "" {
		t.Errorf("what was done differs (-want +got):\n%s", diff)
	}
}

func TestOutcomesAndIntentsShareAnAppend(t *testing.T) {
	t.Parallel()
	s := newStage(t, &scripted{steps: []string{"model", "read", "model"}})
	if err := s.engine.Advance(t.Context(), s.live, listen); err != nil {
		t.Fatal(err)
	}
	s.wantLines(t,
		"durable: model_called",
		"perform: model 1",
		"durable: model_answered, tool_called read",
		"perform: read 1",
		"durable: tool_answered read, model_called",
		"perform: model 1",
		"durable: model_answered, ended",
	)
	// Done is done.
	if err := s.engine.Advance(t.Context(), s.live, listen); err != nil {
		t.Fatal(err)
	}
	s.wantLines(t)
	// The next prompt begins without more ado.
	s.prompt(t)
	if err := s.engine.Advance(t.Context(), s.live, listen); err != nil {
		t.Fatal(err)
	}
	if lines := s.take(); len(lines) != 8 || lines[0] != "durable: prompted" || lines[1] != "durable: model_called" {
		t.Errorf("the second prompt: %q", lines)
	}
}

func TestEffectsRunInParallel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, &scripted{steps: []string{"a b c"}})
		// Each waits until all of them run.
		here, all := make(chan struct{}), make(chan struct{})
		for _, name := range []string{"a", "b", "c"} {
			s.hands.tools[name] = func(_ context.Context, call *session.CallTool) session.Event {
				here <- struct{}{}
				<-all
				return answer(call)
			}
		}
		go func() {
			for range 3 {
				<-here
			}
			close(all)
		}()
		if err := s.engine.Advance(t.Context(), s.live, listen); err != nil {
			t.Fatal(err)
		}
		lines := s.take()
		if lines[0] != "durable: tool_called a, tool_called b, tool_called c" {
			t.Errorf("the first append is not that of all intents: %q", lines[0])
		}
		slices.Sort(lines[1:4])
		if diff := cmp.Diff([]string{"perform: a 1", "perform: b 1", "perform: c 1"}, lines[1:4]); diff != "" {
			t.Error(diff)
		}
		if last := lines[len(lines)-1]; !strings.HasSuffix(last, ", ended") {
			t.Errorf("the end does not share the append of the last outcome: %q", last)
		}
	})
}

// TestFastOutcomesDoNotWait checks that an outcome is durable while another
// effect of the same step is still under way.
func TestFastOutcomesDoNotWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, &scripted{steps: []string{"slow fast"}})
		s.hands.tools["slow"] = func(_ context.Context, call *session.CallTool) session.Event {
			time.Sleep(time.Minute)
			return answer(call)
		}
		done := make(chan error)
		go func() { done <- s.engine.Advance(t.Context(), s.live, listen) }()
		synctest.Wait()
		if lines := s.take(); !slices.Contains(lines, "durable: tool_answered fast") {
			t.Errorf("while the slow tool runs: %q", lines)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
		s.wantLines(t, "durable: tool_answered slow, ended")
	})
}

// TestOutcomesThatArriveTogetherShareAnAppend lets two tools end while the
// observer is busy.
func TestOutcomesThatArriveTogetherShareAnAppend(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, &scripted{steps: []string{"a b c"}})
		for name, after := range map[string]time.Duration{"b": time.Second, "c": 2 * time.Second} {
			s.hands.tools[name] = func(_ context.Context, call *session.CallTool) session.Event {
				time.Sleep(after)
				return answer(call)
			}
		}
		err := s.engine.Advance(t.Context(), s.live, func(o session.Observation) bool {
			if o.Record.Event.Kind() == session.KindToolAnswered {
				time.Sleep(time.Minute)
			}
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
		lines := slices.DeleteFunc(s.take(), func(line string) bool { return !strings.HasPrefix(line, "durable: tool_answered") })
		if diff := cmp.Diff([]string{"durable: tool_answered a", "durable: tool_answered b, tool_answered c, ended"}, lines); diff != "" {
			t.Errorf("the appends of outcomes differ (-want +got):\n%s", diff)
		}
	})
}

func TestInterruption(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, &scripted{steps: []string{"deaf kind quiet", "model"}})
		release := make(chan struct{})
		s.hands.tools["deaf"] = func(_ context.Context, call *session.CallTool) session.Event {
			<-release
			return answer(call)
		}
		s.hands.tools["kind"] = func(ctx context.Context, call *session.CallTool) session.Event {
			<-ctx.Done()
			time.Sleep(10 * time.Millisecond) // it has something to put away
			return answer(call)
		}
		s.hands.tools["quiet"] = func(ctx context.Context, _ *session.CallTool) session.Event {
			<-ctx.Done()
			return nil
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		cause := errors.New("the user pressed a key")
		time.AfterFunc(time.Hour, func() { cancel(cause) })
		begin := time.Now()
		if err := s.engine.Advance(ctx, s.live, listen); err != cause {
			t.Errorf("Advance: %v, want the cause", err)
		}
		if took := time.Since(begin) - time.Hour; took < 0 || took > 100*time.Millisecond {
			t.Errorf("Advance returned %v after the interruption", took)
		}
		lines := s.take()
		if last := lines[len(lines)-1]; last != "durable: tool_answered kind, interrupted" {
			t.Errorf("the last append is %q", last)
		}
		recs := journal(t, s.store)
		if got := recs[len(recs)-1].Event.(*session.Interrupted).Reason; got != cause.Error() {
			t.Errorf("the reason is %q", got)
		}

		// What the deaf tool does now is not heard of.
		close(release)
		synctest.Wait()
		s.wantLines(t)

		// Going on repeats what has no outcome, and that alone.
		delete(s.hands.tools, "deaf")
		delete(s.hands.tools, "quiet")
		if err := s.engine.Advance(t.Context(), s.live, listen); err != nil {
			t.Fatal(err)
		}
		lines = s.take()
		if lines[0] != "durable: resumed, tool_called deaf, tool_called quiet" {
			t.Errorf("going on begins with %q", lines[0])
		}
		for _, want := range []string{"perform: deaf 2", "perform: quiet 2"} {
			if !slices.Contains(lines, want) {
				t.Errorf("%q is not in %q", want, lines)
			}
		}
		if slices.Contains(lines, "perform: kind 2") {
			t.Error("a tool whose outcome is in the journal was run again")
		}
	})
}

// TestInterruptedBeforeItBegan checks that no intent is journaled of an effect
// that is not started.
func TestInterruptedBeforeItBegan(t *testing.T) {
	t.Parallel()
	s := newStage(t, &scripted{steps: []string{"a"}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.engine.Advance(ctx, s.live, listen); !errors.Is(err, context.Canceled) {
		t.Errorf("Advance: %v", err)
	}
	s.wantLines(t, "durable: interrupted")
	if err := s.engine.Advance(t.Context(), s.live, listen); err != nil {
		t.Fatal(err)
	}
	s.wantLines(t, "durable: resumed, tool_called a", "perform: a 1", "durable: tool_answered a, ended")
}

// TestEndBeatsInterruption checks that a session whose last outcome came in
// time is done, not interrupted.
func TestEndBeatsInterruption(t *testing.T) {
	t.Parallel()
	s := newStage(t, &scripted{steps: []string{"model"}})
	ctx, cancel := context.WithCancel(t.Context())
	s.hands.model = func(_ context.Context, call *session.CallModel, _ func(model.Event) bool) session.Event {
		cancel()
		return modelAnswer(call)
	}
	if err := s.engine.Advance(ctx, s.live, listen); err != nil {
		t.Errorf("Advance: %v", err)
	}
	s.wantLines(t, "durable: model_called", "perform: model 1", "durable: model_answered, ended")
}

func TestDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, &scripted{steps: []string{"deaf kind", "model"}, limit: time.Minute})
		release := make(chan struct{})
		defer close(release)
		s.hands.tools["deaf"] = func(_ context.Context, call *session.CallTool) session.Event {
			<-release
			return answer(call)
		}
		s.hands.tools["kind"] = func(ctx context.Context, call *session.CallTool) session.Event {
			<-ctx.Done()
			return answer(call)
		}
		begin := time.Now()
		if err := s.engine.Advance(t.Context(), s.live, listen); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin) - time.Minute; took < 0 || took > 100*time.Millisecond {
			t.Errorf("Advance returned %v after the deadline", took)
		}
		lines := s.take()
		if last := lines[len(lines)-1]; last != "durable: tool_answered kind, expired, ended" {
			t.Errorf("the last append is %q", last)
		}
	})
}

func TestDeadlineOfAModelCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, &scripted{steps: []string{"model"}, limit: time.Minute})
		s.hands.model = func(ctx context.Context, _ *session.CallModel, _ func(model.Event) bool) session.Event {
			<-ctx.Done()
			return nil
		}
		if err := s.engine.Advance(t.Context(), s.live, listen); err != nil {
			t.Fatal(err)
		}
		s.wantLines(t, "durable: model_called", "perform: model 1", "durable: expired, ended")
	})
}

// TestConflict lets two processes have one session: the one whose append comes
// second performs nothing more.
func TestConflict(t *testing.T) {
	t.Parallel()
	s := newStage(t, &scripted{steps: []string{"a", "b"}})
	slow := s.load(t, "a", "b")
	if err := s.engine.Advance(t.Context(), s.live, listen); err != nil {
		t.Fatal(err)
	}
	s.take()
	for range 2 { // and it does not try again
		if err := s.engine.Advance(t.Context(), slow, listen); err == nil {
			t.Error("the second process has advanced")
		}
	}
	s.wantLines(t)
	if err := s.engine.Advance(t.Context(), s.load(t, "a", "b"), listen); err != nil {
		t.Errorf("loaded again: %v", err)
	}
}

func TestConflictMidway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, &scripted{steps: []string{"a slow", "c"}})
		s.hands.tools["a"] = func(_ context.Context, call *session.CallTool) session.Event {
			// Meanwhile another process takes over.
			last := s.live.Last()
			err := s.store.Append(t.Context(), "a", last, []session.Record{{Seq: last + 1, Time: time.Now(), Event: &session.Resumed{}}})
			if err != nil {
				t.Error(err)
			}
			return answer(call)
		}
		s.hands.tools["slow"] = func(ctx context.Context, _ *session.CallTool) session.Event {
			<-ctx.Done()
			s.write("canceled: slow")
			return nil
		}
		var shown []string
		err := s.engine.Advance(t.Context(), s.live, func(o session.Observation) bool {
			shown = append(shown, o.Record.Event.Kind())
			return true
		})
		if !errors.Is(err, session.ErrConflict) {
			t.Fatalf("Advance: %v, want a conflict", err)
		}
		lines := s.take()
		slices.Sort(lines[1:4])
		want := []string{"durable: tool_called a, tool_called slow", "durable: resumed", "perform: a 1", "perform: slow 1", "canceled: slow"}
		if diff := cmp.Diff(want, lines); diff != "" {
			t.Errorf("what was done differs; the tool under way must be waited for (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"tool_called", "tool_called"}, shown); diff != "" {
			t.Errorf("what is not durable was shown (-want +got):\n%s", diff)
		}
	})
}

func TestFailingStore(t *testing.T) {
	t.Parallel()
	broken := errors.New("the disk is full")
	for name, steps := range map[string][]string{"at the end": {"a"}, "midway": {"a", "b"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, &scripted{steps: steps})
			s.hands.tools["a"] = func(_ context.Context, call *session.CallTool) session.Event {
				s.store.broken = broken
				return answer(call)
			}
			if err := s.engine.Advance(t.Context(), s.live, listen); !errors.Is(err, broken) {
				t.Errorf("Advance: %v, want the store's error", err)
			}
			s.store.broken = nil
			s.take()
			// The machine is ahead of the journal: nothing more may be done with it,
			// even where it is done.
			stale := "load it again"
			if err := s.engine.Advance(t.Context(), s.live, listen); err == nil || !strings.Contains(err.Error(), stale) {
				t.Errorf("Advance of a stale session: %v", err)
			}
			if err := s.engine.Submit(t.Context(), s.live, &session.Prompted{Message: model.UserText("More.")}, listen); err == nil || !strings.Contains(err.Error(), stale) {
				t.Errorf("Submit to a stale session: %v", err)
			}
			s.wantLines(t)
			delete(s.hands.tools, "a")
			if err := s.engine.Advance(t.Context(), s.load(t, steps...), listen); err != nil {
				t.Error(err)
			}
			if lines := s.take(); lines[0] != "durable: resumed, tool_called a" || lines[1] != "perform: a 2" {
				t.Errorf("loaded again: %q", lines)
			}
		})
	}
}

func TestObserverStops(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		observe func(o session.Observation) bool
		want    []string
	}{
		{"at a record", func(o session.Observation) bool {
			return o.Record == nil || o.Record.Event.Kind() != session.KindModelAnswered
		}, []string{
			"durable: model_called", "perform: model 1", "durable: model_answered, tool_called a", "durable: interrupted",
		}},
		{"at a piece", func(o session.Observation) bool { return o.Delta == nil }, []string{
			"durable: model_called", "perform: model 1", "durable: interrupted",
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, &scripted{steps: []string{"model", "a"}})
			s.hands.model = func(_ context.Context, call *session.CallModel, emit func(model.Event) bool) session.Event {
				if !emit(model.Event{Kind: model.EventText, Text: "Hel"}) {
					return nil
				}
				return modelAnswer(call)
			}
			after := 0
			stopped := false
			err := s.engine.Advance(t.Context(), s.live, func(o session.Observation) bool {
				if stopped {
					after++
				}
				stopped = !tc.observe(o)
				return !stopped
			})
			if err != session.ErrStopped {
				t.Errorf("Advance: %v, want ErrStopped", err)
			}
			if after > 0 {
				t.Errorf("the observer was called %d times after it had stopped", after)
			}
			s.wantLines(t, tc.want...)
			if err := s.engine.Advance(t.Context(), s.live, listen); err != nil {
				t.Errorf("going on: %v", err)
			}
			if lines := s.take(); !strings.HasPrefix(lines[0], "durable: resumed, ") {
				t.Errorf("going on begins with %q", lines[0])
			}
		})
	}
}

func TestObserverSeesTheJournal(t *testing.T) {
	t.Parallel()
	s := newStage(t, &scripted{steps: []string{"model", "a b", "model"}})
	seen := journal(t, s.store)
	err := s.engine.Advance(t.Context(), s.live, func(o session.Observation) bool {
		seen = append(seen, *o.Record)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(journal(t, s.store), seen, ignoreEncodings); diff != "" {
		t.Errorf("what was shown is not the journal (-journal +shown):\n%s", diff)
	}
	for _, rec := range seen {
		if rec.Time.Location() != time.UTC || rec.Time != rec.Time.Round(0) {
			t.Errorf("the time %v of record %d is not what a store gives back", rec.Time, rec.Seq)
		}
	}
	if last := s.live.Last(); last != int64(len(seen)) {
		t.Errorf("Last is %d of %d", last, len(seen))
	}
}

func TestHandsWithoutAnOutcome(t *testing.T) {
	t.Parallel()
	s := newStage(t, &scripted{steps: []string{"a"}})
	s.hands.tools["a"] = func(context.Context, *session.CallTool) session.Event { return nil }
	if err := s.engine.Advance(t.Context(), s.live, listen); err == nil || !strings.Contains(err.Error(), "without an outcome") {
		t.Errorf("Advance: %v", err)
	}
	// The call is lost, not the session.
	delete(s.hands.tools, "a")
	s.take()
	if err := s.engine.Advance(t.Context(), s.live, listen); err != nil {
		t.Fatal(err)
	}
	s.wantLines(t, "durable: resumed, tool_called a", "perform: a 2", "durable: tool_answered a, ended")
}

func TestMachineErrors(t *testing.T) {
	t.Parallel()
	s := newStage(t, &scripted{steps: []string{"a"}, refuse: session.KindToolAnswered})
	for _, want := range []string{`session "a", record 4 (tool_answered): refused by the script`, "load it again"} {
		if err := s.engine.Advance(t.Context(), s.live, listen); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Advance: %v, want %q", err, want)
		}
	}
	if _, err := session.Load(t.Context(), s.store, "a", &scripted{refuse: session.KindPrompted}); err == nil || !strings.Contains(err.Error(), "record 2 (prompted)") {
		t.Errorf("Load: %v", err)
	}
	if _, err := session.Load(t.Context(), s.store, "b", &scripted{}); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("Load of no session: %v", err)
	}
}

func TestCreate(t *testing.T) {
	t.Parallel()
	store := session.NewMemory()
	started := &session.Started{Agent: "clerk"}
	if _, err := session.Create(t.Context(), store, "a", &scripted{}, time.Now(), started); err != nil {
		t.Fatal(err)
	}
	if _, err := session.Create(t.Context(), store, "a", &scripted{}, time.Now(), started); !errors.Is(err, session.ErrConflict) {
		t.Errorf("Create again: %v, want a conflict", err)
	}
	if _, err := session.Create(t.Context(), store, "../a", &scripted{}, time.Now(), started); err == nil {
		t.Error("Create took a path for an id")
	}
	rec := journal(t, store)[0]
	if got := rec.Event.(*session.Started).Format; got != session.FormatVersion || started.Format != 0 {
		t.Errorf("the journal has format %d; the caller's is now %d", got, started.Format)
	}
	if rec.Time.Location() != time.UTC || rec.Time != rec.Time.Round(0) {
		t.Errorf("the record's time %v is not what a store gives back", rec.Time)
	}
}

func journal(t *testing.T, store session.Store) (recs []session.Record) {
	t.Helper()
	for rec, err := range store.Load(t.Context(), "a", 0) {
		if err != nil {
			t.Fatal(err)
		}
		recs = append(recs, rec)
	}
	return recs
}
