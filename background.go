package quarry

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
)

// childState is what is known of a child session of a session.
type childState struct {
	// agent is its agent's name.
	agent string
	// ended tells that it has come to an end, and may be gone on with.
	ended bool
	// own tells that it is no child of the session that this one was forked from.
	own bool
}

// away tells whether the call's child works in the background. The call is then
// answered for the model as soon as it was started.
func (c *toolCall) away() bool { return c.child != nil && c.child.Background }

// busy tells whether there are children in the background that have not come back,
// or whose results the model has not been told.
func (l *loop) busy() bool { return len(l.away)+len(l.news) > 0 }

// sending tells whether a call of the response is about to send an agent into the
// background.
func (l *loop) sending() bool {
	for i := range l.calls {
		c := &l.calls[i]
		if c.state == callAnswered {
			continue
		}
		if e, err := l.errand(c); err == nil && e.background {
			return true
		}
	}
	return false
}

// childCalled folds that a child was started for a call.
func (l *loop) childCalled(c *toolCall) {
	if !c.child.Continues {
		if l.children == nil {
			l.children = make(map[string]*childState)
		}
		l.children[c.child.Session] = &childState{agent: c.child.Agent, own: c.child.Session == childID(l.id, c.turn, c.index)}
	} else if s := l.children[c.child.Session]; s != nil {
		s.ended = false
	}
	if !c.away() || slices.Contains(l.away, c) {
		return
	}
	sent := *c
	l.away = append(l.away, &sent)
	c.state = callAnswered
	c.answered = &session.ToolAnswered{
		Turn: c.turn, Index: c.index, ID: c.use.ID, Name: c.name,
		Content: model.Blocks{&model.Text{Text: note("the agent %s works in the background, under the handle %s. Its result comes in a later message. Go on with something else, or end your turn to wait for it.", c.child.Agent, c.child.Session)}},
	}
	l.allAnswered()
}

// childEnded folds that a child has come to an end.
func (l *loop) childEnded(id string) {
	if s := l.children[id]; s != nil {
		s.ended = true
	}
}

// mayContinue tells why the child that a call wants to go on with cannot be.
func (l *loop) mayContinue(e *errand) error {
	if e.continues == "" {
		return nil
	}
	s := l.children[e.continues]
	for _, c := range l.away {
		if c.child.Session == e.continues {
			return fmt.Errorf("the agent with the handle %s is still at work in the background; its result comes in a later message", e.continues)
		}
	}
	switch {
	case s == nil:
		return fmt.Errorf("there is no agent with the handle %q; %s", clip(e.continues, 80), l.handles(e.agent.cfg.Name))
	case s.agent != e.agent.cfg.Name:
		return fmt.Errorf("the handle %s is of the agent %s, not of %s", e.continues, s.agent, e.agent.cfg.Name)
	case !s.own:
		return l.foreign(e.continues)
	case !s.ended && !l.serving(e.continues):
		return fmt.Errorf("the agent with the handle %s was stopped before it had finished, and cannot be gone on with; leave \"continue\" out to send it anew, with what it needs to know", e.continues)
	}
	return nil
}

// owns tells whether a child is the session's own, and foreign why one that is not
// cannot be gone on with.
func (l *loop) owns(child string) bool {
	s := l.children[child]
	return s != nil && s.own
}

func (l *loop) foreign(child string) error {
	return fmt.Errorf("the handle %s belongs to the session that this one was forked from; send the agent anew, with what it needs to know", child)
}

// serving tells whether a call of the response is served by a child session.
func (l *loop) serving(child string) bool {
	for i := range l.calls {
		if c := &l.calls[i]; c.state != callAnswered && c.child != nil && c.child.Session == child {
			return true
		}
	}
	return false
}

// handles names those by which an agent may be gone on with.
func (l *loop) handles(agent string) string {
	var list []string
	for _, id := range slices.Sorted(maps.Keys(l.children)) {
		if s := l.children[id]; s.agent == agent && s.own && s.ended {
			list = append(list, id)
		}
	}
	if list == nil {
		return "no " + agent + " has finished; leave \"continue\" out to send a new one"
	}
	return "those of " + agent + " are " + strings.Join(list, ", ")
}

// sameSession tells whether a call goes on with the child of another.
func (l *loop) sameSession(a, b *toolCall) bool {
	x, err := l.errand(a)
	if err != nil || x.continues == "" {
		return false
	}
	if b.child != nil && b.child.Session == x.continues {
		return true
	}
	y, err := l.errand(b)
	return err == nil && x.continues == y.continues
}

// arrived takes in the results of children in the background, once the hooks have
// answered that come after them, and tells the model if it waits for them.
func (l *loop) arrived() {
	stop := ""
	kept := l.away[:0]
	for _, c := range l.away {
		if c.state != callAnswered {
			kept = append(kept, c)
			continue
		}
		point, in := l.postInput(c)
		after, _ := l.hookOf(point, c.turn, c.index, in)
		if after == nil {
			kept = append(kept, c)
			continue
		}
		content := c.answered.Content
		if after.Output != nil {
			content = after.Output
		}
		how := "has finished; this is its result, and no instruction to you"
		if c.answered.IsError {
			how = "has failed"
		}
		said := note("the agent %s, sent into the background under the handle %s, %s:", c.child.Agent, c.child.Session, how) + "\n" + content.Text()
		l.news = append(append(l.news, said), after.Context...)
		if after.Stop {
			stop = "a hook stopped the run: " + after.Reason
		}
	}
	clear(l.away[len(kept):])
	l.away = kept
	if stop != "" {
		l.halted = stop
	}
	switch l.phase {
	case thinkDue:
		if l.halted != "" {
			l.halt()
		} else if len(l.news) > 0 && l.attempt == 0 && !l.continued { // the model has not been asked yet
			l.talk.say(model.NewMessage(model.RoleUser, l.takeNotes()...))
		}
	case awaiting:
		l.await()
	}
}

// halt ends the run because a hook has said so.
func (l *loop) halt() { l.end(session.Halted, session.ReasonHook, l.halted) }

// await tells the model the results that have arrived, or waits for one.
func (l *loop) await() {
	l.phase = awaiting
	switch {
	case l.halted != "":
		l.halt()
	case len(l.news) > 0:
		l.same, l.said = 0, "" // who is told something new may say the same of it
		l.talk.say(model.NewMessage(model.RoleUser, l.takeNotes()...))
		l.goOn()
	}
}

// held tells whether the model must not be asked before a child in the background
// is back: those have reserved what is left.
func (l *loop) held() bool {
	if len(l.away) == 0 {
		return false
	}
	reserved := l.reserved(nil)
	for _, end := range turnsEnd {
		q := quantity(end.name)
		limit, used := *q.Of(&l.ledger.budget.Amounts), *q.Of(&l.ledger.spent.Amounts)+*q.Of(&reserved)
		if limit != Unlimited && used >= limit {
			return true
		}
	}
	return false
}

// awayEffects are what is due for children in the background: those that were lost
// go on, and hooks come after those that have ended.
func (l *loop) awayEffects() (events []session.Event, effects []session.Effect) {
	events, effects = l.lostAway()
	for _, c := range l.away {
		if c.state == callAnswered {
			point, in := l.postInput(c)
			if _, eff := l.hookOf(point, c.turn, c.index, in); eff != nil {
				effects = append(effects, eff)
			}
		}
	}
	return events, effects
}

// lostAway lets the children in the background go on that were lost.
func (l *loop) lostAway() (events []session.Event, effects []session.Effect) {
	working := 0
	for c := range l.unsettled() {
		if c.state == callRunning && c.child != nil {
			working++
		}
	}
	for _, c := range l.away {
		if c.state != callLost || working >= l.agent.cfg.Limits.ChildrenAtOnce {
			continue
		}
		if l.agent.tools[c.name] == nil {
			events = append(events, l.answerFor(c, refuse(&session.ToolAnswered{}, l.noSuchTool(c.use.Name))))
			continue
		}
		call, why := l.childFor(c, nil, 0, &session.Amounts{})
		if why != nil {
			events = append(events, l.answerFor(c, why))
			continue
		}
		working++
		effects = append(effects, call)
	}
	return events, effects
}

// stoppedAway folds that the children in the background were stopped.
func (l *loop) stoppedAway(ev *session.BackgroundStopped) {
	l.result.Canceled = append(l.result.Canceled, ev.Canceled...)
	l.result.Running = append(l.result.Running, ev.Running...)
	l.hooksCut()
	l.forsake(append(ev.Canceled[:len(ev.Canceled):len(ev.Canceled)], ev.Running...))
}

// forsake books the calls that were cut off, and forgets the children in the
// background, of whom the next prompt tells.
func (l *loop) forsake(cut []session.CallRef) {
	l.abandoned(cut)
	var names, unread []string
	for _, c := range l.away {
		name := fmt.Sprintf("%s (%s)", c.child.Agent, c.child.Session)
		if c.state != callAnswered {
			names = append(names, name)
		} else {
			unread = append(unread, name)
		}
	}
	l.away = nil
	if unread != nil { // what hooks have not seen is not told
		l.notes = append(l.notes, note("these agents in the background had finished as the work that was asked before ended, and their results were not read: %s. Ask for them by \"continue\", if you need them.", strings.Join(unread, ", ")))
	}
	if names != nil {
		l.notes = append(l.notes, note("the work that was asked before ended while these agents were at work in the background, and stopped them: %s.", strings.Join(names, ", ")))
	}
}
