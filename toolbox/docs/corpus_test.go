package docs_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/quarry-sdk/quarry/corpus"
)

// index builds a corpus of the given files, by their paths.
func index(t testing.TB, files map[string]string) *corpus.Index {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		name = filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ix, err := corpus.Open(t.Context(), t.TempDir(), corpus.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ix.Close() })
	if _, err := ix.Update(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	return ix
}
