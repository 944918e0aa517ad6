package eval

import (
	"context"
	"fmt"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/corpus"
	"github.com/quarry-sdk/quarry/toolbox/docs"
)

// Answer is what a system says to a question.
type Answer struct {
	Text string `json:"text"`
	// Declined tells that the system says that the corpus does not answer.
	Declined  bool       `json:"declined"`
	Citations []Citation `json:"citations"`
	// Status is the system's own word for how it ended, for reports.
	Status string `json:"status,omitempty"`
	// Turns and ToolCalls are what it cost, 0 where that is not known.
	Turns     int `json:"turns,omitempty"`
	ToolCalls int `json:"tool_calls,omitempty"`
}

// Citation is a document that an answer rests on, with the words quoted from it.
type Citation struct {
	DocID string `json:"doc_id"`
	Quote string `json:"quote"`
}

// Agent asks an agent of toolbox/docs, each question in a session of its own. A
// run without an accepted answer is an empty Answer with its status, and no
// error: it counts as wrong.
func Agent(agent *quarry.Agent) func(context.Context, *Question) (Answer, error) {
	return func(ctx context.Context, q *Question) (Answer, error) {
		result, err := agent.Run(ctx, quarry.Input{Prompt: q.Question})
		if err != nil {
			return Answer{}, err
		}
		got, status := docs.Parse(result)
		a := Answer{Status: status, Turns: result.Turns, ToolCalls: result.ToolCalls}
		switch status {
		case docs.StatusAnswered, docs.StatusNoAnswer:
		case docs.StatusError:
			return a, fmt.Errorf("the run ended as %s: %s", result.Reason, result.Detail)
		default:
			return a, nil
		}
		a.Text, a.Declined = got.Answer, got.NotInCorpus
		for _, c := range got.Citations {
			a.Citations = append(a.Citations, Citation{c.DocID, c.Quote})
		}
		return a, nil
	}
}

// Search ranks the documents of an index, for [Options.Search].
func Search(ix *corpus.Index) func(ctx context.Context, query string, k int) ([]string, error) {
	return func(ctx context.Context, query string, k int) ([]string, error) {
		hits, err := ix.Search(ctx, query, k)
		if err != nil {
			return nil, err
		}
		ids := make([]string, len(hits))
		for i, h := range hits {
			ids[i] = h.DocID
		}
		return ids, nil
	}
}
