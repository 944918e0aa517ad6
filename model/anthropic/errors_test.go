package anthropic

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

	"github.com/quarry-sdk/quarry/internal/apicall"
	"github.com/quarry-sdk/quarry/model"
)

// The bodies of this table follow the issue reports that the recordings' README
// names, where no recording exists.
func TestStatusErrors(t *testing.T) {
	t.Parallel()
	envelope := func(kind, message string) string {
		return fmt.Sprintf(`{"type":"error","error":{"type":%q,"message":%q},"request_id":"req_body"}`, kind, message)
	}
	for name, tt := range map[string]struct {
		status int
		header map[string]string
		body   string
		want   model.Error
	}{
		"401":                  {401, nil, envelope("authentication_error", "invalid x-api-key"), model.Error{Kind: model.ErrAuth, Code: "authentication_error", Message: "invalid x-api-key", RequestID: "req_body"}},
		"403":                  {403, nil, envelope("permission_error", "not yours"), model.Error{Kind: model.ErrAuth, Code: "permission_error", Message: "not yours", RequestID: "req_body"}},
		"billing by type":      {403, nil, envelope("billing_error", "pay"), model.Error{Kind: model.ErrBilling, Code: "billing_error", Message: "pay", RequestID: "req_body"}},
		"billing by status":    {402, nil, `{}`, model.Error{Kind: model.ErrBilling, Message: "{}"}},
		"billing by words":     {400, nil, envelope("invalid_request_error", "Your credit balance is too low to access the Anthropic API."), model.Error{Kind: model.ErrBilling, Code: "invalid_request_error", Message: "Your credit balance is too low to access the Anthropic API.", RequestID: "req_body"}},
		"400":                  {400, nil, envelope("invalid_request_error", "max_tokens: Field required"), model.Error{Kind: model.ErrInvalidRequest, Code: "invalid_request_error", Message: "max_tokens: Field required", RequestID: "req_body"}},
		"prompt too long":      {400, nil, envelope("invalid_request_error", "prompt is too long: 210303 tokens > 200000 maximum"), model.Error{Kind: model.ErrContextWindow, Code: "invalid_request_error", Message: "prompt is too long: 210303 tokens > 200000 maximum", RequestID: "req_body"}},
		"answer does not fit":  {400, nil, envelope("invalid_request_error", "input length and `max_tokens` exceed context limit: 197202 + 21333 > 200000"), model.Error{Kind: model.ErrContextWindow, Code: "invalid_request_error", Message: "input length and `max_tokens` exceed context limit: 197202 + 21333 > 200000", RequestID: "req_body"}},
		"404":                  {404, nil, envelope("not_found_error", "model: x"), model.Error{Kind: model.ErrNotFound, Code: "not_found_error", Message: "model: x", RequestID: "req_body"}},
		"413":                  {413, nil, envelope("request_too_large", "Request exceeds the maximum size"), model.Error{Kind: model.ErrTooLarge, Code: "request_too_large", Message: "Request exceeds the maximum size", RequestID: "req_body"}},
		"413 of a proxy":       {413, nil, "<html>too\nlarge</html>", model.Error{Kind: model.ErrTooLarge, Message: "<html>too large</html>"}},
		"429":                  {429, map[string]string{"Retry-After": "17", "Request-Id": "req_head"}, `{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}`, model.Error{Kind: model.ErrRateLimited, Code: "rate_limit_error", Message: "slow down", RequestID: "req_head", RetryAfter: 17 * time.Second}},
		"429 in milliseconds":  {429, map[string]string{"Retry-After-Ms": "1500", "Retry-After": "2"}, `{}`, model.Error{Kind: model.ErrRateLimited, Message: "{}", RetryAfter: 1500 * time.Millisecond}},
		"429, long past":       {429, map[string]string{"Retry-After": "Mon, 02 Jan 2006 15:04:05 GMT"}, `{}`, model.Error{Kind: model.ErrRateLimited, Message: "{}"}},
		"429, nonsense":        {429, map[string]string{"Retry-After": "-5"}, `{}`, model.Error{Kind: model.ErrRateLimited, Message: "{}"}},
		"529":                  {529, map[string]string{"X-Should-Retry": "true"}, envelope("overloaded_error", "Overloaded"), model.Error{Kind: model.ErrOverloaded, Code: "overloaded_error", Message: "Overloaded", RequestID: "req_body"}},
		"529 without a body":   {529, nil, "", model.Error{Kind: model.ErrOverloaded}},
		"500":                  {500, nil, envelope("api_error", "Internal server error"), model.Error{Kind: model.ErrServer, Code: "api_error", Message: "Internal server error", RequestID: "req_body"}},
		"502 of a proxy":       {502, nil, "Bad gateway", model.Error{Kind: model.ErrServer, Message: "Bad gateway"}},
		"503":                  {503, nil, "", model.Error{Kind: model.ErrOverloaded, Message: "Service Unavailable"}},
		"504":                  {504, nil, envelope("timeout_error", "Request timed out"), model.Error{Kind: model.ErrTimeout, Code: "timeout_error", Message: "Request timed out", RequestID: "req_body"}},
		"418":                  {418, nil, "", model.Error{Kind: model.ErrInvalidRequest, Message: "I'm a teapot"}},
		"an OpenAI envelope":   {400, nil, `{"error":{"message":"no","type":"","code":"bad"}}`, model.Error{Kind: model.ErrInvalidRequest, Code: "bad", Message: "no"}},
		"error is a string":    {401, nil, `{"error":"who are you"}`, model.Error{Kind: model.ErrAuth, Message: "who are you"}},
		"detail":               {404, nil, `{"detail":"Not Found"}`, model.Error{Kind: model.ErrNotFound, Message: "Not Found"}},
		"200, JSON error":      {200, map[string]string{"Content-Type": "application/json"}, envelope("overloaded_error", "Overloaded"), model.Error{Kind: model.ErrOverloaded, Code: "overloaded_error", Message: "Overloaded", RequestID: "req_body"}},
		"200, another JSON":    {200, map[string]string{"Content-Type": "application/json"}, `{"input_tokens":5}`, model.Error{Kind: model.ErrProtocol, Message: "the answer is neither a message nor an error"}},
		"200, cut JSON":        {200, map[string]string{"Content-Type": "application/json"}, `{"type":"message",`, model.Error{Kind: model.ErrProtocol, Message: "the answer is not JSON"}},
		"200, JSON of no type": {200, map[string]string{"Content-Type": ""}, ` {"type":"message",`, model.Error{Kind: model.ErrProtocol, Message: "the answer is not JSON"}},
		"204":                  {204, nil, "", model.Error{Kind: model.ErrTransport, Message: "the stream ended before the answer was complete"}},
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
		if tt.status >= 400 || tt.status == 200 && want.Kind == model.ErrOverloaded {
			want.Status = tt.status
		}
		have := *got
		have.Err = nil
		if have != want {
			t.Errorf("%s:\n got %+v\nwant %+v", name, have, want)
		}
	}
}

func TestRetryAfterDate(t *testing.T) {
	t.Parallel()
	h := http.Header{"Retry-After": {time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)}}
	if got := apicall.RetryAfter(h); got < 59*time.Minute || got > time.Hour+time.Second {
		t.Errorf("in an hour: %v", got)
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
	if !errors.As(err, &e) || e.Kind != model.ErrTransport || e.Err == nil || !e.Retryable() {
		t.Errorf("%#v", err)
	}
}

func TestConnectionBreaks(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, richStream[:900])
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}))
	defer srv.Close()
	_, err := streamOf(t, testModel(t, srv.URL)).Collect()
	var e *model.Error
	if !errors.As(err, &e) || e.Kind != model.ErrTransport || e.Partial == nil {
		t.Errorf("%#v", err)
	}
}

// canary is a key that must not be seen anywhere but in its header.
const canary = "sk-ant-api03-CANARY-0123456789"

// TestKeyStaysHidden: not even a server that repeats the key gets it into an
// error, nor does printing anything.
func TestKeyStaysHidden(t *testing.T) {
	t.Parallel()
	echo := func(status int, contentType, format string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.Header().Set("Request-Id", r.Header.Get("X-Api-Key"))
			w.WriteHeader(status)
			fmt.Fprintf(w, format, r.Header.Get("X-Api-Key"))
		}
	}
	for name, handler := range map[string]http.HandlerFunc{
		"in the message":    echo(401, "application/json", `{"type":"error","error":{"type":"authentication_error","message":"bad key %s"}}`),
		"in the type":       echo(400, "application/json", `{"type":"error","error":{"type":"%s","message":"bad"}}`),
		"in a page":         echo(502, "text/html", `<p>%s</p>`),
		"in the stream":     echo(200, "text/event-stream", "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"%s\"}}\n\n"),
		"in a short stream": echo(200, "text/event-stream", ": %s\n"),
		"in a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/?"+r.Header.Get("X-Api-Key"), http.StatusTemporaryRedirect)
		},
	} {
		sent := false
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			sent = r.Header.Get("X-Api-Key") == canary && r.Header.Get("Authorization") == ""
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
	t.Setenv("ANTHROPIC_API_KEY", "")
	t.Setenv("ANTHROPIC_BASE_URL", "")
	if _, err := New(Config{Model: "m"}); !errors.Is(err, ErrNoKey) {
		t.Errorf("no key: %v", err)
	}
	if _, err := New(Config{Model: "m", APIKey: " replace_with_your_api_key\n"}); !errors.Is(err, ErrPlaceholderKey) {
		t.Errorf("placeholder: %v", err)
	}
	t.Setenv("ANTHROPIC_API_KEY", placeholderKey)
	if _, err := New(Config{Model: "m"}); !errors.Is(err, ErrPlaceholderKey) {
		t.Errorf("placeholder in the environment: %v", err)
	}
	t.Setenv("ANTHROPIC_API_KEY", canary+"\n")
	for name, cfg := range map[string]Config{
		"no model":       {},
		"key with space": {Model: "m", APIKey: canary + " " + canary},
		"base URL":       {Model: "m", BaseURL: "api.anthropic.com/" + canary},
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
		io.WriteString(w, smallStream)
	}))
	defer srv.Close()
	headers := http.Header{"X-Team": {"a", "b"}, "User-Agent": {"mine"}}
	for _, base := range []string{"", "/", "/v1", "/v1/"} {
		t.Setenv("ANTHROPIC_BASE_URL", srv.URL+"/proxy"+base)
		m, err := New(Config{Model: "claude-x", Betas: []string{"one", "two"}, Headers: headers, MaxTokens: 77})
		if err != nil {
			t.Fatal(err)
		}
		headers.Set("X-Team", "changed later")
		if m.Name() != "anthropic/claude-x" {
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
		if got.path != "/proxy/v1/messages" {
			t.Errorf("base %q: path %s", base, got.path)
		}
		for name, want := range map[string]string{
			"X-Api-Key": canary, "Anthropic-Version": "2023-06-01", "Anthropic-Beta": "one,two",
			"Content-Type": "application/json", "User-Agent": "mine", "Authorization": "",
		} {
			if v := got.header.Get(name); v != want {
				t.Errorf("%s: %q, want %q", name, v, want)
			}
		}
		if len(got.header.Values("Anthropic-Version")) != 1 {
			t.Errorf("versions %q", got.header.Values("Anthropic-Version"))
		}
		if got.body["max_tokens"] != 77.0 || got.body["stream"] != true || got.body["model"] != "claude-x" {
			t.Errorf("body %v", got.body)
		}
		headers = http.Header{"X-Team": {"a", "b"}, "User-Agent": {"mine"}}
	}
}
