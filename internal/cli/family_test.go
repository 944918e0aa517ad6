package cli_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/blob"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/model/prices"
	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/session/sqlite"
)

// familyPrices are those of the models of a family.
const familyPrices = "names\tinput\toutput\tsource\nlab/big\t3000\t15000\tthe lab\nlab/small\t1000\t5000\tthe lab\n"

type pageIn struct {
	Page string `json:"page"`
}

// newFamily makes an agent "boss" whose helpers have helpers of their own. Each
// reads pages that are kept as blobs: one that all read, and one of its own.
func newFamily(store session.Store, blobs quarry.Blobs) (*quarry.Agent, error) {
	table, err := prices.Load(strings.NewReader(familyPrices))
	if err != nil {
		return nil, err
	}
	read := quarry.NewTool(quarry.ToolSpec{
		Name: "read_page", Description: "Reads a page.", Effect: quarry.ReadOnly, MaxResultBytes: 100,
	}, func(ctx context.Context, in pageIn) (string, error) {
		if in.Page == "own" {
			call, _ := quarry.CallFrom(ctx)
			in.Page = call.Session
		}
		return strings.Repeat("The page "+in.Page+". ", 20), nil
	})
	pages := modeltest.Call("read_page", args{"page": "shared"}).Call("read_page", args{"page": "own"})
	agent := func(cfg quarry.Config, model string, turns ...*modeltest.Turn) (*quarry.Agent, error) {
		cfg.Model = &modeltest.Scripted{ModelName: model, Script: modeltest.Script{modeltest.EachConversation(turns...)}}
		cfg.Store, cfg.Blobs, cfg.Prices = store, blobs, table
		cfg.Tools = append(cfg.Tools, read)
		return quarry.New(cfg)
	}
	clerk, err := agent(quarry.Config{Name: "clerk"}, "lab/small", pages, modeltest.Say("Filed."))
	if err != nil {
		return nil, err
	}
	helper, err := agent(quarry.Config{Name: "helper", Tools: []*quarry.Tool{quarry.AgentTool(quarry.ToolSpec{Name: "ask_clerk", Description: "Files."}, clerk)}}, "lab/small",
		modeltest.Call("ask_clerk", args{"prompt": "File it."}), modeltest.Say("Helped."))
	if err != nil {
		return nil, err
	}
	return agent(quarry.Config{Name: "boss", Tools: []*quarry.Tool{quarry.AgentTool(quarry.ToolSpec{Name: "ask_helper", Description: "Helps."}, helper)}}, "lab/big",
		modeltest.Call("ask_helper", args{"prompt": "The first part."}),
		modeltest.Call("ask_helper", args{"prompt": "The second part."}),
		modeltest.Say("Both parts are done."))
}

// family ID runs a family on a session of this id below the folder .quarry.
func family(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: family ID")
	}
	ctx := context.Background()
	home := ts.MkAbs(".quarry")
	store, err := sqlite.Open(ctx, sqlite.Config{Path: filepath.Join(home, "quarry.db")})
	ts.Check(err)
	defer store.Close()
	blobs, err := blob.Open(filepath.Join(home, "blobs"))
	ts.Check(err)
	boss, err := newFamily(store, blobs)
	ts.Check(err)
	result, err := boss.Run(ctx, quarry.Input{Prompt: "Divide the work.", Session: args[0]})
	ts.Check(err)
	if !result.OK() {
		ts.Fatalf("the family failed: %s", result.Detail)
	}
}

// TestFamily checks what the scripts rest on.
func TestFamily(t *testing.T) {
	t.Parallel()
	store := session.NewMemory()
	blobs, err := blob.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	boss, err := newFamily(store, blobs)
	if err != nil {
		t.Fatal(err)
	}
	result, err := boss.Run(t.Context(), quarry.Input{Prompt: "Divide the work.", Session: "s"})
	if err != nil || result.Spent.Children != 4 || len(result.Spent.Agents) != 3 || result.Spent.Unpriced != 0 {
		t.Fatalf("got %+v, %v", result, err)
	}
	n := 0
	for _, err := range blobs.List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != 3 {
		t.Errorf("%d blobs, want the shared page and one of each clerk", n)
	}
}
