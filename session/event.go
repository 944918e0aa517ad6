package session

import (
	"encoding/json"
	"time"

	"github.com/quarry-sdk/quarry/model"
)

// FormatVersion is the version of the journal that this package writes. A
// journal of a newer version is refused with a [FormatError].
const FormatVersion = 1

// Event is something that happened in a session. The set is closed: the types
// of this file, always as pointers. An event is immutable once it is part of a
// record.
type Event interface {
	// Kind is the event's name in the journal.
	Kind() string
	event()
}

// Started is the first record of every session.
type Started struct {
	// Format is the journal's version; see [FormatVersion].
	Format int `json:"format"`
	// Machine names what folds this journal: "agent".
	Machine string `json:"machine"`
	// Agent is the name of the agent that was started.
	Agent string `json:"agent"`
	// Model is the name of the model that the agent asks for.
	Model string `json:"model,omitempty"`
	// Title is what people call the session; it may be empty.
	Title string `json:"title,omitempty"`
	// Labels are for those who look the session up, such as the corpus it asks.
	Labels map[string]string `json:"labels,omitempty"`
	// Config is the machine's settings as they were at the start.
	Config json.RawMessage `json:"config,omitempty"`
}

// Prompted gives the session something to do. Each Prompted is followed, sooner
// or later, by exactly one [Ended].
type Prompted struct {
	Message *model.Message `json:"message"`
}

// ModelCalled is the intent to call the model.
type ModelCalled struct {
	// Turn counts the model calls of the session from 1.
	Turn int `json:"turn"`
	// Attempt counts from 1; above 1 where an earlier one failed, or where a crash
	// or an interruption lost its outcome.
	Attempt int `json:"attempt"`
	// Fallback is which model is asked: 0 the agent's own, n its n-th fallback,
	// whose name is then in Model.
	Fallback int    `json:"fallback,omitempty"`
	Model    string `json:"model,omitempty"`
	// NotBefore is when the call goes out, where it has to wait; Reason is why the
	// last attempt failed.
	NotBefore time.Time `json:"not_before,omitzero"`
	Reason    string    `json:"reason,omitempty"`
}

// ModelAnswered is the outcome of a model call.
type ModelAnswered struct {
	Turn     int             `json:"turn"`
	Response *model.Response `json:"response"`
}

// ModelFailed is the other outcome of a model call.
type ModelFailed struct {
	Turn  int          `json:"turn"`
	Error *model.Error `json:"error"`
}

// ToolCalled is the intent to run a tool. Turn and Index name the call: the
// Index-th tool use of the response of that turn.
type ToolCalled struct {
	Turn  int    `json:"turn"`
	Index int    `json:"index"`
	ID    string `json:"id"`
	Name  string `json:"name"`
	// Key is the idempotency key: the same for every attempt of this call.
	Key     string `json:"key"`
	Attempt int    `json:"attempt"`
}

// ToolAnswered is the outcome of a tool call, or its refusal.
type ToolAnswered struct {
	Turn  int    `json:"turn"`
	Index int    `json:"index"`
	ID    string `json:"id"`
	Name  string `json:"name"`
	// Content is what the model is told.
	Content model.Blocks `json:"content"`
	// Output is the tool's typed result as JSON; nil where there is none.
	Output json.RawMessage `json:"output,omitempty"`
	// Full is the whole text of a result that Content shows only in part.
	Full string `json:"full,omitempty"`
	// Stack is where the tool's code panicked. The model is not shown it.
	Stack   string `json:"stack,omitempty"`
	IsError bool   `json:"is_error,omitempty"`
	// Refused tells that the tool did not run: it is unknown, its input is not
	// valid, or a rule forbade it.
	Refused bool `json:"refused,omitempty"`
	// Unknown tells that the tool was started and nobody knows how it ended.
	Unknown bool `json:"unknown,omitempty"`
	// Duration is how long the tool ran.
	Duration time.Duration `json:"duration_ns,omitempty"`
}

// Interrupted tells that the work was stopped from outside and can be resumed.
type Interrupted struct {
	Reason string `json:"reason"`
}

// Resumed tells that work goes on after a crash or an interruption. Every intent
// without an outcome before it is lost.
type Resumed struct{}

// Expired tells that a limit of time was reached while effects were under way.
type Expired struct {
	Limit string        `json:"limit"`
	Value time.Duration `json:"value_ns"`
}

// Ended is the one result of a prompt.
type Ended struct {
	Result Result `json:"result"`
}

// Renamed gives the session another title. It may come at any time and is for
// people: no machine is disturbed by it.
type Renamed struct {
	// Title may be empty: the session then has none.
	Title string `json:"title"`
}

// The names of the events in the journal.
const (
	KindStarted       = "started"
	KindPrompted      = "prompted"
	KindModelCalled   = "model_called"
	KindModelAnswered = "model_answered"
	KindModelFailed   = "model_failed"
	KindToolCalled    = "tool_called"
	KindToolAnswered  = "tool_answered"
	KindInterrupted   = "interrupted"
	KindResumed       = "resumed"
	KindRenamed       = "renamed"
	KindExpired       = "expired"
	KindEnded         = "ended"
)

func (*Started) Kind() string       { return KindStarted }
func (*Prompted) Kind() string      { return KindPrompted }
func (*ModelCalled) Kind() string   { return KindModelCalled }
func (*ModelAnswered) Kind() string { return KindModelAnswered }
func (*ModelFailed) Kind() string   { return KindModelFailed }
func (*ToolCalled) Kind() string    { return KindToolCalled }
func (*ToolAnswered) Kind() string  { return KindToolAnswered }
func (*Interrupted) Kind() string   { return KindInterrupted }
func (*Resumed) Kind() string       { return KindResumed }
func (*Renamed) Kind() string       { return KindRenamed }
func (*Expired) Kind() string       { return KindExpired }
func (*Ended) Kind() string         { return KindEnded }

func (*Started) event()       {}
func (*Prompted) event()      {}
func (*ModelCalled) event()   {}
func (*ModelAnswered) event() {}
func (*ModelFailed) event()   {}
func (*ToolCalled) event()    {}
func (*ToolAnswered) event()  {}
func (*Interrupted) event()   {}
func (*Resumed) event()       {}
func (*Renamed) event()       {}
func (*Expired) event()       {}
func (*Ended) event()         {}

// newEvent returns an empty event of a kind, nil if the kind is not known.
func newEvent(kind string) Event {
	switch kind {
	case KindStarted:
		return &Started{}
	case KindPrompted:
		return &Prompted{}
	case KindModelCalled:
		return &ModelCalled{}
	case KindModelAnswered:
		return &ModelAnswered{}
	case KindModelFailed:
		return &ModelFailed{}
	case KindToolCalled:
		return &ToolCalled{}
	case KindToolAnswered:
		return &ToolAnswered{}
	case KindInterrupted:
		return &Interrupted{}
	case KindResumed:
		return &Resumed{}
	case KindRenamed:
		return &Renamed{}
	case KindExpired:
		return &Expired{}
	case KindEnded:
		return &Ended{}
	}
	return nil
}
