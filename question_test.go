package quarry_test

import (
	"context"
	"encoding/json"
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

// booking makes a tool that asks for a seat, and for a name, before it books.
func booking(booked *int) *quarry.Tool {
	return quarry.NewTool(quarry.ToolSpec{Name: "book"}, func(ctx context.Context, in numberIn) (string, error) {
		call, _ := quarry.CallFrom(ctx)
		seat, err := call.Ask(quarry.Question{Text: "Which seat?", Choices: []string{"aisle", "window"}})
		if err != nil {
			return "", err
		}
		if seat.Declined {
			return "not booked: " + seat.Note, nil
		}
		who, err := call.Ask(quarry.Question{Text: "Who flies?", From: "the airline", Schema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`)})
		if err != nil {
			return "", fmt.Errorf("it cannot be booked yet: %w", err)
		}
		if who.Declined {
			return "nobody flies", nil
		}
		*booked++
		return fmt.Sprintf("booked %s for %s", seat.Text, who.Content), nil
	})
}

// A tool's function asks a person: the run parks, and the function is called again
// with the answer, until it has all.
func TestToolAsks(t *testing.T) {
	t.Parallel()
	store := session.NewMemory()
	booked := 0
	m := modeltest.NewScripted(modeltest.CallID("b", "book", number(1)).CallID("c", "book", number(2)), modeltest.Say("Done."))
	agent := newAgent(t, quarry.Config{Model: m, Store: store, Park: true, Tools: []*quarry.Tool{booking(&booked)}, Permissions: &quarry.Permissions{Ask: []string{"book(n:1)"}, Allow: []string{"book"}}})
	resume := func(in quarry.Input) *quarry.Result {
		t.Helper()
		in.Session = "s"
		result, _, err := play(t.Context(), t, agent, in)
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	answer := func(call string, a quarry.Answer) error { return agent.Answer(t.Context(), "s", call, a) }
	pending := func(r *quarry.Result) (out []string) {
		for _, p := range r.Pending {
			out = append(out, fmt.Sprint(p.ID, " ", p.Question, " ", p.Inquiry, " ", string(p.Input), " ", p.Reason))
		}
		return out
	}
	seat := ` {"question":"Which seat?","choices":["aisle","window"]} the tool asks`
	who := ` {"question":"Who flies?","schema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]},"from":"the airline"} the airline asks`

	// The first call needs leave to run at all; the second waits for it.
	if diff := cmp.Diff([]string{"b false 0 {\"n\":1} the rule book(n:1) asks for an approval"}, pending(resume(quarry.Input{Prompt: "Book."}))); diff != "" {
		t.Fatalf("wrong calls wait (-want +got):\n%s", diff)
	}
	if err := answer("b", quarry.Answer{Allow: true}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"b true 1" + seat}, pending(resume(quarry.Input{}))); diff != "" {
		t.Fatalf("wrong calls wait (-want +got):\n%s", diff)
	}
	if err := answer("b", quarry.Answer{Text: "aisle"}); err != nil {
		t.Fatal(err)
	}
	if err := answer("b", quarry.Answer{Text: "window"}); !errors.Is(err, quarry.ErrNotPending) {
		t.Errorf("answered twice: %v", err)
	}
	if diff := cmp.Diff([]string{"b true 2" + who}, pending(resume(quarry.Input{}))); diff != "" {
		t.Fatalf("wrong calls wait (-want +got):\n%s", diff)
	}
	for want, a := range map[string]quarry.Answer{
		"the answer does not fit what is asked for: book takes JSON of the schema": {Text: "Ada"},
		`the answer does not fit what is asked for: "name" is missing`:             {Input: json.RawMessage(`{}`)},
	} {
		if err := answer("b", a); !errors.Is(err, quarry.ErrAnswer) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if err := answer("b", quarry.Answer{Input: json.RawMessage(`{"name":"Ada"}`)}); err != nil {
		t.Fatal(err)
	}
	// Now the second call asks, and gets a no.
	if diff := cmp.Diff([]string{"c true 1" + seat}, pending(resume(quarry.Input{}))); diff != "" {
		t.Fatalf("wrong calls wait (-want +got):\n%s", diff)
	}
	if err := answer("c", quarry.Answer{Note: "too dear"}); err != nil {
		t.Fatal(err)
	}
	if r := resume(quarry.Input{}); !r.OK() || booked != 1 {
		t.Errorf("got %+v; booked %d times", r, booked)
	}
	var got []string
	for _, r := range results(m.Requests()[1]) {
		got = append(got, r.Content.Text())
	}
	if diff := cmp.Diff([]string{`booked aisle for {"name":"Ada"}`, "not booked: too dear"}, got); diff != "" {
		t.Errorf("wrong results (-want +got):\n%s", diff)
	}
}

// An approver answers such questions while the run goes on; where there is nobody,
// or nobody may be asked, they are declined.
func TestToolAsksAtOnce(t *testing.T) {
	t.Parallel()
	approver := func(_ context.Context, ask quarry.Approval) (quarry.Answer, error) {
		switch ask.Inquiry {
		case 1:
			return quarry.Answer{Text: "window"}, nil
		case 2:
			return quarry.Answer{Input: json.RawMessage(`{"name":"Bo"}`)}, nil
		}
		return quarry.Answer{}, errors.New("nobody asked that")
	}
	for name, test := range map[string]struct {
		cfg  quarry.Config
		want string
	}{
		"approver": {quarry.Config{Approver: approver}, `booked window for {"name":"Bo"}`},
		"nobody":   {quarry.Config{}, "not booked: there is nobody to ask"},
		"dont ask": {quarry.Config{Approver: approver, Permissions: &quarry.Permissions{Mode: quarry.ModeDontAsk, Allow: []string{"book"}}}, "not booked: there is nobody to ask"},
		"an error": {quarry.Config{Approver: func(context.Context, quarry.Approval) (quarry.Answer, error) {
			return quarry.Answer{}, errors.New("the line is dead")
		}}, "not booked: nobody could be asked: the line is dead"},
		"wrong answer": {quarry.Config{Approver: func(_ context.Context, ask quarry.Approval) (quarry.Answer, error) {
			return quarry.Answer{Text: "x"}, nil
		}}, "nobody flies"},
	} {
		booked := 0
		m := modeltest.NewScripted(modeltest.Call("book", number(1)), modeltest.Say("Done."))
		test.cfg.Model, test.cfg.Tools = m, []*quarry.Tool{booking(&booked)}
		if result, _, err := play(t.Context(), t, newAgent(t, test.cfg), quarry.Input{Prompt: "Book."}); err != nil || !result.OK() {
			t.Fatalf("%s: %+v, %v", name, result, err)
		}
		if got := results(m.Requests()[1])[0].Content.Text(); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

// Wherever a run is stopped, the question is put again or its answer kept.
func TestToolAsksResumes(t *testing.T) {
	t.Parallel()
	booked := 0
	stopEverywhere(t, func() { booked = 0 }, func(store session.Store) *quarry.Agent {
		m := modeltest.NewScripted(modeltest.EachConversation(modeltest.Call("book", number(1)), modeltest.Say("Done.")))
		approver := func(_ context.Context, ask quarry.Approval) (quarry.Answer, error) {
			if ask.Inquiry == 1 {
				return quarry.Answer{Text: "window"}, nil
			}
			return quarry.Answer{Input: json.RawMessage(`{"name":"Bo"}`)}, nil
		}
		return newAgent(t, quarry.Config{Model: m, Store: store, Approver: approver, Tools: []*quarry.Tool{booking(&booked)}})
	}, func(t *testing.T, store session.Store, result *quarry.Result) {
		// A call that is cut off while it runs is unknown, as any other of its kind.
		if unknown := len(result.Unknown); booked > 1 || booked == 0 && unknown == 0 {
			t.Errorf("booked %d times: %+v", booked, result)
		}
	})
}

// What the runs of a tool may use stays theirs while the tool waits for an answer.
func TestToolAsksAndKeepsItsShare(t *testing.T) {
	t.Parallel()
	store := session.NewMemory()
	worker := modeltest.NewScripted(modeltest.Func(func(_ context.Context, req *model.Request) (*modeltest.Turn, error) {
		return modeltest.Say("x"), nil
	}))
	inner := newAgent(t, quarry.Config{Name: "inner", Model: worker})
	tool := quarry.NewTool(quarry.ToolSpec{Name: "survey", Effect: quarry.ReadOnly, Runs: []*quarry.Agent{inner}}, func(ctx context.Context, _ struct{}) (string, error) {
		call, _ := quarry.CallFrom(ctx)
		if _, err := call.Ask(quarry.Question{Text: "May I?"}); err != nil {
			return "", err
		}
		return "asked", nil
	})
	m := modeltest.NewScripted(modeltest.CallID("a", "survey", nil).CallID("c", "Agent", sent{Agent: "reader", Prompt: "x"}), modeltest.Say("Done."))
	hook := quarry.Hook{On: quarry.PreToolUse, Match: "Agent", Run: func(context.Context, *quarry.HookInput) (quarry.HookOutput, error) {
		return quarry.HookOutput{Decision: quarry.Ask}, nil
	}}
	agent := newAgent(t, quarry.Config{Name: "boss", Model: m, Store: store, Park: true, Limits: quarry.Limits{Turns: 31}, Tools: []*quarry.Tool{tool}, Hooks: []quarry.Hook{hook}, Agents: []quarry.AgentDefinition{reader(echo())}})
	for i, a := range []struct {
		call   string
		answer quarry.Answer
	}{{"c", quarry.Answer{Allow: true}}, {"a", quarry.Answer{Text: "yes"}}, {}} {
		in := quarry.Input{Session: "s"}
		if i == 0 {
			in.Prompt = "Go."
		}
		result, _, err := play(t.Context(), t, agent, in)
		if err != nil || result.OK() != (a.call == "") {
			t.Fatalf("%d: got %+v, %v", i, result, err)
		}
		if a.call == "" {
			break
		}
		if err := agent.Answer(t.Context(), "s", a.call, a.answer); err != nil {
			t.Fatal(err)
		}
	}
	// Of 30 turns, 10 are the survey's; the reader gets half of the rest.
	for _, rec := range journal(t, store, "s") {
		if c, ok := rec.Event.(*session.ToolCalled); ok && c.Child != nil && c.Child.Budget.Turns != 10 {
			t.Errorf("the reader gets %d turns", c.Child.Budget.Turns)
		}
	}
}

// A function that goes on after it has asked, and takes too long, is at work still: it is
// not called again.
func TestToolAsksOverTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var acted atomic.Int32
		tool := quarry.NewTool(quarry.ToolSpec{Name: "act", Timeout: time.Second}, func(ctx context.Context, _ struct{}) (string, error) {
			call, _ := quarry.CallFrom(ctx)
			call.Ask(quarry.Question{Text: "Fast?"}) //nolint:errcheck
			acted.Add(1)
			time.Sleep(time.Minute)
			return "done", nil
		})
		m := modeltest.NewScripted(modeltest.Call("act", nil), modeltest.Say("Done."))
		agent := newAgent(t, quarry.Config{Model: m, Tools: []*quarry.Tool{tool}, Approver: func(context.Context, quarry.Approval) (quarry.Answer, error) { return quarry.Answer{Text: "yes"}, nil }})
		result, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Go.", Session: "s"})
		if err != nil || acted.Load() != 1 {
			t.Errorf("acted %d times: %+v, %v", acted.Load(), result, err)
		}
		time.Sleep(time.Hour)
	})
}

// A function that words its question anew each time is stopped.
func TestToolAsksForEver(t *testing.T) {
	t.Parallel()
	n := 0
	tool := quarry.NewTool(quarry.ToolSpec{Name: "act"}, func(ctx context.Context, _ struct{}) (string, error) {
		call, _ := quarry.CallFrom(ctx)
		if n++; n > 1000 {
			return "given up", nil
		}
		_, err := call.Ask(quarry.Question{Text: fmt.Sprint("Try ", n, "?")})
		return "", err
	})
	m := modeltest.NewScripted(modeltest.Call("act", nil), modeltest.Say("Done."))
	agent := newAgent(t, quarry.Config{Model: m, Tools: []*quarry.Tool{tool}, Approver: func(context.Context, quarry.Approval) (quarry.Answer, error) { return quarry.Answer{Text: "yes"}, nil }})
	_, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Go.", Session: "s"})
	if err != nil || n > 1000 {
		t.Errorf("%d, %v", n, err)
	}
}
