package quarry_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/anthropic"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/session/sqlite"
)

// TestSearchAgentSurvivesACrash is the first two runs of the minimal search agent:
// one call that searched on the provider's side, wrote a file and remembered, and
// the process is gone after that round; then the resume, which makes one call,
// searches nothing and writes nothing again.
func TestSearchAgentSurvivesACrash(t *testing.T) {
	t.Parallel()
	path, workspace := filepath.Join(t.TempDir(), "quarry.db"), t.TempDir()
	server := modeltest.NewServer(modeltest.ServerConfig{APIKey: "test-key", Script: modeltest.Script{
		modeltest.Say("I search first.").
			Block(`{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"lighthouse Genoa height"}}`).
			Block(`{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","url":"https://example.org/lanterna","title":"Lanterna","encrypted_content":"RW5j","page_age":null}]}`).
			Call("write_file", map[string]string{"path": "notes.md", "text": "77 m"}).
			Call("remember", map[string]string{"key": "lanterna", "value": "77 m"}).
			Usage(model.Usage{InputTokens: 900, OutputTokens: 60, ServerToolCalls: map[string]int64{"web_search_requests": 2}}),
		modeltest.Say("The notes are written: the lighthouse is 77 m high."),
	}})
	defer server.Close()

	wrote, remembered := 0, 0
	agent := func(store session.Store) *quarry.Agent {
		m, err := anthropic.New(anthropic.Config{APIKey: "test-key", BaseURL: server.URL, Model: "scripted"})
		if err != nil {
			t.Fatal(err)
		}
		type file struct {
			Path string `json:"path"`
			Text string `json:"text"`
		}
		type fact struct {
			Key   string `json:"key"`
			Value string `json:"value"`
		}
		return newAgent(t, quarry.Config{
			Model: m, Store: store,
			ServerTools: []model.ServerTool{{Type: "web_search_20250305", Name: "web_search"}},
			Tools: []*quarry.Tool{
				quarry.NewTool(quarry.ToolSpec{Name: "write_file", Effect: quarry.Keyed, KeyField: "path", Strict: true}, func(_ context.Context, in file) (string, error) {
					wrote++
					return "wrote " + in.Path, os.WriteFile(filepath.Join(workspace, in.Path), []byte(in.Text), 0o600)
				}),
				quarry.NewTool(quarry.ToolSpec{Name: "remember", Strict: true}, func(context.Context, fact) (string, error) {
					remembered++
					return "remembered", nil
				}),
			},
		})
	}
	open := func() *sqlite.Store {
		store, err := sqlite.Open(t.Context(), sqlite.Config{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		return store
	}

	// The process is gone when both outcomes are durable: nothing more is written.
	store := open()
	gone := &goneAfter{Store: store, kind: session.KindToolAnswered, left: 2}
	if _, err := agent(gone).Run(t.Context(), quarry.Input{Prompt: "How high is the lighthouse of Genoa? Write it down.", Session: "s"}); err == nil {
		t.Fatal("the run came to its end")
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	before := len(server.Requests())

	store = open()
	defer store.Close()
	result, err := agent(store).Run(t.Context(), quarry.Input{Session: "s"})
	if err != nil || !result.OK() || !strings.Contains(result.Text, "77 m") {
		t.Fatalf("got %+v, %v", result, err)
	}
	after := server.Requests()[before:]
	if len(after) != 1 || wrote != 1 || remembered != 1 || result.Spent.Searches != 2 || result.Spent.ToolCalls != 2 || result.Spent.Lost > 1 {
		t.Errorf("the resume makes %d calls; %d files were written, %d facts remembered; spent %+v", len(after), wrote, remembered, result.Spent)
	}
	// The search goes back as it came.
	for _, want := range []string{`"encrypted_content":"RW5j"`, `"srvtoolu_1"`, "wrote notes.md"} {
		if !strings.Contains(string(after[0].Body), want) {
			t.Errorf("the resumed request lacks %s", want)
		}
	}
}

// goneAfter is a store that takes nothing more after so many records of a kind.
type goneAfter struct {
	session.Store
	kind string
	left int
}

func (g *goneAfter) Append(ctx context.Context, id string, after int64, recs []session.Record) error {
	if g.left <= 0 {
		return os.ErrClosed
	}
	for i, rec := range recs {
		if rec.Event.Kind() != g.kind {
			continue
		}
		if g.left--; g.left == 0 {
			if err := g.Store.Append(ctx, id, after, recs[:i+1]); err != nil {
				return err
			}
			return os.ErrClosed
		}
	}
	return g.Store.Append(ctx, id, after, recs)
}
