package docs

import (
	"encoding/json"
	"fmt"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/session"

	"github.com/quarry-sdk/quarry/toolbox/internal/reading"
)

// Answer is what submit_answer took: the output of a run.
type Answer struct {
	Answer string `json:"answer"`
	// NotInCorpus tells that the corpus does not answer the question.
	NotInCorpus bool       `json:"not_in_corpus"`
	Citations   []Citation `json:"citations"`
	// Unverified marks a draft: what the model had when the run was halted. No
	// rule has checked it, and its citations have no offsets.
	Unverified bool `json:"unverified,omitempty"`
}

// Citation points to the words of a document that an answer rests on.
type Citation struct {
	DocID string `json:"doc_id"`
	Title string `json:"title"`
	// Path is the document's path below the corpus folder.
	Path string `json:"path"`
	// Page is the page's number, nil where the format has none.
	Page *int `json:"page"`
	// Quote is the document's text from Start to End, in bytes, as it stands.
	Quote string `json:"quote"`
	Start int    `json:"start"`
	End   int    `json:"end"`
}

// The statuses of a run, as [Parse] tells them.
const (
	StatusAnswered = "answered"
	StatusNoAnswer = "no_answer" // the corpus does not answer
	StatusHalted   = "halted"    // text without an accepted submission
	StatusLimit    = "limit"     // turns, tokens, time, or a circle
	StatusRefused  = "refused"   // the model declined
	StatusError    = "error"
)

// Parse reads what a run came to. The answer is nil unless the status is
// "answered" or "no_answer"; or "halted", where it is the unverified draft if
// there is any text at all.
func Parse(result *quarry.Result) (*Answer, string) {
	if result == nil {
		return nil, StatusError
	}
	switch result.Subtype {
	case session.Success:
		answer := &Answer{}
		if err := json.Unmarshal(result.Output, answer); err != nil {
			return nil, StatusError
		}
		if answer.NotInCorpus {
			return answer, StatusNoAnswer
		}
		return answer, StatusAnswered
	case session.Halted:
		return draft(result), StatusHalted
	case session.Limited, session.Truncated, session.ContextWindow:
		return nil, StatusLimit
	case session.Refused:
		return nil, StatusRefused
	}
	return nil, StatusError
}

// draft is what the model wanted to say where nothing was accepted.
func draft(result *quarry.Result) *Answer {
	answer := &Answer{}
	if result.Draft == nil || json.Unmarshal(result.Draft, answer) != nil || answer.Answer == "" {
		answer = &Answer{Answer: result.Text}
	}
	if answer.Answer == "" {
		return nil
	}
	for i := range answer.Citations {
		c := &answer.Citations[i]
		*c = Citation{DocID: c.DocID, Quote: c.Quote}
	}
	answer.Unverified = true
	return answer
}

// ToolText is what the model reads when its answer was taken.
func (a *Answer) ToolText() string {
	return fmt.Sprintf("The answer was taken; %s verified.", reading.Count(len(a.Citations), "citation"))
}
