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

// FuzzChatRequest: whatever comes, the server answers with JSON or with a stream,
// and refuses with an invalid request.
func FuzzChatRequest(f *testing.F) {
	for _, seed := range []string{
		`{"model":"m","messages":[{"role":"user","content":"a"}]}`,
		`{"model":"m","stream":true,"stop":["a"],"messages":[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"t","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"b"}]}`,
		`{"model":"m","messages":[{"role":"assistant","content":"a","reasoning_details":[{"data":"x"}]}],"tools":[{"type":"function","function":{"name":"t","parameters":{"type":"object","properties":{}}}}],"tool_choice":"required"}`,
		`{"model":"m","messages":[null],"tools":[null],"tool_choice":{}}`, `[]`, `null`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		req, err := decodeChat(body)
		if err != nil {
			var e *model.Error
			if !errors.As(err, &e) || e.Kind != model.ErrInvalidRequest {
				t.Fatalf("error %v", err)
			}
		} else if len(req.Messages) == 0 {
			t.Fatalf("let in: %s", body)
		}
		s := &Server{cfg: ServerConfig{Script: Script{Think("t", "s").Say("a").Call("f", nil)}}}
		r := httptest.NewRequest(http.MethodPost, chatPath, bytes.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		switch {
		case (err == nil) != (w.Code == http.StatusOK):
			t.Fatalf("status %d, error %v", w.Code, err)
		case err == nil && req.stream && !bytes.HasSuffix(w.Body.Bytes(), []byte("data: [DONE]\n\n")):
			t.Fatalf("no stream: %s", w.Body)
		case (err != nil || !req.stream) && !json.Valid(w.Body.Bytes()):
			t.Fatalf("no JSON: %s", w.Body)
		}
	})
}
