package blob

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// temporary begins the names of files that are not blobs yet.
	temporary = "tmp-"
	// leftover is the age at which such a file is taken for one of a crash.
	leftover = time.Hour
)

// put makes the file of a blob, if it is not there, and all that is needed for
// it to be found after a crash.
func (f *Files) put(path string, data []byte) error {
	if err := f.makeFan(path); err != nil {
		return err
	}
	if !isStored(path, data) {
		if err := f.write(path, data); err != nil {
			return err
		}
	}
	// A file that was there may be another process's, which has not come so far.
	return f.syncDir(filepath.Dir(path))
}

// isStored tells that the blob's file is there.
func isStored(path string, data []byte) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() == int64(len(data))
}

// write gives the file its name once its bytes are on the disk.
func (f *Files) write(path string, data []byte) error {
	file, err := os.CreateTemp(f.dir, temporary+"*")
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil {
		err = f.sync(file)
	}
	if cerr := file.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = f.rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name())
		if isStored(path, data) { // Windows replaces no file that somebody reads
			return nil
		}
	}
	return err
}

// fan is whether the folder of a blob's file is known to be on the disk.
func (f *Files) fan(path string) *atomic.Bool {
	n, _ := strconv.ParseUint(filepath.Base(filepath.Dir(path)), 16, 8)
	return &f.fans[n]
}

// makeFan makes the folder of a blob's file.
func (f *Files) makeFan(path string) error {
	known := f.fan(path)
	if known.Load() {
		return nil
	}
	if err := f.makeDir(f.dir); err != nil {
		return err
	}
	if err := f.makeDir(filepath.Dir(path)); err != nil {
		return err
	}
	known.Store(true)
	return nil
}

// makeDir makes a folder and those above it. It syncs the entry of one that was
// there too: another process may have made it a moment ago.
func (f *Files) makeDir(dir string) error {
	parent := filepath.Dir(dir)
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrNotExist) && parent != dir {
		if err := f.makeDir(parent); err != nil {
			return err
		}
		err = os.Mkdir(dir, 0o700)
	}
	there := errors.Is(err, fs.ErrExist)
	if err != nil && !there {
		return err
	}
	err = f.syncDir(parent)
	if there && errors.Is(err, fs.ErrPermission) { // a folder in which this user can make none
		return nil
	}
	return err
}

// syncDir puts the entries of a folder on the disk.
func (f *Files) syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	file, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer file.Close()
	err = f.sync(file)
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) { // the file system syncs no folders
		return nil
	}
	return err
}

// sweep removes what crashed Puts have left, if that was not done for as long as
// a leftover must be old. Where it cannot, it leaves them for another time: they
// are in nobody's way.
func (f *Files) sweep() {
	now := f.now()
	last := f.swept.Load()
	if last != 0 && now.Sub(time.Unix(0, last)) < leftover || !f.swept.CompareAndSwap(last, now.UnixNano()) {
		return
	}
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if !entry.Type().IsRegular() || !strings.HasPrefix(entry.Name(), temporary) {
			continue
		}
		if info, err := entry.Info(); err == nil && now.Sub(info.ModTime()) > leftover {
			_ = os.Remove(filepath.Join(f.dir, entry.Name()))
		}
	}
}
