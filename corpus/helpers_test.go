package corpus

import (
	"os"
	"path/filepath"
	"testing"
)

// lay writes files below a new folder and returns it.
func lay(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		put(t, dir, name, text)
	}
	return dir
}

func put(t testing.TB, dir, name, text string) {
	t.Helper()
	name = filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// open opens an index that the test closes.
func open(t testing.TB, dir string, opts Options) *Index {
	t.Helper()
	x, err := Open(t.Context(), dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

// update updates an index and checks what it did: indexed, unchanged, removed, documents.
func update(t testing.TB, x *Index, folder string, want [4]int) *Report {
	t.Helper()
	r, err := x.Update(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	if got := [4]int{r.Indexed, r.Unchanged, r.Removed, r.Documents}; got != want {
		t.Errorf("indexed, unchanged, removed, documents: %v, want %v", got, want)
	}
	if r.Documents != x.Count() {
		t.Errorf("the report says %d documents, the index %d", r.Documents, x.Count())
	}
	return r
}

// found returns the ids of the first hits, and checks what every hit promises.
func found(t testing.TB, x *Index, query string) []string {
	t.Helper()
	hits, err := x.Search(t.Context(), query, 10)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for i, h := range hits {
		checkHit(t, x, h, i+1)
		ids = append(ids, h.DocID)
	}
	return ids
}

func checkHit(t testing.TB, x *Index, h Hit, rank int) {
	t.Helper()
	doc, err := x.Document(t.Context(), h.DocID)
	if err != nil {
		t.Fatal(err)
	}
	if h.Start < 0 || h.End > len(doc.Text) || h.Start >= h.End || doc.Text[h.Start:h.End] != h.Snippet {
		t.Errorf("%s: the snippet %q is not at %d..%d", h.DocID, h.Snippet, h.Start, h.End)
	}
	if n := len([]rune(h.Snippet)); n > snippetSize {
		t.Errorf("%s: the snippet has %d characters", h.DocID, n)
	}
	if h.Rank != rank || h.Score <= 0 || h.Title != doc.Title || h.Path != doc.Path || len(h.Heading) == 0 || h.Heading[0] != doc.Title {
		t.Errorf("%s: hit %+v does not fit its document or place %d", h.DocID, h, rank)
	}
}
