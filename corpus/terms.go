package corpus

import "context"

// Term is one content word of a query as the index sees it.
type Term struct {
	// Text is the analysed form: lower case, stemmed; a pair of characters in East Asian scripts; or a whole compound.
	Text string
	// Surface is the word as the query has it.
	Surface string
	// Docs is the number of documents that hold the term in their text or title.
	Docs int
}

// Terms analyses a query: its distinct content words in their order, each with its document frequency. Stop words are
// left out. A compound such as server.crt yields its parts and then itself. Compare Docs with Count.
func (x *Index) Terms(ctx context.Context, query string) ([]Term, error) {
	var list []Term
	err := x.use(ctx, func(s *snapshot) error {
		seen := make(map[variant]bool)
		for _, t := range newAnalyzer().terms(nil, query) {
			if q := (variant{text: t.text, kind: t.kind}); seen[q] {
				continue
			} else {
				seen[q] = true
			}
			n, err := s.docFreq(ctx, t)
			if err != nil {
				return err
			}
			list = append(list, Term{Text: t.text, Surface: query[t.start:t.end], Docs: n})
		}
		return nil
	})
	return list, err
}

// docFreq counts the documents that hold a term.
func (s *snapshot) docFreq(ctx context.Context, t term) (int, error) {
	if s == nil {
		return 0, nil
	}
	docs := make(map[int32]bool)
	fields := []string{fieldBody, fieldTitle}
	if t.kind == wholeTerm {
		fields = []string{fieldWhole}
	}
	for _, f := range fields {
		list, err := s.lookup(ctx, f, t.text)
		if err != nil {
			return 0, err
		}
		for _, p := range list {
			docs[s.docOf[p.passage]] = true
		}
	}
	return len(docs), nil
}
