package general_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/toolbox/general"
)

type args = map[string]any

// In a process that a test started, the test's program is an MCP server.
const serverEnv = "QUARRY_TEST_MCP"

func TestMain(m *testing.M) {
	if os.Getenv(serverEnv) != "" {
		serve()
		return
	}
	goleak.VerifyTestMain(m)
}

// serve is an MCP server that says of its tool that it only reads.
func serve() {
	srv := sdk.NewServer(&sdk.Implementation{Name: "clock", Version: "1"}, nil)
	sdk.AddTool(srv, &sdk.Tool{Name: "now", Description: "Tells the time.", Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}},
		func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "noon"}}}, nil, nil
		})
	if err := srv.Run(context.Background(), &sdk.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// folders makes a folder with a workspace in it, and returns both paths and that of
// a state beside the workspace.
func folders(t *testing.T) (outer, workspace, state string) {
	t.Helper()
	outer = t.TempDir()
	workspace = filepath.Join(outer, "ws")
	if err := os.Mkdir(workspace, 0o755); err != nil {
		t.Fatal(err)
	}
	return outer, workspace, filepath.Join(outer, "state")
}

// open opens an agent for the length of a test. What cfg leaves out is filled in: a
// model that says "Done.", and folders.
func open(t *testing.T, cfg general.Config) *general.Agent {
	t.Helper()
	if cfg.Model == nil {
		cfg.Model = named("anthropic/claude-test", modeltest.Say("Done."))
	}
	if cfg.Workspace == "" {
		_, cfg.Workspace, cfg.State = folders(t)
	}
	agent, err := general.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := agent.Close(); err != nil {
			t.Error(err)
		}
	})
	return agent
}

// named is a scripted model of a provider.
func named(name string, turns ...*modeltest.Turn) *modeltest.Scripted {
	return &modeltest.Scripted{ModelName: name, Script: turns}
}

// toolNames are the names of the tools of a request, those of the provider with
// their versions.
func toolNames(req *model.Request) (names []string) {
	for _, d := range req.Tools.Defs {
		names = append(names, d.Name)
	}
	for _, s := range req.Tools.Server {
		names = append(names, s.Type)
	}
	slices.Sort(names)
	return names
}

// records are those of a session.
func records(t *testing.T, store session.Store, id string) (recs []session.Record) {
	t.Helper()
	for rec, err := range store.Load(t.Context(), id, 0) {
		if err != nil {
			t.Fatal(err)
		}
		recs = append(recs, rec)
	}
	return recs
}

// called are the names of the tools that were started, in order of the names, with
// the places at which a call was answered as an error.
func called(recs []session.Record) (names []string, failed map[string]string) {
	failed = map[string]string{}
	for _, rec := range recs {
		switch ev := rec.Event.(type) {
		case *session.ToolCalled:
			names = append(names, ev.Name)
		case *session.ToolAnswered:
			if ev.IsError {
				failed[ev.ID] = ev.Content.Text()
			}
		}
	}
	slices.Sort(names)
	return names, failed
}

// ask runs one prompt to its end.
func ask(t *testing.T, agent *general.Agent, in quarry.Input) *quarry.Result {
	t.Helper()
	result, err := agent.Run(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// read is a file's content, "" for none.
func read(t *testing.T, parts ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(parts...))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(data)
}

// has tells whether a text has all of the parts.
func has(text string, parts ...string) bool {
	return !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(text, part) })
}
