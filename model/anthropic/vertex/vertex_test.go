package vertex_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/anthropic"
	"github.com/quarry-sdk/quarry/model/anthropic/vertex"
)

func credentials() *google.Credentials {
	return &google.Credentials{ProjectID: "mine", TokenSource: oauth2.StaticTokenSource(&oauth2.Token{AccessToken: "tokencanary"})}
}

const answer = `event: message_start
data: {"type":"message_start","message":{"id":"msg_vrtx_1","type":"message","role":"assistant","model":"claude-sonnet-4-5-20250929","content":[],"stop_reason":null,"usage":{"input_tokens":8,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Sunny."}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":4}}

event: message_stop
data: {"type":"message_stop"}

`

// Requests go to the project's address, with a token and without a key.
func TestVertex(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "keycanary")
	t.Setenv("CLOUD_ML_REGION", "europe-west1")
	t.Setenv("GOOGLE_CLOUD_PROJECT", "")
	t.Setenv("ANTHROPIC_VERTEX_PROJECT_ID", "")
	status := http.StatusOK
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got, want := r.URL.Path, "/v1/projects/mine/locations/europe-west1/publishers/anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict"; got != want {
			t.Errorf("the path is %s, want %s", got, want)
		}
		if r.Header.Get("Authorization") != "Bearer tokencanary" || r.Header.Get("X-Api-Key") != "" {
			t.Errorf("authorized by %q, key %q", r.Header.Get("Authorization"), r.Header.Get("X-Api-Key"))
		}
		var got map[string]json.RawMessage
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
		if got["model"] != nil || got["anthropic_version"] == nil || string(got["stream"]) != "true" || got["messages"] == nil {
			t.Errorf("the body has %v", got)
		}
		if status != http.StatusOK {
			w.WriteHeader(status)
			_, _ = w.Write([]byte(`{"error":{"code":429,"message":"Quota exceeded","status":"RESOURCE_EXHAUSTED"}}`))
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte(answer))
	}))
	defer srv.Close()
	platform, err := vertex.Platform(t.Context(), vertex.Config{Credentials: credentials()})
	if err != nil {
		t.Fatal(err)
	}
	m, err := anthropic.New(anthropic.Config{Model: "claude-sonnet-4-5@20250929", Platform: platform, BaseURL: srv.URL})
	if err != nil {
		t.Fatal(err)
	}
	req := &model.Request{Messages: []*model.Message{model.UserText("What is the weather?")}}
	resp, err := m.Stream(t.Context(), req).Collect()
	if err != nil || resp.Message.Blocks.Text() != "Sunny." || resp.Model != "claude-sonnet-4-5-20250929" || m.Name() != "vertex/claude-sonnet-4-5@20250929" {
		t.Errorf("got %+v, %v", resp, err)
	}
	status = http.StatusTooManyRequests
	_, err = m.Stream(t.Context(), req).Collect()
	if me, ok := err.(*model.Error); !ok || me.Kind != model.ErrRateLimited || me.Message != "Quota exceeded" || strings.Contains(err.Error(), "canary") {
		t.Errorf("got %v", err)
	}
}

func TestVertexIsChecked(t *testing.T) {
	t.Setenv("CLOUD_ML_REGION", "")
	t.Setenv("GOOGLE_CLOUD_PROJECT", "")
	t.Setenv("ANTHROPIC_VERTEX_PROJECT_ID", "")
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", "/nowhere/at/all")
	for want, cfg := range map[string]vertex.Config{
		"set CLOUD_ML_REGION":                      {},
		`the region is "a/b"`:                      {Region: "a/b"},
		"find the application default credentials": {Region: "global"},
		"set GOOGLE_CLOUD_PROJECT":                 {Region: "global", Credentials: &google.Credentials{TokenSource: credentials().TokenSource}},
	} {
		if _, err := vertex.Platform(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
