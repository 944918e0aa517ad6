package quarry

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
)

// callState is where a tool call stands.
type callState uint8

const (
	callDue callState = iota
	callRunning
	// callLost: it was started and a crash or an interruption lost its outcome.
	callLost
	callAnswered
)

// toolCall is a tool call of the last response.
type toolCall struct {
	use      *model.ToolUse
	state    callState
	attempt  int
	answered *session.ToolAnswered
}

func callsOf(uses []*model.ToolUse) []toolCall {
	if len(uses) == 0 {
		return nil
	}
	calls := make([]toolCall, len(uses))
	for i, u := range uses {
		calls[i].use = u
	}
	return calls
}

func (l *loop) toolCalled(ev *session.ToolCalled) error {
	c, err := l.call(ev.Turn, ev.Index)
	if err != nil {
		return err
	}
	if c.state != callDue && c.state != callLost {
		return fmt.Errorf("tool call %d of turn %d is started twice", ev.Index, ev.Turn)
	}
	c.state, c.attempt = callRunning, ev.Attempt
	return nil
}

func (l *loop) toolAnswered(ev *session.ToolAnswered) error {
	c, err := l.call(ev.Turn, ev.Index)
	if err != nil {
		return err
	}
	if c.state == callAnswered {
		return fmt.Errorf("tool call %d of turn %d is answered twice", ev.Index, ev.Turn)
	}
	c.state, c.answered = callAnswered, ev
	l.answered = append(l.answered, ev)
	l.result.ToolCalls++
	for i := range l.calls {
		if l.calls[i].state != callAnswered {
			return nil
		}
	}
	l.allAnswered()
	return nil
}

// call finds a call of the last response.
func (l *loop) call(turn, index int) (*toolCall, error) {
	if l.phase != acting || turn != l.turn || index < 0 || index >= len(l.calls) {
		return nil, fmt.Errorf("there is no open tool call %d of turn %d", index, turn)
	}
	return &l.calls[index], nil
}

// allAnswered puts the results of a response into one message, in call order,
// and decides whether the run goes on.
func (l *loop) allAnswered() {
	blocks := make(model.Blocks, 0, len(l.calls))
	circle := ""
	for i := range l.calls {
		c := &l.calls[i]
		warning := ""
		switch l.guard.see(c.use, c.answered) {
		case guardWarn:
			warning = l.guard.warning()
		case guardStop:
			circle = l.guard.String()
		}
		blocks = append(blocks, resultBlock(c, warning))
	}
	calls := l.calls
	l.calls = nil
	l.say(model.NewMessage(model.RoleUser, blocks...))
	for i := range calls {
		if l.judge(&calls[i]) {
			return
		}
	}
	if circle != "" {
		l.end(session.Limited, session.ReasonLoop, circle)
		return
	}
	l.goOn()
}

// judge tells whether a call of a tool that ends the run has ended it.
func (l *loop) judge(c *toolCall) bool {
	tool := l.agent.tools[c.use.Name]
	if tool == nil || !tool.spec.EndsRun {
		return false
	}
	if !c.answered.IsError {
		l.result.Output = c.answered.Output
		l.end(session.Success, session.ReasonSubmitted, "")
		return true
	}
	l.refusals++
	if l.refusals < tool.spec.MaxTries {
		return false
	}
	l.result.Draft = c.use.Input
	l.end(session.Halted, session.ReasonTriesUsed, fmt.Sprintf("%s refused %d tries, the last because: %s", c.use.Name, l.refusals, clip(c.answered.Content.Text(), 500)))
	return true
}

// resultBlock is what the model is told about a call, and the guard's warning if
// there is one.
func resultBlock(c *toolCall, warning string) *model.ToolResult {
	content := c.answered.Content
	if warning != "" {
		content = append(content[:len(content):len(content)], &model.Text{Text: warning})
	}
	return &model.ToolResult{ToolUseID: c.use.ID, Name: c.use.Name, Content: content, IsError: c.answered.IsError}
}

// unansweredResults are results for the calls of a response that ended a prompt
// before they were run: no provider accepts a call without its result.
func (l *loop) unansweredResults() model.Blocks {
	if len(l.calls) == 0 {
		return nil
	}
	blocks := make(model.Blocks, 0, len(l.calls))
	for i := range l.calls {
		c := &l.calls[i]
		if c.answered != nil {
			blocks = append(blocks, resultBlock(c, ""))
			continue
		}
		blocks = append(blocks, &model.ToolResult{
			ToolUseID: c.use.ID, Name: c.use.Name, IsError: true,
			Content: model.Blocks{&model.Text{Text: "This call was not run, or was not waited for: the run ended before."}},
		})
	}
	return blocks
}

// dueCalls says which calls may start now, and answers those that never will.
func (l *loop) dueCalls() (events []session.Event, effects []session.Effect) {
	running := 0
	for i := range l.calls {
		if l.calls[i].state == callRunning {
			running++
		}
	}
	for i := range l.calls {
		c := &l.calls[i]
		if c.state != callDue && c.state != callLost {
			continue
		}
		if why := l.refusal(c); why != nil {
			events = append(events, l.answerFor(i, why))
			continue
		}
		if running >= l.agent.cfg.Limits.ParallelTools || !l.mayStart(i) {
			continue
		}
		running++
		effects = append(effects, &session.CallTool{
			Called: &session.ToolCalled{
				Turn: l.turn, Index: i, ID: c.use.ID, Name: c.use.Name,
				Key: fmt.Sprintf("%s/%d.%d", l.id, l.turn, i), Attempt: c.attempt + 1,
			},
			Input:   c.use.Input,
			Earlier: l.answered[:l.before:l.before],
			Prompt:  l.prompt,
		})
	}
	return events, effects
}

// mayStart tells whether call i may run beside those before it that have not
// been answered.
func (l *loop) mayStart(i int) bool {
	tool := l.agent.tools[l.calls[i].use.Name]
	for j := range i {
		c := &l.calls[j]
		if c.state == callAnswered {
			continue
		}
		other := l.agent.tools[c.use.Name]
		if other == nil {
			continue // it is being refused
		}
		if tool.spec.Effect == Exclusive || other.spec.Effect == Exclusive {
			return false
		}
		if tool.spec.Effect == Keyed && other.spec.Effect == Keyed && tool.key(l.calls[i].use.Input) == other.key(c.use.Input) {
			return false
		}
	}
	return true
}

// refusal is the answer to a call that must not be run; nil if it may be.
func (l *loop) refusal(c *toolCall) *session.ToolAnswered {
	tool := l.agent.tools[c.use.Name]
	switch {
	case tool == nil:
		return refuse(&session.ToolAnswered{}, l.noSuchTool(c.use.Name))
	case c.use.Incomplete:
		return refuse(&session.ToolAnswered{}, "the arguments are not valid JSON; send the call again with one JSON object")
	case c.state == callLost && !tool.repeatable():
		a := refuse(&session.ToolAnswered{}, "this call was started and cut off; nobody knows whether it took effect. Check before you call it again")
		a.Refused, a.Unknown = false, true
		return a
	}
	return nil
}

func (l *loop) answerFor(i int, a *session.ToolAnswered) *session.ToolAnswered {
	u := l.calls[i].use
	a.Turn, a.Index, a.ID, a.Name = l.turn, i, u.ID, u.Name
	return a
}

func (l *loop) noSuchTool(name string) string {
	var names []string
	for n := range l.agent.tools {
		names = append(names, n)
	}
	if names == nil {
		return fmt.Sprintf("there is no tool named %q, and no other; answer without tools", clip(name, 80))
	}
	slices.Sort(names)
	return fmt.Sprintf("there is no tool named %q; the tools are: %s", clip(name, 80), strings.Join(names, ", "))
}
