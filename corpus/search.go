package corpus

import (
	"context"
	"fmt"
)

// Hit is one document found.
type Hit struct {
	// Rank counts from 1.
	Rank int
	// DocID, Title and Path are the document's.
	DocID, Title, Path string
	// Score has no unit; it compares the hits of one search.
	Score float64
	// Heading is the heading path of what was found in the snippet, the document's title first.
	Heading []string
	// Snippet is the best window of the best passage: at most 300 characters, a verbatim part of the document's Text.
	Snippet string
	// Start and End are the byte offsets of Snippet in the document's Text.
	Start, End int
}

// Search returns the documents that best answer the query, at most limit (0 means 10), best first. A query without a
// content word that the corpus knows finds nothing; Terms tells why.
func (x *Index) Search(ctx context.Context, query string, limit int) ([]Hit, error) {
	if limit <= 0 {
		limit = 10
	}
	var hits []Hit
	err := x.use(ctx, func(s *snapshot) error {
		if s == nil {
			return nil
		}
		terms := s.analyseQuery(ctx, query, &defaults)
		list, err := s.rank(ctx, &defaults, terms)
		if err != nil {
			return err
		}
		for i, r := range list[:min(limit, len(list))] {
			doc, err := s.document(int(r.doc))
			if err != nil {
				return err
			}
			h := Hit{Rank: i + 1, DocID: doc.ID, Title: doc.Title, Path: doc.Path, Score: r.score}
			from, to := s.bounds(r.passage)
			var focus int
			h.Start, h.End, focus = s.snippet(doc.Text, from, to, terms)
			h.Snippet = doc.Text[h.Start:h.End]
			if sec, ok := doc.SectionAt(focus); ok {
				h.Heading = sec.Path
			}
			hits = append(hits, h)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("search corpus: %w", err)
	}
	return hits, nil
}

// Passage is a run of whole paragraphs of one document, ranked for a question.
type Passage struct {
	// Heading is the heading path, the document's title first.
	Heading []string
	// Text is Document.Text[Start:End].
	Text string
	// Start and End are byte offsets into the document's Text.
	Start, End int
	// Score compares the passages of one document for one query; 0 means that no word of the query occurs.
	Score float64
}

// Passages ranks the passages of one document for a query, at most n (0 means all), best first; equal scores keep the
// order of the text. Passages lie side by side and cover the document. An unknown id is a *NoDocumentError.
func (x *Index) Passages(ctx context.Context, docID, query string, n int) ([]Passage, error) {
	var list []Passage
	err := x.use(ctx, func(s *snapshot) error {
		i, err := s.find(docID)
		if err != nil {
			return err
		}
		doc, err := s.document(i)
		if err != nil {
			return err
		}
		list, err = s.passages(ctx, i, doc, s.analyseQuery(ctx, query, &defaults))
		return err
	})
	if n > 0 && n < len(list) {
		list = list[:n]
	}
	return list, err
}
