package quarry_test

import (
	"context"
	"encoding/json"
	"errors"
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

// A person answers while the run waits.
func TestApprover(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		answer quarry.Answer
		err    error
		ran    int32
		asked  int
		want   string
	}{
		{"allow", quarry.Answer{Allow: true}, nil, 2, 2, "sunny in Rome"},
		{"always", quarry.Answer{Allow: true, Always: "weather"}, nil, 2, 1, "sunny in Rome"},
		{"edit", quarry.Answer{Allow: true, Input: json.RawMessage(`{"city":"Oslo"}`)}, nil, 2, 2, "sunny in Oslo"},
		{"deny", quarry.Answer{Note: "not today"}, nil, 0, 2, "this call was denied: a person denied it: not today. Do not try to get round that; go on without it, or say that it could not be done"},
		{"nobody", quarry.Answer{}, errors.New("the terminal is gone"), 0, 2, "this call was denied: a person denied it: nobody could be asked: the terminal is gone. Do not try to get round that; go on without it, or say that it could not be done"},
		{"a wrong rule", quarry.Answer{Allow: true, Always: "*"}, nil, 0, 2, "this call was denied: a person denied it: nobody could be asked: the rule \"*\": a rule that allows names its tool"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var ran atomic.Int32
			asked := 0
			m := modeltest.NewScripted(modeltest.CallID("a", "weather", cityIn{"Rome"}), modeltest.CallID("b", "weather", cityIn{"Bern"}), modeltest.Say("Done."))
			agent := newAgent(t, quarry.Config{
				Name: "clerk", Model: m, Tools: []*quarry.Tool{forecast(&ran)}, Permissions: &quarry.Permissions{},
				Approver: func(_ context.Context, ask quarry.Approval) (quarry.Answer, error) {
					if asked++; ask.Agent != "clerk" || ask.Name != "weather" || ask.Reason == "" || ask.Question {
						t.Errorf("it is asked %+v", ask)
					}
					return test.answer, test.err
				},
			})
			result, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Go."})
			if err != nil || !result.OK() || ran.Load() != test.ran || asked != test.asked {
				t.Fatalf("got %+v, %v; the tool ran %d times, a person was asked %d times", result, err, ran.Load(), asked)
			}
			if got := results(m.Requests()[1])[0].Content.Text(); !strings.HasPrefix(got, test.want) {
				t.Errorf("the model is told %q, want %q", got, test.want)
			}
		})
	}
}

// A run parks while calls wait for a person, needs no process meanwhile, and goes
// on when all are answered, from anywhere; an answer given twice is refused.
func TestPark(t *testing.T) {
	t.Parallel()
	store := session.NewMemory()
	var ran atomic.Int32
	m := modeltest.NewScripted(
		modeltest.CallID("a", "weather", cityIn{"Rome"}).CallID("q", quarry.AskUserName, map[string]any{"question": "Which year?"}).CallID("b", "free", cityIn{"Bern"}).CallID("c", "weather", cityIn{"Oslo"}),
		modeltest.Say("Done."),
	)
	free := quarry.NewTool(quarry.ToolSpec{Name: "free", Effect: quarry.ReadOnly}, noop[cityIn])
	agent := func() *quarry.Agent {
		return newAgent(t, quarry.Config{
			Model: m, Store: store, Park: true, Permissions: &quarry.Permissions{Allow: []string{"free"}},
			Tools: []*quarry.Tool{forecast(&ran), quarry.AskUser(), free},
		})
	}
	result, err := agent().Run(t.Context(), quarry.Input{Prompt: "Go.", Session: "s"})
	if err != nil || result.Subtype != quarry.Waiting || result.Reason != session.ReasonApproval || ran.Load() != 0 {
		t.Fatalf("got %+v, %v", result, err)
	}
	var ids []string
	for _, p := range result.Pending {
		ids = append(ids, p.ID)
		if p.Question != (p.ID == "q") {
			t.Errorf("a person is asked %+v", p)
		}
	}
	if diff := cmp.Diff([]string{"a", "q", "c"}, ids); diff != "" {
		t.Errorf("wrong calls wait (-want +got):\n%s", diff)
	}
	for info, err := range store.List(t.Context(), session.Filter{Status: session.StatusWaiting}) {
		if err != nil || info.ID != "s" {
			t.Errorf("got %+v, %v", info, err)
		}
	}
	// Running it again asks nothing anew.
	last := len(journal(t, store, "s"))
	if result, err = agent().Run(t.Context(), quarry.Input{Session: "s"}); err != nil || result.Subtype != quarry.Waiting || len(journal(t, store, "s")) != last {
		t.Fatalf("got %+v, %v; the journal has %d records and had %d", result, err, len(journal(t, store, "s")), last)
	}
	if err := agent().Answer(t.Context(), "s", "", quarry.Answer{Allow: true}); err == nil || !strings.Contains(err.Error(), "3 calls wait for an answer; name one") {
		t.Errorf("got %v", err)
	}
	if err := agent().Answer(t.Context(), "s", "b", quarry.Answer{Allow: true}); !errors.Is(err, quarry.ErrNotPending) {
		t.Errorf("got %v", err)
	}
	for id, answer := range map[string]quarry.Answer{"a": {Allow: true}, "q": {Text: "1128"}, "c": {Note: "too cold"}} {
		if err := agent().Answer(t.Context(), "s", id, answer); err != nil {
			t.Fatal(err)
		}
		if err := agent().Answer(t.Context(), "s", id, answer); !errors.Is(err, quarry.ErrNotPending) {
			t.Errorf("answered twice: %v", err)
		}
	}
	result, err = agent().Run(t.Context(), quarry.Input{Session: "s"})
	if err != nil || !result.OK() || ran.Load() != 1 {
		t.Fatalf("got %+v, %v; the tool ran %d times", result, err, ran.Load())
	}
	var told []string
	for _, r := range results(m.Requests()[1]) {
		told = append(told, r.Content.Text())
	}
	want := []string{"sunny in Rome", "1128", "", "this call was denied: a person denied it: too cold. Do not try to get round that; go on without it, or say that it could not be done"}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("the model is told otherwise (-want +got):\n%s", diff)
	}
	// Why a call ran, or not, is in the journal.
	whys := map[string]string{}
	for _, rec := range journal(t, store, "s") {
		switch ev := rec.Event.(type) {
		case *session.ToolCalled:
			whys[ev.ID] = ev.Decision.Behavior + " " + ev.Decision.Stage
		case *session.ToolAnswered:
			if ev.Decision != nil {
				whys[ev.ID] = ev.Decision.Behavior + " " + ev.Decision.Stage
			}
		}
	}
	if diff := cmp.Diff(map[string]string{"a": "allow person", "b": "allow allow", "c": "deny person"}, whys); diff != "" {
		t.Errorf("wrong decisions (-want +got):\n%s", diff)
	}
}

// What a rule denies by its bare name the model does not see, and cannot call.
func TestHiddenTools(t *testing.T) {
	t.Parallel()
	var ran atomic.Int32
	m := modeltest.NewScripted(modeltest.Call("weather", cityIn{"Rome"}), modeltest.Say("Done."))
	agent := newAgent(t, quarry.Config{Model: m, Permissions: &quarry.Permissions{Mode: quarry.ModeBypass, Deny: []string{"weather"}}, Tools: []*quarry.Tool{forecast(&ran), quarry.ReadResult()}})
	if _, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Go."}); err != nil {
		t.Fatal(err)
	}
	if defs := m.Requests()[0].Tools.Defs; len(defs) != 1 || defs[0].Name != quarry.ReadResultName {
		t.Errorf("the model sees %+v", defs)
	}
	if r := results(m.Requests()[1])[0]; ran.Load() != 0 || !r.IsError || !strings.Contains(r.Content.Text(), "the rule weather denies it") {
		t.Errorf("the tool ran %d times, and the model is told %q", ran.Load(), r.Content.Text())
	}
}

// A child has its parent's rules, whatever its own say.
func TestPermissionsBindChildren(t *testing.T) {
	t.Parallel()
	for name, own := range map[string]*quarry.Permissions{"none": nil, "bypass": {Mode: quarry.ModeBypass}, "allow": {Allow: []string{"weather"}}} {
		var ran atomic.Int32
		child := modeltest.NewScripted(modeltest.Call("weather", cityIn{"Rome"}), modeltest.Say("Done."))
		helper := helperTool(t, quarry.Config{Model: child, Permissions: own, Tools: []*quarry.Tool{forecast(&ran)}})
		m := modeltest.NewScripted(modeltest.Call("helper", promptOf("Go.")), modeltest.Say("Done."))
		agent := newAgent(t, quarry.Config{Model: m, Permissions: &quarry.Permissions{Mode: quarry.ModeDontAsk, Deny: []string{"weather(city:Rome)"}, Allow: []string{"helper"}}, Tools: []*quarry.Tool{helper}})
		if result, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Go."}); err != nil || !result.OK() {
			t.Fatalf("%s: %+v, %v", name, result, err)
		}
		if r := results(child.Requests()[1])[0]; ran.Load() != 0 || !strings.Contains(r.Content.Text(), "the rule weather(city:Rome) denies it") {
			t.Errorf("%s: the tool ran %d times, and the child is told %q", name, ran.Load(), r.Content.Text())
		}
	}
}

// The time that a person takes is not worked on the prompt.
func TestApproverTakesTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var ran atomic.Int32
		m := modeltest.NewScripted(modeltest.Call("weather", cityIn{"Rome"}), modeltest.Say("Done."))
		agent := newAgent(t, quarry.Config{
			Model: m, Tools: []*quarry.Tool{forecast(&ran)}, Permissions: &quarry.Permissions{}, Limits: quarry.Limits{Timeout: time.Minute},
			Approver: func(context.Context, quarry.Approval) (quarry.Answer, error) {
				time.Sleep(time.Hour)
				return quarry.Answer{Allow: true}, nil
			},
		})
		result, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Go."})
		if err != nil || !result.OK() || ran.Load() != 1 || result.Duration > time.Minute {
			t.Errorf("got %+v, %v; the tool ran %d times", result, err, ran.Load())
		}
	})
}

// Hooks of PostCompact are called once for each time that the conversation was made
// shorter; those of PreCompact may keep it as it is.
func TestHooksOfCompaction(t *testing.T) {
	t.Parallel()
	for _, deny := range []bool{false, true} {
		var pre, post atomic.Int32
		long := quarry.NewTool(quarry.ToolSpec{Name: "long", Effect: quarry.ReadOnly}, func(context.Context, numberIn) (string, error) { return strings.Repeat("words ", 200), nil })
		var turns []*modeltest.Turn
		for i := range 9 {
			turns = append(turns, modeltest.Call("long", number(i)))
		}
		store := session.NewMemory()
		agent := newAgent(t, quarry.Config{
			Model: modeltest.NewScripted(append(turns, modeltest.Say("Done."))...), Store: store, Tools: []*quarry.Tool{long}, Compaction: quarry.Compaction{Window: 2000},
			Hooks: []quarry.Hook{
				{On: quarry.PreCompact, Run: func(_ context.Context, in *quarry.HookInput) (quarry.HookOutput, error) {
					pre.Add(1)
					if deny {
						return quarry.HookOutput{Decision: quarry.Deny}, nil
					}
					return quarry.HookOutput{}, nil
				}},
				{On: quarry.PostCompact, Run: func(context.Context, *quarry.HookInput) (quarry.HookOutput, error) {
					post.Add(1)
					return quarry.HookOutput{}, nil
				}},
			},
		})
		if result, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Go.", Session: "s"}); err != nil || !result.OK() {
			t.Fatalf("got %+v, %v", result, err)
		}
		compacted := int32(0)
		for _, kind := range kinds(journal(t, store, "s")) {
			if kind == session.KindCompacted {
				compacted++
			}
		}
		if post.Load() != compacted || (compacted == 0) != deny || pre.Load() == 0 {
			t.Errorf("deny %v: %d compactions, %d hooks before and %d after", deny, compacted, pre.Load(), post.Load())
		}
	}
}

// A call that waits in a child makes the whole tree wait; its answer is given by the
// parent's session, and all go on.
func TestParkInChildren(t *testing.T) {
	t.Parallel()
	store := session.NewMemory()
	var ran atomic.Int32
	leafModel := modeltest.NewScripted(modeltest.CallID("deep", "weather", cityIn{"Rome"}), modeltest.Say("Leaf."))
	middleModel := modeltest.NewScripted(modeltest.CallID("l", "leaf", promptOf("Go.")), modeltest.Say("Middle."))
	rootModel := modeltest.NewScripted(modeltest.CallID("m", "middle", promptOf("Go.")).CallID("own", "weather", cityIn{"Oslo"}), modeltest.Say("Root."))
	agent := func() *quarry.Agent {
		leaf := newAgent(t, quarry.Config{Name: "leaf", Model: leafModel, Tools: []*quarry.Tool{forecast(&ran)}})
		middle := newAgent(t, quarry.Config{Name: "middle", Model: middleModel, Tools: []*quarry.Tool{quarry.AgentTool(quarry.ToolSpec{Name: "leaf"}, leaf)}})
		return newAgent(t, quarry.Config{
			Name: "root", Model: rootModel, Store: store, Park: true, Permissions: &quarry.Permissions{Allow: []string{"Agent"}, Ask: []string{"weather"}},
			Tools: []*quarry.Tool{quarry.AgentTool(quarry.ToolSpec{Name: "middle"}, middle), forecast(&ran)},
		})
	}
	result, _, err := play(t.Context(), t, agent(), quarry.Input{Prompt: "Go.", Session: "s"})
	if err != nil || result.Subtype != quarry.Waiting || len(result.Pending) != 2 || ran.Load() != 0 {
		t.Fatalf("got %+v, %v", result, err)
	}
	if p := result.Pending[1]; p.ID != "deep" || p.Session != "s-1-0-1-0" {
		t.Errorf("the call of the child is %+v", p)
	}
	if err := agent().Answer(t.Context(), "s", "deep", quarry.Answer{Allow: true}); err != nil {
		t.Fatal(err)
	}
	result, _, err = play(t.Context(), t, agent(), quarry.Input{Session: "s"})
	if err != nil || result.Subtype != quarry.Waiting || len(result.Pending) != 1 || ran.Load() != 1 {
		t.Fatalf("got %+v, %v; the tool ran %d times", result, err, ran.Load())
	}
	if err := agent().Answer(t.Context(), "s", "deep", quarry.Answer{Allow: true}); !errors.Is(err, quarry.ErrNotPending) {
		t.Errorf("answered twice: %v", err)
	}
	if err := agent().Answer(t.Context(), "s", "", quarry.Answer{Allow: true}); err != nil {
		t.Fatal(err)
	}
	result, _, err = play(t.Context(), t, agent(), quarry.Input{Session: "s"})
	if err != nil || !result.OK() || result.Text != "Root." || ran.Load() != 2 || result.Spent.Turns != 6 || results(rootModel.Requests()[1])[0].Content.Text() != "Middle." {
		t.Errorf("got %+v, %v; the tool ran %d times", result, err, ran.Load())
	}
}

// Nobody is asked about a call that could not run.
func TestNobodyIsAskedInVain(t *testing.T) {
	t.Parallel()
	m := modeltest.NewScripted(modeltest.Call("weather", map[string]int{"city": 1}), modeltest.Say("I see."))
	agent := newAgent(t, quarry.Config{
		Model: m, Park: true, Tools: []*quarry.Tool{weather()}, Hooks: []quarry.Hook{on(quarry.PreToolUse, "", quarry.HookOutput{Decision: quarry.Ask, Reason: "better ask"})},
	})
	result, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Go."})
	if err != nil || !result.OK() {
		t.Fatalf("got %+v, %v", result, err)
	}
	if got := results(m.Requests()[1])[0].Content.Text(); !strings.HasPrefix(got, `"city" must be a string`) {
		t.Errorf("the model is told %q", got)
	}
}

// A bare name in Deny takes the provider's own tools away too, and rules that are
// about no tool are told.
func TestUnusedRules(t *testing.T) {
	t.Parallel()
	m := modeltest.NewScripted(modeltest.Say("Done."))
	inner := newAgent(t, quarry.Config{Name: "inner", Model: echo(), Tools: []*quarry.Tool{quarry.NewTool(quarry.ToolSpec{Name: "dig"}, noop[numberIn])}})
	agent := newAgent(t, quarry.Config{
		Model: m, Tools: []*quarry.Tool{weather(), quarry.AgentTool(quarry.ToolSpec{Name: "ask"}, inner)},
		ServerTools: []model.ServerTool{{Type: "web_search_20250305", Name: "web_search"}, {Type: "web_fetch_20250910", Name: "web_fetch"}},
		Permissions: &quarry.Permissions{
			Deny: []string{"web_search", "Bash(rm:*)", "dig(n:1)", "mcp__later"}, Ask: []string{"wether", "weather"}, Allow: []string{"ask", "Agent(x)", "Read"},
		},
	})
	if diff := cmp.Diff([]string{"Bash(rm:*)", "wether", "Read"}, agent.UnusedRules()); diff != "" {
		t.Errorf("wrong rules are unused (-want +got):\n%s", diff)
	}
	if _, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Go."}); err != nil {
		t.Fatal(err)
	}
	if got := m.Requests()[0].Tools.Server; len(got) != 1 || got[0].Name != "web_fetch" {
		t.Errorf("the provider is offered %+v", got)
	}
}

// A person may take longer than the prompt, also where something else was under way when
// it was asked.
func TestPersonTakesLongerThanATool(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := session.NewMemory()
		slow := quarry.NewTool(quarry.ToolSpec{Name: "slow", Effect: quarry.ReadOnly}, func(ctx context.Context, _ struct{}) (string, error) {
			time.Sleep(2 * time.Second)
			return "slow", nil
		})
		pay := quarry.NewTool(quarry.ToolSpec{Name: "pay", NeedsApproval: true, Effect: quarry.ReadOnly}, func(context.Context, numberIn) (string, error) { return "paid", nil })
		m := modeltest.NewScripted(modeltest.Call("slow", nil).Call("pay", number(1)), modeltest.Say("Done."))
		agent := newAgent(t, quarry.Config{Name: "boss", Model: m, Store: store, Limits: quarry.Limits{Timeout: time.Minute}, Tools: []*quarry.Tool{slow, pay},
			Approver: func(ctx context.Context, ask quarry.Approval) (quarry.Answer, error) {
				time.Sleep(time.Hour)
				return quarry.Answer{Allow: true}, nil
			}})
		result, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Go.", Session: "s"})
		if err != nil || !result.OK() {
			t.Errorf("got %+v, %v", result, err)
		}
	})
}
