package cli

import (
	"errors"
	"fmt"
	"strings"
)

// The exit codes; scripts depend on them.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitNoAnswer    = 3
	exitLimit       = 4
	exitWaiting     = 5
	exitRefused     = 6
	exitInterrupted = 130
)

// errInterrupted is the cause of a context that a signal ended.
var errInterrupted = errors.New("interrupted")

// usageError is a wrong command line or bad input: one line that says what is
// wrong, where, and how to mend it.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

// oneLine folds line ends, since an error is one line.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
}
