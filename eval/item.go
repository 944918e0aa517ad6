package eval

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Item is one question with its answer and what was found about it.
type Item struct {
	ID       string        `json:"id"`
	Kind     string        `json:"kind"`
	Question string        `json:"question"`
	Answer   Answer        `json:"answer"`
	Error    string        `json:"error,omitempty"`
	Duration time.Duration `json:"duration_ns"`
	// Correct: the answer passes the question's patterns and was not declined; of
	// an unanswerable question, it was declined.
	Correct bool `json:"correct"`
	// Declined is Answer.Declined, or what Options.DeclineByText makes of it.
	Declined bool `json:"declined"`
	// Cited counts the distinct documents cited, CitedOK those that may be.
	Cited   int `json:"cited"`
	CitedOK int `json:"cited_ok"`
	// Quotes counts the quotes that were checked. BadQuotes are those that do not
	// occur in their document.
	Quotes    int        `json:"quotes"`
	BadQuotes []Citation `json:"bad_quotes,omitempty"`
	// Rank is where search alone has the first document that may be cited, 0 where
	// none is among the first ten; AllRank is where it has found all gold ones.
	Rank    int `json:"rank"`
	AllRank int `json:"all_rank"`

	answerable, ranked bool
}

// judge scores the answer itself.
func (it *Item) judge(q *Question, opts *Options) {
	a := &it.Answer
	it.Declined = a.Declined
	if !it.answerable {
		if opts.DeclineByText {
			it.Declined = it.Declined || q.Matches(a.Text)
		}
		it.Correct = it.Declined && it.Error == ""
	} else {
		it.Correct = !it.Declined && it.Error == "" && q.Matches(a.Text)
	}
	var cited []string
	for _, c := range a.Citations {
		if !slices.Contains(cited, c.DocID) {
			cited = append(cited, c.DocID)
			if q.accepts(c.DocID) {
				it.CitedOK++
			}
		}
	}
	it.Cited = len(cited)
}

// rank finds the question's documents among the hits.
func (it *Item) rank(q *Question, hits []string) {
	it.ranked = true
	hits = hits[:min(len(hits), recallDepth)]
	for i, h := range hits {
		if it.Rank == 0 && q.accepts(h) {
			it.Rank = i + 1
		}
	}
	for _, g := range q.GoldDocs {
		i := slices.Index(hits, g)
		if i < 0 {
			it.AllRank = 0
			return
		}
		it.AllRank = max(it.AllRank, i+1)
	}
}

// checkQuotes looks for each quote in its document, white space collapsed.
func (it *Item) checkQuotes(ctx context.Context, text func(context.Context, string) (string, error)) error {
	for _, c := range it.Answer.Citations {
		it.Quotes++
		page, err := text(ctx, c.DocID)
		if err != nil {
			return fmt.Errorf("text of %s: %w", c.DocID, err)
		}
		if quote := collapse(c.Quote); quote == "" || !strings.Contains(collapse(page), quote) {
			it.BadQuotes = append(it.BadQuotes, c)
		}
	}
	return nil
}
