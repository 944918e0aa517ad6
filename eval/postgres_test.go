package eval_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/quarry-sdk/quarry/eval"
	"github.com/quarry-sdk/quarry/internal/sharedtest"
)

// TestPostgres measures the built-in model over the PostgreSQL manual and holds it
// to what docs/evaluation.md says.
func TestPostgres(t *testing.T) {
	slow(t)
	folder := sharedtest.PostgresManual(t)
	set, err := eval.ReadFile(sharedtest.Path(t, "datasets", "postgres-qa", "dev.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	r := measure(t, indexOf(t, folder), set, eval.Options{Text: func(_ context.Context, id string) (string, error) {
		data, err := os.ReadFile(filepath.Join(folder, filepath.Base(id)+".html"))
		return eval.PageText(string(data)), err
	}})
	t.Logf("postgres-qa dev, extractive:\n%s", r)
	for _, it := range r.Items {
		for _, c := range it.BadQuotes {
			t.Errorf("%s: the quote is not in the page %s: %q", it.ID, c.DocID, c.Quote)
		}
	}
	var facts eval.Scores
	for _, k := range r.Kinds {
		if k.Kind == "fact" {
			facts = k.Scores
		}
	}
	s := r.All
	floor := func(name string, got, want float64) {
		t.Helper()
		if got < want {
			t.Errorf("%s is %.3f, below %.3f", name, got, want)
		}
	}
	floor("the number of quotes", float64(s.Quotes), 60)
	floor("quote validity", s.QuoteValidity, 1)
	floor("accuracy over facts", facts.Accuracy, 0.5)
	floor("accuracy", s.Accuracy, 0.5)
	floor("citation precision", s.CitationPrecision, 0.75)
	floor("abstention", s.Abstention, 0.75)
	floor("answerable questions answered", 1-s.FalseAbstention, 0.85)
	floor("answers with citations", 1-s.Uncited, 1)
	floor("questions without an error", float64(s.Questions-s.Errors), float64(s.Questions))
}

// TestPostgresMore asks 80 further questions of our own over the same manual. Their
// patterns are coarser than those of postgres-qa; see testdata/README.md.
func TestPostgresMore(t *testing.T) {
	slow(t)
	folder := sharedtest.PostgresManual(t)
	set, err := eval.ReadFile(filepath.Join("testdata", "postgres-more.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	r := measure(t, indexOf(t, folder), set, eval.Options{})
	t.Logf("postgres-more, extractive:\n%s", r)
	if s := r.All; s.Accuracy < 0.55 || s.Abstention < 0.75 || s.FalseAbstention > 0.1 || s.CitationPrecision < 0.6 || s.Errors > 0 {
		t.Errorf("got %+v", s)
	}
}

// TestOtherCorpora checks that the built-in model was not made for one manual:
// short encyclopedia paragraphs, in English and in Chinese, and questions that
// need two of them.
func TestOtherCorpora(t *testing.T) {
	slow(t)
	for _, tt := range []struct {
		name                string
		load                func(testing.TB) (string, eval.Set)
		accuracy, precision float64
	}{
		{"xquad-en", func(t testing.TB) (string, eval.Set) { return xquad(t, "en") }, 0.85, 0.85},
		{"xquad-zh", func(t testing.TB) (string, eval.Set) { return xquad(t, "zh") }, 0.8, 0.8},
		{"hotpotqa", hotpot, 0.3, 0.7},
	} {
		t.Run(tt.name, func(t *testing.T) {
			folder, set := tt.load(t)
			r := measure(t, indexOf(t, folder), set, eval.Options{})
			s := r.All
			t.Logf("%s: %d questions: gold answer in the answer %.3f, citation precision %.3f, declined %.3f, recall@1/5 %.3f/%.3f, mean %v",
				tt.name, s.Questions, s.Accuracy, s.CitationPrecision, s.FalseAbstention, s.Recall1, s.Recall5, s.Mean)
			if s.Accuracy < tt.accuracy || s.CitationPrecision < tt.precision || s.Errors > 0 {
				t.Errorf("accuracy %.3f (at least %.2f), citation precision %.3f (at least %.2f), %d errors", s.Accuracy, tt.accuracy, s.CitationPrecision, tt.precision, s.Errors)
			}
		})
	}
}
