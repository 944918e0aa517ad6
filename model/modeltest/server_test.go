package modeltest_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
)

func TestMain(m *testing.M) {
	// After a body that was not read to its end, net/http keeps the connection for
	// half a second.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("net/http.(*conn).closeWriteAndWait"))
}

// reply is what came back over HTTP.
type reply struct {
	status int
	header http.Header
	body   string
	err    error // of reading the body
}

// newServer starts a server that ends with the test.
func newServer(t *testing.T, cfg modeltest.ServerConfig) *modeltest.Server {
	t.Helper()
	s := modeltest.NewServer(cfg)
	t.Cleanup(s.Close)
	return s
}

// post sends a body to /v1/messages; edit may change the request.
func post(t *testing.T, s *modeltest.Server, body string, edit ...func(*http.Request)) reply {
	t.Helper()
	r, err := send(t.Context(), s, body, edit...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func send(ctx context.Context, s *modeltest.Server, body string, edit ...func(*http.Request)) (reply, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/v1/messages", strings.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	req.Header.Set("Anthropic-Version", "2023-06-01")
	for _, e := range edit {
		e(req)
	}
	transport := &http.Transport{DisableKeepAlives: true}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	return reply{status: resp.StatusCode, header: resp.Header, body: string(data), err: err}, nil
}

const (
	hello       = `{"model":"claude-test","max_tokens":64,"messages":[{"role":"user","content":"Hello"}]}`
	helloStream = `{"model":"claude-test","max_tokens":64,"stream":true,"messages":[{"role":"user","content":"Hello"}]}`
)

// events lists the events of a stream by name, and checks that each names itself.
func events(t *testing.T, body string) (names []string, payloads []map[string]any) {
	t.Helper()
	for _, block := range strings.Split(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		name, data, ok := strings.Cut(block, "\n")
		name, ok1 := strings.CutPrefix(name, "event: ")
		data, ok2 := strings.CutPrefix(data, "data: ")
		if !ok || !ok1 || !ok2 {
			t.Fatalf("not an event: %q", block)
		}
		var payload map[string]any
		if err := json.Unmarshal([]byte(data), &payload); err != nil {
			t.Fatalf("event %s: %v", name, err)
		}
		if payload["type"] != name {
			t.Errorf("event %s has the type %v", name, payload["type"])
		}
		names, payloads = append(names, name), append(payloads, payload)
	}
	return names, payloads
}

func TestServerStream(t *testing.T) {
	t.Parallel()
	s := newServer(t, modeltest.ServerConfig{PieceRunes: 6, Script: modeltest.Script{
		modeltest.Think("Let me see.", "sig==").
			Say("Größe <5>").
			CallID("toolu_1", "weather", map[string]string{"city": "Wien"}).
			CallID("toolu_2", "now", nil).
			Usage(model.Usage{InputTokens: 7, OutputTokens: 9, CacheReadTokens: 3, CacheWriteTokens: 5, CacheWrite1hTokens: 2}),
	}})
	r := post(t, s, helloStream)
	if r.status != 200 || r.err != nil || r.header.Get("Content-Type") != "text/event-stream; charset=utf-8" {
		t.Fatalf("status %d, content type %q, error %v", r.status, r.header.Get("Content-Type"), r.err)
	}
	want := `event: message_start
data: {"type":"message_start","message":{"model":"claude-test","id":"ID","type":"message","role":"assistant","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":7,"cache_creation_input_tokens":5,"cache_read_input_tokens":3,"cache_creation":{"ephemeral_5m_input_tokens":3,"ephemeral_1h_input_tokens":2},"output_tokens":1,"service_tier":"standard"}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

event: ping
data: {"type": "ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"thinking":"Let me","type":"thinking_delta"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"thinking":" see.","type":"thinking_delta"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"signature":"sig==","type":"signature_delta"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"text":"Größe ","type":"text_delta"}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"text":"<5>","type":"text_delta"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: content_block_start
data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_1","name":"weather","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"partial_json":"","type":"input_json_delta"}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"partial_json":"{\"city","type":"input_json_delta"}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"partial_json":"\":\"Wie","type":"input_json_delta"}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"partial_json":"n\"}","type":"input_json_delta"}}

event: content_block_stop
data: {"type":"content_block_stop","index":2}

event: content_block_start
data: {"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"toolu_2","name":"now","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":3,"delta":{"partial_json":"","type":"input_json_delta"}}

event: content_block_stop
data: {"type":"content_block_stop","index":3}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"input_tokens":7,"cache_creation_input_tokens":5,"cache_read_input_tokens":3,"cache_creation":{"ephemeral_5m_input_tokens":3,"ephemeral_1h_input_tokens":2},"output_tokens":9,"service_tier":"standard"}}

event: message_stop
data: {"type":"message_stop"}

`
	_, payloads := events(t, r.body)
	id := payloads[0]["message"].(map[string]any)["id"].(string)
	if diff := cmp.Diff(want, strings.Replace(r.body, id, "ID", 1)); diff != "" {
		t.Errorf("stream (-want +got):\n%s", diff)
	}
}

func TestServerJSON(t *testing.T) {
	t.Parallel()
	s := newServer(t, modeltest.ServerConfig{ModelName: "claude-resolved", Script: modeltest.Script{
		modeltest.Say("Hi <you>").CallID("toolu_1", "now", nil).Usage(model.Usage{InputTokens: 1, OutputTokens: 2, ReasoningTokens: 1}),
		new(modeltest.Turn).Refuse(`{"type":"refusal","category":"cyber"}`),
		modeltest.Say("a").StopAt("END"),
	}})
	for _, want := range []string{
		`{"model":"claude-resolved","id":"ID","type":"message","role":"assistant","content":[{"type":"text","text":"Hi <you>"},{"type":"tool_use","id":"toolu_1","name":"now","input":{}}],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":1,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"output_tokens":2,"output_tokens_details":{"thinking_tokens":1},"service_tier":"standard"}}`,
		`{"model":"claude-resolved","id":"ID","type":"message","role":"assistant","content":[],"stop_reason":"refusal","stop_sequence":null,"stop_details":{"type":"refusal","category":"cyber"},"usage":{"input_tokens":3,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"output_tokens":1,"service_tier":"standard"}}`,
		`{"model":"claude-resolved","id":"ID","type":"message","role":"assistant","content":[{"type":"text","text":"a"}],"stop_reason":"stop_sequence","stop_sequence":"END","usage":{"input_tokens":3,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"output_tokens":1,"service_tier":"standard"}}`,
	} {
		r := post(t, s, hello)
		var head struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal([]byte(r.body), &head); err != nil || r.status != 200 {
			t.Fatalf("status %d: %v", r.status, err)
		}
		if diff := cmp.Diff(want, strings.Replace(r.body, head.ID, "ID", 1)); diff != "" {
			t.Errorf("body (-want +got):\n%s", diff)
		}
	}
	if n := s.Unplayed(); n != 0 {
		t.Errorf("%d turns unplayed", n)
	}
}

// Blocks and events that clients do not know go out as they are written.
func TestServerUnknown(t *testing.T) {
	t.Parallel()
	s := newServer(t, modeltest.ServerConfig{PieceRunes: 100, Script: modeltest.Script{
		modeltest.Block(`{"type":"hologram","rays":[1,2]}`).
			Event(`{"type":"weather_report","sky":"blue"}`).
			Block(`{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"a"}}`).
			Block(`{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[]}`).
			Block(`{"type":"text","text":"b","citations":[{"type":"char_location","cited_text":"b"}]}`).
			Stop("brand_new_reason"),
	}})
	r := post(t, s, helloStream)
	for _, want := range []string{
		`"content_block":{"type":"hologram","rays":[1,2]}}`,
		"event: weather_report\ndata: {\"type\":\"weather_report\",\"sky\":\"blue\"}\n\n",
		`"content_block":{"id":"srvtoolu_1","input":{},"name":"web_search","type":"server_tool_use"}}`,
		`"delta":{"partial_json":"{\"query\":\"a\"}","type":"input_json_delta"}}`,
		`"content_block":{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[]}}`,
		`"delta":{"citation":{"type":"char_location","cited_text":"b"},"type":"citations_delta"}}`,
		`"stop_reason":"brand_new_reason"`,
	} {
		if !strings.Contains(r.body, want) {
			t.Errorf("%s is not in\n%s", want, r.body)
		}
	}
	events(t, r.body)
}

func TestServerErrors(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		turn   *modeltest.Turn
		status int
		code   string
		header map[string]string
	}{
		{modeltest.RateLimited(1500 * time.Millisecond), 429, "rate_limit_error", map[string]string{"Retry-After": "2", "X-Should-Retry": "true"}},
		{modeltest.Overloaded(), 529, "overloaded_error", map[string]string{"Retry-After": "", "X-Should-Retry": "true"}},
		{modeltest.Overloaded().Header("X-Should-Retry", "false"), 529, "overloaded_error", map[string]string{"X-Should-Retry": "false"}},
		{modeltest.Fail(&model.Error{Kind: model.ErrAuth, Message: "m", RequestID: "req_7"}), 401, "authentication_error", map[string]string{"X-Should-Retry": "false", "Request-Id": "req_7"}},
		{modeltest.Fail(&model.Error{Kind: model.ErrAuth, Status: 403, Code: "permission_error"}), 403, "permission_error", nil},
		{modeltest.Fail(&model.Error{Kind: model.ErrBilling}), 402, "billing_error", nil},
		{modeltest.Fail(&model.Error{Kind: model.ErrInvalidRequest}), 400, "invalid_request_error", nil},
		{modeltest.Fail(&model.Error{Kind: model.ErrContextWindow}), 400, "invalid_request_error", nil},
		{modeltest.Fail(&model.Error{Kind: model.ErrNotFound}), 404, "not_found_error", nil},
		{modeltest.Fail(&model.Error{Kind: model.ErrTooLarge}), 413, "request_too_large", nil},
		{modeltest.Fail(&model.Error{Kind: model.ErrServer}), 500, "api_error", nil},
		{modeltest.Fail(&model.Error{Kind: model.ErrTimeout}), 504, "timeout_error", nil},
		// Without a stream, a late error can only be a status.
		{modeltest.Say("half").FailInStream(&model.Error{Kind: model.ErrOverloaded}), 529, "overloaded_error", nil},
		{modeltest.Say("ascii").CutInRune(), 400, "invalid_request_error", nil},
		{modeltest.Call("a", func() {}), 400, "invalid_request_error", nil},
		{modeltest.Func(func(context.Context, *model.Request) (*modeltest.Turn, error) { return nil, errors.New("oh") }), 400, "invalid_request_error", nil},
	} {
		s := newServer(t, modeltest.ServerConfig{Script: modeltest.Script{tc.turn}})
		r := post(t, s, hello)
		var body struct {
			Type  string
			Error struct{ Type string }
		}
		if err := json.Unmarshal([]byte(r.body), &body); err != nil {
			t.Errorf("%d: %v", tc.status, err)
		}
		if r.status != tc.status || body.Type != "error" || body.Error.Type != tc.code || r.header.Get("Content-Type") != "application/json" {
			t.Errorf("got %d %s, want %d %s", r.status, r.body, tc.status, tc.code)
		}
		for name, want := range tc.header {
			if got := r.header.Get(name); got != want {
				t.Errorf("%d: %s is %q, want %q", tc.status, name, got, want)
			}
		}
	}
}

// The API's way to fail late: an event in a stream that began with status 200.
func TestServerErrorInStream(t *testing.T) {
	t.Parallel()
	overloaded := &model.Error{Kind: model.ErrOverloaded, Message: "Overloaded"}
	s := newServer(t, modeltest.ServerConfig{Script: modeltest.Script{
		modeltest.Say("half").FailInStream(overloaded),
		new(modeltest.Turn).FailInStream(overloaded),
	}})
	for _, want := range [][]string{
		{"message_start", "content_block_start", "ping", "content_block_delta", "content_block_stop", "error"},
		{"message_start", "ping", "error"},
	} {
		r := post(t, s, helloStream)
		names, _ := events(t, r.body)
		if diff := cmp.Diff(want, names); diff != "" || r.status != 200 {
			t.Errorf("status %d, events (-want +got):\n%s", r.status, diff)
		}
		if !strings.HasSuffix(r.body, "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n") {
			t.Errorf("ends in %q", r.body[max(0, len(r.body)-120):])
		}
	}
}

func TestServerCut(t *testing.T) {
	t.Parallel()
	full := func() *modeltest.Turn { return modeltest.Say("Grüße aus der Mitte einer Antwort") }
	s := newServer(t, modeltest.ServerConfig{Script: modeltest.Script{
		full(), full().Cut(), full().CutAt(77), full().CutInRune(), full().CutInEvent(), full().EndEarly(),
		modeltest.Fail(&model.Error{Kind: model.ErrTransport}), full().CutAt(0),
	}})
	whole := post(t, s, helloStream)
	if whole.err != nil {
		t.Fatal(whole.err)
	}
	next := func(broken bool) string {
		t.Helper()
		r := post(t, s, helloStream)
		if broken != errors.Is(r.err, io.ErrUnexpectedEOF) {
			t.Errorf("error of the body: %v", r.err)
		}
		if !strings.HasPrefix(whole.body, r.body) || len(r.body) == len(whole.body) {
			t.Errorf("is no beginning of the whole: %q", r.body)
		}
		return r.body
	}
	if got := next(true); !strings.HasSuffix(got, "\n\n") || !strings.Contains(got, "Grü") {
		t.Errorf("Cut: ends in %q", got)
	}
	if got := next(true); len(got) != 77 {
		t.Errorf("CutAt: %d bytes", len(got))
	}
	if got := next(true); utf8.ValidString(got) || !strings.HasSuffix(got, "Gr\xc3") {
		t.Errorf("CutInRune: ends in %q", got)
	}
	if got := next(true); strings.HasSuffix(got, "\n") || !strings.Contains(got, "Grü") {
		t.Errorf("CutInEvent: ends in %q", got)
	}
	if got := next(false); !strings.HasSuffix(got, "\n\n") {
		t.Errorf("EndEarly: ends in %q", got)
	}
	for range 2 {
		if r, err := send(t.Context(), s, helloStream); err == nil {
			t.Errorf("no connection error but %+v", r)
		}
	}
}

// A cut of an answer that is not streamed leaves broken JSON.
func TestServerCutJSON(t *testing.T) {
	t.Parallel()
	s := newServer(t, modeltest.ServerConfig{Script: modeltest.Script{modeltest.Say("ü").Cut(), modeltest.Say("ü").EndEarly()}})
	for _, broken := range []bool{true, false} {
		r := post(t, s, hello)
		if json.Valid([]byte(r.body)) || r.body == "" || broken != errors.Is(r.err, io.ErrUnexpectedEOF) {
			t.Errorf("%q, error %v", r.body, r.err)
		}
	}
}

// The sizes of chunks never change the bytes.
func TestServerChunks(t *testing.T) {
	t.Parallel()
	var want string
	for i, cfg := range []modeltest.ServerConfig{{}, {EventsPerChunk: 3}, {EventsPerChunk: 1000}, {ChunkBytes: 1}, {ChunkBytes: 7}, {ChunkBytes: 1 << 20}} {
		cfg.Script = modeltest.Script{modeltest.Say("Grüße aus der Mitte").Call("a", `{"b":1}`)}
		r := post(t, newServer(t, cfg), helloStream)
		if i == 0 {
			want = r.body
		}
		if r.body != want || r.err != nil {
			t.Errorf("%+v: %v\n%s", cfg, r.err, cmp.Diff(want, r.body))
		}
	}
}

// A turn that hangs lets go when its client leaves, with what it said before.
func TestServerHang(t *testing.T) {
	t.Parallel()
	silent, half := modeltest.Hang(), modeltest.Say("half").Hang()
	s := newServer(t, modeltest.ServerConfig{Script: modeltest.Script{silent, half, modeltest.Hang()}})

	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-silent.Parked()
		cancel()
	}()
	if r, err := send(ctx, s, helloStream); !errors.Is(err, context.Canceled) {
		t.Errorf("a silent turn said %+v, error %v", r, err)
	}
	<-silent.Left()

	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/v1/messages", strings.NewReader(helloStream))
	req.Header.Set("Anthropic-Version", "2023-06-01")
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	<-half.Parked()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() && !strings.Contains(lines.Text(), `"text":"half"`) {
	}
	cancel()
	<-half.Left()
}

// Close does not wait for a turn that hangs.
func TestServerCloseHanging(t *testing.T) {
	t.Parallel()
	turn := modeltest.Hang()
	s := modeltest.NewServer(modeltest.ServerConfig{Script: modeltest.Script{turn}})
	done := make(chan error)
	go func() {
		_, err := send(context.Background(), s, hello)
		done <- err
	}()
	<-turn.Parked()
	s.Close()
	<-turn.Left()
	if err := <-done; err == nil {
		t.Error("a closed server answered")
	}
}

func TestServerKey(t *testing.T) {
	t.Parallel()
	s := newServer(t, modeltest.ServerConfig{APIKey: "sk-test", Script: modeltest.Script{modeltest.Say("a"), modeltest.Say("b")}})
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	for _, tc := range []struct {
		edit    func(*http.Request)
		status  int
		matched bool
		message string
	}{
		{header("X-Other", "a"), 401, false, "x-api-key header is required"},
		{header("X-Api-Key", "sk-wrong"), 401, false, "invalid x-api-key"},
		{header("X-Api-Key", "sk-test"), 200, true, ""},
		{header("Authorization", "Bearer sk-test"), 200, true, ""},
	} {
		r := post(t, s, hello, tc.edit)
		all := s.Requests()
		last := all[len(all)-1]
		if r.status != tc.status || last.KeyMatched() != tc.matched || !strings.Contains(r.body, tc.message) {
			t.Errorf("status %d, matched %v, want %d, %v: %s", r.status, last.KeyMatched(), tc.status, tc.matched, r.body)
		}
		if dump := fmt.Sprint(last.Header); strings.Contains(dump, "sk-") {
			t.Errorf("the key is in the record: %s", dump)
		}
	}
}

func TestServerRecords(t *testing.T) {
	t.Parallel()
	const body = `{"model":"claude-test","max_tokens":4096,"system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],
		"thinking":{"type":"enabled","budget_tokens":1024},"temperature":1,"stop_sequences":["END"],"output_config":{"effort":"low"},"metadata":{"user_id":"u"},
		"tools":[{"name":"weather","description":"d","input_schema":{"type":"object"},"strict":true},{"type":"web_search_20250305","name":"web_search","max_uses":2}],
		"tool_choice":{"type":"auto","disable_parallel_tool_use":true},
		"messages":[{"role":"user","content":"Hello"},
			{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"redacted_thinking","data":"r"},{"type":"tool_use","id":"toolu_1","name":"weather","input":{"a":1}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","is_error":true,"content":[{"type":"text","text":"x"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AQI="}}]},{"type":"hologram"}]}]}`
	s := newServer(t, modeltest.ServerConfig{Script: modeltest.Script{modeltest.Say("ok")}})
	if r := post(t, s, body); r.status != 200 {
		t.Fatal(r.body)
	}
	got := s.Requests()[0]
	if string(got.Body) != body || got.Path != "/v1/messages" {
		t.Errorf("path %q, body %s", got.Path, got.Body)
	}
	one := 1.0
	want := &model.Request{
		Effort: "low", MaxTokens: 4096, StopSequences: []string{"END"}, Temperature: &one,
		Extra:      map[string]json.RawMessage{"metadata": json.RawMessage(`{"user_id":"u"}`)},
		Thinking:   &model.ThinkingOptions{Mode: "enabled", BudgetTokens: 1024},
		ToolChoice: model.ToolChoice{Mode: "auto", Single: true},
		System:     &model.Message{Role: model.RoleSystem, Provider: "anthropic", Blocks: model.Blocks{&model.Text{Text: "Be brief."}}},
		Tools: &model.ToolSet{
			Defs:   []model.ToolDef{{Name: "weather", Description: "d", InputSchema: json.RawMessage(`{"type":"object"}`), Strict: true}},
			Server: []model.ServerTool{{Type: "web_search_20250305", Name: "web_search", MaxUses: 2, Config: json.RawMessage(`{"type":"web_search_20250305","name":"web_search","max_uses":2}`)}},
		},
		Messages: []*model.Message{
			{Role: model.RoleUser, Provider: "anthropic", Blocks: model.Blocks{&model.Text{Text: "Hello"}}},
			{Role: model.RoleAssistant, Provider: "anthropic", Blocks: model.Blocks{
				&model.Thinking{Text: "t", Signature: "s"},
				&model.RedactedThinking{Data: "r"},
				&model.ToolUse{ID: "toolu_1", Name: "weather", Input: json.RawMessage(`{"a":1}`), Raw: json.RawMessage(`{"type":"tool_use","id":"toolu_1","name":"weather","input":{"a":1}}`)},
			}},
			{Role: model.RoleUser, Provider: "anthropic", Blocks: model.Blocks{
				&model.ToolResult{ToolUseID: "toolu_1", IsError: true, Content: model.Blocks{
					&model.Text{Text: "x"},
					&model.Image{Source: model.Source{MediaType: "image/png", Data: []byte{1, 2}}, Raw: json.RawMessage(`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AQI="}}`)},
				}},
				&model.Unknown{Type: "hologram", Raw: json.RawMessage(`{"type":"hologram"}`)},
			}},
		},
	}
	if diff := cmp.Diff(want, got.Request, ignoreCaches); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
	if n := modeltest.ToolResults(got.Request); n != 1 {
		t.Errorf("ToolResults is %d", n)
	}
}

var ignoreCaches = cmp.FilterPath(func(p cmp.Path) bool {
	field, ok := p.Last().(cmp.StructField)
	return ok && field.Name() == "encodings"
}, cmp.Ignore())

func TestServerValidates(t *testing.T) {
	t.Parallel()
	const user = `{"role":"user","content":"a"}`
	const call = `{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"t","input":{}}]}`
	const tool = `{"name":"t","input_schema":{"type":"object"}}`
	with := func(fields string) string {
		return `{"model":"m","max_tokens":2048,"messages":[` + user + `],` + fields + `}`
	}
	messages := func(list ...string) string {
		return `{"model":"m","max_tokens":10,"messages":[` + strings.Join(list, ",") + `]}`
	}
	marked := func(n int) string {
		return strings.TrimSuffix(strings.Repeat(`{"type":"text","text":"a","cache_control":{"type":"ephemeral"}},`, n), ",")
	}
	for _, tc := range []struct{ body, want string }{
		{`{`, "The request body is not valid JSON: unexpected end of JSON input"},
		{`{"max_tokens":1,"messages":[` + user + `]}`, "model: Field required"},
		{`{"model":"m","messages":[` + user + `]}`, "max_tokens: Field required"},
		{`{"model":"m","max_tokens":0,"messages":[` + user + `]}`, "max_tokens: Input should be greater than or equal to 1"},
		{`{"model":"m","max_tokens":"many","messages":[` + user + `]}`, "max_tokens: Input should be a valid integer"},
		{`{"model":"m","max_tokens":1}`, "messages: Field required"},
		{messages(), "messages: at least one message is required"},
		{with(`"temperature":-5.0`), "temperature: range: 0..1"},
		{with(`"tools":[` + tool + `],"tool_choice":{"type":"some"}`), "tool_choice: Input tag 'some' found using 'type' does not match any of the expected tags: 'auto', 'any', 'tool', 'none'"},
		{with(`"tool_choice":{"type":"any"}`), "tool_choice: tool_choice may only be specified while providing tools"},
		{with(`"tools":[` + tool + `],"tool_choice":{"type":"tool","name":"u"}`), "tool_choice: Tool 'u' not found in provided tools"},
		{with(`"tools":[` + tool + `],"tool_choice":{"type":"tool","name":"t"}`), ""},
		{with(`"tools":[` + tool + `,` + tool + `]`), "tools: Tool names must be unique."},
		{with(`"tools":[{"name":"a b","input_schema":{"type":"object"}}]`), "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"},
		{with(`"tools":[{"name":"t"}]`), "tools.0.custom.input_schema: Field required"},
		{with(`"tools":[{"name":"t","input_schema":{}}]`), "tools.0.custom.input_schema.type: Input should be 'object'"},
		{with(`"thinking":{"type":"enabled","budget_tokens":10}`), "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"},
		{with(`"thinking":{"type":"enabled","budget_tokens":2048}`), "`max_tokens` must be greater than `thinking.budget_tokens`"},
		{with(`"thinking":{"type":"deep"}`), "thinking: Input tag 'deep' found using 'type' does not match any of the expected tags: 'adaptive', 'disabled', 'enabled'"},
		{with(`"system":[` + marked(4) + `]`), ""},
		{with(`"system":[` + marked(5) + `]`), "A maximum of 4 blocks with cache_control may be provided. Found 5."},
		{with(`"cache_control":{"type":"ephemeral"},"system":[` + marked(4) + `]`), "A maximum of 4 blocks with cache_control may be provided. Found 5."},
		{messages(`{"role":"user","content":[` + marked(5) + `]}`), "A maximum of 4 blocks with cache_control may be provided. Found 5."},
		{messages(`{"role":"user"}`), "messages.0.content: Field required"},
		{messages(`{"role":"user","content":[{"text":"a"}]}`), "messages.0.content.0: type: Field required"},
		{messages(user, user), ""}, // taken for one message
		{messages(user, call, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1"}]}`, user), ""},
		{messages(user, call, user), "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: c1. Each `tool_use` block must have a corresponding `tool_result` block in the next message."},
		{messages(user, `{"role":"assistant","content":[{"type":"tool_use","id":"c 1","name":"t","input":{}}]}`, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"c 1"}]}`), "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"},
		{messages(user, `{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"t","input":"{}"}]}`, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1"}]}`), "messages.1.content.0.tool_use.input: Input should be a valid dictionary"},
		{messages(user, `{"role":"assistant","content":"so "}`), "messages: final assistant content cannot end with trailing whitespace"},
		{messages(user, `{"role":"assistant","content":"so"}`), ""},
		{messages(`{"role":"robot","content":"a"}`), "messages.0.role: Input should be 'user' or 'assistant', not \"robot\""},
	} {
		s := newServer(t, modeltest.ServerConfig{Script: modeltest.Script{modeltest.Say("fine")}})
		r := post(t, s, tc.body)
		var body struct {
			Error struct{ Type, Message string }
		}
		if err := json.Unmarshal([]byte(r.body), &body); err != nil {
			t.Fatal(err)
		}
		status, code := 400, "invalid_request_error"
		if tc.want == "" {
			status, code = 200, ""
		}
		if r.status != status || body.Error.Type != code || body.Error.Message != tc.want {
			t.Errorf("%s\n got %d %s: %s\nwant %d %s: %s", tc.body, r.status, body.Error.Type, body.Error.Message, status, code, tc.want)
		}
	}
}

func TestServerHTTP(t *testing.T) {
	t.Parallel()
	s := newServer(t, modeltest.ServerConfig{Script: modeltest.Script{modeltest.Fail(&model.Error{Kind: model.ErrProtocol})}})
	if r := post(t, s, hello, func(r *http.Request) { r.URL.Path = "/v1/complete" }); r.status != 404 || !strings.Contains(r.body, "not_found_error") {
		t.Errorf("wrong path: %d %s", r.status, r.body)
	}
	if r := post(t, s, hello, func(r *http.Request) { r.Method = http.MethodPut }); r.status != 405 {
		t.Errorf("wrong method: %d %s", r.status, r.body)
	}
	if r := post(t, s, hello, func(r *http.Request) { r.Header.Del("Anthropic-Version") }); r.status != 400 || !strings.Contains(r.body, "anthropic-version: header is required") {
		t.Errorf("no version: %d %s", r.status, r.body)
	}
	if r := post(t, s, strings.Repeat(" ", 32<<20)+hello); r.status != 413 || !strings.Contains(r.body, "request_too_large") {
		t.Errorf("too large: %d %s", r.status, r.body)
	}
	if r := post(t, s, hello); r.status != 200 || json.Valid([]byte(r.body)) {
		t.Errorf("not the API: %d %s", r.status, r.body)
	}
	if r := post(t, s, hello); r.status != 400 || !strings.Contains(r.body, "the script has no further turn: it has 1 and this is call 2") {
		t.Errorf("after the end: %d %s", r.status, r.body)
	}
	if n := len(s.Requests()); n != 6 {
		t.Errorf("%d requests recorded", n)
	}
}

// Delays are waited for by the fake clock only where there is no network, so this
// test looks at what is left to the client that does not want to wait.
func TestServerDelay(t *testing.T) {
	t.Parallel()
	for _, cfg := range []modeltest.ServerConfig{
		{Script: modeltest.Script{modeltest.Say("late").After(time.Hour)}},
		{Script: modeltest.Script{modeltest.Say("late")}, Delay: time.Hour},
		{Loop: modeltest.ToolLoop(1, "t", "late"), Delay: time.Hour},
	} {
		s := newServer(t, cfg)
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		if r, err := send(ctx, s, hello); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%+v, error %v", r, err)
		}
		cancel()
	}
}
