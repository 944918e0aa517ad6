package session

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"strings"
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
	// Fork creates the session id, whose journal is the records 1 to at of the
	// session from, and then its own: its first append comes after at. The prefix
	// is pointed at, not copied, and from is left as it is; it may be a fork
	// itself. It returns ErrNotFound where there is no from, a *RangeError where
	// from has no record at, and ErrExists where there is a session id.
	Fork(ctx context.Context, id, from string, at int64) error
	// Load yields the records with a Seq above after, in order, those of a fork's
	// prefix like its own. For a session that the store does not have it yields
	// ErrNotFound. A damaged record is a *FormatError that names it.
	Load(ctx context.Context, id string, after int64) iter.Seq2[Record, error]
	// List yields what the filter lets through, newest update first.
	List(ctx context.Context, filter Filter) iter.Seq2[Info, error]
	// Delete removes a session and its records; ErrNotFound if it is not there.
	// Records that are the prefix of a fork stay until the last such fork goes.
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
	// IDPrefix is how the id begins.
	IDPrefix string
	// Label is a label that the session must have, as "key=value"; the first '='
	// divides it.
	Label string
	// Parent is the session whose children are wanted; Roots leaves out all
	// children.
	Parent string
	Roots  bool
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
	// StatusWaiting: calls of the open prompt wait for a person.
	StatusWaiting Status = "waiting"
	// StatusDone: the last prompt has ended; Info.Subtype says how.
	StatusDone Status = "done"
)

// Info is a session in short. Stores keep it up to date with Apply.
type Info struct {
	ID    string `json:"id"`
	Agent string `json:"agent"`
	Model string `json:"model,omitempty"`
	// Title is the last that the session was given.
	Title string `json:"title,omitempty"`
	// Labels are those with which it was started.
	Labels map[string]string `json:"labels,omitempty"`
	// Forked tells where a fork came from; nil for any other session. The times
	// and counts of a fork include its prefix.
	Forked *Forked `json:"forked,omitempty"`
	// Parent is the session that started it; empty for any that no session did. A
	// fork has none.
	Parent  string    `json:"parent,omitempty"`
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

// Forked names the record at which a session left another.
type Forked struct {
	From string `json:"from"`
	// At is the number of the last record that both have.
	At int64 `json:"at"`
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
		if len(ev.Labels) > 0 {
			i.Labels = maps.Clone(ev.Labels)
		}
		if ev.Parent != nil && i.Forked == nil {
			i.Parent = ev.Parent.Session
		}
	case *Renamed:
		i.Title = ev.Title
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
	case *Resumed, *ApprovalGiven:
		i.Status = StatusRunning
	case *ApprovalAsked, *ChildWaiting:
		i.Status = StatusWaiting
	case *Ended:
		i.Status, i.Subtype = StatusDone, ev.Result.Subtype
	}
}

// Match tells whether the filter lets a session through, its Limit left aside.
func (f *Filter) Match(i *Info) bool {
	return (f.ID == "" || f.ID == i.ID) &&
		(f.Agent == "" || f.Agent == i.Agent) &&
		(f.Status == "" || f.Status == i.Status) &&
		strings.HasPrefix(i.ID, f.IDPrefix) &&
		(f.Label == "" || f.matchLabel(i.Labels)) &&
		(f.Parent == "" || f.Parent == i.Parent) &&
		!(f.Roots && i.Parent != "") &&
		!i.Updated.Before(f.Since)
}

func (f *Filter) matchLabel(labels map[string]string) bool {
	key, value, _ := strings.Cut(f.Label, "=")
	has, ok := labels[key]
	return ok && has == value
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

// ErrExists is returned where a session is to be created under an id that the
// store has.
var ErrExists = errors.New("there is a session of this id; choose another id")

// RangeError tells that a session is to be forked at a record that it does not
// have.
type RangeError struct {
	Session string
	// At is the number that was given, Last that of the session's last record.
	At, Last int64
}

// Error names the session, the number and the numbers that there are.
func (e *RangeError) Error() string {
	return fmt.Sprintf("session %q has no record %d to fork at; its records are 1 to %d", e.Session, e.At, e.Last)
}

// ForkInfo returns the summary of a fork: that of its prefix, under its own id.
func ForkInfo(id, from string, prefix []Record) Info {
	info := Info{ID: id, Forked: &Forked{From: from, At: int64(len(prefix))}}
	for _, rec := range prefix {
		info.Apply(rec)
	}
	return info
}
