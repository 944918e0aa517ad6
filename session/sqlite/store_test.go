package sqlite_test

import (
	"path/filepath"
	"sync"
	"testing"

	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/session/sessiontest"
	"github.com/quarry-sdk/quarry/session/sqlite"
)

func TestStore(t *testing.T) {
	t.Parallel()
	var paths sync.Map
	sessiontest.Run(t,
		func(t *testing.T) session.Store {
			path := filepath.Join(t.TempDir(), "quarry.db")
			s := open(t, path)
			paths.Store(session.Store(s), path)
			return s
		},
		func(t *testing.T, closed session.Store) session.Store {
			path, _ := paths.Load(closed)
			s := open(t, path.(string))
			paths.Store(session.Store(s), path)
			return s
		})
}

func open(t testing.TB, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), sqlite.Config{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
