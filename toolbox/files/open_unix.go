//go:build unix

package files

import "syscall"

// dontWait keeps the opening of a pipe, put where a file was, from waiting for
// its other end.
const dontWait = syscall.O_NONBLOCK
