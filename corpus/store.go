package corpus

import (
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"strconv"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"
)

// Bleve keeps the inverted file: analysed fields in, postings out. The scoring is ours (see rank.go), because bleve's
// BM25 takes the root of the term frequency and the square of the inverse document frequency.

// Fields of a passage's record.
const (
	fieldBody    = "b" // stems of the passage
	fieldWhole   = "w" // compounds of the passage as wholes
	fieldHead    = "h" // stems of the heading path below the title
	fieldTitle   = "t" // stems of the title and the last part of the id; in the first passage only
	fieldSurface = "e" // exact words of the passage
	fieldAnchor  = "a" // stems of the texts of links to the document; a record of its own
	fieldData    = "d" // stored: a document's sections
	fieldText    = "x" // stored: a document's text
	fieldPages   = "g" // stored: a document's pages, if it has any
)

// docKey is the record that stores a document, passageKey one that is searched. Ids hold no NUL.
func docKey(id string) string { return "d\x00" + id }

func passageKey(id string, n int) string { return "p\x00" + strconv.Itoa(n) + "\x00" + id }

// ready is an analyzer that returns tokens made before.
type ready analysis.TokenStream

func (r ready) Analyze([]byte) analysis.TokenStream { return analysis.TokenStream(r) }

func tokens(terms []term, k kind) ready {
	slab := make([]analysis.Token, 0, len(terms))
	out := make(ready, 0, len(terms))
	for _, t := range terms {
		text := t.text
		if k == surfaceTerm {
			text = t.word
		}
		if text != "" && (t.kind == k || k == surfaceTerm && t.kind == wordTerm) {
			slab = append(slab, analysis.Token{Term: []byte(text), Start: t.start, End: t.end, Position: len(slab) + 1})
			out = append(out, &slab[len(slab)-1])
		}
	}
	return out
}

// records builds the records of a document and its entry in the manifest. It runs beside others, each with its own
// analyzer.
func records(doc *Document, a *analyzer) ([]*document.Document, docEntry, error) {
	entry := docEntry{ID: doc.ID, Path: doc.Path, Title: doc.Title, Format: doc.Format, Hash: doc.Hash, Bytes: len(doc.Text)}
	data, err := json.Marshal(doc.Sections)
	if err != nil {
		return nil, entry, err
	}
	list := make([]*document.Document, 0, len(doc.passages)+1)
	d := document.NewDocument(docKey(doc.ID))
	d.AddField(document.NewTextFieldCustom(fieldText, nil, []byte(doc.Text), index.StoreField, nil))
	d.AddField(document.NewTextFieldCustom(fieldData, nil, data, index.StoreField, nil))
	if len(doc.Pages) > 0 {
		pages, err := json.Marshal(doc.Pages)
		if err != nil {
			return nil, entry, err
		}
		d.AddField(document.NewTextFieldCustom(fieldPages, nil, pages, index.StoreField, nil))
	}
	list = append(list, d)
	var terms []term
	for n, p := range doc.passages {
		r := document.NewDocument(passageKey(doc.ID, n))
		add := func(field string, k kind) int {
			toks := tokens(terms, k)
			if len(toks) > 0 {
				r.AddField(document.NewTextFieldCustom(field, nil, nil, index.IndexField, toks))
			}
			return len(toks)
		}
		terms = a.terms(terms[:0], doc.Text[p.start:p.end])
		words := add(fieldBody, wordTerm)
		add(fieldWhole, wholeTerm)
		add(fieldSurface, surfaceTerm)
		terms = terms[:0]
		for _, h := range doc.Sections[p.section].Path[1:] {
			terms = a.terms(terms, h)
		}
		add(fieldHead, wordTerm)
		if n == 0 {
			terms = a.terms(a.terms(terms[:0], doc.Title), path.Base(doc.ID))
			add(fieldTitle, wordTerm)
		}
		list = append(list, r)
		entry.Cuts = append(entry.Cuts, p.end)
		entry.Linked = append(entry.Linked, p.linked)
		entry.Words = append(entry.Words, words)
	}
	return list, entry, nil
}

// openStore opens a generation's store; a new one is made when create is set. Read-only stores take a shared lock on
// files that nobody writes any more, so they never wait.
func openStore(dir string, readOnly, create bool) (bleve.Index, error) {
	name := filepath.Join(dir, storeName)
	if create {
		return bleve.NewUsing(name, bleve.NewIndexMapping(), scorch.Name, scorch.Name, nil)
	}
	return bleve.OpenUsing(name, map[string]any{"read_only": readOnly, "bolt_timeout": "2s"})
}

// stored reads what a document's record holds: the text, the sections and the pages.
func stored(r index.IndexReader, id string) (*Document, error) {
	rec, err := r.Document(docKey(id))
	if err != nil {
		return nil, fmt.Errorf("%w: document %s: %w", ErrDamaged, id, err)
	}
	if rec == nil {
		return nil, fmt.Errorf("%w: document %s has no record", ErrDamaged, id)
	}
	doc := &Document{}
	var sections, pages []byte
	rec.VisitFields(func(f index.Field) {
		switch f.Name() {
		case fieldData:
			sections = f.Value()
		case fieldText:
			doc.Text = string(f.Value())
		case fieldPages:
			pages = f.Value()
		}
	})
	if err := json.Unmarshal(sections, &doc.Sections); err != nil {
		return nil, fmt.Errorf("%w: document %s: %w", ErrDamaged, id, err)
	}
	if pages != nil {
		if err := json.Unmarshal(pages, &doc.Pages); err != nil {
			return nil, fmt.Errorf("%w: document %s: %w", ErrDamaged, id, err)
		}
	}
	outside := func(start, end int) bool { return start < 0 || end > len(doc.Text) || start > end }
	for _, s := range doc.Sections {
		if outside(s.Start, s.End) {
			return nil, fmt.Errorf("%w: document %s: a section lies outside the text", ErrDamaged, id)
		}
	}
	for _, p := range doc.Pages {
		if outside(p.Start, p.End) {
			return nil, fmt.Errorf("%w: document %s: a page lies outside the text", ErrDamaged, id)
		}
	}
	return doc, nil
}
