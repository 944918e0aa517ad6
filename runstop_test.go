package quarry_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
)

// stubborn waits for free, whatever its context says.
func stubborn(free <-chan struct{}) *quarry.Tool {
	return quarry.NewTool(quarry.ToolSpec{Name: "stubborn", Effect: quarry.ReadOnly}, func(context.Context, numberIn) (string, error) {
		<-free
		return "too late", nil
	})
}

// Cancelling ends a run within 100 ms, whatever is under way, with the cause of
// the context, and leaves a session that can be resumed.
func TestCancel(t *testing.T) {
	t.Parallel()
	cause := errors.New("the user pressed stop")
	tests := []struct {
		name string
		turn *modeltest.Turn
		last string // the journal's last records
	}{
		{"a hanging model", modeltest.Say("Let me").Hang(), "model_called interrupted"},
		{"a tool that ignores its context", modeltest.Call("stubborn", number(1)), "tool_called interrupted"},
		{"several of them", modeltest.Call("stubborn", number(1)).Call("stubborn", number(2)), "tool_called tool_called interrupted"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				free := make(chan struct{})
				store := session.NewMemory()
				agent := newAgent(t, quarry.Config{Model: modeltest.NewScripted(test.turn), Store: store, Tools: []*quarry.Tool{stubborn(free)}})
				ctx, cancel := context.WithCancelCause(t.Context())
				go func() {
					time.Sleep(5 * time.Second)
					cancel(cause)
				}()
				began := time.Now()
				result, _, err := play(ctx, t, agent, quarry.Input{Prompt: "Go."})
				if took := time.Since(began) - 5*time.Second; took > 100*time.Millisecond {
					t.Errorf("it took %v to stop", took)
				}
				if !errors.Is(err, cause) || result.Subtype != session.Stopped || result.Reason != session.ReasonCanceled || result.Detail != cause.Error() {
					t.Errorf("got %+v, %v", result, err)
				}
				if got := strings.Join(kinds(journal(t, store, result.Session)), " "); !strings.HasSuffix(got, test.last) {
					t.Errorf("the journal ends with %s", got)
				}
				close(free)
				synctest.Wait()

				again := newAgent(t, quarry.Config{Model: modeltest.NewScripted(modeltest.Say("Done.")), Store: store, Tools: []*quarry.Tool{stubborn(free)}})
				result, _, err = play(t.Context(), t, again, quarry.Input{Session: result.Session})
				if err != nil || !result.OK() || result.Text != "Done." {
					t.Errorf("resumed, it comes to %+v, %v", result, err)
				}
			})
		})
	}
}

// An error that a tool returns because it is stopped is no outcome: nobody knows
// how far it came.
func TestCancelLosesWhatFailsByIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		heedful := quarry.NewTool(quarry.ToolSpec{Name: "heedful"}, func(ctx context.Context, _ numberIn) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		})
		m := modeltest.NewScripted(modeltest.Call("heedful", number(1)), modeltest.Say("Checking."))
		store := session.NewMemory()
		agent := newAgent(t, quarry.Config{Model: m, Store: store, Tools: []*quarry.Tool{heedful}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		result, _, err := play(ctx, t, agent, quarry.Input{Prompt: "Go."})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("got %+v, %v", result, err)
		}
		if _, _, err = play(t.Context(), t, agent, quarry.Input{Session: result.Session}); err != nil {
			t.Fatal(err)
		}
		if told := results(m.Requests()[1])[0]; !told.IsError || !strings.Contains(told.Content.Text(), "nobody knows whether it took effect") {
			t.Errorf("the model is told %q", told.Content.Text())
		}
	})
}

// What a tool comes to in the grace period is kept.
func TestCancelKeepsOutcomesThatCameInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ran := 0
		tidy := quarry.NewTool(quarry.ToolSpec{Name: "tidy"}, func(ctx context.Context, _ numberIn) (string, error) {
			ran++
			<-ctx.Done()
			time.Sleep(10 * time.Millisecond)
			return "tidied up", nil
		})
		store := session.NewMemory()
		m := modeltest.NewScripted(modeltest.Call("tidy", number(1)), modeltest.Say("Done."))
		agent := newAgent(t, quarry.Config{Model: m, Store: store, Tools: []*quarry.Tool{tidy}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		result, _, err := play(ctx, t, agent, quarry.Input{Prompt: "Go."})
		if !errors.Is(err, context.DeadlineExceeded) || result.Subtype != session.Stopped || result.Turns != 1 {
			t.Fatalf("got %+v, %v", result, err)
		}
		synctest.Wait()
		result, _, err = play(t.Context(), t, agent, quarry.Input{Session: result.Session})
		if err != nil || !result.OK() {
			t.Fatalf("resumed, it comes to %+v, %v", result, err)
		}
		if ran != 1 {
			t.Errorf("the tool ran %d times", ran)
		}
	})
}

func TestWallClock(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		turn *modeltest.Turn
	}{
		{"a hanging model", modeltest.Say("Let me").Hang()},
		{"a tool that ignores its context", modeltest.Call("stubborn", number(1))},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				free := make(chan struct{})
				agent := newAgent(t, quarry.Config{
					Model: modeltest.NewScripted(test.turn, modeltest.Say("Quick.")), Tools: []*quarry.Tool{stubborn(free)},
					Limits: quarry.Limits{Timeout: 90 * time.Second},
				})
				began := time.Now()
				result, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Go."})
				if took := time.Since(began); took < 90*time.Second || took > 90*time.Second+100*time.Millisecond {
					t.Errorf("it took %v", took)
				}
				if err != nil || result.Subtype != session.Limited || result.Reason != session.ReasonWallClock || !strings.Contains(result.Detail, "1m30s") {
					t.Errorf("got %+v, %v", result, err)
				}
				close(free)
				// It is the end of the prompt and not of the session.
				result, _, err = play(t.Context(), t, agent, quarry.Input{Prompt: "Quicker.", Session: result.Session})
				if err != nil || result.Text != "Quick." {
					t.Errorf("the next prompt comes to %+v, %v", result, err)
				}
			})
		})
	}
}

// Whoever leaves the stream after any event leaves a session that can be
// resumed, and nothing that runs.
func TestLeavingTheStreamAnywhere(t *testing.T) {
	t.Parallel()
	for n := 1; ; n++ {
		store := session.NewMemory()
		var pushes atomic.Int32
		push := quarry.NewTool(quarry.ToolSpec{Name: "push"}, func(context.Context, numberIn) (string, error) {
			pushes.Add(1)
			return "pushed", nil
		})
		cfg := func() quarry.Config {
			return quarry.Config{
				Model: modeltest.NewScripted(modeltest.EachConversation(
					modeltest.Say("Looking up the weather.").Call("weather", cityIn{"Rome"}).Call("push", number(1)),
					modeltest.Say("It is sunny, and pushed."),
				)),
				Store: store, Tools: []*quarry.Tool{weather(), push},
			}
		}
		seen := 0
		for ev, err := range newAgent(t, cfg()).Stream(t.Context(), quarry.Input{Prompt: "Go.", Session: "s"}) {
			if err != nil {
				t.Fatal(err)
			}
			if seen++; seen == n || ev.Result != nil {
				break
			}
		}
		recs := journal(t, store, "s")
		if recs[len(recs)-1].Event.Kind() == session.KindEnded {
			if n < 10 {
				t.Fatalf("the run ended after %d events", n)
			}
			return
		}
		result, _, err := play(t.Context(), t, newAgent(t, cfg()), quarry.Input{Session: "s"})
		if err != nil || result.Text != "It is sunny, and pushed." {
			t.Fatalf("left after event %d and resumed, it comes to %+v, %v", n, result, err)
		}
		if pushes.Load() > 1 {
			t.Fatalf("left after event %d and resumed, it pushes %d times", n, pushes.Load())
		}
	}
}

// brittle fails the n-th append.
type brittle struct {
	session.Store
	left int
	err  error
}

func (b *brittle) Append(ctx context.Context, id string, after int64, recs []session.Record) error {
	if b.left--; b.left < 0 {
		return b.err
	}
	return b.Store.Append(ctx, id, after, recs)
}

// A store that fails ends the run, at whatever append, before anything depends
// on what was not kept.
func TestStoreErrors(t *testing.T) {
	t.Parallel()
	full := errors.New("the disk is full")
	for n := 0; ; n++ {
		store := &brittle{session.NewMemory(), n, full}
		ran := false
		tool := quarry.NewTool(quarry.ToolSpec{Name: "push"}, func(context.Context, numberIn) (string, error) {
			ran = true
			return "pushed", nil
		})
		m := modeltest.NewScripted(modeltest.Call("push", number(1)), modeltest.Say("Done."))
		agent := newAgent(t, quarry.Config{Model: m, Store: store, Tools: []*quarry.Tool{tool}})
		result, events, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Go.", Session: "s"})
		if err == nil {
			if n < 4 {
				t.Fatalf("a run takes %d appends", n)
			}
			return
		}
		if !errors.Is(err, full) || result.Subtype != session.Failed || result.Reason != session.ReasonJournal || !strings.Contains(result.Detail, "disk is full") {
			t.Errorf("append %d fails: got %+v, %v", n+1, result, err)
		}
		if n == 0 {
			continue
		}
		recs := journal(t, store.Store, "s")
		if shown := lastSeq(events, "s"); shown > int64(len(recs)) {
			t.Errorf("append %d fails: record %d is shown and was not kept", n+1, shown)
		}
		stored := strings.Join(kinds(recs), " ")
		if ran && !strings.Contains(stored, session.KindToolCalled) || len(m.Requests()) > 0 && !strings.Contains(stored, session.KindModelCalled) {
			t.Errorf("append %d fails: something is done without its intent in %s", n+1, stored)
		}
	}
}

func TestConflict(t *testing.T) {
	t.Parallel()
	store := session.NewMemory()
	ran := 0
	tool := quarry.NewTool(quarry.ToolSpec{Name: "push"}, func(context.Context, numberIn) (string, error) {
		ran++
		return "pushed", nil
	})
	other := newAgent(t, quarry.Config{Model: modeltest.NewScripted(modeltest.Say("I took over.")), Store: store, Tools: []*quarry.Tool{tool}})
	// While the first agent's model answers, another process resumes the session.
	m := modeltest.NewScripted(modeltest.Func(func(ctx context.Context, _ *model.Request) (*modeltest.Turn, error) {
		if _, err := other.Run(ctx, quarry.Input{Session: "s"}); err != nil {
			return nil, err
		}
		return modeltest.Call("push", number(1)), nil
	}))
	agent := newAgent(t, quarry.Config{Model: m, Store: store, Tools: []*quarry.Tool{tool}})
	result, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Go.", Session: "s"})
	if !errors.Is(err, session.ErrConflict) || result.Subtype != session.Failed || result.Reason != session.ReasonConflict {
		t.Errorf("got %+v, %v", result, err)
	}
	if ran != 0 {
		t.Error("the one who lost went on")
	}
	recs := journal(t, store, "s")
	if ended, ok := recs[len(recs)-1].Event.(*session.Ended); !ok || ended.Result.Text != "I took over." {
		t.Errorf("the journal ends with %+v", recs[len(recs)-1].Event)
	}
}

func TestInputErrors(t *testing.T) {
	t.Parallel()
	store := session.NewMemory()
	turn := modeltest.Hang()
	agent := newAgent(t, quarry.Config{Model: modeltest.NewScripted(modeltest.Say("Hello."), turn), Store: store})
	if _, err := agent.Run(t.Context(), quarry.Input{Prompt: "Hi.", Session: "done"}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-turn.Parked()
		cancel()
	}()
	if _, err := agent.Run(ctx, quarry.Input{Prompt: "Hi.", Session: "open"}); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}

	tests := []struct {
		name string
		in   quarry.Input
		is   error
		want string
	}{
		{"nothing", quarry.Input{}, quarry.ErrNothingToDo, "there is no prompt, and nothing to resume"},
		{"a session that is done", quarry.Input{Session: "done"}, quarry.ErrNothingToDo, `session "done": there is no prompt`},
		{"a prompt while one is open", quarry.Input{Session: "open", Prompt: "Hi."}, quarry.ErrOpenPrompt, "resume it first"},
		{"no such session", quarry.Input{Session: "none"}, session.ErrNotFound, `"none": no such session`},
		{"a session that is no id", quarry.Input{Session: "../etc/passwd", Prompt: "Hi."}, nil, `must be of letters, digits`},
		{"a blank prompt", quarry.Input{Prompt: " \n\t"}, nil, "nothing but white space"},
		{"a blank prompt to an open session", quarry.Input{Session: "open", Prompt: " "}, nil, "nothing but white space"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			result, events, err := play(t.Context(), t, agent, test.in)
			if err == nil || !strings.Contains(err.Error(), test.want) || (test.is != nil && !errors.Is(err, test.is)) {
				t.Errorf("got %v; want %q", err, test.want)
			}
			if result.Subtype != session.Failed || result.Reason != session.ReasonInput || result.Detail != err.Error() || result.Text != "" || len(events) != 1 {
				t.Errorf("got %+v after %d events", result, len(events))
			}
		})
	}
}

func TestCanceledBeforehand(t *testing.T) {
	t.Parallel()
	m := modeltest.NewScripted(modeltest.Say("Hello."))
	agent := newAgent(t, quarry.Config{Model: m})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	result, _, err := play(ctx, t, agent, quarry.Input{Prompt: "Hi."})
	if !errors.Is(err, context.Canceled) || result.Subtype != session.Stopped || len(m.Requests()) != 0 {
		t.Errorf("got %+v, %v, after %d requests", result, err, len(m.Requests()))
	}
}

// One agent serves any number of sessions at once.
func TestManySessionsAtOnce(t *testing.T) {
	t.Parallel()
	m := modeltest.NewScripted(modeltest.EachConversation(modeltest.Call("weather", cityIn{"Rome"}), modeltest.Say("Sunny.")))
	agent := newAgent(t, quarry.Config{Model: m, Tools: []*quarry.Tool{weather()}})
	errs := make(chan error)
	const n = 50
	for i := range n {
		go func() {
			result, err := agent.Run(t.Context(), quarry.Input{Prompt: fmt.Sprintf("Prompt %d.", i)})
			if err == nil && result.Text != "Sunny." {
				err = fmt.Errorf("got %+v", result)
			}
			errs <- err
		}()
	}
	for range n {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}
