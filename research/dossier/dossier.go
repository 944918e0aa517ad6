package dossier

import (
	"encoding/json"
	"fmt"
	"time"
)

// Format and Version are those of the file that this package writes.
const (
	Format  = "quarry.dossier"
	Version = 1
)

// Dossier is what a research came to.
type Dossier struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	// Run names the run, Session is its journal.
	Run     string `json:"run"`
	Session string `json:"session"`
	// AsOf is the day that current and stale are meant as of.
	AsOf     string  `json:"as_of"`
	Subject  Subject `json:"subject"`
	Language string  `json:"language"`
	Plan     Plan    `json:"plan"`
	Rounds   []Round `json:"rounds"`
	Stop     Stop    `json:"stop"`

	// Statements are in the order of their fields.
	Statements []Statement `json:"statements"`
	// Prose is text over the statements, written by a model; empty if there is none.
	Prose []Sentence `json:"prose,omitempty"`
	// Dropped are sentences of it that failed a check.
	Dropped  []DroppedSentence `json:"dropped,omitempty"`
	Gaps     []Gap             `json:"gaps,omitempty"`
	Records  []Record          `json:"records"`
	Verdicts []Verdict         `json:"verdicts"`
	Sources  []Source          `json:"sources"`
	// Refused counts what collectors handed in and what was not recorded, by reason.
	Refused []Refusal `json:"refused,omitempty"`
	Cost    Cost      `json:"cost"`
	Made    Made      `json:"made"`
}

// Round is what one round did.
type Round struct {
	Number      int          `json:"number"`
	Assignments []Assignment `json:"assignments"`
	// Collectors are in the order of the assignments.
	Collectors []Collection `json:"collectors"`
	// NewRecords counts the records that it brought, NewStatements the statements that were accepted first
	// in this round.
	NewRecords    int `json:"new_records"`
	NewStatements int `json:"new_statements"`
}

// Collection is what a collector came to.
type Collection struct {
	SubQuestionID string `json:"sub_question_id"`
	Session       string `json:"session,omitempty"`
	// Status is "collected", "no_evidence" or "incomplete".
	Status  string `json:"status"`
	Reason  string `json:"reason,omitempty"`
	Records int    `json:"records"`
	Sources int    `json:"sources"`
	// Notes are the collector's last words.
	Notes string `json:"notes,omitempty"`
}

// Stop says why a research ended.
type Stop struct {
	// Reason is "answered", "no_progress", "nothing_left", "budget", "rounds", "deadline", "person" or "failed".
	Reason string `json:"reason"`
	Detail string `json:"detail"`
}

// Sentence is a sentence of the prose.
type Sentence struct {
	Field string `json:"field,omitempty"`
	Text  string `json:"text"`
	// Statements are the IDs of what it says.
	Statements []string `json:"statements"`
}

// DroppedSentence is one that failed a check.
type DroppedSentence struct {
	Sentence
	Reason string `json:"reason"`
}

// Gap is what was looked for and not found.
type Gap struct {
	Field string `json:"field,omitempty"`
	// Detail says what is missing, and why.
	Detail string `json:"detail"`
	// URL is the page that could not be read, if that is why.
	URL string `json:"url,omitempty"`
}

// Refusal is why claims were not recorded.
type Refusal struct {
	Reason string `json:"reason"`
	Count  int    `json:"count"`
}

// Cost is what the research used.
type Cost struct {
	// USD is nil where a price is not known.
	USD          *float64      `json:"usd"`
	Turns        int64         `json:"turns"`
	InputTokens  int64         `json:"input_tokens"`
	OutputTokens int64         `json:"output_tokens"`
	Searches     int64         `json:"searches"`
	Fetches      int64         `json:"fetches"`
	Duration     time.Duration `json:"duration_ns"`
}

// Made says by what the dossier was made.
type Made struct {
	Quarry string `json:"quarry"`
	// Models are those that were asked, Extractors what read the pages.
	Models     []string  `json:"models"`
	Extractors []string  `json:"extractors"`
	Finished   time.Time `json:"finished"`
}

// Read reads a dossier. It refuses one of a newer version.
func Read(data []byte) (*Dossier, error) {
	var head struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("read dossier: it is no JSON: %w", err)
	}
	if head.Format != Format {
		return nil, fmt.Errorf("read dossier: its format is %q and not %q", head.Format, Format)
	}
	if head.Version < 1 || head.Version > Version {
		return nil, fmt.Errorf("read dossier: it is of version %d, and this program reads up to %d; use a newer one", head.Version, Version)
	}
	d := &Dossier{}
	if err := json.Unmarshal(data, d); err != nil {
		return nil, fmt.Errorf("read dossier: %w", err)
	}
	return d, nil
}

// Write returns the JSON of a dossier.
func (d *Dossier) Write() ([]byte, error) {
	d.Format, d.Version = Format, Version
	data, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write dossier: %w", err)
	}
	return append(data, '\n'), nil
}
