package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
)

// The limits of a walk.
const (
	maxVisited     = 100_000
	maxDirEntries  = 50_000
	leftOutOfWalks = ".git"
)

// entry is what a walk finds.
type entry struct {
	dir  *os.Root // the open folder that it is in
	path string   // from the workspace
	info fs.FileInfo
}

// walk is a way through the folders below a place.
type walk struct {
	w     *Workspace
	depth int // how many levels are entered
	// visit is called for each entry in the order of their paths; errStop ends the
	// walk.
	visit func(e entry) error

	visited int
	kept    []fs.FileInfo
	// partial says why the walk did not see all, "" where it did.
	partial string
	// git tells that a folder of this name was left out.
	git bool
}

// errStop ends a walk that has found enough.
var errStop = errors.New("enough")

// run walks. Links are shown and not followed, what cannot be opened is passed
// over and said.
func (k *walk) run(ctx context.Context, p *place) error {
	for i := range k.w.kept {
		if info, err := k.w.root.Stat(k.w.kept[i].path()); err == nil {
			k.kept = append(k.kept, info)
		}
	}
	err := k.folder(ctx, p.dir, p.path, 1)
	if errors.Is(err, errStop) {
		return nil
	}
	return err
}

func (k *walk) folder(ctx context.Context, dir *os.Root, name string, level int) error {
	entries, more, err := readDir(dir)
	if err != nil {
		if level == 1 {
			return plainly(name, err)
		}
		k.partial = fmt.Sprintf("%q and perhaps more cannot be read", name)
		return nil
	}
	if more {
		k.partial = fmt.Sprintf("%q has more than %d entries", name, maxDirEntries)
	}
	for _, d := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if k.visited++; k.visited > maxVisited {
			k.partial = fmt.Sprintf("only the first %d files and folders were looked at", maxVisited)
			return errStop
		}
		if err := k.entry(ctx, dir, path.Join(name, d.Name()), level); err != nil {
			return err
		}
	}
	return nil
}

func (k *walk) entry(ctx context.Context, dir *os.Root, name string, level int) error {
	base := path.Base(name)
	info, err := dir.Lstat(base)
	if err != nil || isTemp(base) || k.isKept(name, info) {
		return nil
	}
	if err := k.visit(entry{dir, name, info}); err != nil {
		return err
	}
	if !info.IsDir() || level >= k.depth {
		return nil
	}
	if base == leftOutOfWalks {
		k.git = true
		return nil
	}
	below, err := openDir(dir, base, info)
	if err != nil {
		k.partial = fmt.Sprintf("%q and perhaps more cannot be read", name)
		return nil
	}
	defer below.Close()
	return k.folder(ctx, below, name, level+1)
}

// isKept recognises what the tools cannot touch by what it is, and by its name
// where it is a link.
func (k *walk) isKept(name string, info fs.FileInfo) bool {
	for _, is := range k.kept {
		if os.SameFile(info, is) {
			return true
		}
	}
	for i := range k.w.kept {
		if sameName(name, k.w.kept[i].path()) {
			return true
		}
	}
	return false
}

// readDir reads the entries of a folder in the order of their names; more tells
// that it has too many.
func readDir(dir *os.Root) (entries []fs.DirEntry, more bool, err error) {
	f, err := dir.OpenFile(".", os.O_RDONLY|dontWait, 0)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	entries, err = f.ReadDir(maxDirEntries + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	if more = len(entries) > maxDirEntries; more {
		entries = entries[:maxDirEntries]
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return entries, more, nil
}

// folder resolves the path of a folder that must be there; "" is the workspace.
func (w *Workspace) folder(name string) (*place, error) {
	if name == "" {
		name = "."
	}
	p, err := w.resolve(name, false)
	if err != nil {
		return nil, err
	}
	switch {
	case p.info == nil:
		err = notFound(p.dir, p.path)
	case !p.isDir():
		err = fmt.Errorf("%q is a file, not a folder; read it with %s, or send the folder it is in", p.path, ReadName)
	default:
		return p, nil
	}
	p.close()
	return nil, err
}

// notes are what a result says of a walk that did not see all.
func (k *walk) notes() (notes []string) {
	if k.git {
		notes = append(notes, "[Folders named "+leftOutOfWalks+" are not looked into.]")
	}
	if k.partial != "" {
		notes = append(notes, "[Not complete: "+k.partial+". Ask for a folder below.]")
	}
	return notes
}
