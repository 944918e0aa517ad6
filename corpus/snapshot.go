package corpus

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/blevesearch/bleve/v2"
	index "github.com/blevesearch/bleve_index_api"
)

// snapshot is one open generation. Nothing in it changes after it was opened.
type snapshot struct {
	generation string
	man        manifest
	byID       map[string]int // document id -> place in man.Docs
	passageOf  []int32        // record number in the store -> passage, -1 for other records
	docOf      []int32        // passage -> document
	first      []int32        // document -> its first passage; one more at the end
	words      []float64      // passage -> terms of its body
	docWords   []float64      // document -> terms of its body
	avgWords   float64        // mean of words
	avgDoc     float64        // mean of docWords
	linked     []float64      // passage -> share of its bytes that are hyperlinks
	docLinked  []float64      // document -> share of its bytes that are hyperlinks
	anchors    []float64      // document -> terms in the texts of links to it
	avgAnchors float64        // mean of anchors where there are any
	postings   *postingCache
	docs       *docCache
	analyzers  sync.Pool // *analyzer, whose stems are worth keeping
	scorers    sync.Pool // *scorer, emptied

	store  bleve.Index
	reader index.IndexReader
}

// openSnapshot opens the valid generation, nil when there is none yet. Between reading CURRENT and opening the files an
// Update elsewhere may replace both; then it looks again.
func openSnapshot(dir string) (*snapshot, error) {
	for attempt := 0; ; attempt++ {
		h, err := readHead(dir)
		if h == nil || err != nil {
			return nil, err
		}
		s, err := openGeneration(dir, h.Generation)
		if err == nil {
			return s, nil
		}
		if now, herr := readHead(dir); herr == nil && now != nil && now.Generation != h.Generation && attempt < 10 {
			continue
		}
		return nil, err
	}
}

func openGeneration(dir, generation string) (s *snapshot, err error) {
	s = &snapshot{generation: generation}
	genDir := filepath.Join(dir, generation)
	if err := readJSON(filepath.Join(genDir, manifestName), &s.man); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w: %s is missing", ErrDamaged, manifestName)
		}
		return nil, err
	}
	if err := s.man.check(); err != nil {
		return nil, err
	}
	if err := s.man.verify(genDir); err != nil {
		return nil, err
	}
	if s.store, err = openStore(genDir, true, false); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	adv, err := s.store.Advanced()
	if err != nil {
		return nil, err
	}
	if s.reader, err = adv.Reader(); err != nil {
		return nil, err
	}
	s.layout()
	s.postings = newPostingCache()
	s.docs = newDocCache()
	s.analyzers.New = func() any { return newAnalyzer() }
	s.scorers.New = func() any { return newScorer(s) }
	return s, s.number()
}

// layout lays the passages of all documents side by side.
func (s *snapshot) layout() {
	s.byID = make(map[string]int, len(s.man.Docs))
	s.first = make([]int32, 0, len(s.man.Docs)+1)
	total, called := 0.0, 0.0
	for i, d := range s.man.Docs {
		s.byID[d.ID] = i
		s.first = append(s.first, int32(len(s.docOf)))
		from, words, linked := 0, 0, 0
		for n, end := range d.Cuts {
			s.docOf = append(s.docOf, int32(i))
			s.words = append(s.words, float64(d.Words[n]))
			s.linked = append(s.linked, float64(d.Linked[n])/float64(end-from))
			words += d.Words[n]
			linked += d.Linked[n]
			from = end
		}
		s.docWords = append(s.docWords, float64(words))
		s.docLinked = append(s.docLinked, float64(linked)/float64(max(d.Bytes, 1)))
		total += float64(words)
		s.anchors = append(s.anchors, float64(d.Anchors))
		if d.Anchors > 0 {
			s.avgAnchors += float64(d.Anchors)
			called++
		}
	}
	s.avgAnchors = max(s.avgAnchors/max(called, 1), 1)
	s.first = append(s.first, int32(len(s.docOf)))
	s.avgWords = max(total/float64(max(len(s.docOf), 1)), 1)
	s.avgDoc = max(total/float64(max(len(s.man.Docs), 1)), 1)
}

// number learns which record of the store is which passage.
func (s *snapshot) number() error {
	ids, err := s.reader.DocIDReaderAll()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	defer ids.Close()
	found := 0
	for {
		id, err := ids.Next()
		if err != nil {
			return fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		if id == nil {
			break
		}
		key, err := s.reader.ExternalID(id)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		n := int(id.Value())
		for len(s.passageOf) <= n {
			s.passageOf = append(s.passageOf, -1)
		}
		p, anchor := s.passage(key)
		s.passageOf[n] = p
		if p >= 0 && !anchor {
			found++
		}
	}
	if found != len(s.docOf) {
		return fmt.Errorf("%w: the store holds %d passages, the manifest %d", ErrDamaged, found, len(s.docOf))
	}
	return nil
}

// passage resolves the key of a passage's record, and that of the links to a document to its first passage. It returns
// -1 for other keys.
func (s *snapshot) passage(key string) (p int32, anchor bool) {
	if id, ok := strings.CutPrefix(key, "a\x00"); ok {
		if doc, known := s.byID[id]; known {
			return s.first[doc], true
		}
		return -1, true
	}
	rest, ok := strings.CutPrefix(key, "p\x00")
	if !ok {
		return -1, false
	}
	num, id, ok := strings.Cut(rest, "\x00")
	n, err := strconv.Atoi(num)
	doc, known := s.byID[id]
	if !ok || err != nil || !known || n < 0 || n >= len(s.man.Docs[doc].Cuts) {
		return -1, false
	}
	return s.first[doc] + int32(n), false
}

// bounds returns the bytes of a passage in its document's text.
func (s *snapshot) bounds(p int32) (start, end int) {
	doc := s.docOf[p]
	n := p - s.first[doc]
	cuts := s.man.Docs[doc].Cuts
	if n > 0 {
		start = cuts[n-1]
	}
	return start, cuts[n]
}

// terms analyses a text.
func (s *snapshot) terms(text string) []term {
	a := s.analyzers.Get().(*analyzer)
	defer s.analyzers.Put(a)
	return a.terms(nil, text)
}

// document reads the document at place i. Callers must not change it.
func (s *snapshot) document(i int) (*Document, error) {
	if doc := s.docs.get(i); doc != nil {
		return doc, nil
	}
	e := s.man.Docs[i]
	doc, err := stored(s.reader, e.ID)
	if err != nil {
		return nil, err
	}
	if len(doc.Text) != e.Bytes || len(doc.Sections) == 0 {
		return nil, fmt.Errorf("%w: document %s does not fit the manifest", ErrDamaged, e.ID)
	}
	doc.ID, doc.Title, doc.Path, doc.Format, doc.Hash = e.ID, e.Title, e.Path, e.Format, e.Hash
	s.docs.put(i, doc)
	return doc, nil
}

func (s *snapshot) close() error {
	if s == nil {
		return nil
	}
	var err error
	if s.reader != nil {
		err = s.reader.Close()
	}
	return errors.Join(err, s.store.Close())
}
