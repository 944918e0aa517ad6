package modeltest_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/anthropic"
	"github.com/quarry-sdk/quarry/model/modeltest"
)

// A script says the same to a caller of a Scripted and to one of a provider that
// talks to a Server: the same blocks, the same end, the same kind of error.
func TestParity(t *testing.T) {
	t.Parallel()
	usage := model.Usage{InputTokens: 5, OutputTokens: 7, CacheReadTokens: 3, CacheWriteTokens: 4, CacheWrite1hTokens: 1, ReasoningTokens: 2}
	script := func() modeltest.Script {
		return modeltest.Script{
			modeltest.Think("Let me see, at some length.", "sig==").Say("Größe 5, and “more” of it").
				CallID("toolu_1", "weather", map[string]string{"city": "Wien"}).CallID("toolu_2", "now", nil).Usage(usage),
			modeltest.Say("a").Stop(model.StopMaxTokens).Usage(usage),
			modeltest.Say("a").StopAt("END").Usage(usage),
			new(modeltest.Turn).Refuse(`{"type":"refusal","category":"cyber"}`).Usage(usage),
			modeltest.Stop("brand_new").Usage(usage),
			modeltest.Block(`{"type":"hologram","rays":[1,2]}`).Say("b").Usage(usage),
			modeltest.Block(`{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"a"}}`).
				Block(`{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[]}`).Usage(usage),
			modeltest.Overloaded(),
			modeltest.RateLimited(3 * time.Second),
			modeltest.Say("half").FailInStream(&model.Error{Kind: model.ErrOverloaded, Message: "Overloaded"}),
			modeltest.Say("half of it, or more").Cut(),
			modeltest.Fail(&model.Error{Kind: model.ErrContextWindow}),
			modeltest.Fail(&model.Error{Kind: model.ErrAuth, Message: "no"}),
			modeltest.Fail(&model.Error{Kind: model.ErrBilling, Message: "no"}),
			modeltest.Fail(&model.Error{Kind: model.ErrTooLarge, Message: "no"}),
			modeltest.Fail(&model.Error{Kind: model.ErrServer, Message: "no"}),
			modeltest.Fail(&model.Error{Kind: model.ErrTransport, Message: "no"}),
		}
	}
	scripted := modeltest.NewScripted(script()...)
	s := newServer(t, modeltest.ServerConfig{APIKey: "sk-test", Script: script()})
	remote, err := anthropic.New(anthropic.Config{APIKey: "sk-test", BaseURL: s.URL, Model: "claude-test"})
	if err != nil {
		t.Fatal(err)
	}
	type outcome struct {
		Blocks   model.Blocks
		Stop     model.StopReason
		Sequence string
		Details  string
		Usage    model.Usage
		Kind     model.ErrorKind
		Wait     time.Duration
	}
	of := func(m model.Model) outcome {
		resp, err := m.Stream(t.Context(), ask("Hello")).Collect()
		if err != nil {
			var e *model.Error
			if !errors.As(err, &e) {
				t.Fatal(err)
			}
			return outcome{Kind: e.Kind, Wait: e.RetryAfter}
		}
		o := outcome{Blocks: resp.Message.Blocks, Stop: resp.StopReason, Sequence: resp.StopSequence, Details: string(resp.StopDetails), Usage: resp.Usage}
		o.Usage.Raw = nil
		if len(o.Blocks) == 0 {
			o.Blocks = nil
		}
		return o
	}
	for i := range script() {
		if diff := cmp.Diff(of(scripted), of(remote), sameRaw); diff != "" {
			t.Errorf("turn %d (-scripted +remote):\n%s", i+1, diff)
		}
	}
}

// sameRaw leaves out the order of fields, and raw JSON that only one side keeps.
var sameRaw = cmp.Comparer(func(a, b json.RawMessage) bool {
	var x, y any
	if a == nil || b == nil {
		return true
	}
	_, _ = json.Unmarshal(a, &x), json.Unmarshal(b, &y) // blocks were valid once
	return cmp.Equal(x, y)
})
