package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/model"
)

// What is counted is the request, without what is about the answer alone.
func TestCountTokens(t *testing.T) {
	t.Parallel()
	var got map[string]json.RawMessage
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/messages/count_tokens" || r.Header.Get("X-Api-Key") == "" {
			t.Errorf("asked %s", r.URL.Path)
		}
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
		_, _ = w.Write([]byte(`{"input_tokens": 403, "context_management": null}`))
	}))
	defer srv.Close()
	m := testModel(t, srv.URL)
	defer m.CloseIdleConnections()
	temperature := 0.5
	n, err := m.CountTokens(t.Context(), &model.Request{
		MaxTokens: 7, Temperature: &temperature, StopSequences: []string{"x"}, Thinking: &model.ThinkingOptions{Mode: "enabled", BudgetTokens: 2048},
		System: model.NewMessage(model.RoleSystem, &model.Text{Text: "Be brief."}), Messages: []*model.Message{model.UserText("Hello.")},
		Tools: &model.ToolSet{Defs: []model.ToolDef{{Name: "look", InputSchema: json.RawMessage(`{"type":"object"}`)}}},
	})
	if err != nil || n != 403 {
		t.Fatalf("got %d, %v", n, err)
	}
	var names []string
	for _, name := range []string{"max_tokens", "messages", "model", "stop_sequences", "stream", "system", "temperature", "thinking", "tools"} {
		if got[name] != nil {
			names = append(names, name)
		}
	}
	if diff := cmp.Diff([]string{"messages", "model", "system", "thinking", "tools"}, names); diff != "" {
		t.Errorf("wrong fields (-want +got):\n%s", diff)
	}
}

func TestCountTokensErrors(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]model.ErrorKind{
		`{"input_tokens": null}`: model.ErrProtocol, `[]`: model.ErrProtocol, ``: model.ErrProtocol, `{"type":"message"}`: model.ErrProtocol,
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(answer)) }))
		m := testModel(t, srv.URL)
		_, err := m.CountTokens(t.Context(), &model.Request{Messages: history(1)})
		var me *model.Error
		if !errors.As(err, &me) || me.Kind != want || strings.Contains(err.Error(), m.cfg.APIKey) {
			t.Errorf("%q: got %v", answer, err)
		}
		m.CloseIdleConnections()
		srv.Close()
	}
	m := testModel(t, "http://127.0.0.1:1")
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	cancel(why)
	if _, err := m.CountTokens(ctx, &model.Request{Messages: history(1)}); !errors.Is(err, why) {
		t.Errorf("got %v", err)
	}
	if _, err := m.CountTokens(t.Context(), nil); err == nil {
		t.Error("a nil request is counted")
	}
}
