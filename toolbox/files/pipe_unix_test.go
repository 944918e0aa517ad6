//go:build unix

package files_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/quarry-sdk/quarry/model/modeltest"
)

// TestPipe: what is neither a file nor a folder is shown, and never opened.
func TestPipe(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	if err := syscall.Mkfifo(filepath.Join(b.dir, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	a := b.run(modeltest.Call("list_files", args{}), read("pipe"), write("pipe", "x"), modeltest.Call("grep", args{"pattern": "x"}))
	check(t, a[0], false, "pipe\t(pipe)")
	check(t, a[1], true, `"pipe" is neither a file nor a folder but a pipe`)
	check(t, a[2], true, "a pipe")
	check(t, a[3], false, "No line fits")
}
