package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/quarry-sdk/quarry/model"
)

// bodyOf returns the body of a request, read in one piece, and checks that it
// is JSON, of the declared length, and the same when it is read otherwise.
func bodyOf(t testing.TB, m *Model, req *model.Request) ([]byte, error) {
	t.Helper()
	b := &body{}
	if _, err := m.fill(b, nil, req, m.chain.find(req)); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(b.reader())
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(data)) != b.size {
		t.Errorf("size is %d of %d bytes", b.size, len(data))
	}
	if !json.Valid(data) {
		t.Errorf("not JSON: %s", data)
	}
	for _, r := range []io.Reader{iotest.OneByteReader(b.reader()), iotest.HalfReader(b.reader())} {
		again, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(data, again) {
			t.Errorf("read otherwise: %v\n%s\n%s", err, data, again)
		}
	}
	b.release()
	if _, err := b.reader().Read(make([]byte, 1)); err == nil {
		t.Error("a released body can be read")
	}
	return data, nil
}

var addTool = model.ToolDef{Name: "add", Description: "Adds.", InputSchema: raw(`{ "type": "object", "properties": {} }`)}

func oneTool(mode, name string) *model.Request {
	return &model.Request{Messages: history(1), Tools: &model.ToolSet{Defs: []model.ToolDef{addTool}, Server: []model.ServerTool{{Type: "web_search", Name: "web"}, {Type: "custom", Name: "sql"}}},
		ToolChoice: model.ToolChoice{Mode: mode, Name: name}}
}

const (
	rawReasoning = `{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"c2ln"}`
	rawMessage   = `{"id":"msg_1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"a","annotations":[]},{"type":"output_text","text":"b"}]}`
	rawCall      = `{"id":"fc_1","type":"function_call","call_id":"call_1","name":"add","arguments":"{ \"a\": 1}","status":"completed"}`
	rawSQL       = `{"id":"ct_1","type":"custom_tool_call","call_id":"call_2","name":"sql","input":"SELECT 1"}`
)

func user(blocks ...model.Block) *model.Message { return model.NewMessage(model.RoleUser, blocks...) }

// requests are the cases of testdata/requests.txt.
var requests = map[string]*model.Request{
	"minimal":             {Messages: []*model.Message{model.UserText("hi")}},
	"a tool's own fields": {Messages: history(1), Tools: &model.ToolSet{Defs: []model.ToolDef{{Name: "f", Provider: map[string]json.RawMessage{"anthropic": raw(`{"defer_loading":true,"name":"ignored"}`), "openai": raw(`{"defer_loading":true,"type":"ignored"}`), "chat": raw(`{"cache":1,"type":"ignored"}`)}}}}},
	"all options": {
		Messages: []*model.Message{model.UserText("hi")}, System: model.NewMessage(model.RoleSystem, &model.Text{Text: "Be \"brief\".\n"}, &model.Text{Text: "Really."}),
		MaxTokens: 5, Temperature: ptr(0.25), Effort: "high",
		Thinking:     &model.ThinkingOptions{Mode: "enabled", BudgetTokens: 2000},
		OutputSchema: raw(` {"type":"object","properties":{"a":{"type":"string"}},"required":["a"]} `),
		Tools: &model.ToolSet{Defs: []model.ToolDef{addTool, {Name: "strict", InputSchema: raw(`{"type":"object","properties":{}}`), Strict: true}, {Name: "lax", InputSchema: raw(`{"type":"object","properties":{"a":{"type":"string"}}}`), Strict: true}, {Name: "bare"}},
			Server: []model.ServerTool{{Type: "web_search", Name: "web_search", MaxUses: 3, Config: raw(`{"filters":{"allowed_domains":["a.org"]},"type":"ignored"}`)}, {Type: "mcp", MaxUses: 2, Config: raw(`{"server_label":"x"}`)}}},
		ToolChoice: model.ToolChoice{Mode: "tool", Name: "add", Single: true},
		Cache:      model.Cache{System: true, Messages: 2},
		Extra:      map[string]json.RawMessage{"service_tier": raw(`"auto"`), "metadata": raw(` {"user_id":"u"} `)},
	},
	"thinking, no summary":   {Messages: history(1), Thinking: &model.ThinkingOptions{Mode: "adaptive", Display: "omitted"}},
	"thinking off":           {Messages: history(1), Thinking: &model.ThinkingOptions{Mode: "disabled"}},
	"thinking off, effort":   {Messages: history(1), Effort: "minimal", Thinking: &model.ThinkingOptions{Mode: "disabled"}},
	"Extra is merged":        {Messages: history(1), Effort: "low", OutputSchema: raw(`{"type":"object"}`), Extra: map[string]json.RawMessage{"reasoning": raw(`{"summary":"detailed"}`), "text": raw(`{"verbosity":"low"}`), "include": raw(`["file_search_call.results"]`)}},
	"Extra wins":             {Messages: history(1), Effort: "low", Temperature: ptr(1.0), OutputSchema: raw(`{}`), Extra: map[string]json.RawMessage{"reasoning": raw(`{"effort":"max"}`), "text": raw(`{"format":{"type":"json_object"}}`), "include": raw(`["reasoning.encrypted_content"]`), "model": raw(`"other"`), "store": raw(`true`), "max_output_tokens": raw(`7`), "temperature": raw(`0`)}},
	"any tool":               oneTool("any", ""),
	"no tool now":            oneTool("none", ""),
	"auto":                   oneTool("auto", ""),
	"a hosted tool":          oneTool("tool", "web"),
	"a custom tool":          oneTool("tool", "sql"),
	"choice without tools":   {Messages: history(1), ToolChoice: model.ToolChoice{Mode: "any"}},
	"system in the middle":   {Messages: []*model.Message{model.UserText("a"), model.NewMessage(model.RoleSystem, &model.Text{Text: "now in French"})}},
	"no text to instruct by": {Messages: history(1), System: model.NewMessage(model.RoleSystem, &model.Text{})},
	"every block, own answer": {Messages: []*model.Message{model.UserText("q"), answer(
		&model.RedactedThinking{Data: "c2ln", Raw: raw(rawReasoning)},
		&model.Thinking{Text: "kept by the API only", Raw: raw(`{"id":"rs_2","type":"reasoning","summary":[]}`)},
		&model.Thinking{Text: "open weights", Raw: raw(`{"id":"rs_3","type":"reasoning","summary":[],"content":[{"type":"reasoning_text","text":"t"}]}`)},
		&model.Thinking{Text: "cut off"}, &model.Text{},
		&model.Text{Text: "a", Raw: raw(rawMessage)}, &model.Text{Text: "b", Raw: raw(`{"type":"output_text","text":"b"}`)},
		&model.Text{Text: "its item is gone", Raw: raw(`{"type":"output_text","text":"x"}`)}, &model.Text{Text: "typed"},
		&model.ServerToolUse{Type: "mcp_call", ID: "mcp_1", Raw: raw(`{"type":"mcp_call","id":"mcp_1","output":"o"}`)},
		&model.ServerToolResult{Type: "mcp_call", ToolUseID: "mcp_1", Content: raw(`"o"`)},
		&model.ServerToolUse{Type: "web_search_call", ID: "ws_1"},
		&model.ServerToolResult{Type: "shell_call_output", ToolUseID: "s_1", Raw: raw(`{"type":"shell_call_output","call_id":"s_1"}`)},
		&model.Unknown{Type: "new", Raw: raw(` {"type":"new","x":[1, 2]} `)},
		&model.ToolUse{ID: "call_1", Name: "add", Input: raw(`{"a":1}`), Raw: raw(rawCall)},
		&model.ToolUse{ID: "call_2", Name: "sql", Input: raw(`"SELECT 1"`), Raw: raw(rawSQL)},
		&model.ToolUse{ID: "call_3", Name: "f", Input: raw(`"{\"a\": tr"`), Incomplete: true},
		&model.ToolUse{ID: "call_4", Name: "f"},
		&model.ToolUse{ID: "call_5", Name: "f", Input: raw(`[1]`)},
	), user(
		&model.ToolResult{ToolUseID: "call_1", Content: model.Blocks{&model.Text{Text: "3"}}},
		&model.ToolResult{ToolUseID: "call_2", Content: model.Blocks{&model.Text{Text: "1"}, &model.Text{Text: "row"}}},
		&model.ToolResult{ToolUseID: "call_3", IsError: true, Content: model.Blocks{&model.Text{Text: "not JSON"}}},
		&model.ToolResult{ToolUseID: "call_4", IsError: true},
		&model.ToolResult{ToolUseID: "call_5"},
		&model.Text{Text: "go on"},
	)}},
	"every block, made here": {Messages: []*model.Message{user(
		&model.Image{Source: model.Source{URL: "https://a.org/i.png"}}, &model.Image{Source: model.Source{FileID: "file_1"}}, &model.Image{Source: model.Source{Data: []byte{0, 1, 2}, MediaType: "image/webp"}},
		&model.Document{Source: model.Source{Text: "plain"}, Title: "T", Context: "C", Cite: true}, &model.Document{Source: model.Source{Data: []byte("%PDF-1.7")}},
		&model.Document{Source: model.Source{Data: []byte("%PDF-1.7")}, Title: "A report"}, &model.Document{Source: model.Source{URL: "https://a.org/r.pdf"}}, &model.Document{Source: model.Source{FileID: "file_2"}},
		&model.Document{Source: model.Source{Data: []byte("a,b"), MediaType: "text/csv"}},
		&model.Text{Text: "</script>\u2028\xff日本😀", Raw: raw(`{"ignored":true}`)},
		&model.Unknown{Type: "input_audio", Raw: raw(`{"type":"input_audio","x":1}`)},
		&model.Unknown{Type: "mcp_approval_response", Raw: raw(`{"type":"mcp_approval_response","approval_request_id":"a","approve":true}`)},
		&model.Thinking{Text: "mine"}, &model.Text{Text: "after"},
	)}},
	"results with pictures": {Messages: []*model.Message{model.UserText("q"),
		answer(&model.ToolUse{ID: "call_1", Name: "f"}, &model.ToolUse{ID: "call_2", Name: "f"}, &model.ToolUse{ID: "call_3", Name: "f"}),
		user(
			&model.ToolResult{ToolUseID: "call_1", Content: model.Blocks{&model.Text{Text: "see"}, &model.Text{}, &model.Image{Source: model.Source{Data: []byte("\x89PNG\r\n\x1a\n")}}, &model.Document{Source: model.Source{Data: []byte("%PDF-1.7")}}}},
			&model.ToolResult{ToolUseID: "call_2", IsError: true, Content: model.Blocks{&model.Image{Source: model.Source{URL: "u"}}, &model.Unknown{Type: "tool_reference", Raw: raw(`{"type":"tool_reference"}`)}}},
			&model.ToolResult{ToolUseID: "call_3", IsError: true, Content: model.Blocks{&model.Text{Text: "Error: said by the tool"}}},
		)}},
	"another provider's answer": {Messages: []*model.Message{model.UserText("q"), {Role: model.RoleAssistant, Provider: "anthropic", Blocks: model.Blocks{
		&model.Thinking{Text: "secret", Signature: "x", Raw: raw(`{"type":"thinking"}`)}, &model.RedactedThinking{Data: "enc"}, &model.Text{Text: "hello", Citations: []model.Citation{{Raw: raw(`{}`)}}, Raw: raw(`{"type":"text"}`)},
		&model.ServerToolUse{Type: "server_tool_use", ID: "srv_1", Raw: raw(`{}`)}, &model.ServerToolResult{Type: "web_search_tool_result", Raw: raw(`{}`)}, &model.Unknown{Type: "z", Raw: raw(`{}`)},
		&model.Image{Source: model.Source{URL: "u"}},
		&model.ToolUse{ID: "toolu_" + strings.Repeat("x", 80), Name: "add", Input: raw(`{"a": 1}`), Raw: raw(`{"type":"tool_use"}`)},
	}}, user(&model.ToolResult{ToolUseID: "toolu_" + strings.Repeat("x", 80), Content: model.Blocks{&model.Text{Text: "1"}}})}},
	"only foreign thinking": {Messages: []*model.Message{model.UserText("a"), {Role: model.RoleAssistant, Provider: "anthropic", Blocks: model.Blocks{&model.Thinking{Text: "t"}}}, model.UserText("b")}},
	"halves of pairs": {Messages: []*model.Message{
		user(&model.ToolResult{ToolUseID: "call_0", Content: model.Blocks{&model.Text{Text: "of a call that was cut away"}}}, &model.Text{Text: "q"}),
		answer(&model.ToolUse{ID: "call_1", Name: "f"}, &model.ToolUse{ID: "call_2", Name: "sql", Input: raw(`"SELECT 1"`), Raw: raw(rawSQL)}, &model.ToolUse{ID: "call_3", Name: "f"}),
		user(&model.ToolResult{ToolUseID: "call_3", Content: model.Blocks{&model.Text{Text: "3"}}}),
		user(&model.ToolResult{ToolUseID: "call_3", Content: model.Blocks{&model.Text{Text: "3 again"}}}, &model.Text{Text: "and now?"}),
	}},
	"reasoning that led to nothing": {Messages: []*model.Message{model.UserText("a"),
		answer(&model.RedactedThinking{Raw: raw(rawReasoning)}, &model.Text{Text: "b"}, &model.RedactedThinking{Raw: raw(rawReasoning)}, &model.RedactedThinking{Raw: raw(rawReasoning)}),
		model.UserText("go on"), answer(&model.RedactedThinking{Raw: raw(rawReasoning)}), model.UserText("go on")}},
	"calls for own hands": {Messages: []*model.Message{model.UserText("a"),
		answer(&model.ServerToolUse{Type: "computer_call", ID: "call_1", Raw: raw(`{"type":"computer_call","call_id":"call_1"}`)}),
		user(&model.Unknown{Type: "computer_call_output", Raw: raw(`{"type":"computer_call_output","call_id":"call_1","output":{}}`)}),
		answer(&model.ServerToolUse{Type: "shell_call", ID: "call_2", Raw: raw(`{"type":"shell_call","call_id":"call_2"}`)}, &model.ServerToolResult{Type: "shell_call_output", ToolUseID: "call_2", Raw: raw(`{"type":"shell_call_output","call_id":"call_2"}`)},
			&model.RedactedThinking{Raw: raw(rawReasoning)}, &model.ServerToolUse{Type: "computer_call", ID: "call_3", Raw: raw(`{"type":"computer_call","call_id":"call_3"}`)}),
		model.UserText("never mind")}},
	"nothing to send first and between": {Messages: []*model.Message{answer(&model.Text{}), model.UserText("a"), answer(), model.UserText("b")}},
}

func TestRequestBodies(t *testing.T) {
	t.Parallel()
	m := testModel(t, "http://127.0.0.1:1")
	var got strings.Builder
	for _, name := range slices.Sorted(maps.Keys(requests)) {
		data, err := bodyOf(t, m, requests[name])
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		checkPairs(t, name, data)
		fmt.Fprintf(&got, "%s\n\t%s\n", name, data)
	}
	golden(t, "requests.txt", got.String())
}

// checkPairs holds a body against the rule of the API: each call is answered
// once, behind it, by an output of its own type.
func checkPairs(t testing.TB, name string, body []byte) {
	t.Helper()
	var req struct {
		Input []struct {
			Type   string `json:"type"`
			CallID string `json:"call_id"`
		} `json:"input"`
	}
	if err := json.Unmarshal(body, &req); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	open := map[string]string{}
	for i, item := range req.Input {
		switch item.Type {
		case "function_call", "custom_tool_call":
			open[item.CallID] = item.Type + "_output"
		case "function_call_output", "custom_tool_call_output":
			if open[item.CallID] != item.Type {
				t.Errorf("%s: item %d answers %q, for which %q is open", name, i, item.CallID, open[item.CallID])
			}
			delete(open, item.CallID)
		}
	}
	if len(open) > 0 {
		t.Errorf("%s: without an answer: %v", name, open)
	}
}

func TestRequestsRefused(t *testing.T) {
	t.Parallel()
	msgs := history(1)
	tools := func(d model.ToolDef) *model.ToolSet { return &model.ToolSet{Defs: []model.ToolDef{d}} }
	for words, req := range map[string]*model.Request{
		"no messages":                             {},
		"message 1 is nil":                        {Messages: []*model.Message{msgs[0], nil}},
		"content that can be sent":                {Messages: []*model.Message{answer()}},
		"max tokens":                              {Messages: msgs, MaxTokens: -1},
		"no stop sequences":                       {Messages: msgs, StopSequences: []string{"END"}},
		"thinking mode \"deep\"":                  {Messages: msgs, Thinking: &model.ThinkingOptions{Mode: "deep"}},
		"tool choice \"maybe\"":                   {Messages: msgs, Tools: tools(addTool), ToolChoice: model.ToolChoice{Mode: "maybe"}},
		"needs a name":                            {Messages: msgs, Tools: tools(addTool), ToolChoice: model.ToolChoice{Mode: "tool"}},
		"schema of tool f":                        {Messages: msgs, Tools: tools(model.ToolDef{Name: "f", InputSchema: raw(`[]`)})},
		"Provider of tool f":                      {Messages: msgs, Tools: tools(model.ToolDef{Name: "f", Provider: map[string]json.RawMessage{"openai": raw(`[]`)}})},
		"server tool web":                         {Messages: msgs, Tools: &model.ToolSet{Server: []model.ServerTool{{Type: "web", Config: raw(`{`)}}}},
		"output schema":                           {Messages: msgs, OutputSchema: raw(`x`)},
		"reasoning of Extra":                      {Messages: msgs, Extra: map[string]json.RawMessage{"reasoning": raw(`1`)}},
		"text of Extra":                           {Messages: msgs, Extra: map[string]json.RawMessage{"text": raw(`{`)}},
		"include of Extra":                        {Messages: msgs, Extra: map[string]json.RawMessage{"include": raw(`{}`)}},
		"field a of Extra":                        {Messages: msgs, Extra: map[string]json.RawMessage{"a": raw(`{`)}},
		"replace input":                           {Messages: msgs, Extra: map[string]json.RawMessage{"input": raw(`[]`)}},
		"replace stream":                          {Messages: msgs, Extra: map[string]json.RawMessage{"stream": raw(`false`)}},
		"message 0 (assistant): block 1: its raw": {Messages: []*model.Message{answer(&model.Text{Text: "a"}, &model.Unknown{Raw: raw(`{`)})}},
		"has no data":                             {Messages: []*model.Message{user(&model.Image{})}},
		"content 0: the so":                       {Messages: []*model.Message{model.UserText("q"), answer(&model.ToolUse{ID: "c", Name: "f"}), user(&model.ToolResult{ToolUseID: "c", Content: model.Blocks{&model.Document{}}})}},
		"block 0: it is nil":                      {Messages: []*model.Message{user(nil)}},
		"of the instructions":                     {Messages: msgs, System: model.NewMessage(model.RoleSystem, &model.Document{})},
		"temperature":                             {Messages: msgs, Temperature: ptr(math.NaN())},
	} {
		m := testModel(t, "http://127.0.0.1:1")
		_, err := bodyOf(t, m, req)
		var e *model.Error
		if !errors.As(err, &e) || e.Kind != model.ErrInvalidRequest || e.Provider != Provider || !strings.Contains(e.Message, words) {
			t.Errorf("%s: %v", words, err)
		}
		// The same error comes out of a stream, before anything is sent.
		if _, serr := m.Stream(context.Background(), req).Collect(); serr == nil || err == nil || serr.Error() != err.Error() {
			t.Errorf("%s: from the stream: %v", words, serr)
		}
	}
	if _, err := testModel(t, "http://127.0.0.1:1").Stream(context.Background(), nil).Collect(); err == nil {
		t.Error("a nil request was accepted")
	}
}

// TestPrefixIsStable: from turn to turn, the bytes before the newest message
// stay as they are, which is what the API's cache goes by.
func TestPrefixIsStable(t *testing.T) {
	t.Parallel()
	m := testModel(t, "http://127.0.0.1:1")
	req := &model.Request{
		System: model.NewMessage(model.RoleSystem, &model.Text{Text: "s"}),
		Tools:  &model.ToolSet{Defs: []model.ToolDef{addTool}},
		Extra:  map[string]json.RawMessage{"b": raw("1"), "a": raw("2"), "c": raw("3")},
	}
	var before []byte
	all := history(30)
	for n := 1; n <= len(all); n++ {
		req.Messages = all[:n]
		data, err := bodyOf(t, m, req)
		if err != nil {
			t.Fatal(err)
		}
		if prefix := bytes.TrimSuffix(before, bodyEnd); !bytes.HasPrefix(data, prefix) {
			t.Fatalf("turn %d changed what was sent before:\n%s\n%s", n, prefix, data)
		}
		before = data
	}
	for _, msg := range all {
		if _, err := msg.Encoding(encodingKey, func() ([]byte, error) { return nil, errors.New("encoded anew") }); err != nil {
			t.Error(err)
		}
	}
}

func TestStrictSchema(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ schema, want string }{ // want "" for none
		"closed":         {`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`, `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`},
		"open":           {`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`},
		"empty":          {`{"type":"object","properties":{}}`, `{"type":"object","properties":{},"additionalProperties":false,"required":[]}`},
		"within":         {`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{}}},"b":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/x"}]}},"required":["b","a"],"$defs":{"x":{"type":["object","null"],"properties":{}}}}`, `{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{},"additionalProperties":false,"required":[]}},"b":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/x"}]}},"required":["b","a"],"$defs":{"x":{"type":["object","null"],"properties":{},"additionalProperties":false,"required":[]}},"additionalProperties":false}`},
		"formats":        {`{"type":"object","properties":{"a":{"type":"string","format":"date","pattern":"x"}},"required":["a"]}`, `{"type":"object","properties":{"a":{"type":"string","format":"date","pattern":"x"}},"required":["a"],"additionalProperties":false}`},
		"optional":       {`{"type":"object","properties":{"a":{}}}`, ""},
		"optional below": {`{"type":"object","properties":{"a":{"type":"object","properties":{"b":{}}}},"required":["a"]}`, ""},
		"more":           {`{"type":"object","properties":{},"additionalProperties":true}`, ""},
		"a map":          {`{"type":"object","additionalProperties":{"type":"string"}}`, ""},
		"no properties":  {`{"type":"object"}`, ""},
		"a list":         {`{"type":"array","items":{}}`, ""},
		"a choice":       {`{"type":"object","anyOf":[{}]}`, ""},
		"allOf":          {`{"type":"object","properties":{"a":{"allOf":[]}},"required":["a"]}`, ""},
		"odd format":     {`{"type":"object","properties":{"a":{"format":"uri"}},"required":["a"]}`, ""},
		"true":           {`{"type":"object","properties":{"a":true},"required":["a"]}`, ""},
		"odd items":      {`{"type":"object","properties":{"a":{"items":[]}},"required":["a"]}`, ""},
		"odd anyOf":      {`{"type":"object","properties":{"a":{"anyOf":1}},"required":["a"]}`, ""},
		"odd defs":       {`{"type":"object","properties":{},"$defs":1}`, ""},
		"too deep":       {`{"type":"object","properties":{"a":` + strings.Repeat(`{"items":`, 100) + `{}` + strings.Repeat(`}`, 100) + `},"required":["a"]}`, ""},
	} {
		got, ok := strictSchema([]byte(tt.schema))
		want := tt.want
		if want == "" {
			want = tt.schema
		}
		if string(got) != want || ok != (tt.want != "") {
			t.Errorf("%s: %v\n got %s\nwant %s", name, ok, got, want)
		}
	}
}
