package corpus

import "testing"

// Nothing here is tuned to a collection: every figure is that of the product's defaults. The control figures are those
// of a plain BM25 (k1 1.2, b 0.75) in the data sets' README.
func TestRetrieval(t *testing.T) {
	tests := []struct {
		name       string
		collection func(testing.TB) *collection
		queries    int
		control    float64 // nDCG@10 to come within 0.01 of, 0 for none
		r1, r5     float64 // least recall
	}{
		{name: "cranfield", collection: cranfield, queries: 225, control: 0.3847},
		{name: "cacm", collection: cacm, queries: 52, control: 0.4527},
		{name: "vaswani", collection: vaswani, queries: 93, control: 0.4318},
		{name: "xquad zh", collection: func(t testing.TB) *collection { return xquad(t, "zh") }, queries: 1190, r1: 0.90, r5: 0.97},
		{name: "xquad en", collection: func(t testing.TB) *collection { return xquad(t, "en") }, queries: 1190, r1: 0.92, r5: 0.97},
		{name: "hotpotqa", collection: hotpot, queries: 500, r5: 0.77},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := test.collection(t)
			if raceEnabled {
				c.shrink(t)
			}
			x := open(t, t.TempDir(), Options{})
			report, err := x.Update(t.Context(), c.write(t))
			if err != nil {
				t.Fatal(err)
			}
			empty := 0
			for _, s := range report.Skipped {
				if s.Reason != "empty file" {
					t.Errorf("skipped: %+v", s)
				}
				empty++
			}
			if report.Documents+empty != len(c.files) {
				t.Errorf("%d documents of %d", report.Documents, len(c.files))
			}
			got := c.measure(func(query string) []string {
				hits, err := x.Search(t.Context(), query, 10)
				if err != nil {
					t.Fatal(err)
				}
				var ids []string
				for _, h := range hits {
					ids = append(ids, h.DocID)
				}
				return ids
			})
			t.Logf("%s (%d documents): %v; control nDCG@10 %.4f", test.name, report.Documents, got, test.control)
			if raceEnabled {
				return // the share that runs under the race detector has other figures
			}
			if got.queries != test.queries {
				t.Errorf("%d queries, want %d", got.queries, test.queries)
			}
			if got.ndcg10 < test.control-0.01 || got.r1 < test.r1 || got.r5 < test.r5 {
				t.Errorf("%v is below control %.4f - 0.01, R@1 %.2f or R@5 %.2f", got, test.control, test.r1, test.r5)
			}
		})
	}
}

// shrink keeps a share of a collection that the race detector gets through: the relevant documents of the first ten
// queries and a few hundred others.
func (c *collection) shrink(t testing.TB) {
	t.Helper()
	var queries []testQuery
	keep := map[string]bool{}
	for _, q := range c.queries {
		if len(q.relevant) > 0 && len(queries) < 10 {
			queries = append(queries, q)
			for id := range q.relevant {
				keep[id] = true
			}
		}
	}
	files := map[string]string{}
	for i, name := range sortedKeys(c.files) {
		id := name[:len(name)-len(".txt")]
		if name[len(name)-len(".txt"):] != ".txt" {
			id = name[:len(name)-len(".html")]
		}
		if keep[id] || i < 150 {
			files[name] = c.files[name]
		}
	}
	t.Logf("under the race detector: %d of %d documents, %d queries", len(files), len(c.files), len(queries))
	c.files, c.queries = files, queries
}
