package corpus

import (
	"context"
	"math"
	"sort"
)

// weights are the constants of the ranking.
type weights struct {
	k1, b     float64 // BM25 of documents
	pk1, pb   float64 // BM25 of passages
	title     float64 // occurrences in the body that one in the title is worth
	head      float64 // occurrences in a passage that one in its heading path is worth
	whole     float64 // weight of a compound found as a whole
	passage   float64 // weight of the best passage beside the document
	second    float64 // weight of the second best passage
	links     float64 // share of the score that a text of nothing but links loses
	feedback  int     // passages that pseudo relevance feedback reads
	expand    int     // terms that it adds
	expansion float64 // weight of all added terms together, of the query's
}

var defaults = weights{k1: 1.2, b: 0.75, pk1: 1.2, pb: 0.75, title: 1, head: 1, whole: 1, passage: 1, second: 0, links: 0.5}

// queryTerm is one distinct term of a query.
type queryTerm struct {
	text   string
	kind   kind
	weight float64
}

// analyseQuery returns the distinct terms of a query in the order of their first occurrence.
func analyseQuery(query string) []queryTerm {
	var list []queryTerm
	at := make(map[queryTerm]int)
	for _, t := range newAnalyzer().terms(nil, query) {
		q := queryTerm{text: t.text, kind: t.kind}
		if i, ok := at[q]; ok {
			list[i].weight++
			continue
		}
		at[q] = len(list)
		q.weight = 1
		list = append(list, q)
	}
	return list
}

// scores holds the running figures of one search.
type scores struct {
	doc     []float64 // document -> score as a whole
	passage []float64 // passage -> score on its own
}

// ranked is a document with its best passage.
type ranked struct {
	doc     int32
	passage int32
	score   float64
}

// idf is the inverse document frequency of a term in n of total texts, never negative.
func idf(total, n int) float64 {
	return math.Log(1 + (float64(total)-float64(n)+0.5)/(float64(n)+0.5))
}

// score adds the BM25 contributions of one term to documents and passages.
func (s *snapshot) score(ctx context.Context, w *weights, sc *scores, q queryTerm) error {
	boost := q.weight
	field := fieldBody
	var title, head []posting
	var err error
	if q.kind == wholeTerm {
		field = fieldWhole
		boost *= w.whole
	} else {
		if title, err = s.lookup(ctx, fieldTitle, q.text); err != nil {
			return err
		}
		if head, err = s.lookup(ctx, fieldHead, q.text); err != nil {
			return err
		}
	}
	body, err := s.lookup(ctx, field, q.text)
	if err != nil {
		return err
	}
	// Both lists are sorted by passage: walk them together, document by document.
	type group struct {
		doc    int32
		tf     float64
		lo, hi int
	}
	docs := make([]group, 0, len(body))
	i, j := 0, 0
	for i < len(body) || j < len(title) {
		g := group{doc: math.MaxInt32, lo: i}
		if i < len(body) {
			g.doc = s.docOf[body[i].passage]
		}
		if j < len(title) {
			g.doc = min(g.doc, s.docOf[title[j].passage])
		}
		for ; i < len(body) && s.docOf[body[i].passage] == g.doc; i++ {
			g.tf += float64(body[i].freq)
		}
		g.hi = i
		for ; j < len(title) && s.docOf[title[j].passage] == g.doc; j++ {
			g.tf += w.title * float64(title[j].freq)
		}
		docs = append(docs, g)
	}
	docIDF := boost * idf(len(s.man.Docs), len(docs))
	for _, g := range docs {
		norm := w.k1 * (1 - w.b + w.b*s.docWords[g.doc]/s.avgDoc)
		sc.doc[g.doc] += docIDF * g.tf * (w.k1 + 1) / (g.tf + norm)
	}
	passIDF := boost * idf(len(s.docOf), max(len(body), len(head)))
	add := func(p int32, tf float64) {
		norm := w.pk1 * (1 - w.pb + w.pb*s.words[p]/s.avgWords)
		sc.passage[p] += passIDF * tf * (w.pk1 + 1) / (tf + norm)
	}
	i, j = 0, 0
	for i < len(body) || j < len(head) {
		switch {
		case j == len(head) || i < len(body) && body[i].passage < head[j].passage:
			add(body[i].passage, float64(body[i].freq))
			i++
		case i == len(body) || head[j].passage < body[i].passage:
			add(head[j].passage, w.head*float64(head[j].freq))
			j++
		default:
			add(body[i].passage, float64(body[i].freq)+w.head*float64(head[j].freq))
			i++
			j++
		}
	}
	return nil
}

// rank returns the documents that hold a term of the query, best first; equal scores are ordered by path.
func (s *snapshot) rank(ctx context.Context, w *weights, query []queryTerm) ([]ranked, *scores, error) {
	sc := &scores{doc: make([]float64, len(s.man.Docs)), passage: make([]float64, len(s.docOf))}
	for _, q := range query {
		if err := context.Cause(ctx); err != nil {
			return nil, nil, err
		}
		if err := s.score(ctx, w, sc, q); err != nil {
			return nil, nil, err
		}
	}
	var list []ranked
	for d, score := range sc.doc {
		r := ranked{doc: int32(d), passage: s.first[d]}
		best, second := 0.0, 0.0
		for p := s.first[d]; p < s.first[d+1]; p++ {
			v := sc.passage[p] * (1 - w.links*s.linked[p])
			if v > best {
				best, second, r.passage = v, best, p
			} else if v > second {
				second = v
			}
		}
		r.score = score*(1-w.links*s.docLinked[d]) + w.passage*best + w.second*second
		if r.score > 0 {
			list = append(list, r)
		}
	}
	sort.Slice(list, func(i, j int) bool {
		if list[i].score != list[j].score {
			return list[i].score > list[j].score
		}
		return list[i].doc < list[j].doc
	})
	return list, sc, nil
}
