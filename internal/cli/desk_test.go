package cli_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
)

// desk is an MCP server on stdio that asks the person before it books.
func desk() {
	srv := sdk.NewServer(&sdk.Implementation{Name: "desk", Version: "1"}, nil)
	sdk.AddTool(srv, &sdk.Tool{Name: "book", Description: "Books a flight."}, func(ctx context.Context, req *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
		res, err := req.Session.Elicit(ctx, &sdk.ElicitParams{Mode: "form", Message: "Who flies?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{
			"name":{"type":"string","description":"as in the passport"},"bags":{"type":"integer"},"meal":{"type":"boolean"},"seat":{"type":"string","enum":["aisle","window"]}},"required":["name","bags"]}`)})
		if err != nil {
			return nil, nil, err
		}
		fields, err := json.Marshal(res.Content)
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: fmt.Sprintf("%s %s", res.Action, fields)}}}, nil, err
	})
	if err := srv.Run(context.Background(), &sdk.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// books calls the desk and tells what it said.
func books() *modeltest.Turn {
	return modeltest.Func(func(_ context.Context, req *model.Request) (*modeltest.Turn, error) {
		if said(req) == 0 {
			return modeltest.CallID("b", "mcp__desk__book", args{}), nil
		}
		return modeltest.Say("The desk says: " + lastResults(req)[0].Content.Text()), nil
	})
}
