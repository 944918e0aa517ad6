package sqlite_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/session/sqlite"
)

// oldDatabase unpacks a database file that an earlier version has written, as it
// was. These files are never written again.
func oldDatabase(t *testing.T, schema int) (path string) {
	t.Helper()
	packed, err := os.Open(filepath.Join("testdata", fmt.Sprintf("schema-v%d.db.gz", schema)))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "quarry.db")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestMigrateSchema1(t *testing.T) {
	t.Parallel()
	path := oldDatabase(t, 1)
	for range 2 { // it is migrated once
		s := open(t, path)
		wantFolds(t, s, map[string]int{"every-kind": 11, "labelled": 2, "plain": 2, "no-start": 1})
		s.Close()
	}
	s := open(t, path)
	defer s.Close()
	for label, want := range map[string][]string{"command=ask": {"labelled"}, "corpus=manual": {"labelled"}, "a=1": {"every-kind"}, "b=1": nil} {
		var got []string
		for info, err := range s.List(t.Context(), session.Filter{Label: label}) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, info.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("with the label %s (-want +got):\n%s", label, diff)
		}
	}
	// What was there is forked, goes on and goes.
	if err := s.Fork(t.Context(), "fork", "labelled", 1); err != nil {
		t.Fatal(err)
	}
	appendTo(t, s, "fork", 1)
	appendTo(t, s, "labelled", 2)
	if err := s.Delete(t.Context(), "labelled"); err != nil {
		t.Fatal(err)
	}
	wantFolds(t, s, map[string]int{"every-kind": 11, "fork": 2, "plain": 2, "no-start": 1})
}

// wantFolds checks that the store has these sessions, with so many records each,
// and that every summary is the fold of its journal.
func wantFolds(t *testing.T, s *sqlite.Store, want map[string]int) {
	t.Helper()
	got := make(map[string]int)
	for info, err := range s.List(t.Context(), session.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		fold := session.Info{ID: info.ID, Forked: info.Forked}
		for rec, err := range s.Load(t.Context(), info.ID, 0) {
			if err != nil {
				t.Fatal(err)
			}
			fold.Apply(rec)
			got[info.ID]++
		}
		if diff := cmp.Diff(fold, info, cmpopts.IgnoreUnexported(model.Message{})); diff != "" {
			t.Errorf("the summary of %s is not the fold of its journal (-fold +stored):\n%s", info.ID, diff)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the sessions and their records differ (-want +got):\n%s", diff)
	}
}

// TestMigrateDamaged migrates a file with damaged records: it must open, and the
// damage stays where it is.
func TestMigrateDamaged(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{
		"not JSON": "{", "no object": "[]", "labels are a list": `{"labels":["a"]}`,
		"labels are text": `{"labels":"a"}`, "a label is a number": `{"labels":{"a":1,"b":"2"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := oldDatabase(t, 1)
			execute(t, path, "UPDATE records SET data = '"+data+"' WHERE seq = 1 AND session = (SELECT number FROM sessions WHERE id = 'labelled')")
			s := open(t, path)
			defer s.Close()
			n := 0
			for _, err := range s.List(t.Context(), session.Filter{}) {
				if err != nil {
					t.Fatal(err)
				}
				n++
			}
			if n != 4 {
				t.Errorf("List gives %d sessions, want 4", n)
			}
		})
	}
}

// TestNothingIsStoredTwice looks at the rows: a fork has only its own, and what
// no session has any more goes.
func TestNothingIsStoredTwice(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "quarry.db")
	s := open(t, path)
	defer s.Close()
	rows := func(step string, want int) {
		t.Helper()
		if got := countRows(t, path, "records"); got != want {
			t.Errorf("%s: there are %d records, want %d", step, got, want)
		}
	}
	fork := func(id, from string, at int64) {
		t.Helper()
		if err := s.Fork(t.Context(), id, from, at); err != nil {
			t.Fatal(err)
		}
	}
	remove := func(id string) {
		t.Helper()
		if err := s.Delete(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	for after := range int64(10) {
		appendTo(t, s, "a", after)
	}
	fork("b", "a", 7)
	fork("c", "a", 4)
	rows("two forks of ten records", 10)
	appendTo(t, s, "b", 7)
	appendTo(t, s, "b", 8)
	fork("d", "b", 8) // 7 of a, 1 of b
	fork("e", "b", 2) // 2 of a
	rows("a fork with two of its own", 12)
	remove("a")
	rows("the source goes, 7 are needed", 9)
	remove("b")
	rows("the first fork goes, 7 and 1 are needed", 8)
	remove("d")
	rows("4 are needed", 4)
	remove("c")
	rows("2 are needed", 2)
	appendTo(t, s, "e", 2)
	remove("e")
	rows("nothing is needed", 0)
	for _, table := range []string{"sessions", "prefixes", "labels"} {
		if n := countRows(t, path, table); n != 0 {
			t.Errorf("there are %d rows left in %s", n, table)
		}
	}
}

func countRows(t *testing.T, path, table string) (n int) {
	t.Helper()
	db := openSQL(t, path)
	defer db.Close()
	if err := db.QueryRow("SELECT count(*) FROM " + table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestListIsQuick lists 10,000 sessions by a label that every tenth has.
func TestListIsQuick(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "quarry.db")
	s := open(t, path)
	defer s.Close()
	fillSessions(t, path)
	for name, tc := range map[string]struct {
		filter session.Filter
		want   int
	}{
		"all": {session.Filter{}, 10_000}, "label": {session.Filter{Label: "corpus=c3"}, 1000},
		"label and status": {session.Filter{Label: "corpus=c3", Status: session.StatusDone, Limit: 20}, 20},
		"no such label":    {session.Filter{Label: "corpus=c"}, 0}, "prefix": {session.Filter{IDPrefix: "s99"}, 111},
	} {
		begun := time.Now()
		n := 0
		for _, err := range s.List(t.Context(), tc.filter) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		if n != tc.want {
			t.Errorf("%s: %d sessions, want %d", name, n, tc.want)
		}
		// It takes some 60 ms; this is about a scan that would be quadratic.
		if took := time.Since(begun); took > 20*time.Second {
			t.Errorf("%s: it took %v", name, took)
		}
	}
}
