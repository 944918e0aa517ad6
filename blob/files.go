package blob

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
)

// Files keeps blobs in a folder, one file each, named by SHA-256. Use Open to
// get one. It may be used by many goroutines at once, and holds nothing open.
type Files struct {
	dir string
	// fans are the folders, by the first two digits of what is in them, that are
	// known to be on the disk.
	fans [256]atomic.Bool
	// swept is when leftovers were last looked for, in Unix nanoseconds.
	swept atomic.Int64

	// Tests replace these.
	now    func() time.Time
	rename func(from, to string) error
	sync   func(*os.File) error
}

// Open returns the blobs below a folder. The folder need not exist: the first
// Put creates it, for this user alone.
func Open(dir string) (*Files, error) {
	return open(dir, time.Now, (*os.File).Sync)
}

func open(dir string, now func() time.Time, sync func(*os.File) error) (*Files, error) {
	if dir == "" {
		return nil, errors.New("open blobs: no folder is given; give the path of one, which need not exist")
	}
	path, err := filepath.Abs(dir)
	if err != nil {
		return nil, failure("open blobs in", dir, err)
	}
	f := &Files{dir: path, now: now, rename: os.Rename, sync: sync}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, failure("open blobs in", dir, err)
	case !info.IsDir():
		return nil, fmt.Errorf("open blobs in %s: it is not a folder (move the file away, or give the path of another folder)", dir)
	}
	f.sweep()
	return f, nil
}

// Put keeps data, which is on the disk when Put returns, and returns its
// reference. Data that is there already is not written again.
func (f *Files) Put(ctx context.Context, data []byte) (ref string, err error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	f.sweep()
	ref = Ref(data)
	path := f.path(ref)
	err = f.put(path, data)
	if errors.Is(err, fs.ErrNotExist) { // somebody has removed the folder, or this process slept while its temporary file grew old
		f.fan(path).Store(false)
		err = f.put(path, data)
	}
	if err != nil {
		return "", failure("put blob in", f.dir, err)
	}
	return ref, nil
}

// Get returns a blob. It checks all its bytes: they are the very ones that were
// put, or the error is a *[DamagedError]. The error for a blob that is not there
// wraps [ErrNotFound].
func (f *Files) Get(ctx context.Context, ref string) ([]byte, error) {
	if err := check(ctx, ref); err != nil {
		return nil, err
	}
	path := f.path(ref)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, f.missing("get", ref, err)
	}
	if found := Ref(data); found != ref {
		return nil, &DamagedError{Path: path, Ref: ref, Found: found}
	}
	return data, nil
}

// ReadAt returns up to n bytes of a blob from offset off on, and the size of the
// whole: fewer bytes than n where the blob ends, none where off is behind its
// end. It reads no more than it returns and so cannot check the bytes; Get does.
// The error for a blob that is not there wraps [ErrNotFound].
func (f *Files) ReadAt(ctx context.Context, ref string, off int64, n int) (data []byte, size int64, err error) {
	if err := check(ctx, ref); err != nil {
		return nil, 0, err
	}
	if off < 0 || n < 0 {
		return nil, 0, fmt.Errorf("read blob %s: %d bytes from offset %d on are asked for; neither can be negative", ref, n, off)
	}
	file, err := os.Open(f.path(ref))
	if err != nil {
		return nil, 0, f.missing("read", ref, err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, 0, failure("read blob", ref, err)
	}
	size = info.Size()
	data = make([]byte, min(int64(n), max(0, size-off)))
	if _, err := file.ReadAt(data, off); err != nil {
		return nil, 0, failure("read blob", ref, err)
	}
	return data, size, nil
}

// Delete removes a blob for good. The error for a blob that is not there wraps
// [ErrNotFound].
func (f *Files) Delete(ctx context.Context, ref string) error {
	if err := check(ctx, ref); err != nil {
		return err
	}
	path := f.path(ref)
	if err := os.Remove(path); err != nil {
		return f.missing("delete", ref, err)
	}
	if err := f.syncDir(filepath.Dir(path)); err != nil {
		return failure("delete blob", ref, err)
	}
	return nil
}

// check is the beginning of each call that is given a reference.
func check(ctx context.Context, ref string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return CheckRef(ref)
}

// missing tells a blob that is not there from one that cannot be reached.
func (f *Files) missing(op, ref string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w in %s", ErrNotFound, f.dir)
	}
	return failure(op+" blob", ref, err)
}

// path is the file of a blob; its reference is valid.
func (f *Files) path(ref string) string {
	digits := strings.TrimPrefix(ref, scheme)
	return filepath.Join(f.dir, digits[:2], digits)
}
