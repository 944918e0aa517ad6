package modeltest_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
)

// postChat sends a body to /v1/chat/completions.
func postChat(t *testing.T, s *modeltest.Server, body string, edit ...func(*http.Request)) reply {
	t.Helper()
	return post(t, s, body, append([]func(*http.Request){func(r *http.Request) {
		r.URL.Path = "/v1/chat/completions"
		r.Header.Set("Content-Type", "application/json")
	}}, edit...)...)
}

func TestChatStream(t *testing.T) {
	t.Parallel()
	s := newServer(t, modeltest.ServerConfig{PieceRunes: 6, Script: modeltest.Script{
		modeltest.Think("Hm.", "sig==").Say("Größe <5>").CallID("call_1", "now", nil).
			Usage(model.Usage{InputTokens: 7, OutputTokens: 9, CacheReadTokens: 3}),
	}})
	r := postChat(t, s, `{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"Hello"}]}`)
	if r.status != 200 || r.err != nil || r.header.Get("Content-Type") != "text/event-stream; charset=utf-8" || r.header.Get("X-Request-Id") == "" {
		t.Fatalf("status %d, header %v, error %v", r.status, r.header, r.err)
	}
	var got []string
	for _, event := range strings.Split(strings.TrimSuffix(r.body, "\n\n"), "\n\n") {
		data, ok := strings.CutPrefix(event, "data: ")
		var chunk struct {
			ID      string
			Choices []json.RawMessage
			Usage   json.RawMessage
		}
		if data != "[DONE]" {
			if err := json.Unmarshal([]byte(data), &chunk); err != nil || !ok || !strings.HasPrefix(chunk.ID, "chatcmpl-") {
				t.Fatalf("not a chunk: %q (%v)", event, err)
			}
			if data = string(chunk.Usage); len(chunk.Choices) > 0 {
				data = string(chunk.Choices[0])
			}
		}
		got = append(got, data)
	}
	want := []string{
		`{"index":0,"delta":{"content":"","role":"assistant"},"finish_reason":null}`,
		`{"index":0,"delta":{"reasoning":"Hm.","reasoning_details":[{"format":"modeltest","index":0,"text":"Hm.","type":"reasoning.text"}]},"finish_reason":null}`,
		`{"index":0,"delta":{"reasoning_details":[{"format":"modeltest","index":0,"signature":"sig==","type":"reasoning.text"}]},"finish_reason":null}`,
		`{"index":0,"delta":{"content":"Größe "},"finish_reason":null}`,
		`{"index":0,"delta":{"content":"<5>"},"finish_reason":null}`,
		`{"index":0,"delta":{"tool_calls":[{"function":{"arguments":"","name":"now"},"id":"call_1","index":0,"type":"function"}]},"finish_reason":null}`,
		`{"index":0,"delta":{"tool_calls":[{"function":{"arguments":"{}"},"index":0}]},"finish_reason":null}`,
		`{"index":0,"delta":{},"finish_reason":"tool_calls"}`,
		`{"prompt_tokens":10,"completion_tokens":9,"total_tokens":19,"prompt_tokens_details":{"cached_tokens":3},"completion_tokens_details":{"reasoning_tokens":0}}`,
		`[DONE]`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("stream (-want +got):\n%s", diff)
	}
}

func TestChatWhole(t *testing.T) {
	t.Parallel()
	s := newServer(t, modeltest.ServerConfig{APIKey: "sk-test", Script: modeltest.Script{
		modeltest.Think("Hm.", "").Say("a").CallID("call_1", "now", nil).Usage(model.Usage{InputTokens: 7, OutputTokens: 9}),
	}})
	r := postChat(t, s, `{"model":"m","messages":[{"role":"user","content":"Hello"}]}`, func(r *http.Request) { r.Header.Set("Authorization", "Bearer sk-test") })
	for _, part := range []string{`"object":"chat.completion"`, `"message":{"content":"a","reasoning_content":"Hm.","role":"assistant","tool_calls":[{"function":{"arguments":"{}","name":"now"},"id":"call_1","type":"function"}]}`, `"finish_reason":"tool_calls"`, `"prompt_tokens":7`} {
		if r.status != 200 || !strings.Contains(r.body, part) {
			t.Errorf("status %d, no %s in %s", r.status, part, r.body)
		}
	}
	if got := s.Requests(); len(got) != 1 || !got[0].KeyMatched() || got[0].Header.Get("Authorization") != "REDACTED" || got[0].Request.Messages[0].Blocks.Text() != "Hello" {
		t.Errorf("recorded %+v", got)
	}
}

// TestChatRefuses: what a strict server does not take.
func TestChatRefuses(t *testing.T) {
	t.Parallel()
	call := func(id, args string) string {
		return `{"role":"assistant","content":null,"tool_calls":[{"id":"` + id + `","type":"function","function":{"name":"f","arguments":"` + args + `"}}]}`
	}
	const user, result = `{"role":"user","content":"q"}`, `{"role":"tool","tool_call_id":"a","content":"1"}`
	messages := func(list ...string) string { return `{"model":"m","messages":[` + strings.Join(list, ",") + `]}` }
	with := func(fields string) string { return `{"model":"m","messages":[` + user + `],` + fields + `}` }
	for words, body := range map[string]string{
		"could not parse":                        `{`,
		"you must provide a model":               `{"messages":[` + user + `]}`,
		"empty array":                            messages(),
		"supplied: foo":                          with(`"foo":1`),
		"Invalid type":                           with(`"max_tokens":"many"`),
		"integer below minimum":                  with(`"max_tokens":0`),
		"at the same time":                       with(`"max_tokens":1,"max_completion_tokens":1`),
		"decimal out of range":                   with(`"temperature":3`),
		"'stream_options' parameter":             with(`"stream_options":{"include_usage":true}`),
		"at most 4 strings":                      with(`"stop":["a","b","c","d","e"]`),
		"response_format.json_schema":            with(`"response_format":{"type":"json_schema"}`),
		"'parallel_tool_calls' is only":          with(`"parallel_tool_calls":false`),
		"'tool_choice' is only":                  with(`"tool_choice":"required"`),
		"Supported values are: 'none'":           with(`"tool_choice":"any"`),
		"not found in 'tools'":                   with(`"tool_choice":{"type":"function","function":{"name":"f"}}`),
		"Supported values are: 'function'":       with(`"tools":[{"type":"web"}]`),
		"does not match pattern":                 with(`"tools":[{"type":"function","function":{"name":"a b"}}]`),
		"must be unique":                         with(`"tools":[{"type":"function","function":{"name":"f"}},{"type":"function","function":{"name":"f"}}]`),
		"got 'type: \"array\"'":                  with(`"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"array"}}}]`),
		"missing properties":                     with(`"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]`),
		"Invalid value: 'bot'":                   messages(`{"role":"bot","content":"a"}`),
		"got null":                               messages(`{"role":"user","content":null}`),
		"it is empty":                            messages(user, `{"role":"assistant","content":""}`),
		"Unrecognized field: tool_calls":         messages(`{"role":"user","content":"a","tool_calls":[]}`),
		"Unrecognized field: thinking":           messages(user, `{"role":"assistant","content":"a","thinking":"b"}`),
		"nothing to answer":                      messages(`{"role":"system","content":"a"}`),
		"expected a JSON object":                 messages(user, call("a", "[1]"), result),
		"length between 1 and 40":                messages(user, call(strings.Repeat("a", 41), "{}"), result),
		"did not have response messages: a":      messages(user, call("a", "{}")),
		"must be followed by tool":               messages(user, call("a", "{}"), user),
		"must be a response to a preceeding":     messages(user, result),
		"preceeding message with 'tool_calls'. ": messages(user, call("a", "{}"), result, result),
		"tool_call_id'.":                         messages(user, call("a", "{}"), `{"role":"tool","content":"1"}`),
		"takes no part of type 'image_url'":      messages(user, call("a", "{}"), `{"role":"tool","tool_call_id":"a","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,"}}]}`),
		"an array of objects":                    messages(`{"role":"user","content":7}`),
	} {
		s := newServer(t, modeltest.ServerConfig{Script: modeltest.Script{modeltest.Say("a")}})
		r := postChat(t, s, body)
		var answer struct {
			Error struct{ Message, Type string }
		}
		if err := json.Unmarshal([]byte(r.body), &answer); err != nil || r.status != 400 || answer.Error.Type != "invalid_request_error" || !strings.Contains(answer.Error.Message, words) {
			t.Errorf("%s: status %d, %s (%v)", words, r.status, r.body, err)
		}
		if s.Unplayed() != 1 {
			t.Errorf("%s: the script was played", words)
		}
	}
}

// TestChatReads: what a strict server makes of a request.
func TestChatReads(t *testing.T) {
	t.Parallel()
	s := newServer(t, modeltest.ServerConfig{Script: modeltest.Script{modeltest.Say("a")}})
	r := postChat(t, s, `{"model":"m","max_completion_tokens":9,"temperature":0.5,"stop":"END","reasoning_effort":"low","seed":1,"parallel_tool_calls":false,"tool_choice":{"type":"function","function":{"name":"f"}},
		"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":{"type":"object"}}},
		"tools":[{"type":"function","function":{"name":"f","description":"d","strict":true,"parameters":{"type":"object","properties":{}}}}],
		"messages":[{"role":"developer","content":"s"},{"role":"user","content":[{"type":"text","text":"q"},{"type":"image_url","image_url":{"url":"https://a.org/i.png"}}]},
		{"role":"assistant","content":"","reasoning_details":[{"type":"reasoning.text","text":"t","signature":"sig"},{"type":"reasoning.encrypted","data":"d"}],"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"a","content":"1"},{"role":"user","content":"and?"},{"role":"assistant","content":"b","reasoning_content":"u"},{"role":"system","content":"now"},{"role":"user","content":"c"}]}`)
	if r.status != 200 {
		t.Fatal(r.body)
	}
	got := s.Requests()[0].Request
	temperature := 0.5
	want := &model.Request{
		Effort: "low", MaxTokens: 9, Temperature: &temperature, StopSequences: []string{"END"}, OutputSchema: json.RawMessage(`{"type":"object"}`),
		Extra: map[string]json.RawMessage{"seed": json.RawMessage("1")}, System: model.NewMessage(model.RoleSystem, &model.Text{Text: "s"}),
		Tools:      &model.ToolSet{Defs: []model.ToolDef{{Name: "f", Description: "d", Strict: true, InputSchema: json.RawMessage(`{"type":"object","properties":{}}`)}}},
		ToolChoice: model.ToolChoice{Mode: "tool", Name: "f", Single: true},
		Messages: []*model.Message{
			model.NewMessage(model.RoleUser, &model.Text{Text: "q"}, &model.Image{Source: model.Source{URL: "https://a.org/i.png"}}),
			{Role: model.RoleAssistant, Provider: "chat", Blocks: model.Blocks{&model.Thinking{Text: "t", Signature: "sig"}, &model.RedactedThinking{Data: "d"}, &model.ToolUse{ID: "a", Name: "f", Input: json.RawMessage("{}")}}},
			model.NewMessage(model.RoleUser, &model.ToolResult{ToolUseID: "a", Content: model.Blocks{&model.Text{Text: "1"}}}, &model.Text{Text: "and?"}),
			{Role: model.RoleAssistant, Provider: "chat", Blocks: model.Blocks{&model.Thinking{Text: "u"}, &model.Text{Text: "b"}}},
			model.NewMessage(model.RoleSystem, &model.Text{Text: "now"}), model.UserText("c"),
		},
	}
	a, _ := json.Marshal(want)
	b, _ := json.Marshal(got)
	if diff := cmp.Diff(string(a), string(b)); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

func TestChatAdmission(t *testing.T) {
	t.Parallel()
	const body = `{"model":"m","messages":[{"role":"user","content":"Hello"}]}`
	key := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	for name, tt := range map[string]struct {
		cfg    modeltest.ServerConfig
		edit   func(*http.Request)
		status int
		words  string
	}{
		"no key":        {modeltest.ServerConfig{APIKey: "sk-test"}, key("X-Api-Key", "sk-test"), 401, "provide an API key"},
		"the wrong key": {modeltest.ServerConfig{APIKey: "sk-test"}, key("Authorization", "Bearer sk-other"), 401, "Incorrect API key"},
		"a form":        {modeltest.ServerConfig{}, key("Content-Type", "text/plain"), 400, "Content-Type"},
		"GET":           {modeltest.ServerConfig{}, func(r *http.Request) { r.Method = http.MethodGet }, 405, "Not allowed to GET"},
		"no turn":       {modeltest.ServerConfig{}, key("A", "b"), 400, "no further turn"},
		"no such form":  {modeltest.ServerConfig{Script: modeltest.Script{modeltest.Block(`{"type":"hologram"}`)}}, key("A", "b"), 400, "no form for a block"},
		"no such cut":   {modeltest.ServerConfig{Script: modeltest.Script{modeltest.Say("a").CutInRune()}}, key("A", "b"), 400, "several bytes"},
	} {
		r := postChat(t, newServer(t, tt.cfg), body, tt.edit)
		if r.status != tt.status || !strings.Contains(r.body, tt.words) {
			t.Errorf("%s: status %d, %s", name, r.status, r.body)
		}
	}
}
