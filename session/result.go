package session

import (
	"encoding/json"
	"time"

	"github.com/quarry-sdk/quarry/model"
)

// Subtype is how a prompt ended, in one word that programs test for.
type Subtype string

// The ways in which a prompt ends.
const (
	// Success: the model finished, or called a tool that ends the run.
	Success Subtype = "success"
	// Halted: the agent has a tool that ends the run, and the model finished
	// without calling it, or the tool refused its last try. Draft is what was
	// handed in then; nothing has verified it.
	Halted Subtype = "halted"
	// InvalidOutput: the model gave no result that fits the schema that is asked
	// for. Draft is the last one, Trail has all.
	InvalidOutput Subtype = "invalid_output"
	// Truncated: the last response was cut off at its token limit.
	Truncated Subtype = "truncated"
	// Refused: the model declined.
	Refused Subtype = "refused"
	// Limited: a limit of turns, tokens or time was reached, or the run turned in
	// a circle; Reason says which.
	Limited Subtype = "limit"
	// ContextWindow: the conversation no longer fits the model.
	ContextWindow Subtype = "context_window"
	// Failed: the model could not be asked, or answered what no rule covers.
	Failed Subtype = "error"
	// Waiting: calls wait for a person. The session goes on when they are answered;
	// like Stopped it is never journaled as the end of a prompt.
	Waiting Subtype = "waiting"
	// Stopped: the run was interrupted and can be resumed. It is never
	// journaled as the end of a prompt.
	Stopped Subtype = "interrupted"
)

// The reasons that accompany a subtype.
const (
	ReasonCompleted     = "completed"
	ReasonSubmitted     = "submitted"
	ReasonTriesUsed     = "tries_used"
	ReasonMaxTurns      = "max_turns"
	ReasonMaxTokens     = "max_tokens"
	ReasonTotalTokens   = "total_tokens"
	ReasonInputTokens   = "input_tokens"
	ReasonOutputTokens  = "output_tokens"
	ReasonUSD           = "max_usd"
	ReasonRepetition    = "repeated_text"
	ReasonOutput        = "output"
	ReasonHook          = "hook"
	ReasonDepth         = "max_depth"
	ReasonApproval      = "approval"
	ReasonWallClock     = "wall_clock"
	ReasonLoop          = "repeated_call"
	ReasonRefusal       = "refusal"
	ReasonContextWindow = "context_window"
	ReasonModelError    = "model_error"
	ReasonStopReason    = "unknown_stop_reason"
	ReasonJournal       = "journal_error"
	ReasonConflict      = "conflict"
	ReasonInput         = "invalid_input"
	ReasonNotSubmitted  = "not_submitted"
	ReasonCanceled      = "canceled"
)

// Result is what a prompt came to.
type Result struct {
	Session string  `json:"session,omitempty"`
	Subtype Subtype `json:"subtype"`
	// Reason is the terminal reason, one of the Reason constants.
	Reason string `json:"reason"`
	// Detail says in words what happened and how to mend it; empty on success.
	Detail string `json:"detail,omitempty"`
	// Text is the text of the last response.
	Text string `json:"text,omitempty"`
	// Output is the typed output of the tool that ended the run, as JSON.
	Output json.RawMessage `json:"output,omitempty"`
	// Draft is the input that such a tool refused, where the run ended Halted.
	Draft json.RawMessage `json:"draft,omitempty"`
	// Repairs say what was mended in the form of Output.
	Repairs []string `json:"repairs,omitempty"`
	// Trail are the attempts at an output that did not fit.
	Trail []Attempt `json:"trail,omitempty"`
	// StopReason is the last response's own.
	StopReason model.StopReason `json:"stop_reason,omitempty"`
	// Error is the model's error, where the run ended with one.
	Error *model.Error `json:"error,omitempty"`
	// Model is the name that the provider gave in its last response.
	Model string `json:"model,omitempty"`
	// Turns counts the model calls that were answered, ToolCalls the tool calls
	// that the model made, for this prompt.
	Turns     int `json:"turns"`
	ToolCalls int `json:"tool_calls"`
	// Usage is the sum over the prompt's responses.
	Usage model.Usage `json:"usage"`
	// Retries counts the model calls that failed and were tried again.
	Retries int `json:"retries,omitempty"`
	// Fallbacks lists where another model took over.
	Fallbacks []Fallback `json:"fallbacks,omitempty"`
	// Spent is what the whole tree used: the session and its children.
	Spent Spent `json:"spent"`
	// Limits are the limits that were reached: the one that ended the prompt, and
	// those by which calls were refused.
	Limits []LimitHit `json:"limits,omitempty"`
	// Unknown are the tool calls that were started and of which nobody knows how
	// they ended.
	Unknown []UnknownCall `json:"unknown,omitempty"`
	// Pending are the calls that wait for a person, where the subtype is Waiting.
	Pending []ApprovalAsked `json:"pending,omitempty"`
	// Canceled and Running are what was under way when a run was stopped or its
	// time was over: calls that ended without an outcome, and such that did not
	// even end in time.
	Canceled []CallRef `json:"canceled,omitempty"`
	Running  []CallRef `json:"running,omitempty"`
	// Duration is the time worked on the prompt, downtime left out.
	Duration time.Duration `json:"duration_ns"`
}

// Attempt is a result that did not fit.
type Attempt struct {
	// Text is what the model gave, 4,000 bytes at most, Problem what is wrong.
	Text    string `json:"text"`
	Problem string `json:"problem"`
}

// LimitHit is a limit that was reached.
type LimitHit struct {
	// Name is the quantity: one of the Quantities, "wall_clock", "depth" or
	// "children_at_once".
	Name string `json:"name"`
	// Value is the limit, Used what was used or reserved then: USD, seconds or a
	// count.
	Value float64 `json:"value"`
	Used  float64 `json:"used"`
}

// UnknownCall is a tool call of which nobody knows how it ended.
type UnknownCall struct {
	CallRef
	// Input is the call's arguments.
	Input json.RawMessage `json:"input,omitempty"`
	// Tell asks to tell a person.
	Tell bool `json:"tell,omitempty"`
}

// Fallback tells that another model took over for the rest of a turn.
type Fallback struct {
	Turn int    `json:"turn"`
	From string `json:"from"`
	To   string `json:"to"`
	// Reason is what the first one failed of: an error's kind, or "refusal".
	Reason string `json:"reason"`
}

// OK tells whether the prompt ended in success.
func (r *Result) OK() bool { return r.Subtype == Success }
