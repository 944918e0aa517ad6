package quarry

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
)

// hands perform what the loop's machine decides.
type hands struct {
	agent *Agent
}

// CallModel implements session.Hands.
func (h *hands) CallModel(ctx context.Context, _ string, call *session.CallModel, emit func(model.Event) bool) session.Event {
	called := call.Called
	m := h.agent.model(called.Fallback)
	gate, provider := h.agent.cfg.Gate, providerOf(m)
	if sleepUntil(ctx, called.NotBefore) != nil {
		return nil
	}
	if err := gate.pass(ctx, provider); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return &session.ModelFailed{Turn: called.Turn, Error: modelError(err)}
	}
	outcome := ask(ctx, m, call, emit)
	switch outcome := outcome.(type) {
	case *session.ModelAnswered:
		gate.settle(provider, nil, time.Now())
	case *session.ModelFailed:
		gate.settle(provider, outcome.Error, time.Now())
	default:
		gate.abandon(provider)
	}
	return outcome
}

// ask makes one call of a model; nil where ctx or emit ended it.
func ask(ctx context.Context, m model.Model, call *session.CallModel, emit func(model.Event) bool) (outcome session.Event) {
	turn := call.Called.Turn
	defer func() {
		if p := recover(); p != nil {
			outcome = &session.ModelFailed{Turn: turn, Error: &model.Error{
				Kind:    model.ErrProtocol,
				Message: fmt.Sprintf("the model's code panicked: %v\n%s", p, debug.Stack()),
			}}
		}
	}()
	for ev, err := range m.Stream(ctx, call.Request) {
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return &session.ModelFailed{Turn: turn, Error: modelError(err)}
		}
		if ev.Kind == model.EventDone {
			return answeredBy(ev.Response, turn)
		}
		if !emit(ev) {
			return nil
		}
	}
	if ctx.Err() != nil {
		return nil
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
func (h *hands) CallTool(ctx context.Context, id string, call *session.CallTool) session.Event {
	called := call.Called
	tool := h.agent.tools[called.Name]
	answered := &session.ToolAnswered{Turn: called.Turn, Index: called.Index, ID: called.ID, Name: called.Name}
	if tool == nil {
		return refuse(answered, "there is no tool of this name")
	}
	if err := tool.schema.validate(call.Input); err != nil {
		return refuse(answered, err.Error())
	}
	tctx, cancel := context.WithTimeout(ctx, tool.spec.Timeout)
	defer cancel()
	cctx := &callContext{Context: tctx, call: Call{
		Session: id, Agent: h.agent.cfg.Name,
		Turn: called.Turn, Index: called.Index, ID: called.ID, Name: called.Name,
		Key: called.Key, Attempt: called.Attempt, Prompt: call.Prompt,
		earlier: call.Earlier,
	}}
	began := time.Now()
	done := make(chan toolOutcome, 1)
	go func() {
		// It stays where the handler ends the goroutine itself, by runtime.Goexit.
		o := toolOutcome{err: errors.New("the tool ended without an answer")}
		defer func() {
			if p := recover(); p != nil {
				o.err = fmt.Errorf("the tool panicked: %v", p)
				o.stack = string(debug.Stack())
			}
			done <- o
		}()
		o.rendered, o.err = tool.run(cctx, call.Input)
	}()
	var o toolOutcome
	select {
	case o = <-done:
		if o.err != nil && ctx.Err() != nil {
			return nil
		}
	case <-tctx.Done():
		if ctx.Err() != nil {
			if o = <-done; o.err != nil {
				return nil
			}
			break
		}
		select {
		case o = <-done:
		default:
			o.err = fmt.Errorf("the tool did not answer within %v; it may still be at work. Try a smaller request, or go on without it", tool.spec.Timeout)
		}
	}
	answered.Duration = time.Since(began)
	h.finish(tool, answered, o)
	return answered
}

// toolOutcome is what a handler came to.
type toolOutcome struct {
	rendered rendered
	err      error
	stack    string
}

// finish fills in the outcome of a handler.
func (h *hands) finish(tool *Tool, answered *session.ToolAnswered, o toolOutcome) {
	if o.err != nil {
		answered.IsError = true
		answered.Content = model.Blocks{&model.Text{Text: o.err.Error()}}
		answered.Stack = o.stack
	} else {
		answered.Content, answered.Output = o.rendered.content, o.rendered.output
	}
	handle := ""
	if h.agent.canRead {
		handle = handleOf(answered.Turn, answered.Index)
	}
	answered.Content, answered.Full = limitText(answered.Content, tool.spec.MaxResultBytes, handle)
}

// refuse makes answered the error result of a call that was not run.
func refuse(answered *session.ToolAnswered, why string) *session.ToolAnswered {
	answered.Content = model.Blocks{&model.Text{Text: why}}
	answered.IsError, answered.Refused = true, true
	return answered
}
