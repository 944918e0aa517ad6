package fictional

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Truth says what is right on the web.
type Truth struct {
	// AsOf is the day on which the web is looked at, such as "2026-06-01": what is
	// current and what is stale is meant as of it.
	AsOf string `json:"as_of"`
	// Subjects are the people and the company that may be looked into.
	Subjects []Subject `json:"subjects"`
	// Copies are the pages that say the same in the same words, and count once.
	Copies []Copies `json:"copies"`
	// Traps are what was set to lead a reader astray.
	Traps []Trap `json:"traps"`
}

// Subject is someone or something to look into.
type Subject struct {
	// ID is a word for programs, such as "hartwig-ecologist".
	ID string `json:"id"`
	// Kind is "person" or "organisation".
	Kind string `json:"kind"`
	Name string `json:"name"`
	// Anchors are the pages that say without doubt who is meant.
	Anchors []string `json:"anchors"`
	// Namesake is the ID of the subject of the same name, if there is one: all of its
	// values are of the wrong person here.
	Namesake string `json:"namesake,omitempty"`
	// Signals tell the subject from others of its name.
	Signals Signals `json:"signals"`
	// Fields are what should be found out.
	Fields []Field `json:"fields"`
	// Pages are the pages with something to read that speak of the subject, the false
	// ones and those in passing included.
	Pages []string `json:"pages"`
}

// Signals tell a subject from others of its name.
type Signals struct {
	Employers  []string `json:"employers,omitempty"`
	Places     []string `json:"places,omitempty"`
	Topics     []string `json:"topics,omitempty"`
	Associates []string `json:"associates,omitempty"` // co-authors and colleagues
	Accounts   []string `json:"accounts,omitempty"`   // pages that link to the anchor and are linked from it
}

// Field is something that should be found out about a subject.
type Field struct {
	// Name is "identity", "current_roles", "previous_roles", "education",
	// "publications", "projects", "talks", "public_profiles" or "other" of a person;
	// "identity", "founding", "employees", "leadership", "products", "projects",
	// "finances" or "public_profiles" of an organisation.
	Name string `json:"name"`
	// Values are what the web says of it.
	Values []Value `json:"values"`
	// Gap says what cannot be found out; empty if nothing is missing.
	Gap string `json:"gap,omitempty"`
}

// Standing is what a value is worth.
type Standing string

// The standings.
const (
	// Right is true as of the day of the truth. In previous_roles and other fields of
	// the past it is true of the past.
	Right Standing = "right"
	// Undated is true, but no page says since when, and no page that says it has a date.
	Undated Standing = "undated"
	// Stale was true once. A page still says it in the present tense.
	Stale Standing = "stale"
	// Contradicted is a fact of which the sources say different things; Sides has them.
	Contradicted Standing = "contradicted"
	// Hearsay is what is told without anybody's standing up for it, and is not so.
	Hearsay Standing = "hearsay"
	// False is what a page says and what is not so.
	False Standing = "false"
)

// Value is something that the web says of a field.
type Value struct {
	// ID is unique within the truth, such as "lh1-professor".
	ID       string   `json:"id"`
	Standing Standing `json:"standing"`
	Wording
	// From and Until bound the time for which it holds, as far as it is known: "2023",
	// "2023-10" or "2023-10-01". On is the time of an event or a count.
	From  string `json:"from,omitempty"`
	Until string `json:"until,omitempty"`
	On    string `json:"on,omitempty"`
	// Evidence is where the web says it. A contradicted value has it in its sides.
	Evidence []Evidence `json:"evidence,omitempty"`
	// Denials are where the web says that it is not so. A part of such a quote may read
	// as if it were.
	Denials []Evidence `json:"denials,omitempty"`
	// Sides are what is said of a contradicted value.
	Sides []Side `json:"sides,omitempty"`
	Note  string `json:"note,omitempty"`
}

// Side is one side of a contradiction.
type Side struct {
	Wording
	// Right tells that it is so, where that can be told.
	Right    bool       `json:"right,omitempty"`
	Evidence []Evidence `json:"evidence"`
}

// Evidence is a place on the web.
type Evidence struct {
	URL string `json:"url"`
	// Quote stands verbatim in the visible text of the page.
	Quote string `json:"quote"`
}

// Copies are pages with one text. They are one source.
type Copies struct {
	ID string `json:"id"`
	// Original is where the text comes from.
	Original string `json:"original"`
	// URLs are all of the pages, the original included.
	URLs []string `json:"urls"`
}

// Trap is something that was set to lead a reader astray.
type Trap struct {
	// Kind is one of [TrapKinds].
	Kind string `json:"kind"`
	URL  string `json:"url"`
	// Note says what the trap is, in a sentence.
	Note string `json:"note"`
}

// TrapKinds returns the kinds of traps; each is set at least once.
func TrapKinds() []string {
	return []string{
		"aggregator", "ambiguous", "bot_check", "consent_wall", "contradiction", "dead_link", "ended_role", "gone", "hearsay", "hidden_text",
		"injection", "login", "namesake", "negation", "off_task_link", "redirect", "robots", "script_shell", "slow",
		"soft_404", "stale", "syndicated", "undated", "unmarked_archive",
	}
}

// ReadTruth returns the truth. The error is of embedded data that cannot be read.
func ReadTruth() (*Truth, error) {
	raw, err := files.ReadFile("truth.json")
	if err != nil {
		return nil, fmt.Errorf("read the truth: %w", err)
	}
	t := new(Truth)
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(t); err != nil {
		return nil, fmt.Errorf("read the truth: truth.json: %w", err)
	}
	return t, nil
}

// Subject returns the subject of an ID, or nil.
func (t *Truth) Subject(id string) *Subject {
	for i := range t.Subjects {
		if t.Subjects[i].ID == id {
			return &t.Subjects[i]
		}
	}
	return nil
}

// Field returns the field of a name, or nil.
func (s *Subject) Field(name string) *Field {
	for i := range s.Fields {
		if s.Fields[i].Name == name {
			return &s.Fields[i]
		}
	}
	return nil
}
