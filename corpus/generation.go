package corpus

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// The directory of an index holds
//
//	CURRENT             which generation is valid, written last and atomically
//	gen-000001/         one generation: manifest.json, links.json and the bleve store; never changed once CURRENT names it
//	writer.lock         held while an Update runs
//
// An Update links the files of the valid generation into a new one, changes that, and moves CURRENT. So a search never
// waits for a writer, and a crash or a cancelled Update leaves the generation before it.
const (
	currentName  = "CURRENT"
	manifestName = "manifest.json"
	linksName    = "links.json"
	storeName    = "store"
	lockName     = "writer.lock"
	genPrefix    = "gen-"
)

// readHead returns the valid generation, nil when nothing was indexed yet.
func readHead(dir string) (*head, error) {
	var h head
	err := readJSON(filepath.Join(dir, currentName), &h)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, foreign(dir)
	case err != nil:
		return nil, err
	case h.Format != formatVersion:
		return nil, fmt.Errorf("%w: it has %d, this program reads %d", ErrVersion, h.Format, formatVersion)
	case !strings.HasPrefix(h.Generation, genPrefix) || !filepath.IsLocal(h.Generation) || strings.ContainsAny(h.Generation, `/\`):
		return nil, fmt.Errorf("%w: %s names %q", ErrDamaged, currentName, h.Generation)
	}
	return &h, nil
}

// foreign refuses a directory without CURRENT that holds something else than the remains of a first Update.
func foreign(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		if name != lockName && name != currentName+".new" && !strings.HasPrefix(name, genPrefix) {
			return fmt.Errorf("%w: %s is missing and there is a foreign file %q", ErrDamaged, currentName, name)
		}
	}
	return nil
}

// lock takes the writer's lock without waiting. The lock goes with the process, whatever happens to it.
func lock(dir string) (release func(), err error) {
	db, err := bolt.Open(filepath.Join(dir, lockName), 0o600, &bolt.Options{Timeout: 10 * time.Millisecond, InitialMmapSize: 1})
	if err != nil {
		if errors.Is(err, bolterrors.ErrTimeout) {
			return nil, ErrLocked
		}
		return nil, fmt.Errorf("lock the index: %s: %w", lockName, err)
	}
	return func() { _ = db.Close() }, nil
}

// next returns the name of the generation after h.
func next(h *head) string {
	n := 0
	if h != nil {
		_, _ = fmt.Sscanf(h.Generation, genPrefix+"%d", &n)
	}
	return fmt.Sprintf("%s%06d", genPrefix, n+1)
}

// clone gives the new generation the store's files of the old one: segments, which are never changed, as hard links
// where the file system has them, the rest as copies.
func clone(from, to string) error {
	root := filepath.Join(from, storeName)
	return filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, p)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if d.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		if filepath.Ext(p) == ".zap" && os.Link(p, target) == nil {
			return nil
		}
		return copyFile(p, target)
	})
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if cerr := out.Close(); err == nil {
		err = cerr
	}
	return err
}

// sweep deletes every generation but the named one. Those who still read an old one keep its open files.
func sweep(dir, keep string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), genPrefix) && e.Name() != keep {
			_ = os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
}
