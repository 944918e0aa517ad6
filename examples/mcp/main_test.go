package main

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Started as a server, the test's program is the example, or a server that the
// script does not know.
func TestMain(m *testing.M) {
	switch {
	case slices.Contains(os.Args, "-serve"):
		main()
	case slices.Contains(os.Args, "-stranger"):
		s := sdk.NewServer(&sdk.Implementation{Name: "stranger", Version: "1.0"}, nil)
		sdk.AddTool(s, &sdk.Tool{Name: "greet", Description: "Greets."}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
			return nil, nil, nil
		})
		_ = s.Run(context.Background(), &sdk.StdioTransport{})
	default:
		os.Exit(m.Run())
	}
}

func TestMCP(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "")
	tools := `mcp__library__find_book (read_only): Finds a book by its title.
mcp__library__lend_book (exclusive): Lends a book to a reader.
`
	library := tools + `The agent says: Invisible Cities is lent to Ada; every copy of "If on a winter's night a traveler" is out.
`
	for _, test := range []struct {
		name string
		args []string
		want string
	}{
		{"in this program", nil, library},
		{"over stdio", []string{"-stdio", os.Args[0] + " -serve"}, library},
		{"of what it has not", []string{`Lend me "Ulysses". I am Ada.`}, tools + "The agent says: there is no book \"Ulysses\".\n"},
		{"of a stranger", []string{"-stdio", os.Args[0] + " -stranger"}, `mcp__library__greet (exclusive): Greets.
The agent says: I see the tools mcp__library__greet. It takes a real model to use them.
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out strings.Builder
			if err := run(t.Context(), test.args, &out); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, out.String()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	err := run(t.Context(), []string{"-stdio", "/no/such/server"}, &strings.Builder{})
	if err == nil || !strings.Contains(err.Error(), "/no/such/server") {
		t.Errorf("without a server: %v", err)
	}
}
