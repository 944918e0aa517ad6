package quarry

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
)

// TestLoopRefuses has journals that no engine writes: the last record cannot
// follow those before it.
func TestLoopRefuses(t *testing.T) {
	t.Parallel()
	started := &session.Started{Machine: "agent"}
	prompted := &session.Prompted{Message: model.UserText("Go.")}
	called := &session.ModelCalled{Turn: 1, Attempt: 1}
	said := &session.ModelAnswered{Turn: 1, Response: &model.Response{StopReason: model.StopEndTurn, Message: model.NewMessage(model.RoleAssistant, &model.Text{Text: "Hi."})}}
	asked := &session.ModelAnswered{Turn: 1, Response: &model.Response{StopReason: model.StopToolUse, Message: model.NewMessage(model.RoleAssistant,
		&model.ToolUse{ID: "a", Name: "read", Input: []byte(`{}`)}, &model.ToolUse{ID: "b", Name: "read", Input: []byte(`{}`)})}}
	failed := &session.ModelFailed{Turn: 1, Error: &model.Error{Kind: model.ErrServer}}
	tool := &session.ToolCalled{Turn: 1, Index: 0, Attempt: 1}
	outcome := &session.ToolAnswered{Turn: 1, Index: 0}
	ended := &session.Ended{}

	tests := []struct {
		name string
		want string
		recs []session.Event
	}{
		{"nothing before the start", "not started", []session.Event{prompted}},
		{"a second start", "second time", []session.Event{started, started}},
		{"another machine", `machine named "research"`, []session.Event{&session.Started{Machine: "research"}}},
		{"a compaction without a prompt", "while something is under way", []session.Event{started, &session.Compacting{}}},
		{"a compaction under a call", "while something is under way", []session.Event{started, prompted, called, &session.Compacting{}}},
		{"a compaction that nobody began", "nobody was about to", []session.Event{started, prompted, &session.Compacted{}}},
		{"a call while the conversation is made shorter", "nothing is to be asked", []session.Event{started, prompted, &session.Compacting{}, called}},
		{"a call for a summary that nobody wants", "nothing is to be asked", []session.Event{started, prompted, &session.ModelCalled{Turn: 1, Attempt: 1, Purpose: "compact"}}},
		{"a call of the model without a prompt", "nothing is to be asked", []session.Event{started, called}},
		{"a second call of the model", "nothing is to be asked", []session.Event{started, prompted, called, called}},
		{"an answer that nobody asked for", "turn 1, which is not open", []session.Event{started, prompted, said}},
		{"a second answer", "turn 1, which is not open", []session.Event{started, prompted, called, said, said}},
		{"an answer to another turn", "turn 1, which is not open", []session.Event{started, prompted, &session.ModelCalled{Turn: 2, Attempt: 1}, said}},
		{"a failure that nobody asked for", "turn 1, which is not open", []session.Event{started, prompted, failed}},
		{"a failure after a crash", "turn 1, which is not open", []session.Event{started, prompted, called, &session.Resumed{}, failed}},
		{"a tool without a response", "no open tool call", []session.Event{started, prompted, tool}},
		{"a tool of another turn", "no open tool call", []session.Event{started, prompted, called, asked, &session.ToolCalled{Turn: 2}}},
		{"a tool beyond the calls", "no open tool call", []session.Event{started, prompted, called, asked, &session.ToolCalled{Turn: 1, Index: 2}}},
		{"a negative tool", "no open tool call", []session.Event{started, prompted, called, asked, &session.ToolAnswered{Turn: 1, Index: -1}}},
		{"a tool started twice", "started twice", []session.Event{started, prompted, called, asked, tool, tool}},
		{"a tool started after its outcome", "started twice", []session.Event{started, prompted, called, asked, tool, outcome, tool}},
		{"a tool answered twice", "answered twice", []session.Event{started, prompted, called, asked, tool, outcome, outcome}},
		{"an end without a result", "has no result", []session.Event{started, prompted, ended}},
		{"an end twice", "has no result", []session.Event{started, prompted, called, said, ended, ended}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			agent, err := scriptAgent(nil)
			if err != nil {
				t.Fatal(err)
			}
			l := newLoop(agent, "s")
			last := len(test.recs) - 1
			for i, ev := range test.recs {
				err := l.Apply(session.Record{Seq: int64(i + 1), Time: loopEpoch.Add(time.Duration(i)), Event: ev})
				if i < last && err != nil {
					t.Fatalf("record %d: %v", i+1, err)
				}
				if i == last && (err == nil || !strings.Contains(err.Error(), test.want)) {
					t.Errorf("the last record gives %v; want an error with %q", err, test.want)
				}
			}
		})
	}
}

// TestLoopRequest checks that everything an agent is configured with reaches
// the model.
func TestLoopRequest(t *testing.T) {
	t.Parallel()
	temperature := 0.5
	thinking := &model.ThinkingOptions{Mode: "enabled", BudgetTokens: 2048}
	agent, err := New(Config{
		Effort: "high", Instructions: "Be brief.", MaxTokens: 100, Model: panicModel{}, Temperature: &temperature, Thinking: thinking,
		ServerTools: []model.ServerTool{{Type: "web_search_20250305", Name: "web_search"}},
		Tools:       []*Tool{scriptTool("write"), scriptTool("read")},
	})
	if err != nil {
		t.Fatal(err)
	}
	b := newLoopBench(t, agent)
	b.fold(&session.Prompted{Message: model.UserText("Hi.")})
	got := b.loop.Next().Effects[0].(*session.CallModel).Request

	var names []string
	for _, def := range got.Tools.Defs {
		names = append(names, def.Name)
	}
	if diff := cmp.Diff([]string{"read", "write"}, names); diff != "" {
		t.Errorf("the model sees other tools (-want +got):\n%s", diff)
	}
	if len(got.Tools.Server) != 1 || got.Tools.Server[0].Name != "web_search" {
		t.Errorf("the model sees the server tools %+v", got.Tools.Server)
	}
	if got.Effort != "high" || got.MaxTokens != 100 || got.Temperature != &temperature || got.Thinking != thinking || got.System.Blocks.Text() != "Be brief." {
		t.Errorf("settings are missing in %+v", got)
	}
	want := model.Cache{System: true, Tools: true, Messages: 2}
	if got.Cache != want {
		t.Errorf("the cache is %+v, want %+v", got.Cache, want)
	}
}

// panicModel is a model for tests that ask none.
type panicModel struct{ model.Model }

func (panicModel) Name() string { return "panic" }
