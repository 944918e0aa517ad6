package quarry

import (
	"fmt"
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
		turn := l.turn + 1
		if l.attempt > 0 {
			turn = l.turn // this turn's call failed, or its outcome was lost
		}
		called := &session.ModelCalled{Turn: turn, Attempt: l.attempt + 1}
		if t := &l.tries; t.failures > 0 || t.fallback > 0 {
			called.NotBefore, called.Reason = t.notBefore, t.why
			if called.Fallback = t.fallback; t.fallback > 0 {
				called.Model = l.agent.model(t.fallback).Name()
			}
		}
		next.Effects = []session.Effect{&session.CallModel{Called: called, Request: l.request()}}
	case acting:
		next.Events, next.Effects = l.dueCalls()
	case ending:
		next.Events = []session.Event{&session.Ended{Result: l.tally()}}
	}
	return next
}

// deadline is when the open prompt's time is over.
func (l *loop) deadline() time.Time {
	return l.clock.since.Add(l.agent.cfg.Limits.Timeout - l.clock.before)
}

// goOn asks the model again, unless a limit forbids it.
func (l *loop) goOn() {
	limits := &l.agent.cfg.Limits
	switch {
	case l.result.Turns >= limits.Turns:
		l.end(session.Limited, session.ReasonMaxTurns, fmt.Sprintf("the model was asked %d times, which is the limit of turns; raise Limits.Turns", l.result.Turns))
	case l.result.Usage.Total() >= limits.Tokens:
		l.end(session.Limited, session.ReasonTotalTokens, fmt.Sprintf("%d tokens were used and the limit is %d; raise Limits.Tokens", l.result.Usage.Total(), limits.Tokens))
	default:
		l.phase = thinkDue
	}
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
		Messages:    l.messages[:len(l.messages):len(l.messages)],
		System:      l.agent.system,
		Temperature: cfg.Temperature,
		Thinking:    cfg.Thinking,
		Tools:       l.agent.toolSet,
	}
}
