package openai_test

import (
	"context"
	"fmt"
	"log"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/model/openai"
)

func ExampleModel_Stream() {
	srv := modeltest.NewServer(modeltest.ServerConfig{Script: modeltest.Script{
		modeltest.Think("They ask for a definition.", "sealed").Say("An append-only list of what happened."),
	}})
	defer srv.Close()

	m, err := openai.New(openai.Config{APIKey: "sk-example", BaseURL: srv.URL, Model: "gpt-5"})
	if err != nil {
		log.Fatal(err)
	}
	defer m.CloseIdleConnections()
	for ev, err := range m.Stream(context.Background(), &model.Request{
		Messages: []*model.Message{model.UserText("What is a journal?")},
		Thinking: &model.ThinkingOptions{Mode: "adaptive"},
	}) {
		if err != nil {
			log.Fatal(err)
		}
		switch ev.Kind {
		case model.EventText:
			fmt.Print(ev.Text)
		case model.EventDone:
			fmt.Printf("\n%s: %s, %d blocks\n", m.Name(), ev.Response.StopReason, len(ev.Response.Message.Blocks))
		}
	}
	// Output:
	// An append-only list of what happened.
	// openai/gpt-5: end_turn, 2 blocks
}
