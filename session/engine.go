package session

import (
	"context"
	"errors"
	"time"

	"github.com/quarry-sdk/quarry/model"
)

// Hands perform effects. They are given by the package that knows models and
// tools, and are used by many goroutines at once.
type Hands interface {
	// CallModel asks the model and hands what arrives to emit, which returns
	// false where nobody listens any more; the call must then end. It returns
	// *ModelAnswered or *ModelFailed, or nil where ctx or emit ended the call: an
	// effect without an outcome is one that a resumed session may repeat.
	CallModel(ctx context.Context, id string, call *CallModel, emit func(model.Event) bool) Event
	// CallTool runs a tool. It returns *ToolAnswered; *ToolWaiting or *ChildWaiting where a
	// person has to be waited for; or nil where ctx ended it, with what the agents
	// have used so far that the tool runs; observe is shown what happens in their
	// sessions. Where it has a share to run them, it returns soon after ctx has ended.
	CallTool(ctx context.Context, id string, call *CallTool, observe Observer) (Event, *Spent)
	// RunHooks calls hooks and returns *HookAnswered, or nil where ctx ended it.
	RunHooks(ctx context.Context, id string, call *RunHooks) Event
	// AskPerson asks a person and returns *ApprovalGiven, or nil where ctx ended it.
	AskPerson(ctx context.Context, id string, ask *AskPerson) Event
	// RunChild runs the session that serves a call, with an engine of its own that
	// shows observe what happens. It returns *ToolAnswered, or nil where ctx ended
	// it, with what the child has used so far; and it returns soon after that. An
	// error, such as one of the store, ends the parent's Advance too.
	RunChild(ctx context.Context, id string, call *RunChild, observe Observer) (Event, *Spent, error)
}

// Observation is what an engine lets its caller see: a record, once it is
// durable, or a piece of a model's answer, which is never journaled.
type Observation struct {
	// Session is the session it belongs to: the one that is advanced, or a child
	// at any depth.
	Session string
	Record  *Record
	Delta   *model.Event
}

// Observer is called by the engine on the goroutine that advances a session, for
// children too. It returns false to stop the session, which can be resumed
// afterwards.
type Observer func(Observation) bool

// Engine performs what machines say is due. Its zero value with Hands set is
// ready; one engine serves any number of sessions at once.
type Engine struct {
	// Grace is how long an engine that has to stop waits for the tools under
	// way, which may ignore their context. Children are waited for until they have
	// stopped. Defaults to 50 ms.
	Grace time.Duration
	Hands Hands
	// Now is the clock that dates the records. Defaults to time.Now.
	Now func() time.Time
}

const defaultGrace = 50 * time.Millisecond

// ErrStopped is returned by Advance where its observer wanted no more.
var ErrStopped = errors.New("the caller stopped listening")

// Submit journals what comes from outside: a prompt, or something that the
// machine is to know. Nothing is performed before Advance.
func (e *Engine) Submit(ctx context.Context, l *Live, ev Event, observe Observer) error {
	if err := l.usable(); err != nil {
		return err
	}
	a := &advance{engine: e, live: l, observe: observe}
	if err := a.resume(); err != nil {
		return err
	}
	if err := a.fold(ev); err != nil {
		return err
	}
	return a.commit(ctx)
}

// Advance performs what is due until the machine is done. Everything happens on
// the caller's goroutine except tools, and observe is called there too.
//
// It returns nil when the machine is done; the cause of ctx when that ended
// first, and [ErrStopped] when observe returned false: both leave a session that
// can be resumed by calling Advance again, here or in another process. Any other
// error is one of the store or of the machine.
func (e *Engine) Advance(ctx context.Context, l *Live, observe Observer) error {
	if err := l.usable(); err != nil {
		return err
	}
	a := &advance{engine: e, live: l, observe: observe}
	defer a.release()
	if err := a.resume(); err != nil {
		return err
	}
	err := a.run(ctx)
	if err != nil {
		a.abandon()
		l.lost = true
	}
	return err
}

func (e *Engine) now() time.Time {
	if e.Now != nil {
		return e.Now().UTC()
	}
	return time.Now().UTC()
}

func (e *Engine) grace() time.Duration {
	if e.Grace > 0 {
		return e.Grace
	}
	return defaultGrace
}
