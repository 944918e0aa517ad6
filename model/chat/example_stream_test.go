package chat_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/chat"
)

func ExampleModel_Stream() {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, `data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"reasoning":"Briefly."}}]}

data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"content":"An append-only "}}]}

data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"content":"list of what happened."},"finish_reason":"stop"}]}

data: {"id":"chatcmpl-1","choices":[],"usage":{"prompt_tokens":12,"completion_tokens":9}}

data: [DONE]

`)
	}))
	defer srv.Close()

	m, err := chat.New(chat.Config{BaseURL: srv.URL, Model: "qwen3", Provider: "ollama"})
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
		case model.EventThinking:
			fmt.Printf("(%s)\n", ev.Text)
		case model.EventText:
			fmt.Print(ev.Text)
		case model.EventDone:
			fmt.Printf("\n%s: %s after %d tokens\n", m.Name(), ev.Response.StopReason, ev.Response.Usage.OutputTokens)
		}
	}
	// Output:
	// (Briefly.)
	// An append-only list of what happened.
	// ollama/qwen3: end_turn after 9 tokens
}

// A server that is in no row, but does not know one of the fields.
func ExampleQuirksOf() {
	quirks := chat.QuirksOf("vllm")
	quirks.NoStreamOptions = true
	m, err := chat.New(chat.Config{BaseURL: "http://gpu.internal:8000/v1", Model: "qwen3", Quirks: quirks})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Name(), m.EnforcesOutput())
	// Output: chat/qwen3 true
}
