package modeltest

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/quarry-sdk/quarry/model"
)

// FuzzRequest: whatever comes, the server answers with JSON or with a stream, and
// refuses with an invalid request.
func FuzzRequest(f *testing.F) {
	for _, seed := range []string{
		`{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"a"}]}`,
		`{"model":"m","max_tokens":1,"stream":true,"messages":[{"role":"user","content":[{"type":"text","text":"a","cache_control":{}}]},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"t","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"image","source":{"type":"base64","data":"AQ=="}}]}]}]}`,
		`{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"search_result","source":"a"}]}],"tools":[{"name":"t","input_schema":{"type":"object"}}],"tool_choice":{"type":"any"},"thinking":{"type":"adaptive"},"system":"s"}`,
		`{"model":"m","max_tokens":1,"messages":[null],"tools":[null],"system":[null],"thinking":null}`,
		`{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[null]}]}`, `[]`, `null`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		req, stream, err := decodeRequest(body)
		if err != nil {
			var e *model.Error
			if !errors.As(err, &e) || e.Kind != model.ErrInvalidRequest {
				t.Fatalf("error %v", err)
			}
		} else if len(req.Messages) == 0 || req.MaxTokens < 1 {
			t.Fatalf("let in: %s", body)
		}
		s := &Server{cfg: ServerConfig{Script: Script{Say("a")}}}
		r := httptest.NewRequest(http.MethodPost, "/v1/messages", bytes.NewReader(body))
		r.Header.Set("Anthropic-Version", "2023-06-01")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		switch {
		case (err == nil) != (w.Code == http.StatusOK):
			t.Fatalf("status %d, error %v", w.Code, err)
		case stream && !bytes.HasPrefix(w.Body.Bytes(), []byte("event: message_start\n")):
			t.Fatalf("no stream: %s", w.Body)
		case !stream && !json.Valid(w.Body.Bytes()):
			t.Fatalf("no JSON: %s", w.Body)
		}
	})
}

// FuzzBlock: a scripted block goes over the wire and comes back as it is.
func FuzzBlock(f *testing.F) {
	for _, seed := range []string{
		`{"type":"text","text":"a"}`, `{"type":"text","text":"a","citations":[{"type":"x"}]}`, `{"type":"text","citations":1}`,
		`{"type":"tool_use","id":"a","name":"b","input":{"c":1}}`, `{"type":"tool_use"}`, `{"type":"server_tool_use","input":null}`,
		`{"type":"image","source":{"type":"base64","data":"AQ=="}}`, `{"type":"document","source":null}`, `{"type":"tool_result","content":"a"}`,
		`{"type":"hologram"}`, `{"type":"redacted_thinking","data":"a"}`, `{"type":"thinking","thinking":"a"}`, `{"type":"x_tool_result","content":[]}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		turn := Block(raw)
		if turn.err != nil {
			return
		}
		resp, parts := turn.answer("m", &model.Request{})
		full := encodeResponse(resp)
		var back struct {
			Content []json.RawMessage `json:"content"`
		}
		if err := json.Unmarshal(full, &back); err != nil || len(back.Content) != 1 {
			t.Fatalf("error %v: %s", err, full)
		}
		if _, err := decodeBlock(back.Content[0]); err != nil {
			t.Fatalf("%v: %s", err, back.Content[0])
		}
		for _, frame := range encodeStream(resp, parts, 0) {
			_, data, _ := bytes.Cut(frame.data, []byte("\ndata: "))
			if !json.Valid(data) {
				t.Fatalf("event: %q", frame.data)
			}
		}
	})
}
