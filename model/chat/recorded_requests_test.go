package chat

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest/cassette"
)

// otherRequest says, for a field of a recorded request, why ours is another.
var otherRequest = map[string]map[string]string{
	"openai-chat/charmbracelet+fantasy/TestOpenAICommon/openai-gpt-4o/multi_tool_streaming.yaml": {
		"max_tokens": "the old name of max_completion_tokens, which OpenAI takes for all models"},
	"openai-chat/0xPlaygrounds+rig/openai/chat_tool_truncation_matrix/streaming_gpt41_mid_model.yaml": {
		"max_tokens": "the old name of max_completion_tokens, which OpenAI takes for all models"},
	"compat/charmbracelet+fantasy/TestOpenAICompatibleCommon/llama-cpp-gpt-oss/tool_streaming.yaml": {
		"max_tokens": "the client took llama.cpp for OpenAI; llama.cpp takes both names"},
	"compat/pydantic+pydantic-ai/test_openrouter/test_openrouter_stream_error.yaml": {
		"max_tokens": "OpenRouter takes both names"},
	"openai-chat/pydantic+pydantic-ai/test_openai/test_compatible_api_with_tool_calls_without_id.yaml": {
		"messages": "the client dropped extra_content, which holds Gemini's signature; we send it back"},
	"compat/charmbracelet+fantasy/TestOpenRouterThinking/anthropic/thinking-streaming.yaml": {
		"messages": "the client sent the words of reasoning_details once more, as reasoning"},
	"compat/crmne+ruby_llm/chat_function_calling_ollama_qwen3_can_use_parallel_tool_calls.yml": {
		"messages": "the client sent the reasoning once more, as reasoning_content"},
	"compat/pydantic+pydantic-ai/test_groq/test_tool_use_failed_error_streaming.yaml": {
		"stream_options": "the client did not ask for the usage, which Groq tells anyway"},
	"compat/simonw+llm/test_tools_streaming/test_tools_streaming_variant_a.yaml": {
		"messages": "the client sent an empty answer before the one with the call"},
	"compat/simonw+llm/test_tools_streaming/test_tools_streaming_variant_c.yaml": {
		"messages": "the second request was recorded with the answer of variant a"},
}

// rowOf is the provider whose row a recording belongs to.
func rowOf(name string, e cassette.Exchange) string {
	if p := providerOf(e); p != "" {
		return p
	}
	for part, row := range map[string]string{
		"rig/openai/": "openai", "rig/groq/": "groq", "rig/openrouter/": "openrouter", "prism/openrouter/": "openrouter",
		"rig/llamacpp/": "llamacpp", "/llama-cpp-": "llamacpp", "rig/doubleword/": "doubleword", "_ollama_": "ollama", "/test_ollama": "ollama",
		"ai/deepseek/": "deepseek", "ai/mistral/": "mistral", "ai/openai/": "openai",
	} {
		if strings.Contains(name, part) {
			return row
		}
	}
	return ""
}

// TestRecordedRequests: the request that we would send, made of the recorded one
// and of the answers as we decoded them, means what the recorded client sent.
func TestRecordedRequests(t *testing.T) {
	t.Parallel()
	names, all := recordings(t)
	compared, turns := 0, 0
	for _, name := range names {
		if otherWire[name] != "" {
			continue
		}
		excused := map[string]bool{}
		var answers []*model.Message
		for i, e := range all[name] {
			row := rowOf(name, e)
			if len(e.Request.Body) > 0 {
				theirs := decoded(t, e.Request.Body)
				cfg := Config{APIKey: testKey, BaseURL: "http://x.test/v1", Model: theirs["model"].(string), Provider: row, MaxTokens: -1}
				m := configured(t, cfg)
				req, used := requestFrom(t, theirs, answers)
				ours, err := m.profiles.Load().appendRequest(nil, req, &m.cfg)
				if err != nil {
					t.Errorf("%s[%d]: %v", name, i, err)
					continue
				}
				compared++
				turns += used
				for field, diff := range differences(theirs, decoded(t, ours)) {
					if otherRequest[name][field] == "" {
						t.Errorf("%s[%d]: %s (-recorded +ours):\n%s", name, i, field, diff)
					}
					excused[field] = true
				}
			}
			_, resp, err := replay(t, row, e)
			if err != nil { // TestRecordings says which
				resp = &model.Response{}
			}
			answers = append(answers, resp.Message)
		}
		for field, reason := range otherRequest[name] {
			if !excused[field] {
				t.Errorf("%s: %s is equal, although %q", name, field, reason)
			}
		}
	}
	if compared != 77 || turns != 23 {
		t.Errorf("%d requests with %d answers were compared", compared, turns)
	}
	t.Logf("%d requests compared, with %d answers in their histories", compared, turns)
}

func decoded(t testing.TB, data []byte) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%v: %.300s", err, data)
	}
	return v
}

func encoded(t testing.TB, v any) json.RawMessage {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// requestFrom makes a request of a recorded one. The answers in its history are
// those that we decoded, as far as there are any.
func requestFrom(t testing.TB, theirs map[string]any, answers []*model.Message) (req *model.Request, used int) {
	t.Helper()
	req = &model.Request{Extra: map[string]json.RawMessage{}}
	uses := map[string]string{} // recorded ids of calls -> ours
	for _, v := range theirs["messages"].([]any) {
		m := v.(map[string]any)
		text := textOf(m["content"])
		switch m["role"] {
		case "system", "developer":
			if req.System == nil && len(req.Messages) == 0 {
				req.System = model.NewMessage(model.RoleSystem, &model.Text{Text: text})
			} else {
				req.Messages = append(req.Messages, model.NewMessage(model.RoleSystem, &model.Text{Text: text}))
			}
		case "user":
			req.Messages = append(req.Messages, model.UserText(text))
		case "assistant":
			answer := model.NewMessage(model.RoleAssistant, &model.Text{Text: text})
			calls, _ := m["tool_calls"].([]any)
			var ours *model.Message
			if len(answers) > 0 && (answers[0] == nil || sameCalls(answers[0], calls)) {
				ours, answers = answers[0], answers[1:]
			}
			if ours != nil {
				answer = ours
				used++
			} else { // the client has made something of an error, or of nothing
				for _, c := range calls {
					fn := c.(map[string]any)["function"].(map[string]any)
					answer.Blocks = append(answer.Blocks, &model.ToolUse{ID: c.(map[string]any)["id"].(string), Name: fn["name"].(string), Input: json.RawMessage(fn["arguments"].(string))})
				}
			}
			for i, use := range answer.Blocks.ToolUses() {
				if i < len(calls) {
					uses[calls[i].(map[string]any)["id"].(string)] = use.ID
				}
			}
			req.Messages = append(req.Messages, answer)
		case "tool":
			result := &model.ToolResult{ToolUseID: uses[m["tool_call_id"].(string)], Content: model.Blocks{&model.Text{Text: text}}}
			last := req.Messages[len(req.Messages)-1]
			if last.Role == model.RoleUser {
				last.Blocks = append(last.Blocks, result)
			} else {
				req.Messages = append(req.Messages, model.NewMessage(model.RoleUser, result))
			}
		default:
			t.Fatalf("no role %v", m["role"])
		}
	}
	for field, v := range theirs {
		switch field {
		case "model", "messages", "n", "stream", "stream_options":
		case "max_tokens", "max_completion_tokens":
			req.MaxTokens = int(v.(float64))
		case "temperature":
			f := v.(float64)
			req.Temperature = &f
		case "stop":
			for _, s := range v.([]any) {
				req.StopSequences = append(req.StopSequences, s.(string))
			}
		case "reasoning":
			req.Effort = v.(map[string]any)["effort"].(string)
		case "response_format":
			req.OutputSchema = encoded(t, v.(map[string]any)["json_schema"].(map[string]any)["schema"])
		case "tools":
			req.Tools = toolsFrom(t, v.([]any))
		case "tool_choice":
			switch v {
			case "required":
				req.ToolChoice.Mode = "any"
			case "auto":
			default:
				t.Fatalf("no tool choice %v", v)
			}
		default:
			req.Extra[field] = encoded(t, v)
		}
	}
	return req, used
}

// sameCalls tells whether an answer has these recorded calls; otherwise the
// client has put an answer of its own in between.
func sameCalls(m *model.Message, calls []any) bool {
	uses := m.Blocks.ToolUses()
	return slices.EqualFunc(uses, calls, func(use *model.ToolUse, c any) bool {
		return use.Name == c.(map[string]any)["function"].(map[string]any)["name"]
	})
}

func toolsFrom(t testing.TB, list []any) *model.ToolSet {
	t.Helper()
	set := &model.ToolSet{}
	for _, v := range list {
		tool := v.(map[string]any)
		fn, ok := tool["function"].(map[string]any)
		if !ok {
			set.Server = append(set.Server, model.ServerTool{Type: tool["type"].(string), Config: encoded(t, tool)})
			continue
		}
		def := model.ToolDef{Name: fn["name"].(string), InputSchema: encoded(t, fn["parameters"])}
		def.Description, _ = fn["description"].(string)
		def.Strict, _ = fn["strict"].(bool)
		set.Defs = append(set.Defs, def)
	}
	return set
}

// textOf is the text of a content: a string, a list of texts, or nothing.
func textOf(content any) string {
	switch c := content.(type) {
	case string:
		return c
	case []any:
		var texts []string
		for _, part := range c {
			texts = append(texts, part.(map[string]any)["text"].(string))
		}
		return strings.Join(texts, "\n\n")
	}
	return ""
}

// differences compares two requests by their fields.
func differences(theirs, ours map[string]any) map[string]string {
	streams := theirs["stream"] == true
	a, b := meaning(theirs, streams), meaning(ours, streams)
	diffs := map[string]string{}
	for _, side := range []map[string]any{a, b} {
		for field := range side {
			if !reflect.DeepEqual(a[field], b[field]) {
				diffs[strings.Replace(field, "max_completion_tokens", "max_tokens", 1)] = cmp.Diff(a[field], b[field])
			}
		}
	}
	return diffs
}

// meaning leaves out what says nothing: the order of keys, a choice that is the
// default, ids of calls but for which call they name, and how an empty content is
// written. Whether to stream was the recorded client's choice.
func meaning(request map[string]any, streams bool) map[string]any {
	out := map[string]any{}
	for field, v := range request {
		switch field {
		case "stream", "n":
			continue
		case "stream_options":
			if !streams {
				continue
			}
		case "tool_choice":
			if v == "auto" {
				continue
			}
		case "parallel_tool_calls":
			if v == true {
				continue
			}
		case "tools":
			v = toolsMeaning(v.([]any))
		case "messages":
			v = messagesMeaning(v.([]any))
		case "response_format":
			if js, ok := v.(map[string]any)["json_schema"].(map[string]any); ok {
				v = []any{js["schema"], js["strict"]}
			}
		}
		out[field] = v
	}
	return out
}

func toolsMeaning(list []any) []string {
	var out []string
	for _, v := range list {
		tool := v.(map[string]any)
		if fn, ok := tool["function"].(map[string]any); ok {
			if fn["strict"] == false {
				delete(fn, "strict")
			}
			if fn["description"] == "" {
				delete(fn, "description")
			}
		}
		data, _ := json.Marshal(tool) // it was JSON
		out = append(out, string(data))
	}
	return out
}

func messagesMeaning(list []any) []string {
	var out []string
	ids := map[any]int{}
	for _, v := range list {
		m := v.(map[string]any)
		s := fmt.Sprintf("%s: %s", strings.Replace(m["role"].(string), "developer", "system", 1), ascii.Replace(textOf(m["content"])))
		calls, _ := m["tool_calls"].([]any)
		for _, c := range calls {
			call := c.(map[string]any)
			ids[call["id"]] = len(ids)
			fn := call["function"].(map[string]any)
			var args any
			_ = json.Unmarshal([]byte(fn["arguments"].(string)), &args) // what is no JSON is nil on both sides
			s += fmt.Sprintf(" call %d %s %v", ids[call["id"]], fn["name"], args)
		}
		if m["role"] == "tool" {
			s += fmt.Sprintf(" answers %d", ids[m["tool_call_id"]])
		}
		for _, field := range []string{"reasoning", "reasoning_content", "reasoning_details", "extra_content"} {
			if m[field] != nil {
				data, _ := json.Marshal(m[field])
				s += fmt.Sprintf(" %s %s", field, ascii.Replace(string(data)))
			}
		}
		out = append(out, s)
	}
	return out
}

// ascii undoes the typographic signs that the pydantic-ai recordings lost in
// request bodies.
var ascii = strings.NewReplacer("\u2018", "'", "\u2019", "'", "\u201c", "\"", "\u201d", "\"", "\u2013", "-", "\u2014", "-", "\u2026", "...")

// TestProviderRows: each row that claims to be seen in recordings is seen in
// them, and a server that only its answers tell is told by them.
func TestProviderRows(t *testing.T) {
	t.Parallel()
	names, all := recordings(t)
	for _, row := range Providers() {
		if err := row.Quirks.check(); err != nil {
			t.Errorf("%s: %v", row.Name, err)
		}
		if len(row.Seen) == 0 && row.Name != "together" && row.Name != "lmstudio" {
			t.Errorf("%s: no recording shows it", row.Name)
		}
		told := len(row.Signs) == 0
		for _, name := range row.Seen {
			if !slices.Contains(names, name) {
				t.Errorf("%s: there is no recording %s", row.Name, name)
				continue
			}
			for _, e := range all[name] {
				if got := rowOf(name, e); got != row.Name {
					t.Errorf("%s: %s is of %q", row.Name, name, got)
				}
				if e.Response.Status != 200 || len(row.Signs) == 0 {
					continue
				}
				m := replayed(t, e)
				switch {
				case reflect.DeepEqual(*m.Quirks(), row.Quirks):
					told = true
				case !reflect.DeepEqual(*m.Quirks(), unknown):
					t.Errorf("%s: %s shows another provider: %+v", row.Name, name, m.Quirks())
				}
			}
		}
		if !told && len(row.Seen) > 0 {
			t.Errorf("%s: no answer shows it", row.Name)
		}
	}
}

// TestManualNamesEveryRow: the table of the manual is that of the code.
func TestManualNamesEveryRow(t *testing.T) {
	t.Parallel()
	manual, err := os.ReadFile(filepath.Join("..", "..", "docs", "providers.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range providers {
		if !bytes.Contains(manual, []byte("\n| `"+row.Name+"` |")) {
			t.Errorf("docs/providers.md has no row %s", row.Name)
		}
	}
}

// replayed returns the model of an unknown host after a recorded answer.
func replayed(t testing.TB, e cassette.Exchange) *Model {
	t.Helper()
	m := serving(t, e.Response.Write)
	_, _, _ = collect(m.Stream(t.Context(), request())) // TestRecordings says what comes
	return m
}

// TestLearned: what the first answer tells of the server shapes the next request.
func TestLearned(t *testing.T) {
	t.Parallel()
	_, all := recordings(t)
	e := all["compat/charmbracelet+fantasy/TestOpenAICompatibleCommon/llama-cpp-gpt-oss/tool_streaming.yaml"][0]
	m := replayed(t, e)
	req := &model.Request{Messages: append(history(1), &model.Message{Role: model.RoleAssistant, Provider: m.origin, Blocks: model.Blocks{
		&model.Thinking{Text: "hm"}, &model.ToolUse{ID: "a", Name: "f"}}},
		model.NewMessage(model.RoleUser, &model.ToolResult{ToolUseID: "a", Content: model.Blocks{&model.Text{Text: "1"}}}))}
	data, err := m.profiles.Load().appendRequest(nil, req, &m.cfg)
	if err != nil || !bytes.Contains(data, []byte(`"reasoning_content":"hm"`)) {
		t.Errorf("%v: %s", err, data)
	}
	if !m.EnforcesOutput() {
		t.Error("llama.cpp enforces schemas")
	}
}

func png() []byte {
	data, _ := base64.StdEncoding.DecodeString("iVBORw0KGgo=")
	return data
}
