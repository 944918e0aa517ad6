package chat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/model"
)

func raw(s string) json.RawMessage { return json.RawMessage(s) }

func ptr[T any](v T) *T { return &v }

// own is an answer of the server that the requests of the table go to.
func own(blocks ...model.Block) *model.Message {
	return &model.Message{Role: model.RoleAssistant, Provider: "chat/x.test", Blocks: blocks}
}

func of(provider string, blocks ...model.Block) *model.Message {
	return &model.Message{Role: model.RoleAssistant, Provider: provider, Blocks: blocks}
}

func user(blocks ...model.Block) *model.Message { return model.NewMessage(model.RoleUser, blocks...) }

func result(id, text string) *model.ToolResult {
	return &model.ToolResult{ToolUseID: id, Name: "add", Content: model.Blocks{&model.Text{Text: text}}}
}

func use(id string) *model.ToolUse { return &model.ToolUse{ID: id, Name: "add", Input: raw(`{"a":1}`)} }

var (
	addTool  = model.ToolDef{Name: "add", Description: "Adds.", InputSchema: raw(`{ "type": "object" , "$schema": "x", "properties": {"a": {"$schema": "y", "enum": ["$schema"]}, "$schema": {}} }`)}
	addTools = &model.ToolSet{Defs: []model.ToolDef{addTool}}
	answered = []*model.Message{model.UserText("q"), own(use("call_1")), user(result("call_1", "2"))}
)

// requests are the cases of testdata/requests.txt: a request, and the quirks of
// the server that it goes to.
var requests = map[string]struct {
	req    *model.Request
	quirks Quirks
}{
	"minimal":             {req: &model.Request{Messages: history(1)}},
	"a tool's own fields": {req: &model.Request{Messages: history(1), Tools: &model.ToolSet{Defs: []model.ToolDef{{Name: "f", Provider: map[string]json.RawMessage{"anthropic": raw(`{"defer_loading":true,"name":"ignored"}`), "openai": raw(`{"defer_loading":true,"type":"ignored"}`), "chat": raw(`{"cache":1,"type":"ignored"}`)}}}}}},
	"all options": {req: &model.Request{
		Messages: history(1), System: model.NewMessage(model.RoleSystem, &model.Text{Text: "Be \"brief\".\n"}, &model.Text{Text: "Really."}),
		MaxTokens: 5, Temperature: ptr(0.25), StopSequences: []string{"END", "\u0001"}, Effort: "high",
		Thinking: &model.ThinkingOptions{Mode: "enabled", BudgetTokens: 2000}, OutputSchema: raw(` {"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false} `),
		Tools:      &model.ToolSet{Defs: []model.ToolDef{addTool, {Name: "strict", InputSchema: raw(`{}`), Strict: true}, {Name: "bare"}}, Server: []model.ServerTool{{Type: "openrouter:web_search", MaxUses: 3, Config: raw(`{"parameters":{"size":"low"},"type":"ignored"}`)}}},
		ToolChoice: model.ToolChoice{Mode: "tool", Name: "add", Single: true},
		Extra:      map[string]json.RawMessage{"service_tier": raw(`"auto"`), "metadata": raw(` {"user_id":"u"} `)},
	}, quirks: Quirks{OutputSchema: true, Strict: true, ServerTools: true, EffortField: "reasoning", ThinkingField: "reasoning"}},
	"everything departs": {req: &model.Request{
		Messages: answered, System: model.NewMessage(model.RoleSystem, &model.Text{Text: "s"}), MaxTokens: 5, Effort: "high", Thinking: &model.ThinkingOptions{Mode: "disabled"},
		Tools: addTools, ToolChoice: model.ToolChoice{Mode: "any", Single: true},
	}, quirks: Quirks{DropKeywords: []string{"$schema"}, EffortField: "none", EmptyContent: "empty", IDs: "short", MaxTokensField: "max_completion_tokens", NoParallelField: true, NoStreamOptions: true, Required: "any", SystemRole: "user", ThinkingField: "thinking", ToolName: true}},
	"Extra wins":           {req: &model.Request{Messages: history(1), Effort: "low", Temperature: ptr(1.0), MaxTokens: 3, Extra: map[string]json.RawMessage{"model": raw(`"other"`), "max_tokens": raw(`7`), "temperature": raw(`0`), "reasoning_effort": raw(`"max"`), "stream_options": raw(`{}`)}}},
	"no tool now":          {req: &model.Request{Messages: history(1), Tools: addTools, ToolChoice: model.ToolChoice{Mode: "none", Single: true}}},
	"choice without tools": {req: &model.Request{Messages: history(1), ToolChoice: model.ToolChoice{Mode: "any"}}},
	"adaptive thinking":    {req: &model.Request{Messages: history(1), Thinking: &model.ThinkingOptions{Mode: "adaptive", Display: "omitted"}}, quirks: Quirks{ThinkingField: "reasoning"}},
	"open schema":          {req: &model.Request{Messages: history(1), OutputSchema: raw(`{"type":"object","properties":{"a":{"type":"string"}}}`)}, quirks: Quirks{OutputSchema: true}},
	"developer":            {req: &model.Request{Messages: history(1), System: model.NewMessage(model.RoleSystem, &model.Text{Text: "s"})}, quirks: Quirks{SystemRole: "developer"}},
	"system in the middle": {req: &model.Request{Messages: []*model.Message{model.UserText("a"), model.NewMessage(model.RoleSystem, &model.Text{Text: "now in French"})}}},
	"pictures":             {req: &model.Request{Messages: []*model.Message{user(&model.Text{Text: "see"}, &model.Image{Source: model.Source{Data: png()}}, &model.Image{Source: model.Source{URL: "https://a.org/i.png"}}, &model.Image{Source: model.Source{Data: []byte{0, 1}, MediaType: "image/webp"}})}}},
	"pictures in results":  {req: &model.Request{Messages: []*model.Message{model.UserText("q"), own(use("call_1")), user(&model.ToolResult{ToolUseID: "call_1", Content: model.Blocks{&model.Image{Source: model.Source{Data: png()}}}}, &model.Text{Text: "and?"})}}},
	"documents":            {req: &model.Request{Messages: []*model.Message{user(&model.Document{Source: model.Source{Text: "plain"}, Title: "T", Context: "C"}, &model.Text{Text: "sum it up"})}}},
	"documents in results": {req: &model.Request{Messages: []*model.Message{model.UserText("q"), own(use("a")), user(&model.ToolResult{ToolUseID: "a", Content: model.Blocks{&model.Document{Source: model.Source{Text: "plain"}}, &model.Unknown{Type: "z"}, &model.Document{Source: model.Source{Data: []byte("%PDF-1.7")}}}})}}, quirks: Quirks{Files: true}},
	"files":                {req: &model.Request{Messages: []*model.Message{user(&model.Document{Source: model.Source{Data: []byte("%PDF-1.7")}, Title: "a.pdf"}, &model.Document{Source: model.Source{FileID: "file_1"}})}}, quirks: Quirks{Files: true}},
	"texts of a user":      {req: &model.Request{Messages: []*model.Message{user(&model.Text{Text: "</script>\u2028\xff日本😀"}, &model.Text{}, &model.Text{Text: "b"}, &model.Unknown{Type: "z", Raw: raw(`{}`)})}}},
	"results that say little": {req: &model.Request{Messages: []*model.Message{model.UserText("q"), own(use("a"), use("b"), use("c"), use("d")), user(
		&model.ToolResult{ToolUseID: "a"}, &model.ToolResult{ToolUseID: "b", IsError: true}, &model.ToolResult{ToolUseID: "c", IsError: true, Content: model.Blocks{&model.Text{Text: "no file"}}}, &model.ToolResult{ToolUseID: "d", IsError: true, Content: model.Blocks{&model.Text{Text: "Error: no file"}}})}}},
	"answers that say nothing": {req: &model.Request{Messages: []*model.Message{model.UserText("q"), own(), own(&model.Text{}), own(&model.Thinking{Text: "t"}), model.UserText("b")}}},
	"bad arguments": {req: &model.Request{Messages: []*model.Message{model.UserText("q"), own(
		&model.ToolUse{ID: "a", Name: "f", Input: raw(`"{\"a\": tr"`), Incomplete: true}, &model.ToolUse{ID: "b", Name: "f"}, &model.ToolUse{ID: "c", Name: "f", Input: raw(`[1]`)}, &model.ToolUse{ID: "d", Input: raw(`null`)}),
		user(result("a", "1"), result("b", "2"), result("c", "3"), result("d", "4"))}}},
	"long and strange ids": {req: &model.Request{Messages: []*model.Message{model.UserText("q"), own(use(strings.Repeat("x", 41)), use("a b"), use("functions.add:0")), user(result(strings.Repeat("x", 41), "1"), result("a b", "2"), result("functions.add:0", "3"))}}},
	"another provider's answer": {req: &model.Request{Messages: []*model.Message{model.UserText("q"), of("anthropic",
		&model.Thinking{Text: "secret", Signature: "x"}, &model.RedactedThinking{Data: "enc"}, &model.Text{Text: "hel", Citations: []model.Citation{{Raw: raw(`{}`)}}, Raw: raw(`{"type":"text"}`)},
		&model.ServerToolUse{Type: "server_tool_use", ID: "srv_1"}, &model.ServerToolResult{Type: "web_search_tool_result", ToolUseID: "srv_1"}, &model.Unknown{Type: "z", Raw: raw(`{"a":1}`)}, &model.Text{Text: "lo"},
		&model.ToolUse{ID: "toolu_1", Name: "add", Input: raw(`{"a":1}`), Raw: raw(`{"type":"tool_use","caller":{}}`)}), user(result("toolu_1", "1"))}}, quirks: Quirks{ThinkingBack: "same"}},
	"own answer": {req: &model.Request{Messages: []*model.Message{model.UserText("q"), own(
		&model.Thinking{Text: "t", Raw: raw(`{"field":"reasoning"}`)}, &model.Text{Text: "a"}, &model.ToolUse{ID: "call_1", Name: "add", Raw: raw(`{"extra_content":{"google":{"thought_signature":"AB"}}}`)}, &model.Unknown{Type: messageFields, Raw: raw(`{"extra_content":{"x":1}}`)}), user(result("call_1", "1"))}}, quirks: Quirks{ThinkingBack: "same"}},
	"own parts":              {req: &model.Request{Messages: []*model.Message{model.UserText("q"), own(&model.Text{Text: "a"}, &model.Unknown{Type: "reference", Raw: raw(`{"type":"reference","reference_ids":[1]}`)})}}},
	"thoughts as tags":       {req: &model.Request{Messages: []*model.Message{model.UserText("q"), own(&model.Thinking{Text: "t\n"}, &model.Text{Text: "a"}), model.UserText("q"), own(&model.Thinking{Text: "u"}, use("call_1")), user(result("call_1", "1"))}}, quirks: Quirks{ThinkingBack: "tags"}},
	"thoughts by details":    {req: &model.Request{Messages: []*model.Message{model.UserText("q"), own(&model.Thinking{Text: "t", Signature: "s", Raw: raw(`{"field":"reasoning","reasoning_details":[{"text":"t","signature":"s"}]}`)}, &model.RedactedThinking{Data: "d", Raw: raw(`{"reasoning_details":[{"data":"d"}]}`)}, &model.Text{Text: "a"}), model.UserText("q"), own(&model.Thinking{Text: "u"}, &model.Text{Text: "b"})}}, quirks: Quirks{ThinkingBack: "reasoning_details"}},
	"thoughts must be there": {req: &model.Request{Messages: []*model.Message{model.UserText("q"), of("anthropic", use("call_1")), user(result("call_1", "1"))}}, quirks: Quirks{ThinkingBack: "reasoning_content", EmptyThinking: true}},
	"thoughts stay here":     {req: &model.Request{Messages: []*model.Message{model.UserText("q"), own(&model.Thinking{Text: "t", Raw: raw(`{"field":"reasoning"}`)}, &model.Text{Text: "a"})}}},
	"omitted content":        {req: &model.Request{Messages: answered}, quirks: Quirks{EmptyContent: "omit"}},
	"unanswered call":        {req: &model.Request{Messages: []*model.Message{model.UserText("q"), own(&model.Text{Text: "a"}, use("call_1")), model.UserText("never mind")}}},
	"result without a call":  {req: &model.Request{Messages: []*model.Message{model.UserText("q"), user(result("call_9", "1"), &model.Text{Text: "b"})}}},
	"results out of order":   {req: &model.Request{Messages: []*model.Message{model.UserText("q"), own(use("a"), use("b")), user(&model.Text{Text: "first"}, result("b", "2")), user(result("a", "1"), result("a", "again"))}}},
	"the same call twice":    {req: &model.Request{Messages: []*model.Message{model.UserText("q"), own(use("a"), use("a")), user(result("a", "1"))}}},
	"ends with a call":       {req: &model.Request{Messages: []*model.Message{model.UserText("q"), own(use("a"))}}},
}

// bodyOf returns the body of a request and checks that it is JSON.
func bodyOf(t testing.TB, req *model.Request, q Quirks) ([]byte, error) {
	t.Helper()
	m := configured(t, Config{BaseURL: "http://x.test", Model: "m", MaxTokens: 100, Quirks: &q})
	data, err := m.profiles.Load().appendRequest(nil, req, &m.cfg)
	if err != nil {
		return nil, m.named(err)
	}
	if !json.Valid(data) {
		t.Errorf("not JSON: %s", data)
	}
	return data, nil
}

func TestRequestBodies(t *testing.T) {
	t.Parallel()
	var got strings.Builder
	for _, name := range slices.Sorted(maps.Keys(requests)) {
		c := requests[name]
		data, err := bodyOf(t, c.req, c.quirks)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		fmt.Fprintf(&got, "%s\n\t%s\n", name, data)
		if err := strict(data); err != nil {
			t.Errorf("%s: a strict server would refuse it: %v", name, err)
		}
	}
	golden(t, "requests.txt", got.String())
}

// strict refuses a conversation in which a call and its result do not belong
// together, or a message has neither content nor calls.
func strict(data []byte) error {
	var body struct {
		Messages []struct {
			Role      string          `json:"role"`
			Content   json.RawMessage `json:"content"`
			ToolCalls []struct {
				ID string `json:"id"`
			} `json:"tool_calls"`
			ToolCallID string `json:"tool_call_id"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(data, &body); err != nil {
		return err
	}
	var open []string
	for i, m := range body.Messages {
		if m.Role == "tool" {
			if len(open) == 0 || open[0] != m.ToolCallID {
				return fmt.Errorf("message %d answers %s, not %q", i, m.ToolCallID, open)
			}
			open = open[1:]
			continue
		}
		if len(open) > 0 {
			return fmt.Errorf("message %d comes before the results of %q", i, open)
		}
		empty := len(m.Content) == 0 || string(m.Content) == "null" || string(m.Content) == `""`
		if empty && len(m.ToolCalls) == 0 {
			return fmt.Errorf("message %d is empty", i)
		}
		for _, c := range m.ToolCalls {
			open = append(open, c.ID)
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("nothing answers %q", open)
	}
	return nil
}

func TestRequestsRefused(t *testing.T) {
	t.Parallel()
	msgs := history(1)
	tools := func(d model.ToolDef) *model.ToolSet { return &model.ToolSet{Defs: []model.ToolDef{d}} }
	for words, req := range map[string]*model.Request{
		"no messages":                   {},
		"message 1 is nil":              {Messages: []*model.Message{msgs[0], nil}},
		"content that can be sent":      {Messages: []*model.Message{own()}},
		"max tokens":                    {Messages: msgs, MaxTokens: -1},
		"thinking mode \"deep\"":        {Messages: msgs, Thinking: &model.ThinkingOptions{Mode: "deep"}},
		"BudgetTokens":                  {Messages: msgs, Thinking: &model.ThinkingOptions{Mode: "enabled"}},
		"tool choice \"maybe\"":         {Messages: msgs, Tools: tools(addTool), ToolChoice: model.ToolChoice{Mode: "maybe"}},
		"needs a name":                  {Messages: msgs, Tools: tools(addTool), ToolChoice: model.ToolChoice{Mode: "tool"}},
		"schema of tool f":              {Messages: msgs, Tools: tools(model.ToolDef{Name: "f", InputSchema: raw(`[]`)})},
		"Provider of tool f":            {Messages: msgs, Tools: tools(model.ToolDef{Name: "f", Provider: map[string]json.RawMessage{"chat": raw(`[]`)}})},
		"such as web":                   {Messages: msgs, Tools: &model.ToolSet{Server: []model.ServerTool{{Type: "web"}}}},
		"Quirks.OutputSchema":           {Messages: msgs, OutputSchema: raw(`{}`)},
		"field a of the request's":      {Messages: msgs, Extra: map[string]json.RawMessage{"a": raw(`{`)}},
		"replace messages":              {Messages: msgs, Extra: map[string]json.RawMessage{"messages": raw(`[]`)}},
		"replace stream":                {Messages: msgs, Extra: map[string]json.RawMessage{"stream": raw(`false`)}},
		"message 0: block 0: its raw":   {Messages: []*model.Message{own(&model.Unknown{Raw: raw(`{`)})}},
		"neither data nor a URL":        {Messages: []*model.Message{user(&model.Image{Source: model.Source{FileID: "f"}})}},
		"Quirks.Files":                  {Messages: []*model.Message{user(&model.Document{Source: model.Source{Data: []byte("%PDF")}})}},
		"block 0: it is nil":            {Messages: []*model.Message{user(nil)}},
		"encode system":                 {Messages: msgs, System: model.NewMessage(model.RoleSystem, &model.Image{})},
		"temperature":                   {Messages: msgs, Temperature: ptr(math.NaN())},
		"no role \"tool\"":              {Messages: []*model.Message{model.NewMessage("tool", &model.Text{Text: "a"})}},
		"a user's message takes no":     {Messages: []*model.Message{user(use("a"))}},
		"result block 0":                {Messages: []*model.Message{model.UserText("q"), own(use("a")), user(&model.ToolResult{ToolUseID: "a", Content: model.Blocks{nil}})}},
		"instructions take no document": {Messages: msgs, System: model.NewMessage(model.RoleSystem, &model.Document{Source: model.Source{URL: "u"}})},
	} {
		_, err := bodyOf(t, req, Quirks{})
		var e *model.Error
		if !errors.As(err, &e) || e.Kind != model.ErrInvalidRequest || !strings.Contains(e.Message, words) {
			t.Errorf("%s: %v", words, err)
		}
		// The same error comes out of a stream, before anything is sent.
		m := configured(t, Config{BaseURL: "http://x.test", Model: "m", Quirks: &Quirks{}})
		if _, serr := m.Stream(t.Context(), req).Collect(); serr == nil || !strings.Contains(serr.Error(), words) {
			t.Errorf("%s: from the stream: %v", words, serr)
		}
	}
	if _, err := testModel(t, "http://127.0.0.1:1", "").Stream(t.Context(), nil).Collect(); err == nil {
		t.Error("a nil request was accepted")
	}
}

// TestPrefixIsStable: from turn to turn, the bytes before the newest message stay
// as they are, and each message is encoded once.
func TestPrefixIsStable(t *testing.T) {
	t.Parallel()
	req := &model.Request{
		System: model.NewMessage(model.RoleSystem, &model.Text{Text: "s"}), Tools: addTools,
		Extra: map[string]json.RawMessage{"b": raw("1"), "a": raw("2"), "c": raw("3")},
	}
	var was []byte
	for i, m := range history(12) {
		req.Messages = append(req.Messages, m)
		data, err := bodyOf(t, req, Quirks{})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(data, bytes.TrimSuffix(was, []byte("]}"))) {
			t.Errorf("turn %d changes what was sent before (-was +now):\n%s", i, cmp.Diff(string(was), string(data)))
		}
		was = data
	}
}

// TestTurnCost: a turn costs what it adds, not what came before.
func TestTurnCost(t *testing.T) {
	m := configured(t, Config{BaseURL: "http://x.test", Model: "m"})
	cost := func(n int) float64 {
		req := &model.Request{Messages: history(n)}
		var buf []byte
		return testing.AllocsPerRun(100, func() {
			var err error
			if buf, err = m.profiles.Load().appendRequest(buf[:0], req, &m.cfg); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := cost(2), cost(2000); many > few || few > 12 {
		t.Errorf("%v allocations for 2 messages, %v for 2000", few, many)
	}
}

func TestClosedSchemas(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]bool{
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`:                                              true,
		`{"type":"object","properties":{"a":{"type":"string"}},"required":[],"additionalProperties":false}`:                                                 false,
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`:                                                                           false,
		`{"type":"array","items":{"type":"object","properties":{}}}`:                                                                                        false,
		`{"type":"object","properties":{"required":{"anyOf":[{"type":"null"},{"type":"object"}]}},"required":["required"],"additionalProperties":false}`:    false,
		`{"type":"object","properties":{"properties":{"type":"string","enum":[{"type":"object"}]}},"required":["properties"],"additionalProperties":false}`: true,
		`{"$defs":{"d":{"type":"object"}},"type":"object","properties":{},"required":[],"additionalProperties":false}`:                                      false,
		`{"type":"string"}`: true,
	} {
		if got := isClosed([]byte(schema)); got != want {
			t.Errorf("%s: %v", schema, got)
		}
	}
}
