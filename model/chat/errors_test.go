package chat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/quarry-sdk/quarry/model"
)

// The bodies of this table follow the servers' manuals and issue trackers, where
// no recording exists.
func TestStatusErrors(t *testing.T) {
	t.Parallel()
	envelope := func(kind, code, message string) string {
		return fmt.Sprintf(`{"error":{"message":%q,"type":%q,"param":null,"code":%q}}`, message, kind, code)
	}
	for name, tt := range map[string]struct {
		status int
		header string
		body   string
		want   string // kind, code, request id, wait
		words  string // in the message
	}{
		"OpenAI 401":             {401, "X-Request-Id: req_1", envelope("invalid_request_error", "invalid_api_key", "Incorrect API key provided"), "auth invalid_api_key req_1 0s", "Incorrect"},
		"OpenAI quota":           {429, "", envelope("insufficient_quota", "insufficient_quota", "You exceeded your current quota"), "billing insufficient_quota  0s", "quota"},
		"OpenAI rate":            {429, "", envelope("tokens", "rate_limit_exceeded", "Rate limit reached for gpt-4o on tokens per min. Please try again in 1m2.5s."), "rate_limited rate_limit_exceeded  1m2.5s", ""},
		"OpenAI rate, header":    {429, "Retry-After-Ms: 1500", envelope("tokens", "rate_limit_exceeded", "Please try again in 20s."), "rate_limited rate_limit_exceeded  1.5s", ""},
		"OpenAI context":         {400, "", envelope("invalid_request_error", "context_length_exceeded", "This model's maximum context length is 128000 tokens."), "context_window context_length_exceeded  0s", ""},
		"OpenAI model":           {404, "", envelope("invalid_request_error", "model_not_found", "The model `x` does not exist"), "not_found model_not_found  0s", ""},
		"OpenAI 500":             {500, "", envelope("server_error", "", "The server had an error"), "server server_error  0s", ""},
		"OpenAI 503":             {503, "", envelope("server_error", "", "The engine is currently overloaded"), "overloaded server_error  0s", ""},
		"vLLM context":           {400, "", `{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 8294 tokens","type":"BadRequestError","param":null,"code":400}`, "context_window BadRequestError  0s", ""},
		"vLLM unknown model":     {404, "", `{"object":"error","message":"The model does not exist.","type":"NotFoundError","param":null,"code":404}`, "not_found NotFoundError  0s", ""},
		"Mistral 422":            {422, "", `{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}`, "invalid_request   0s", "stream_options"},
		"Mistral 401":            {401, "", `{"message":"Unauthorized","request_id":"abc"}`, "auth  abc 0s", "Unauthorized"},
		"DeepSeek 402":           {402, "", envelope("unknown_error", "invalid_request_error", "Insufficient Balance"), "billing invalid_request_error  0s", ""},
		"Groq 413":               {413, "", envelope("tokens", "rate_limit_exceeded", "Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 9000"), "too_large rate_limit_exceeded  0s", ""},
		"Groq 498":               {498, "", `{"error":{"message":"Flex tier capacity exceeded","type":"capacity_exceeded"}}`, "overloaded capacity_exceeded  0s", ""},
		"Gemini key":             {400, "", `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`, "auth INVALID_ARGUMENT  0s", ""},
		"Gemini rate":            {429, "", `[{"error":{"code":429,"message":"Quota exceeded for metric","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34s"}]}}]`, "rate_limited RESOURCE_EXHAUSTED  34s", ""},
		"Gemini context":         {400, "", `[{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed","status":"INVALID_ARGUMENT"}}]`, "context_window INVALID_ARGUMENT  0s", ""},
		"Ollama model":           {404, "", `{"error":{"message":"model 'x' not found","type":"not_found_error","param":null,"code":null}}`, "not_found not_found_error  0s", ""},
		"LM Studio, a string":    {400, "", `{"error":"Trying to keep the first 4300 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"}`, "context_window   0s", "4300"},
		"xAI, a string":          {400, "", `{"code":"Client specified an invalid argument","error":"Incorrect API key provided: sk-test-0123456789."}`, "auth Client specified an invalid argument  0s", "[key]"},
		"OpenRouter upstream":    {429, "", `{"error":{"message":"Provider returned error","code":429,"metadata":{"raw":"slow down","headers":{"Retry-After":"7"}}}}`, "rate_limited 429  7s", "Provider returned error: slow down"},
		"OpenRouter credits":     {402, "", `{"error":{"message":"This request requires more credits","code":402}}`, "billing 402  0s", ""},
		"504":                    {504, "", ``, "timeout   0s", "Gateway Timeout"},
		"524 of a proxy":         {524, "", `error code: 524`, "timeout   0s", "524"},
		"502 of a proxy":         {502, "Cf-Ray: ray", "<html>Bad\ngateway</html>", "server  ray 0s", "<html>Bad gateway</html>"},
		"418":                    {418, "", "", "invalid_request   0s", "teapot"},
		"429 with a date":        {429, "Retry-After: Mon, 02 Jan 2006 15:04:05 GMT", "{}", "rate_limited   0s", ""},
		"429 with nonsense":      {429, "Retry-After: -5", "{}", "rate_limited   0s", ""},
		"a moved address":        {301, "", "", "not_found   0s", "Moved Permanently"},
		"an error that is false": {400, "", `{"error":false,"message":"no"}`, "invalid_request   0s", "no"},
	} {
		m := serving(t, func(w http.ResponseWriter) error {
			if name, value, ok := strings.Cut(tt.header, ": "); ok {
				w.Header().Set(name, value)
			}
			w.WriteHeader(tt.status)
			_, err := io.WriteString(w, tt.body)
			return err
		})
		_, err := m.Stream(t.Context(), request()).Collect()
		var e *model.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := fmt.Sprintf("%s %s %s %s", e.Kind, e.Code, e.RequestID, e.RetryAfter)
		if got != tt.want || e.Status != tt.status || e.Provider != m.origin || !strings.Contains(e.Message, tt.words) {
			t.Errorf("%s:\n got %s (%v)\nwant %s", name, got, e, tt.want)
		}
	}
}

// TestAdvice: where a server refuses a field, the error names the quirk that
// leaves it out.
func TestAdvice(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.": "MaxTokensField to \"max_completion_tokens\"",
		"Unrecognized request argument supplied: max_completion_tokens":                                              "MaxTokensField to \"max_tokens\"",
		"Unrecognized request argument supplied: parallel_tool_calls":                                                "NoParallelField",
		"stream_options: Extra inputs are not permitted":                                                             "NoStreamOptions",
		"'messages.2' : property 'reasoning' is unsupported":                                                         "ThinkingBack",
		"Unknown name \"additionalProperties\": cannot find field":                                                   "DropKeywords",
		"This model does not support the system role":                                                                "SystemRole to \"user\"",
		"This response_format type is unavailable or not supported":                                                  "OutputSchema",
	} {
		e := statusError("chat/x", 400, http.Header{}, encoded(t, map[string]any{"error": map[string]any{"message": message, "type": "invalid_request_error"}}))
		if e.Err == nil || !strings.Contains(e.Error(), want) {
			t.Errorf("%s: %v", message, e)
		}
	}
	if e := statusError("chat/x", 400, http.Header{}, []byte(`{"error":{"message":"the tool's arguments are too strict"}}`)); e.Err != nil {
		t.Errorf("advice on nothing: %v", e)
	}
}

func TestKeyIsSecret(t *testing.T) {
	t.Parallel()
	m := serving(t, func(w http.ResponseWriter) error {
		w.WriteHeader(401)
		_, err := io.WriteString(w, `{"error":{"message":"no key `+testKey+`","code":"`+testKey+`"}}`)
		return err
	})
	_, err := m.Stream(t.Context(), request()).Collect()
	for what, s := range map[string]string{"error": fmt.Sprintf("%v %+v %#v", err, err, err), "model": fmt.Sprintf("%v %+v %#v %s", m, m, m, m)} {
		if strings.Contains(s, testKey) {
			t.Errorf("the %s holds the key: %s", what, s)
		}
	}
}

// TestRedirection: the key goes to the configured host and to no other.
func TestRedirection(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the redirection was followed") }))
	defer other.Close()
	m := serving(t, func(w http.ResponseWriter) error {
		w.Header().Set("Location", other.URL)
		w.WriteHeader(http.StatusTemporaryRedirect)
		return nil
	})
	_, err := m.Stream(t.Context(), request()).Collect()
	var e *model.Error
	if !errors.As(err, &e) || e.Kind != model.ErrNotFound || e.Status != http.StatusTemporaryRedirect {
		t.Errorf("%v", err)
	}
}

func TestKeyIsSent(t *testing.T) {
	t.Parallel()
	for provider, want := range map[string]string{"": "Authorization: Bearer " + testKey, "azure": "Api-Key: " + testKey} {
		var got http.Header
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got = r.Header
			io.WriteString(w, `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`)
		}))
		m := configured(t, Config{APIKey: testKey + "\n", BaseURL: srv.URL, Model: "m", Provider: provider, Headers: http.Header{"x-title": {"t"}}})
		if _, err := m.Stream(t.Context(), request()).Collect(); err != nil {
			t.Error(err)
		}
		srv.Close()
		name, value, _ := strings.Cut(want, ": ")
		if got.Get(name) != value || got.Get("X-Title") != "t" || got.Get("Content-Type") != "application/json" {
			t.Errorf("%q: headers are %v", provider, got)
		}
	}
}

func TestNoConnection(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	_, err = testModel(t, "http://user:hunter22@"+l.Addr().String(), "").Stream(context.Background(), request()).Collect()
	var e *model.Error
	if !errors.As(err, &e) || e.Kind != model.ErrTransport || strings.Contains(err.Error(), "hunter22") {
		t.Errorf("%v", err)
	}
}

// TestBrokenConnection: a connection that breaks is an error, whatever has come.
func TestBrokenConnection(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", chunks(`{"content":"a"}`), chunks(`{"content":"a"}`, `="stop"`)} {
		m := serving(t, func(w http.ResponseWriter) error {
			w.Header().Set("Content-Type", eventStream)
			io.WriteString(w, body)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		})
		_, err := m.Stream(t.Context(), request()).Collect()
		var e *model.Error
		if !errors.As(err, &e) || e.Kind != model.ErrTransport || (e.Partial != nil) != (body != "") {
			t.Errorf("after %q: %v", body, err)
		}
	}
}

func TestConfig(t *testing.T) {
	for name, value := range map[string]string{"OPENAI_BASE_URL": "", "OPENAI_API_KEY": "sk-env-openai", "MY_KEY": "sk-env-mine", "GROQ_API_KEY": ""} {
		t.Setenv(name, value)
	}
	for words, cfg := range map[string]Config{
		"no model":              {BaseURL: "http://x"},
		"no base URL":           {Model: "m"},
		"http or https":         {Model: "m", BaseURL: "localhost:11434"},
		"no provider \"grok\"":  {Model: "m", BaseURL: "http://x", Provider: "grok"},
		"set GROQ_API_KEY":      {Model: "m", BaseURL: "https://api.groq.com/openai/v1"},
		"copy it again":         {Model: "m", BaseURL: "http://x", APIKey: "a b"},
		"quirk ThinkTags":       {Model: "m", BaseURL: "http://x", Quirks: &Quirks{ThinkTags: "maybe"}},
		"quirk ThinkingBack is": {Model: "m", BaseURL: "http://x", Quirks: &Quirks{ThinkingBack: "maybe"}},
	} {
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", words, err)
		}
	}
	for base, want := range map[string]struct{ url, key, name string }{
		"https://api.openai.com/v1":               {"https://api.openai.com/v1/chat/completions", "sk-env-openai", "openai/m"},
		"http://localhost:11434":                  {"http://localhost:11434/v1/chat/completions", "", "chat/m"},
		"http://localhost:8000/v1/":               {"http://localhost:8000/v1/chat/completions", "", "chat/m"},
		"http://x/v1/chat/completions":            {"http://x/v1/chat/completions", "", "chat/m"},
		"http://x/openai/deploy?api-version=2024": {"http://x/openai/deploy/chat/completions?api-version=2024", "", "chat/m"},
	} {
		m, err := New(Config{Model: "m", BaseURL: base})
		if err != nil {
			t.Errorf("%s: %v", base, err)
			continue
		}
		if m.url.String() != want.url || m.cfg.APIKey != want.key || m.Name() != want.name {
			t.Errorf("%s: %s %q %s", base, m.url, m.cfg.APIKey, m.Name())
		}
	}
	if m, err := New(Config{Model: "m", BaseURL: "http://x", APIKeyEnv: "MY_KEY"}); err != nil || m.cfg.APIKey != "sk-env-mine" {
		t.Errorf("a variable of one's own: %v", err)
	}
	t.Setenv("OPENAI_BASE_URL", "https://api.openai.com/v1")
	if m, err := New(Config{Model: "m"}); err != nil || m.Name() != "openai/m" || !m.EnforcesOutput() {
		t.Errorf("the base URL of the environment: %v", err)
	}
	if m, err := New(Config{Model: "m", BaseURL: "https://foo.openai.azure.com/openai/v1", APIKey: "k"}); err != nil || m.Name() != "azure/m" {
		t.Errorf("a host below a domain: %v", err)
	}
	if _, err := New(Config{Model: "m", BaseURL: "https://api.groq.com/openai/v1"}); !errors.Is(err, ErrNoKey) {
		t.Errorf("%v is not ErrNoKey", err)
	}
}

// TestRetryAfterReset: OpenRouter passes on when its limit is lifted.
func TestRetryAfterReset(t *testing.T) {
	t.Parallel()
	body := fmt.Sprintf(`{"error":{"message":"Rate limit exceeded","code":429,"metadata":{"headers":{"X-RateLimit-Reset":"%d"}}}}`, time.Now().Add(30*time.Second).UnixMilli())
	if e := statusError("chat/openrouter", 429, http.Header{}, []byte(body)); e.RetryAfter < 25*time.Second || e.RetryAfter > 31*time.Second {
		t.Errorf("wait %s", e.RetryAfter)
	}
}
