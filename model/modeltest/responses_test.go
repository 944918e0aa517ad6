package modeltest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/anthropic"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/model/openai"
)

func overResponses(t *testing.T, s *modeltest.Server) *openai.Model {
	t.Helper()
	m, err := openai.New(openai.Config{APIKey: "sk-test", BaseURL: s.URL, Model: "gpt-5-test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.CloseIdleConnections)
	return m
}

// A script says the same over the Responses API as from a Scripted. What that
// API has no form for is left out: stop sequences, cache writes of an hour, calls
// of hosted tools in Anthropic's form, and the details of a refusal, of which it
// has its own.
func TestResponsesParity(t *testing.T) {
	t.Parallel()
	usage := model.Usage{InputTokens: 5, OutputTokens: 7, CacheReadTokens: 3, CacheWriteTokens: 4, ReasoningTokens: 2}
	script := func() modeltest.Script {
		return modeltest.Script{
			modeltest.Think("Let me see, at some length.", "sig==").Say("Größe 5, and “more” of it").
				CallID("call_1", "weather", map[string]string{"city": "Wien"}).CallID("call_2", "now", nil).Usage(usage),
			modeltest.Say("a").Say("b").Usage(usage),
			modeltest.Block(`{"type":"redacted_thinking","data":"c2ln"}`).Say("b").Usage(usage),
			modeltest.Say("a").Stop(model.StopMaxTokens).Usage(usage),
			modeltest.CallID("call_1", "weather", `{"city":`).Stop(model.StopMaxTokens).Usage(usage),
			modeltest.CallID("call_1", "weather", `city`).Usage(usage),
			new(modeltest.Turn).Refuse("").Usage(usage),
			modeltest.Stop("brand_new").Usage(usage),
			modeltest.Block(`{"type":"hologram","rays":[1,2]}`).Say("b").Usage(usage),
			new(modeltest.Turn).Event(`{"type":"weather"}`).Say("b").Usage(usage),
			modeltest.Overloaded(),
			modeltest.RateLimited(3 * time.Second),
			modeltest.Say("half").FailInStream(&model.Error{Kind: model.ErrOverloaded, Message: "Overloaded"}),
			modeltest.Say("half of it, or more").Cut(),
			modeltest.Say("half of it, or more").EndEarly(),
			modeltest.Say("half of it, or möre").CutInRune(),
			modeltest.Fail(&model.Error{Kind: model.ErrContextWindow}),
			modeltest.Fail(&model.Error{Kind: model.ErrAuth, Message: "no"}),
			modeltest.Fail(&model.Error{Kind: model.ErrBilling, Message: "no"}),
			modeltest.Fail(&model.Error{Kind: model.ErrTooLarge, Message: "no"}),
			modeltest.Fail(&model.Error{Kind: model.ErrNotFound, Message: "no"}),
			modeltest.Fail(&model.Error{Kind: model.ErrTimeout, Message: "no"}),
			modeltest.Fail(&model.Error{Kind: model.ErrServer, Message: "no"}),
			modeltest.Fail(&model.Error{Kind: model.ErrTransport, Message: "no"}),
		}
	}
	scripted := modeltest.NewScripted(script()...)
	s := newServer(t, modeltest.ServerConfig{APIKey: "sk-test", Script: script()})
	remote := overResponses(t, s)
	type outcome struct {
		Blocks model.Blocks
		Stop   model.StopReason
		Usage  model.Usage
		Kind   model.ErrorKind
		Wait   time.Duration
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
		o := outcome{Blocks: resp.Message.Blocks, Stop: resp.StopReason, Usage: resp.Usage}
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

// A history of one provider travels to the other.
func TestHistoryTravels(t *testing.T) {
	t.Parallel()
	s := newServer(t, modeltest.ServerConfig{APIKey: "sk-test", Script: modeltest.Script{
		modeltest.Think("Hm.", "sig").CallID("call_1", "weather", nil), modeltest.Say("Warm."), modeltest.Say("Thank you."),
	}})
	claude, err := anthropic.New(anthropic.Config{APIKey: "sk-test", BaseURL: s.URL, Model: "claude-test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(claude.CloseIdleConnections)
	gpt := overResponses(t, s)
	messages := []*model.Message{model.UserText("How warm is it?")}
	tools := &model.ToolSet{Defs: []model.ToolDef{{Name: "weather", InputSchema: json.RawMessage(`{"type":"object"}`)}}}
	for i, m := range []model.Model{claude, gpt, claude} {
		resp, err := m.Stream(t.Context(), &model.Request{Messages: messages, Tools: tools}).Collect()
		if err != nil {
			t.Fatalf("call %d: %v", i, err)
		}
		messages = append(messages, resp.Message)
		next := model.UserText("Thanks.")
		if uses := resp.Message.Blocks.ToolUses(); len(uses) > 0 {
			next = model.NewMessage(model.RoleUser, &model.ToolResult{ToolUseID: uses[0].ID, Content: model.Blocks{&model.Text{Text: "20 °C"}}})
		}
		messages = append(messages, next)
	}
	for i, want := range []bool{false, false, true} { // a thought goes back to its maker only
		if got := strings.Contains(string(s.Requests()[i].Body), "Hm."); got != want {
			t.Errorf("request %d has the thought: %v", i, got)
		}
	}
}

func TestResponsesRefused(t *testing.T) {
	t.Parallel()
	const (
		call   = `{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}`
		output = `{"type":"function_call_output","call_id":"c","output":"1"}`
		tool   = `{"type":"function","name":"f","parameters":{"type":"object","properties":{}},"strict":false}`
	)
	input := func(items ...string) string {
		return `{"model":"m","store":false,"input":[` + strings.Join(items, ",") + `]}`
	}
	with := func(field string) string { return `{"model":"m","input":"hi",` + field + `}` }
	s := newServer(t, modeltest.ServerConfig{APIKey: "sk-test"})
	for body, want := range map[string]string{
		`{`:                              "parse the JSON body",
		`{"input":"x"}`:                  "required parameter: 'model'",
		`{"model":"m"}`:                  "required parameter: 'input'",
		`{"model":"m","input":[]}`:       "empty array",
		`{"model":"m","input":7}`:        "array of objects or string",
		`{"model":"m","input":[7]}`:      "'input[0]'",
		with(`"max_output_tokens":5`):    ">= 16",
		with(`"temperature":3`):          "'temperature'",
		with(`"stop":["a"]`):             "Unknown parameter: 'stop'",
		with(`"tool_choice":"must"`):     "Supported values",
		with(`"tool_choice":"required"`): "with 'tools'",
		with(`"tool_choice":7`):          "Invalid type for 'tool_choice'",
		with(`"tool_choice":{"type":"function","name":"g"},"tools":[` + tool + `]`): "'g' not found",
		with(`"tools":[{}]`): "tools[0].type",
		with(`"tools":[{"type":"function","name":"a b"}]`):                                                                                                      "tools[0].name",
		with(`"tools":[` + tool + `,` + tool + `]`):                                                                                                             "must be unique",
		with(`"tools":[{"type":"function","name":"f","parameters":{"type":"array"},"strict":false}]`):                                                           "type: \"object\"",
		with(`"tools":[{"type":"function","name":"f","parameters":{"type":"object"}}]`):                                                                         "'additionalProperties'",
		with(`"text":{"format":{"type":"json_schema","schema":{"type":"object"}}}`):                                                                             "'text.format.name'",
		with(`"text":{"format":{"type":"json_schema","name":"a","strict":true,"schema":{"type":"object","additionalProperties":false,"properties":{"a":{}}}}}`): "Missing 'a'",
		input(`{"role":"robot","content":"x"}`):                                                                                                                 "'robot'",
		input(`{"role":"user"}`):                                                                                                                                "input[0].content",
		input(`{"role":"user","content":[{"type":"output_text"}]}`):                                                                                             "'output_text'",
		input(`{"role":"assistant","content":[{"type":"input_text"}]}`):                                                                                         "'input_text'",
		input(`{"role":"user","content":7}`):                                                                                                                    "expected a string",
		input(`{"type":"hologram"}`):                                                                                                                            "'hologram'",
		input(output):                                                                                                                                           "No tool call found for function call output with call_id c.",
		input(call):                                                                                                                                             "No tool output found for function call c.",
		input(call, call, output):                                                                                                                               "Duplicate",
		input(call, output, output):                                                                                                                             "No tool call found",
		input(call, `{"type":"custom_tool_call_output","call_id":"c","output":"1"}`):                                                                            "No tool call found for custom tool call output",
		input(`{"type":"function_call","name":"f","arguments":""}`):                                                                                             "call_id",
		input(`{"type":"function_call","call_id":"` + strings.Repeat("x", 65) + `","name":"f","arguments":""}`):                                                 "too long",
		input(`{"type":"function_call","call_id":"c","arguments":""}`):                                                                                          "input[0].name",
		input(`{"type":"function_call","call_id":"c","name":"f"}`):                                                                                              "arguments",
		input(`{"type":"custom_tool_call","call_id":"c","name":"f"}`):                                                                                           "input[0].input",
		input(`{"type":"function_call_output","output":""}`):                                                                                                    "call_id",
		input(call, `{"type":"function_call_output","call_id":"c"}`):                                                                                            "output",
		input(`{"type":"reasoning","id":"rs_1","summary":[]}`):                                                                                                  "not persisted",
		input(`{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"x"}`):                                                                          "required following item",
	} {
		resp, data := postResponses(t, s, "sk-test", body)
		var e struct {
			Error struct {
				Message string `json:"message"`
				Type    string `json:"type"`
			} `json:"error"`
		}
		if err := json.Unmarshal(data, &e); err != nil || resp.StatusCode/100 != 4 || !strings.Contains(e.Error.Message, want) || e.Error.Type != "invalid_request_error" {
			t.Errorf("%s: %d %s, want %q", body, resp.StatusCode, data, want)
		}
	}
	for key, want := range map[string]string{"": "didn't provide", "sk-other": "Incorrect API key"} {
		if resp, data := postResponses(t, s, key, with(`"store":false`)); resp.StatusCode != 401 || !strings.Contains(string(data), want) {
			t.Errorf("key %q: %d %s", key, resp.StatusCode, data)
		}
	}
}

// What the API takes is taken, and is one JSON object where no stream is asked
// for.
func TestResponsesWhole(t *testing.T) {
	t.Parallel()
	s := newServer(t, modeltest.ServerConfig{Script: modeltest.Script{
		modeltest.Say("a").CallID("c", "f", nil), modeltest.Overloaded(), modeltest.Say("x").StopAt("END"), modeltest.Say("y"),
	}})
	_, data := postResponses(t, s, "", `{"model":"m","previous_response_id":"resp_0","reasoning":{"effort":"low","summary":"auto"},"parallel_tool_calls":false,"safety_identifier":"u","input":[
		{"type":"function_call_output","call_id":"before","output":"1"},
		{"role":"user","content":[{"type":"input_text","text":"hi"},{"type":"input_image","image_url":"u"}]},
		{"type":"web_search_call","id":"ws_1"},{"role":"assistant","content":[{"type":"refusal","refusal":"no"}]},
		{"type":"custom_tool_call","call_id":"k","name":"sql","input":"SELECT"},{"type":"custom_tool_call_output","call_id":"k","output":[{"type":"input_text","text":"1"}]},
		{"role":"developer","content":"be brief"},{"role":"user","content":"go"}]}`)
	var got struct {
		Status string `json:"status"`
		Output []struct {
			Type string `json:"type"`
		} `json:"output"`
	}
	if err := json.Unmarshal(data, &got); err != nil || got.Status != "completed" || len(got.Output) != 2 || got.Output[0].Type != "message" || got.Output[1].Type != "function_call" {
		t.Errorf("%s", data)
	}
	req := s.Requests()[0].Request
	var roles []string
	for _, m := range req.Messages {
		roles = append(roles, fmt.Sprintf("%s:%d", m.Role, len(m.Blocks)))
	}
	if want := "user:3 assistant:3 user:1 system:1 user:1"; strings.Join(roles, " ") != want || req.Effort != "low" || req.Thinking == nil || !req.ToolChoice.Single || req.Extra["safety_identifier"] == nil {
		t.Errorf("%s: %+v", roles, req)
	}
	for _, want := range []struct {
		status int
		words  string
	}{{503, "server_is_overloaded"}, {400, "no stop sequences"}, {200, `"text":"y"`}, {400, "script"}} {
		if resp, data := postResponses(t, s, "", `{"model":"m","input":"hi"}`); resp.StatusCode != want.status || !strings.Contains(string(data), want.words) {
			t.Errorf("%d %s, want %d %s", resp.StatusCode, data, want.status, want.words)
		}
	}
}

func postResponses(t *testing.T, s *modeltest.Server, key, body string) (*http.Response, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/v1/responses", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, data
}
