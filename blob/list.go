package blob

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Info is what List tells of a blob.
type Info struct {
	Ref string
	// Size is the length in bytes.
	Size int64
	// ModTime is when the blob was first put.
	ModTime time.Time
}

// List yields all blobs, sorted by their references. Files that are no blobs are
// left out; blobs that are put or deleted meanwhile may be. It ends with the
// first error.
func (f *Files) List(ctx context.Context) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		fail := func(err error) { yield(Info{}, failure("list blobs in", f.dir, err)) }
		fans, err := readDir(ctx, f.dir)
		if err != nil {
			fail(err)
			return
		}
		for _, fan := range fans {
			if !fan.IsDir() || len(fan.Name()) != 2 {
				continue
			}
			entries, err := readDir(ctx, filepath.Join(f.dir, fan.Name()))
			if err != nil {
				fail(err)
				return
			}
			for _, entry := range entries {
				if !isBlob(fan.Name(), entry) {
					continue
				}
				info, err := entry.Info()
				if errors.Is(err, fs.ErrNotExist) { // deleted meanwhile
					continue
				}
				if err != nil {
					fail(err)
					return
				}
				if !yield(Info{Ref: scheme + entry.Name(), Size: info.Size(), ModTime: info.ModTime()}, nil) {
					return
				}
			}
		}
	}
}

// readDir returns the entries of a folder, none for one that does not exist.
func readDir(ctx context.Context, dir string) ([]os.DirEntry, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return entries, err
}

// isBlob tells that a file has the name of a blob and is in its place.
func isBlob(fan string, entry os.DirEntry) bool {
	name := entry.Name()
	return entry.Type().IsRegular() && len(name) == 2*sha256.Size && isHex(name) && strings.HasPrefix(name, fan)
}
