package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/quarry-sdk/quarry/model"
)

func TestStatusErrors(t *testing.T) {
	t.Parallel()
	envelope := func(kind, code, message string) string {
		return fmt.Sprintf(`{"error":{"message":%q,"type":%q,"param":null,"code":%s}}`, message, kind, code)
	}
	for name, tt := range map[string]struct {
		status int
		header map[string]string
		body   string
		want   model.Error
	}{
		"401":                 {401, nil, envelope("invalid_request_error", `"invalid_api_key"`, "Incorrect API key"), model.Error{Kind: model.ErrAuth, Code: "invalid_api_key", Message: "Incorrect API key"}},
		"403":                 {403, nil, envelope("request_forbidden", `"unsupported_country_region_territory"`, "not there"), model.Error{Kind: model.ErrAuth, Code: "unsupported_country_region_territory", Message: "not there"}},
		"quota":               {429, nil, envelope("insufficient_quota", `"insufficient_quota"`, "pay"), model.Error{Kind: model.ErrBilling, Code: "insufficient_quota", Message: "pay"}},
		"billing by status":   {402, nil, `{}`, model.Error{Kind: model.ErrBilling, Message: "{}"}},
		"400":                 {400, nil, envelope("invalid_request_error", `null`, "no"), model.Error{Kind: model.ErrInvalidRequest, Code: "invalid_request_error", Message: "no"}},
		"context":             {400, nil, envelope("invalid_request_error", `"context_length_exceeded"`, "Your input exceeds"), model.Error{Kind: model.ErrContextWindow, Code: "context_length_exceeded", Message: "Your input exceeds"}},
		"context by words":    {400, nil, envelope("invalid_request_error", `null`, "This model's maximum context length is 8192 tokens"), model.Error{Kind: model.ErrContextWindow, Code: "invalid_request_error", Message: "This model's maximum context length is 8192 tokens"}},
		"no such model":       {400, nil, envelope("invalid_request_error", `"model_not_found"`, "gone"), model.Error{Kind: model.ErrNotFound, Code: "model_not_found", Message: "gone"}},
		"404":                 {404, nil, `{"detail":"Not Found"}`, model.Error{Kind: model.ErrNotFound, Message: "Not Found"}},
		"413 of a proxy":      {413, nil, "<html>too\nlarge</html>", model.Error{Kind: model.ErrTooLarge, Message: "<html>too large</html>"}},
		"429":                 {429, map[string]string{"Retry-After": "17", "X-Request-Id": "req_head"}, envelope("tokens", `"rate_limit_exceeded"`, "slow down"), model.Error{Kind: model.ErrRateLimited, Code: "rate_limit_exceeded", Message: "slow down", RequestID: "req_head", RetryAfter: 17 * time.Second}},
		"429 in milliseconds": {429, map[string]string{"Retry-After-Ms": "1500", "Retry-After": "2"}, `{}`, model.Error{Kind: model.ErrRateLimited, Message: "{}", RetryAfter: 1500 * time.Millisecond}},
		"429 in words":        {429, nil, envelope("tokens", `"rate_limit_exceeded"`, "Please try again in 1m2.5s. Visit us."), model.Error{Kind: model.ErrRateLimited, Code: "rate_limit_exceeded", Message: "Please try again in 1m2.5s. Visit us.", RetryAfter: 62500 * time.Millisecond}},
		"429, odd words":      {429, nil, envelope("tokens", `"rate_limit_exceeded"`, "try again in a while"), model.Error{Kind: model.ErrRateLimited, Code: "rate_limit_exceeded", Message: "try again in a while"}},
		"500":                 {500, nil, envelope("server_error", `null`, "oh"), model.Error{Kind: model.ErrServer, Code: "server_error", Message: "oh"}},
		"502 of a proxy":      {502, map[string]string{"Cf-Ray": "ray"}, "Bad gateway", model.Error{Kind: model.ErrServer, Message: "Bad gateway", RequestID: "ray"}},
		"503":                 {503, nil, "", model.Error{Kind: model.ErrOverloaded, Message: "Service Unavailable"}},
		"504":                 {504, nil, "", model.Error{Kind: model.ErrTimeout, Message: "Gateway Timeout"}},
		"418":                 {418, nil, "", model.Error{Kind: model.ErrInvalidRequest, Message: "I'm a teapot"}},
		"error is a string":   {401, nil, `{"error":"who are you"}`, model.Error{Kind: model.ErrAuth, Message: "who are you"}},
		"200, JSON error":     {200, map[string]string{"Content-Type": "application/json"}, envelope("server_error", `"server_error"`, "oh"), model.Error{Kind: model.ErrServer, Code: "server_error", Message: "oh", Status: 200}},
		"200, another JSON":   {200, map[string]string{"Content-Type": "application/json"}, `{"input_tokens":5}`, model.Error{Kind: model.ErrProtocol, Message: "the answer is neither a response nor an error"}},
		"200, cut JSON":       {200, map[string]string{"Content-Type": "application/json"}, `{"object":"response",`, model.Error{Kind: model.ErrProtocol, Message: "the answer is not JSON"}},
		"204":                 {204, nil, "", model.Error{Kind: model.ErrTransport, Message: "the stream ended before the answer was complete"}},
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for k, v := range tt.header {
				w.Header().Set(k, v)
			}
			w.WriteHeader(tt.status)
			io.WriteString(w, tt.body)
		}))
		_, err := streamOf(t, testModel(t, srv.URL)).Collect()
		srv.Close()
		var got *model.Error
		if !errors.As(err, &got) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := tt.want
		want.Provider = Provider
		if tt.status >= 400 {
			want.Status = tt.status
		}
		have := *got
		have.Err = nil
		if have != want {
			t.Errorf("%s:\n got %+v\nwant %+v", name, have, want)
		}
	}
}

func TestNoServer(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + ln.Addr().String()
	ln.Close()
	_, err = streamOf(t, testModel(t, url)).Collect()
	var e *model.Error
	if !errors.As(err, &e) || e.Kind != model.ErrTransport || e.Err == nil || !e.Retryable() || strings.Contains(e.Message, "/v1/responses") {
		t.Errorf("%#v", err)
	}
}

// canary is a key that must not be seen anywhere but in its header.
const canary = "sk-proj-CANARY-0123456789"

// TestKeyStaysHidden: not even a server that repeats the key gets it into an
// error, nor does printing anything.
func TestKeyStaysHidden(t *testing.T) {
	t.Parallel()
	sentKey := func(r *http.Request) string { return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ") }
	echo := func(status int, contentType, format string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.Header().Set("X-Request-Id", sentKey(r))
			w.WriteHeader(status)
			fmt.Fprintf(w, format, sentKey(r))
		}
	}
	for name, handler := range map[string]http.HandlerFunc{
		"in the message":    echo(401, "application/json", `{"error":{"code":"invalid_api_key","message":"bad key %s"}}`),
		"in the code":       echo(400, "application/json", `{"error":{"code":"%s","message":"bad"}}`),
		"in a page":         echo(502, "text/html", `<p>%s</p>`),
		"in the stream":     echo(200, "text/event-stream", "event: error\ndata: {\"type\":\"error\",\"error\":{\"code\":\"x\",\"message\":\"%s\"}}\n\n"),
		"in a short stream": echo(200, "text/event-stream", ": %s\n"),
		"in a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/?"+sentKey(r), http.StatusTemporaryRedirect)
		},
	} {
		sent := false
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			sent = sentKey(r) == canary
			handler(w, r)
		}))
		m, err := New(Config{APIKey: canary, BaseURL: srv.URL, Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		_, err = streamOf(t, m).Collect()
		m.CloseIdleConnections()
		srv.Close()
		if err == nil || !sent {
			t.Errorf("%s: error %v, key sent %v", name, err, sent)
			continue
		}
		var log bytes.Buffer
		slog.New(slog.NewJSONHandler(&log, nil)).Error("failed", "err", err, "model", m)
		journaled, jerr := json.Marshal(err)
		if jerr != nil {
			t.Error(jerr)
		}
		var chain strings.Builder
		for e := err; e != nil; e = errors.Unwrap(e) {
			fmt.Fprintf(&chain, "%v %+v %#v\n", e, e, e)
		}
		for where, s := range map[string]string{"error": chain.String(), "log": log.String(), "journal": string(journaled), "model": fmt.Sprintf("%v %+v %#v %s", m, m, m, m.Name())} {
			if strings.Contains(s, "CANARY") {
				t.Errorf("%s: the key is in the %s: %s", name, where, s)
			}
		}
	}
}

func TestConfig(t *testing.T) {
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_BASE_URL"} {
		t.Setenv(name, "")
	}
	// What the SDK would read besides must not have an effect.
	t.Setenv("OPENAI_ORG_ID", "org-stray")
	t.Setenv("OPENAI_ADMIN_KEY", "sk-stray")
	t.Setenv("OPENAI_CUSTOM_HEADERS", "X-Stray: 1")
	if _, err := New(Config{Model: "m"}); !errors.Is(err, ErrNoKey) {
		t.Errorf("no key: %v", err)
	}
	if _, err := New(Config{Model: "m", APIKey: " replace_with_your_api_key\n"}); !errors.Is(err, ErrPlaceholderKey) {
		t.Errorf("placeholder: %v", err)
	}
	t.Setenv("OPENAI_API_KEY", canary+"\n")
	for name, cfg := range map[string]Config{
		"no model":       {},
		"key with space": {Model: "m", APIKey: canary + " " + canary},
		"base URL":       {Model: "m", BaseURL: "api.openai.com/" + canary},
		"other scheme":   {Model: "m", BaseURL: "ftp://" + canary + "@x"},
		"max tokens":     {Model: "m", MaxTokens: -1},
	} {
		if _, err := New(cfg); err == nil || strings.Contains(err.Error(), "CANARY") {
			t.Errorf("%s: %v", name, err)
		}
	}
	type seen struct {
		path   string
		header http.Header
		body   map[string]any
	}
	var got seen
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = seen{path: r.URL.RequestURI(), header: r.Header}
		data, _ := io.ReadAll(r.Body)
		if int64(len(data)) != r.ContentLength {
			t.Errorf("content length %d of %d bytes", r.ContentLength, len(data))
		}
		json.Unmarshal(data, &got.body)
		io.WriteString(w, richStream)
	}))
	defer srv.Close()
	headers := http.Header{"X-Team": {"a", "b"}, "User-Agent": {"mine"}}
	for base, want := range map[string]string{
		"": "/v1/responses", "/": "/v1/responses", "/v1": "/v1/responses", "/v1/": "/v1/responses",
		"/openai/v1": "/openai/v1/responses", "/proxy?api-version=preview": "/proxy/responses?api-version=preview",
	} {
		t.Setenv("OPENAI_BASE_URL", srv.URL+base)
		m, err := New(Config{Model: "gpt-5", Headers: headers, MaxTokens: 77})
		if err != nil {
			t.Fatal(err)
		}
		headers.Set("X-Team", "changed later")
		if m.Name() != "openai/gpt-5" {
			t.Errorf("name %q", m.Name())
		}
		stream := m.Stream(context.Background(), &model.Request{Messages: history(1)})
		if _, err := stream.Collect(); err != nil {
			t.Fatal(err)
		}
		if _, err := stream.Collect(); err == nil {
			t.Error("a stream was performed twice")
		}
		m.CloseIdleConnections()
		if got.path != want {
			t.Errorf("base %q: path %s", base, got.path)
		}
		for name, want := range map[string]string{
			"Authorization": "Bearer " + canary, "Accept": "text/event-stream", "Content-Type": "application/json",
			"User-Agent": "mine", "Openai-Organization": "", "X-Stray": "",
		} {
			if v := got.header.Get(name); v != want {
				t.Errorf("%s: %q, want %q", name, v, want)
			}
		}
		if v := got.header.Values("X-Team"); len(v) != 2 {
			t.Errorf("X-Team: %q", v)
		}
		if got.body["max_output_tokens"] != 77.0 || got.body["stream"] != true || got.body["model"] != "gpt-5" {
			t.Errorf("body %v", got.body)
		}
		headers = http.Header{"X-Team": {"a", "b"}, "User-Agent": {"mine"}}
	}
}

func TestReasonsByName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"o1": true, "o3-mini": true, "o4-mini-2025-04-16": true, "gpt-5": true, "gpt-5.6-sol": true, "gpt-6": true, "openai/gpt-5-mini": true,
		"codex-mini-latest": true, "GPT-5": true,
		"gpt-4o": false, "gpt-4.1": false, "gpt-5-chat-latest": false, "gpt-5.2-chat-latest": false, "llama": false, "ollama": false, "omni-moderation": false, "gpt-": false, "": false, "o": false,
	} {
		if got := reasonsByName(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
