package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/quarry-sdk/quarry/session"
)

// Error is a failure of the database file, as against a verdict on a call such
// as session.ErrConflict.
type Error struct {
	// Op is what was being done: "open", "append to", "fork in", "load from",
	// "list" or "delete from".
	Op string
	// Path is the database file.
	Path    string
	Problem string
	// Hint says how to mend it.
	Hint string
	// Err is SQLite's or the system's own error; nil if there is none.
	Err error
}

// Error gives the operation, the file, the problem, its cause and the way out.
func (e *Error) Error() string {
	text := fmt.Sprintf("%s session store %s: %s", e.Op, e.Path, e.Problem)
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	if e.Hint != "" {
		text += " (" + e.Hint + ")"
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// failure turns what SQLite or the system reported into an *Error. The end of
// a context and of the store stay what they are.
func failure(op, path string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, session.ErrClosed) {
		return err
	}
	var known *Error
	if errors.As(err, &known) {
		placed := *known
		placed.Op, placed.Path = op, path
		return &placed
	}
	problem, hint := explain(err)
	return &Error{Op: op, Path: path, Problem: problem, Hint: hint, Err: err}
}

// explain says what an error means and how to mend it.
func explain(err error) (problem, hint string) {
	result := code(err) & 0xff
	if code(err) == sqlite3.SQLITE_IOERR_SHMSIZE {
		result = sqlite3.SQLITE_FULL // there is no space for the log's index
	}
	switch result {
	case sqlite3.SQLITE_NOTADB:
		return "it is not an SQLite database, or its beginning is damaged", "give the path of another file, or restore this one from a copy"
	case sqlite3.SQLITE_CORRUPT:
		return "the file is damaged", "restore it from a copy, or save what is left with: sqlite3 FILE .recover"
	case sqlite3.SQLITE_FULL:
		return "the disk is full", "free some space and try again; what was written before is safe"
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH:
		return "the file cannot be written", "give this user write permission for the file and its directory"
	case sqlite3.SQLITE_CANTOPEN:
		return "the file cannot be opened", "check that it is a file, and the permissions of it and its directory"
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return "another process holds the file's lock", "try again, or end the process that uses the file"
	case sqlite3.SQLITE_IOERR:
		return "the disk failed", "check the disk and its free space, then try again"
	case sqlite3.SQLITE_TOOBIG:
		return "a record is larger than SQLite allows", "keep large content in a blob store"
	}
	if errors.Is(err, driver.ErrBadConn) {
		return "the connection to the file broke", "try again"
	}
	return "the database reported an error", ""
}

// code returns SQLite's result code, 0 for an error that is not SQLite's.
func code(err error) int {
	var se *sqlite.Error
	if errors.As(err, &se) {
		return se.Code()
	}
	return 0
}

func isBusy(err error) bool { return code(err)&0xff == sqlite3.SQLITE_BUSY }
