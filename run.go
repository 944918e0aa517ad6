package quarry

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
)

// Input is what an agent is given to do.
type Input struct {
	// Accept lets a session go on with other tools, or another agent, than it had:
	// otherwise that is a *MismatchError. The change is journaled.
	Accept bool
	// Blocks are pictures, documents and the like that go with the prompt.
	Blocks []model.Block
	// Labels are journaled with a new session, for those who look it up later.
	Labels map[string]string
	// Prompt is what the person says. Without prompt and blocks, the open prompt
	// of Session is resumed.
	Prompt string
	// Queue lets the prompt wait for an open one of the session, which is resumed
	// first; otherwise that is ErrOpenPrompt.
	Queue bool
	// Session is the id of a session to go on with, or of a new one to create.
	// Defaults to a new id.
	Session string
	// Title is what a new session is called.
	Title string
}

// blank tells that there is neither a prompt nor anything that goes with it.
func (in *Input) blank() bool { return in.Prompt == "" && len(in.Blocks) == 0 }

// prompted is the record of the prompt.
func (in *Input) prompted() *session.Prompted {
	blocks := in.Blocks
	if in.Prompt != "" {
		blocks = append(blocks[:len(blocks):len(blocks)], &model.Text{Text: in.Prompt})
	}
	return &session.Prompted{Message: model.NewMessage(model.RoleUser, blocks...)}
}

// check finds what no session could be run with.
func (in *Input) check() error {
	if in.Session != "" {
		if err := session.CheckID(in.Session); err != nil {
			return err
		}
	}
	if in.Prompt != "" && strings.TrimSpace(in.Prompt) == "" {
		return errors.New("the prompt is nothing but white space; no model accepts that")
	}
	return nil
}

// Event is one step of a run as it happens. Exactly one of Record, Delta and
// Result is set.
type Event struct {
	// Session is the session's id: the run's own, or that of a child.
	Session string
	// Record is an entry of the journal; it is durable when it is shown.
	Record *session.Record
	// Delta is a piece of the model's answer. Deltas are not journaled.
	Delta *model.Event
	// Result is the end of the run. It comes once, last, whatever happened.
	Result *Result
}

// Stream is a run as it happens. It advances while it is ranged over; leaving
// the loop stops the run, releases everything, and leaves a session that can be
// resumed. It can be ranged over once.
//
// The last event holds the Result. It comes with an error where the run did not
// reach its end: the cause of the context, or an error of the store.
type Stream iter.Seq2[Event, error]

// Collect ranges over the stream and returns its result.
func (s Stream) Collect() (*Result, error) {
	var result *Result
	for ev, err := range s {
		if ev.Result != nil {
			result = ev.Result
		}
		if err != nil {
			return result, err
		}
	}
	return result, nil
}

// ErrOpenPrompt is returned for a new prompt to a session whose last one has not
// ended.
var ErrOpenPrompt = errors.New("the session's last prompt is unfinished; resume it first, by running it without a prompt")

// ErrInterrupted is the cause with which Agent.Interrupt ends a run.
var ErrInterrupted = errors.New("the run was interrupted")

// ErrNothingToDo is returned for a run without a prompt where there is nothing
// to resume.
var ErrNothingToDo = errors.New("there is no prompt, and nothing to resume")

// ErrStreamUsed is returned for a stream that is ranged over a second time: that
// would do the work, and pay for it, again.
var ErrStreamUsed = errors.New("the stream was ranged over before; call Stream again for another run")

// Run does what in asks for and returns what it came to. A run that a limit, a
// refusal or a model's error ended is a Result that says so and no error: see
// Result.Subtype. The error is not nil where the run did not reach its end: the
// context ended (its cause, and the session can be resumed) or the store failed.
//
// With the context of a tool's call, the run is a child session of the tool's caller;
// the tool has to declare the agent in ToolSpec.Runs.
func (a *Agent) Run(ctx context.Context, in Input) (*Result, error) {
	return a.Stream(ctx, in).Collect()
}

// Stream does what in asks for and yields everything as it happens.
func (a *Agent) Stream(ctx context.Context, in Input) Stream {
	used := false
	return func(yield func(Event, error) bool) {
		if used {
			yield(Event{Session: in.Session, Result: &Result{
				Session: in.Session, Subtype: Failed, Reason: session.ReasonInput, Detail: ErrStreamUsed.Error(),
			}}, ErrStreamUsed)
			return
		}
		used = true
		if call, ok := CallFrom(ctx); ok {
			a.inside(ctx, call, in, yield)
			return
		}
		r := run{agent: a, yield: yield, id: in.Session}
		if r.id == "" {
			r.id = session.NewID()
		}
		ctx, stop := a.register(ctx, r.id)
		defer stop()
		if in.Accept {
			ctx = context.WithValue(ctx, acceptKey{}, true)
		}
		err := r.do(ctx, in)
		// Stores know the context's error and not its cause.
		if cause := context.Cause(ctx); ctx.Err() != nil && errors.Is(err, ctx.Err()) && !errors.Is(err, cause) {
			err = fmt.Errorf("%w: %w", cause, err)
		}
		if r.left {
			return
		}
		yield(Event{Session: r.id, Result: r.end(ctx, err)}, err)
	}
}

// Interrupt stops the run of a session, with its children, as the end of its
// context would: within 100 ms, with a journal that can be resumed. It returns at
// once, and tells whether there is such a run of this agent.
func (a *Agent) Interrupt(id string) bool {
	cancel, ok := a.running.Load(id)
	if ok {
		cancel.(*interrupter).cancel(ErrInterrupted)
	}
	return ok
}

// interrupter ends one run.
type interrupter struct{ cancel context.CancelCauseFunc }

// register makes a run known to Interrupt. A second run of the same session,
// which will end with a conflict, is not.
func (a *Agent) register(ctx context.Context, id string) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	i := &interrupter{cancel}
	a.running.LoadOrStore(id, i)
	return ctx, func() {
		a.running.CompareAndDelete(id, i)
		cancel(nil)
	}
}

// Enqueue journals a prompt, for a session that exists or a new one, and returns
// the session's id. It is worked on by the next run of the session, after those
// that came before it. A session that the agent is running is ErrConflict; one that
// runs elsewhere loses its run to the prompt.
func (a *Agent) Enqueue(ctx context.Context, in Input) (id string, err error) {
	r := run{agent: a, id: in.Session, yield: func(Event, error) bool { return true }}
	if r.id == "" {
		r.id = session.NewID()
	}
	if err := in.check(); err != nil {
		return r.id, err
	}
	if in.blank() {
		return r.id, ErrNothingToDo
	}
	if in.Accept {
		ctx = context.WithValue(ctx, acceptKey{}, true)
	}
	if _, ok := a.running.Load(r.id); ok {
		return r.id, fmt.Errorf("session %q is running: %w; enqueue the prompt when it has ended", r.id, session.ErrConflict)
	}
	live, err := r.open(ctx, in)
	if err != nil {
		return r.id, err
	}
	return r.id, a.engine.Submit(ctx, live, in.prompted(), r.observe)
}

// run is one call of Stream.
type run struct {
	agent *Agent
	id    string
	yield func(Event, error) bool
	left  bool
	// invalid tells that the input is refused.
	invalid bool
	// loop is nil as long as nothing is loaded or begun.
	loop   *loop
	result *Result
}

func (r *run) do(ctx context.Context, in Input) error {
	if err := in.check(); err != nil {
		r.invalid = true
		return err
	}
	live, err := r.open(ctx, in)
	if err != nil {
		return err
	}
	engine := r.agent.engine
	switch {
	case in.blank() && !r.loop.open:
		return fmt.Errorf("session %q: %w", r.id, ErrNothingToDo)
	case !in.blank() && r.loop.open && !in.Queue:
		return fmt.Errorf("session %q: %w", r.id, ErrOpenPrompt)
	}
	if changed := r.loop.stale(ctx); changed != nil {
		if err := engine.Submit(ctx, live, changed, r.observe); err != nil {
			return err
		}
	}
	if r.loop.parked() { // their answers may be there
		if err := engine.Submit(ctx, live, &session.Resumed{}, r.observe); err != nil {
			return err
		}
	}
	if !in.blank() {
		if err := engine.Submit(ctx, live, in.prompted(), r.observe); err != nil {
			return err
		}
	}
	return engine.Advance(ctx, live, r.observe)
}

// open loads the session, or begins it where it does not exist.
func (r *run) open(ctx context.Context, in Input) (*session.Live, error) {
	store := r.agent.cfg.Store
	r.loop = r.agent.newLoop(r.id)
	if in.Session != "" {
		live, err := session.Load(ctx, store, r.id, r.loop)
		if err == nil {
			return live, r.loop.match(ctx, r.agent.engine, live, r.observe)
		}
		if !errors.Is(err, session.ErrNotFound) {
			return nil, err
		}
		if in.blank() {
			return nil, err
		}
	} else if in.blank() {
		return nil, ErrNothingToDo
	}
	first := session.Record{Seq: 1, Time: time.Now().UTC(), Event: r.agent.started(in.Title, in.Labels)}
	live, err := session.Create(ctx, store, r.id, r.loop, first.Time, first.Event.(*session.Started))
	if err == nil {
		r.observe(session.Observation{Session: r.id, Record: &first})
	}
	return live, err
}

// observe passes on what the engine shows.
func (r *run) observe(o session.Observation) bool {
	if o.Record != nil && o.Session == r.id {
		if ended, ok := o.Record.Event.(*session.Ended); ok {
			result := ended.Result
			r.result = &result
		}
	}
	r.left = r.left || !r.yield(Event{Session: o.Session, Record: o.Record, Delta: o.Delta}, nil)
	return !r.left
}

// end returns the run's one result.
func (r *run) end(ctx context.Context, err error) *Result {
	if r.result != nil && err == nil {
		r.result.Session = r.id
		return r.result
	}
	if err == nil && r.loop.open {
		return r.loop.waiting()
	}
	var result Result
	if r.loop != nil && r.loop.open { // otherwise it knows of an earlier prompt only
		result = r.loop.tally()
	}
	result.Session = r.id
	if err != nil {
		result.Detail = err.Error()
	}
	switch {
	case ctx.Err() != nil && (errors.Is(err, context.Cause(ctx)) || errors.Is(err, ctx.Err())):
		result.Subtype, result.Reason = session.Stopped, session.ReasonCanceled
	case r.invalid, errors.As(err, new(*MismatchError)), errors.Is(err, ErrOpenPrompt), errors.Is(err, ErrNothingToDo), errors.Is(err, session.ErrNotFound):
		result.Subtype, result.Reason = session.Failed, session.ReasonInput
	case errors.Is(err, session.ErrConflict):
		result.Subtype, result.Reason = session.Failed, session.ReasonConflict
	default:
		result.Subtype, result.Reason = session.Failed, session.ReasonJournal
	}
	return &result
}
