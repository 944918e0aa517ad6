package corpus

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"sync"
)

// Index is a searchable corpus in a directory. Its methods may be called from several goroutines; a search that runs
// beside an Update sees the corpus as it was before.
type Index struct {
	dir  string
	opts Options

	updating sync.Mutex // one Update at a time in this process

	mu     sync.RWMutex // guards what follows; read-locked while a snapshot is in use
	snap   *snapshot    // nil before the first Update
	closed bool
}

// Open opens the index in dir, which is created if absent. Any number of processes may open and search the same
// directory at once, also while one of them updates it; each sees what was valid when it opened, until Refresh.
// It returns ErrVersion for an index of another format and ErrDamaged for one whose files were changed or that is none.
func Open(ctx context.Context, dir string, opts Options) (*Index, error) {
	opts, err := opts.filled()
	if err != nil {
		return nil, err
	}
	if err := context.Cause(ctx); err != nil {
		return nil, fmt.Errorf("open index %s: %w", dir, err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("open index: %w", err)
	}
	x := &Index{dir: dir, opts: opts}
	if x.snap, err = openSnapshot(dir); err != nil {
		return nil, x.explain(err)
	}
	return x, nil
}

// explain says of an error which index it concerns and, where that helps, how to mend it.
func (x *Index) explain(err error) error {
	if errors.Is(err, ErrDamaged) || errors.Is(err, ErrVersion) {
		return mendable(x.dir, err)
	}
	return fmt.Errorf("index %s: %w", x.dir, err)
}

// use gives f the current snapshot, nil before the first Update, and keeps it open meanwhile.
func (x *Index) use(ctx context.Context, f func(*snapshot) error) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed {
		return x.explain(ErrClosed)
	}
	err := f(x.snap)
	if errors.Is(err, ErrDamaged) {
		err = mendable(x.dir, err)
	}
	return err
}

// Refresh takes up what another process has indexed since this one opened the index.
func (x *Index) Refresh(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return x.explain(ErrClosed)
	}
	h, err := readHead(x.dir)
	if err != nil {
		return x.explain(err)
	}
	if h == nil || x.snap != nil && x.snap.generation == h.Generation {
		return nil
	}
	fresh, err := openSnapshot(x.dir)
	if err != nil {
		return x.explain(err)
	}
	old := x.snap
	x.snap = fresh
	return old.close()
}

// Close releases the index after the searches under way. A second Close does nothing.
func (x *Index) Close() error {
	x.updating.Lock()
	defer x.updating.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return nil
	}
	x.closed = true
	old := x.snap
	x.snap = nil
	return old.close()
}

// Count returns the number of documents, 0 before the first Update and after Close.
func (x *Index) Count() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.snap == nil {
		return 0
	}
	return len(x.snap.man.Docs)
}

// Document returns a document with its text and sections. An unknown id is a *NoDocumentError.
func (x *Index) Document(ctx context.Context, id string) (*Document, error) {
	var doc *Document
	err := x.use(ctx, func(s *snapshot) (err error) {
		i, err := s.find(id)
		if err != nil {
			return err
		}
		cached, err := s.document(i)
		if err != nil {
			return err
		}
		own := *cached
		own.Sections = slices.Clone(own.Sections)
		doc = &own
		return nil
	})
	return doc, err
}

// find returns the place of a document.
func (s *snapshot) find(id string) (int, error) {
	if s == nil {
		return 0, &NoDocumentError{ID: id}
	}
	if i, ok := s.byID[id]; ok {
		return i, nil
	}
	return 0, &NoDocumentError{ID: id, Near: near(id, s.man.Docs)}
}

// Documents lists the documents in the order of their paths, without Text and Sections. The list is the one at the call.
func (x *Index) Documents() iter.Seq[Document] {
	x.mu.RLock()
	var docs []docEntry
	if x.snap != nil {
		docs = x.snap.man.Docs
	}
	x.mu.RUnlock()
	return func(yield func(Document) bool) {
		for _, d := range docs {
			if !yield(Document{ID: d.ID, Title: d.Title, Path: d.Path, Format: d.Format, Hash: d.Hash}) {
				return
			}
		}
	}
}
