package bedrock_test

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream/eventstreamapi"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/internal/sharedtest"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/anthropic"
	"github.com/quarry-sdk/quarry/model/anthropic/bedrock"
	"github.com/quarry-sdk/quarry/model/modeltest/cassette"
)

// recorded is a streamed answer of the Anthropic API: the events that Bedrock sends
// in frames of its own.
func recorded(t *testing.T) []byte {
	t.Helper()
	exchanges, err := cassette.Load(sharedtest.Path(t, "wire", "anthropic", filepath.FromSlash("charmbracelet+fantasy/TestAnthropicThinking/claude-sonnet-4/thinking-streaming.yaml")))
	if err != nil {
		t.Fatal(err)
	}
	return exchanges[0].Response.Body
}

// frame writes a message of the event stream.
func frame(t *testing.T, w io.Writer, headers map[string]string, payload []byte) {
	t.Helper()
	msg := eventstream.Message{Payload: payload}
	for name, value := range headers {
		msg.Headers.Set(name, eventstream.StringValue(value))
	}
	if err := eventstream.NewEncoder().Encode(w, msg); err != nil {
		t.Error(err)
	}
}

// frames writes the events of an SSE body as Bedrock does; after so many it sends an
// exception, if that is not 0.
func frames(t *testing.T, w io.Writer, body []byte, exceptionAfter int) {
	t.Helper()
	n := 0
	for line := range strings.Lines(string(body)) {
		data, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "data: ")
		if !ok {
			continue
		}
		chunk, err := json.Marshal(map[string]string{"bytes": base64.StdEncoding.EncodeToString([]byte(data)), "p": "abcd"})
		if err != nil {
			t.Error(err)
		}
		frame(t, w, map[string]string{eventstreamapi.MessageTypeHeader: "event", eventstreamapi.EventTypeHeader: "chunk", ":content-type": "application/json"}, chunk)
		if n++; n == exceptionAfter {
			frame(t, w, map[string]string{eventstreamapi.MessageTypeHeader: "exception", eventstreamapi.ExceptionTypeHeader: "throttlingException"}, []byte(`{"message":"Too many tokens"}`))
			return
		}
	}
}

func newModel(t *testing.T, url string) *anthropic.Model {
	t.Helper()
	cfg := aws.Config{Region: "eu-central-1", Credentials: credentials.NewStaticCredentialsProvider("AKIDCANARY", "secretcanary", "")}
	platform, err := bedrock.Platform(t.Context(), bedrock.Config{AWS: &cfg})
	if err != nil {
		t.Fatal(err)
	}
	m, err := anthropic.New(anthropic.Config{Model: "eu.anthropic.claude-sonnet-4-5-20250929-v1:0", Platform: platform, BaseURL: url, Betas: []string{"context-1m-2025-08-07"}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var request = &model.Request{Messages: []*model.Message{model.UserText("What is the weather?")}, System: model.NewMessage(model.RoleSystem, &model.Text{Text: "Be brief."})}

// An answer in Bedrock's frames is the answer that the Anthropic API gives.
func TestBedrock(t *testing.T) {
	t.Setenv("AWS_BEARER_TOKEN_BEDROCK", "")
	t.Setenv("ANTHROPIC_API_KEY", "")
	body := recorded(t)
	direct := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write(body)
	}))
	defer direct.Close()
	own, err := anthropic.New(anthropic.Config{Model: "claude-sonnet-4-5", APIKey: "k", BaseURL: direct.URL})
	if err != nil {
		t.Fatal(err)
	}
	want, err := own.Stream(t.Context(), request).Collect()
	if err != nil {
		t.Fatal(err)
	}

	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.URL.EscapedPath(); got != "/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke-with-response-stream" && got != "/model/eu.anthropic.claude-sonnet-4-5-20250929-v1:0/invoke-with-response-stream" {
			t.Errorf("the path is %s", got)
		}
		if auth := r.Header.Get("Authorization"); !strings.HasPrefix(auth, "AWS4-HMAC-SHA256 Credential=AKIDCANARY/") || !strings.Contains(auth, "/eu-central-1/bedrock/") || r.Header.Get("X-Api-Key") != "" {
			t.Errorf("the authorization is %q, the key %q", auth, r.Header.Get("X-Api-Key"))
		}
		var got map[string]json.RawMessage
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
		if got["model"] != nil || got["stream"] != nil || got["anthropic_version"] == nil || string(got["anthropic_beta"]) != `["context-1m-2025-08-07"]` || got["messages"] == nil {
			t.Errorf("the body has %v", got)
		}
		w.Header().Set("Content-Type", "application/vnd.amazon.eventstream")
		frames(t, w, body, 0)
	}))
	defer srv.Close()
	m := newModel(t, srv.URL)
	got, err := m.Stream(t.Context(), request).Collect()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(toJSON(t, want), toJSON(t, got)); diff != "" {
		t.Errorf("Bedrock's answer is another (-direct +bedrock):\n%s", diff)
	}
	if m.Name() != "bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0" {
		t.Errorf("its name is %s", m.Name())
	}
}

func toJSON(t *testing.T, v any) string {
	t.Helper()
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Errors keep their kind, and tell nothing of the credentials.
func TestBedrockErrors(t *testing.T) {
	t.Setenv("AWS_BEARER_TOKEN_BEDROCK", "")
	for name, test := range map[string]struct {
		answer func(w http.ResponseWriter)
		want   model.ErrorKind
	}{
		"throttled": {func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(w, `{"message":"Too many requests, please wait before trying again."}`)
		}, model.ErrRateLimited},
		"refused": {func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `{"message":"The security token included in the request is invalid."}`)
		}, model.ErrAuth},
		"broken frame": {func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/vnd.amazon.eventstream")
			_, _ = io.WriteString(w, "not a frame at all, not a frame")
		}, model.ErrTransport},
		"cut": {func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/vnd.amazon.eventstream")
			frame(t, w, map[string]string{eventstreamapi.MessageTypeHeader: "event", eventstreamapi.EventTypeHeader: "chunk"}, []byte(`{"bytes":"e30="}`))
		}, model.ErrTransport},
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { test.answer(w) }))
		_, err := newModel(t, srv.URL).Stream(t.Context(), request).Collect()
		srv.Close()
		me, ok := err.(*model.Error)
		if !ok || me.Kind != test.want || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: got %v (%T), want %s", name, err, err, test.want)
		}
	}
}

// An exception in the middle of a stream is an error of the API.
func TestBedrockException(t *testing.T) {
	t.Setenv("AWS_BEARER_TOKEN_BEDROCK", "")
	body := recorded(t)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/vnd.amazon.eventstream")
		frames(t, w, body, 5)
	}))
	defer srv.Close()
	_, err := newModel(t, srv.URL).Stream(t.Context(), request).Collect()
	if me, ok := err.(*model.Error); !ok || !strings.Contains(me.Message, "Too many tokens") || me.Code != "throttlingException" || me.Kind != model.ErrRateLimited {
		t.Errorf("got %#v", err)
	}
}

func TestBedrockIsChecked(t *testing.T) {
	t.Setenv("AWS_BEARER_TOKEN_BEDROCK", "")
	if _, err := bedrock.Platform(t.Context(), bedrock.Config{AWS: &aws.Config{}}); err == nil || !strings.Contains(err.Error(), "set AWS_REGION") {
		t.Errorf("got %v", err)
	}
	platform, err := bedrock.Platform(t.Context(), bedrock.Config{AWS: &aws.Config{}, Region: "us-east-1"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := anthropic.New(anthropic.Config{Model: "m", Platform: platform, APIKey: "k"}); err == nil || !strings.Contains(err.Error(), "leave Config.APIKey empty") {
		t.Errorf("got %v", err)
	}
}
