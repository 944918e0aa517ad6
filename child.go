package quarry

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
)

// AgentTool makes a tool of an agent: each call runs it on a session of its own,
// a child of the caller's, with the call's one argument, "prompt", as its prompt.
// See [NewAgentTool].
func AgentTool(spec ToolSpec, agent *Agent) *Tool {
	type input struct {
		Prompt string `json:"prompt" jsonschema:"what the agent is to do, with everything it needs to know: it sees nothing else"`
	}
	return NewAgentTool(spec, agent, func(in input) (Input, error) { return Input{Prompt: in.Prompt}, nil })
}

// NewAgentTool makes a tool of an agent: each call runs it on a child session,
// and what that comes to is the call's result. The prompt function turns the
// arguments into what the child is given: it must give the same for the same
// arguments, and must do nothing else. Of the Input only Prompt, Blocks and Title
// count.
//
// A child has a journal of its own, in the caller's store, and a share of the
// caller's budget: what is left is divided evenly between the children that wait
// and the caller, and a child gets its part or its own limits, whichever is less.
// Several calls of one response run at the same time, up to
// Limits.ChildrenAtOnce. After a crash, a child goes on where its journal ends.
//
// Of the spec, Effect, Timeout and the fields about repeating do not matter.
func NewAgentTool[In any](spec ToolSpec, agent *Agent, prompt func(In) (Input, error)) *Tool {
	spec.Effect = ReadOnly // it may run beside others, and be gone on with
	t := NewTool(spec, func(context.Context, In) (string, error) {
		return "", errSession
	})
	if agent == nil || prompt == nil {
		t.err = errors.New("it has no agent, or no function that makes its prompt")
		return t
	}
	t.agents = []*Agent{agent}
	t.errand = func(input []byte) (errand, error) {
		var in In
		if err := json.Unmarshal(input, &in); err != nil {
			return errand{}, misfit(err)
		}
		made, err := prompt(in)
		if err == nil && made.blank() {
			err = errors.New("the prompt is empty")
		}
		if err == nil {
			err = made.check()
		}
		return errand{agent: agent, in: made}, err
	}
	return t
}

// errSession is what the function of a tool says whose calls agents serve.
var errSession = errors.New("it is a session that serves this call")

// errand is what a call asks of an agent.
type errand struct {
	agent *Agent
	in    Input
	// background tells that the caller does not wait for it; continues is the child
	// session that is gone on with.
	background bool
	continues  string
}

// errand is what a call asks of which agent, with the arguments that it has.
func (l *loop) errand(c *toolCall) (errand, error) {
	tool := l.agent.tools[c.name]
	if tool == nil || tool.errand == nil {
		return errand{}, errors.New("there is no agent of this name")
	}
	return tool.errand(l.inputOf(c))
}

// childID names the session that serves a call: the same whenever it is asked
// for, and another one in each fork.
func childID(parent string, turn, index int) string {
	return fitID(fmt.Sprintf("%s-%d-%d", parent, turn, index))
}

// fitID makes an id that is too long fit.
func fitID(id string) string {
	if len(id) <= session.MaxIDLength {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	tail := "-" + hex.EncodeToString(sum[:10])
	return id[:session.MaxIDLength-len(tail)] + tail
}

// refuseChild is the answer to a call that no child can serve; nil where one may.
func (l *loop) refuseChild(c *toolCall, tool *Tool) *session.ToolAnswered {
	if err := tool.schema.validate(l.inputOf(c)); err != nil {
		return refuse(&session.ToolAnswered{}, err.Error())
	}
	e, err := l.errand(c)
	if err == nil {
		err = l.mayContinue(&e)
	}
	if err != nil {
		return refuse(&session.ToolAnswered{}, err.Error())
	}
	if l.ledger.budget.Depth < 1 {
		a := refuse(&session.ToolAnswered{}, "no further generation of child sessions is allowed here; do it yourself")
		a.Limit = &session.LimitHit{Name: "depth", Value: 0, Used: 0}
		return a
	}
	return nil
}

// share is what a child may use, or those that a tool runs: the part of what is
// left that falls to it when waiting children and the parent get the same. Where nothing is left of something that every agent needs, it is the
// answer that refuses the call.
func (l *loop) share(c *toolCall, waiting int64, pending *session.Amounts) (*session.Budget, *session.ToolAnswered) {
	left, taken := l.left(c, pending)
	use := callUse(l.agent.tools[c.name])
	left.Sub(&use)
	for i := range session.Quantities {
		q := &session.Quantities[i]
		n := q.Of(&left)
		if *n == Unlimited {
			continue
		}
		if has := *n; has > 1 {
			*n = max(1, has/(waiting+1))
		} else if needed(q.Name) {
			limit, used := *q.Of(&l.ledger.budget.Amounts), *q.Of(&taken)
			a := refuse(&session.ToolAnswered{}, fmt.Sprintf("too little is left for a child session: of the limit of %s, %s, %s are used or reserved; do without, and say what is missing", wordsOf(q.Name), q.Text(limit), q.Text(used)))
			a.Limit = hitOf(q, limit, used)
			return nil, a
		}
	}
	return &session.Budget{Amounts: left, Depth: l.ledger.budget.Depth - 1}, nil
}

// needed tells whether no agent can work without some of a quantity.
func needed(name string) bool {
	for _, end := range turnsEnd {
		if end.name == name {
			return true
		}
	}
	return false
}

// RunChild implements session.Hands.
func (h *hands) RunChild(ctx context.Context, id string, call *session.RunChild, observe session.Observer) (session.Event, *session.Spent, error) {
	called := call.Called
	answered := &session.ToolAnswered{Turn: called.Turn, Index: called.Index, ID: called.ID, Name: called.Name}
	tool := h.agent.tools[called.Name]
	if tool == nil || tool.errand == nil {
		return refuse(answered, "there is no agent of this name"), nil, nil
	}
	e, err := tool.errand(call.Input)
	if err != nil {
		return refuse(answered, err.Error()), nil, nil
	}
	began := time.Now()
	parent := &session.Parent{Session: id, Turn: called.Turn, Index: called.Index}
	result, err := h.of(e.agent, id).work(ctx, called.Child, parent, e.in, observe)
	if errors.Is(err, errGone) {
		why := "is no longer stored"
		if errors.As(err, new(*MismatchError)) {
			why = "was begun with other tools than the agent has now"
		}
		return refuse(answered, "the session "+called.Child.Session+" of the agent "+why+"; send the agent anew, with what it needs to know"), nil, nil
	}
	if err != nil {
		if ctx.Err() != nil && result != nil {
			return nil, &result.Spent, nil
		}
		return nil, nil, err
	}
	if result.Subtype == session.Waiting {
		return waitingFor(called, called.Child.Session, result), nil, nil
	}
	answered.Duration = time.Since(began)
	answered.Child = &session.ChildEnd{Session: called.Child.Session, Subtype: result.Subtype, Reason: result.Reason, Turns: result.Turns, Spent: result.Spent}
	h.finish(ctx, tool, answered, outcomeOf(result, e.agent))
	if tool.handles {
		answered.Content = append(answered.Content, handleNote(called.Child))
	}
	return answered, nil, nil
}

// waitingFor tells that a child waits for a person.
func waitingFor(called *session.ToolCalled, child string, result *Result) *session.ChildWaiting {
	spent := result.Spent.Clone()
	waiting := &session.ChildWaiting{Turn: called.Turn, Index: called.Index, Child: child, Spent: &spent}
	for _, p := range result.Pending {
		if p.Session == "" {
			p.Session = child
		}
		waiting.Pending = append(waiting.Pending, p)
	}
	return waiting
}

// outcomeOf is what a child's result is for its parent.
func outcomeOf(r *Result, agent *Agent) (o toolOutcome) {
	if !r.OK() {
		why := fmt.Sprintf("the agent %s did not come to its end (%s, %s)", agent.cfg.Name, r.Subtype, r.Reason)
		if r.Detail != "" {
			why += ": " + defuse(r.Detail)
		}
		if text := strings.TrimSpace(r.Text); text != "" {
			why += "\nIts last words: " + defuse(text)
		}
		o.err = errors.New(why)
		return o
	}
	text := r.Text
	if r.Output != nil {
		text = string(r.Output)
	}
	if strings.TrimSpace(text) == "" {
		text = "The agent has finished and said nothing."
	}
	o.rendered = rendered{content: model.Blocks{&model.Text{Text: defuse(text)}}, output: r.Output}
	return o
}

// errGone tells that a child is to go on whose session is not there, or no longer
// fits.
var errGone = errors.New("the session is gone")

// stoppedAt is the result of a child as it stands, where ctx or whoever watches it
// has stopped it. The loop is of no use afterwards.
func stoppedAt(ctx context.Context, l *loop, err error) *Result {
	if ctx.Err() == nil && !errors.Is(err, session.ErrStopped) {
		return nil
	}
	l.abandoned(append(l.result.Canceled[:len(l.result.Canceled):len(l.result.Canceled)], l.result.Running...))
	r := l.tally()
	return &r
}

// work brings a child session to its end: it begins it, or goes on with it.
func (h *hands) work(ctx context.Context, call *session.ChildCall, parent *session.Parent, in Input, observe session.Observer) (*Result, error) {
	l := newLoop(h.agent, call.Session).in(h.run)
	engine := &session.Engine{Hands: h}
	// One that is to stop still tells what it used.
	live, err := session.Load(context.WithoutCancel(ctx), h.run.store, call.Session, l)
	switch {
	case errors.Is(err, session.ErrNotFound) && call.Continues:
		return nil, errGone
	case errors.Is(err, session.ErrNotFound):
		started := h.agent.started(in.Title, nil)
		started.Parent, started.Budget = parent, &call.Budget
		first := session.Record{Seq: 1, Time: time.Now().UTC(), Event: started}
		if live, err = session.Create(ctx, h.run.store, call.Session, l, first.Time, started); err != nil {
			return nil, err
		}
		observe(session.Observation{Session: call.Session, Record: &first})
	case err != nil:
		return nil, err
	default:
		if err := l.match(ctx, engine, live, observe); err != nil {
			if call.Continues && !l.open && errors.As(err, new(*MismatchError)) {
				err = fmt.Errorf("%w: %w", errGone, err)
			}
			return nil, err
		}
	}
	if due := l.serves == nil || *l.serves != *parent || l.prompts == 0; due {
		prompted := in.prompted()
		if l.prompts > 0 {
			prompted.Call, prompted.Budget = parent, &call.Budget
		}
		if err := engine.Submit(ctx, live, prompted, observe); err != nil {
			return stoppedAt(ctx, l, err), err
		}
	}
	if l.parked() {
		if err := engine.Submit(ctx, live, &session.Resumed{}, observe); err != nil {
			return stoppedAt(ctx, l, err), err
		}
	}
	if l.open {
		if err := engine.Advance(ctx, live, observe); err != nil {
			return stoppedAt(ctx, l, err), err
		}
	}
	if l.ended == nil || l.open {
		return l.waiting(), nil
	}
	return l.ended, nil
}
