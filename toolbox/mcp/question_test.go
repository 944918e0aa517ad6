package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
)

// What a server asks the person is a record of the run: it parks, and the call is
// made again with the answer, by another process with another connection too.
func TestElicitationParks(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		protocol string
		answer   quarry.Answer
		want     string
	}{
		"accepted":           {"2025-11-25", quarry.Answer{Input: json.RawMessage(`{"city":"Wien"}`)}, "accept map[city:Wien]"},
		"declined":           {"2025-11-25", quarry.Answer{Note: "none of your business"}, "decline map[]"},
		"accepted by rounds": {"", quarry.Answer{Input: json.RawMessage(`{"city":"Wien"}`)}, "accept map[city:Wien]"},
		"declined by rounds": {"", quarry.Answer{}, "decline map[]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := session.NewMemory()
			began, canceled := 0, make(chan struct{}, 2)
			m := modeltest.NewScripted(modeltest.CallID("a", "mcp__m__ask", struct{}{}), modeltest.Say("Done."))
			agent := func() *quarry.Agent {
				srv := memory()
				asks := &sdk.ElicitParams{
					Mode: "form", Message: "Which city?",
					RequestedSchema: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`),
				}
				sdk.AddTool(srv, &sdk.Tool{Name: "ask"}, func(ctx context.Context, req *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
					began++
					say := func(r *sdk.ElicitResult) (*sdk.CallToolResult, any, error) {
						return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: fmt.Sprint(r.Action, " ", r.Content)}}}, nil, nil
					}
					if test.protocol == "" { // by rounds: the client calls again with the answers
						if r, ok := req.Params.InputResponses["city"].(*sdk.ElicitResult); ok {
							return say(r)
						}
						return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"city": asks}}, nil, nil
					}
					res, err := req.Session.Elicit(ctx, asks)
					if err != nil || res.Action == "cancel" {
						canceled <- struct{}{}
						return nil, nil, fmt.Errorf("no answer: %w", ctx.Err())
					}
					return say(res)
				})
				ss := connect(t, Config{})
				if err := ss.attach(t.Context(), "m", Server{Protocol: test.protocol, open: opener(srv)}); err != nil {
					t.Fatal(err)
				}
				a, err := quarry.New(quarry.Config{Model: m, Store: store, Tools: ss.Tools(), Park: true})
				if err != nil {
					t.Fatal(err)
				}
				return a
			}
			result, err := agent().Run(t.Context(), quarry.Input{Prompt: "Ask.", Session: "s"})
			if err != nil || result.Subtype != session.Waiting || len(result.Pending) != 1 {
				t.Fatalf("got %+v, %v", result, err)
			}
			p := result.Pending[0]
			if !p.Question || p.Reason != "the MCP server m asks" || !strings.Contains(string(p.Input), `"question":"Which city?"`) || !strings.Contains(string(p.Input), `"city"`) {
				t.Errorf("this waits: %+v", p)
			}
			times := 3 // by rounds: once to ask, and again to ask and to take the answer
			if test.protocol != "" {
				times = 2
				await(t, "the end of the server's call", canceled)
			}
			other := agent()
			if err := other.Answer(t.Context(), "s", "a", test.answer); err != nil {
				t.Fatal(err)
			}
			result, err = other.Run(t.Context(), quarry.Input{Session: "s"})
			if err != nil || !result.OK() || began != times {
				t.Fatalf("got %+v, %v; the call was made %d times", result, err, began)
			}
			last := m.Requests()[1].Messages
			if got := last[len(last)-1].Blocks; !strings.Contains(toolText(t, got), test.want) {
				t.Errorf("the model is told %q, want %q", toolText(t, got), test.want)
			}
		})
	}
}

// toolText is the text of the only tool result.
func toolText(t *testing.T, blocks model.Blocks) string {
	t.Helper()
	for _, b := range blocks {
		if r, ok := b.(*model.ToolResult); ok {
			return r.Content.Text()
		}
	}
	t.Fatal("there is no tool result")
	return ""
}
