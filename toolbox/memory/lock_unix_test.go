//go:build unix

package memory_test

import (
	"os"
	"syscall"
	"testing"
)

// holdLock takes the lock as another process would.
func holdLock(t *testing.T, name string) (release func()) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	return func() { _ = f.Close() }
}
