package corpus

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"sync"

	"github.com/blevesearch/bleve/v2/document"
)

// Report says what an Update did.
type Report struct {
	// Indexed counts the files read anew: added, changed or renamed. Unchanged counts those whose content was indexed before.
	Indexed, Unchanged int
	// Removed counts the documents that are gone from the folder, or can no longer be read.
	Removed int
	// Documents and Passages are the totals of the index now.
	Documents, Passages int
	// Skipped lists every file that is not in the index, with its reason, in the order of the paths.
	Skipped []Skip
}

// batchBytes is the amount of text after which a batch is handed to the store.
const batchBytes = 4 << 20

// Update makes the index mirror folder: it reads what is new or changed, by content, drops what is gone, and leaves the
// rest alone. Files of other types, too large, binary, empty or unreadable ones, and symbolic links are listed in the
// report; only names that begin with a dot, and the index itself, are passed over silently.
//
// The index changes as a whole or not at all: when ctx ends or the program dies, what was valid before stays valid.
// It returns ErrLocked when another process is at it, ErrNoFolder, and ErrNothingToIndex with the report of what was
// skipped.
func (x *Index) Update(ctx context.Context, folder string) (*Report, error) {
	x.updating.Lock()
	defer x.updating.Unlock()
	x.mu.RLock()
	closed := x.closed
	x.mu.RUnlock()
	if closed {
		return nil, x.explain(ErrClosed)
	}
	info, err := os.Stat(folder)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("index folder %q: %w: it does not exist; check the path", folder, ErrNoFolder)
	case err != nil:
		return nil, fmt.Errorf("index folder %q: %w: %s", folder, ErrNoFolder, plainError(err))
	case !info.IsDir():
		return nil, fmt.Errorf("index folder %q: %w: it is a file; name the folder that holds it", folder, ErrNoFolder)
	}
	release, err := lock(x.dir)
	if err != nil {
		return nil, x.explain(err)
	}
	defer release()
	if err := x.Refresh(ctx); err != nil {
		return nil, err
	}
	report, err := x.update(ctx, folder)
	if err != nil {
		return report, fmt.Errorf("index folder %q: %w", folder, err)
	}
	return report, nil
}

func (x *Index) update(ctx context.Context, folder string) (*Report, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", ErrNoFolder, plainError(err))
	}
	defer root.Close()
	files, skips, err := scan(ctx, root, x.dir, &x.opts)
	if err != nil {
		return nil, err
	}
	old := x.snap // Only Update, Refresh and Close change it, and this Update holds off the others.
	before := make(map[string]docEntry)
	if old != nil {
		for _, d := range old.man.Docs {
			if old.man.PassageSize == x.opts.PassageSize {
				before[d.ID] = d
			}
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w := &writer{x: x, old: old, links: make(map[string][]outLink)}
	known := make(map[string][]outLink)
	if old != nil {
		if err := readJSON(filepath.Join(x.dir, old.generation, linksName), &known); err != nil {
			return nil, fmt.Errorf("%w: %s: %s", ErrDamaged, linksName, plainError(err))
		}
	}
	defer w.abandon()
	report := &Report{}
	var entries []docEntry
	done := 0
	for r := range ingest(ctx, root, files, before, x.opts) {
		done++
		switch {
		case r.skip != "":
			skips = append(skips, Skip{Path: r.path, Reason: r.skip})
		case r.records == nil:
			report.Unchanged++
			entries = append(entries, r.entry)
			w.links[r.path] = known[r.path]
		default:
			report.Indexed++
			entries = append(entries, r.entry)
			w.links[r.path] = r.links
			if err := w.add(r); err != nil {
				return nil, err
			}
			if x.opts.OnProgress != nil {
				x.opts.OnProgress(done, len(files))
			}
		}
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	sort.Slice(skips, func(i, j int) bool { return skips[i].Path < skips[j].Path })
	report.Skipped = skips
	if len(entries) == 0 {
		return report, fmt.Errorf("%w: none of its %d files is a readable .md, .html, .txt or .rst document", ErrNothingToIndex, len(skips))
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].Path < entries[j].Path })
	kept := make(map[string]bool, len(entries))
	for _, e := range entries {
		kept[e.ID] = true
		report.Passages += len(e.Cuts)
	}
	report.Documents = len(entries)
	if old != nil {
		for _, d := range old.man.Docs {
			if !kept[d.ID] {
				report.Removed++
				if err := w.remove(d); err != nil {
					return nil, err
				}
			}
		}
	}
	if report.Indexed == 0 && report.Removed == 0 && old != nil {
		return report, nil
	}
	if err := w.publish(ctx, entries); err != nil {
		return nil, err
	}
	return report, nil
}

// result is one file read.
type result struct {
	path    string
	skip    string // the reason why it is not indexed
	entry   docEntry
	records []*document.Document // nil when unchanged
	links   []outLink
	bytes   int
}

// ingest reads files on all processors and yields the results in order. It stops when ctx ends.
func ingest(ctx context.Context, root *os.Root, files []source, before map[string]docEntry, opts Options) func(func(result) bool) {
	return func(yield func(result) bool) {
		ctx, stop := context.WithCancel(ctx)
		workers := runtime.GOMAXPROCS(0)
		type job struct {
			source
			out chan result
		}
		jobs := make(chan job)
		queue := make(chan chan result, 4*workers)
		var wg sync.WaitGroup
		defer func() { stop(); wg.Wait() }()
		for range workers {
			wg.Go(func() {
				a := newAnalyzer()
				for j := range jobs {
					j.out <- ingestFile(root, j.source, before, opts, a)
				}
			})
		}
		wg.Go(func() {
			defer close(queue)
			defer close(jobs)
			for _, f := range files {
				out := make(chan result, 1)
				select {
				case queue <- out:
				case <-ctx.Done():
					return
				}
				select {
				case jobs <- job{f, out}:
				case <-ctx.Done():
					return
				}
			}
		})
		for out := range queue {
			select {
			case r := <-out:
				if !yield(r) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

func ingestFile(root *os.Root, f source, before map[string]docEntry, opts Options, a *analyzer) (r result) {
	r.path = f.path
	defer func() {
		if p := recover(); p != nil { // One odd file must not end the run.
			r = result{path: f.path, skip: fmt.Sprintf("cannot be parsed: %v", p)}
		}
	}()
	data, err := readFile(root, f.path, opts.MaxFileBytes)
	if err != nil {
		r.skip = err.Error()
		return r
	}
	if old, ok := before[f.id]; ok && old.Path == f.path && old.Hash == hashOf(data) {
		r.entry = old
		return r
	}
	doc, err := read(f.path, f.id, data, &opts)
	if err == nil {
		r.records, r.entry, err = records(doc, a)
	}
	if err != nil {
		return result{path: f.path, skip: err.Error()}
	}
	r.bytes, r.links = len(doc.Text), doc.links
	return r
}

// readFile reads a file that cannot lie outside the folder, at most limit bytes.
func readFile(root *os.Root, name string, limit int64) ([]byte, error) {
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, fmt.Errorf("unreadable: %s", plainError(err))
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, fmt.Errorf("unreadable: %s", plainError(err))
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("too large: more than %d bytes", limit)
	}
	return data, nil
}
