package anthropic_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/anthropic"
)

func ExampleModel_Stream() {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, `data: {"type":"message_start","message":{"id":"msg_1","model":"claude-sonnet-4-5","usage":{"input_tokens":12}}}

data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"An append-only "}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"list of what happened."}}

data: {"type":"content_block_stop","index":0}

data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}

data: {"type":"message_stop"}

`)
	}))
	defer srv.Close()

	m, err := anthropic.New(anthropic.Config{
		APIKey:  "sk-ant-example",
		BaseURL: srv.URL,
		Model:   "claude-sonnet-4-5",
	})
	if err != nil {
		log.Fatal(err)
	}
	defer m.CloseIdleConnections()
	for ev, err := range m.Stream(context.Background(), &model.Request{
		Messages: []*model.Message{model.UserText("What is a journal?")},
	}) {
		if err != nil {
			log.Fatal(err)
		}
		switch ev.Kind {
		case model.EventText:
			fmt.Print(ev.Text)
		case model.EventDone:
			fmt.Printf("\n%s: %s after %d tokens\n", m.Name(), ev.Response.StopReason, ev.Response.Usage.OutputTokens)
		}
	}
	// Output:
	// An append-only list of what happened.
	// anthropic/claude-sonnet-4-5: end_turn after 9 tokens
}
