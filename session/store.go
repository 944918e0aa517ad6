package session

import (
	"context"
	"iter"
	"time"

	"github.com/quarry-sdk/quarry/model"
)

// Store keeps journals. Package sessiontest has the conformance tests that each
// implementation passes. All methods may be called from many goroutines.
type Store interface {
	// Append adds records to the journal of a session, all or none of them, and
	// returns when they are durable. The first must have Seq after+1, the others
	// must follow densely. It returns ErrConflict unless after is the last
	// sequence number of the session; after 0 creates the session, and any other
	// is ErrNotFound where there is none.
	Append(ctx context.Context, id string, after int64, recs []Record) error
	// Load yields the records with a Seq above after, in order. For a session
	// that the store does not have it yields ErrNotFound. A damaged record is a
	// *FormatError that names it.
	Load(ctx context.Context, id string, after int64) iter.Seq2[Record, error]
	// List yields what the filter lets through, newest update first.
	List(ctx context.Context, filter Filter) iter.Seq2[Info, error]
	// Delete removes a session and its records; ErrNotFound if it is not there.
	Delete(ctx context.Context, id string) error
	// Close releases the store after the appends under way are durable. Further
	// calls return an error.
	Close() error
}

// Filter chooses sessions. The zero value lets all through.
type Filter struct {
	// ID, Agent and Status must be equal where they are set.
	ID     string
	Agent  string
	Status Status
	// Since leaves out sessions updated before it.
	Since time.Time
	// Limit bounds the number of sessions; 0 for no bound.
	Limit int
}

// Status tells where a session stands.
type Status string

// The states of a session.
const (
	// StatusIdle: the session has not been prompted yet.
	StatusIdle Status = "idle"
	// StatusRunning: a prompt is open. The process that works on it may be gone.
	StatusRunning Status = "running"
	// StatusInterrupted: a prompt is open and was stopped from outside.
	StatusInterrupted Status = "interrupted"
	// StatusDone: the last prompt has ended; Info.Subtype says how.
	StatusDone Status = "done"
)

// Info is a session in short. Stores keep it up to date with Apply.
type Info struct {
	ID      string    `json:"id"`
	Agent   string    `json:"agent"`
	Model   string    `json:"model,omitempty"`
	Title   string    `json:"title,omitempty"`
	Status  Status    `json:"status"`
	Subtype Subtype   `json:"subtype,omitempty"`
	Created time.Time `json:"created"`
	Updated time.Time `json:"updated"`
	// Last is the last sequence number.
	Last int64 `json:"last"`
	// Prompt is the beginning of the first prompt, 200 characters at most.
	Prompt string `json:"prompt,omitempty"`
	// Turns and ToolCalls count over the whole session, as Usage does.
	Turns     int         `json:"turns"`
	ToolCalls int         `json:"tool_calls"`
	Usage     model.Usage `json:"usage"`
}

// Apply folds a record into the summary.
func (i *Info) Apply(r Record) {
	if r.Seq == 1 {
		i.Created, i.Status = r.Time, StatusIdle
	}
	i.Updated, i.Last = r.Time, r.Seq
	switch ev := r.Event.(type) {
	case *Started:
		i.Agent, i.Model, i.Title = ev.Agent, ev.Model, ev.Title
	case *Prompted:
		i.Status, i.Subtype = StatusRunning, ""
		if i.Prompt == "" && ev.Message != nil {
			i.Prompt = firstRunes(ev.Message.Blocks.Text(), 200)
		}
	case *ModelAnswered:
		i.Turns++
		i.Usage.Add(&ev.Response.Usage)
	case *ToolAnswered:
		i.ToolCalls++
	case *Interrupted:
		i.Status = StatusInterrupted
	case *Resumed:
		i.Status = StatusRunning
	case *Ended:
		i.Status, i.Subtype = StatusDone, ev.Result.Subtype
	}
}

// Match tells whether the filter lets a session through, its Limit left aside.
func (f *Filter) Match(i *Info) bool {
	return (f.ID == "" || f.ID == i.ID) &&
		(f.Agent == "" || f.Agent == i.Agent) &&
		(f.Status == "" || f.Status == i.Status) &&
		!i.Updated.Before(f.Since)
}

// firstRunes returns the first n runes of s.
func firstRunes(s string, n int) string {
	for at := range s {
		if n == 0 {
			return s[:at]
		}
		n--
	}
	return s
}
