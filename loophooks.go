package quarry

import (
	"fmt"
	"strings"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
)

// hookKey names a point of a session.
type hookKey struct {
	point       HookPoint
	turn, index int
}

// hookState is where the hooks of a point stand.
type hookState struct {
	running  bool
	answered *session.HookAnswered
}

// noOpinion is what no hooks say.
var noOpinion = &session.HookAnswered{}

// hook returns what the hooks of a point said, or the effect that calls them;
// both are nil while they run. Where there are none, they have no opinion.
func (l *loop) hook(point HookPoint, index int, in HookInput) (*session.HookAnswered, *session.RunHooks) {
	return l.hookOf(point, l.turn, index, in)
}

// hookOf is hook for a call of an earlier turn.
func (l *loop) hookOf(point HookPoint, turn, index int, in HookInput) (*session.HookAnswered, *session.RunHooks) {
	if len(l.hooks) == 0 {
		return noOpinion, nil
	}
	key := hookKey{point, turn, index}
	if point == PostCompact {
		key.turn = 0 // the index says which compaction
	}
	if s := l.hooked[key]; s != nil && s.answered != nil {
		return s.answered, nil
	} else if s != nil && s.running {
		return nil, nil
	}
	found := matching(l.hooks, point, in.Tool)
	if found == nil {
		return noOpinion, nil
	}
	called := &session.HookCalled{Point: string(point), Turn: key.turn, Index: index}
	for _, h := range found {
		called.Hooks = append(called.Hooks, h.Name)
	}
	in.Point = point
	return nil, &session.RunHooks{Called: called, Data: &in}
}

// heard returns what the hooks of a point said, nil while that is not known.
func (l *loop) heard(point HookPoint, index int, in HookInput) *session.HookAnswered {
	answered, _ := l.hook(point, index, in)
	return answered
}

// hookCalled and hookAnswered fold the two records of a point.
func (l *loop) hookCalled(ev *session.HookCalled) error {
	key := hookKey{HookPoint(ev.Point), ev.Turn, ev.Index}
	s := l.hooked[key]
	if !l.open || s != nil && (s.running || s.answered != nil && s.answered != noOpinion) {
		return fmt.Errorf("the hooks of %s are called where that is not due", ev.Point)
	}
	if l.hooked == nil {
		l.hooked = make(map[hookKey]*hookState)
	}
	l.hooked[key] = &hookState{running: true}
	return nil
}

func (l *loop) hookAnswered(ev *session.HookAnswered) error {
	s := l.hooked[hookKey{HookPoint(ev.Point), ev.Turn, ev.Index}]
	if s == nil || !s.running {
		return fmt.Errorf("the hooks of %s answer and were not called", ev.Point)
	}
	s.running, s.answered = false, ev
	l.arrived()
	l.moved()
	return nil
}

// hooksCut folds that the hooks under way were cut off: they have no opinion.
func (l *loop) hooksCut() {
	for _, s := range l.hooked {
		if s.running {
			s.running, s.answered = false, noOpinion
		}
	}
}

// moved goes on where the hooks that were waited for have answered.
func (l *loop) moved() {
	switch l.phase {
	case opening:
		l.opened()
	case acting:
		l.allAnswered()
	case stopping:
		l.stopped()
	}
}

// openingPoints are the points before a prompt is worked on.
func (l *loop) openingPoints() (points []HookPoint) {
	if l.prompts == 1 {
		points = append(points, SessionStart)
	}
	if l.depth > 0 {
		points = append(points, SubagentStart)
	}
	return append(points, UserPromptSubmit)
}

// opened says the prompt to the model when the hooks before it have answered.
func (l *loop) opened() {
	var context []string
	for _, point := range l.openingPoints() {
		a := l.heard(point, 0, HookInput{Prompt: l.prompt})
		if a == nil {
			return
		}
		if a.Decision == string(Deny) || a.Stop {
			l.end(session.Halted, session.ReasonHook, fmt.Sprintf("a hook of %s denied the prompt: %s", point, a.Reason))
			return
		}
		context = append(context, a.Context...)
	}
	l.talk.say(l.withNotes(withTexts(l.asking.msg, context)), l.asking.results...)
	l.asking = asking{}
	l.goOn()
}

// asking is a prompt that has not been said to the model yet.
type asking struct {
	msg     *model.Message
	results []placed
}

// withTexts adds texts to a user message.
func withTexts(msg *model.Message, texts []string) *model.Message {
	if len(texts) == 0 {
		return msg
	}
	blocks := msg.Blocks[:len(msg.Blocks):len(msg.Blocks)]
	for _, text := range texts {
		blocks = append(blocks, &model.Text{Text: text})
	}
	return model.NewMessage(model.RoleUser, blocks...)
}

// stopPoint is the point at which the run would end.
func (l *loop) stopPoint() HookPoint {
	if l.depth > 0 {
		return SubagentStop
	}
	return Stop
}

func (l *loop) stopInput() HookInput {
	return HookInput{Prompt: l.prompt, Text: l.result.Text, Stops: l.stops}
}

// succeed ends the prompt well, when the hooks let it end.
func (l *loop) succeed(reason string) {
	l.ending = reason
	l.phase = stopping
	l.stopped()
}

// stopped ends the prompt when the hooks of Stop have answered, or goes on where
// they want more.
func (l *loop) stopped() {
	a := l.heard(l.stopPoint(), 0, l.stopInput())
	if a == nil {
		return
	}
	if a.Decision != string(Deny) || a.Stop || l.stops >= MaxStops {
		l.end(session.Success, l.ending, "")
		return
	}
	l.stops++
	l.result.Output = nil
	text := note("the work is not done yet.")
	if reason := strings.TrimSpace(a.Reason); reason != "" {
		text = note("the work is not done yet: %s", reason)
	}
	l.talk.say(withTexts(model.UserText(text), a.Context))
	l.goOn()
}
