package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/session/sqlite"
)

// execute runs SQL on a file behind the store's back.
func execute(t testing.TB, path, script string) {
	t.Helper()
	db := openSQL(t, path)
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), script); err != nil {
		t.Fatal(err)
	}
}

func openSQL(t testing.TB, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func TestOpenErrors(t *testing.T) {
	t.Parallel()
	write := func(content string) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, tc := range []struct {
		name    string
		prepare func(t *testing.T, path string)
		want    string
	}{
		{"text", write(strings.Repeat("not a database\n", 500)), "it is not an SQLite database"},
		{"short text", write("hello"), "it is not an SQLite database"},
		{"another program's", func(t *testing.T, path string) { execute(t, path, "CREATE TABLE cookies (x)") }, "it is the database of another program"},
		{"another program's, numbered", func(t *testing.T, path string) { execute(t, path, "PRAGMA user_version = 1") }, "it is the database of another program"},
		{"another program's, marked", func(t *testing.T, path string) { execute(t, path, "PRAGMA application_id = 7") }, "it is the database of another program"},
		{"newer", func(t *testing.T, path string) {
			open(t, path).Close()
			execute(t, path, "PRAGMA user_version = 99")
		}, "its schema has version 99 and this quarry knows up to 3"},
		{"tables gone", func(t *testing.T, path string) {
			open(t, path).Close()
			execute(t, path, "DROP TABLE records")
		}, "no such table: records"},
		{"damaged schema", func(t *testing.T, path string) {
			open(t, path).Close()
			overwrite(t, path, 100, 2000)
		}, "the file is damaged"},
		{"a directory", func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}, "the file cannot be opened"},
		{"below a file", func(t *testing.T, path string) {
			if err := os.RemoveAll(filepath.Dir(path)); err != nil {
				t.Fatal(err)
			}
			write("")(t, filepath.Dir(path))
		}, "its directory cannot be created"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "sub", "quarry.db")
			if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			tc.prepare(t, path)
			before, _ := os.ReadFile(path)
			s, err := sqlite.Open(t.Context(), sqlite.Config{Path: path})
			var e *sqlite.Error
			if !errors.As(err, &e) {
				if err == nil {
					s.Close()
				}
				t.Fatalf("Open: %v, want a *sqlite.Error", err)
			}
			if !strings.Contains(err.Error(), tc.want) || e.Path != path || e.Op != "open" || (e.Hint == "" && tc.name != "tables gone") {
				t.Errorf("Open: %v\nwant %q, the path and a hint", err, tc.want)
			}
			if after, _ := os.ReadFile(path); string(after) != string(before) {
				t.Error("Open changed a file that it cannot use")
			}
		})
	}
	if _, err := sqlite.Open(t.Context(), sqlite.Config{}); err == nil {
		t.Error("Open took no path")
	}
}

// overwrite spoils a part of a file.
func overwrite(t *testing.T, path string, offset int64, size int) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte(strings.Repeat("\xa5", size)), offset); err != nil {
		t.Fatal(err)
	}
}

func TestOpenMakesPrivateFiles(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "a b?c#d%41&é")
	path := filepath.Join(dir, "quarry ?mode=memory.db")
	s := open(t, path)
	defer s.Close()
	appendTo(t, s, "a", 0)
	for name, want := range map[string]os.FileMode{
		filepath.Dir(dir): os.ModeDir | 0o700, dir: os.ModeDir | 0o700, path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600,
	} {
		info, err := os.Stat(name)
		if err != nil {
			t.Error(err)
		} else if info.Mode() != want {
			t.Errorf("%s has mode %v, want %v", name, info.Mode(), want)
		}
	}
}

func TestOpenReadOnlyFile(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 {
		t.Skip("root may write every file")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "quarry.db")
	open(t, path).Close()
	if err := errors.Join(os.Chmod(path, 0o400), os.Chmod(dir, 0o500)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(dir, 0o700) })
	var e *sqlite.Error
	if _, err := sqlite.Open(t.Context(), sqlite.Config{Path: path}); !errors.As(err, &e) || e.Hint == "" {
		t.Errorf("Open: %v, want a *sqlite.Error with a hint", err)
	}
}

// TestOpenAtOnce opens a file that is not there many times at once, as the
// processes of a fresh project do.
func TestOpenAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "quarry.db")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			s, err := sqlite.Open(t.Context(), sqlite.Config{Path: path})
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			if err := s.Append(t.Context(), session.NewID(), 0, record(0)); err != nil {
				t.Errorf("store %d: %v", i, err)
			}
		})
	}
	wg.Wait()
}

func record(after int64) []session.Record {
	return []session.Record{{Seq: after + 1, Time: time.Now(), Event: &session.Interrupted{Reason: "test"}}}
}

func appendTo(t testing.TB, s *sqlite.Store, id string, after int64) {
	t.Helper()
	if err := s.Append(t.Context(), id, after, record(after)); err != nil {
		t.Fatal(err)
	}
}

// lock takes the file's write lock until the returned function is called.
func lock(t *testing.T, path string) (unlock func()) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	return sync.OnceFunc(func() {
		if _, err := db.Exec("ROLLBACK"); err != nil {
			t.Error(err)
		}
		db.Close()
	})
}

func TestLockedByAnotherProcess(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "quarry.db")
	s, err := sqlite.Open(t.Context(), sqlite.Config{Path: path, BusyTimeout: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	appendTo(t, s, "a", 0)
	unlock := lock(t, path)
	defer unlock()
	var e *sqlite.Error
	if err := s.Append(t.Context(), "a", 1, record(1)); !errors.As(err, &e) || e.Problem != "another process holds the file's lock" {
		t.Errorf("Append: %v", err)
	}
	// Readers do not wait for writers.
	for _, err := range s.Load(t.Context(), "a", 0) {
		if err != nil {
			t.Error(err)
		}
	}
	unlock()
	appendTo(t, s, "a", 1)
}

func TestContextEndsTheWaitForTheLock(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "quarry.db")
	s, err := sqlite.Open(t.Context(), sqlite.Config{Path: path, BusyTimeout: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	unlock := lock(t, path)
	defer unlock()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if err := s.Append(ctx, "a", 0, record(0)); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Append: %v, want the end of its context", err)
			}
		})
	}
	wg.Wait()
	unlock()
	// None of them has come through afterwards.
	appendTo(t, s, "a", 0)
}
