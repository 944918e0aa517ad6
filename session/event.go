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
	// Parent is the call that a child session serves, nil for any other session.
	Parent *Parent `json:"parent,omitempty"`
	// Budget is a child's share of its parent's.
	Budget *Budget `json:"budget,omitempty"`
}

// Parent names a tool call of another session.
type Parent struct {
	Session string `json:"session"`
	Turn    int    `json:"turn"`
	Index   int    `json:"index"`
}

// Prompted gives the session something to do. Each Prompted is followed, sooner
// or later, by exactly one [Ended].
type Prompted struct {
	Message *model.Message `json:"message"`
	// Call is the call that the prompt serves, and Budget its share, where a child
	// session that had ended is gone on with.
	Call   *Parent `json:"call,omitempty"`
	Budget *Budget `json:"budget,omitempty"`
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
	// Purpose is what the call is for: empty for the conversation, "compact" for a
	// summary of it.
	Purpose string `json:"purpose,omitempty"`
}

// ModelAnswered is the outcome of a model call.
type ModelAnswered struct {
	Turn     int             `json:"turn"`
	Response *model.Response `json:"response"`
	// Cost is the price of the response; nil where it is not known.
	Cost *Money `json:"cost_usd,omitempty"`
	// ToolCosts is the part of it that is for the provider's own tools, by the
	// names of Usage.ServerToolCalls.
	ToolCosts map[string]Money `json:"tool_costs_usd,omitempty"`
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
	// Reconcile tells that an earlier attempt was lost, and that the tool is asked
	// first whether it took effect.
	Reconcile bool `json:"reconcile,omitempty"`
	// Decision is why the call may run, where there are permissions.
	Decision *Decision `json:"decision,omitempty"`
	// Child is the session that serves the call; nil where a function does.
	Child *ChildCall `json:"child,omitempty"`
	// Share is what the agents may use together that the tool's function runs; nil
	// where it runs none. A negative depth forbids them.
	Share *Budget `json:"share,omitempty"`
}

// ChildCall says which session serves a call, and what it may use.
type ChildCall struct {
	Session string `json:"session"`
	Agent   string `json:"agent"`
	Budget  Budget `json:"budget"`
	// Background tells that nobody waits for it: the session goes on, and the
	// outcome is told to the model when it is there.
	Background bool `json:"background,omitempty"`
	// Continues tells that the session served another call before, and had ended.
	Continues bool `json:"continues,omitempty"`
}

// ChildEnd is what a child session came to.
type ChildEnd struct {
	Session string  `json:"session"`
	Subtype Subtype `json:"subtype"`
	Reason  string  `json:"reason"`
	Turns   int     `json:"turns"`
	Spent   Spent   `json:"spent"`
}

// Source is something that a tool read and that may change: a file, a document,
// a page.
type Source struct {
	// Name is how the tool names it; it is unique among the tool's.
	Name string `json:"name"`
	// Hash stands for the content as it was read.
	Hash string `json:"hash"`
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
	// Full is the whole text of a result that Content shows only in part; where
	// there is a store for blobs, Blob names it there instead.
	Full string `json:"full,omitempty"`
	Blob string `json:"blob,omitempty"`
	// Size is the length of the whole text in bytes, where Blob is set.
	Size int64 `json:"size,omitempty"`
	// Sources are what the tool read.
	Sources []Source `json:"sources,omitempty"`
	// Child is what the session came to that served the call.
	Child *ChildEnd `json:"child,omitempty"`
	// Children are those that the tool's function ran.
	Children []ChildEnd `json:"children,omitempty"`
	// Stack is where the tool's code panicked. The model is not shown it.
	Stack   string `json:"stack,omitempty"`
	IsError bool   `json:"is_error,omitempty"`
	// Refused tells that the tool did not run: it is unknown, its input is not
	// valid, or a rule forbade it.
	Refused bool `json:"refused,omitempty"`
	// Decision is why it was denied.
	Decision *Decision `json:"decision,omitempty"`
	// Limit is the limit by which it was refused.
	Limit *LimitHit `json:"limit,omitempty"`
	// Unknown tells that the tool was started and nobody knows how it ended.
	Unknown bool `json:"unknown,omitempty"`
	// Duration is how long the tool ran.
	Duration time.Duration `json:"duration_ns,omitempty"`
}

// Interrupted tells that the work was stopped from outside and can be resumed.
type Interrupted struct {
	Reason string `json:"reason"`
	// Canceled are the calls that were under way and have ended without an outcome;
	// Running are those that did not end in time, so that nobody hears of them.
	Canceled []CallRef `json:"canceled,omitempty"`
	Running  []CallRef `json:"running,omitempty"`
}

// CallRef names a call under way.
type CallRef struct {
	Turn int `json:"turn"`
	// Index is the tool call's; the name is empty for the call of the model.
	Index int    `json:"index"`
	Name  string `json:"name,omitempty"`
	// Child is the session that serves it, Spent what that used for it so far.
	Child string `json:"child,omitempty"`
	Spent *Spent `json:"spent,omitempty"`
}

// Resumed tells that work goes on after a crash or an interruption. Every intent
// without an outcome before it is lost.
type Resumed struct{}

// Expired tells that a limit of time was reached while effects were under way.
type Expired struct {
	Limit string        `json:"limit"`
	Value time.Duration `json:"value_ns"`
	// Canceled and Running are what was under way; see [Interrupted].
	Canceled []CallRef `json:"canceled,omitempty"`
	Running  []CallRef `json:"running,omitempty"`
}

// BackgroundStopped tells that what was under way in the background was stopped, because the
// prompt ends.
type BackgroundStopped struct {
	// Canceled and Running are what was under way; see [Interrupted].
	Canceled []CallRef `json:"canceled,omitempty"`
	Running  []CallRef `json:"running,omitempty"`
}

// Ended is the one result of a prompt.
type Ended struct {
	Result Result `json:"result"`
}

// Compacting tells that the conversation is about to be made shorter.
type Compacting struct {
	// Policy names how; Why is "size" or "overflow".
	Policy string `json:"policy"`
	Why    string `json:"why"`
	// Tokens is what the next request is estimated to have, Window what the model
	// takes; 0 where that is not known.
	Tokens int64 `json:"tokens"`
	Window int64 `json:"window,omitempty"`
}

// Compacted tells that the conversation was made shorter. What was said before is
// still in the journal.
type Compacted struct {
	Policy string `json:"policy"`
	// Dropped are the results of which the model is shown a stub from now on.
	Dropped []ResultRef `json:"dropped,omitempty"`
	// Summary replaces the first Messages messages.
	Summary  *model.Message `json:"summary,omitempty"`
	Messages int            `json:"messages,omitempty"`
	// Before and After are the estimated tokens of the next request.
	Before int64 `json:"before"`
	After  int64 `json:"after"`
}

// ResultRef names the result of a tool call.
type ResultRef struct {
	Turn  int `json:"turn"`
	Index int `json:"index"`
}

// Changed tells that what the session read has changed since.
type Changed struct {
	Sources []Source `json:"sources"`
}

// Reconfigured tells that the session goes on with another agent's settings than
// it began with.
type Reconfigured struct {
	Agent string `json:"agent"`
	Model string `json:"model,omitempty"`
	// Config replaces that of Started.
	Config json.RawMessage `json:"config,omitempty"`
}

// HookCalled is the intent to run the hooks of a point.
type HookCalled struct {
	// Point is the point's name, such as "PreToolUse". Turn and Index name the call
	// where it is about one.
	Point string `json:"point"`
	Turn  int    `json:"turn"`
	Index int    `json:"index"`
	// Hooks are the names of those that run, in the order of their registration.
	Hooks []string `json:"hooks"`
}

// HookAnswered is what the hooks of a point said together. It is not asked for
// again when the session is resumed.
type HookAnswered struct {
	Point string `json:"point"`
	Turn  int    `json:"turn"`
	Index int    `json:"index"`
	// Decision is the most restrictive that one of them took, Reason that hook's.
	Decision string `json:"decision,omitempty"`
	Reason   string `json:"reason,omitempty"`
	// Input replaces the arguments of the call, Output what the model is told.
	Input  json.RawMessage `json:"input,omitempty"`
	Output model.Blocks    `json:"output,omitempty"`
	// Context is what they add to the conversation.
	Context []string `json:"context,omitempty"`
	// Stop ends the run.
	Stop bool `json:"stop,omitempty"`
	// Errors are those of hooks that failed.
	Errors   []string      `json:"errors,omitempty"`
	Duration time.Duration `json:"duration_ns,omitempty"`
}

// ApprovalAsked tells that a call waits for a person.
type ApprovalAsked struct {
	Turn  int    `json:"turn"`
	Index int    `json:"index"`
	ID    string `json:"id"`
	Name  string `json:"name"`
	// Question tells that the call asks something of the person, rather than for
	// the person's leave.
	Question bool `json:"question,omitempty"`
	// Input is the arguments that the call would have, or what its function asks.
	Input json.RawMessage `json:"input,omitempty"`
	// Inquiry counts the questions that the call's function asks; 0 where it is the
	// call that is asked about.
	Inquiry int `json:"inquiry,omitempty"`
	// Reason says why it is asked.
	Reason  string `json:"reason,omitempty"`
	Attempt int    `json:"attempt"`
	// Session is where the call is, if that is a child of the session that tells of
	// it.
	Session string `json:"session,omitempty"`
}

// ApprovalGiven is the person's answer.
type ApprovalGiven struct {
	Turn  int `json:"turn"`
	Index int `json:"index"`
	// Allow lets the call run, with Input for its arguments where that is set.
	Allow bool            `json:"allow,omitempty"`
	Input json.RawMessage `json:"input,omitempty"`
	// Rule is a rule that holds from now on in the session: such calls are allowed.
	Rule string `json:"rule,omitempty"`
	// Note is what the model is told of a denial; Answer is the answer to a question.
	Note   string `json:"note,omitempty"`
	Answer string `json:"answer,omitempty"`
	// By says who answered, or from where.
	By string `json:"by,omitempty"`
}

// ChildWaiting tells that the session which serves a call waits for a person. It
// goes on when the session is resumed.
type ChildWaiting struct {
	Turn  int `json:"turn"`
	Index int `json:"index"`
	// Child is the session, Pending the calls that wait in it or below it.
	Child   string          `json:"child"`
	Pending []ApprovalAsked `json:"pending"`
	// Spent is what was used for the call so far.
	Spent *Spent `json:"spent,omitempty"`
}

// ToolWaiting tells that the function of a call has asked a person something, and
// runs again when that is answered.
type ToolWaiting struct {
	Turn  int `json:"turn"`
	Index int `json:"index"`
	// Question is what it asks.
	Question json.RawMessage `json:"question"`
	// Spent is what the agents have used so far that it runs.
	Spent *Spent `json:"spent,omitempty"`
}

// Decision is what became of a call, and why.
type Decision struct {
	// Behavior is "allow", "deny", "ask" or "defer".
	Behavior string `json:"behavior"`
	// Stage is what decided: "hook", "deny", "ask", "mode", "allow" or "person".
	Stage string `json:"stage"`
	// Rule is the rule that did, Reason says it in words.
	Rule   string `json:"rule,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Trace are the stages that were passed, each with what it said.
	Trace []string `json:"trace,omitempty"`
}

// Renamed gives the session another title. It may come at any time and is for
// people: no machine is disturbed by it.
type Renamed struct {
	// Title may be empty: the session then has none.
	Title string `json:"title"`
}

// The names of the events in the journal.
const (
	KindStarted           = "started"
	KindPrompted          = "prompted"
	KindModelCalled       = "model_called"
	KindModelAnswered     = "model_answered"
	KindModelFailed       = "model_failed"
	KindToolCalled        = "tool_called"
	KindToolAnswered      = "tool_answered"
	KindInterrupted       = "interrupted"
	KindResumed           = "resumed"
	KindRenamed           = "renamed"
	KindCompacting        = "compacting"
	KindCompacted         = "compacted"
	KindChanged           = "changed"
	KindReconfigured      = "reconfigured"
	KindHookCalled        = "hook_called"
	KindHookAnswered      = "hook_answered"
	KindApprovalAsked     = "approval_asked"
	KindApprovalGiven     = "approval_given"
	KindToolWaiting       = "tool_waiting"
	KindChildWaiting      = "child_waiting"
	KindExpired           = "expired"
	KindBackgroundStopped = "background_stopped"
	KindEnded             = "ended"
)

func (*Started) Kind() string           { return KindStarted }
func (*Prompted) Kind() string          { return KindPrompted }
func (*ModelCalled) Kind() string       { return KindModelCalled }
func (*ModelAnswered) Kind() string     { return KindModelAnswered }
func (*ModelFailed) Kind() string       { return KindModelFailed }
func (*ToolCalled) Kind() string        { return KindToolCalled }
func (*ToolAnswered) Kind() string      { return KindToolAnswered }
func (*Interrupted) Kind() string       { return KindInterrupted }
func (*Resumed) Kind() string           { return KindResumed }
func (*Renamed) Kind() string           { return KindRenamed }
func (*Compacting) Kind() string        { return KindCompacting }
func (*Compacted) Kind() string         { return KindCompacted }
func (*Changed) Kind() string           { return KindChanged }
func (*Reconfigured) Kind() string      { return KindReconfigured }
func (*HookCalled) Kind() string        { return KindHookCalled }
func (*HookAnswered) Kind() string      { return KindHookAnswered }
func (*ApprovalAsked) Kind() string     { return KindApprovalAsked }
func (*ApprovalGiven) Kind() string     { return KindApprovalGiven }
func (*ToolWaiting) Kind() string       { return KindToolWaiting }
func (*ChildWaiting) Kind() string      { return KindChildWaiting }
func (*Expired) Kind() string           { return KindExpired }
func (*BackgroundStopped) Kind() string { return KindBackgroundStopped }
func (*Ended) Kind() string             { return KindEnded }

func (*Started) event()           {}
func (*Prompted) event()          {}
func (*ModelCalled) event()       {}
func (*ModelAnswered) event()     {}
func (*ModelFailed) event()       {}
func (*ToolCalled) event()        {}
func (*ToolAnswered) event()      {}
func (*Interrupted) event()       {}
func (*Resumed) event()           {}
func (*Renamed) event()           {}
func (*Compacting) event()        {}
func (*Compacted) event()         {}
func (*Changed) event()           {}
func (*Reconfigured) event()      {}
func (*HookCalled) event()        {}
func (*HookAnswered) event()      {}
func (*ApprovalAsked) event()     {}
func (*ApprovalGiven) event()     {}
func (*ToolWaiting) event()       {}
func (*ChildWaiting) event()      {}
func (*Expired) event()           {}
func (*BackgroundStopped) event() {}
func (*Ended) event()             {}

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
	case KindCompacting:
		return &Compacting{}
	case KindCompacted:
		return &Compacted{}
	case KindChanged:
		return &Changed{}
	case KindReconfigured:
		return &Reconfigured{}
	case KindHookCalled:
		return &HookCalled{}
	case KindHookAnswered:
		return &HookAnswered{}
	case KindApprovalAsked:
		return &ApprovalAsked{}
	case KindApprovalGiven:
		return &ApprovalGiven{}
	case KindToolWaiting:
		return &ToolWaiting{}
	case KindChildWaiting:
		return &ChildWaiting{}
	case KindExpired:
		return &Expired{}
	case KindBackgroundStopped:
		return &BackgroundStopped{}
	case KindEnded:
		return &Ended{}
	}
	return nil
}
