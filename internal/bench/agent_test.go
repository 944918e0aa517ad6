package bench

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/anthropic"
	"github.com/quarry-sdk/quarry/model/chat"
	"github.com/quarry-sdk/quarry/model/openai"
	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/session/sqlite"
)

type echoIn struct {
	Step int `json:"step" jsonschema:"the number of the step"`
}

func echo() *quarry.Tool {
	return quarry.NewTool(quarry.ToolSpec{
		Name: "echo", Description: "Returns the step's number.", Effect: quarry.ReadOnly,
	}, func(_ context.Context, in echoIn) (string, error) { return "step", nil })
}

// providers make a model of each provider at a base URL.
var providers = []struct {
	name string
	open func(base string) (model.Model, error)
}{
	{"anthropic", func(base string) (model.Model, error) {
		return anthropic.New(anthropic.Config{APIKey: "test-key", BaseURL: base, Model: "loop"})
	}},
	{"openai", func(base string) (model.Model, error) {
		return openai.New(openai.Config{APIKey: "test-key", BaseURL: base + "/v1", Model: "loop"})
	}},
	{"chat", func(base string) (model.Model, error) {
		return chat.New(chat.Config{APIKey: "test-key", BaseURL: base + "/v1", Model: "loop"})
	}},
}

func newAgent(tb testing.TB, base string, store session.Store) *quarry.Agent {
	tb.Helper()
	return newAgentOf(tb, providers[0].open, base, store)
}

func newAgentOf(tb testing.TB, open func(base string) (model.Model, error), base string, store session.Store) *quarry.Agent {
	tb.Helper()
	m, err := open(base)
	if err != nil {
		tb.Fatal(err)
	}
	agent, err := quarry.New(quarry.Config{
		Instructions: "Call echo until you are done.",
		Limits:       quarry.Limits{ToolCalls: quarry.Unlimited, Turns: 10_000},
		Model:        m,
		Store:        store,
		Tools:        []*quarry.Tool{echo()},
	})
	if err != nil {
		tb.Fatal(err)
	}
	return agent
}

func newSQLite(tb testing.TB) session.Store {
	tb.Helper()
	store, err := sqlite.Open(tb.Context(), sqlite.Config{Path: filepath.Join(tb.TempDir(), "quarry.db")})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { store.Close() })
	return store
}

// runOnce runs a prompt and checks that all its rounds were done.
func runOnce(tb testing.TB, agent *quarry.Agent, steps int) {
	tb.Helper()
	result, err := agent.Run(tb.Context(), quarry.Input{Prompt: "Begin."})
	if err != nil {
		tb.Fatal(err)
	}
	if !result.OK() || result.ToolCalls != steps || result.Text != "done" {
		tb.Fatalf("the run came to %s (%s) after %d of %d tool calls: %s", result.Subtype, result.Reason, result.ToolCalls, steps, result.Detail)
	}
}
