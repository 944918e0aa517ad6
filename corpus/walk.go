package corpus

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
	"unicode/utf8"
)

// Skip is a file that Update did not index.
type Skip struct {
	// Path is the path below the folder, with '/' between folders.
	Path string `json:"path"`
	// Reason says why, in words for a person.
	Reason string `json:"reason"`
}

// source is a file to read.
type source struct {
	path, id string
}

// scan lists the readable files below root in path order, with their ids, and what is skipped. Names that begin with a
// dot, and the directory of the index itself, are passed over without a word.
func scan(ctx context.Context, root *os.Root, indexDir string, opts *Options) ([]source, []Skip, error) {
	var files []source
	var skips []Skip
	index, _ := os.Stat(indexDir)
	folder := root.Name()
	err := fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if p != "." && strings.HasPrefix(path.Base(p), ".") {
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		skip := func(format string, args ...any) error {
			skips = append(skips, Skip{Path: strings.ToValidUTF8(p, "\uFFFD"), Reason: fmt.Sprintf(format, args...)})
			return nil
		}
		if err != nil {
			if p == "." {
				return err
			}
			return skip("unreadable: %s", plainError(err))
		}
		switch {
		case d.Type()&fs.ModeSymlink != 0:
			return skip("%s", linkReason(folder, p))
		case d.IsDir():
			if info, err := d.Info(); err == nil && index != nil && os.SameFile(info, index) {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular():
			return skip("not a regular file")
		case !utf8.ValidString(p):
			return skip("file name is not valid UTF-8")
		case opts.formatOf(p) == "":
			if ext := path.Ext(p); ext != "" {
				return skip("unsupported type %s", strings.ToLower(ext))
			}
			return skip("unsupported type: the name has no extension")
		}
		info, err := d.Info()
		switch {
		case err != nil:
			return skip("unreadable: %s", plainError(err))
		case info.Size() == 0:
			return skip("%s", errEmpty)
		case info.Size() > opts.MaxFileBytes:
			return skip("too large: %d bytes, the limit is %d", info.Size(), opts.MaxFileBytes)
		}
		files = append(files, source{path: p})
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	sort.Slice(files, func(i, j int) bool { return files[i].path < files[j].path })
	assignIDs(files)
	return files, skips, nil
}

// linkReason says where a symbolic link leads. Links are never followed: a file inside the folder is read at its own
// place, and one outside is not part of the corpus.
func linkReason(folder, p string) string {
	target, err := filepath.EvalSymlinks(filepath.Join(folder, filepath.FromSlash(p)))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return "symbolic link that leads nowhere, not followed"
		}
		return "symbolic link that cannot be resolved, not followed"
	}
	base, err := filepath.EvalSymlinks(folder)
	if err == nil {
		if base, err = filepath.Abs(base); err == nil {
			target, err = filepath.Abs(target)
		}
	}
	if err != nil {
		return "symbolic link, not followed"
	}
	if rel, err := filepath.Rel(base, target); err == nil && filepath.IsLocal(rel) {
		return "symbolic link, not followed: its target is read at its own place"
	}
	return "symbolic link that leaves the folder, not followed"
}

// plainError drops the operation and the path from a file error.
func plainError(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// assignIDs gives each file its path without the extension, and with it where two files would share an id.
func assignIDs(files []source) {
	claims := make(map[string]int, len(files))
	full := make([]bool, len(files))
	for i := range files {
		files[i].id = strings.TrimSuffix(files[i].path, path.Ext(files[i].path))
	}
	for again := true; again; {
		again = false
		clear(claims)
		for _, f := range files {
			claims[f.id]++
		}
		for i, f := range files {
			if claims[f.id] > 1 && !full[i] {
				files[i].id, full[i], again = f.path, true, true
			}
		}
	}
}
