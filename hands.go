package quarry

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
)

// hands perform what the loop's machine decides.
type hands struct {
	agent *Agent
	run   *shared
}

// shared is what a tree of agents has in common.
type shared struct {
	store  session.Store
	gate   *Gate
	prices Prices
	blobs  Blobs
	// hooks and policy are those of the agent and of all above it.
	hooks  []Hook
	policy *policy
	// approver asks a person; park lets calls wait for one.
	approver func(context.Context, Approval) (Answer, error)
	park     bool
	// parent is the session above, depth how many there are; dir is the folder of the
	// agent above all.
	parent string
	depth  int
	dir    string
}

// shared is what the trees of the agent have in common.
func (a *Agent) shared() *shared {
	cfg := &a.cfg
	return &shared{
		store: cfg.Store, gate: cfg.Gate, prices: cfg.Prices, blobs: cfg.Blobs,
		hooks: cfg.Hooks, policy: a.policy, approver: cfg.Approver, park: cfg.Park, dir: cfg.Dir,
	}
}

// of returns the hands of the agent of a child of the session id, in the same tree.
func (h *hands) of(child *Agent, id string) *hands {
	run := *h.run
	run.parent = id
	run.depth++
	run.hooks = append(run.hooks[:len(run.hooks):len(run.hooks)], child.cfg.Hooks...)
	run.policy = child.policy.inherit(run.policy)
	if !child.ownGate {
		run.gate = child.cfg.Gate
	}
	if child.cfg.Prices != nil {
		run.prices = child.cfg.Prices
	}
	return &hands{agent: child, run: &run}
}

// CallModel implements session.Hands.
func (h *hands) CallModel(ctx context.Context, _ string, call *session.CallModel, emit func(model.Event) bool) session.Event {
	called := call.Called
	m := h.agent.model(called.Fallback)
	gate, provider := h.run.gate, providerOf(m)
	if sleepUntil(ctx, called.NotBefore) != nil {
		return nil
	}
	if err := gate.pass(ctx, provider); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return &session.ModelFailed{Turn: called.Turn, Error: modelError(err)}
	}
	outcome := ask(ctx, m, h.agent.cfg.Limits.Idle, call, emit)
	switch outcome := outcome.(type) {
	case *session.ModelAnswered:
		gate.settle(provider, nil, time.Now())
		outcome.Cost = priceOf(h.run.prices, m.Name(), outcome.Response)
		outcome.ToolCosts = toolCosts(h.run.prices, m.Name(), &outcome.Response.Usage)
	case *session.ModelFailed:
		gate.settle(provider, outcome.Error, time.Now())
	default:
		gate.abandon(provider)
	}
	return outcome
}

// ask makes one call of a model; nil where ctx or emit ended it.
func ask(ctx context.Context, m model.Model, idle time.Duration, call *session.CallModel, emit func(model.Event) bool) (outcome session.Event) {
	turn := call.Called.Turn
	defer func() {
		if p := recover(); p != nil {
			outcome = &session.ModelFailed{Turn: turn, Error: &model.Error{
				Kind:    model.ErrProtocol,
				Message: fmt.Sprintf("the model's code panicked: %v", p),
				Stack:   string(debug.Stack()),
			}}
		}
	}()
	wctx, dog, stop := watch(ctx, idle)
	defer stop()
	failed := func(kind model.ErrorKind, message string) session.Event {
		provider, _, _ := strings.Cut(m.Name(), "/")
		return &session.ModelFailed{Turn: turn, Error: &model.Error{Kind: kind, Provider: provider, Message: message}}
	}
	var repeats repeater
	for ev, err := range m.Stream(wctx, call.Request) {
		switch dog.pause(); {
		case err != nil && ctx.Err() != nil:
			return nil
		case err != nil && dog.bit(wctx):
			return failed(model.ErrTimeout, dog.fired.Error())
		case err != nil:
			return &session.ModelFailed{Turn: turn, Error: modelError(err)}
		case ev.Kind == model.EventDone:
			return answeredBy(ev.Response, turn)
		case !emit(ev):
			return nil
		case repeats.see(&ev):
			return failed(model.ErrRepetition, "the model repeats itself without end and was stopped; ask in another way, or use another model")
		}
		dog.heard()
	}
	if ctx.Err() != nil {
		return nil
	}
	if dog.bit(wctx) {
		return failed(model.ErrTimeout, dog.fired.Error())
	}
	return &session.ModelFailed{Turn: turn, Error: &model.Error{Kind: model.ErrProtocol, Message: "the model's stream ended without a response"}}
}

// answeredBy is the outcome of a call that brought this response.
func answeredBy(resp *model.Response, turn int) session.Event {
	if resp == nil || resp.Message == nil {
		return &session.ModelFailed{Turn: turn, Error: &model.Error{Kind: model.ErrProtocol, Message: "the model ended its stream without a message"}}
	}
	// The state must be the same as one that is folded from a stored journal.
	if msg := resp.Message.Compact(); msg != resp.Message {
		copied := *resp
		copied.Message = msg
		resp = &copied
	}
	return &session.ModelAnswered{Turn: turn, Response: resp}
}

// modelError returns err as something that can be journaled.
func modelError(err error) *model.Error {
	var me *model.Error
	if errors.As(err, &me) {
		return me
	}
	return &model.Error{Kind: model.ErrProtocol, Message: err.Error(), Err: err}
}

// CallTool implements session.Hands. It returns when the handler has, or when
// the tool's timeout ends; a handler that ignores its context is then left to
// itself. Where ctx ends, the engine waits for its grace period, and a handler
// that is done by then is heard.
func (h *hands) CallTool(ctx context.Context, id string, call *session.CallTool, observe session.Observer) (session.Event, *session.Spent) {
	called := call.Called
	tool := h.agent.tools[called.Name]
	answered := &session.ToolAnswered{Turn: called.Turn, Index: called.Index, ID: called.ID, Name: called.Name}
	if tool == nil {
		return refuse(answered, "there is no tool of this name"), nil
	}
	if err := tool.schema.validate(call.Input); err != nil {
		return refuse(answered, err.Error()), nil
	}
	tctx, cancel := context.WithTimeout(ctx, tool.spec.Timeout)
	defer cancel()
	cctx := &callContext{Context: tctx, call: Call{
		Session: id, Agent: h.agent.cfg.Name,
		Turn: called.Turn, Index: called.Index, ID: called.ID, Name: called.Name,
		Key: called.Key, Attempt: called.Attempt, Prompt: call.Prompt,
		earlier: call.Earlier, blobs: h.run.blobs, inner: h.newInner(id, tool, called, observe),
	}}
	cctx.call.reads, cctx.call.asks = &cctx.reads, &cctx.asks
	cctx.asks.answered, cctx.asks.nobody = call.Answered, h.nobody()
	began := time.Now()
	o, ok := h.outcome(ctx, cctx, tool, call)
	var spent *session.Spent
	if runs := cctx.call.inner; runs != nil {
		cancel()
		spent = runs.close()
		switch {
		case runs.fellShort() && ctx.Err() != nil: // whatever the function made of that
			return nil, spent
		case runs.waiting != nil && ctx.Err() == nil:
			spent.Add(&runs.parked)
			runs.waiting.Spent = spent
			return runs.waiting, nil
		}
		answered.Children = runs.all()
	}
	if !ok {
		return nil, spent
	}
	if q := cctx.asks.waiting(); q != nil && o.err != nil && !o.left && ctx.Err() == nil {
		if len(call.Answered) >= maxInquiries {
			h.finish(ctx, tool, answered, toolOutcome{err: fmt.Errorf("the tool has asked %d questions, and asks on; it was stopped", maxInquiries)})
			return answered, nil
		}
		return &session.ToolWaiting{Turn: called.Turn, Index: called.Index, Question: q, Spent: spent}, nil
	}
	if tctx.Err() != nil && errors.Is(o.err, context.DeadlineExceeded) {
		o.err = tooSlow(tool)
	}
	answered.Duration = time.Since(began)
	answered.Sources = cctx.reads.all()
	h.finish(ctx, tool, answered, o)
	return answered, nil
}

// nobody tells whether there is nobody to ask.
func (h *hands) nobody() bool {
	return h.run.approver == nil && !h.run.park || h.run.policy != nil && h.run.policy.mode == ModeDontAsk
}

// innerGrace is how long the function of a tool that runs agents is waited for when
// those have been stopped.
const innerGrace = 50 * time.Millisecond

// outcome runs a tool's function; ok is false where ctx ended it.
func (h *hands) outcome(ctx context.Context, cctx *callContext, tool *Tool, call *session.CallTool) (o toolOutcome, ok bool) {
	done := make(chan toolOutcome, 1)
	go perform(cctx, tool, call, done)
	select {
	case o = <-done:
	case <-cctx.Done():
		if runs := cctx.call.inner; runs != nil && ctx.Err() != nil { // the engine waits for those, and for the function no longer than for others
			runs.close()
			timer := time.NewTimer(innerGrace)
			defer timer.Stop()
			select {
			case o = <-done:
			case <-timer.C:
				o.err = ctx.Err()
			}
			break
		}
		if ctx.Err() != nil {
			o = <-done
			break
		}
		select {
		case o = <-done:
		default:
			o.err, o.left = tooSlow(tool), true
		}
	}
	return o, o.err == nil || ctx.Err() == nil
}

// maxInquiries is how many questions the function of a call may ask: one that words
// them anew each time would ask for ever.
const maxInquiries = 50

// tooSlow is the error of a tool that took too long.
func tooSlow(tool *Tool) error {
	return fmt.Errorf("the tool did not answer within %v; it may still be at work. Try a smaller request, or go on without it", tool.spec.Timeout)
}

// perform runs a tool's function, after asking whether it has run where that is
// to be asked. It hands done the outcome even where the handler ends the
// goroutine itself, by runtime.Goexit.
func perform(ctx context.Context, tool *Tool, call *session.CallTool, done chan<- toolOutcome) {
	o := toolOutcome{err: errors.New("the tool ended without an answer")}
	defer func() {
		if p := recover(); p != nil {
			o = toolOutcome{err: fmt.Errorf("the tool panicked: %v", p), stack: string(debug.Stack())}
		}
		done <- o
	}()
	if call.Called.Reconcile {
		output, happened, err := tool.spec.Reconcile(ctx, call.Input)
		if err != nil {
			o.err = fmt.Errorf("this call was started and cut off, and it could not be found out whether it took effect (%w). Check before you call it again", err)
			o.unknown = true
			return
		}
		if happened {
			o.rendered, o.err = render(output, tool.spec.EndsRun)
			return
		}
	}
	o.rendered, o.err = tool.run(ctx, call.Input)
}

// toolOutcome is what a handler came to.
type toolOutcome struct {
	rendered rendered
	err      error
	stack    string
	// unknown tells that nobody knows whether the call took effect, left that the
	// handler is still at work.
	unknown, left bool
}

// finish fills in the outcome of a handler.
func (h *hands) finish(ctx context.Context, tool *Tool, answered *session.ToolAnswered, o toolOutcome) {
	if o.err != nil {
		answered.IsError = true
		answered.Content = model.Blocks{&model.Text{Text: o.err.Error()}}
		answered.Stack, answered.Unknown = o.stack, o.unknown || errors.Is(o.err, ErrOutcomeUnknown)
		var more Contenter
		if errors.As(o.err, &more) {
			if r, err := render(more, false); err == nil {
				answered.Content, answered.Output = r.content, r.output
			}
		}
	} else {
		answered.Content, answered.Output = o.rendered.content, o.rendered.output
	}
	handle := ""
	if h.agent.canRead {
		handle = handleOf(answered.Turn, answered.Index)
	}
	answered.Content, answered.Full = limitText(answered.Content, tool.spec.MaxResultBytes, handle)
	if answered.Full == "" || h.run.blobs == nil {
		return
	}
	// Where it cannot be kept there, it stays in the journal.
	if ref, err := h.run.blobs.Put(context.WithoutCancel(ctx), []byte(answered.Full)); err == nil {
		answered.Blob, answered.Size, answered.Full = ref, int64(len(answered.Full)), ""
	}
}

// refuse makes answered the error result of a call that was not run.
func refuse(answered *session.ToolAnswered, why string) *session.ToolAnswered {
	answered.Content = model.Blocks{&model.Text{Text: why}}
	answered.IsError, answered.Refused = true, true
	return answered
}
