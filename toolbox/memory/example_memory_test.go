package memory_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/toolbox/memory"
)

// One session remembers, and the next is told.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	store, err := memory.Open(memory.Config{Path: filepath.Join(dir, ".quarry", "memory.json")})
	if err != nil {
		log.Fatal(err)
	}
	ask := func(prompt string, m *modeltest.Scripted) string {
		known, err := store.Prompt(ctx)
		if err != nil {
			log.Fatal(err)
		}
		agent, err := quarry.New(quarry.Config{Instructions: "You help.\n\n" + known, Model: m, Tools: store.Tools()})
		if err != nil {
			log.Fatal(err)
		}
		result, err := agent.Run(ctx, quarry.Input{Prompt: prompt})
		if err != nil {
			log.Fatal(err)
		}
		return result.Text
	}
	fmt.Println(ask("Write to me in German.", modeltest.NewScripted(
		modeltest.Call("remember", map[string]any{"key": "language", "value": "The person wants German."}),
		modeltest.Say("Gern."),
	)))
	fmt.Println(ask("Good morning!", modeltest.NewScripted(modeltest.Say("Guten Morgen!"))))
	entries, err := store.Entries(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range entries {
		fmt.Printf("%s: %s\n", e.Key, e.Value)
	}
	// Output:
	// Gern.
	// Guten Morgen!
	// language: The person wants German.
}
