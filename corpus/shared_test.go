package corpus

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/quarry-sdk/quarry/internal/sharedtest"
)

// question is a line of postgres-qa.
type question struct {
	ID       string   `json:"id"`
	Question string   `json:"question"`
	Kind     string   `json:"kind"`
	Gold     []string `json:"gold_docs"`
	AlsoOK   []string `json:"also_ok"`
	Quote    string   `json:"quote"`
	Quote2   string   `json:"quote2"`
}

// readLines decodes a file of JSON lines.
func readLines[T any](t testing.TB, name string) []T {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []T
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 16<<20)
	for sc.Scan() {
		var v T
		if err := json.Unmarshal(sc.Bytes(), &v); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		list = append(list, v)
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

var pgIndex struct {
	sync.Once
	dir   string
	index *Index
	err   error
}

// postgres returns the index of the PostgreSQL manual, built once per test process.
func postgres(t testing.TB) *Index {
	t.Helper()
	folder := sharedtest.PostgresManual(t)
	pgIndex.Do(func() {
		if raceEnabled {
			folder = someOf(t, folder)
		}
		if pgIndex.dir, pgIndex.err = os.MkdirTemp("", "quarry-corpus-"); pgIndex.err != nil {
			return
		}
		if pgIndex.index, pgIndex.err = Open(t.Context(), pgIndex.dir, Options{}); pgIndex.err == nil {
			_, pgIndex.err = pgIndex.index.Update(t.Context(), folder)
		}
	})
	if pgIndex.err != nil {
		t.Fatal(pgIndex.err)
	}
	return pgIndex.index
}

// someOf copies a share of the manual that the race detector gets through: what the questions are about, the pages that
// the tests name, and every twentieth other.
func someOf(t testing.TB, folder string) string {
	t.Helper()
	keep := map[string]bool{"sql-vacuum": true, "libpq-ssl": true, "app-pgrestore": true, "monitoring-stats": true}
	for _, q := range readLines[question](t, sharedtest.Path(t, "datasets", "postgres-qa", "dev.jsonl")) {
		for _, id := range q.Gold {
			keep[id] = true
		}
	}
	names, err := filepath.Glob(filepath.Join(folder, "*.html"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for i, name := range names {
		if base := filepath.Base(name); i%20 == 0 || keep[base[:len(base)-len(".html")]] {
			files[base] = slurp(t, name)
		}
	}
	t.Logf("under the race detector: %d of %d pages", len(files), len(names))
	return lay(t, files)
}

func TestMain(m *testing.M) {
	code := m.Run()
	if pgIndex.index != nil {
		_ = pgIndex.index.Close()
	}
	if pgIndex.dir != "" {
		_ = os.RemoveAll(pgIndex.dir)
	}
	os.Exit(code)
}
