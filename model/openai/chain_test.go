package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/quarry-sdk/quarry/model"
)

// TestPreviousResponse: what the API has kept is not sent again, and all is sent
// where the conversation is not the one that it has kept.
func TestPreviousResponse(t *testing.T) {
	t.Parallel()
	type seen struct {
		Previous string            `json:"previous_response_id"`
		Store    bool              `json:"store"`
		Include  []string          `json:"include"`
		Input    []json.RawMessage `json:"input"`
	}
	var got seen
	answers := 0
	gone := false
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		got = seen{}
		json.Unmarshal(data, &got)
		if gone && got.Previous != "" {
			w.WriteHeader(400)
			io.WriteString(w, `{"error":{"code":"previous_response_not_found","message":"Previous response not found."}}`)
			return
		}
		answers++
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"id":"resp_%d","object":"response","status":"completed","output":[{"id":"msg_%d","type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]}]}`, answers, answers)
	}))
	defer srv.Close()
	m, err := New(Config{APIKey: "k", BaseURL: srv.URL, Model: "gpt-5", PreviousResponse: true})
	if err != nil {
		t.Fatal(err)
	}
	defer m.CloseIdleConnections()
	var messages []*model.Message
	ask := func(msgs []*model.Message) *model.Message {
		t.Helper()
		resp, err := m.Stream(t.Context(), &model.Request{Messages: msgs}).Collect()
		if err != nil {
			t.Fatal(err)
		}
		return resp.Message
	}
	want := func(what, previous string, items int) {
		t.Helper()
		if got.Previous != previous || len(got.Input) != items || !got.Store || len(got.Include) > 0 {
			t.Errorf("%s: %d items behind %q, want %d behind %q; %+v", what, len(got.Input), got.Previous, items, previous, got)
		}
	}
	messages = append(messages, model.UserText("one"))
	messages = append(messages, ask(messages))
	want("first", "", 1)
	messages = append(messages, model.UserText("two"))
	messages = append(messages, ask(messages))
	want("second", "resp_1", 1)
	messages = append(messages, model.UserText("three"), model.UserText("and more"))

	// From the journal, with other pointers.
	var again []*model.Message
	for _, msg := range messages {
		again = append(again, journaled(t, msg))
	}
	ask(again)
	want("from the journal", "resp_2", 2)

	changed := append([]*model.Message{model.UserText("a summary")}, messages[1:]...)
	ask(changed)
	want("with another beginning", "", 6)
	fork := append(messages[:2:2], model.UserText("another two"))
	ask(fork)
	want("forked", "resp_1", 1)

	gone = true
	_, err = m.Stream(t.Context(), &model.Request{Messages: messages}).Collect()
	var e *model.Error
	if !errors.As(err, &e) || !e.Retryable() || !strings.Contains(e.Message, "next try") {
		t.Errorf("an answer that the API has lost: %v", err)
	}
	for range 2 { // the older answer is lost too
		_, err = m.Stream(t.Context(), &model.Request{Messages: messages}).Collect()
	}
	if err != nil {
		t.Error(err)
	}
	want("after the loss", "", 6)
}

func TestChainForgets(t *testing.T) {
	t.Parallel()
	c := newChain()
	first := &model.Request{Messages: []*model.Message{model.UserText("0")}}
	for i := range maxLinks + 1 {
		req := &model.Request{Messages: []*model.Message{model.UserText(fmt.Sprint(i))}}
		c.add(req, &model.Response{ID: fmt.Sprint("resp_", i), Message: answer(&model.Text{Text: "a"})})
	}
	if len(c.ids) != maxLinks || len(c.order) != maxLinks {
		t.Errorf("%d answers are remembered", len(c.ids))
	}
	next := append(first.Messages, answer(&model.Text{Text: "a"}), model.UserText("b"))
	if l := c.find(&model.Request{Messages: next}); l != (link{}) {
		t.Errorf("the first answer is remembered: %+v", l)
	}
	next[0] = model.UserText(fmt.Sprint(maxLinks))
	if l := c.find(&model.Request{Messages: next}); l.messages != 2 || l.id != fmt.Sprint("resp_", maxLinks) {
		t.Errorf("the last answer is not: %+v", l)
	}
}
