package general_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/anthropic"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/toolbox/general"
)

// claude is a model behind a server that speaks the real wire.
func claude(t *testing.T, turns ...*modeltest.Turn) (model.Model, *modeltest.Server) {
	t.Helper()
	server := modeltest.NewServer(modeltest.ServerConfig{APIKey: "a-key", ChunkBytes: 100, Script: turns})
	t.Cleanup(server.Close)
	m, err := anthropic.New(anthropic.Config{APIKey: "a-key", BaseURL: server.URL, Model: "claude-sonnet-4-5"})
	if err != nil {
		t.Fatal(err)
	}
	return m, server
}

const (
	searched = `{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"port"}}`
	found    = `{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","url":"https://example.org/","title":"Ports","encrypted_content":"eA==","page_age":null}]}`
)

// TestFourRuns: a task that is killed after one round, its resume, a task that is
// answered from what the first one left, and one that is refused something.
func TestFourRuns(t *testing.T) {
	t.Parallel()
	outer, workspace, state := folders(t)
	store := session.NewMemory()
	edits := quarry.Permissions{Mode: quarry.ModeAcceptEdits}

	// 1. The provider searches, then a file is written and a fact remembered at the
	// same time; the run dies after that round.
	m, server := claude(t,
		modeltest.Say("I look it up.").Block(searched).Block(found).
			CallID("w1", "write_file", args{"path": "notes/port.md", "content": "The port is 5432.\n"}).
			CallID("m1", "remember", args{"key": "answer_file", "value": "the port is in notes/port.md"}).
			Usage(model.Usage{InputTokens: 100, OutputTokens: 50, ServerToolCalls: map[string]int64{"web_search_requests": 1}}),
		modeltest.Say("The port is in notes/port.md."),
	)
	first, err := general.Open(t.Context(), general.Config{Model: m, Permissions: edits, State: state, Store: store, Workspace: workspace})
	if err != nil {
		t.Fatal(err)
	}
	answered := 0
	for ev, err := range first.Stream(t.Context(), quarry.Input{Prompt: "Find the port and note it.", Session: "s"}) {
		if err != nil {
			t.Fatal(err)
		}
		if ev.Record == nil {
			continue
		}
		if _, ok := ev.Record.Event.(*session.ToolAnswered); ok {
			if answered++; answered == 2 {
				break
			}
		}
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if got := read(t, workspace, "notes", "port.md"); got != "The port is 5432.\n" || !strings.Contains(read(t, state, general.MemoryFile), "answer_file") {
		t.Fatalf("the first round left %q and the memory %s", got, read(t, state, general.MemoryFile))
	}

	// 2. Its resume asks the model once. What a person has written in between stays.
	if err := os.WriteFile(filepath.Join(workspace, "notes", "port.md"), []byte("The port is another one.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	again := open(t, general.Config{
		Instructions: general.Recorded(records(t, store, "s")), Model: m, Permissions: edits, State: state, Store: store, Workspace: workspace,
	})
	result := ask(t, again, quarry.Input{Session: "s"})
	if !result.OK() || result.Text != "The port is in notes/port.md." || result.Spent.Searches != 1 {
		t.Errorf("the resume ends as %+v", result)
	}
	names, failed := called(records(t, store, "s"))
	if diff := cmp.Diff([]string{"remember", "write_file"}, names); diff != "" || len(failed) > 0 {
		t.Errorf("both runs called (-want +got):\n%s%v", diff, failed)
	}
	if got := read(t, workspace, "notes", "port.md"); got != "The port is another one.\n" {
		t.Errorf("the file was written again: %q", got)
	}
	checkRequests(t, server, 2)
	if last := server.Requests()[1].Body; bytes.Count(last, []byte(`"server_tool_use"`)) != 1 || bytes.Count(last, []byte(`"tool_result"`)) != 2 {
		t.Errorf("the resume sends %s", last)
	}

	// 3. A new task is answered from the memory and one file.
	m, server = claude(t, modeltest.Func(func(_ context.Context, req *model.Request) (*modeltest.Turn, error) {
		switch {
		case !strings.Contains(req.System.Blocks.Text(), "- answer_file: "):
			return modeltest.Say("I do not know."), nil
		case len(req.Messages) == 1:
			return modeltest.Call("read_file", args{"path": "notes/port.md"}), nil
		}
		return modeltest.Say("It says: " + req.Messages[2].Blocks[0].(*model.ToolResult).Content.Text()), nil
	}))
	third := open(t, general.Config{Model: m, State: state, Store: store, Workspace: workspace})
	result = ask(t, third, quarry.Input{Prompt: "Which port was it?", Session: "t"})
	if !result.OK() || !has(result.Text, "It says: ", "The port is another one.") || result.Spent.Searches != 0 || result.Spent.ToolCalls != 1 {
		t.Errorf("the new task ends as %+v", result)
	}
	checkRequests(t, server, 2)

	// 4. A write outside the workspace is refused with the reason, then done inside.
	m, server = claude(t,
		modeltest.CallID("w1", "write_file", args{"path": "../backup/port.md", "content": "The port is 5432.\n"}),
		modeltest.CallID("w2", "write_file", args{"path": "backup/port.md", "content": "The port is 5432.\n"}),
		modeltest.CallID("r1", "read_file", args{"path": "backup/port.md"}).CallID("m1", "remember", args{"key": "boundary", "value": "nothing outside the workspace can be written"}),
		modeltest.Say("The copy is in backup/port.md; ../backup could not be written."),
	)
	fourth := open(t, general.Config{Model: m, Permissions: edits, State: state, Store: store, Workspace: workspace})
	result = ask(t, fourth, quarry.Input{Prompt: "Copy it to ../backup.", Session: "u"})
	names, failed = called(records(t, store, "u"))
	if diff := cmp.Diff([]string{"read_file", "remember", "write_file", "write_file"}, names); !result.OK() || diff != "" {
		t.Errorf("it ends as %+v and called (-want +got):\n%s", result, diff)
	}
	if len(failed) != 1 || !has(failed["w1"], "out of the workspace", "inside") {
		t.Errorf("refused was %v", failed)
	}
	if _, err := os.Stat(filepath.Join(outer, "backup")); !os.IsNotExist(err) {
		t.Errorf("there is a folder outside of the workspace: %v", err)
	}
	if got := read(t, workspace, "backup", "port.md"); got != "The port is 5432.\n" || !strings.Contains(read(t, state, general.MemoryFile), "boundary") {
		t.Errorf("inside there is %q, in the memory %s", got, read(t, state, general.MemoryFile))
	}
	checkRequests(t, server, 4)
}

// checkRequests wants n requests that begin with the same system prompt and tools,
// and offer one search at the provider.
func checkRequests(t *testing.T, server *modeltest.Server, n int) {
	t.Helper()
	type body struct{ System, Tools json.RawMessage }
	var first body
	received := server.Requests()
	if len(received) != n {
		t.Errorf("%d requests, want %d", len(received), n)
	}
	for i, r := range received {
		var b body
		if err := json.Unmarshal(r.Body, &b); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = b
		}
		if string(b.System) != string(first.System) || string(b.Tools) != string(first.Tools) {
			t.Errorf("request %d does not begin as the first one", i+1)
		}
		if !strings.Contains(string(b.Tools), `{"type":"web_search_20250305","name":"web_search","max_uses":5`) {
			t.Errorf("request %d offers no search of five uses: %s", i+1, b.Tools)
		}
	}
}
