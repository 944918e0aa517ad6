package mcp

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quarry-sdk/quarry/model"
)

// library is a server with resources and prompts.
func library() *sdk.Server {
	srv := memory()
	read := func(_ context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		c := &sdk.ResourceContents{URI: req.Params.URI, MIMEType: "text/plain", Text: "text of " + req.Params.URI}
		if strings.HasSuffix(req.Params.URI, ".bin") {
			c = &sdk.ResourceContents{URI: req.Params.URI, MIMEType: "application/zip", Blob: []byte{0, 1, 2}}
		}
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{c}}, nil
	}
	srv.AddResource(&sdk.Resource{URI: "lib://one", Name: "one", Description: "the first", MIMEType: "text/plain", Size: 12}, read)
	srv.AddResource(&sdk.Resource{URI: "lib://two.bin", Name: "two"}, read)
	srv.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: "lib://books/{id}", Name: "books"}, read)
	srv.AddPrompt(&sdk.Prompt{Name: "review", Description: "Reviews code", Arguments: []*sdk.PromptArgument{{Name: "code", Required: true}}},
		func(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{
				{Role: "user", Content: &sdk.TextContent{Text: "Review " + req.Params.Arguments["code"]}},
				{Role: "assistant", Content: &sdk.TextContent{Text: "Gladly."}},
			}}, nil
		})
	return srv
}

func TestResources(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"", "2025-06-18"} {
		ss := connect(t, Config{})
		if len(ss.Tools()) != 0 {
			t.Error("there are tools for resources and no resources")
		}
		if err := ss.attach(t.Context(), "lib", Server{open: opener(library()), Protocol: protocol}); err != nil {
			t.Fatal(err)
		}
		list, err := ss.Resources(t.Context(), "lib")
		want := []Resource{
			{Server: "lib", URI: "lib://one", Name: "one", Description: "the first", MIMEType: "text/plain", Size: 12},
			{Server: "lib", URI: "lib://two.bin", Name: "two"},
			{Server: "lib", Template: "lib://books/{id}", Name: "books"},
		}
		if diff := cmp.Diff(want, list); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		call := texts(t, ss)
		if got, want := call(ListResourcesName, map[string]string{"server": "lib"}), "lib://one | text/plain | one | the first | 12 bytes\nlib://two.bin | two\ntemplate lib://books/{id} | books\n"; got != want {
			t.Errorf("listed %q, want %q", got, want)
		}
		for uri, want := range map[string]string{
			"lib://one":     "[Resource lib://one, text/plain]\ntext of lib://one",
			"lib://books/7": "[Resource lib://books/7, text/plain]\ntext of lib://books/7",
			"lib://two.bin": "[Here came the resource lib://two.bin, application/zip, 3 bytes, which cannot be shown.]",
			"lib://none":    `error: read the resource "lib://none": the MCP server "lib" refused the call: `,
		} {
			// Twice, since the SDK keeps what it has read.
			for range 2 {
				if got := call(ReadResourceName, map[string]string{"server": "lib", "uri": uri}); !strings.HasPrefix(got, want) {
					t.Errorf("%s: %q, want %q", uri, got, want)
				}
			}
		}
		if got := call(ReadResourceName, map[string]string{"server": "other", "uri": "x"}); !strings.Contains(got, `must be one of ["lib"]`) {
			t.Errorf("got %q", got)
		}
		if a := use(t, ss, ReadResourceName, map[string]string{"server": "lib", "uri": "lib://two.bin"}); !strings.Contains(string(a.Output), `"AAEC"`) {
			t.Errorf("the journal keeps %s", a.Output)
		}
		_ = ss.Close()
	}
}

func TestPrompts(t *testing.T) {
	t.Parallel()
	ss := connect(t, Config{})
	attach(t, ss, "lib", library())
	list, err := ss.Prompts(t.Context(), "lib")
	if err != nil || len(list) != 1 || list[0].Name != "review" || list[0].Arguments[0].Name != "code" {
		t.Errorf("%+v, %v", list, err)
	}
	got, err := ss.Prompt(t.Context(), "lib", "review", map[string]string{"code": "x := 1"})
	if err != nil || len(got) != 2 || got[0].Role != model.RoleUser || got[0].Blocks.Text() != "Review x := 1" || got[1].Role != model.RoleAssistant {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := ss.Prompt(t.Context(), "lib", "none", nil); err == nil {
		t.Error("no error for a prompt that is absent")
	}
	if _, err := ss.Prompts(t.Context(), "none"); err == nil {
		t.Error("no error for a server that is absent")
	}
}
