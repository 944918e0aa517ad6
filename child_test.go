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

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
)

// helperTool makes a tool "helper" of an agent with this model.
func helperTool(t *testing.T, cfg quarry.Config) *quarry.Tool {
	t.Helper()
	if cfg.Name == "" {
		cfg.Name = "helper"
	}
	return quarry.AgentTool(quarry.ToolSpec{Name: "helper", Description: "Does a part."}, newAgent(t, cfg))
}

func promptOf(text string) map[string]string { return map[string]string{"prompt": text} }

// echo says what it was asked.
func echo() *modeltest.Scripted {
	return modeltest.NewScripted(modeltest.Func(func(_ context.Context, req *model.Request) (*modeltest.Turn, error) {
		return modeltest.Say("You said: " + req.Messages[0].Blocks.Text()), nil
	}))
}

// Children have journals of their own, a link to their parent, and come back as
// the results of the calls, in call order.
func TestChildren(t *testing.T) {
	t.Parallel()
	store := session.NewMemory()
	m := modeltest.NewScripted(
		modeltest.Call("helper", promptOf("one")).Call("helper", promptOf("two")),
		modeltest.Say("Both are done."),
	)
	agent := newAgent(t, quarry.Config{Name: "boss", Model: m, Store: store, Tools: []*quarry.Tool{helperTool(t, quarry.Config{Model: echo()})}})
	result, events, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Divide it.", Session: "s"})
	if err != nil || !result.OK() || result.Text != "Both are done." {
		t.Fatalf("got %+v, %v", result, err)
	}
	var got []string
	for _, r := range results(m.Requests()[1]) {
		got = append(got, r.Content.Text())
	}
	if diff := cmp.Diff([]string{"You said: one", "You said: two"}, got); diff != "" {
		t.Errorf("wrong results (-want +got):\n%s", diff)
	}

	for i, id := range []string{"s-1-0", "s-1-1"} {
		recs := journal(t, store, id)
		if got := strings.Join(kinds(recs), " "); got != "started prompted model_called model_answered ended" {
			t.Errorf("the journal of %s is %s", id, got)
		}
		started := recs[0].Event.(*session.Started)
		if diff := cmp.Diff(&session.Parent{Session: "s", Turn: 1, Index: i}, started.Parent); diff != "" {
			t.Errorf("%s has another parent (-want +got):\n%s", id, diff)
		}
		// What is left after the first turn is divided by three.
		if b := started.Budget; b == nil || b.Turns != 16 || b.ToolCalls != (500-2)/3 || b.Children != int64(33-i) || b.Depth != 2 || b.USD != session.Unbounded {
			t.Errorf("%s has the budget %+v", id, b)
		}
		shown := 0
		for _, ev := range events {
			if ev.Session == id && ev.Record != nil {
				shown++
			}
		}
		if shown != len(recs) {
			t.Errorf("%d records of %s are shown, and it has %d", shown, id, len(recs))
		}
	}
	var roots []string
	for info, err := range store.List(t.Context(), session.Filter{Roots: true}) {
		if err != nil {
			t.Fatal(err)
		}
		roots = append(roots, info.ID)
	}
	if diff := cmp.Diff([]string{"s"}, roots); diff != "" {
		t.Errorf("wrong roots (-want +got):\n%s", diff)
	}

	// The result covers the tree, and tells who used it.
	if s := result.Spent; s.Turns != 4 || s.ToolCalls != 2 || s.Children != 2 || result.Turns != 2 || len(s.Agents) != 2 || s.Agents[0].Agent != "boss" || s.Agents[1].Turns != 2 {
		t.Errorf("the result has %+v", result.Spent)
	}
	if diff := cmp.Diff([]session.ToolSpent{{Tool: "helper", Calls: 2}}, result.Spent.Tools); diff != "" {
		t.Errorf("wrong tools (-want +got):\n%s", diff)
	}
}

// Children of one response work at the same time, as many as the limit says.
func TestChildrenAtOnce(t *testing.T) {
	t.Parallel()
	for _, atOnce := range []int{1, 2, 4} {
		t.Run(fmt.Sprint(atOnce), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var now, most atomic.Int32
				slow := modeltest.NewScripted(modeltest.Func(func(context.Context, *model.Request) (*modeltest.Turn, error) {
					if n := now.Add(1); n > most.Load() {
						most.Store(n)
					}
					time.Sleep(time.Second)
					now.Add(-1)
					return modeltest.Say("Done."), nil
				}))
				call := modeltest.Call("helper", promptOf("0"))
				for i := range 3 {
					call.Call("helper", promptOf(fmt.Sprint(i+1)))
				}
				agent := newAgent(t, quarry.Config{
					Model: modeltest.NewScripted(call, modeltest.Say("All done.")), Limits: quarry.Limits{ChildrenAtOnce: atOnce},
					Tools: []*quarry.Tool{helperTool(t, quarry.Config{Model: slow})},
				})
				began := time.Now()
				result, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Go."})
				if err != nil || !result.OK() || int(most.Load()) != atOnce || time.Since(began).Round(time.Second) != time.Duration(4/atOnce)*time.Second {
					t.Errorf("got %+v, %v; %d worked at once, in %v", result, err, most.Load(), time.Since(began))
				}
			})
		})
	}
}

// A child that fails is an error result, which says how far it came.
func TestChildFails(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		child quarry.Config
		limit quarry.Limits
		want  string
	}{
		{"by its model", quarry.Config{Model: modeltest.NewScripted(modeltest.Fail(&model.Error{Kind: model.ErrAuth, Message: "wrong key"}))}, quarry.Limits{},
			"the agent helper did not come to its end (error, model_error): auth: wrong key"},
		{"by its limit", quarry.Config{Model: modeltest.NewScripted(modeltest.Say("I look.").Call("weather", cityIn{"Oslo"})), Tools: []*quarry.Tool{weather()}, Limits: quarry.Limits{Turns: 1}}, quarry.Limits{},
			"the agent helper did not come to its end (limit, max_turns): the model was asked 1 times, which is the limit of turns; raise Limits.Turns\nIts last words: I look."},
		{"by its parent's budget", quarry.Config{Model: modeltest.NewScripted()}, quarry.Limits{Turns: 2},
			"too little is left for a child session: of the limit of turns, 2, 1 are used or reserved"},
		{"by the number of children", quarry.Config{Model: modeltest.NewScripted()}, quarry.Limits{Children: quarry.Unlimited, ToolCalls: 1, Depth: 0},
			"the agent helper did not come to its end (error, model_error)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := modeltest.NewScripted(modeltest.Call("helper", promptOf("Do it.")), modeltest.Say("It did not work."))
			agent := newAgent(t, quarry.Config{Model: m, Limits: test.limit, Tools: []*quarry.Tool{helperTool(t, test.child)}})
			result, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Go."})
			if err != nil || !result.OK() {
				t.Fatalf("got %+v, %v", result, err)
			}
			if r := results(m.Requests()[1])[0]; !r.IsError || !strings.HasPrefix(r.Content.Text(), test.want) {
				t.Errorf("the parent is told %v %q, want %q", r.IsError, r.Content.Text(), test.want)
			}
		})
	}
}

// Generations are bounded, and each level gets a part of what is left.
func TestChildDepth(t *testing.T) {
	t.Parallel()
	// Each generation asks the next one, down to the fourth.
	var below *quarry.Tool
	for i := range 4 {
		cfg := quarry.Config{Name: fmt.Sprintf("level %d", 4-i), Model: modeltest.NewScripted(modeltest.Func(func(_ context.Context, req *model.Request) (*modeltest.Turn, error) {
			if rs := results(req); len(rs) > 0 {
				return modeltest.Say("Below: " + rs[0].Content.Text()), nil
			}
			if req.Tools == nil {
				return modeltest.Say("I am the last."), nil
			}
			return modeltest.Call("below", promptOf("Go down.")), nil
		}))}
		if below != nil {
			cfg.Tools = []*quarry.Tool{below}
		}
		below = quarry.AgentTool(quarry.ToolSpec{Name: "below"}, newAgent(t, cfg))
	}
	for depth, want := range map[int]string{
		2: "Below: Below: Below: no further generation of child sessions is allowed here; do it yourself",
		4: "Below: Below: Below: Below: I am the last.",
	} {
		m := modeltest.NewScripted(modeltest.Call("below", promptOf("Go down.")), modeltest.Func(func(_ context.Context, req *model.Request) (*modeltest.Turn, error) {
			return modeltest.Say("Below: " + results(req)[0].Content.Text()), nil
		}))
		result, _, err := play(t.Context(), t, newAgent(t, quarry.Config{Model: m, Limits: quarry.Limits{Depth: depth}, Tools: []*quarry.Tool{below}}), quarry.Input{Prompt: "Go."})
		if err != nil || result.Text != want {
			t.Errorf("with depth %d: got %+v, %v; want %q", depth, result, err, want)
		}
	}
}

// Cancelling ends children within 100 ms and leaves journals that can be resumed;
// what they did is not done again.
func TestCancelChildren(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := session.NewMemory()
		ran := 0
		count := quarry.NewTool(quarry.ToolSpec{Name: "count"}, func(context.Context, struct{}) (string, error) { ran++; return "counted", nil })
		child := modeltest.NewScripted(modeltest.Call("count", nil), modeltest.Say("I").Hang(), modeltest.Say("I have counted."))
		free := make(chan struct{})
		defer close(free)
		m := modeltest.NewScripted(modeltest.Call("helper", promptOf("Count.")).Call("stubborn", number(1)), modeltest.Say("Done."))
		agent := newAgent(t, quarry.Config{Model: m, Store: store, Tools: []*quarry.Tool{helperTool(t, quarry.Config{Model: child, Tools: []*quarry.Tool{count}}), stubborn(free)}})
		go func() {
			time.Sleep(time.Second)
			if !agent.Interrupt("s") || agent.Interrupt("t") {
				t.Error("Interrupt does not know what runs")
			}
		}()
		began := time.Now()
		result, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Go.", Session: "s"})
		if took := time.Since(began) - time.Second; took > 100*time.Millisecond || !errors.Is(err, quarry.ErrInterrupted) || result.Subtype != session.Stopped {
			t.Fatalf("after %v: %+v, %v", took, result, err)
		}
		if len(result.Canceled) != 1 || result.Canceled[0].Child != "s-1-0" || result.Canceled[0].Name != "helper" || result.Canceled[0].Spent.Turns != 1 || result.Canceled[0].Spent.ToolCalls != 1 {
			t.Errorf("these calls were cancelled: %+v", result.Canceled)
		}
		if diff := cmp.Diff([]session.CallRef{{Turn: 1, Index: 1, Name: "stubborn"}}, result.Running); diff != "" {
			t.Errorf("wrong calls still run (-want +got):\n%s", diff)
		}
		if got := strings.Join(kinds(journal(t, store, "s-1-0")), " "); !strings.HasSuffix(got, "tool_answered model_called interrupted") {
			t.Errorf("the child's journal ends with %s", got)
		}
		if agent.Interrupt("s") {
			t.Error("Interrupt finds a run that has ended")
		}
		result, _, err = play(t.Context(), t, newAgent(t, quarry.Config{Model: m, Store: store, Tools: []*quarry.Tool{
			helperTool(t, quarry.Config{Model: child, Tools: []*quarry.Tool{count}}),
			quarry.NewTool(quarry.ToolSpec{Name: "stubborn", Effect: quarry.ReadOnly}, noop[numberIn]),
		}}), quarry.Input{Session: "s"})
		if err != nil || !result.OK() || ran != 1 || results(m.Requests()[1])[0].Content.Text() != "I have counted." {
			t.Errorf("resumed: %+v, %v; the tool ran %d times", result, err, ran)
		}
		if result.Spent.Lost != 1 || result.Spent.Turns != 4 {
			t.Errorf("the result has %+v", result.Spent)
		}
	})
}

// A child that was begun with other tools is refused too, unless that is accepted.
func TestChildMismatch(t *testing.T) {
	t.Parallel()
	store := session.NewMemory()
	parent := func(m model.Model, tool *quarry.Tool, turns ...*modeltest.Turn) *quarry.Agent {
		child := helperTool(t, quarry.Config{Model: modeltest.NewScripted(turns...), Tools: []*quarry.Tool{tool}})
		return newAgent(t, quarry.Config{Model: m, Store: store, Tools: []*quarry.Tool{child}})
	}
	m := modeltest.NewScripted(modeltest.Call("helper", promptOf("Do it.")), modeltest.Say("Done."))
	agent := parent(m, weather(), modeltest.Say("I").Hang())
	for ev := range agent.Stream(t.Context(), quarry.Input{Prompt: "Go.", Session: "s"}) {
		if ev.Delta != nil && ev.Session == "s-1-0" {
			break
		}
	}
	other := quarry.NewTool(quarry.ToolSpec{Name: "other"}, noop[numberIn])
	var mismatch *quarry.MismatchError
	result, _, err := play(t.Context(), t, parent(m, other), quarry.Input{Session: "s"})
	if !errors.As(err, &mismatch) || mismatch.Session != "s-1-0" || result.Reason != session.ReasonInput {
		t.Fatalf("got %+v, %v", result, err)
	}
	result, _, err = play(t.Context(), t, parent(m, other, modeltest.Say("I did.")), quarry.Input{Session: "s", Accept: true})
	if err != nil || !result.OK() || results(m.Requests()[1])[0].Content.Text() != "I did." {
		t.Errorf("got %+v, %v", result, err)
	}
}

// A store that fails for a child ends the parent's run with the store's error.
func TestChildStoreFails(t *testing.T) {
	t.Parallel()
	store := &childlessStore{Store: session.NewMemory()}
	m := modeltest.NewScripted(modeltest.Call("helper", promptOf("Do it.")))
	agent := newAgent(t, quarry.Config{Model: m, Store: store, Tools: []*quarry.Tool{helperTool(t, quarry.Config{Model: echo()})}})
	result, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Go.", Session: "s"})
	if err == nil || !strings.Contains(err.Error(), "no room for s-1-0") || result.Reason != session.ReasonJournal {
		t.Errorf("got %+v, %v", result, err)
	}
}

type childlessStore struct{ session.Store }

func (s *childlessStore) Append(ctx context.Context, id string, after int64, recs []session.Record) error {
	if strings.Contains(id, "-") {
		return fmt.Errorf("no room for %s", id)
	}
	return s.Store.Append(ctx, id, after, recs)
}

func TestAgentToolIsChecked(t *testing.T) {
	t.Parallel()
	ok := newAgent(t, quarry.Config{Model: echo()})
	empty := quarry.NewAgentTool(quarry.ToolSpec{Name: "empty"}, ok, func(numberIn) (quarry.Input, error) { return quarry.Input{}, nil })
	if _, err := quarry.New(quarry.Config{Model: echo(), Tools: []*quarry.Tool{quarry.AgentTool(quarry.ToolSpec{Name: "x"}, nil)}}); err == nil || !strings.Contains(err.Error(), "it has no agent") {
		t.Errorf("got %v", err)
	}
	m := modeltest.NewScripted(modeltest.Call("empty", number(1)).Call("empty", map[string]string{"m": "x"}), modeltest.Say("I see."))
	if _, _, err := play(t.Context(), t, newAgent(t, quarry.Config{Model: m, Tools: []*quarry.Tool{empty}}), quarry.Input{Prompt: "Go."}); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"the prompt is empty", "\"n\" is missing"} {
		if r := results(m.Requests()[1])[i]; !r.IsError || !strings.Contains(r.Content.Text(), want) {
			t.Errorf("call %d: the model is told %q", i, r.Content.Text())
		}
	}
}
