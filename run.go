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
	// Blocks are pictures, documents and the like that go with the prompt.
	Blocks []model.Block
	// Labels are journaled with a new session, for those who look it up later.
	Labels map[string]string
	// Prompt is what the person says. Without prompt and blocks, the open prompt
	// of Session is resumed.
	Prompt string
	// Session is the id of a session to go on with, or of a new one to create.
	// Defaults to a new id.
	Session string
	// Title is what a new session is called.
	Title string
}

// blank tells that there is neither a prompt nor anything that goes with it.
func (in *Input) blank() bool { return in.Prompt == "" && len(in.Blocks) == 0 }

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
	// Session is the session's id.
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
		r := run{agent: a, yield: yield, id: in.Session}
		if r.id == "" {
			r.id = session.NewID()
		}
		err := r.do(ctx, in)
		if r.left {
			return
		}
		yield(Event{Session: r.id, Result: r.end(ctx, err)}, err)
	}
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
	if !in.blank() {
		if r.loop.open {
			return fmt.Errorf("session %q: %w", r.id, ErrOpenPrompt)
		}
		blocks := in.Blocks
		if in.Prompt != "" {
			blocks = append(blocks[:len(blocks):len(blocks)], &model.Text{Text: in.Prompt})
		}
		prompted := &session.Prompted{Message: model.NewMessage(model.RoleUser, blocks...)}
		if err := engine.Submit(ctx, live, prompted, r.observe); err != nil {
			return err
		}
	} else if !r.loop.open {
		return fmt.Errorf("session %q: %w", r.id, ErrNothingToDo)
	}
	return engine.Advance(ctx, live, r.observe)
}

// open loads the session, or begins it where it does not exist.
func (r *run) open(ctx context.Context, in Input) (*session.Live, error) {
	store := r.agent.cfg.Store
	r.loop = newLoop(r.agent, r.id)
	if in.Session != "" {
		live, err := session.Load(ctx, store, r.id, r.loop)
		if err == nil || !errors.Is(err, session.ErrNotFound) {
			return live, err
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
		r.observe(session.Observation{Record: &first})
	}
	return live, err
}

// observe passes on what the engine shows.
func (r *run) observe(o session.Observation) bool {
	if o.Record != nil {
		if ended, ok := o.Record.Event.(*session.Ended); ok {
			result := ended.Result
			r.result = &result
		}
	}
	r.left = r.left || !r.yield(Event{Session: r.id, Record: o.Record, Delta: o.Delta}, nil)
	return !r.left
}

// end returns the run's one result.
func (r *run) end(ctx context.Context, err error) *Result {
	if r.result != nil && err == nil {
		r.result.Session = r.id
		return r.result
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
	case r.invalid, errors.Is(err, ErrOpenPrompt), errors.Is(err, ErrNothingToDo), errors.Is(err, session.ErrNotFound):
		result.Subtype, result.Reason = session.Failed, session.ReasonInput
	case errors.Is(err, session.ErrConflict):
		result.Subtype, result.Reason = session.Failed, session.ReasonConflict
	default:
		result.Subtype, result.Reason = session.Failed, session.ReasonJournal
	}
	return &result
}
