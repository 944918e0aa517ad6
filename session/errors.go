package session

import (
	"errors"
	"fmt"
)

// ErrConflict is returned by an append whose position is no longer the end of
// the journal: another process works on the session. Whoever gets it must stop
// without performing anything more.
var ErrConflict = errors.New("another process has written to the session; stop this one, or resume the session to go on from there")

// ErrNotFound is returned for a session that the store does not have.
var ErrNotFound = errors.New("no such session")

// ErrClosed is returned by a store after its Close.
var ErrClosed = errors.New("the session store is closed")

// FormatError tells that a stored record cannot be read.
type FormatError struct {
	// Session and Seq name the record; both are empty where the error comes from
	// decoding an event alone.
	Session string
	Seq     int64
	// Kind is the event's kind as stored; empty where the record is missing.
	Kind    string
	Problem string
	Hint    string
}

// Error names the record, the problem and the way out.
func (e *FormatError) Error() string {
	where := fmt.Sprintf("event %q", e.Kind)
	if e.Session != "" {
		where = fmt.Sprintf("session %s, record %d", e.Session, e.Seq)
		if e.Kind != "" {
			where += " (" + e.Kind + ")"
		}
	}
	return fmt.Sprintf("%s cannot be read: %s (%s)", where, e.Problem, e.Hint)
}

// At returns err with the place of the record, if it is a FormatError.
func At(err error, id string, seq int64) error {
	var fe *FormatError
	if !errors.As(err, &fe) {
		return err
	}
	placed := *fe
	placed.Session, placed.Seq = id, seq
	return &placed
}
