package session

import (
	"encoding/json"
	"time"

	"github.com/quarry-sdk/quarry/model"
)

// Machine is a fold over a journal and a decision. It does no I/O and knows no
// clock: the same records give the same state and the same answer.
type Machine interface {
	// Apply folds the next record into the state. It returns an error where the
	// record cannot follow what came before; the journal is then damaged.
	Apply(Record) error
	// Next says what is due in the present state. It changes nothing.
	Next() Next
}

// Next is what a machine wants to happen.
type Next struct {
	// Events are facts that the machine decides by itself, such as the end of a
	// prompt. They are journaled, and Next is asked again.
	Events []Event
	// Effects are to be started now, beside those that are under way.
	Effects []Effect
	// Deadline bounds everything that is under way; zero for none. When it
	// passes, the engine journals Expired.
	Deadline time.Time
	// Expired is the event to journal at the deadline.
	Expired *Expired
	// Stop ends what is under way, and Effects as soon as they are started; the engine
	// then journals BackgroundStopped.
	Stop bool
	// Done tells that nothing is due and nothing is under way: the session waits
	// for its next prompt.
	Done bool
}

// Effect is something to perform. The set is closed: [CallModel], [CallTool],
// [RunChild], [RunHooks], [AskPerson].
type Effect interface {
	// Intent is the record to journal before the effect starts.
	Intent() Event
	effect()
}

// CallModel asks a model.
type CallModel struct {
	Called  *ModelCalled
	Request *model.Request
}

// CallTool runs a tool.
type CallTool struct {
	Called *ToolCalled
	// Input is the arguments, as the model wrote them.
	Input []byte
	// Earlier are the results of the session's calls before this response.
	Earlier []*ToolAnswered
	// Prompt is the text of the open prompt.
	Prompt string
	// Answered are the questions that the function has asked in earlier attempts.
	Answered []Inquiry
}

// Inquiry is a question of a tool's function, and its answer.
type Inquiry struct {
	Question json.RawMessage
	Given    *ApprovalGiven
}

// RunChild runs the session that serves a tool call to its end, which is the
// call's outcome. Called.Child names it; where it exists it is gone on with.
type RunChild struct {
	Called *ToolCalled
	// Input is the arguments of the call.
	Input []byte
}

// RunHooks calls the hooks of a point.
type RunHooks struct {
	Called *HookCalled
	// Data is what they are told, in a form that machine and hands agree upon.
	Data any
}

// AskPerson asks a person about a call. It is performed only where there is
// somebody to ask; otherwise the machine is done until the answer is appended.
type AskPerson struct {
	Asked *ApprovalAsked
}

// Intent implements Effect.
func (e *RunHooks) Intent() Event { return e.Called }

// Intent implements Effect.
func (e *AskPerson) Intent() Event { return e.Asked }

func (*RunHooks) effect()  {}
func (*AskPerson) effect() {}

// Intent implements Effect.
func (e *CallModel) Intent() Event { return e.Called }

// Intent implements Effect.
func (e *CallTool) Intent() Event { return e.Called }

// Intent implements Effect.
func (e *RunChild) Intent() Event { return e.Called }

func (*CallModel) effect() {}
func (*CallTool) effect()  {}
func (*RunChild) effect()  {}
