package dossier

// Task is what one collector is given. Its fields are those of a task file.
type Task struct {
	SubjectName string `json:"subject_name"`
	// IdentityAnchorURLs are pages that say without doubt who is meant; at least one.
	IdentityAnchorURLs []string `json:"identity_anchor_urls"`
	// SubQuestionID names the task in its records.
	SubQuestionID string `json:"sub_question_id"`
	Question      string `json:"question"`
	// PreferredSourceTypes are kinds of sources to look for first.
	PreferredSourceTypes []SourceType `json:"preferred_source_types"`
	// MaxSources bounds the distinct addresses that are read, failed ones included, from 1 to 10. Defaults to 3.
	MaxSources int `json:"max_sources"`
	// MaxEvidenceRecords bounds the records, from 1 to 30. Defaults to 6.
	MaxEvidenceRecords int `json:"max_evidence_records"`
}

// Assignment is a task of a plan.
type Assignment struct {
	Task
	// Field is the section that is asked about; empty for any.
	Field string `json:"field,omitempty"`
	// SearchHints are queries to begin with.
	SearchHints []string `json:"search_hints,omitempty"`
	// Kind is that of the subject. Defaults to Person.
	Kind Kind `json:"kind,omitempty"`
	// Round counts from 1; 0 stands for a task of its own.
	Round int `json:"round,omitempty"`
	// ReadFirst are addresses to read after the anchors and before what is searched for.
	ReadFirst []string `json:"read_first,omitempty"`
	// Known are what earlier rounds have stated of the field, and need not be recorded
	// again.
	Known []string `json:"known,omitempty"`
	// Avoid are addresses that earlier rounds have failed to read.
	Avoid []string `json:"avoid,omitempty"`
	// Why says what the task of a later round is for.
	Why string `json:"why,omitempty"`
}

// Plan is what a research means to do in its first round.
type Plan struct {
	Subject Subject `json:"subject"`
	// Language is the BCP 47 tag of the language that the report is written in. Quotes
	// stay in theirs.
	Language string `json:"language"`
	// Assignments are the tasks of the first round.
	Assignments []Assignment `json:"assignments"`
	// Review says what was found wrong with the plan before, and mended.
	Review []string `json:"review,omitempty"`
	// Author is "code", a model's name, or "person".
	Author string `json:"author"`
}
