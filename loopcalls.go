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
	// callParked: the child that serves it waits for a person.
	callParked
	callAnswered
)

// toolCall is a tool call of the last response.
type toolCall struct {
	use *model.ToolUse
	// turn and index name it; name is the tool's.
	turn, index int
	name        string
	state       callState
	attempt     int
	// key is the idempotency key, child the session that serves the call, both from
	// its first attempt on.
	key   string
	child *session.ChildCall
	// share is what the agents may use that its function runs.
	share    *session.Budget
	answered *session.ToolAnswered
	// asked is the question to a person about the call, asking that it is open, and
	// given the answer.
	asked  *session.ApprovalAsked
	asking bool
	given  *session.ApprovalGiven
	// inquiries are the questions of its function.
	inquiries []inquiry
	// waits are the calls that wait in the child.
	waits []session.ApprovalAsked
	// waitsIn is that child; used is what was used for the call when it last waited.
	waitsIn string
	used    *session.Spent
}

func (l *loop) callsOf(uses []*model.ToolUse) []toolCall {
	if len(uses) == 0 {
		return nil
	}
	calls := make([]toolCall, len(uses))
	for i, u := range uses {
		calls[i] = toolCall{use: u, turn: l.turn, index: i, name: l.agent.nameOf(u.Name)}
	}
	return calls
}

// nameOf is the name of the tool that a model means.
func (a *Agent) nameOf(called string) string {
	if called == taskAlias && a.tools[taskAlias] == nil && a.tools[AgentToolName] != nil {
		return AgentToolName
	}
	return called
}

func (l *loop) toolCalled(ev *session.ToolCalled) error {
	c, err := l.call(ev.Turn, ev.Index)
	if err != nil {
		return err
	}
	if c.state != callDue && c.state != callLost {
		return fmt.Errorf("tool call %d of turn %d is started twice", ev.Index, ev.Turn)
	}
	if c.away() && (ev.Child == nil || !ev.Child.Background) {
		return fmt.Errorf("tool call %d of turn %d works in the background, and is started otherwise", ev.Index, ev.Turn)
	}
	c.state, c.attempt, c.key, c.child, c.share = callRunning, ev.Attempt, ev.Key, ev.Child, ev.Share
	if ev.Child != nil {
		l.childCalled(c)
	}
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
	tool := l.agent.tools[c.name]
	l.ledger.answer(tool, ev)
	l.hit(ev.Limit)
	for _, source := range ev.Sources {
		delete(l.told, source.Name) // it was read anew
	}
	if ev.Unknown {
		l.result.Unknown = append(l.result.Unknown, session.UnknownCall{
			CallRef: session.CallRef{Turn: ev.Turn, Index: ev.Index, Name: ev.Name},
			Input:   c.use.Input, Tell: tool != nil && tool.spec.TellUnknown,
		})
	}
	if ev.Child != nil {
		l.childEnded(ev.Child.Session)
	}
	if c.away() {
		l.arrived()
	} else {
		l.allAnswered()
	}
	return nil
}

// call finds a call of the last response, or one in the background.
func (l *loop) call(turn, index int) (*toolCall, error) {
	for _, c := range l.away {
		if c.turn == turn && c.index == index {
			return c, nil
		}
	}
	if l.phase != acting || turn != l.turn || index < 0 || index >= len(l.calls) {
		return nil, fmt.Errorf("there is no open tool call %d of turn %d", index, turn)
	}
	return &l.calls[index], nil
}

// allAnswered puts the results of a response into one message, in call order,
// and decides whether the run goes on.
func (l *loop) allAnswered() {
	for i := range l.calls {
		if l.calls[i].state != callAnswered {
			return
		}
	}
	said, ok := l.afterCalls()
	if !ok {
		return
	}
	busy := l.busy()
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
		blocks = append(blocks, resultBlock(c, said.output[i], warning))
	}
	calls := l.calls
	l.calls = nil
	msg := withTexts(model.NewMessage(model.RoleUser, blocks...), said.context)
	l.talk.say(l.withNotes(msg), l.places(len(calls))...)
	for i := range calls {
		if l.judge(&calls[i], busy) {
			return
		}
	}
	if said.stop {
		l.end(session.Halted, session.ReasonHook, "a hook stopped the run: "+said.reason)
		return
	}
	if circle != "" {
		l.end(session.Limited, session.ReasonLoop, circle)
		return
	}
	l.goOn()
}

// hooksSaid is what hooks said about the calls of a response.
type hooksSaid struct {
	// output replaces results, by the index of their call.
	output  map[int]model.Blocks
	context []string
	stop    bool
	reason  string
}

// afterCalls is what the hooks said about the calls of a response, before and
// after them; ok is false while some have not answered.
func (l *loop) afterCalls() (said hooksSaid, ok bool) {
	if len(l.hooks) == 0 {
		return said, true
	}
	take := func(a *session.HookAnswered) {
		said.context = append(said.context, a.Context...)
		if a.Stop && !said.stop {
			said.stop, said.reason = true, a.Reason
		}
	}
	for i := range l.calls {
		c := &l.calls[i]
		if before := l.heard(PreToolUse, i, l.preInput(c)); before != nil {
			take(before)
		}
		if c.away() {
			continue
		}
		point, in := l.postInput(c)
		after := l.heard(point, i, in)
		if after == nil {
			return said, false
		}
		take(after)
		if after.Output != nil {
			if said.output == nil {
				said.output = make(map[int]model.Blocks)
			}
			said.output[i] = after.Output
		}
	}
	batch := l.heard(PostToolBatch, 0, l.batchInput())
	if batch == nil {
		return said, false
	}
	take(batch)
	return said, true
}

// preInput, postInput and batchInput are what hooks are told of calls.
func (l *loop) preInput(c *toolCall) HookInput {
	return HookInput{Tool: c.name, Input: c.use.Input, CallID: c.use.ID, Prompt: l.prompt}
}

func (l *loop) postInput(c *toolCall) (HookPoint, HookInput) {
	in := HookInput{Tool: c.name, Input: l.inputOf(c), CallID: c.use.ID, Prompt: l.prompt, Answer: c.answered}
	if c.answered.IsError {
		return PostToolUseFailure, in
	}
	return PostToolUse, in
}

func (l *loop) batchInput() HookInput {
	in := HookInput{Prompt: l.prompt}
	for i := range l.calls {
		in.Batch = append(in.Batch, l.calls[i].answered)
	}
	return in
}

// inputOf is the arguments that a call has: the model's, or those that a hook or a
// person put in their place.
func (l *loop) inputOf(c *toolCall) []byte {
	if c.given != nil && len(c.given.Input) > 0 {
		return c.given.Input
	}
	for _, point := range []HookPoint{PermissionRequest, PreToolUse} {
		if s := l.hooked[hookKey{point, c.turn, c.index}]; s != nil && s.answered != nil && len(s.answered.Input) > 0 {
			return s.answered.Input
		}
	}
	return c.use.Input
}

// judge tells whether a call of a tool that ends the run has ended it. Busy tells
// that it was refused because of what is under way.
func (l *loop) judge(c *toolCall, busy bool) bool {
	tool := l.agent.tools[c.name]
	if tool == nil || !tool.spec.EndsRun {
		return false
	}
	if !c.answered.IsError {
		l.result.Output = c.answered.Output
		l.succeed(session.ReasonSubmitted)
		return true
	}
	if c.answered.Unknown || busy || c.answered.Refused && c.answered.Content.Text() == stillBusy {
		return false // it refused nothing
	}
	if o := l.agent.output; o != nil && o.tool == tool {
		return l.refusedOutput(string(c.use.Input), c.answered.Content.Text())
	}
	l.refusals++
	if l.refusals < tool.spec.MaxTries {
		return false
	}
	l.result.Draft = c.use.Input
	l.end(session.Halted, session.ReasonTriesUsed, fmt.Sprintf("%s refused %d tries, the last because: %s", c.name, l.refusals, clip(c.answered.Content.Text(), 500)))
	return true
}

// resultBlock is what the model is told about a call, and the guard's warning if
// there is one.
func resultBlock(c *toolCall, output model.Blocks, warning string) *model.ToolResult {
	content := c.answered.Content
	if output != nil {
		content = output
	}
	if warning != "" {
		content = append(content[:len(content):len(content)], &model.Text{Text: warning})
	}
	return &model.ToolResult{ToolUseID: c.use.ID, Name: c.use.Name, Content: content, IsError: c.answered.IsError}
}

// unansweredResults are results for the calls of a response that ended a prompt
// before they were run: no provider accepts a call without its result.
func (l *loop) unansweredResults() (model.Blocks, []placed) {
	if len(l.calls) == 0 {
		return nil, nil
	}
	blocks := make(model.Blocks, 0, len(l.calls))
	for i := range l.calls {
		c := &l.calls[i]
		if c.answered != nil {
			blocks = append(blocks, resultBlock(c, nil, ""))
			continue
		}
		blocks = append(blocks, &model.ToolResult{
			ToolUseID: c.use.ID, Name: c.use.Name, IsError: true,
			Content: model.Blocks{&model.Text{Text: "This call was not run, or was not waited for: the run ended before."}},
		})
	}
	return blocks, l.places(len(l.calls))
}

// places names the results of the n calls of the last response, which are the
// first blocks of a message.
func (l *loop) places(n int) []placed {
	results := make([]placed, n)
	for i := range results {
		results[i] = placed{ResultRef: session.ResultRef{Turn: l.turn, Index: i}, block: i}
	}
	return results
}

// dueCalls says which calls may start now, and answers those that never will.
func (l *loop) dueCalls() (events []session.Event, effects []session.Effect) {
	running, children, waiting := 0, 0, int64(0)
	for i := range l.calls {
		c := &l.calls[i]
		tool := l.agent.tools[c.name]
		child := tool != nil && tool.errand != nil
		switch {
		case c.state == callRunning && child:
			children++
		case c.state == callRunning:
			running++
		case c.state != callAnswered && (child && c.child == nil || tool != nil && tool.spec.Runs != nil && c.share == nil):
			waiting++
		}
	}
	for _, c := range l.away {
		if c.state == callRunning || c.state == callLost { // those go on first
			children++
		}
	}
	// Pending is what the calls that start now take.
	var pending session.Amounts
	for i := range l.calls {
		c := &l.calls[i]
		if c.state != callDue && c.state != callLost {
			continue
		}
		tool := l.agent.tools[c.name]
		why := l.refusal(c, tool)
		if q := c.inquiry(); why == nil && q != nil {
			step := l.inquire(c, q)
			if step.effect != nil {
				effects = append(effects, step.effect)
			}
			if step.event != nil {
				events = append(events, step.event)
			}
			continue
		}
		var decision *Decision
		if why == nil && c.state == callDue {
			var step permit
			if decision, step = l.permit(c, tool); step.wait {
				if step.effect != nil {
					effects = append(effects, step.effect)
				}
				if step.event != nil {
					events = append(events, step.event)
				}
				continue
			}
			why = step.refused
		}
		if why == nil && c.state == callDue {
			why = l.overBudget(c, tool, &pending)
		}
		if why != nil {
			events = append(events, l.answerFor(c, why))
			continue
		}
		if tool.errand == nil {
			if running >= l.agent.cfg.Limits.ParallelTools || !l.mayStart(i) {
				continue
			}
			running++
			effects = append(effects, l.startTool(c, tool, decision, waiting, &pending))
			if tool.spec.Runs != nil && c.share == nil {
				waiting--
			}
		} else {
			if children >= l.agent.cfg.Limits.ChildrenAtOnce || !l.mayStart(i) {
				continue
			}
			call, why := l.childFor(c, decision, waiting, &pending)
			if why != nil {
				events = append(events, l.answerFor(c, why))
				continue
			}
			children++
			effects = append(effects, call)
			if c.child == nil {
				waiting--
			}
			if c.state == callDue {
				share := bounded(call.Called.Child.Budget.Amounts)
				pending.Add(&share)
			}
		}
		if !c.reserves() { // what was lost is reserved still
			use := callUse(tool)
			pending.Add(&use)
		}
	}
	return events, append(effects, l.afterEffects()...)
}

// afterEffects calls the hooks that come after calls.
func (l *loop) afterEffects() (effects []session.Effect) {
	if len(l.hooks) == 0 {
		return nil
	}
	all := true
	for i := range l.calls {
		c := &l.calls[i]
		if c.state != callAnswered {
			all = false
			continue
		}
		if c.away() {
			continue
		}
		point, in := l.postInput(c)
		done, eff := l.hook(point, i, in)
		if eff != nil {
			effects = append(effects, eff)
		}
		all = all && done != nil
	}
	if all && len(l.calls) > 0 {
		if _, eff := l.hook(PostToolBatch, 0, l.batchInput()); eff != nil {
			effects = append(effects, eff)
		}
	}
	return effects
}

// startTool is the effect that runs a tool's function.
func (l *loop) startTool(c *toolCall, tool *Tool, decision *Decision, waiting int64, pending *session.Amounts) *session.CallTool {
	called := l.calledFor(c, tool, decision)
	if called.Share = c.share; called.Share == nil && tool.spec.Runs != nil {
		share, why := l.share(c, waiting, pending)
		if why != nil { // they can do nothing, and the function may
			share = &session.Budget{Depth: -1}
		}
		reserved := bounded(share.Amounts)
		pending.Add(&reserved)
		called.Share = share
	}
	return &session.CallTool{
		Called:   called,
		Input:    l.inputOf(c),
		Earlier:  l.answered[:l.before:l.before],
		Prompt:   l.prompt,
		Answered: c.answers(),
	}
}

// childFor is the effect that runs the child which serves a call, or the answer
// to a call for which too little is left. A child that was lost goes on with the
// share it had; in a fork, where its session has another name, it is a new one.
func (l *loop) childFor(c *toolCall, decision *Decision, waiting int64, pending *session.Amounts) (*session.RunChild, *session.ToolAnswered) {
	child := c.child
	if child != nil && child.Continues && !l.owns(child.Session) {
		return nil, refuse(&session.ToolAnswered{}, l.foreign(child.Session).Error())
	}
	if child == nil || !child.Continues && child.Session != childID(l.id, c.turn, c.index) {
		e, err := l.errand(c)
		if err != nil {
			return nil, refuse(&session.ToolAnswered{}, err.Error())
		}
		var share *session.Budget
		if c.child != nil { // it has what that of the source has reserved
			share, e.background = &c.child.Budget, c.child.Background
		} else {
			var why *session.ToolAnswered
			if share, why = l.share(c, waiting, pending); why != nil {
				return nil, why
			}
			share.Bound(&e.agent.limits)
			share.Depth = min(share.Depth, e.agent.cfg.Limits.Depth)
		}
		child = &session.ChildCall{Session: childID(l.id, c.turn, c.index), Agent: e.agent.cfg.Name, Budget: *share, Background: e.background}
		if e.continues != "" {
			child.Session, child.Continues = e.continues, true
		}
	}
	called := l.calledFor(c, l.agent.tools[c.name], decision)
	called.Child = child
	return &session.RunChild{Called: called, Input: l.inputOf(c)}, nil
}

// calledFor is the intent to serve a call.
func (l *loop) calledFor(c *toolCall, tool *Tool, decision *Decision) *session.ToolCalled {
	key := c.key // a fork repeats what its source has begun under the same key
	if key == "" {
		key = fmt.Sprintf("%s/%d.%d", l.id, c.turn, c.index)
	}
	return &session.ToolCalled{
		Turn: c.turn, Index: c.index, ID: c.use.ID, Name: c.name, Key: key, Attempt: c.attempt + 1, Decision: decision,
		Reconcile: c.state == callLost && tool.spec.Reconcile != nil,
	}
}

// mayStart tells whether call i may run beside those before it that have not
// been answered.
func (l *loop) mayStart(i int) bool {
	tool := l.agent.tools[l.calls[i].name]
	for j := range i {
		c := &l.calls[j]
		if c.state == callAnswered {
			continue
		}
		other := l.agent.tools[c.name]
		if other == nil {
			continue // it is being refused
		}
		if tool.spec.Effect == Exclusive || other.spec.Effect == Exclusive {
			return false
		}
		if l.sameSession(&l.calls[i], c) {
			return false
		}
		if tool.spec.Effect == Keyed && other.spec.Effect == Keyed && tool.key(l.calls[i].use.Input) == other.key(c.use.Input) {
			return false
		}
	}
	return true
}

// stillBusy refuses a call that would end the run.
const stillBusy = "agents are still at work in the background, or their results have not been read; end your turn without a call to get them, and then finish"

// refusal is the answer to a call that must not be run; nil if it may be.
func (l *loop) refusal(c *toolCall, tool *Tool) *session.ToolAnswered {
	switch {
	case tool == nil:
		return refuse(&session.ToolAnswered{}, l.noSuchTool(c.use.Name))
	case c.use.Incomplete:
		return refuse(&session.ToolAnswered{}, "the arguments are not valid JSON; send the call again with one JSON object")
	case c.state == callLost && !tool.repeatable():
		a := refuse(&session.ToolAnswered{}, "this call was started and cut off; nobody knows whether it took effect. Check before you call it again")
		a.Refused, a.Unknown = false, true
		return a
	case tool.spec.EndsRun && (l.busy() || l.sending()):
		return refuse(&session.ToolAnswered{}, stillBusy)
	case tool.errand != nil && c.state == callDue:
		return l.refuseChild(c, tool)
	}
	return nil
}

func (l *loop) answerFor(c *toolCall, a *session.ToolAnswered) *session.ToolAnswered {
	a.Turn, a.Index, a.ID, a.Name = c.turn, c.index, c.use.ID, c.name
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
