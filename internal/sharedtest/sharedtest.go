// Package sharedtest finds the data that tests read but the project does not
// hold: recorded traffic, question sets and pages in a folder named shared beside
// the checkout, and the PostgreSQL manual of a Debian package. Where they are
// absent, tests skip and say why; with QUARRY_REQUIRE_DATA set, as .ci/run sets
// it where the data is there, they fail instead.
package sharedtest

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// PostgresDocs is where Debian's package postgresql-doc-15 puts the manual.
const PostgresDocs = "/usr/share/doc/postgresql-doc-15/html"

// Path returns the path of something in the shared folder: $QUARRY_SHARED, or
// ../shared seen from the project's root.
func Path(t testing.TB, elem ...string) string {
	t.Helper()
	root := os.Getenv("QUARRY_SHARED")
	if root == "" {
		_, file, _, _ := runtime.Caller(0)
		root = filepath.Join(filepath.Dir(file), "..", "..", "..", "shared")
	}
	return require(t, filepath.Join(append([]string{root}, elem...)...), "the shared data is absent; put it beside the checkout or name it in QUARRY_SHARED")
}

// PostgresManual returns the folder of the PostgreSQL 15 manual's HTML pages:
// $QUARRY_PGDOC, or where Debian's package puts them.
func PostgresManual(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("QUARRY_PGDOC")
	if dir == "" {
		dir = PostgresDocs
	}
	return require(t, dir, "the PostgreSQL manual is absent; install Debian's postgresql-doc-15 or name its html folder in QUARRY_PGDOC")
}

func require(t testing.TB, path, reason string) string {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		if os.Getenv("QUARRY_REQUIRE_DATA") != "" {
			t.Fatalf("%s (%v), and QUARRY_REQUIRE_DATA is set", reason, err)
		}
		t.Skipf("%s (%v)", reason, err)
	}
	return path
}
