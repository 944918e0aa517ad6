package quarry_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
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

// on makes a hook that says the same each time.
func on(point quarry.HookPoint, match string, out quarry.HookOutput) quarry.Hook {
	return quarry.Hook{On: point, Match: match, Run: func(context.Context, *quarry.HookInput) (quarry.HookOutput, error) { return out, nil }}
}

func text(s string) *string { return &s }

// forecast is a tool that counts its calls.
func forecast(ran *atomic.Int32) *quarry.Tool {
	return quarry.NewTool(quarry.ToolSpec{Name: "weather", Effect: quarry.ReadOnly}, func(_ context.Context, in cityIn) (string, error) {
		ran.Add(1)
		if in.City == "Atlantis" {
			return "", errors.New("no such city")
		}
		return "sunny in " + in.City, nil
	})
}

// What hooks say about a call: the most restrictive counts, inputs and outputs are
// replaced, contexts come in the order of registration.
func TestHooksOfCalls(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		city  string
		hooks []quarry.Hook
		ran   int32
		want  string // the result that the model is told
		after string // the texts behind it
	}{
		{"none matches", "Rome", []quarry.Hook{on(quarry.PreToolUse, "other|another", quarry.HookOutput{Decision: quarry.Deny})}, 1, "sunny in Rome", ""},
		{"a regular expression", "Rome", []quarry.Hook{on(quarry.PreToolUse, "^wea.*r$", quarry.HookOutput{Decision: quarry.Deny, Reason: "it is late"})}, 0,
			"this call was denied: it is late. Do not try to get round that; go on without it, or say that it could not be done", ""},
		{"deny beats allow", "Rome", []quarry.Hook{
			on(quarry.PreToolUse, "", quarry.HookOutput{Decision: quarry.Allow}), on(quarry.PreToolUse, "weather", quarry.HookOutput{Decision: quarry.Deny, Reason: "no"}), on(quarry.PreToolUse, "*", quarry.HookOutput{Decision: quarry.Ask}),
		}, 0, "this call was denied: no. Do not try to get round that; go on without it, or say that it could not be done", ""},
		{"ask without anybody", "Rome", []quarry.Hook{on(quarry.PreToolUse, "", quarry.HookOutput{Decision: quarry.Ask, Reason: "better ask"})}, 0,
			"this call was denied: better ask, and there is nobody to ask. Do not try to get round that; go on without it, or say that it could not be done", ""},
		{"another input", "Rome", []quarry.Hook{on(quarry.PreToolUse, "", quarry.HookOutput{Input: json.RawMessage(`{"city":"Oslo"}`)})}, 1, "sunny in Oslo", ""},
		{"an input that does not fit", "Rome", []quarry.Hook{on(quarry.PreToolUse, "", quarry.HookOutput{Input: json.RawMessage(`{"town":"Oslo"}`)})}, 0, `"city" is missing (string: the city's name); add it`, ""},
		{"another output", "Rome", []quarry.Hook{on(quarry.PostToolUse, "", quarry.HookOutput{Output: text("redacted")})}, 1, "redacted", ""},
		{"contexts in order", "Rome", []quarry.Hook{
			on(quarry.PostToolUse, "", quarry.HookOutput{Context: "1"}), on(quarry.PostToolBatch, "", quarry.HookOutput{Context: "3"}),
			on(quarry.PostToolUse, "", quarry.HookOutput{Context: "2"}), on(quarry.PreToolUse, "", quarry.HookOutput{Context: "0"}), on(quarry.PostToolUseFailure, "", quarry.HookOutput{Context: "never"}),
		}, 1, "sunny in Rome", "0123"},
		{"a failure", "Atlantis", []quarry.Hook{
			on(quarry.PostToolUseFailure, "", quarry.HookOutput{Output: text("try Crete"), Context: "it sank"}), on(quarry.PostToolUse, "", quarry.HookOutput{Context: "never"}),
		}, 1, "try Crete", "it sank"},
		{"one that fails denies", "Rome", []quarry.Hook{{On: quarry.PreToolUse, Name: "guard", Run: func(context.Context, *quarry.HookInput) (quarry.HookOutput, error) {
			return quarry.HookOutput{}, errors.New("the list is away")
		}}}, 0, "this call was denied: the hook guard failed (the list is away), and such hooks deny when they fail. Do not try to get round that; go on without it, or say that it could not be done", ""},
		{"one that panics denies", "Rome", []quarry.Hook{{On: quarry.PreToolUse, Run: func(context.Context, *quarry.HookInput) (quarry.HookOutput, error) { panic("oh") }}}, 0,
			"this call was denied: the hook PreToolUse failed (it panicked: oh), and such hooks deny when they fail. Do not try to get round that; go on without it, or say that it could not be done", ""},
		{"one that fails afterwards has no opinion", "Rome", []quarry.Hook{{On: quarry.PostToolUse, Run: func(context.Context, *quarry.HookInput) (quarry.HookOutput, error) { panic("oh") }}}, 1, "sunny in Rome", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var ran atomic.Int32
			m := modeltest.NewScripted(modeltest.Call("weather", cityIn{test.city}), modeltest.Say("Done."))
			agent := newAgent(t, quarry.Config{Model: m, Hooks: test.hooks, Tools: []*quarry.Tool{forecast(&ran)}})
			result, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Go."})
			if err != nil || !result.OK() {
				t.Fatalf("got %+v, %v", result, err)
			}
			req := m.Requests()[1]
			if got := results(req)[0].Content.Text(); got != test.want || ran.Load() != test.ran {
				t.Errorf("the tool ran %d times, and the model is told %q, want %q", ran.Load(), got, test.want)
			}
			if got := req.Messages[len(req.Messages)-1].Blocks.Text(); got != test.after {
				t.Errorf("behind it the model is told %q, want %q", got, test.after)
			}
		})
	}
}

// A hook that takes too long is given up; those of a point run at the same time.
func TestHookTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := quarry.Hook{On: quarry.PreToolUse, Name: "slow", Timeout: 5 * time.Second, Run: func(ctx context.Context, _ *quarry.HookInput) (quarry.HookOutput, error) {
			<-ctx.Done()
			return quarry.HookOutput{}, ctx.Err()
		}}
		var ran atomic.Int32
		m := modeltest.NewScripted(modeltest.Call("weather", cityIn{"Rome"}), modeltest.Say("Done."))
		began := time.Now()
		result, _, err := play(t.Context(), t, newAgent(t, quarry.Config{Model: m, Hooks: []quarry.Hook{slow, slow, slow}, Tools: []*quarry.Tool{forecast(&ran)}}), quarry.Input{Prompt: "Go."})
		if err != nil || !result.OK() || ran.Load() != 0 || time.Since(began) != 5*time.Second {
			t.Errorf("after %v: %+v, %v; the tool ran %d times", time.Since(began), result, err, ran.Load())
		}
	})
}

// Hooks before a prompt may deny it or add to it.
func TestHooksOfPrompts(t *testing.T) {
	t.Parallel()
	m := modeltest.NewScripted(modeltest.Say("Hello."), modeltest.Say("Again."))
	var denied atomic.Bool
	agent := newAgent(t, quarry.Config{Model: m, Hooks: []quarry.Hook{
		on(quarry.SessionStart, "", quarry.HookOutput{Context: "[It is Monday.]"}),
		{On: quarry.UserPromptSubmit, Run: func(_ context.Context, in *quarry.HookInput) (quarry.HookOutput, error) {
			if strings.Contains(in.Prompt, "secret") {
				denied.Store(true)
				return quarry.HookOutput{Decision: quarry.Deny, Reason: "it names a secret"}, nil
			}
			return quarry.HookOutput{Context: "[Be kind.]"}, nil
		}},
	}})
	for _, step := range []struct{ prompt, want string }{{"Hi.", "Hi.[It is Monday.][Be kind.]"}, {"The secret is 42.", ""}, {"Hi again.", "Hi again.[Be kind.]"}} {
		result, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: step.prompt, Session: "s"})
		if err != nil {
			t.Fatal(err)
		}
		if step.want == "" {
			if result.Subtype != quarry.Halted || result.Reason != session.ReasonHook || !strings.Contains(result.Detail, "it names a secret") || !denied.Load() {
				t.Errorf("got %+v", result)
			}
			continue
		}
		requests := m.Requests()
		messages := requests[len(requests)-1].Messages
		if got := messages[len(messages)-1].Blocks.Text(); got != step.want {
			t.Errorf("the model is told %q, want %q", got, step.want)
		}
	}
	for _, req := range m.Requests() {
		for _, msg := range req.Messages {
			if strings.Contains(msg.Blocks.Text(), "secret") {
				t.Error("a denied prompt reaches the model")
			}
		}
	}
}

// Hooks of Stop may ask for more work, eight times in a row; the last answer then
// stands.
func TestHooksOfStop(t *testing.T) {
	t.Parallel()
	for _, want := range []int{0, 3, quarry.MaxStops + 5} {
		t.Run(fmt.Sprint(want), func(t *testing.T) {
			t.Parallel()
			n := 0
			m := modeltest.NewScripted(modeltest.Func(func(context.Context, *model.Request) (*modeltest.Turn, error) {
				n++
				return modeltest.Say(fmt.Sprintf("Answer %d.", n)), nil
			}))
			agent := newAgent(t, quarry.Config{Model: m, Hooks: []quarry.Hook{{On: quarry.Stop, Run: func(_ context.Context, in *quarry.HookInput) (quarry.HookOutput, error) {
				if in.Stops < want {
					return quarry.HookOutput{Decision: quarry.Deny, Reason: fmt.Sprintf("%q lacks sources", in.Text)}, nil
				}
				return quarry.HookOutput{}, nil
			}}}})
			result, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Go."})
			turns := min(want, quarry.MaxStops) + 1
			if err != nil || !result.OK() || result.Turns != turns || result.Text != fmt.Sprintf("Answer %d.", turns) {
				t.Fatalf("got %+v, %v", result, err)
			}
			if want > 0 {
				messages := m.Requests()[1].Messages
				if got := messages[len(messages)-1].Blocks.Text(); got != `[Quarry: the work is not done yet: "Answer 1." lacks sources]` {
					t.Errorf("the model is told %q", got)
				}
			}
		})
	}
}

// The hooks of an agent bind its children at any depth; a child's own come after
// them.
func TestHooksBindChildren(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var seen []string
	note := func(name string, points ...quarry.HookPoint) (hooks []quarry.Hook) {
		for _, point := range points {
			hooks = append(hooks, quarry.Hook{On: point, Run: func(_ context.Context, in *quarry.HookInput) (quarry.HookOutput, error) {
				mu.Lock()
				defer mu.Unlock()
				if in.Dir != "/desk" {
					t.Errorf("%s is told of the folder %q", in.Point, in.Dir)
				}
				seen = append(seen, fmt.Sprintf("%s %s of %s at %d below %q %s", name, in.Point, in.Agent, in.Depth, in.Parent, in.Tool))
				return quarry.HookOutput{}, nil
			}})
		}
		return hooks
	}
	var ran atomic.Int32
	leaf := newAgent(t, quarry.Config{Name: "leaf", Model: modeltest.NewScripted(modeltest.Call("weather", cityIn{"Rome"}), modeltest.Say("Leaf.")), Tools: []*quarry.Tool{forecast(&ran)}, Hooks: note("leaf", quarry.PreToolUse)})
	middle := newAgent(t, quarry.Config{Name: "middle", Model: modeltest.NewScripted(modeltest.Call("leaf", promptOf("Go.")), modeltest.Say("Middle.")), Tools: []*quarry.Tool{quarry.AgentTool(quarry.ToolSpec{Name: "leaf"}, leaf)}})
	root := newAgent(t, quarry.Config{
		Name: "root", Dir: "/desk", Model: modeltest.NewScripted(modeltest.Call("middle", promptOf("Go.")), modeltest.Say("Root.")), Tools: []*quarry.Tool{quarry.AgentTool(quarry.ToolSpec{Name: "middle"}, middle)},
		Hooks: note("root", quarry.PreToolUse, quarry.SubagentStart, quarry.SubagentStop, quarry.Stop),
	})
	result, _, err := play(t.Context(), t, root, quarry.Input{Prompt: "Go.", Session: "s"})
	if err != nil || !result.OK() || ran.Load() != 1 {
		t.Fatalf("got %+v, %v", result, err)
	}
	slices.Sort(seen)
	want := []string{
		`leaf PreToolUse of leaf at 2 below "s-1-0" weather`,
		`root PreToolUse of leaf at 2 below "s-1-0" weather`,
		`root PreToolUse of middle at 1 below "s" leaf`,
		`root PreToolUse of root at 0 below "" middle`,
		`root Stop of root at 0 below "" `,
		`root SubagentStart of leaf at 2 below "s-1-0" `,
		`root SubagentStart of middle at 1 below "s" `,
		`root SubagentStop of leaf at 2 below "s-1-0" `,
		`root SubagentStop of middle at 1 below "s" `,
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("wrong hooks were called (-want +got):\n%s", diff)
	}
}

// What hooks said is in the journal, and they are not called again for it.
func TestHooksAreNotCalledAgain(t *testing.T) {
	t.Parallel()
	calls := map[quarry.HookPoint]int{}
	var mu sync.Mutex
	config := func() quarry.Config {
		var hooks []quarry.Hook
		for _, point := range []quarry.HookPoint{quarry.SessionStart, quarry.UserPromptSubmit, quarry.PreToolUse, quarry.PostToolUse, quarry.PostToolBatch, quarry.Stop, quarry.SessionEnd} {
			hooks = append(hooks, quarry.Hook{On: point, Run: func(_ context.Context, in *quarry.HookInput) (quarry.HookOutput, error) {
				mu.Lock()
				defer mu.Unlock()
				calls[in.Point]++
				return quarry.HookOutput{}, nil
			}})
		}
		var ran atomic.Int32
		return quarry.Config{
			Hooks: hooks, Tools: []*quarry.Tool{forecast(&ran)},
			Model: modeltest.NewScripted(modeltest.EachConversation(modeltest.Call("weather", cityIn{"Rome"}), modeltest.Say("Done."))),
		}
	}
	whole := session.NewMemory()
	cfg := config()
	cfg.Store = whole
	if _, _, err := play(t.Context(), t, newAgent(t, cfg), quarry.Input{Prompt: "Go.", Session: "s"}); err != nil {
		t.Fatal(err)
	}
	recs := journal(t, whole, "s")
	for n := 2; n < len(recs); n++ {
		answered := map[quarry.HookPoint]int{}
		for _, rec := range recs[:n] {
			if a, ok := rec.Event.(*session.HookAnswered); ok {
				answered[quarry.HookPoint(a.Point)]++
			}
		}
		clear(calls)
		cfg := config()
		cfg.Store = session.NewMemory()
		if err := cfg.Store.Append(t.Context(), "s", 0, recs[:n]); err != nil {
			t.Fatal(err)
		}
		result, _, err := play(t.Context(), t, newAgent(t, cfg), quarry.Input{Session: "s"})
		if err != nil || !result.OK() {
			t.Fatalf("after record %d: %+v, %v", n, result, err)
		}
		for point := range map[quarry.HookPoint]bool{quarry.SessionStart: true, quarry.UserPromptSubmit: true, quarry.PreToolUse: true, quarry.PostToolUse: true, quarry.PostToolBatch: true, quarry.Stop: true, quarry.SessionEnd: true} {
			if calls[point] != 1-answered[point] {
				t.Errorf("after record %d, which has %d answers of %s, it is called %d times", n, answered[point], point, calls[point])
			}
		}
	}
}

func TestHooksAreChecked(t *testing.T) {
	t.Parallel()
	run := func(context.Context, *quarry.HookInput) (quarry.HookOutput, error) { return quarry.HookOutput{}, nil }
	for want, hook := range map[string]quarry.Hook{
		`there is no point "Pre" to hook on`: {On: "Pre", Run: run},
		"it has no function":                 {On: quarry.Stop},
		"its timeout is negative":            {On: quarry.Stop, Run: run, Timeout: -1},
		"no regular expression":              {On: quarry.PreToolUse, Run: run, Match: "a("},
	} {
		if _, err := quarry.New(quarry.Config{Model: modeltest.NewScripted(), Hooks: []quarry.Hook{hook}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v; want an error with %q", err, want)
		}
	}
}

// Names are divided as people write them.
func TestHookMatches(t *testing.T) {
	t.Parallel()
	for match, want := range map[string]bool{
		"weather": true, "pay|weather": true, "pay,weather": true, "pay, weather": true, "*": true, "": true, "weath": false, "weath.*": true, "pay": false,
	} {
		called := false
		hook := quarry.Hook{On: quarry.PreToolUse, Match: match, Run: func(context.Context, *quarry.HookInput) (quarry.HookOutput, error) {
			called = true
			return quarry.HookOutput{}, nil
		}}
		m := modeltest.NewScripted(modeltest.Call("weather", cityIn{"Oslo"}), modeltest.Say("Done."))
		if _, _, err := play(t.Context(), t, newAgent(t, quarry.Config{Model: m, Tools: []*quarry.Tool{weather()}, Hooks: []quarry.Hook{hook}}), quarry.Input{Prompt: "Go."}); err != nil || called != want {
			t.Errorf("%q: called %v, want %v; %v", match, called, want, err)
		}
	}
}

// A hook of SessionEnd that the end of the time cuts off does not keep the result.
func TestSessionEndIsCutOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hook := quarry.Hook{On: quarry.SessionEnd, Run: func(ctx context.Context, in *quarry.HookInput) (quarry.HookOutput, error) {
			<-ctx.Done()
			return quarry.HookOutput{}, ctx.Err()
		}, Timeout: time.Hour}
		store := session.NewMemory()
		agent := newAgent(t, quarry.Config{Model: modeltest.NewScripted(modeltest.Say("Done.")), Store: store, Hooks: []quarry.Hook{hook}, Limits: quarry.Limits{Timeout: time.Minute}})
		result, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Go.", Session: "s"})
		if err != nil || !result.OK() {
			t.Errorf("got %+v, %v", result, err)
		}
	})
}
