package quarry_test

import (
	"context"
	"fmt"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model/anthropic"
	"github.com/quarry-sdk/quarry/model/modeltest"
)

// A whole run over HTTP, without leaving the machine: the provider's client
// talks to a server that plays a script.
func Example_server() {
	server := modeltest.NewServer(modeltest.ServerConfig{
		APIKey: "test-key",
		Script: modeltest.Script{
			modeltest.Call("weather", map[string]string{"city": "Oslo"}).Call("weather", map[string]string{"city": "Rome"}),
			modeltest.Say("Oslo has snow and Rome has sun."),
		},
	})
	defer server.Close()
	m, err := anthropic.New(anthropic.Config{APIKey: "test-key", BaseURL: server.URL, Model: "claude-sonnet-4-5"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer m.CloseIdleConnections()

	weather := quarry.NewTool(quarry.ToolSpec{Name: "weather", Effect: quarry.ReadOnly}, func(_ context.Context, in struct {
		City string `json:"city"`
	}) (string, error) {
		return map[string]string{"Oslo": "snow", "Rome": "sun"}[in.City], nil
	})
	agent, err := quarry.New(quarry.Config{Model: m, Tools: []*quarry.Tool{weather}})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := agent.Run(context.Background(), quarry.Input{Prompt: "How is the weather in Oslo and in Rome?"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Text)
	fmt.Println(agent.Config().Model.Name(), "was asked", len(server.Requests()), "times")
	// Output:
	// Oslo has snow and Rome has sun.
	// anthropic/claude-sonnet-4-5 was asked 2 times
}
