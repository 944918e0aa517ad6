package sqlite_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/session/sqlite"
)

func TestDamagedRows(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, script, want string }{
		{"not JSON", "UPDATE records SET data = '{\"reason\":' WHERE seq = 3", "session a, record 3 (interrupted) cannot be read: it is damaged"},
		{"not an object", "UPDATE records SET data = 'null' WHERE seq = 3", "it is not a JSON object"},
		{"not text", "UPDATE records SET data = CAST(x'fffe00' AS TEXT) WHERE seq = 3", "it is not a JSON object"},
		{"unknown kind", "UPDATE records SET kind = 'dreamed' WHERE seq = 3", `session a, record 3 (dreamed) cannot be read: this version does not know the kind of event (use a newer quarry)`},
		{"missing", "DELETE FROM records WHERE seq = 3", "session a, record 3 cannot be read: it is missing"},
		{"all missing", "DELETE FROM records WHERE seq >= 3", "session a, record 3 cannot be read: it is missing"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "quarry.db")
			s := open(t, path)
			defer s.Close()
			for after := range int64(4) {
				appendTo(t, s, "a", after)
			}
			appendTo(t, s, "b", 0)
			execute(t, path, tc.script)
			n, err := loadAll(t, s, "a")
			var fe *session.FormatError
			if !errors.As(err, &fe) || fe.Session != "a" || fe.Seq != 3 || fe.Hint == "" || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("Load: %v, want %q", err, tc.want)
			}
			if n != 2 {
				t.Errorf("Load gave %d records before the damaged one, want 2", n)
			}
			if _, err := loadAll(t, s, "b"); err != nil {
				t.Errorf("Load of a session beside it: %v", err)
			}
		})
	}
}

func loadAll(t *testing.T, s *sqlite.Store, id string) (n int, err error) {
	for _, err := range s.Load(t.Context(), id, 0) {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

func TestDamagedSummary(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "quarry.db")
	s := open(t, path)
	defer s.Close()
	appendTo(t, s, "a", 0)
	execute(t, path, "UPDATE sessions SET usage = 'much'")
	want := `the summary of session "a" is damaged`
	for _, err := range s.List(t.Context(), session.Filter{}) {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("List: %v, want %q", err, want)
		}
	}
	if err := s.Append(t.Context(), "a", 1, record(1)); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Append: %v, want %q", err, want)
	}
	// The hint says that it can be deleted.
	if err := s.Delete(t.Context(), "a"); err != nil {
		t.Error(err)
	}
}

// TestDamagedFile spoils the pages of a file: what is read is an error, never
// wrong records.
func TestDamagedFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "quarry.db")
	s := open(t, path)
	for after := range int64(3) {
		err := s.Append(t.Context(), "a", after, []session.Record{{Seq: after + 1, Time: time.Now(), Event: &session.Interrupted{Reason: strings.Repeat("x", 20_000)}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	overwrite(t, path, 7*4096, 9*4096)
	s, err := sqlite.Open(t.Context(), sqlite.Config{Path: path})
	if err == nil {
		defer s.Close()
		_, err = loadAll(t, s, "a")
	}
	var damage *sqlite.Error
	var format *session.FormatError
	if !errors.As(err, &damage) && !errors.As(err, &format) {
		t.Errorf("Load of a damaged file: %v", err)
	}
}
