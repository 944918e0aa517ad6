package quarry

import (
	"fmt"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
)

// Next implements session.Machine.
func (l *loop) Next() session.Next {
	if !l.open {
		return session.Next{Done: true}
	}
	next := session.Next{
		Deadline: l.clock.since.Add(l.agent.cfg.Limits.Timeout - l.clock.before),
		Expired:  l.agent.expired,
	}
	switch l.phase {
	case thinkDue:
		turn := l.turn + 1
		if l.attempt > 0 {
			turn = l.turn // the outcome of this turn's call was lost
		}
		next.Effects = []session.Effect{&session.CallModel{
			Called:  &session.ModelCalled{Turn: turn, Attempt: l.attempt + 1},
			Request: l.request(),
		}}
	case acting:
		next.Events, next.Effects = l.dueCalls()
	case ending:
		next.Events = []session.Event{&session.Ended{Result: l.tally()}}
	}
	return next
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
