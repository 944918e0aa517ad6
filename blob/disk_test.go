package blob

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestOrderOfSyncs: the bytes are on the disk before the file has its name, and
// all names are when Put returns.
func TestOrderOfSyncs(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows syncs no folders")
	}
	base := t.TempDir()
	dir := filepath.Join(base, "home", "blobs")
	data := []byte("abc")
	digits := strings.TrimPrefix(Ref(data), scheme)
	path := filepath.Join(dir, digits[:2], digits)
	// child is the entry that the sync of a folder is for.
	child := map[string]string{base: filepath.Dir(dir), filepath.Dir(dir): dir, dir: filepath.Dir(path), filepath.Dir(path): path}
	var got []string
	sync := func(file *os.File) error {
		what := "entry of " + filepath.Base(child[file.Name()])
		if _, err := os.Stat(child[file.Name()]); child[file.Name()] != "" && err != nil {
			what += " too early"
		}
		if child[file.Name()] == "" {
			info, err := file.Stat()
			if err != nil {
				return err
			}
			what = fmt.Sprintf("%d bytes", info.Size())
			if _, err := os.Stat(path); err == nil {
				what += " too late"
			}
		}
		got = append(got, what)
		return file.Sync()
	}
	f, err := open(dir, time.Now, sync)
	if err != nil {
		t.Fatal(err)
	}
	later, err := open(dir, time.Now, sync)
	if err != nil {
		t.Fatal(err)
	}
	bytes, blob, fan := "3 bytes", "entry of "+digits, "entry of "+digits[:2]
	tests := []struct {
		name string
		do   func()
		want []string
	}{
		{"the first", func() { put(t, f, data) }, []string{"entry of home", "entry of blobs", fan, bytes, blob}},
		{"the same", func() { put(t, f, data) }, []string{blob}},
		// What another has made may not be on the disk yet.
		{"the same by another", func() { put(t, later, data) }, []string{"entry of blobs", fan, blob}},
		{"removed with its folder", func() {
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			put(t, f, data)
		}, []string{"entry of blobs", fan, bytes, blob}},
		{"deleted", func() {
			if err := f.Delete(t.Context(), Ref(data)); err != nil {
				t.Fatal(err)
			}
		}, []string{blob + " too early"}}, // which means that it is gone by then
	}
	for _, test := range tests {
		got = nil
		test.do()
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: the syncs are of\n%q, want\n%q", test.name, got, test.want)
		}
	}
}

func TestPutFails(t *testing.T) {
	t.Parallel()
	full := syscall.ENOSPC
	if runtime.GOOS == "windows" {
		full = 112 // ERROR_DISK_FULL
	}
	const file, folder = "file", "folder"
	tests := []struct {
		name string
		of   string
		err  error
		want string // "" for success
	}{
		{"disk full", file, full, "the disk is full: sync x: " + full.Error() + " (free some space"},
		{"disk broken", file, syscall.EIO, syscall.EIO.Error()},
		{"invalid", file, syscall.EINVAL, syscall.EINVAL.Error()},
		{"folder, disk full", folder, full, "the disk is full"},
		{"folder, disk broken", folder, syscall.EIO, syscall.EIO.Error()},
		{"folder, cannot be synced", folder, syscall.EINVAL, ""},
		{"folder, sync is not supported", folder, syscall.ENOTSUP, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS == "windows" && test.of == folder {
				t.Skip("Windows syncs no folders")
			}
			dir := filepath.Join(t.TempDir(), "blobs")
			fail := true
			f, err := open(dir, time.Now, func(f *os.File) error {
				info, err := f.Stat()
				if err != nil {
					return err
				}
				if fail && info.IsDir() == (test.of == folder) {
					return &os.PathError{Op: "sync", Path: "x", Err: test.err}
				}
				return f.Sync()
			})
			if err != nil {
				t.Fatal(err)
			}
			ref, err := f.Put(t.Context(), []byte("abc"))
			switch {
			case test.want == "" && err != nil:
				t.Errorf("Put returned %v", err)
			case test.want != "" && (err == nil || ref != "" || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "put blob in "+dir) || !errors.Is(err, test.err)):
				t.Errorf("Put returned %q and %v, want an error with %q", ref, err, test.want)
			}
			if left := leftovers(t, f); left != nil {
				t.Errorf("Put has left %v", left)
			}
			if got := refs(t, f); test.of == file && got != nil {
				t.Errorf("there is a blob whose bytes may not be on the disk: %v", got)
			}
			fail = false
			if _, err := f.Get(t.Context(), put(t, f, []byte("abc"))); err != nil {
				t.Error(err)
			}
			if fail = true; test.of == folder { // now all is there but the certainty
				if _, err := f.Put(t.Context(), []byte("abc")); (err == nil) != (test.want == "") {
					t.Errorf("the same Put returned %v, want %q", err, test.want)
				}
			}
		})
	}
}

// A leftover that another process removes while this one still writes it, having
// slept for an hour, is written again.
func TestPutWhoseTemporaryFileIsRemoved(t *testing.T) {
	t.Parallel()
	times := 0
	var f *Files
	f, err := open(t.TempDir(), time.Now, func(file *os.File) error {
		if info, err := file.Stat(); err == nil && !info.IsDir() && times == 0 {
			times++
			for _, name := range leftovers(t, f) {
				if err := os.Remove(filepath.Join(f.dir, name)); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "windows" {
		t.Skip("Windows removes no open files")
	}
	ref := put(t, f, []byte("abc"))
	if _, err := f.Get(t.Context(), ref); err != nil || times != 1 {
		t.Errorf("Get returned %v; %d files were removed", err, times)
	}
}

// On Windows no file can be replaced while somebody reads it. That another has
// put the same blob meanwhile is as good.
func TestPutThatAnotherHasDone(t *testing.T) {
	t.Parallel()
	f, other := openFiles(t), openFiles(t)
	other.dir = f.dir
	f.rename = func(from, to string) error {
		put(t, other, []byte("abc"))
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: os.ErrPermission}
	}
	ref := put(t, f, []byte("abc"))
	if _, err := f.Get(t.Context(), ref); err != nil {
		t.Error(err)
	}
	if left := leftovers(t, f); left != nil {
		t.Errorf("Put has left %v", left)
	}
}

// A folder may be in one that this user cannot read.
func TestPutBelowForbiddenFolder(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows syncs no folders")
	}
	for want, ok := range map[error]bool{os.ErrPermission: true, syscall.EIO: false} {
		dir := t.TempDir()
		f, err := open(dir, time.Now, func(file *os.File) error {
			if file.Name() == filepath.Dir(dir) {
				return want
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Put(t.Context(), []byte("abc")); (err == nil) != ok {
			t.Errorf("%v where the folder is in: Put returned %v", want, err)
		}
	}
}

func TestWrongFolders(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	file := filepath.Join(base, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{
		"":                        "no folder is given",
		file:                      file + ": it is not a folder (move the file away",
		filepath.Join(file, "in"): "a file is where a folder must be",
	} {
		if runtime.GOOS == "windows" && strings.HasSuffix(dir, "in") {
			continue // the system calls it missing
		}
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Open(%q) returned %v, want %q", dir, err, want)
		}
	}
	f := openFiles(t)
	path := f.path(Ref([]byte("abc")))
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Put(t.Context(), []byte("abc")); err == nil || leftovers(t, f) != nil {
		t.Errorf("Put onto a folder returned %v and left %v", err, leftovers(t, f))
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	same := make([]byte, info.Size()) // as long as the folder is large
	if err := os.MkdirAll(f.path(Ref(same)), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Put(t.Context(), same); err == nil {
		t.Error("Put takes a folder for the blob's file")
	}
	if _, err := f.Get(t.Context(), Ref([]byte("abc"))); err == nil || !strings.Contains(err.Error(), "a folder is where a file must be") {
		t.Errorf("Get of a folder returned %v", err)
	}
}
