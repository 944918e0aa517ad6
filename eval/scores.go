package eval

import (
	"slices"
	"time"
)

// Scores are the figures of a group of questions. A share is between 0 and 1, and
// 0 where its group is empty: see the counts.
type Scores struct {
	// Questions counts all of them, Answerable those that the corpus answers.
	Questions  int `json:"questions"`
	Answerable int `json:"answerable"`
	// Errors counts the questions that ended in an error.
	Errors int `json:"errors"`

	// Recall1, Recall5 and Recall10 are of search alone: the share of the
	// answerable questions with at least one document that may be cited among the
	// first hits for the raw question. All5 and All10 ask for all gold documents.
	Recall1  float64 `json:"recall_at_1"`
	Recall5  float64 `json:"recall_at_5"`
	Recall10 float64 `json:"recall_at_10"`
	All5     float64 `json:"all_gold_at_5"`
	All10    float64 `json:"all_gold_at_10"`

	// Accuracy is the share of the answerable questions whose answer passes the
	// patterns. A declined one is wrong.
	Accuracy float64 `json:"answer_accuracy"`
	// CitationPrecision is, of the documents that an answer cites, the share that
	// may be cited: the mean over the answers to answerable questions that cite
	// any. Uncited is the share of those answers that cite none.
	CitationPrecision float64 `json:"citation_precision"`
	Uncited           float64 `json:"uncited"`
	// QuoteValidity is the share of all quotes that occur in their document.
	Quotes        int     `json:"quotes"`
	QuoteValidity float64 `json:"quote_validity"`
	// Abstention is the share of the unanswerable questions that were declined,
	// FalseAbstention that of the answerable ones.
	Abstention      float64 `json:"abstention"`
	FalseAbstention float64 `json:"answerable_declined"`

	// Turns, ToolCalls and Mean are means per question; P95 is the duration that
	// 95 of 100 questions stay below.
	Turns     float64       `json:"turns"`
	ToolCalls float64       `json:"tool_calls"`
	Mean      time.Duration `json:"mean_ns"`
	P95       time.Duration `json:"p95_ns"`
}

// score computes the figures of some items.
func score(items []*Item) Scores {
	var s Scores
	var ranked, answered, citing, unanswerable, badQuotes int
	var took []time.Duration
	for _, it := range items {
		s.Questions++
		s.Turns += float64(it.Answer.Turns)
		s.ToolCalls += float64(it.Answer.ToolCalls)
		s.Quotes += it.Quotes
		badQuotes += len(it.BadQuotes)
		s.Mean += it.Duration
		took = append(took, it.Duration)
		if it.Error != "" {
			s.Errors++
		}
		if !it.answerable {
			unanswerable++
			s.Abstention += one(it.Declined)
			continue
		}
		s.Answerable++
		s.Accuracy += one(it.Correct)
		s.FalseAbstention += one(it.Declined)
		if it.ranked {
			ranked++
			s.Recall1 += one(it.Rank == 1)
			s.Recall5 += one(it.Rank > 0 && it.Rank <= 5)
			s.Recall10 += one(it.Rank > 0)
			s.All5 += one(it.AllRank > 0 && it.AllRank <= 5)
			s.All10 += one(it.AllRank > 0)
		}
		if it.Declined || it.Error != "" || it.Answer.Text == "" {
			continue
		}
		answered++
		if it.Cited == 0 {
			s.Uncited++
			continue
		}
		citing++
		s.CitationPrecision += float64(it.CitedOK) / float64(it.Cited)
	}
	divide := func(n int, figures ...*float64) {
		for _, f := range figures {
			if n > 0 {
				*f /= float64(n)
			}
		}
	}
	divide(s.Questions, &s.Turns, &s.ToolCalls)
	divide(s.Answerable, &s.Accuracy, &s.FalseAbstention)
	divide(ranked, &s.Recall1, &s.Recall5, &s.Recall10, &s.All5, &s.All10)
	divide(answered, &s.Uncited)
	divide(citing, &s.CitationPrecision)
	divide(unanswerable, &s.Abstention)
	if s.Quotes > 0 {
		s.QuoteValidity = float64(s.Quotes-badQuotes) / float64(s.Quotes)
	}
	if n := len(took); n > 0 {
		slices.Sort(took)
		s.Mean /= time.Duration(n)
		s.P95 = took[(n*95+99)/100-1]
	}
	return s
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
