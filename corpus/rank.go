package corpus

import (
	"context"
	"math"
	"slices"
)

// weights are the constants of the ranking; doc.go explains what each part is for.
type weights struct {
	k1, b    float64 // BM25 of documents: saturation of the term frequency, share of the length normalisation
	pk1, pb  float64 // the same of passages
	surface  float64 // share of a word's score that its exact form earns, the rest its stem
	title    float64 // weight of a match in the title
	head     float64 // occurrences in a passage that one in its heading path is worth
	whole    float64 // weight of a compound found as a whole
	anchor   float64 // weight of a match in the texts of links to the document
	passage  float64 // weight of the best passage beside the document
	decay    float64 // weight of each further passage relative to the one before
	links    float64 // share of the score that a text of nothing but links loses
	synonym  float64 // weight of a synonym where the word itself is missing
	glossary float64 // weight of an English gloss when the corpus also knows the East Asian word
}

var defaults = weights{
	k1: 1.2, b: 0.75, pk1: 1.2, pb: 0.75, surface: 0.3, title: 0.8, head: 1, whole: 1, anchor: 0.7,
	passage: 1, decay: 0.5, links: 0.5, synonym: 0.5, glossary: 0.3,
}

// topPassages is the number of passages of a document that count.
const topPassages = 4

// ranked is a document with its best passage.
type ranked struct {
	doc     int32
	passage int32
	score   float64
}

// tally sums scores over a sparse set of places.
type tally struct {
	value   []float64
	touched []int32
}

func newTally(n int) tally { return tally{value: make([]float64, n)} }

func (t *tally) add(i int32, v float64) {
	if t.value[i] == 0 {
		t.touched = append(t.touched, i)
	}
	t.value[i] += v
}

func (t *tally) clear() {
	for _, i := range t.touched {
		t.value[i] = 0
	}
	t.touched = t.touched[:0]
}

// raise lifts t to weight times from where that is more, and empties from.
func (t *tally) raise(from *tally, weight float64) {
	for _, i := range from.touched {
		v := weight * from.value[i]
		from.value[i] = 0
		if t.value[i] == 0 && v > 0 {
			t.touched = append(t.touched, i)
		}
		t.value[i] = max(t.value[i], v)
	}
	from.touched = from.touched[:0]
}

// pour adds from to t and empties it.
func (t *tally) pour(from *tally) {
	for _, i := range from.touched {
		t.add(i, from.value[i])
		from.value[i] = 0
	}
	from.touched = from.touched[:0]
}

// scorer computes one ranking.
type scorer struct {
	s *snapshot
	w *weights
	// doc and passage are the totals; the others belong to the concept and the variant at hand.
	doc, passage               tally
	conceptDoc, conceptPassage tally
	variantDoc, variantPassage tally
}

func newScorer(s *snapshot) *scorer {
	docs, passages := len(s.man.Docs), len(s.docOf)
	return &scorer{
		s: s, doc: newTally(docs), passage: newTally(passages), conceptDoc: newTally(docs),
		conceptPassage: newTally(passages), variantDoc: newTally(docs), variantPassage: newTally(passages),
	}
}

// scorer returns an empty scorer, to be released after use.
func (s *snapshot) scorer(w *weights) *scorer {
	r := s.scorers.Get().(*scorer)
	r.w = w
	return r
}

func (r *scorer) release() {
	for _, t := range []*tally{&r.doc, &r.passage, &r.conceptDoc, &r.conceptPassage, &r.variantDoc, &r.variantPassage} {
		t.clear()
	}
	r.s.scorers.Put(r)
}

// idf is the inverse document frequency of a term that n of total texts hold; it is never negative.
func idf(total, n int) float64 {
	return math.Log(1 + (float64(total)-float64(n)+0.5)/(float64(n)+0.5))
}

// saturate is the part of BM25 that depends on the text: tf occurrences among words, where avg is usual.
func saturate(tf, words, avg, k1, b float64) float64 {
	return tf * (k1 + 1) / (tf + k1*(1-b+b*words/avg))
}

// run scores every concept. Of a concept's variants the best counts in each document and passage.
func (r *scorer) run(ctx context.Context, query []concept) error {
	for _, c := range query {
		for _, v := range c.variants {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			if err := r.variant(ctx, v); err != nil {
				return err
			}
			r.conceptDoc.raise(&r.variantDoc, v.weight*c.weight)
			r.conceptPassage.raise(&r.variantPassage, v.weight*c.weight)
		}
		r.doc.pour(&r.conceptDoc)
		r.passage.pour(&r.conceptPassage)
	}
	return nil
}

func (r *scorer) variant(ctx context.Context, v variant) error {
	if v.kind == wholeTerm {
		body, err := r.s.lookup(ctx, fieldWhole, v.text)
		r.body(body, nil, r.w.whole)
		return err
	}
	body, err := r.s.lookup(ctx, fieldBody, v.text)
	if err != nil {
		return err
	}
	head, err := r.s.lookup(ctx, fieldHead, v.text)
	if err != nil {
		return err
	}
	if v.word == "" {
		r.body(body, head, 1)
	} else {
		exact, err := r.s.lookup(ctx, fieldSurface, v.word)
		if err != nil {
			return err
		}
		r.body(body, head, 1-r.w.surface)
		r.body(exact, nil, r.w.surface)
	}
	title, err := r.s.lookup(ctx, fieldTitle, v.text)
	if err != nil {
		return err
	}
	rarity := idf(len(r.s.man.Docs), r.s.spread(body))
	for _, t := range title {
		r.variantDoc.add(r.s.docOf[t.passage], r.w.title*rarity)
	}
	anchor, err := r.s.lookup(ctx, fieldAnchor, v.text)
	if err != nil {
		return err
	}
	rarity = idf(len(r.s.man.Docs), len(anchor))
	for _, t := range anchor {
		doc := r.s.docOf[t.passage]
		r.variantDoc.add(doc, r.w.anchor*rarity*saturate(float64(t.freq), r.s.anchors[doc], r.s.avgAnchors, r.w.k1, r.w.b))
	}
	return nil
}

// body adds what occurrences in the text, and in the heading paths above it, are worth. Both lists are sorted.
func (r *scorer) body(body, head []posting, weight float64) {
	s, w := r.s, r.w
	rarity := weight * idf(len(s.man.Docs), s.spread(body))
	for lo := 0; lo < len(body); {
		doc, tf := s.docOf[body[lo].passage], 0.0
		for ; lo < len(body) && s.docOf[body[lo].passage] == doc; lo++ {
			tf += float64(body[lo].freq)
		}
		r.variantDoc.add(doc, rarity*saturate(tf, s.docWords[doc], s.avgDoc, w.k1, w.b))
	}
	rarity = weight * idf(len(s.docOf), max(len(body), len(head)))
	for i, j := 0, 0; i < len(body) || j < len(head); {
		p, tf := int32(math.MaxInt32), 0.0
		if i < len(body) {
			p = body[i].passage
		}
		if j < len(head) {
			p = min(p, head[j].passage)
		}
		if i < len(body) && body[i].passage == p {
			tf = float64(body[i].freq)
			i++
		}
		if j < len(head) && head[j].passage == p {
			tf += w.head * float64(head[j].freq)
			j++
		}
		r.variantPassage.add(p, rarity*saturate(tf, s.words[p], s.avgWords, w.pk1, w.pb))
	}
}

// spread counts the documents of a sorted list of postings.
func (s *snapshot) spread(list []posting) int {
	n, last := 0, int32(-1)
	for _, p := range list {
		if d := s.docOf[p.passage]; d != last {
			n, last = n+1, d
		}
	}
	return n
}

// rank returns the documents that hold a term of the query, best first; equal scores are ordered by path.
func (s *snapshot) rank(ctx context.Context, w *weights, query []concept) ([]ranked, error) {
	r := s.scorer(w)
	defer r.release()
	if err := r.run(ctx, query); err != nil {
		return nil, err
	}
	list := make([]ranked, 0, len(r.doc.touched))
	for _, d := range r.doc.touched {
		hit := ranked{doc: d, passage: s.first[d], score: r.doc.value[d] * (1 - w.links*s.docLinked[d])}
		var top [topPassages]float64
		for p := s.first[d]; p < s.first[d+1]; p++ {
			v := r.passage.value[p] * (1 - w.links*s.linked[p])
			if v > top[0] {
				hit.passage = p
			}
			for k := range top {
				if v > top[k] {
					v, top[k] = top[k], v
				}
			}
		}
		share := w.passage
		for _, v := range top {
			hit.score += share * v
			share *= w.decay
		}
		list = append(list, hit)
	}
	slices.SortFunc(list, func(a, b ranked) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return int(a.doc - b.doc)
	})
	return list, nil
}
