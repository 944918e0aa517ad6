package session

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/quarry-sdk/quarry/model"
)

// advance is one call of Engine.Advance: it asks the machine, journals, performs,
// and asks again. The outcomes of one step and the intents of the next are one
// append.
type advance struct {
	engine  *Engine
	live    *Live
	observe Observer
	// stopped tells that the observer wants no more.
	stopped bool
	// pending are records that are folded and not yet durable.
	pending []Record

	// work is the context of the effects: it ends with the caller's, at the
	// machine's deadline, and when Advance returns.
	work     context.Context
	cancel   context.CancelFunc
	deadline time.Time

	// outcomes takes what tools came to; flying is how many are still to come.
	outcomes *mailbox
	flying   int
}

func (a *advance) run(ctx context.Context) error {
	for {
		next, effects, err := a.settle(!a.stopped && ctx.Err() == nil)
		if err != nil {
			return err
		}
		if err := a.commit(ctx); err != nil {
			return err
		}
		if next.Done && a.flying == 0 {
			return nil
		}
		if a.stopped || ctx.Err() != nil {
			return a.interrupt(ctx)
		}
		if len(effects) == 0 && a.flying == 0 {
			return fmt.Errorf("session %q: the machine is not done and nothing is due", a.live.ID)
		}
		a.arm(ctx, next.Deadline)
		switch outcome := a.perform(effects); {
		case outcome != nil:
			if err := a.foldAll(append([]Event{outcome}, a.arrived()...)); err != nil {
				return err
			}
		case a.stopped || ctx.Err() != nil:
			return a.interrupt(ctx)
		case a.work.Err() != nil && next.Expired != nil:
			if err := a.foldAll(append(a.abandon(), next.Expired)); err != nil {
				return err
			}
		default:
			return fmt.Errorf("session %q: an effect ended without an outcome", a.live.ID)
		}
	}
}

// settle asks the machine until it decides nothing more by itself, and returns
// its last answer and the effects to start, whose intents are now pending. Where
// nothing may start any more, there are none: an intent says that it did.
func (a *advance) settle(start bool) (Next, []Effect, error) {
	var effects []Effect
	for {
		next := a.live.Machine.Next()
		if !start {
			next.Effects = nil
		}
		if len(next.Events)+len(next.Effects) == 0 {
			return next, effects, nil
		}
		if err := a.foldAll(next.Events); err != nil {
			return next, nil, err
		}
		for _, eff := range next.Effects {
			if err := a.fold(eff.Intent()); err != nil {
				return next, nil, err
			}
		}
		if effects == nil {
			effects = next.Effects
		} else {
			effects = append(slices.Clip(effects), next.Effects...)
		}
	}
}

// fold dates an event, folds it and makes it pending.
func (a *advance) fold(ev Event) error {
	rec := Record{Seq: a.live.last + 1 + int64(len(a.pending)), Time: a.engine.now(), Event: ev}
	if err := a.live.fold(rec); err != nil {
		return err
	}
	a.pending = append(a.pending, rec)
	return nil
}

// foldAll folds events in their order.
func (a *advance) foldAll(evs []Event) error {
	for _, ev := range evs {
		if err := a.fold(ev); err != nil {
			return err
		}
	}
	return nil
}

// commit makes the pending records durable, then shows them. An append is never
// given up half way: cancelling ctx does not reach it.
func (a *advance) commit(ctx context.Context) error {
	if err := a.live.commit(context.WithoutCancel(ctx), a.pending); err != nil {
		return err
	}
	for i := range a.pending {
		if a.stopped {
			break
		}
		rec := a.pending[i]
		a.stopped = !a.observe(Observation{Record: &rec})
	}
	// Stores may keep the slice's records, never the slice.
	clear(a.pending)
	a.pending = a.pending[:0]
	return nil
}

// arm makes the context that effects run under. It changes only while nothing
// is under way.
func (a *advance) arm(ctx context.Context, deadline time.Time) {
	if a.flying > 0 || (a.work != nil && a.work.Err() == nil && deadline.Equal(a.deadline)) {
		return
	}
	a.release()
	a.deadline = deadline
	if deadline.IsZero() {
		a.work, a.cancel = context.WithCancel(ctx)
		return
	}
	a.work, a.cancel = context.WithDeadline(ctx, deadline)
}

func (a *advance) release() {
	if a.cancel != nil {
		a.cancel()
	}
}

// perform starts the effects and waits for one outcome. It returns nil where
// the work was ended before there was one.
func (a *advance) perform(effects []Effect) Event {
	if len(effects) == 1 && a.flying == 0 {
		if call, ok := effects[0].(*CallModel); ok {
			return a.callModel(call)
		}
	}
	if a.outcomes == nil {
		a.outcomes = newMailbox()
	}
	for _, eff := range effects {
		a.flying++
		go a.launch(a.work, eff, a.outcomes)
	}
	for {
		select {
		case <-a.outcomes.ready:
			// A token may be left of outcomes that were drained.
			if outcome, ok := a.outcomes.take(); ok {
				a.flying--
				return outcome
			}
		case <-a.work.Done():
			return nil
		}
	}
}

// callModel asks a model on this goroutine and shows what arrives.
func (a *advance) callModel(call *CallModel) Event {
	return a.engine.Hands.CallModel(a.work, a.live.ID, call, func(ev model.Event) bool {
		a.stopped = !a.observe(Observation{Delta: &ev})
		return !a.stopped
	})
}

// launch performs an effect on its own goroutine.
func (a *advance) launch(work context.Context, eff Effect, outcomes *mailbox) {
	switch eff := eff.(type) {
	case *CallTool:
		outcomes.put(a.engine.Hands.CallTool(work, a.live.ID, eff))
	case *CallModel:
		outcomes.put(a.engine.Hands.CallModel(work, a.live.ID, eff, func(model.Event) bool { return work.Err() == nil }))
	}
}

// arrived returns the outcomes that are there.
func (a *advance) arrived() (outcomes []Event) {
	for a.flying > 0 {
		outcome, ok := a.outcomes.take()
		if !ok {
			break
		}
		a.flying--
		if outcome != nil {
			outcomes = append(outcomes, outcome)
		}
	}
	return outcomes
}

// abandon ends what is under way: it waits for the grace period, returns the
// outcomes that come in it, and forgets the rest. What a tool does after that is
// not heard of.
func (a *advance) abandon() (outcomes []Event) {
	a.release()
	if a.flying == 0 {
		return nil
	}
	timer := time.NewTimer(a.engine.grace())
	defer timer.Stop()
	for waiting := true; waiting && a.flying > 0; {
		select {
		case <-a.outcomes.ready:
		case <-timer.C:
			waiting = false
		}
		outcomes = append(outcomes, a.arrived()...)
	}
	a.flying, a.outcomes = 0, nil
	return outcomes
}

// interrupt ends what is under way and journals that the session was stopped.
func (a *advance) interrupt(ctx context.Context) error {
	cause := context.Cause(ctx)
	if cause == nil {
		cause = ErrStopped
	}
	if err := a.foldAll(append(a.abandon(), &Interrupted{Reason: cause.Error()})); err != nil {
		return err
	}
	if err := a.commit(ctx); err != nil {
		return err
	}
	return cause
}
