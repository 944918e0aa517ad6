package corpus_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/quarry-sdk/quarry/corpus"
)

// folder writes a small corpus.
func folder() string {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	for name, text := range map[string]string{
		"ports.md":   "# Ports\n\nThe server listens on port 5432.\n\n## Changing it\n\nSet `port` in the configuration file.",
		"backup.txt": "Backups\n\nBackups run every night at two.",
		"logo.png":   "not text",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			log.Fatal(err)
		}
	}
	return dir
}

func ExampleIndex_Search() {
	ctx := context.Background()
	docs := folder()
	defer os.RemoveAll(docs)
	index, err := corpus.Open(ctx, filepath.Join(docs, ".index"), corpus.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer index.Close()
	report, err := index.Update(ctx, docs)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Indexed, "indexed, skipped:", report.Skipped)
	hits, err := index.Search(ctx, "Which port does it listen on?", 3)
	if err != nil {
		log.Fatal(err)
	}
	doc, err := index.Document(ctx, hits[0].DocID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(doc.ID, doc.Title, doc.Text[hits[0].Start:hits[0].End] == hits[0].Snippet)
	// Output:
	// 2 indexed, skipped: [{logo.png unsupported type .png}]
	// ports Ports true
}

func ExampleIndex_Document() {
	ctx := context.Background()
	docs := folder()
	defer os.RemoveAll(docs)
	index, err := corpus.Open(ctx, filepath.Join(docs, ".index"), corpus.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer index.Close()
	if _, err := index.Update(ctx, docs); err != nil {
		log.Fatal(err)
	}
	doc, err := index.Document(ctx, "ports")
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range doc.Sections {
		fmt.Println(s.Level, s.Path, s.Start, s.End)
	}
	_, err = index.Document(ctx, "backups")
	var missing *corpus.NoDocumentError
	if errors.As(err, &missing) {
		fmt.Println(missing)
	}
	// Output:
	// 0 [Ports] 0 89
	// 2 [Ports Changing it] 41 89
	// document "backups": no such document; near ones: backup
}

func ExampleIndex_Terms() {
	ctx := context.Background()
	docs := folder()
	defer os.RemoveAll(docs)
	index, err := corpus.Open(ctx, filepath.Join(docs, ".index"), corpus.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer index.Close()
	if _, err := index.Update(ctx, docs); err != nil {
		log.Fatal(err)
	}
	terms, err := index.Terms(ctx, "Does the server run nightly backups on Kubernetes?")
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range terms {
		fmt.Println(t.Surface, t.Docs, "of", index.Count())
	}
	// Output:
	// server 1 of 2
	// run 1 of 2
	// nightly 1 of 2
	// backups 1 of 2
	// Kubernetes 0 of 2
}
