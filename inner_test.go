package quarry_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
)

type topicsIn struct {
	Topics []string `json:"topics"`
}

// survey makes a tool whose function runs the agent for each topic at once.
func survey(agent *quarry.Agent, atOnce bool) *quarry.Tool {
	return quarry.NewTool(quarry.ToolSpec{Name: "survey", Effect: quarry.ReadOnly, Runs: []*quarry.Agent{agent}}, func(ctx context.Context, in topicsIn) (string, error) {
		texts := make([]string, len(in.Topics))
		done := make(chan struct{})
		for i, topic := range in.Topics {
			one := func() {
				result, err := agent.Run(ctx, quarry.Input{Prompt: topic})
				switch {
				case err != nil:
					texts[i] = "error: " + err.Error()
				case !result.OK():
					texts[i] = fmt.Sprintf("%s %s: %s", result.Subtype, result.Reason, result.Detail)
				default:
					texts[i] = result.Text
				}
				done <- struct{}{}
			}
			go one()
			if !atOnce {
				<-done
			}
		}
		for range in.Topics {
			if atOnce {
				<-done
			}
		}
		return strings.Join(texts, "; "), nil
	})
}

// children lists a session's children.
func children(t *testing.T, store session.Store, id string) (ids []string) {
	t.Helper()
	for info, err := range store.List(t.Context(), session.Filter{Parent: id}) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, info.ID)
	}
	return ids
}

// Agents that a tool's function runs are children of the caller: in its store, its
// stream, its rules and its books.
func TestToolRunsAgents(t *testing.T) {
	t.Parallel()
	for _, atOnce := range []bool{false, true} {
		store := session.NewMemory()
		worker := modeltest.NewScripted(modeltest.Func(func(_ context.Context, req *model.Request) (*modeltest.Turn, error) {
			if rs := results(req); len(rs) > 0 {
				return modeltest.Say(rs[0].Content.Text()), nil
			}
			return modeltest.Call("weather", cityIn{saidLast(req)}), nil
		}))
		reader := newAgent(t, quarry.Config{Name: "reader", Model: worker, Tools: []*quarry.Tool{weather()}})
		m := modeltest.NewScripted(modeltest.Call("survey", topicsIn{[]string{"Oslo", "Rome", "Oslo"}}), modeltest.Say("Done."))
		var seen []string
		hook := quarry.Hook{On: quarry.PreToolUse, Match: "weather", Run: func(_ context.Context, in *quarry.HookInput) (quarry.HookOutput, error) {
			if in.Parent != "s" || in.Depth != 1 || in.Agent != "reader" {
				return quarry.HookOutput{}, fmt.Errorf("got %+v", in)
			}
			return quarry.HookOutput{}, nil
		}}
		agent := newAgent(t, quarry.Config{
			Name: "boss", Model: m, Store: store, Tools: []*quarry.Tool{survey(reader, atOnce)}, Hooks: []quarry.Hook{hook},
			Permissions: &quarry.Permissions{Mode: quarry.ModeBypass, Deny: []string{"weather(city:Rome)"}},
		})
		result, events, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Go.", Session: "s"})
		if err != nil || !result.OK() {
			t.Fatalf("got %+v, %v", result, err)
		}
		want := "sunny in Oslo; this call was denied: the rule weather(city:Rome) denies it. Do not try to get round that; go on without it, or say that it could not be done; sunny in Oslo"
		if got := results(m.Requests()[1])[0].Content.Text(); got != want {
			t.Errorf("the model is told %q, want %q", got, want)
		}
		if s := result.Spent; s.Turns != 8 || s.Children != 3 || s.ToolCalls != 3 || len(s.Agents) != 2 || s.Agents[1].Turns != 6 {
			t.Errorf("the result has %+v", s)
		}
		ids := children(t, store, "s")
		if len(ids) != 3 {
			t.Errorf("the children are %v", ids)
		}
		for _, ev := range events {
			if ev.Record != nil && ev.Session != "s" {
				if _, ok := ev.Record.Event.(*session.Ended); ok {
					seen = append(seen, ev.Session)
				}
			}
		}
		if len(seen) != 3 {
			t.Errorf("the stream shows the ends of %v", seen)
		}
	}
}

// A repeated call finds its runs again: wherever it was stopped, the model is asked
// no more often than it has to be.
func TestToolRunsAgentsAgain(t *testing.T) {
	t.Parallel()
	stopEverywhere(t, func() {}, func(store session.Store) *quarry.Agent {
		worker := modeltest.NewScripted(modeltest.Func(func(_ context.Context, req *model.Request) (*modeltest.Turn, error) {
			return modeltest.Say("I know " + saidLast(req)), nil
		}))
		reader := newAgent(t, quarry.Config{Name: "reader", Model: worker})
		m := modeltest.NewScripted(modeltest.EachConversation(modeltest.Call("survey", topicsIn{[]string{"a", "b", "a"}}), modeltest.Say("Done.")))
		return newAgent(t, quarry.Config{Name: "boss", Model: m, Store: store, Tools: []*quarry.Tool{survey(reader, false)}})
	}, func(t *testing.T, store session.Store, result *quarry.Result) {
		if result.Spent.Children != 3 {
			t.Errorf("got %+v", result)
		}
		checkTree(t, store, result)
		answers := 0
		for _, id := range children(t, store, "s") {
			for _, rec := range journal(t, store, id) {
				if _, ok := rec.Event.(*session.ModelAnswered); ok {
					answers++
				}
			}
		}
		if answers != 3 {
			t.Errorf("the reader answered %d times", answers)
		}
	})
}

// The runs share what the call may use, and one that gets nothing says so.
func TestToolRunsAgentsWithinLimits(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		limits quarry.Limits
		want   string
	}{
		// Of 11 turns, 5 are the call's; each run reserves half and uses one.
		{quarry.Limits{Turns: 11}, "Yes.; Yes.; Yes."},
		{quarry.Limits{Turns: 5}, "Yes.; Yes.; limit max_turns: too little is left of the limit of turns for a child session"},
		{quarry.Limits{Children: 4}, "Yes.; Yes.; limit max_children: too little is left of the limit of child sessions for a child session"},
		{quarry.Limits{Turns: 2}, "limit max_depth: no further generation of child sessions is allowed here"},
	} {
		store := session.NewMemory()
		worker := modeltest.NewScripted(modeltest.Func(func(context.Context, *model.Request) (*modeltest.Turn, error) { return modeltest.Say("Yes."), nil }))
		reader := newAgent(t, quarry.Config{Name: "reader", Model: worker})
		m := modeltest.NewScripted(modeltest.Call("survey", topicsIn{[]string{"a", "b", "c"}}), modeltest.Say("Done."))
		agent := newAgent(t, quarry.Config{Model: m, Store: store, Limits: test.limits, Tools: []*quarry.Tool{survey(reader, false)}})
		result, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Go.", Session: "s"})
		if err != nil {
			t.Fatal(err)
		}
		if got := results(m.Requests()[1])[0].Content.Text(); !strings.HasPrefix(got, test.want) {
			t.Errorf("limits %+v: got %q, want %q", test.limits, got, test.want)
		}
		checkTree(t, store, result)
	}
}

// What waits for a person in such a run parks the whole tree.
func TestToolRunsAgentsThatWait(t *testing.T) {
	t.Parallel()
	store := session.NewMemory()
	pay := quarry.NewTool(quarry.ToolSpec{Name: "pay", NeedsApproval: true}, func(context.Context, numberIn) (string, error) { return "paid", nil })
	worker := modeltest.NewScripted(modeltest.EachConversation(modeltest.CallID("p", "pay", number(1)), modeltest.Say("I paid.")))
	reader := newAgent(t, quarry.Config{Name: "reader", Model: worker, Tools: []*quarry.Tool{pay}})
	m := modeltest.NewScripted(modeltest.Call("survey", topicsIn{[]string{"a"}}), modeltest.Say("Done."))
	agent := newAgent(t, quarry.Config{Name: "boss", Model: m, Store: store, Park: true, Tools: []*quarry.Tool{survey(reader, false)}})
	result, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Go.", Session: "s"})
	if err != nil || result.Subtype != session.Waiting || len(result.Pending) != 1 || result.Pending[0].Session != children(t, store, "s")[0] {
		t.Fatalf("got %+v, %v", result, err)
	}
	if err := agent.Answer(t.Context(), "s", "p", quarry.Answer{Allow: true}); err != nil {
		t.Fatal(err)
	}
	if err := agent.Answer(t.Context(), "s", "p", quarry.Answer{Allow: true}); !errors.Is(err, quarry.ErrNotPending) {
		t.Errorf("answered twice: %v", err)
	}
	result, _, err = play(t.Context(), t, agent, quarry.Input{Session: "s"})
	if err != nil || !result.OK() || results(m.Requests()[1])[0].Content.Text() != "I paid." {
		t.Errorf("got %+v, %v", result, err)
	}
	checkTree(t, store, result)
}

// The end of the time stops such runs, and what they used is known.
func TestToolRunsAgentsUntilItsTimeIsOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := session.NewMemory()
		worker := modeltest.NewScripted(modeltest.Call("weather", cityIn{"Oslo"}), modeltest.Say("I").Hang())
		reader := newAgent(t, quarry.Config{Name: "reader", Model: worker, Tools: []*quarry.Tool{weather()}})
		m := modeltest.NewScripted(modeltest.Call("survey", topicsIn{[]string{"a"}}))
		agent := newAgent(t, quarry.Config{Name: "boss", Model: m, Store: store, Limits: quarry.Limits{Timeout: time.Second}, Tools: []*quarry.Tool{survey(reader, false)}})
		result, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Go.", Session: "s"})
		if err != nil || result.Reason != session.ReasonWallClock || len(result.Canceled) != 1 || result.Canceled[0].Spent.Turns != 1 {
			t.Fatalf("got %+v, %v", result, err)
		}
		checkTree(t, store, result)
	})
}

// An agent that a tool does not declare, or that names its session, is not run.
func TestToolRunsAgentsIsChecked(t *testing.T) {
	t.Parallel()
	reader := newAgent(t, quarry.Config{Name: "reader", Model: echo()})
	other := newAgent(t, quarry.Config{Name: "other", Model: echo()})
	var errs []string
	tool := quarry.NewTool(quarry.ToolSpec{Name: "survey", Effect: quarry.ReadOnly, Runs: []*quarry.Agent{reader}}, func(ctx context.Context, _ struct{}) (string, error) {
		for _, run := range []struct {
			agent *quarry.Agent
			in    quarry.Input
		}{{other, quarry.Input{Prompt: "x"}}, {reader, quarry.Input{Prompt: "x", Session: "mine"}}, {reader, quarry.Input{}}} {
			result, err := run.agent.Run(ctx, run.in)
			if result == nil || result.OK() || err == nil {
				return "", fmt.Errorf("got %+v, %w", result, err)
			}
			errs = append(errs, err.Error())
		}
		// With another context it is a session of its own.
		result, err := other.Run(context.WithoutCancel(t.Context()), quarry.Input{Prompt: "x"})
		if err != nil {
			return "", err
		}
		return result.Text, nil
	})
	m := modeltest.NewScripted(modeltest.Call("survey", nil), modeltest.Say("Done."))
	result, _, err := play(t.Context(), t, newAgent(t, quarry.Config{Model: m, Tools: []*quarry.Tool{tool}}), quarry.Input{Prompt: "Go."})
	if err != nil || !result.OK() || results(m.Requests()[1])[0].Content.Text() != "You said: x" {
		t.Fatalf("got %+v, %v", result, err)
	}
	for i, want := range []string{"add it to ToolSpec.Runs", "leave Input.Session empty", "there is no prompt"} {
		if !strings.Contains(errs[i], want) {
			t.Errorf("run %d: got %q, want %q", i, errs[i], want)
		}
	}
	for want, spec := range map[string]quarry.ToolSpec{
		"it runs agents, so that a crash must not lose what they do": {Name: "x", Runs: []*quarry.Agent{reader}},
		"one of the agents that it runs is nil":                      {Name: "x", Effect: quarry.ReadOnly, Runs: []*quarry.Agent{nil}},
	} {
		if _, err := quarry.New(quarry.Config{Model: echo(), Tools: []*quarry.Tool{quarry.NewTool(spec, noop[numberIn])}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// What runs have used is booked, whoever stopped them.
func TestToolRunsAgentsThatAreStopped(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"timeout", "own", "break"} {
		t.Run(how, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := session.NewMemory()
				worker := modeltest.NewScripted(modeltest.Call("weather", cityIn{"Oslo"}), modeltest.Say("I").Hang())
				reader := newAgent(t, quarry.Config{Name: "reader", Model: worker, Tools: []*quarry.Tool{weather()}})
				tool := quarry.NewTool(quarry.ToolSpec{Name: "survey", Effect: quarry.ReadOnly, Runs: []*quarry.Agent{reader}, Timeout: time.Minute}, func(ctx context.Context, _ struct{}) (string, error) {
					switch how {
					case "timeout":
						r, err := reader.Run(ctx, quarry.Input{Prompt: "x"})
						return fmt.Sprint(r.Subtype), err
					case "own":
						ctx, cancel := context.WithTimeout(ctx, time.Second)
						defer cancel()
						r, _ := reader.Run(ctx, quarry.Input{Prompt: "x"})
						return fmt.Sprint(r.Subtype), nil
					}
					for ev := range reader.Stream(ctx, quarry.Input{Prompt: "x"}) {
						if ev.Record != nil && ev.Record.Event.Kind() == session.KindToolAnswered {
							break
						}
					}
					return "left", nil
				})
				m := modeltest.NewScripted(modeltest.Call("survey", nil), modeltest.Say("Done."))
				agent := newAgent(t, quarry.Config{Name: "boss", Model: m, Store: store, Tools: []*quarry.Tool{tool}})
				result, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Go.", Session: "s"})
				if err != nil || !result.OK() {
					t.Fatalf("got %+v, %v", result, err)
				}
				if result.Spent.Children != 1 {
					t.Errorf("children: %d", result.Spent.Children)
				}
				checkTree(t, store, result)
			})
		})
	}
}

// The end of a call stops its runs, also those that its function has cut off from its
// context.
func TestToolRunsAgentsDetached(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := session.NewMemory()
		worker := modeltest.NewScripted(modeltest.Func(func(context.Context, *model.Request) (*modeltest.Turn, error) {
			return modeltest.Say("Late.").After(time.Hour), nil
		}))
		inner := newAgent(t, quarry.Config{Name: "inner", Model: worker, Limits: quarry.Limits{Idle: 2 * time.Hour, Timeout: 3 * time.Hour}})
		tool := quarry.NewTool(quarry.ToolSpec{Name: "survey", Effect: quarry.ReadOnly, Timeout: time.Second, Runs: []*quarry.Agent{inner}}, func(ctx context.Context, _ struct{}) (string, error) {
			r, err := inner.Run(context.WithoutCancel(ctx), quarry.Input{Prompt: "x"})
			return r.Text, err
		})
		m := modeltest.NewScripted(modeltest.Call("survey", nil), modeltest.Say("Done."))
		agent := newAgent(t, quarry.Config{Model: m, Store: store, Tools: []*quarry.Tool{tool}})
		began := time.Now()
		result, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Go.", Session: "s"})
		if took := time.Since(began); err != nil || !result.OK() || took > 2*time.Second {
			t.Errorf("after %v: %+v, %v", took, result, err)
		}
		time.Sleep(3 * time.Hour)
	})
}

// A run is waited for as any other child, also where its own tools do not heed their
// context: it writes nothing after its caller's end, and what it used is booked.
func TestToolRunsAgentsThatAreDeaf(t *testing.T) {
	t.Parallel()
	for i := range 20 {
		synctest.Test(t, func(t *testing.T) {
			store := session.NewMemory()
			deaf := quarry.NewTool(quarry.ToolSpec{Name: "deaf"}, func(ctx context.Context, _ struct{}) (string, error) {
				time.Sleep(time.Hour)
				return "slow", nil
			})
			worker := modeltest.NewScripted(modeltest.Call("deaf", nil), modeltest.Say("I").Hang())
			reader := newAgent(t, quarry.Config{Name: "reader", Model: worker, Tools: []*quarry.Tool{deaf}})
			m := modeltest.NewScripted(modeltest.Call("survey", topicsIn{[]string{"a"}}))
			agent := newAgent(t, quarry.Config{Name: "boss", Model: m, Store: store, Limits: quarry.Limits{Timeout: time.Second}, Tools: []*quarry.Tool{survey(reader, false)}})
			result, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Go.", Session: "s"})
			if err != nil || result.Reason != session.ReasonWallClock {
				t.Fatalf("got %+v, %v", result, err)
			}
			before := len(journal(t, store, children(t, store, "s")[0]))
			checkTree(t, store, result)
			time.Sleep(2 * time.Hour)
			if after := len(journal(t, store, children(t, store, "s")[0])); after != before {
				t.Errorf("%d: the child writes after the end", i)
			}
		})
	}
}

// Two agents of one name could not be told apart.
func TestToolRunsAgentsOfOneName(t *testing.T) {
	t.Parallel()
	a, b := newAgent(t, quarry.Config{Model: echo()}), newAgent(t, quarry.Config{Model: echo()})
	tool := quarry.NewTool(quarry.ToolSpec{Name: "x", Effect: quarry.ReadOnly, Runs: []*quarry.Agent{a, b}}, noop[numberIn])
	if _, err := quarry.New(quarry.Config{Model: echo(), Tools: []*quarry.Tool{tool}}); err == nil || !strings.Contains(err.Error(), `two of the agents that it runs are named "agent"`) {
		t.Errorf("got %v", err)
	}
}

// A typed result is asked for in a tool's function too.
func TestToolRunsAgentsTyped(t *testing.T) {
	t.Parallel()
	type count struct {
		N int `json:"n"`
	}
	inner := newAgent(t, quarry.Config{Name: "inner", Model: modeltest.NewScripted(modeltest.Call("final_answer", count{2}))})
	tool := quarry.NewTool(quarry.ToolSpec{Name: "x", Effect: quarry.ReadOnly, Runs: []*quarry.Agent{inner}}, func(ctx context.Context, _ numberIn) (string, error) {
		v, _, err := quarry.RunTyped[count](ctx, inner, quarry.Input{Prompt: "x"})
		return fmt.Sprint(v.N), err
	})
	m := modeltest.NewScripted(modeltest.Call("x", number(1)), modeltest.Say("Done."))
	agent := newAgent(t, quarry.Config{Model: m, Tools: []*quarry.Tool{tool}})
	if _, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Go.", Session: "s"}); err != nil {
		t.Fatal(err)
	}
	if got := userText(m.Requests()[1]); got != "2" {
		t.Errorf("told %q", got)
	}
}
