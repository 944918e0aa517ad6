package corpus

import (
	"math"
	"testing"
)

// scoresOf returns the scores of a search by document.
func scoresOf(t *testing.T, x *Index, query string) map[string]float64 {
	t.Helper()
	hits, err := x.Search(t.Context(), query, 100)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, h := range hits {
		got[h.DocID] = h.Score
	}
	return got
}

func TestRankingRules(t *testing.T) {
	x := open(t, t.TempDir(), Options{})
	update(t, x, lay(t, map[string]string{
		"word.md":    "# Same\n\nIt will remove nothing else whatever.",
		"both.md":    "# Same\n\nIt will remove, delete nothing whatever.",
		"synonym.md": "# Same\n\nIt will delete nothing else whatever.",
		"stem.md":    "# Same\n\nIt will be removing nothing else whatever.",
		"other.md":   "# Same\n\nThis has nothing else whatever.",
		"links.md":   "# Same\n\n[It will remove nothing else whatever.](http://x.example)",
		"called.md":  "# Same\n\nThis page names nothing else whatever.",
		"caller.md":  "# Same\n\nSee [frobnication](called.md) please.",
		"titled.md":  "# Quux\n\nIt has nothing else whatever.",
		"body.md":    "# Same\n\nIt has quux else whatever.",
	}), [4]int{10, 0, 0, 10})
	got := scoresOf(t, x, "remove")
	if math.Abs(got["both"]-got["word"]) > 1e-9 {
		t.Errorf("a synonym beside the word adds to the score: %v, %v", got["both"], got["word"])
	}
	if !(got["word"] > got["stem"] && got["stem"] > 0 && got["word"] > got["synonym"] && got["synonym"] > 0) {
		t.Errorf("want the word itself before its stem and before a synonym: %v", got)
	}
	if got["links"] >= got["word"] || got["links"] <= 0 {
		t.Errorf("a text of links scores %v, plain text %v", got["links"], got["word"])
	}
	if _, ok := got["other"]; ok {
		t.Error("a document without the word is found")
	}
	if got := scoresOf(t, x, "frobnication"); got["called"] <= 0 {
		t.Errorf("a document is not found by what another calls it: %v", got)
	}
	if got := scoresOf(t, x, "quux"); got["titled"] <= got["body"] {
		t.Errorf("the title counts no more than the body: %v", got)
	}
}

func TestBM25(t *testing.T) {
	if got, want := idf(100, 9), math.Log(1+91.5/9.5); math.Abs(got-want) > 1e-12 {
		t.Errorf("idf(100, 9) = %v, want %v", got, want)
	}
	if idf(3, 3) <= 0 {
		t.Error("a term that every text holds has no weight above 0")
	}
	if got, want := saturate(2, 50, 100, 1.2, 0.75), 2*2.2/(2+1.2*(0.25+0.75*0.5)); math.Abs(got-want) > 1e-12 {
		t.Errorf("saturate = %v, want %v", got, want)
	}
}
