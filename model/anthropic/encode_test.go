package anthropic

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

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/model"
)

// bodyOf returns the body of a request, read in one piece, and checks that it
// is JSON, of the declared length, and the same when it is read otherwise.
func bodyOf(t testing.TB, req *model.Request) ([]byte, error) {
	t.Helper()
	b := &body{}
	if err := b.fill(req, "claude-x", 100, false); err != nil {
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

func answer(blocks ...model.Block) *model.Message {
	m := model.NewMessage(model.RoleAssistant, blocks...)
	m.Provider = Provider
	return m
}

func raw(s string) json.RawMessage { return json.RawMessage(s) }

var addTool = model.ToolDef{Name: "add", Description: "Adds.", InputSchema: raw(`{ "type": "object" }`)}

func ptr[T any](v T) *T { return &v }

// requests are the cases of testdata/requests.txt.
var requests = map[string]*model.Request{
	"minimal": {Messages: []*model.Message{model.UserText("hi")}},
	"all options": {
		Messages: []*model.Message{model.UserText("hi")}, System: model.NewMessage(model.RoleSystem, &model.Text{Text: "Be \"brief\".\n"}, &model.Text{Text: "Really."}),
		MaxTokens: 5, Temperature: ptr(0.25), StopSequences: []string{"END", "\u0001"}, Effort: "high",
		Thinking:     &model.ThinkingOptions{Mode: "enabled", BudgetTokens: 2000, Display: "omitted"},
		OutputSchema: raw(` {"type":"object"} `),
		Tools: &model.ToolSet{Defs: []model.ToolDef{addTool, {Name: "strict", InputSchema: raw(`{}`), Strict: true}, {Name: "bare"}},
			Server: []model.ServerTool{{Type: "web_search_20250305", Name: "web_search", MaxUses: 3, Config: raw(`{"allowed_domains":["a.org"],"max_uses":9,"type":"ignored"}`)}, {Type: "mcp_toolset", Config: raw(`{"mcp_server_name":"x"}`)}}},
		ToolChoice: model.ToolChoice{Mode: "tool", Name: "add", Single: true},
		Extra:      map[string]json.RawMessage{"service_tier": raw(`"auto"`), "metadata": raw(` {"user_id":"u"} `)},
	},
	"a tool's own fields":       {Messages: history(1), Tools: &model.ToolSet{Defs: []model.ToolDef{{Name: "f", Provider: map[string]json.RawMessage{"anthropic": raw(`{"defer_loading":true,"name":"ignored"}`), "openai": raw(`{"defer_loading":true,"type":"ignored"}`), "chat": raw(`{"cache":1,"type":"ignored"}`)}}}}},
	"adaptive thinking":         {Messages: history(1), Thinking: &model.ThinkingOptions{Mode: "adaptive", Display: "summarized"}},
	"thinking off":              {Messages: history(1), Thinking: &model.ThinkingOptions{Mode: "disabled", Display: "summarized"}},
	"effort with Extra":         {Messages: history(1), Effort: "low", Extra: map[string]json.RawMessage{"output_config": raw(`{"task_budget":{"type":"tokens","total":9}}`)}},
	"Extra wins":                {Messages: history(1), Effort: "low", Temperature: ptr(1.0), Extra: map[string]json.RawMessage{"output_config": raw(`{"effort":"max"}`), "model": raw(`"other"`), "max_tokens": raw(`7`), "temperature": raw(`0`)}},
	"one call at a time":        {Messages: history(1), Tools: &model.ToolSet{Defs: []model.ToolDef{addTool}}, ToolChoice: model.ToolChoice{Single: true}},
	"any tool":                  {Messages: history(1), Tools: &model.ToolSet{Defs: []model.ToolDef{addTool}}, ToolChoice: model.ToolChoice{Mode: "any"}},
	"no tool now":               {Messages: history(1), Tools: &model.ToolSet{Defs: []model.ToolDef{addTool}}, ToolChoice: model.ToolChoice{Mode: "none", Single: true}},
	"choice without tools":      {Messages: history(1), ToolChoice: model.ToolChoice{Mode: "any"}},
	"system role in the middle": {Messages: []*model.Message{model.UserText("a"), model.NewMessage(model.RoleSystem, &model.Text{Text: "now in French"})}},
	"every block, own answer": {Messages: []*model.Message{model.UserText("q"), answer(
		&model.Thinking{Text: "t", Signature: "s"}, &model.Thinking{Text: "cut off"}, &model.RedactedThinking{Data: "d"}, &model.Text{},
		&model.Text{Text: "cited", Citations: []model.Citation{{Raw: raw(`{"type":"x"}`)}, {Kind: "made up"}}},
		&model.Text{Text: "typed", Raw: raw(` {"type":"text","text":"raw"} `)},
		&model.ServerToolUse{Type: "server_tool_use", ID: "srv_1", Name: "web_search", Input: raw(`{"q":1}`)},
		&model.ServerToolResult{Type: "web_search_tool_result", ToolUseID: "srv_1", Content: raw(`[]`), IsError: true},
		&model.ServerToolResult{Type: "mcp_tool_result", ToolUseID: "m_1", Content: raw(`[]`)},
		&model.Unknown{Type: "new", Raw: raw(`{"type":"new","x":[1, 2]}`)},
		&model.ToolUse{ID: "toolu_1", Name: "f", Input: raw(`{"a":1}`), Raw: raw(`{"type":"tool_use","id":"toolu_1","name":"f","input":{"a":1},"caller":{"type":"direct"}}`)},
		&model.ToolUse{ID: "toolu_2", Name: "f", Input: raw(`"{\"a\": tr"`), Incomplete: true},
		&model.ToolUse{ID: "toolu_3", Name: "f"},
		&model.ToolUse{ID: "toolu_4", Name: "f", Input: raw(`[1]`)},
	)}},
	"every block, made here": {Messages: []*model.Message{model.NewMessage(model.RoleUser,
		&model.ToolResult{ToolUseID: "toolu_1", Content: model.Blocks{&model.Text{Text: "3"}, &model.Image{Source: model.Source{Data: []byte("\x89PNG\r\n\x1a\n")}}, &model.Unknown{Type: "tool_reference", Raw: raw(`{"type":"tool_reference","tool_name":"f"}`)}}},
		&model.ToolResult{ToolUseID: "call|2.x", IsError: true, Content: model.Blocks{&model.Text{}}},
		&model.Image{Source: model.Source{URL: "https://a.org/i.png"}}, &model.Image{Source: model.Source{FileID: "file_1"}}, &model.Image{Source: model.Source{Data: []byte{0, 1, 2}, MediaType: "image/webp"}},
		&model.Document{Source: model.Source{Text: "plain"}, Title: "T", Context: "C", Cite: true}, &model.Document{Source: model.Source{Data: []byte("%PDF-1.7")}},
		&model.Text{Text: "</script>\u2028\xff日本😀", Raw: raw(`{"ignored":true}`)},
		&model.Thinking{Text: "mine", Signature: "s"},
	)}},
	"another provider's answer": {Messages: []*model.Message{model.UserText("q"), {Role: model.RoleAssistant, Provider: "openai", Blocks: model.Blocks{
		&model.Thinking{Text: "secret", Signature: "x"}, &model.RedactedThinking{Data: "enc"}, &model.Text{Text: "hello", Citations: []model.Citation{{Raw: raw(`{}`)}}, Raw: raw(`{"type":"output_text"}`)},
		&model.ServerToolUse{Type: "web_search_call", ID: "ws_1"}, &model.ServerToolResult{Type: "x_tool_result"}, &model.Unknown{Type: "z", Raw: raw(`{}`)},
		&model.ToolUse{ID: "functions.add:0", Name: "add", Input: raw(`{"a":1}`), Raw: raw(`{"type":"function_call"}`)},
	}}, model.NewMessage(model.RoleUser, &model.ToolResult{ToolUseID: "functions.add:0", Content: model.Blocks{&model.Text{Text: "1"}}})}},
	"nothing to send first and between": {Messages: []*model.Message{answer(&model.Text{}), model.UserText("a"), answer(), model.UserText("b")}},
	"cache everywhere": {
		Messages: history(5), System: model.NewMessage(model.RoleSystem, &model.Text{Text: "s"}), Tools: &model.ToolSet{Defs: []model.ToolDef{addTool}},
		Cache: model.Cache{System: true, Tools: true, Messages: 9, TTL: "1h"},
	},
	"cache messages":               {Messages: history(7), Cache: model.Cache{Messages: 9, TTL: "5m"}},
	"cache nothing that is absent": {Messages: history(1), Cache: model.Cache{System: true, Tools: true}},
	"cache not on thinking": {Messages: []*model.Message{
		model.UserText("q"),
		answer(&model.Text{Text: "a"}, &model.Thinking{Text: "t", Signature: "s"}, &model.Text{}),
		answer(&model.Thinking{Text: "only", Signature: "s"}),
		model.NewMessage(model.RoleUser, &model.Text{Text: "with }]} in it"}, &model.Image{Source: model.Source{URL: "u"}}),
	}, Cache: model.Cache{Messages: 2}},
	"cache behind dropped blocks": {Messages: []*model.Message{{Role: model.RoleAssistant, Provider: "openai", Blocks: model.Blocks{&model.Text{Text: "a"}, &model.Unknown{Type: "z", Raw: raw(`{}`)}}}}, Cache: model.Cache{Messages: 1}},
	"cache once on a block":       {Messages: []*model.Message{model.UserText("a"), answer(&model.Text{Text: "b", Raw: raw(`{"type":"text","text":"b","cache_control":{"type":"ephemeral"}}`)})}, Cache: model.Cache{Messages: 1}},
}

func TestRequestBodies(t *testing.T) {
	t.Parallel()
	var got strings.Builder
	for _, name := range slices.Sorted(maps.Keys(requests)) {
		data, err := bodyOf(t, requests[name])
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		fmt.Fprintf(&got, "%s\n\t%s\n", name, data)
		if n := bytes.Count(data, []byte(`"cache_control"`)); n > 4 {
			t.Errorf("%s: %d breakpoints", name, n)
		}
	}
	golden(t, "requests.txt", got.String())
}

func TestRequestsRefused(t *testing.T) {
	t.Parallel()
	msgs := history(1)
	tools := func(d model.ToolDef) *model.ToolSet { return &model.ToolSet{Defs: []model.ToolDef{d}} }
	for words, req := range map[string]*model.Request{
		"no messages":                 {},
		"message 1 is nil":            {Messages: []*model.Message{msgs[0], nil}},
		"content that can be sent":    {Messages: []*model.Message{answer()}},
		"cache TTL":                   {Messages: msgs, Cache: model.Cache{TTL: "2h"}},
		"max tokens":                  {Messages: msgs, MaxTokens: -1},
		"thinking mode \"deep\"":      {Messages: msgs, Thinking: &model.ThinkingOptions{Mode: "deep"}},
		"BudgetTokens":                {Messages: msgs, Thinking: &model.ThinkingOptions{Mode: "enabled"}},
		"tool choice \"maybe\"":       {Messages: msgs, Tools: tools(addTool), ToolChoice: model.ToolChoice{Mode: "maybe"}},
		"needs a name":                {Messages: msgs, Tools: tools(addTool), ToolChoice: model.ToolChoice{Mode: "tool"}},
		"schema of tool f":            {Messages: msgs, Tools: tools(model.ToolDef{Name: "f", InputSchema: raw(`[]`)})},
		"Provider of tool f":          {Messages: msgs, Tools: tools(model.ToolDef{Name: "f", Provider: map[string]json.RawMessage{"anthropic": raw(`[]`)}})},
		"server tool web":             {Messages: msgs, Tools: &model.ToolSet{Server: []model.ServerTool{{Type: "web", Config: raw(`{`)}}}},
		"output schema":               {Messages: msgs, OutputSchema: raw(`x`)},
		"output_config of Extra":      {Messages: msgs, Extra: map[string]json.RawMessage{"output_config": raw(`1`)}},
		"field a of Extra":            {Messages: msgs, Extra: map[string]json.RawMessage{"a": raw(`{`)}},
		"replace messages":            {Messages: msgs, Extra: map[string]json.RawMessage{"messages": raw(`[]`)}},
		"replace stream":              {Messages: msgs, Extra: map[string]json.RawMessage{"stream": raw(`false`)}},
		"message 0: block 1: its raw": {Messages: []*model.Message{answer(&model.Text{Text: "a"}, &model.Unknown{Raw: raw(`{`)})}},
		"has no data":                 {Messages: []*model.Message{model.NewMessage(model.RoleUser, &model.Image{})}},
		"block 0: it is nil":          {Messages: []*model.Message{model.NewMessage(model.RoleUser, nil)}},
		"encode system":               {Messages: msgs, System: model.NewMessage(model.RoleSystem, &model.Document{})},
		"temperature":                 {Messages: msgs, Temperature: ptr(math.NaN())},
	} {
		_, err := bodyOf(t, req)
		var e *model.Error
		if !errors.As(err, &e) || e.Kind != model.ErrInvalidRequest || e.Provider != Provider || !strings.Contains(e.Message, words) {
			t.Errorf("%s: %v", words, err)
		}
		// The same error comes out of a stream, before anything is sent.
		m := testModel(t, "http://127.0.0.1:1")
		if _, serr := m.Stream(context.Background(), req).Collect(); serr == nil || err == nil || serr.Error() != err.Error() {
			t.Errorf("%s: from the stream: %v", words, serr)
		}
	}
	if _, err := testModel(t, "http://127.0.0.1:1").Stream(context.Background(), nil).Collect(); err == nil {
		t.Error("a nil request was accepted")
	}
}

// TestPrefixIsStable: from turn to turn, the bytes before the newest message
// stay as they are, but for the breakpoints that move; and each message, the
// instructions and the tools are encoded once.
func TestPrefixIsStable(t *testing.T) {
	t.Parallel()
	req := &model.Request{
		System: model.NewMessage(model.RoleSystem, &model.Text{Text: "s"}),
		Tools:  &model.ToolSet{Defs: []model.ToolDef{addTool}},
		Cache:  model.Cache{System: true, Messages: 2},
		Extra:  map[string]json.RawMessage{"b": raw("1"), "a": raw("2"), "c": raw("3")},
	}
	moving := slices.Concat(control)
	var was []byte
	var kept [][]byte
	for i, m := range history(12) {
		req.Messages = append(req.Messages, m)
		data, err := bodyOf(t, req)
		if err != nil {
			t.Fatal(err)
		}
		head, msgs, _ := bytes.Cut(data, []byte(`"messages":[`))
		now := append(slices.Clone(head), bytes.ReplaceAll(msgs, moving, nil)...)
		if i > 0 && !bytes.HasPrefix(now, bytes.TrimSuffix(was, bodyEnd)) {
			t.Errorf("turn %d changes what was sent before (-was +now):\n%s", i, cmp.Diff(string(was), string(now)))
		}
		was = now
		for j, m := range req.Messages {
			enc, err := encodeMessage(m)
			if err != nil {
				t.Fatal(err)
			}
			if j == len(kept) {
				kept = append(kept, enc)
			} else if &enc[0] != &kept[j][0] {
				t.Errorf("turn %d: message %d was encoded again", i, j)
			}
		}
	}
	if n := bytes.Count(was, []byte("question")); n != 6 {
		t.Errorf("%d questions in the last request", n)
	}
}

// TestTurnCost: a turn costs what it adds, not what came before.
func TestTurnCost(t *testing.T) {
	cost := func(n int) float64 {
		req := &model.Request{Messages: history(n), Cache: model.Cache{Messages: 2}}
		head := []byte(nil)
		buf := make([]byte, 4096)
		return testing.AllocsPerRun(100, func() {
			b := &body{head: head[:0]}
			if err := b.fill(req, "m", 1, false); err != nil {
				t.Fatal(err)
			}
			head = b.head
			for r := b.reader(); ; {
				if _, err := r.Read(buf); err == io.EOF {
					break
				}
			}
		})
	}
	if few, many := cost(2), cost(2000); many > few || few > 4 {
		t.Errorf("%v allocations for 2 messages, %v for 2000", few, many)
	}
}

func TestMessageMarkAgainstParser(t *testing.T) {
	t.Parallel()
	for name, req := range requests {
		for i, m := range req.Messages {
			enc, err := encodeMessage(m)
			if err != nil || len(enc) == 0 {
				continue
			}
			at := messageMark(m, enc)
			if at < 0 {
				continue
			}
			marked := slices.Concat(enc[1:at], []byte(`,"MARK":1`), enc[at:])
			var msg struct {
				Content []map[string]any `json:"content"`
			}
			if err := json.Unmarshal(marked, &msg); err != nil {
				t.Errorf("%s, message %d: %v: %s", name, i, err, marked)
				continue
			}
			marks := 0
			for j, block := range msg.Content {
				if block["MARK"] == nil {
					continue
				}
				marks++
				for _, behind := range msg.Content[j+1:] {
					if behind["type"] != "thinking" && behind["type"] != "redacted_thinking" {
						t.Errorf("%s, message %d: marked block %d, not the last that can be", name, i, j)
					}
				}
			}
			if marks != 1 {
				t.Errorf("%s, message %d: %d marks", name, i, marks)
			}
		}
	}
}
