package mcp_test

import (
	"context"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/toolbox/mcp"
)

// An agent uses the tools of a server. This one is in the same process; those of
// [mcp.Config] are programs or have addresses.
func ExampleConnect() {
	ctx := context.Background()
	weather := sdk.NewServer(&sdk.Implementation{Name: "weather", Version: "1.0"}, nil)
	type place struct {
		City string `json:"city" jsonschema:"the city's name"`
	}
	type report struct {
		City    string  `json:"city"`
		Celsius float64 `json:"celsius"`
	}
	sdk.AddTool(weather, &sdk.Tool{
		Name:        "now",
		Description: "Tells the weather in a city.",
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true},
	}, func(_ context.Context, _ *sdk.CallToolRequest, in place) (*sdk.CallToolResult, report, error) {
		if in.City != "Florence" {
			return nil, report{}, fmt.Errorf("there is no station in %s", in.City)
		}
		return nil, report{in.City, 40}, nil
	})

	servers, err := mcp.Connect(ctx, mcp.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer servers.Close()
	if err := servers.Attach(ctx, "weather", weather); err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range servers.Status() {
		fmt.Println(s.Name, s.State, s.Tools)
	}
	for _, t := range servers.Tools() {
		fmt.Println(t.Spec().Name, t.Spec().Effect)
	}

	agent, err := quarry.New(quarry.Config{
		Model: modeltest.NewScripted(
			modeltest.Call("mcp__weather__now", `{"city": "Atlantis"}`),
			modeltest.Call("mcp__weather__now", `{"city": "Florence"}`),
			modeltest.Say("It is 40 °C in Florence."),
		),
		Tools: servers.Tools(),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for ev, err := range agent.Stream(ctx, quarry.Input{Prompt: "How warm is it in Florence?"}) {
		switch {
		case err != nil:
			fmt.Println(err)
		case ev.Record != nil:
			if a, ok := ev.Record.Event.(*session.ToolAnswered); ok {
				fmt.Println(a.IsError, a.Content.Text())
			}
		case ev.Result != nil:
			fmt.Println(ev.Result.Subtype, ev.Result.Text)
		}
	}
	// Output:
	// weather connected 1
	// mcp__weather__now read_only
	// true there is no station in Atlantis
	// false {"celsius":40,"city":"Florence"}
	// success It is 40 °C in Florence.
}

// The file of servers that many programs share is read with its variables filled
// in. What is written of a server has none of its secrets.
func ExampleParseConfig() {
	cfg, err := mcp.ParseConfig([]byte(`{"mcpServers": {
		"files": {"command": "mcp-server-filesystem", "args": ["${HOME}"]},
		"web": {"type": "http", "url": "https://example.org/mcp?key=${KEY}", "required": true}
	}}`), func(name string) (string, bool) {
		v, ok := map[string]string{"HOME": "/home/ada", "KEY": "tell-nobody"}[name]
		return v, ok
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(cfg.Servers["files"], cfg.Servers["files"].Args)
	fmt.Println(cfg.Servers["web"])

	_, err = mcp.ParseConfig([]byte(`{"mcpServers": {"web": {"url": "https://${HOST}/"}}}`), func(string) (string, bool) { return "", false })
	fmt.Println(err)
	// Output:
	// stdio mcp-server-filesystem [/home/ada]
	// http https://example.org
	// mcp: server "web": its url: the environment variable "HOST" is not set; set it, or write ${HOST:-default}
}

func ExampleToolName() {
	fmt.Println(mcp.ToolName("files", "read_file"))
	fmt.Println(mcp.ToolName("my files", "read/file"))
	// Output:
	// mcp__files__read_file
	// mcp__my_files__read_file_b61658ac
}
