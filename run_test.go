package quarry_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
)

type cityIn struct {
	City string `json:"city" jsonschema:"the city's name"`
}

func weather() *quarry.Tool {
	return quarry.NewTool(quarry.ToolSpec{Name: "weather", Effect: quarry.ReadOnly}, func(_ context.Context, in cityIn) (string, error) {
		return "sunny in " + in.City, nil
	})
}

func newAgent(t *testing.T, cfg quarry.Config) *quarry.Agent {
	t.Helper()
	agent, err := quarry.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return agent
}

// play runs in and checks what every stream promises: each event is one thing,
// records follow densely, and there is one result, which comes last.
func play(ctx context.Context, t *testing.T, agent *quarry.Agent, in quarry.Input) (*quarry.Result, []quarry.Event, error) {
	t.Helper()
	var events []quarry.Event
	var result *quarry.Result
	var err error
	for ev, e := range agent.Stream(ctx, in) {
		if result != nil || err != nil {
			t.Fatalf("something comes after the result: %+v, %v", ev, e)
		}
		things := 0
		if ev.Record != nil {
			things++
			if n := lastSeq(events, ev.Session); n > 0 && ev.Record.Seq != n+1 {
				t.Errorf("record %d is shown after record %d", ev.Record.Seq, n)
			}
		}
		if ev.Delta != nil {
			things++
		}
		if ev.Result != nil {
			things++
			result = ev.Result
			if result.Session != ev.Session {
				t.Errorf("the result is of session %q, the event of %q", result.Session, ev.Session)
			}
		}
		if things != 1 {
			t.Errorf("an event has %d things in it: %+v", things, ev)
		}
		if len(events) > 0 && ev.Session != events[0].Session && !strings.HasPrefix(ev.Session, events[0].Session+"-") {
			t.Errorf("the session changes from %q to %q", events[0].Session, ev.Session)
		}
		events, err = append(events, ev), e
	}
	if result == nil {
		t.Fatal("the stream ends without a result")
	}
	if result.Subtype == "" || result.Reason == "" {
		t.Errorf("the result does not say how the run ended: %+v", result)
	}
	if (err != nil) != (result.Subtype == session.Stopped || result.Reason == session.ReasonInput || result.Reason == session.ReasonJournal || result.Reason == session.ReasonConflict) {
		t.Errorf("the result is %s/%s and the error %v", result.Subtype, result.Reason, err)
	}
	return result, events, err
}

func lastSeq(events []quarry.Event, id string) int64 {
	for i := len(events) - 1; i >= 0; i-- {
		if events[i].Record != nil && events[i].Session == id {
			return events[i].Record.Seq
		}
	}
	return 0
}

// journal returns the records of a session.
func journal(t *testing.T, store session.Store, id string) []session.Record {
	t.Helper()
	var recs []session.Record
	for rec, err := range store.Load(context.Background(), id, 0) {
		if err != nil {
			t.Fatal(err)
		}
		recs = append(recs, rec)
	}
	return recs
}

func kinds(recs []session.Record) []string {
	var out []string
	for _, rec := range recs {
		out = append(out, rec.Event.Kind())
	}
	return out
}

// results returns the tool results of the last message of a request.
func results(req *model.Request) []*model.ToolResult {
	var out []*model.ToolResult
	for _, b := range req.Messages[len(req.Messages)-1].Blocks {
		if r, ok := b.(*model.ToolResult); ok {
			out = append(out, r)
		}
	}
	return out
}

func TestRunAnswersThroughATool(t *testing.T) {
	t.Parallel()
	m := modeltest.NewScripted(
		modeltest.Call("weather", map[string]string{"city": "Florence"}).Usage(model.Usage{InputTokens: 10, OutputTokens: 1}),
		modeltest.Say("It is sunny in Florence.").Usage(model.Usage{InputTokens: 20, OutputTokens: 2}),
	)
	store := session.NewMemory()
	agent := newAgent(t, quarry.Config{Name: "clerk", Instructions: "Be brief.", Model: m, Store: store, Tools: []*quarry.Tool{weather()}})
	result, events, err := play(t.Context(), t, agent, quarry.Input{Prompt: "How is the weather in Florence?", Title: "Florence"})
	if err != nil {
		t.Fatal(err)
	}
	if !result.OK() || result.Subtype != session.Success || result.Reason != session.ReasonCompleted || result.Detail != "" ||
		result.Text != "It is sunny in Florence." || result.Turns != 2 || result.ToolCalls != 1 || result.StopReason != model.StopEndTurn ||
		result.Model != m.Name() || result.Usage.InputTokens != 30 || result.Usage.OutputTokens != 3 || result.Duration <= 0 {
		t.Errorf("got %+v", result)
	}
	recs := journal(t, store, result.Session)
	want := []string{"started", "prompted", "model_called", "model_answered", "tool_called", "tool_answered", "model_called", "model_answered", "ended"}
	if diff := cmp.Diff(want, kinds(recs)); diff != "" {
		t.Errorf("wrong journal (-want +got):\n%s", diff)
	}
	if s := recs[0].Event.(*session.Started); s.Machine != "agent" || s.Agent != "clerk" || s.Title != "Florence" || s.Model != m.Name() || !strings.Contains(string(s.Config), "Be brief.") {
		t.Errorf("the journal begins with %+v", s)
	}
	if m.Unplayed() != 0 {
		t.Error("the script was not played to its end")
	}

	// Deltas are shown and not journaled; the answer arrives in pieces.
	var text strings.Builder
	var shown []session.Record
	for _, ev := range events {
		if ev.Delta != nil && ev.Delta.Kind == model.EventText {
			text.WriteString(ev.Delta.Text)
		}
		if ev.Record != nil {
			shown = append(shown, *ev.Record)
		}
	}
	if text.String() != "It is sunny in Florence." {
		t.Errorf("the deltas add up to %q", text.String())
	}
	if !reflect.DeepEqual(shown, recs) {
		t.Errorf("the records shown are not those of the journal:\n%+v\n%+v", shown, recs)
	}
	if n := len(events); events[n-1].Result == nil || events[n-2].Record.Event.Kind() != session.KindEnded {
		t.Error("the result does not follow the record of the end")
	}
}

func TestTwoPromptsOnOneSession(t *testing.T) {
	t.Parallel()
	m := modeltest.NewScripted(modeltest.Say("Hello, Ada."), modeltest.Say("You are Ada."))
	agent := newAgent(t, quarry.Config{Model: m})
	first, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "I am Ada."})
	if err != nil {
		t.Fatal(err)
	}
	second, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Who am I?", Session: first.Session})
	if err != nil {
		t.Fatal(err)
	}
	if second.Session != first.Session || second.Text != "You are Ada." || second.Turns != 1 {
		t.Errorf("got %+v", second)
	}
	var said []string
	for _, msg := range m.Requests()[1].Messages {
		said = append(said, string(msg.Role)+": "+msg.Blocks.Text())
	}
	if diff := cmp.Diff([]string{"user: I am Ada.", "assistant: Hello, Ada.", "user: Who am I?"}, said); diff != "" {
		t.Errorf("wrong history (-want +got):\n%s", diff)
	}
}

func TestASessionOfOnesOwnName(t *testing.T) {
	t.Parallel()
	agent := newAgent(t, quarry.Config{Model: modeltest.NewScripted(modeltest.Say("One."), modeltest.Say("Two."))})
	for _, want := range []string{"One.", "Two."} {
		result, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Count.", Session: "my-session"})
		if err != nil || result.Text != want || result.Session != "my-session" {
			t.Errorf("got %+v, %v", result, err)
		}
	}
}

func TestBlocksGoWithThePrompt(t *testing.T) {
	t.Parallel()
	m := modeltest.NewScripted(modeltest.Say("A cat."), modeltest.Say("A dog."))
	agent := newAgent(t, quarry.Config{Model: m})
	image := &model.Image{Source: model.Source{MediaType: "image/png", Data: []byte("png")}}
	blocks := make([]model.Block, 1, 2)
	blocks[0] = image
	if _, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "What is it?", Blocks: blocks}); err != nil {
		t.Fatal(err)
	}
	got := m.Requests()[0].Messages[0].Blocks
	if len(got) != 2 || got[0] != image || got.Text() != "What is it?" {
		t.Errorf("the model is asked %v", got)
	}
	if blocks[:2][1] != nil {
		t.Error("the caller's slice was written to")
	}
	if _, _, err := play(t.Context(), t, agent, quarry.Input{Blocks: blocks}); err != nil {
		t.Fatal(err)
	}
}

// A run that a model ended badly is a result and no error.
func TestModelErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name            string
		turn            *modeltest.Turn
		subtype, reason string
		detail          string
	}{
		{"an overload", modeltest.Overloaded(), "error", "model_error", "Overloaded"},
		{"a broken stream", modeltest.Say("Half of what I").Cut(), "error", "model_error", "the stream broke"},
		{"a refusal", modeltest.Say("").Refuse(`{"category":"cyber"}`), "refused", "refusal", `{"category":"cyber"}`},
		{"a full window", modeltest.Fail(&model.Error{Kind: model.ErrContextWindow, Message: "too long"}), "context_window", "context_window", "too long"},
		{"an error that is no model error", modeltest.Func(func(context.Context, *model.Request) (*modeltest.Turn, error) {
			return nil, errors.New("boom")
		}), "error", "model_error", "boom"},
		{"a panic", modeltest.Func(func(context.Context, *model.Request) (*modeltest.Turn, error) { panic("boom") }), "error", "model_error", "the model's code panicked: boom"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			agent := newAgent(t, quarry.Config{Model: modeltest.NewScripted(test.turn), Retry: quarry.Retry{Attempts: 1}})
			result, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Hi."})
			if err != nil {
				t.Fatal(err)
			}
			if string(result.Subtype) != test.subtype || result.Reason != test.reason || !strings.Contains(result.Detail, test.detail) || result.OK() {
				t.Errorf("got %+v", result)
			}
		})
	}
}

// silentModel ends its stream without a response.
type silentModel struct{}

func (silentModel) Name() string { return "silent" }
func (silentModel) Stream(context.Context, *model.Request) model.Stream {
	return func(func(model.Event, error) bool) {}
}

func TestAModelThatSaysNothing(t *testing.T) {
	t.Parallel()
	agent := newAgent(t, quarry.Config{Model: silentModel{}})
	result, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Hi."})
	if err != nil || result.Reason != session.ReasonModelError || result.Error == nil || result.Error.Kind != model.ErrProtocol {
		t.Errorf("got %+v, %v", result, err)
	}
}

func TestEndingTool(t *testing.T) {
	t.Parallel()
	type answerIn struct {
		Answer string   `json:"answer"`
		Cites  []string `json:"cites"`
	}
	submit := quarry.NewTool(quarry.ToolSpec{Name: "submit", EndsRun: true}, func(_ context.Context, in answerIn) (answerIn, error) {
		if len(in.Cites) == 0 {
			return answerIn{}, errors.New("an answer needs a citation; add one")
		}
		return in, nil
	})
	good := answerIn{Answer: "5432", Cites: []string{"runtime-config"}}
	bad := answerIn{Answer: "5432", Cites: []string{}}
	tests := []struct {
		name          string
		turns         []*modeltest.Turn
		reason        string
		output, draft string
		calls         int
	}{
		{"at once", []*modeltest.Turn{modeltest.Call("submit", good)}, "submitted", `{"answer":"5432","cites":["runtime-config"]}`, "", 1},
		{"after a refused try", []*modeltest.Turn{modeltest.Call("submit", bad), modeltest.Call("submit", good)}, "submitted", `{"answer":"5432","cites":["runtime-config"]}`, "", 2},
		{"never right", []*modeltest.Turn{modeltest.Call("submit", bad), modeltest.Call("submit", `{"answer":1}`), modeltest.Call("submit", bad)}, "tries_used", "", `{"answer":"5432","cites":[]}`, 3},
		{"never", []*modeltest.Turn{modeltest.Say("It is 5432.")}, "not_submitted", "", "", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			agent := newAgent(t, quarry.Config{Model: modeltest.NewScripted(test.turns...), Tools: []*quarry.Tool{submit}})
			result, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Which port?"})
			if err != nil {
				t.Fatal(err)
			}
			if result.Reason != test.reason || string(result.Output) != test.output || string(result.Draft) != test.draft || result.ToolCalls != test.calls {
				t.Errorf("got %+v", result)
			}
			if (result.Subtype == session.Success) != (test.output != "") || (result.Subtype == session.Halted) == (test.output != "") {
				t.Errorf("got the subtype %s", result.Subtype)
			}
		})
	}
}

// A journaled result is what a program reads back.
func TestResultsRoundTrip(t *testing.T) {
	t.Parallel()
	agent := newAgent(t, quarry.Config{Model: modeltest.NewScripted(modeltest.Say("Hi."))})
	result, _, err := play(t.Context(), t, agent, quarry.Input{Prompt: "Hi."})
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	var back quarry.Result
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(*result, back); diff != "" {
		t.Errorf("the result changes on its way (-want +got):\n%s", diff)
	}
}

func TestStreamCanBeRangedOverOnce(t *testing.T) {
	t.Parallel()
	m := modeltest.NewScripted(modeltest.Say("Hello."))
	agent, err := quarry.New(quarry.Config{Model: m})
	if err != nil {
		t.Fatal(err)
	}
	stream := agent.Stream(t.Context(), quarry.Input{Prompt: "Hi."})
	if result, err := stream.Collect(); err != nil || !result.OK() {
		t.Fatalf("got %+v, %v", result, err)
	}
	result, err := stream.Collect()
	if !errors.Is(err, quarry.ErrStreamUsed) || result == nil || result.Subtype != quarry.Failed {
		t.Errorf("the second time: got %+v, %v", result, err)
	}
	if n := len(m.Requests()); n != 1 {
		t.Errorf("the model was asked %d times", n)
	}
}
