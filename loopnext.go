package quarry

import (
	"time"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
)

// Next implements session.Machine.
func (l *loop) Next() session.Next {
	if !l.open {
		return session.Next{Done: true}
	}
	next := session.Next{
		Deadline: l.deadline(),
		Expired:  l.agent.expired,
	}
	switch l.phase {
	case thinkDue:
		if due, ok := l.compactionDue(); ok && l.attempt == 0 {
			next.Events = []session.Event{due}
			break
		}
		next.Effects = []session.Effect{&session.CallModel{Called: l.modelCalled(""), Request: l.request()}}
	case shortenDue:
		done, call := l.shorten()
		if call != nil {
			next.Effects = []session.Effect{call}
		} else {
			next.Events = []session.Event{done}
		}
	case acting:
		next.Events, next.Effects = l.dueCalls()
	case ending:
		next.Events = []session.Event{&session.Ended{Result: l.tally()}}
	}
	return next
}

// modelCalled is the intent of the model call that is due.
func (l *loop) modelCalled(purpose string) *session.ModelCalled {
	turn := l.turn + 1
	if l.attempt > 0 {
		turn = l.turn // this turn's call failed, or its outcome was lost
	}
	called := &session.ModelCalled{Turn: turn, Attempt: l.attempt + 1, Purpose: purpose}
	if t := &l.tries; t.failures > 0 || t.fallback > 0 {
		called.NotBefore, called.Reason = t.notBefore, t.why
		if called.Fallback = t.fallback; t.fallback > 0 {
			called.Model = l.agent.model(t.fallback).Name()
		}
	}
	return called
}

// deadline is when the open prompt's time is over.
func (l *loop) deadline() time.Time {
	return l.clock.since.Add(l.agent.cfg.Limits.Timeout - l.clock.before)
}

// goOn asks the model again, unless a limit forbids it.
func (l *loop) goOn() {
	if hit, reason, detail := l.ledger.usedUp(); hit != nil {
		l.hit(hit)
		l.end(session.Limited, reason, detail)
		return
	}
	l.phase = thinkDue
}

// cachedMessages is how many of the newest messages get a cache breakpoint: the
// last one, for the next request, and the one before the last results, which the
// previous request wrote.
const cachedMessages = 2

// request is what the model is asked next. It shares the history with the state,
// which only grows.
func (l *loop) request() *model.Request {
	cfg := &l.agent.cfg
	return &model.Request{
		Cache:       model.Cache{System: true, Tools: true, Messages: cachedMessages},
		Effort:      cfg.Effort,
		MaxTokens:   cfg.MaxTokens,
		Messages:    l.talk.messages[:len(l.talk.messages):len(l.talk.messages)],
		System:      l.agent.system,
		Temperature: cfg.Temperature,
		Thinking:    cfg.Thinking,
		Tools:       l.agent.toolSet,
	}
}
