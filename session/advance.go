package session

import (
	"cmp"
	"context"
	"errors"
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
	// timer ends work at the deadline; nil where there is none.
	timer *time.Timer
	// expired is what the machine last wanted to be journaled then.
	expired *Expired

	// outcomes takes what tools and children came to; flying are those that are
	// under way.
	outcomes *mailbox
	flying   map[Effect]bool
	// children counts those of flying that work on child sessions.
	children int
	// cut are effects that ended without an outcome, because the work was ended.
	cut []mail
}

// resume marks what was under way as lost, where something may have been.
func (a *advance) resume() error {
	if a.live.lost && !a.live.Machine.Next().Done {
		if err := a.fold(&Resumed{}); err != nil {
			return err
		}
	}
	a.live.lost = false
	return nil
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
		if next.Done && len(a.flying) == 0 {
			return nil
		}
		if a.stopped || ctx.Err() != nil {
			return a.interrupt(ctx)
		}
		if next.Stop {
			a.arm(ctx, next.Deadline)
			a.release()
			a.start(effects)
			outcomes, left := a.abandon()
			if err := a.foldAll(append(outcomes, &BackgroundStopped{Canceled: left.canceled, Running: left.running})); err != nil {
				return err
			}
			continue
		}
		if len(effects) == 0 && len(a.flying) == 0 {
			return fmt.Errorf("session %q: the machine is not done and nothing is due", a.live.ID)
		}
		a.arm(ctx, next.Deadline)
		if next.Expired != nil {
			a.expired = next.Expired
		}
		outcome, err := a.perform(effects)
		switch {
		case err != nil:
			return err
		case outcome != nil:
			outcomes, err := a.arrived()
			if err := a.foldAll(append([]Event{outcome}, outcomes...)); err != nil {
				return err
			}
			if err != nil {
				return errors.Join(err, a.commit(ctx))
			}
		case a.stopped || ctx.Err() != nil:
			return a.interrupt(ctx)
		case a.work.Err() != nil && a.expired != nil:
			outcomes, left := a.abandon()
			expired := *a.expired
			expired.Canceled, expired.Running = left.canceled, left.running
			if err := a.foldAll(append(outcomes, &expired)); err != nil {
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
		a.stopped = !a.observe(Observation{Session: a.live.ID, Record: &rec})
	}
	// Stores may keep the slice's records, never the slice.
	clear(a.pending)
	a.pending = a.pending[:0]
	return nil
}

// arm makes the context that effects run under, and lets it end at the deadline. A
// deadline that the machine has changed since holds for what is under way too.
func (a *advance) arm(ctx context.Context, deadline time.Time) {
	fresh := a.work == nil || a.work.Err() != nil
	if fresh && len(a.flying) > 0 || !fresh && deadline.Equal(a.deadline) {
		return
	}
	if fresh {
		a.release()
		a.work, a.cancel = context.WithCancel(ctx)
	} else if a.timer != nil && !a.timer.Stop() {
		return // it has just passed
	}
	a.deadline, a.timer = deadline, nil
	if !deadline.IsZero() {
		a.timer = time.AfterFunc(time.Until(deadline), a.cancel)
	}
}

func (a *advance) release() {
	if a.timer != nil {
		a.timer.Stop()
	}
	if a.cancel != nil {
		a.cancel()
	}
}

// perform starts the effects and waits for one outcome. It returns nil where
// the work was ended before there was one.
func (a *advance) perform(effects []Effect) (Event, error) {
	if len(effects) == 1 && len(a.flying) == 0 {
		if call, ok := effects[0].(*CallModel); ok {
			outcome := a.callModel(call)
			if outcome == nil {
				a.cut = append(a.cut, mail{effect: call})
			}
			return outcome, nil
		}
	}
	a.start(effects)
	for !a.stopped {
		select {
		case <-a.outcomes.ready:
			// A token may be left of mail that was taken before.
			item, ok := a.outcomes.take()
			if !ok {
				continue
			}
			if a.read(item); item.effect != nil {
				return item.outcome, item.err
			}
		case <-a.work.Done():
			return nil, nil
		}
	}
	return nil, nil
}

// start lets effects fly.
func (a *advance) start(effects []Effect) {
	if a.outcomes == nil {
		a.outcomes, a.flying = newMailbox(), make(map[Effect]bool, len(effects))
	}
	for _, eff := range effects {
		a.flying[eff] = true
		if runsSessions(eff) {
			a.children++
		}
		go a.launch(a.work, eff, a.outcomes)
	}
}

// runsSessions tells whether an effect works on other sessions, so that it has to be
// waited for: what it writes to their journals must not come after the end.
func runsSessions(eff Effect) bool {
	switch eff := eff.(type) {
	case *RunChild:
		return true
	case *CallTool:
		return eff.Called.Share != nil
	}
	return false
}

// read takes note of a piece of mail.
func (a *advance) read(item mail) {
	if item.seen != nil {
		if !a.stopped {
			a.stopped = !a.observe(*item.seen)
		}
		return
	}
	delete(a.flying, item.effect)
	if runsSessions(item.effect) {
		a.children--
	}
	if item.outcome == nil {
		a.cut = append(a.cut, item)
	}
}

// callModel asks a model on this goroutine and shows what arrives.
func (a *advance) callModel(call *CallModel) Event {
	return a.engine.Hands.CallModel(a.work, a.live.ID, call, func(ev model.Event) bool {
		a.stopped = !a.observe(Observation{Session: a.live.ID, Delta: &ev})
		return !a.stopped
	})
}

// launch performs an effect on its own goroutine.
func (a *advance) launch(work context.Context, eff Effect, outcomes *mailbox) {
	item := mail{effect: eff}
	hands, id := a.engine.Hands, a.live.ID
	see := func(o Observation) bool {
		outcomes.see(o, work.Done())
		return true // a child's context tells it when to stop
	}
	switch eff := eff.(type) {
	case *CallTool:
		item.outcome, item.spent = hands.CallTool(work, id, eff, see)
	case *CallModel:
		item.outcome = hands.CallModel(work, id, eff, func(ev model.Event) bool {
			return see(Observation{Session: id, Delta: &ev}) && work.Err() == nil
		})
	case *RunHooks:
		item.outcome = hands.RunHooks(work, id, eff)
	case *AskPerson:
		item.outcome = hands.AskPerson(work, id, eff)
	case *RunChild:
		item.outcome, item.spent, item.err = hands.RunChild(work, id, eff, see)
	}
	outcomes.put(item)
}

// arrived returns the outcomes that are there, and the first error that ended a
// child.
func (a *advance) arrived() (outcomes []Event, err error) {
	for len(a.flying) > 0 {
		item, ok := a.outcomes.take()
		if !ok {
			break
		}
		a.read(item)
		if item.outcome != nil {
			outcomes = append(outcomes, item.outcome)
		}
		if err == nil {
			err = item.err
		}
	}
	return outcomes, err
}

// leftovers are the calls that were stopped.
type leftovers struct {
	// canceled ended without an outcome, running did not end.
	canceled, running []CallRef
}

// abandon ends what is under way: it waits for the grace period, and for
// children, returns the outcomes that come in it, and forgets the rest. What a
// tool does after that is not heard of.
func (a *advance) abandon() (outcomes []Event, left leftovers) {
	a.release()
	if len(a.flying) > 0 {
		timer := time.NewTimer(a.engine.grace())
		defer timer.Stop()
		timeout := timer.C
		for len(a.flying) > 0 && (timeout != nil || a.children > 0) {
			select {
			case <-a.outcomes.ready:
			case <-timeout:
				timeout = nil
			}
			more, _ := a.arrived() // the work ends anyway
			outcomes = append(outcomes, more...)
		}
	}
	for eff := range a.flying {
		left.running = append(left.running, refOf(eff))
	}
	for _, item := range a.cut {
		ref := refOf(item.effect)
		ref.Spent = item.spent
		left.canceled = append(left.canceled, ref)
	}
	sortRefs(left.running)
	sortRefs(left.canceled)
	a.flying, a.outcomes, a.children, a.cut = nil, nil, 0, nil
	return outcomes, left
}

// refOf names the call that an effect performs.
func refOf(eff Effect) CallRef {
	switch intent := eff.Intent().(type) {
	case *ModelCalled:
		return CallRef{Turn: intent.Turn}
	case *ToolCalled:
		ref := CallRef{Turn: intent.Turn, Index: intent.Index, Name: intent.Name}
		if intent.Child != nil {
			ref.Child = intent.Child.Session
		}
		return ref
	case *HookCalled:
		return CallRef{Turn: intent.Turn, Index: intent.Index, Name: intent.Point}
	case *ApprovalAsked:
		return CallRef{Turn: intent.Turn, Index: intent.Index, Name: intent.Name}
	}
	return CallRef{}
}

func sortRefs(refs []CallRef) {
	slices.SortFunc(refs, func(a, b CallRef) int { return cmp.Or(cmp.Compare(a.Turn, b.Turn), cmp.Compare(a.Index, b.Index)) })
}

// interrupt ends what is under way and journals that the session was stopped.
func (a *advance) interrupt(ctx context.Context) error {
	cause := context.Cause(ctx)
	if cause == nil {
		cause = ErrStopped
	}
	outcomes, left := a.abandon()
	if err := a.foldAll(append(outcomes, &Interrupted{Reason: cause.Error(), Canceled: left.canceled, Running: left.running})); err != nil {
		return err
	}
	if err := a.commit(ctx); err != nil {
		return err
	}
	return cause
}
