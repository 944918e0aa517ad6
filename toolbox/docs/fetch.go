package docs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/corpus"
	"github.com/quarry-sdk/quarry/toolbox/internal/reading"
)

// The limits of fetch_doc, in tokens as the function tokens estimates them.
const (
	// wholeTokens is up to which length a document or a section is shown whole.
	wholeTokens = 6000
	// partTokens is how much of a longer document is shown at once.
	partTokens = 4000
	// outlineTokens bounds its outline.
	outlineTokens = 1200
)

var fetchSchema = json.RawMessage(`{
	"type": "object",
	"properties": {
		"doc_id": {"type": "string", "description": "the document, as search_docs names it"},
		"section": {"type": "string", "description": "a heading of the document, or its path as the outline shows it: reads that section alone"},
		"offset": {"type": "integer", "minimum": 0, "description": "the byte to read on from"}
	},
	"required": ["doc_id"],
	"additionalProperties": false
}`)

type fetchIn struct {
	DocID   string `json:"doc_id"`
	Section string `json:"section"`
	Offset  *int   `json:"offset"`
}

// fetchOut is the typed output of fetch_doc. The texts are not part of it: the
// model's view has them, and the index.
type fetchOut struct {
	DocID string `json:"doc_id"`
	Title string `json:"title"`
	Path  string `json:"path"`
	Bytes int    `json:"bytes"`
	// Parts are what was shown.
	Parts []partOut `json:"parts"`

	doc     *corpus.Document
	head    string // what is shown and why
	outline string
	foot    string // how to go on
}

type partOut struct {
	Heading []string `json:"heading,omitempty"`
	Start   int      `json:"start"`
	End     int      `json:"end"`
}

func fetchTool(ix *corpus.Index) *quarry.Tool {
	return quarry.NewTool(quarry.ToolSpec{
		Counts: quarry.CountFetch,
		Current: func(ctx context.Context, docID string) (string, error) {
			return current(ctx, ix, docID)
		},
		Name: FetchName,
		Description: "Reads a document of the corpus: a short one whole; of a long one the outline and the parts that fit the question best. Give section (a heading) or offset (a byte) to read another part. " +
			"Use it for what search_docs found, before you cite it; not to look for something.",
		Effect:         quarry.ReadOnly,
		InputSchema:    fetchSchema,
		MaxResultBytes: 64 << 10,
	}, func(ctx context.Context, in fetchIn) (*fetchOut, error) {
		return fetch(ctx, ix, in)
	})
}

func fetch(ctx context.Context, ix *corpus.Index, in fetchIn) (*fetchOut, error) {
	doc, err := document(ctx, ix, in.DocID)
	if err != nil {
		return nil, err
	}
	out := &fetchOut{DocID: doc.ID, Title: doc.Title, Path: doc.Path, Bytes: len(doc.Text), doc: doc}
	switch {
	case in.Section != "":
		err = out.section(in.Section, in.Offset)
	case in.Offset != nil:
		err = out.from(*in.Offset, 0, len(doc.Text), "the document")
	case reading.Tokens(doc.Text) <= wholeTokens:
		out.head = "shown whole"
		out.show(0, len(doc.Text))
	default:
		err = out.relevant(ctx, ix)
	}
	if err != nil {
		return nil, err
	}
	if call, ok := quarry.CallFrom(ctx); ok {
		call.Read(doc.ID, doc.Hash)
	}
	return out, nil
}

// current is the hash that a document has in the index now, "" where it is gone.
func current(ctx context.Context, ix *corpus.Index, id string) (string, error) {
	doc, err := ix.Document(ctx, id)
	if errors.Is(err, corpus.ErrNoDocument) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return doc.Hash, nil
}

// document loads a document; its error for an unknown id names near ones.
func document(ctx context.Context, ix *corpus.Index, id string) (*corpus.Document, error) {
	doc, err := ix.Document(ctx, id)
	if err == nil {
		return doc, nil
	}
	var missing *corpus.NoDocumentError
	if !errors.As(err, &missing) {
		return nil, err
	}
	if len(missing.Near) > 0 {
		return nil, fmt.Errorf("the corpus has no document %q; did you mean %s? Use a doc_id that search_docs returned", reading.OneLine(id, 200), strings.Join(missing.Near, ", "))
	}
	return nil, fmt.Errorf("the corpus has no document %q and none of a similar name; use a doc_id that search_docs returned", reading.OneLine(id, 200))
}

// show adds a stretch of the text to what is shown.
func (o *fetchOut) show(start, end int) {
	part := partOut{Start: start, End: end}
	if s, ok := o.doc.SectionAt(start); ok {
		part.Heading = s.Path
	}
	o.Parts = append(o.Parts, part)
}

// section shows one section, from offset on where one is given.
func (o *fetchOut) section(name string, offset *int) error {
	s, err := findSection(o.doc, name)
	if err != nil {
		return err
	}
	from := s.Start
	if offset != nil {
		from = *offset
	}
	return o.from(from, s.Start, s.End, fmt.Sprintf("the section %q", headingPath(s.Path)))
}

// from shows what begins at a byte of the stretch from lo to hi.
func (o *fetchOut) from(offset, lo, hi int, what string) error {
	if offset < lo || offset >= max(hi, lo+1) {
		return fmt.Errorf("the offset %d is outside of %s, which has the bytes %d to %d", offset, what, lo, hi)
	}
	start := reading.RuneStart(o.doc.Text, offset)
	end := reading.Fit(o.doc.Text, start, hi, wholeTokens)
	o.show(start, end)
	o.head = fmt.Sprintf("shown: bytes %d-%d", start, end)
	if end < hi {
		o.foot = fmt.Sprintf("%s goes on: read from offset %d.", reading.Capital(what), end)
	}
	return nil
}

// relevant shows the outline and the passages that fit the question best.
func (o *fetchOut) relevant(ctx context.Context, ix *corpus.Index) error {
	call, _ := quarry.CallFrom(ctx)
	passages, err := ix.Passages(ctx, o.DocID, question(call), 0)
	if err != nil {
		return err
	}
	o.outline = outline(o.doc)
	left := partTokens
	var chosen []corpus.Passage
	for _, p := range passages {
		n := reading.Tokens(p.Text)
		if n > left {
			if len(chosen) > 0 {
				continue
			}
			p.End = reading.Fit(o.doc.Text, p.Start, p.End, left)
		}
		if p.Score == 0 && len(chosen) > 0 {
			break
		}
		chosen = append(chosen, p)
		left -= n
	}
	slices.SortFunc(chosen, func(a, b corpus.Passage) int { return a.Start - b.Start })
	for i := 0; i < len(chosen); {
		start, end := chosen[i].Start, chosen[i].End
		for i++; i < len(chosen) && chosen[i].Start == end; i++ {
			end = chosen[i].End
		}
		o.show(start, end)
	}
	o.head = "too long to show whole: its outline, then the parts that fit the question best"
	o.foot = fmt.Sprintf("This is not all of the document. Call %s again with section (a heading from the outline) or offset (a byte) to read another part.", FetchName)
	return nil
}
