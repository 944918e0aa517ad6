package eval

import (
	"fmt"
	"strings"
	"time"
)

// Report is what a run came to. It encodes to JSON, and prints as text.
type Report struct {
	All Scores `json:"all"`
	// Kinds are the figures of each kind, in the order of their first questions.
	Kinds []KindScores `json:"kinds"`
	// Items are the questions in the order of the set.
	Items []Item `json:"items"`
	// Duration is how long the whole run took.
	Duration time.Duration `json:"duration_ns"`
}

// KindScores are the figures of one kind of question.
type KindScores struct {
	Kind string `json:"kind"`
	Scores
}

func newReport(items []Item, took time.Duration) *Report {
	r := &Report{Items: items, Duration: took}
	var all []*Item
	groups := make(map[string][]*Item)
	var kinds []string
	for i := range items {
		it := &items[i]
		all = append(all, it)
		if groups[it.Kind] == nil {
			kinds = append(kinds, it.Kind)
		}
		groups[it.Kind] = append(groups[it.Kind], it)
	}
	r.All = score(all)
	for _, k := range kinds {
		r.Kinds = append(r.Kinds, KindScores{k, score(groups[k])})
	}
	return r
}

// Failures are the questions that were not answered rightly, in their order.
func (r *Report) Failures() []*Item {
	var list []*Item
	for i := range r.Items {
		if !r.Items[i].Correct {
			list = append(list, &r.Items[i])
		}
	}
	return list
}

// String is the report as a table, one line for each kind, and the failures.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-13s %3s %4s  %-17s %-11s  %5s  %5s %5s  %5s  %5s %5s  %6s %6s\n",
		"", "n", "err", "recall@1/5/10", "all@5/10", "right", "cites", "none", "quote", "abst", "decl", "mean", "p95")
	for _, k := range r.Kinds {
		k.line(&b, k.Kind)
	}
	r.All.line(&b, "all")
	fmt.Fprintf(&b, "%d quotes checked; %.1f turns and %.1f tool calls a question; %v in all\n", r.All.Quotes, r.All.Turns, r.All.ToolCalls, r.Duration.Round(time.Millisecond))
	for _, it := range r.Failures() {
		what := "wrong"
		switch {
		case it.Error != "":
			what = "error: " + collapse(it.Error)
		case it.Declined:
			what = "declined"
		case it.Answer.Text == "":
			what = "no answer: " + it.Answer.Status
		case !it.answerable:
			what = "answered, not declined"
		}
		fmt.Fprintf(&b, "%s (%s): %s: %s\n", it.ID, it.Kind, what, collapse(it.Question))
	}
	return b.String()
}

func (s *Scores) line(b *strings.Builder, name string) {
	share := func(f float64, n int) string {
		if n == 0 {
			return "    –"
		}
		return fmt.Sprintf("%.3f", f)
	}
	a := s.Answerable
	fmt.Fprintf(b, "%-13s %3d %4d  %s/%s/%s %s/%s  %s  %s %s  %s  %s %s  %6s %6s\n", name, s.Questions, s.Errors,
		share(s.Recall1, a), share(s.Recall5, a), share(s.Recall10, a), share(s.All5, a), share(s.All10, a),
		share(s.Accuracy, a), share(s.CitationPrecision, a), share(s.Uncited, a), share(s.QuoteValidity, s.Quotes),
		share(s.Abstention, s.Questions-a), share(s.FalseAbstention, a), short(s.Mean), short(s.P95))
}

func short(d time.Duration) string { return d.Round(time.Millisecond).String() }
