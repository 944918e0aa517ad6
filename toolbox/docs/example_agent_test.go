package docs_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/corpus"
	"github.com/quarry-sdk/quarry/model/extractive"
	"github.com/quarry-sdk/quarry/toolbox/docs"
)

// An agent answers from a folder. The built-in model quotes; with a language
// model in its place the rest stays the same.
func ExampleNewAgent() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	page := "# Ports\n\nThe gateway listens on port 7070 by default. The port can be changed in gateway.conf.\n"
	if err := os.WriteFile(filepath.Join(folder, "ports.md"), []byte(page), 0o600); err != nil {
		log.Fatal(err)
	}
	ix, err := corpus.Open(ctx, filepath.Join(folder, ".index"), corpus.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer ix.Close()
	if _, err := ix.Update(ctx, folder); err != nil {
		log.Fatal(err)
	}

	agent, err := docs.NewAgent(docs.Config{Index: ix, Model: extractive.New()})
	if err != nil {
		log.Fatal(err)
	}
	result, err := agent.Run(ctx, quarry.Input{Prompt: "On which port does the gateway listen?"})
	if err != nil {
		log.Fatal(err)
	}
	answer, status := docs.Parse(result)
	fmt.Println(status)
	c := answer.Citations[0]
	fmt.Printf("%s [%s, bytes %d to %d]\n", c.Quote, c.DocID, c.Start, c.End)
	// Output:
	// answered
	// The gateway listens on port 7070 by default. The port can be changed in gateway.conf. [ports, bytes 7 to 92]
}
