package corpus

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/blevesearch/bleve/v2"
)

// writer makes the next generation of an index. It touches the disk only when there is something to write.
type writer struct {
	x     *Index
	old   *snapshot
	name  string
	store bleve.Index
	batch *bleve.Batch
	bytes int
	links map[string][]outLink // path -> links of that document
}

// begin creates the new generation with the content of the old one.
func (w *writer) begin() error {
	if w.store != nil {
		return nil
	}
	h, err := readHead(w.x.dir)
	if err != nil {
		return err
	}
	sweepBut := ""
	if h != nil {
		sweepBut = h.Generation
	}
	sweep(w.x.dir, sweepBut) // what an interrupted Update left
	w.name = next(h)
	dir := filepath.Join(w.x.dir, w.name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	if w.old != nil {
		if err := clone(filepath.Join(w.x.dir, w.old.generation), dir); err != nil {
			return fmt.Errorf("copy the index: %w", err)
		}
	}
	if w.store, err = openStore(dir, false, w.old == nil); err != nil {
		return fmt.Errorf("write the index: %w", err)
	}
	w.batch = w.store.NewBatch()
	return nil
}

// add puts a document into the index, in place of the one with its id.
func (w *writer) add(r result) error {
	if err := w.begin(); err != nil {
		return err
	}
	if w.old != nil {
		if i, ok := w.old.byID[r.entry.ID]; ok {
			for n := len(r.entry.Cuts); n < len(w.old.man.Docs[i].Cuts); n++ {
				w.batch.Delete(passageKey(r.entry.ID, n))
			}
		}
	}
	for _, d := range r.records {
		if err := w.batch.IndexAdvanced(d); err != nil {
			return err
		}
	}
	if w.bytes += r.bytes; w.bytes >= batchBytes {
		return w.flush()
	}
	return nil
}

// remove takes a document out of the index.
func (w *writer) remove(d docEntry) error {
	if err := w.begin(); err != nil {
		return err
	}
	w.batch.Delete(docKey(d.ID))
	w.batch.Delete(anchorKey(d.ID))
	for n := range d.Cuts {
		w.batch.Delete(passageKey(d.ID, n))
	}
	return nil
}

// anchor brings the records of the links to each document up to date.
func (w *writer) anchor(entries []docEntry) error {
	texts := anchorTexts(w.links)
	a := newAnalyzer()
	for i := range entries {
		e := &entries[i]
		hash, before := "", ""
		list := texts[e.Path]
		if len(list) > 0 {
			hash = hashOf([]byte(strings.Join(list, "\n")))
		}
		if w.old != nil {
			if at, ok := w.old.byID[e.ID]; ok {
				before = w.old.man.Docs[at].AnchorHash
				e.Anchors = w.old.man.Docs[at].Anchors
			}
		}
		e.AnchorHash = hash
		if hash == before {
			continue
		}
		var terms []term
		for _, t := range list {
			terms = a.terms(terms, t)
		}
		if e.Anchors = 0; len(terms) == 0 {
			w.batch.Delete(anchorKey(e.ID))
			continue
		}
		record := anchorRecord(e.ID, terms)
		for _, t := range terms {
			if t.kind == wordTerm {
				e.Anchors++
			}
		}
		if err := w.batch.IndexAdvanced(record); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) flush() error {
	w.bytes = 0
	if w.batch.Size() == 0 {
		return nil
	}
	if err := w.store.Batch(w.batch); err != nil {
		return fmt.Errorf("write the index: %w", err)
	}
	w.batch = w.store.NewBatch() // not Reset: bleve may still read the old one
	return nil
}

// publish completes the generation and makes it the valid one.
func (w *writer) publish(ctx context.Context, entries []docEntry) error {
	if err := w.begin(); err != nil {
		return err
	}
	if err := w.anchor(entries); err != nil {
		return err
	}
	if err := w.flush(); err != nil {
		return err
	}
	err := w.store.Close()
	w.store = nil
	if err != nil {
		return fmt.Errorf("write the index: %w", err)
	}
	dir := filepath.Join(w.x.dir, w.name)
	man := manifest{PassageSize: w.x.opts.PassageSize, Docs: entries}
	if err := writeJSON(filepath.Join(dir, linksName), w.links); err != nil {
		return err
	}
	if man.Files, err = sums(dir); err != nil {
		return err
	}
	if err := writeJSON(filepath.Join(dir, manifestName), man); err != nil {
		return err
	}
	fresh, err := openGeneration(w.x.dir, w.name)
	if err != nil {
		return err
	}
	if err = context.Cause(ctx); err == nil {
		err = writeJSON(filepath.Join(w.x.dir, currentName), head{Format: formatVersion, Generation: w.name})
	}
	if err != nil {
		return errors.Join(err, fresh.close())
	}
	w.x.mu.Lock()
	old := w.x.snap
	w.x.snap = fresh
	w.x.mu.Unlock()
	w.name = ""
	err = old.close()
	sweep(w.x.dir, fresh.generation)
	return err
}

// abandon deletes a generation that was not published.
func (w *writer) abandon() {
	if w.store != nil {
		_ = w.store.Close()
		w.store = nil
	}
	if w.name != "" {
		_ = os.RemoveAll(filepath.Join(w.x.dir, w.name))
	}
}
