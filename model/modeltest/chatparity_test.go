package modeltest_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/anthropic"
	"github.com/quarry-sdk/quarry/model/chat"
	"github.com/quarry-sdk/quarry/model/modeltest"
)

// newChat returns a model that talks to the server by the Chat Completions API.
func newChat(t *testing.T, s *modeltest.Server) *chat.Model {
	t.Helper()
	m, err := chat.New(chat.Config{APIKey: "sk-test", BaseURL: s.URL + "/v1", Model: "gpt-test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.CloseIdleConnections)
	return m
}

func newAnthropic(t *testing.T, s *modeltest.Server) *anthropic.Model {
	t.Helper()
	m, err := anthropic.New(anthropic.Config{APIKey: "sk-test", BaseURL: s.URL, Model: "claude-test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.CloseIdleConnections)
	return m
}

// said is what counts of an answer, whatever the provider.
type said struct {
	Blocks model.Blocks
	Stop   model.StopReason
	Usage  model.Usage
	Kind   model.ErrorKind
	Wait   time.Duration
}

func say(t *testing.T, m model.Model, req *model.Request) (said, *model.Message) {
	t.Helper()
	resp, err := m.Stream(t.Context(), req).Collect()
	if err != nil {
		var e *model.Error
		if !errors.As(err, &e) {
			t.Fatalf("%s: %v", m.Name(), err)
		}
		return said{Kind: e.Kind, Wait: e.RetryAfter}, nil
	}
	s := said{Blocks: resp.Message.Blocks, Stop: resp.StopReason, Usage: resp.Usage}
	s.Usage.Raw = nil
	if len(s.Blocks) == 0 {
		s.Blocks = nil
	}
	return s, resp.Message
}

// A script says the same through the Chat Completions API as without it. Left out
// is what the API cannot say: the stop sequence that was met, and blocks of
// provider-side tools.
func TestChatParity(t *testing.T) {
	t.Parallel()
	usage := model.Usage{InputTokens: 5, OutputTokens: 7, CacheReadTokens: 3, CacheWriteTokens: 4, CacheWrite1hTokens: 1, ReasoningTokens: 2}
	script := func() modeltest.Script {
		return modeltest.Script{
			modeltest.Think("Let me see, at some length.", "sig==").Say("Größe 5, and “more” of it").
				CallID("call_1", "weather", map[string]string{"city": "Wien"}).CallID("call_2", "now", nil).Usage(usage),
			modeltest.Think("Unsigned.", "").Say("b").Usage(usage),
			modeltest.Block(`{"type":"redacted_thinking","data":"enc"}`).Say("b").Usage(usage),
			modeltest.Say("a").Stop(model.StopMaxTokens).Usage(usage),
			modeltest.CallID("call_3", "weather", `{"city": "Wi`).Stop(model.StopMaxTokens).Usage(usage),
			new(modeltest.Turn).Refuse("").Usage(usage),
			modeltest.Stop("brand_new").Usage(usage),
			modeltest.Stop(model.StopEndTurn).Say("after a ping").Event(`{"type":"ping"}`).Usage(usage),
			modeltest.Overloaded(),
			modeltest.RateLimited(3 * time.Second),
			modeltest.Say("half").FailInStream(&model.Error{Kind: model.ErrOverloaded, Message: "Overloaded"}),
			modeltest.Say("half of it, or more").Cut(),
			modeltest.Say("half of it, or more").EndEarly(),
			modeltest.Say("half of it, or “more”").CutInRune(),
			modeltest.Fail(&model.Error{Kind: model.ErrContextWindow}),
			modeltest.Fail(&model.Error{Kind: model.ErrAuth, Message: "no"}),
			modeltest.Fail(&model.Error{Kind: model.ErrBilling, Message: "no"}),
			modeltest.Fail(&model.Error{Kind: model.ErrNotFound, Message: "no"}),
			modeltest.Fail(&model.Error{Kind: model.ErrTimeout, Message: "no"}),
			modeltest.Fail(&model.Error{Kind: model.ErrTooLarge, Message: "no"}),
			modeltest.Fail(&model.Error{Kind: model.ErrServer, Message: "no"}),
			modeltest.Fail(&model.Error{Kind: model.ErrTransport, Message: "no"}),
			modeltest.Fail(&model.Error{Kind: model.ErrProtocol, Message: "no"}),
		}
	}
	scripted := modeltest.NewScripted(script()...)
	remote := newChat(t, newServer(t, modeltest.ServerConfig{APIKey: "sk-test", Script: script()}))
	for i := range script() {
		want, _ := say(t, scripted, ask("Hello"))
		got, _ := say(t, remote, ask("Hello"))
		if diff := cmp.Diff(want, got, withoutRaw); diff != "" {
			t.Errorf("turn %d (-scripted +remote):\n%s", i+1, diff)
		}
	}
}

// withoutRaw leaves raw JSON out: each provider keeps its own.
var withoutRaw = cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Raw" }, cmp.Ignore())

// TestToolLoopOfAllProviders: the same loop of calls says the same, whichever
// provider carries it, and each takes its own answers and results back.
func TestToolLoopOfAllProviders(t *testing.T) {
	t.Parallel()
	usage := model.Usage{InputTokens: 11, OutputTokens: 5, CacheReadTokens: 2}
	script := func() *modeltest.Turn {
		return modeltest.EachConversation(
			modeltest.Think("Two cities.", "sig==").Say("I look.").CallID("call_1", "weather", map[string]string{"city": "Wien"}).CallID("call_2", "weather", map[string]string{"city": "Graz"}).Usage(usage),
			modeltest.CallID("call_3", "now", nil).Usage(usage),
			modeltest.Say("Noon, and 40 °C.").Usage(usage),
		)
	}
	server := newServer(t, modeltest.ServerConfig{APIKey: "sk-test", Script: modeltest.Script{script()}})
	tools := &model.ToolSet{Defs: []model.ToolDef{
		{Name: "weather", InputSchema: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}}}`)}, {Name: "now"}}}
	var want []said
	for _, m := range []model.Model{modeltest.NewScripted(script()), newAnthropic(t, server), overResponses(t, server), newChat(t, server)} {
		req := ask("How is the weather?")
		req.Tools = tools
		var got []said
		for {
			s, message := say(t, m, req)
			got = append(got, s)
			if s.Stop != model.StopToolUse {
				break
			}
			results := model.NewMessage(model.RoleUser)
			for _, use := range message.Blocks.ToolUses() {
				results.Blocks = append(results.Blocks, &model.ToolResult{ToolUseID: use.ID, Name: use.Name, Content: model.Blocks{&model.Text{Text: "40 °C"}}})
			}
			req.Messages = append(req.Messages, message, results)
		}
		if want == nil {
			want = got
		}
		if diff := cmp.Diff(want, got, withoutRaw); diff != "" || len(got) != 3 {
			t.Errorf("%s, %d turns (-scripted +got):\n%s", m.Name(), len(got), diff)
		}
	}
	if n := len(server.Requests()); n != 9 {
		t.Errorf("the server has %d requests", n)
	}
}

// TestConversationTravels: a conversation that one provider began goes on with
// another, and a strict server takes it.
func TestConversationTravels(t *testing.T) {
	t.Parallel()
	script := modeltest.EachConversation(
		modeltest.Think("One.", "sig==").Block(`{"type":"redacted_thinking","data":"enc"}`).CallID("toolu_1", "now", nil),
		modeltest.Think("Two.", "").CallID("functions.now:0", "now", nil),
		modeltest.Say("Noon."),
	)
	server := newServer(t, modeltest.ServerConfig{APIKey: "sk-test", Script: modeltest.Script{script}})
	claude, gpt := newAnthropic(t, server), newChat(t, server)
	for _, order := range [][]model.Model{{claude, gpt, claude}, {gpt, claude, gpt}} {
		req := ask("What time is it?")
		req.Tools = &model.ToolSet{Defs: []model.ToolDef{{Name: "now"}}}
		for i, m := range order {
			s, message := say(t, m, req)
			if s.Kind != "" {
				_, err := m.Stream(t.Context(), req).Collect()
				t.Fatalf("turn %d by %s: %v", i+1, m.Name(), err)
			}
			results := model.NewMessage(model.RoleUser)
			for _, use := range message.Blocks.ToolUses() {
				results.Blocks = append(results.Blocks, &model.ToolResult{ToolUseID: use.ID, Name: use.Name, Content: model.Blocks{&model.Text{Text: "noon"}}})
			}
			req.Messages = append(req.Messages, message, results)
		}
	}
}
