package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// place is where a path leads: a name in an open folder. What is done there goes
// through the open folder and the name, so that nothing which happens to the path
// afterwards leads it elsewhere.
type place struct {
	dir  *os.Root
	name string // "." for the folder itself
	// path is the place's one spelling: without links, "." for the workspace.
	path string
	info fs.FileInfo // nil where there is nothing

	opened []*os.Root
}

func (p *place) close() {
	for _, dir := range p.opened {
		_ = dir.Close()
	}
}

// isDir tells whether the place is a folder.
func (p *place) isDir() bool { return p.info != nil && p.info.IsDir() }

// resolver walks along a path, from one open folder to the next.
type resolver struct {
	w     *Workspace
	asked string // the path as it was sent
	make  bool   // folders that are missing are made

	dirs  []*os.Root // those below the workspace that are open, outermost first
	names []string   // their names
	links int
}

// resolve finds a place. Each folder on the way is opened by its name in the one
// before; links are followed here and not by the system, so that what is reserved
// is recognised by whichever way it is reached. The place must be closed.
func (w *Workspace) resolve(name string, make bool) (*place, error) {
	parts, err := splitPath(name, w.abs, w.windows)
	if err != nil {
		return nil, err
	}
	r := &resolver{w: w, asked: name, make: make}
	p, err := r.walk(parts)
	if err != nil {
		for _, dir := range r.dirs {
			_ = dir.Close()
		}
		return nil, err
	}
	return p, nil
}

func (r *resolver) walk(parts []string) (*place, error) {
	for len(parts) > 0 {
		part := parts[0]
		parts = parts[1:]
		switch part {
		case "", ".":
			continue
		case "..": // of a link
			if len(r.dirs) == 0 {
				return nil, leaves(r.asked)
			}
			last := len(r.dirs) - 1
			_ = r.dirs[last].Close()
			r.dirs, r.names = r.dirs[:last], r.names[:last]
			continue
		}
		p, rest, err := r.step(part, parts)
		if p != nil || err != nil {
			return p, err
		}
		parts = rest
	}
	info, err := r.top().Stat(".")
	if err != nil {
		return nil, r.plainly(err)
	}
	return r.place(".", info), nil
}

// step goes to one name in the folder that was reached. It returns a place where
// the path ends there, or the parts that are left to go.
func (r *resolver) step(name string, rest []string) (*place, []string, error) {
	if k := r.w.keptByName(r.names, name); k != nil {
		return nil, nil, k.refuse(r.asked)
	}
	info, err := r.top().Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return r.missing(name, rest)
	case err != nil:
		return nil, nil, r.plainly(err)
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := r.follow(name)
		return nil, append(target, rest...), err
	case info.IsDir():
		return nil, rest, r.enter(name, info)
	case !info.Mode().IsRegular():
		return nil, nil, fmt.Errorf("%q is neither a file nor a folder but %s; use another path", r.at(name), kindOf(info.Mode()))
	case len(rest) > 0:
		return nil, nil, fmt.Errorf("%q is a file, so that %q cannot be in it; use a folder's path", r.at(name), short(strings.Join(rest, "/")))
	}
	if k := r.w.keptByInfo(info); k != nil {
		return nil, nil, k.refuse(r.asked)
	}
	return r.place(name, info), nil, nil
}

// missing is for a name that its folder does not have.
func (r *resolver) missing(name string, rest []string) (*place, []string, error) {
	if len(rest) == 0 {
		return r.place(name, nil), nil, nil
	}
	if !r.make {
		return nil, nil, r.notFound(name)
	}
	if err := r.top().Mkdir(name, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, nil, r.plainly(err)
	}
	return nil, append([]string{name}, rest...), nil
}

// follow returns the parts of a link's target.
func (r *resolver) follow(name string) ([]string, error) {
	if r.links++; r.links > maxPathLinks {
		return nil, fmt.Errorf("the path %q goes through more than %d links, probably in a circle; use the path of the file itself", short(r.asked), maxPathLinks)
	}
	target, err := r.top().Readlink(name)
	if err != nil {
		return nil, r.plainly(err)
	}
	if r.w.windows {
		target = strings.ReplaceAll(target, `\`, "/")
	}
	if strings.HasPrefix(target, "/") || hasVolume(target) {
		return nil, fmt.Errorf("%q is a link with an absolute target; links are followed inside the workspace only. Use another path", r.at(name))
	}
	parts := strings.Split(target, "/")
	for _, part := range parts {
		if why := badName(part, r.w.windows); why != "" && part != "." && part != ".." {
			return nil, fmt.Errorf("%q is a link that cannot be followed: %s", r.at(name), why)
		}
	}
	return parts, nil
}

// enter opens a folder and checks that it is the one that was looked at.
func (r *resolver) enter(name string, info fs.FileInfo) error {
	if len(r.dirs) >= maxPathDepth {
		return fmt.Errorf("the path %q has more than %d folders below each other", short(r.asked), maxPathDepth)
	}
	if k := r.w.keptByInfo(info); k != nil {
		return k.refuse(r.asked)
	}
	dir, err := openDir(r.top(), name, info)
	if err != nil {
		return r.plainly(err)
	}
	r.dirs, r.names = append(r.dirs, dir), append(r.names, name)
	return nil
}

// errSwapped tells that another process was faster.
var errSwapped = errors.New("it was replaced by something else at this moment; look what is there now and try again")

// openDir opens the folder that info describes, and no other that has taken its
// name since: a link, above all.
func openDir(parent *os.Root, name string, info fs.FileInfo) (*os.Root, error) {
	dir, err := parent.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if now, err := dir.Stat("."); err != nil || !os.SameFile(info, now) {
		_ = dir.Close()
		return nil, errSwapped
	}
	return dir, nil
}

// openFile opens the file that info describes for reading, and no other.
func openFile(dir *os.Root, name string, info fs.FileInfo) (*os.File, error) {
	f, err := dir.OpenFile(name, os.O_RDONLY|dontWait, 0)
	if err != nil {
		return nil, err
	}
	if now, err := f.Stat(); err != nil || !now.Mode().IsRegular() || !os.SameFile(info, now) {
		_ = f.Close()
		return nil, errSwapped
	}
	return f, nil
}

// load reads a file that exists.
func (w *Workspace) load(p *place) ([]byte, error) {
	f, err := openFile(p.dir, p.name, p.info)
	if err != nil {
		return nil, plainly(p.path, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, w.cfg.MaxFileBytes+1))
	if err != nil {
		return nil, plainly(p.path, err)
	}
	if int64(len(data)) > w.cfg.MaxFileBytes {
		return nil, fmt.Errorf("%q has more than %d bytes, the limit of these tools; it can be listed but not read", p.path, w.cfg.MaxFileBytes)
	}
	return data, nil
}

func (r *resolver) top() *os.Root {
	if len(r.dirs) == 0 {
		return r.w.root
	}
	return r.dirs[len(r.dirs)-1]
}

func (r *resolver) at(name string) string { return path.Join(append(slices.Clone(r.names), name)...) }

func (r *resolver) place(name string, info fs.FileInfo) *place {
	return &place{dir: r.top(), name: name, path: r.at(name), info: info, opened: r.dirs}
}

// notFound says what is missing, and what its folder has that looks like it.
func (r *resolver) notFound(name string) error { return notFound(r.top(), r.at(name)) }

func (r *resolver) plainly(err error) error { return plainly(r.asked, err) }
