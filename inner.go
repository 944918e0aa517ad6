package quarry

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/quarry-sdk/quarry/session"
)

// inner is the runs of agents that the function of a tool makes: child sessions
// of the one that called the tool.
type inner struct {
	hands   *hands
	id      string
	called  *session.ToolCalled
	agents  []*Agent
	observe session.Observer
	// room has a token for each run that may be under way.
	room chan struct{}

	mu sync.Mutex
	// left is what may still be reserved of the call's share.
	left session.Amounts
	// seen counts the runs of one agent and prompt.
	seen map[string]int
	// ends is what those came to that ended, cut what those had used that were
	// stopped.
	ends, cut []session.ChildEnd
	// waiting tells of the first that waits for a person, parked what those have used.
	waiting *session.ChildWaiting
	parked  session.Spent
	// closed tells that the call is over, late that a run did not begin because it had
	// to end; working are the runs under way, and stops ends those.
	closed  bool
	late    bool
	working sync.WaitGroup
	stops   map[string]context.CancelCauseFunc
}

// newInner returns what a call needs to run agents; nil where its tool runs none.
func (h *hands) newInner(id string, tool *Tool, called *session.ToolCalled, observe session.Observer) *inner {
	if len(tool.spec.Runs) == 0 || called.Share == nil {
		return nil
	}
	return &inner{
		hands: h, id: id, called: called, agents: tool.spec.Runs, observe: observe, room: make(chan struct{}, h.agent.cfg.Limits.ChildrenAtOnce),
		left: called.Share.Amounts, seen: make(map[string]int), stops: make(map[string]context.CancelCauseFunc),
	}
}

// inside runs the agent for the call of a tool whose function asks for it.
func (a *Agent) inside(ctx context.Context, call *Call, in Input, yield func(Event, error) bool) {
	left := false
	result, err := call.run(ctx, a, in, func(o session.Observation) bool {
		left = left || !yield(Event{Session: o.Session, Record: o.Record, Delta: o.Delta}, nil)
		return !left
	})
	if left {
		return
	}
	yield(Event{Session: result.Session, Result: result}, err)
}

// run runs an agent on a child session of the call's. The result is never nil.
func (c *Call) run(ctx context.Context, a *Agent, in Input, see session.Observer) (*Result, error) {
	invalid := func(err error) (*Result, error) {
		return &Result{Session: in.Session, Subtype: Failed, Reason: session.ReasonInput, Detail: err.Error()}, err
	}
	switch {
	case c.inner == nil || !slices.Contains(c.inner.agents, a) && (a.origin == nil || !slices.Contains(c.inner.agents, a.origin)):
		return invalid(fmt.Errorf("agent %q is run by a call of the tool %s, which does not declare it; add it to ToolSpec.Runs, so that it works within the caller's rules and budget, or run it with a context of your own", a.cfg.Name, c.Name))
	case in.Session != "":
		return invalid(fmt.Errorf("agent %q: its session is named by the call of %s that runs it; leave Input.Session empty", a.cfg.Name, c.Name))
	case in.blank():
		return invalid(ErrNothingToDo)
	}
	if err := in.check(); err != nil {
		return invalid(err)
	}
	return c.inner.run(ctx, a, in, see)
}

func (r *inner) run(ctx context.Context, a *Agent, in Input, see session.Observer) (*Result, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	id, share, refused := r.begin(a, &in, stop)
	if refused != nil {
		return refused, nil
	}
	defer r.working.Done()
	spent := session.Spent{}
	defer func() { r.settle(share, &spent) }()
	select {
	case r.room <- struct{}{}:
		defer func() { <-r.room }()
	case <-ctx.Done():
		r.mu.Lock()
		r.late = true
		r.mu.Unlock()
		return stoppedBy(ctx, id, &Result{})
	}
	parent := &session.Parent{Session: r.id, Turn: r.called.Turn, Index: r.called.Index}
	call := &session.ChildCall{Session: id, Agent: a.cfg.Name, Budget: session.Budget{Amounts: *share, Depth: min(r.called.Share.Depth, a.cfg.Limits.Depth)}}
	// What the run does is no part of the call.
	inside := context.WithValue(ctx, callKey{}, nil)
	result, err := r.hands.of(a, r.id).work(inside, call, parent, in, func(o session.Observation) bool {
		return r.observe(o) && see(o)
	})
	if err != nil {
		if result == nil {
			result = &Result{}
		}
		spent = result.Spent
		r.cutOff(id, result)
		if errors.Is(err, session.ErrStopped) || ctx.Err() != nil {
			return stoppedBy(ctx, id, result)
		}
		return &Result{Session: id, Subtype: Failed, Reason: session.ReasonJournal, Detail: err.Error(), Spent: spent}, err
	}
	ended := *result // the journal has it too
	result, ended.Session = &ended, id
	r.mu.Lock()
	defer r.mu.Unlock()
	if spent = result.Spent; result.Subtype != session.Waiting {
		r.ends = append(r.ends, session.ChildEnd{Session: id, Subtype: result.Subtype, Reason: result.Reason, Turns: result.Turns, Spent: spent})
	} else {
		r.parked.Add(&spent)
		r.parked.Children++
		if r.waiting == nil {
			r.waiting = waitingFor(r.called, id, result)
		}
	}
	return result, nil
}

// cutOff books what a run has used that did not come to its end.
func (r *inner) cutOff(id string, result *Result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cut = append(r.cut, session.ChildEnd{Session: id, Subtype: session.Stopped, Reason: session.ReasonCanceled, Turns: result.Turns, Spent: result.Spent})
}

// stoppedBy is the result of a run that its context, or its caller, has stopped.
func stoppedBy(ctx context.Context, id string, result *Result) (*Result, error) {
	err := context.Cause(ctx)
	if err == nil {
		err = session.ErrStopped
	}
	result.Session, result.Subtype, result.Reason, result.Detail = id, session.Stopped, session.ReasonCanceled, err.Error()
	return result, err
}

// begin names a run and reserves its share: half of what is left, or the agent's
// own limits where those are less. The name depends on the agent and the prompt, so
// that a call which is repeated finds its runs again in whatever order it makes
// them.
func (r *inner) begin(a *Agent, in *Input, stop context.CancelCauseFunc) (id string, share *session.Amounts, refused *Result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	hash := sha256.New()
	prompt, _ := json.Marshal(in.prompted()) // what cannot be written ends the run
	fmt.Fprintf(hash, "%s\x00%s", a.cfg.Name, prompt)
	name := hex.EncodeToString(hash.Sum(nil)[:5])
	n := r.seen[name]
	r.seen[name]++
	if n > 0 {
		name += fmt.Sprintf("-%d", n)
	}
	id = fitID(fmt.Sprintf("%s-%d-%d-%s", r.id, r.called.Turn, r.called.Index, name))
	limited := func(reason, detail string) *Result {
		return &Result{Session: id, Subtype: session.Limited, Reason: reason, Detail: detail}
	}
	if r.closed {
		r.late = true
		return id, nil, limited(session.ReasonCanceled, errCallOver.Error())
	}
	if r.called.Share.Depth < 0 {
		return id, nil, limited(session.ReasonDepth, "no further generation of child sessions is allowed here")
	}
	mine := r.left
	for i := range session.Quantities {
		q := &session.Quantities[i]
		has := q.Of(&mine)
		switch {
		case *has == Unlimited:
		case q.Name == "children" && *has < 1, needed(q.Name) && *has < 1:
			return id, nil, limited("max_"+q.Name, "too little is left of the limit of "+wordsOf(q.Name)+" for a child session")
		default:
			*has = (*has + 1) / 2
		}
	}
	own := a.limits
	mine.Bound(&own)
	if mine.Children > 0 {
		mine.Children-- // itself
	}
	reserved := bounded(mine)
	reserved.Children++
	r.left.Sub(&reserved)
	r.working.Add(1)
	r.stops[id] = stop
	return id, &mine, nil
}

// settle takes from what is left what a run has used, rather than what it has
// reserved.
func (r *inner) settle(share *session.Amounts, spent *session.Spent) {
	r.mu.Lock()
	defer r.mu.Unlock()
	reserved := bounded(*share)
	for i := range session.Quantities {
		q := &session.Quantities[i]
		if n := q.Of(&r.left); *n != Unlimited {
			*n = max(0, *n+*q.Of(&reserved)-*q.Of(&spent.Amounts))
		}
	}
}

// errCallOver is why runs end that outlive their call.
var errCallOver = errors.New("the call that runs the agent is over")

// close ends the call for its runs, waits until those under way have stopped, and
// returns what all have used.
func (r *inner) close() *session.Spent {
	r.mu.Lock()
	r.closed = true
	for _, stop := range r.stops { // the function may have cut them off from its context
		stop(errCallOver)
	}
	r.mu.Unlock()
	r.working.Wait()
	var spent session.Spent
	for _, end := range r.all() {
		spent.Add(&end.Spent)
		spent.Children++
	}
	return &spent
}

// fellShort tells whether the function did not get the runs that it asked for,
// because the call was over.
func (r *inner) fellShort() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.cut) > 0 || r.late
}

// all are the runs that have used something.
func (r *inner) all() []session.ChildEnd { return append(r.ends[:len(r.ends):len(r.ends)], r.cut...) }
