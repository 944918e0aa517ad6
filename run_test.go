package quarry_test

import (
	"context"
	"testing"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
)

type weatherIn struct {
	City string `json:"city" jsonschema:"the city's name"`
}

func weather() *quarry.Tool {
	return quarry.NewTool(quarry.ToolSpec{Name: "weather", Effect: quarry.ReadOnly}, func(_ context.Context, in weatherIn) (string, error) {
		return "sunny in " + in.City, nil
	})
}

func TestRunAnswersThroughATool(t *testing.T) {
	t.Parallel()
	m := modeltest.NewScripted(
		modeltest.Call("weather", map[string]string{"city": "Florence"}),
		modeltest.Say("It is sunny in Florence."),
	)
	agent, err := quarry.New(quarry.Config{Model: m, Tools: []*quarry.Tool{weather()}})
	if err != nil {
		t.Fatal(err)
	}
	result, err := agent.Run(t.Context(), quarry.Input{Prompt: "How is the weather in Florence?"})
	if err != nil {
		t.Fatal(err)
	}
	if result.Subtype != session.Success || result.Text != "It is sunny in Florence." || result.Turns != 2 || result.ToolCalls != 1 {
		t.Errorf("got %+v", result)
	}
}
