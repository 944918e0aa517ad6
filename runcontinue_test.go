package quarry_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
)

// cutOff runs an agent on the store until its journal has n records, as a crash
// would.
func cutOff(t *testing.T, cfg quarry.Config, prompt string, n int64) session.Store {
	t.Helper()
	whole := session.NewMemory()
	cfg.Store = whole
	if _, _, err := play(t.Context(), t, newAgent(t, cfg), quarry.Input{Prompt: prompt, Session: "s"}); err != nil {
		t.Fatal(err)
	}
	store := session.NewMemory()
	if err := store.Append(t.Context(), "s", 0, journal(t, whole, "s")[:n]); err != nil {
		t.Fatal(err)
	}
	return store
}

// A session is refused before any call where its tools are not those of the
// agent, and goes on where that is accepted.
func TestMismatch(t *testing.T) {
	t.Parallel()
	tool := func(name string) *quarry.Tool {
		return quarry.NewTool(quarry.ToolSpec{Name: name, Effect: quarry.ReadOnly}, noop[cityIn])
	}
	other := quarry.NewTool(quarry.ToolSpec{Name: "b", Effect: quarry.ReadOnly}, noop[numberIn])
	base := quarry.Config{Name: "clerk", Model: modeltest.NewScripted(modeltest.Call("a", cityIn{"Rome"}), modeltest.Say("Done.")), Tools: []*quarry.Tool{tool("a"), tool("b"), tool("c")}}
	store := cutOff(t, base, "Go.", 4) // the call of a is due
	tests := []struct {
		name  string
		agent string
		tools []*quarry.Tool
		want  *quarry.MismatchError
		text  string
	}{
		{"the same", "clerk", base.Tools, nil, ""},
		{"one more", "clerk", append([]*quarry.Tool{tool("d")}, base.Tools...), nil, ""},
		{"other tools", "clerk", []*quarry.Tool{tool("a"), other}, &quarry.MismatchError{Session: "f", Agent: "clerk", Missing: []string{"c"}, Changed: []string{"b"}},
			`session "f" does not fit the agent: the agent lacks its tools c; other arguments are taken now by b; go on with the agent as it was, or accept the change with Input.Accept`},
		{"another agent", "boss", base.Tools, &quarry.MismatchError{Session: "f", Agent: "boss", Was: "clerk"},
			`session "f" does not fit the agent: it was begun by the agent "clerk", and this is "boss"; go on with the agent as it was, or accept the change with Input.Accept`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fork := session.NewMemory()
			if err := fork.Append(t.Context(), "f", 0, journal(t, store, "s")); err != nil {
				t.Fatal(err)
			}
			m := modeltest.NewScripted(modeltest.Say("Done."), modeltest.Say("Again."))
			agent := newAgent(t, quarry.Config{Name: test.agent, Model: m, Store: fork, Tools: test.tools})
			in := quarry.Input{Session: "f"}
			if test.want != nil {
				result, _, err := play(t.Context(), t, agent, in)
				var got *quarry.MismatchError
				if !errors.As(err, &got) || result.Reason != session.ReasonInput || err.Error() != test.text {
					t.Fatalf("got %+v, %v", result, err)
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("another mismatch (-want +got):\n%s", diff)
				}
				if recs := journal(t, fork, "f"); len(recs) != 4 || len(m.Requests()) != 0 {
					t.Errorf("the journal has %d records, and the model was asked %d times", len(recs), len(m.Requests()))
				}
				in.Accept = true
			}
			if result, _, err := play(t.Context(), t, agent, in); err != nil || result.Text != "Done." {
				t.Fatalf("got %+v, %v", result, err)
			}
			// What was accepted once need not be again.
			if result, _, err := play(t.Context(), t, agent, quarry.Input{Session: "f", Prompt: "More."}); err != nil || result.Text != "Again." {
				t.Errorf("got %+v, %v", result, err)
			}
		})
	}
}

// The model is told what has changed since the session read it: once, and not
// where it has read it anew.
func TestChangedSources(t *testing.T) {
	t.Parallel()
	files := map[string]string{"a": "1", "b": "1", "c": "1"}
	read := quarry.NewTool(quarry.ToolSpec{
		Name: "read", Effect: quarry.ReadOnly,
		Current: func(_ context.Context, name string) (string, error) {
			if name == "c" {
				return "", errors.New("the disk is away")
			}
			return files[name], nil
		},
	}, func(ctx context.Context, in cityIn) (string, error) {
		call, _ := quarry.CallFrom(ctx)
		call.Read(in.City, files[in.City])
		return "content " + files[in.City], nil
	})
	m := modeltest.NewScripted(
		modeltest.Call("read", cityIn{"a"}).Call("read", cityIn{"b"}).Call("read", cityIn{"c"}), modeltest.Say("Read."),
		modeltest.Say("Unchanged."),
		modeltest.Say("Changed."),
		modeltest.Call("read", cityIn{"a"}), modeltest.Say("Read anew."),
		modeltest.Say("Known."),
		modeltest.Say("Gone."),
	)
	agent := newAgent(t, quarry.Config{Model: m, Tools: []*quarry.Tool{read}})
	last := func() string {
		requests := m.Requests()
		messages := requests[len(requests)-1].Messages
		return messages[len(messages)-1].Blocks.Text()
	}
	const note = "[Quarry: changed since you read it: a. What you read there before may no longer hold; read it again before you rely on it.]"
	steps := []struct {
		change func()
		want   string
	}{
		{func() {}, ""},
		{func() {}, "Go."},
		{func() { files["a"], files["c"] = "2", "2" }, "Go." + note},
		{func() {}, ""}, // it is told once, and reads it anew
		{func() {}, "Go."},
		{func() { delete(files, "b") }, "Go.[Quarry: gone since you read it: b. What you read there before may no longer hold; read it again before you rely on it.]"},
	}
	for i, step := range steps {
		step.change()
		if _, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Go.", Session: "s"}); err != nil {
			t.Fatal(err)
		}
		if got := last(); step.want != "" && got != step.want {
			t.Errorf("step %d: the model is told %q, want %q", i, got, step.want)
		}
	}
}

// Prompts may be queued: by Enqueue, or by a run on a session that is open.
func TestQueue(t *testing.T) {
	t.Parallel()
	store := session.NewMemory()
	m := modeltest.NewScripted(modeltest.Say("1."), modeltest.Say("2."), modeltest.Say("3."), modeltest.Say("4."))
	agent := newAgent(t, quarry.Config{Model: m, Store: store})
	for _, prompt := range []string{"One.", "Two."} {
		if id, err := agent.Enqueue(t.Context(), quarry.Input{Prompt: prompt, Session: "s"}); err != nil || id != "s" {
			t.Fatalf("got %q, %v", id, err)
		}
	}
	if len(m.Requests()) != 0 {
		t.Error("Enqueue asks the model")
	}
	if _, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Three.", Session: "s"}); !errors.Is(err, quarry.ErrOpenPrompt) {
		t.Fatalf("got %v", err)
	}
	result, events, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Three.", Session: "s", Queue: true})
	if err != nil || result.Text != "3." || result.Turns != 1 {
		t.Fatalf("got %+v, %v", result, err)
	}
	var texts []string
	for _, ev := range events {
		if ev.Record == nil {
			continue
		}
		if ended, ok := ev.Record.Event.(*session.Ended); ok {
			texts = append(texts, ended.Result.Text)
		}
	}
	if diff := cmp.Diff([]string{"1.", "2.", "3."}, texts); diff != "" {
		t.Errorf("wrong results (-want +got):\n%s", diff)
	}
	if _, err := agent.Enqueue(t.Context(), quarry.Input{Session: "s"}); !errors.Is(err, quarry.ErrNothingToDo) {
		t.Errorf("nothing is enqueued: %v", err)
	}
	if id, err := agent.Enqueue(t.Context(), quarry.Input{Prompt: "New."}); err != nil || session.CheckID(id) != nil {
		t.Errorf("a new session: %q, %v", id, err)
	}
}

// A lost call of a tool that can be asked is not made again where it took effect.
func TestReconcile(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		reconcile func(ctx context.Context, input json.RawMessage) (any, bool, error)
		ran       int
		want      string
		unknown   bool
	}{
		{"it happened", func(context.Context, json.RawMessage) (any, bool, error) { return "receipt 7", true, nil }, 0, "receipt 7", false},
		{"it did not happen", func(context.Context, json.RawMessage) (any, bool, error) { return nil, false, nil }, 1, "receipt 1", false},
		{"it cannot be found out", func(context.Context, json.RawMessage) (any, bool, error) {
			return nil, false, errors.New("the bank is closed")
		}, 0,
			"this call was started and cut off, and it could not be found out whether it took effect (the bank is closed). Check before you call it again", true},
		{"it panics", func(context.Context, json.RawMessage) (any, bool, error) { panic("oh") }, 0, "the tool panicked: oh", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ran := 0
			pay := func(reconcile func(context.Context, json.RawMessage) (any, bool, error)) *quarry.Tool {
				return quarry.NewTool(quarry.ToolSpec{Name: "pay", Reconcile: reconcile, TellUnknown: true}, func(context.Context, numberIn) (string, error) {
					ran++
					return "receipt 1", nil
				})
			}
			asked := func(ctx context.Context, input json.RawMessage) (any, bool, error) {
				if call, ok := quarry.CallFrom(ctx); !ok || call.Key != "s/1.0" || call.Attempt != 2 || string(input) != `{"n":5}` {
					t.Errorf("it is asked of %+v with %s", call, input)
				}
				return test.reconcile(ctx, input)
			}
			store := cutOff(t, quarry.Config{Model: modeltest.NewScripted(modeltest.Call("pay", number(5)), modeltest.Say("Paid.")), Tools: []*quarry.Tool{pay(asked)}}, "Pay.", 5)
			if ran != 1 {
				t.Fatalf("the tool ran %d times", ran)
			}
			ran = 0
			m := modeltest.NewScripted(modeltest.Say("Paid."))
			result, _, err := play(t.Context(), t, newAgent(t, quarry.Config{Model: m, Store: store, Tools: []*quarry.Tool{pay(asked)}}), quarry.Input{Session: "s"})
			if err != nil || !result.OK() || ran != test.ran {
				t.Fatalf("got %+v, %v; the tool ran %d times", result, err, ran)
			}
			if got := results(m.Requests()[0])[0].Content.Text(); got != test.want {
				t.Errorf("the model is told %q, want %q", got, test.want)
			}
			if unknown := len(result.Unknown) == 1 && result.Unknown[0].Tell && result.Unknown[0].Name == "pay"; unknown != test.unknown {
				t.Errorf("the result has %+v", result.Unknown)
			}
		})
	}
}

// Money is counted by the prices, and ends a run.
func TestMoney(t *testing.T) {
	t.Parallel()
	prices := pricesOf{"modeltest/scripted": 0.01}
	m := modeltest.NewScripted(
		modeltest.Call("weather", cityIn{"Rome"}).Usage(model.Usage{InputTokens: 10, OutputTokens: 5}),
		modeltest.Call("weather", cityIn{"Oslo"}).Usage(model.Usage{InputTokens: 30, OutputTokens: 5}),
	)
	agent := newAgent(t, quarry.Config{Name: "clerk", Model: m, Prices: prices, Limits: quarry.Limits{USD: 0.5}, Tools: []*quarry.Tool{weather()}})
	result, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Go."})
	if err != nil || result.Subtype != quarry.Limited || result.Reason != session.ReasonUSD || !strings.Contains(result.Detail, "0.5 USD were spent and the limit is 0.5 USD") {
		t.Fatalf("got %+v, %v", result, err)
	}
	if diff := cmp.Diff([]session.LimitHit{{Name: "usd", Value: 0.5, Used: 0.5}}, result.Limits); diff != "" {
		t.Errorf("wrong limits (-want +got):\n%s", diff)
	}
	if usd, known := result.Spent.Cost(); usd != session.USD(0.5) || !known || result.Spent.Agents[0].USD != usd {
		t.Errorf("got %v, %v: %+v", usd, known, result.Spent)
	}

	unknown := quarry.Config{Model: modeltest.NewScripted(), Prices: pricesOf{}, Limits: quarry.Limits{USD: 0.5}}
	if _, err := quarry.New(unknown); err == nil || !strings.Contains(err.Error(), "the price of modeltest/scripted is not known") {
		t.Errorf("got %v", err)
	}
	unknown.Limits.Tokens = 1000
	if agent := newAgent(t, unknown); agent.Config().Limits.USD != quarry.Unlimited {
		t.Errorf("the limits are %+v", agent.Config().Limits)
	}
	// A child's model is asked too.
	parent := quarry.Config{Model: m, Prices: prices, Limits: quarry.Limits{USD: 0.5}, Tools: []*quarry.Tool{helperTool(t, quarry.Config{Model: &modeltest.Scripted{ModelName: "other/model"}})}}
	if _, err := quarry.New(parent); err == nil || !strings.Contains(err.Error(), "the price of other/model is not known") {
		t.Errorf("got %v", err)
	}
}

// pricesOf are prices of a token, by the model.
type pricesOf map[string]float64

func (p pricesOf) Cost(name string, u *model.Usage) (float64, bool) {
	price, ok := p[name]
	return price * float64(u.Total()), ok
}

// A session goes on under other limits, and another policy of retries, than it
// began with: what happened is not decided anew.
func TestOtherLimits(t *testing.T) {
	t.Parallel()
	strict := quarry.Config{Limits: quarry.Limits{Turns: 1, Tokens: 1, ToolCalls: 1}, Retry: quarry.Retry{Attempts: 1}}
	generous := quarry.Config{Retry: quarry.Retry{Attempts: 5}}
	script := func() []*modeltest.Turn {
		return []*modeltest.Turn{modeltest.Overloaded(), modeltest.Call("weather", cityIn{"Rome"}).Call("weather", cityIn{"Oslo"}), modeltest.Say("Sunny.")}
	}
	for name, cfgs := range map[string][2]quarry.Config{"raised": {strict, generous}, "lowered": {generous, strict}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				store := session.NewMemory()
				first, second := cfgs[0], cfgs[1]
				for _, cfg := range []*quarry.Config{&first, &second} {
					cfg.Store, cfg.Tools = store, []*quarry.Tool{weather()}
				}
				first.Model = modeltest.NewScripted(script()...)
				if name == "raised" {
					first.Model = modeltest.NewScripted(script()[1:]...)
				}
				if _, _, err := play(t.Context(), t, newAgent(t, first), quarry.Input{Prompt: "Go.", Session: "s"}); err != nil {
					t.Fatal(err)
				}
				second.Model = modeltest.NewScripted(modeltest.Say("Done."))
				result, _, err := play(t.Context(), t, newAgent(t, second), quarry.Input{Prompt: "Go on.", Session: "s"})
				if err != nil || !result.OK() || result.Text != "Done." {
					t.Errorf("got %+v, %v", result, err)
				}
			})
		})
	}
}

// A prompt that is queued while its session runs is refused, and the run is not
// disturbed.
func TestEnqueueWhileRunning(t *testing.T) {
	t.Parallel()
	var agent *quarry.Agent
	var queued error
	tool := quarry.NewTool(quarry.ToolSpec{Name: "queue"}, func(context.Context, struct{}) (string, error) {
		_, queued = agent.Enqueue(t.Context(), quarry.Input{Prompt: "More.", Session: "s"})
		return "tried", nil
	})
	agent = newAgent(t, quarry.Config{Model: modeltest.NewScripted(modeltest.Call("queue", nil), modeltest.Say("Done.")), Tools: []*quarry.Tool{tool}})
	result, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Go.", Session: "s"})
	if err != nil || !result.OK() || !errors.Is(queued, session.ErrConflict) {
		t.Errorf("got %+v, %v; queued: %v", result, err, queued)
	}
}
