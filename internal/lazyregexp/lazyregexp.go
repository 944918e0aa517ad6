// Package lazyregexp compiles regular expressions when they are first used, so
// that commands that do not need them start without paying for them.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that returns the expression, compiled once. A pattern
// that does not compile panics at the first use, so each needs a test that uses
// it.
func New(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
