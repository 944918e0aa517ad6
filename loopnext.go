package quarry

import (
	"slices"
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
	if l.phase >= thinkDue && l.phase <= awaiting {
		next.Events, next.Effects = l.awayEffects()
	}
	switch l.phase {
	case opening:
		for _, point := range l.openingPoints() {
			if _, eff := l.hook(point, 0, HookInput{Prompt: l.prompt}); eff != nil {
				next.Effects = append(next.Effects, eff)
			}
		}
	case stopping:
		if _, eff := l.hook(l.stopPoint(), 0, l.stopInput()); eff != nil {
			next.Effects = []session.Effect{eff}
		}
	case thinkDue:
		// A call that was made and lost, or failed, goes out again.
		if result := l.limited(); result != nil && l.attempt == 0 {
			l.ends(&next, result)
			break
		}
		if l.held() && l.attempt == 0 {
			next.Done = l.waitsForPerson(&next)
			break
		}
		if l.compacted {
			if done, eff := l.hook(PostCompact, l.compactions, HookInput{}); done == nil {
				if eff != nil {
					next.Effects = append(next.Effects, eff)
				}
				break
			}
		}
		if due, ok := l.compactionDue(); ok && l.attempt == 0 {
			done, eff := l.hook(PreCompact, 0, HookInput{Reason: due.Why})
			compacting := done != nil && (done.Decision != string(Deny) || due.Why != "size")
			if eff != nil {
				next.Effects = append(next.Effects, eff)
			} else if compacting {
				next.Events = append(next.Events, due)
			}
			if done == nil || compacting {
				break
			}
		}
		next.Effects = append(next.Effects, &session.CallModel{Called: l.modelCalled(""), Request: l.request()})
	case shortenDue:
		done, call := l.shorten()
		if call != nil {
			next.Effects = append(next.Effects, call)
		} else {
			next.Events = append(next.Events, done)
		}
	case acting:
		events, effects := l.dueCalls()
		next.Events, next.Effects = append(next.Events, events...), append(next.Effects, effects...)
		next.Done = l.waitsForPerson(&next)
		if l.onlyAsking() { // a person may take longer
			next.Deadline, next.Expired = time.Time{}, nil
		}
	case awaiting:
		next.Done = l.waitsForPerson(&next)
	case ending:
		result := l.tally()
		l.ends(&next, &result)
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

// onlyAsking tells whether a person is asked and nothing else is under way.
func (l *loop) onlyAsking() bool {
	asking := false
	for c := range l.unsettled() {
		if c.state == callRunning {
			return false
		}
		asking = asking || c.isAsking()
	}
	for _, s := range l.hooked {
		if s.running {
			return false
		}
	}
	return asking
}

// waitsForPerson tells whether nothing can happen before a person answers.
func (l *loop) waitsForPerson(next *session.Next) bool {
	return len(next.Events)+len(next.Effects) == 0 && l.idle() && len(l.allPending()) > 0
}

// idle tells whether no call and no hook is under way.
func (l *loop) idle() bool {
	for c := range l.unsettled() {
		if c.state == callRunning || c.isAsking() && l.approver {
			return false
		}
	}
	for _, s := range l.hooked {
		if s.running {
			return false
		}
	}
	return true
}

// deadline is when the open prompt's time is over.
func (l *loop) deadline() time.Time {
	return l.clock.since.Add(l.agent.cfg.Limits.Timeout - l.clock.before)
}

// goOn asks the model again; Next checks whether a limit forbids it.
func (l *loop) goOn() {
	if l.phase = thinkDue; l.halted != "" {
		l.halt()
	}
}

// limited is the result of a prompt that a limit ends here; nil where none does.
func (l *loop) limited() *Result {
	hit, reason, detail := l.ledger.usedUp(l.agent.usdSet)
	if hit == nil {
		return nil
	}
	r := l.tally()
	r.Subtype, r.Reason, r.Detail = session.Limited, reason, detail
	r.Limits = append(r.Limits, *hit)
	for i := range r.Limits[:len(r.Limits)-1] {
		if r.Limits[i].Name == hit.Name {
			r.Limits = slices.Delete(r.Limits, i, i+1)
			break
		}
	}
	return &r
}

// ends journals the result, after the hooks of SessionEnd.
func (l *loop) ends(next *session.Next, result *Result) {
	if len(l.away) > 0 {
		// Those that were lost are stopped too, so that they tell what they used.
		if next.Effects == nil {
			next.Events, next.Effects = l.lostAway()
		}
		next.Stop = len(next.Events)+len(next.Effects) == 0
		return
	}
	for key, s := range l.hooked {
		if s.running && key.point != SessionEnd {
			return // what it says is still to be journaled, and ends nothing
		}
	}
	done, eff := l.hook(SessionEnd, 0, HookInput{Prompt: l.prompt, Result: result})
	switch {
	case eff != nil:
		next.Effects = append(next.Effects, eff)
	case done != nil:
		next.Events = append(next.Events, &session.Ended{Result: *result})
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
		Cache:        model.Cache{System: true, Tools: true, Messages: cachedMessages},
		Effort:       cfg.Effort,
		OutputSchema: l.agent.outputSchema(),
		MaxTokens:    cfg.MaxTokens,
		Messages:     l.talk.messages[:len(l.talk.messages):len(l.talk.messages)],
		System:       l.agent.system,
		Temperature:  cfg.Temperature,
		Thinking:     cfg.Thinking,
		Tools:        l.agent.toolSet,
	}
}
