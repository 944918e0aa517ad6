package sessiontest

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
)

// hard is text that is easily spoiled on the way: quotes, HTML, line and
// paragraph separators, a zero byte, letters composed and decomposed, scripts
// from right to left, a pair of surrogates.
const hard = "\"\\/<b>&amp;\t\r\n\u2028\u2029\x00\x7f é e\u0301 שלום 你好 \U0001F9EA\U0010FFFF"

// raw is JSON whose bytes must come back as they are: the order of keys, the
// form of numbers, the escapes and the null.
const raw = `{"z":1.0,"a":[1e2,-0,12345678901234567890],"null":null,"html":"<a href='x'>&\u003c\u00e9é</a>","deep":{"":[{}]}}`

// Events returns a fresh event of each kind, in the order of an imaginary
// session, with every field set that goes with the kind.
func Events() []session.Event {
	return []session.Event{
		&session.Started{
			Format: session.FormatVersion, Machine: "agent", Agent: "clerk", Model: "anthropic/claude-sonnet-4-5",
			Title: "Title " + hard, Labels: map[string]string{"corpus": hard, "b": "2", "a": "1"}, Config: json.RawMessage(raw),
			Parent: &session.Parent{Session: "parent", Turn: 3, Index: 2}, Budget: budget(),
		},
		&session.Prompted{Message: Message(), Call: &session.Parent{Session: "parent", Turn: 5, Index: 1}, Budget: budget()},
		&session.ModelCalled{
			Turn: 1, Attempt: 2, Fallback: 1, Model: "anthropic/claude-haiku-4-5",
			NotBefore: time.Date(2026, 2, 3, 4, 5, 6, 7, time.UTC), Reason: hard, Purpose: "compact",
		},
		&session.ModelFailed{Turn: 1, Error: &model.Error{
			Kind: model.ErrRateLimited, Stack: "main.go:1", Provider: "anthropic", Status: 429, Code: "rate_limit_error", Message: hard,
			RequestID: "req_01", RetryAfter: 90*time.Second + time.Nanosecond, Partial: Response(),
		}},
		&session.ModelAnswered{Turn: 2, Response: Response(), Cost: &cost, ToolCosts: map[string]session.Money{"web_search_requests": 10_000_000}},
		&session.ToolCalled{
			Turn: 2, Index: 1, ID: "toolu_01", Name: "fetch", Key: "key-1", Attempt: 3, Reconcile: true, Decision: decision(),
			Child: &session.ChildCall{Session: "a-2-1", Agent: "reader", Budget: *budget(), Background: true, Continues: true},
			Share: budget(),
		},
		&session.ToolAnswered{
			Turn: 2, Index: 1, ID: "toolu_01", Name: "fetch", Content: Blocks(), Output: json.RawMessage(raw),
			Full: strings.Repeat(hard, 10), Stack: "main.go:1", IsError: true, Refused: true, Unknown: true, Duration: time.Hour + time.Nanosecond,
			Blob: "sha256:00", Size: 1 << 40, Sources: []session.Source{{Name: hard, Hash: "sha256:01"}},
			Limit: &session.LimitHit{Name: "tool_calls", Value: 3, Used: 2.5}, Decision: decision(),
			Child:    &session.ChildEnd{Session: "a-2-1", Subtype: session.Limited, Reason: session.ReasonMaxTurns, Turns: 4, Spent: spent()},
			Children: []session.ChildEnd{{Session: "a-2-1-x", Subtype: session.Success, Reason: session.ReasonCompleted, Turns: 1, Spent: spent()}},
		},
		&session.Interrupted{Reason: hard, Canceled: refs(), Running: refs()},
		&session.Resumed{},
		&session.Renamed{Title: "Another " + hard},
		&session.Compacting{Policy: "summarize", Why: "size", Tokens: 170_000, Window: 200_000},
		&session.Compacted{
			Policy: "summarize", Dropped: []session.ResultRef{{Turn: 1, Index: 2}}, Summary: Message(), Messages: 3, Before: 170_000, After: 90_000,
		},
		&session.Changed{Sources: []session.Source{{Name: hard, Hash: "sha256:02"}}},
		&session.HookCalled{Point: "PreToolUse", Turn: 2, Index: 1, Hooks: []string{hard}},
		&session.HookAnswered{
			Point: "PreToolUse", Turn: 2, Index: 1, Decision: "deny", Reason: hard, Input: json.RawMessage(raw), Output: Blocks(),
			Context: []string{hard}, Stop: true, Errors: []string{hard}, Duration: time.Second,
		},
		waiting(),
		&session.ApprovalGiven{Turn: 2, Index: 1, Allow: true, Input: json.RawMessage(raw), Rule: "fetch(domain:*)", Note: hard, Answer: hard, By: "terminal"},
		&session.ToolWaiting{Turn: 2, Index: 1, Question: json.RawMessage(raw), Spent: used()},
		&session.ChildWaiting{Turn: 2, Index: 1, Child: "a-2-1", Pending: []session.ApprovalAsked{asked()}, Spent: used()},
		&session.Reconfigured{Agent: "clerk 2", Model: "anthropic/claude-haiku-4-5", Config: json.RawMessage(raw)},
		&session.Expired{Limit: "wall_clock", Value: time.Minute, Canceled: refs(), Running: refs()},
		&session.BackgroundStopped{Canceled: refs(), Running: refs()},
		&session.Ended{Result: session.Result{
			Session: "01JZ", Subtype: session.Failed, Reason: session.ReasonModelError, Detail: hard, Text: hard,
			Output: json.RawMessage(raw), Draft: json.RawMessage(`[]`), StopReason: model.StopToolUse,
			Error: &model.Error{Kind: model.ErrServer, Message: "broken"}, Model: "claude-sonnet-4-5-20250929",
			Turns: 3, ToolCalls: 4, Usage: Usage(), Duration: time.Second, Retries: 5,
			Fallbacks: []session.Fallback{{Turn: 2, From: "anthropic/claude-opus-4-5", To: "anthropic/claude-haiku-4-5", Reason: "server"}},
			Spent:     spent(), Limits: []session.LimitHit{{Name: "usd", Value: 0.5, Used: 0.25}},
			Unknown:  []session.UnknownCall{{CallRef: refs()[0], Input: json.RawMessage(raw), Tell: true}},
			Canceled: refs(), Running: refs(),
			Repairs: []string{hard}, Trail: []session.Attempt{{Text: hard, Problem: hard}},
			Pending: []session.ApprovalAsked{asked()},
		}},
	}
}

func asked() session.ApprovalAsked {
	return session.ApprovalAsked{
		Turn: 2, Index: 1, ID: "toolu_01", Name: "fetch", Question: true, Input: json.RawMessage(raw), Inquiry: 3, Reason: hard, Attempt: 2, Session: "a-2-1",
	}
}

func waiting() *session.ApprovalAsked {
	a := asked()
	return &a
}

func decision() *session.Decision {
	return &session.Decision{Behavior: "deny", Stage: "deny", Rule: "fetch", Reason: hard, Trace: []string{hard, "b"}}
}

// cost is an amount of money to the last billionth.
var cost session.Money = 1_234_567_891

func budget() *session.Budget {
	return &session.Budget{Amounts: session.Amounts{
		Turns: 1, ToolCalls: 2, Tokens: 3, InputTokens: session.Unbounded, OutputTokens: 5, USD: session.Unbounded, Searches: 7, Fetches: 8, Children: 9,
	}, Depth: 2}
}

func spent() session.Spent {
	return session.Spent{
		Amounts:  session.Amounts{Turns: 1, ToolCalls: 2, Tokens: 3, InputTokens: 4, OutputTokens: 5, USD: cost, Searches: 7, Fetches: 8, Children: 9},
		Unpriced: 1, Lost: 2,
		Agents: []session.AgentSpent{{Agent: "reader", Model: "anthropic/claude-haiku-4-5", Turns: 1, Usage: Usage(), USD: cost, Unpriced: 1}},
		Tools:  []session.ToolSpent{{Tool: hard, Calls: 3, Errors: 1, USD: 1}},
	}
}

func used() *session.Spent {
	s := spent()
	return &s
}

func refs() []session.CallRef {
	return []session.CallRef{{Turn: 2, Index: 1, Name: "fetch", Child: "a-2-1", Spent: used()}}
}

// Response returns a response with every field set.
func Response() *model.Response {
	return &model.Response{
		ID: "msg_01", Model: "claude-sonnet-4-5-20250929", Message: Message(), StopReason: "invented_yesterday",
		StopSequence: hard, StopDetails: json.RawMessage(raw), Usage: Usage(),
		Extra: map[string]json.RawMessage{"container": json.RawMessage(raw), hard: json.RawMessage(`null`)},
	}
}

// Usage returns a usage with every field set.
func Usage() model.Usage {
	return model.Usage{
		InputTokens: 1, OutputTokens: 1 << 53, CacheReadTokens: 3, CacheWriteTokens: 4, CacheWrite1hTokens: 5, ReasoningTokens: 6,
		ServerToolCalls: map[string]int64{"web_search_requests": 7}, Raw: json.RawMessage(raw),
	}
}

// Message returns a message with blocks of every kind.
func Message() *model.Message {
	return &model.Message{Role: model.RoleAssistant, Blocks: Blocks(), Provider: "anthropic"}
}

// Blocks returns a block of every kind with every field set.
func Blocks() model.Blocks {
	source := model.Source{MediaType: "image/png", Data: []byte("\x89PNG\x00\xff"), URL: "https://example.org/?a=1&b=<2>", FileID: "file_01", Text: hard}
	return model.Blocks{
		&model.Text{Text: hard, Raw: json.RawMessage(raw), Citations: []model.Citation{{
			Kind: "char_location", Text: hard, Title: hard, URL: "https://example.org/", Document: 1, Start: 2, End: 3, Raw: json.RawMessage(raw),
		}}},
		&model.Thinking{Text: hard, Signature: "c2ln+/==", Raw: json.RawMessage(raw)},
		&model.RedactedThinking{Data: "ZGF0YQ==", Raw: json.RawMessage(raw)},
		&model.ToolUse{ID: "toolu_01", Name: "fetch", Input: json.RawMessage(raw), Incomplete: true, Raw: json.RawMessage(raw)},
		&model.ToolResult{ToolUseID: "toolu_01", Name: "fetch", IsError: true, Raw: json.RawMessage(raw), Content: model.Blocks{
			&model.Text{Text: hard}, &model.Image{Source: source}, &model.Unknown{Type: "hologram", Raw: json.RawMessage(raw)},
		}},
		&model.ServerToolUse{Type: "server_tool_use", ID: "srvtoolu_01", Name: "web_search", Input: json.RawMessage(raw), Raw: json.RawMessage(raw)},
		&model.ServerToolResult{Type: "web_search_tool_result", ToolUseID: "srvtoolu_01", Content: json.RawMessage(raw), IsError: true, Raw: json.RawMessage(raw)},
		&model.Image{Source: source, Raw: json.RawMessage(raw)},
		&model.Document{Source: source, Title: hard, Context: hard, Cite: true, Raw: json.RawMessage(raw)},
		&model.Unknown{Type: "hologram", Raw: json.RawMessage(raw)},
	}
}
