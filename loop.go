package quarry

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
)

// phase is where the loop stands within a prompt.
type phase uint8

const (
	// idle: no prompt is open.
	idle phase = iota
	// opening: the prompt is given, and hooks are called before it is said.
	opening
	// thinkDue: the model is to be asked.
	thinkDue
	// shortenDue: the conversation is to be made shorter.
	shortenDue
	// thinking: the model has been asked.
	thinking
	// acting: the tool calls of the last response are to be answered.
	acting
	// awaiting: the model has nothing to do, and children work in the background.
	awaiting
	// stopping: the prompt would end well, and hooks are called about it.
	stopping
	// ending: the prompt's result stands and is to be journaled.
	ending
)

// purposeCompact is the purpose of a call for a summary.
const purposeCompact = "compact"

// loop is the agent's machine: the state that its journal adds up to, and the
// rules of what comes next. It knows no clock: times come from records.
type loop struct {
	agent *Agent
	id    string

	// hooks and policy hold for the session, depth is how many are above it.
	hooks  []Hook
	policy *policy
	depth  int
	// approver and park tell what becomes of calls that a person is asked about.
	approver, park bool

	started bool
	open    bool
	phase   phase
	// hooked is where the hooks stand; extra are rules that a person gave.
	hooked map[hookKey]*hookState
	extra  []rule
	// prompts counts them; asking is the one that has not been said yet.
	prompts int
	asking  asking
	// ending is the reason with which the prompt would end well, stops how often
	// hooks made it go on.
	ending string
	stops  int
	// compactions counts those of the session; compacted tells that the model was not
	// asked since the last one.
	compactions int
	compacted   bool
	talk        conversation
	ledger      ledger
	// config is the settings that the session was begun with, or last took on.
	config json.RawMessage
	// name is the agent's name in them.
	name string
	// queue are prompts that wait for the open one to end.
	queue []*session.Prompted
	// ended is the result of the last prompt that ended.
	ended *Result
	// turn is the last model call's number within the session, attempt how often
	// it was started.
	turn, attempt int
	// asked is the model that the call goes to, purpose what the call is for.
	asked, purpose string
	// calls are the tool calls of the last response, in its order.
	calls []toolCall
	// away are the calls whose children work in the background, news their results
	// that the model is to be told; children are those of the session.
	away     []*toolCall
	news     []string
	children map[string]*childState
	// halted is why a hook that came after one of them ends the run, once nothing
	// else is under way.
	halted string
	// serves is the call that the last prompt was for, in a child.
	serves *session.Parent
	// answered are all results of tools, oldest first; before is how many of
	// them came before the last response.
	answered []*session.ToolAnswered
	before   int
	guard    guard
	// notes are to be said to the model with what comes next; told are the sources
	// that it was told of, with the hashes they had then.
	notes []string
	told  map[string]string
	short shortening

	// The rest is about the open prompt, whose text is prompt.
	prompt string
	result Result
	// continued tells that the last response was asked to go on after it had
	// been cut off.
	continued bool
	// parts is the text of the responses that were cut off and continued.
	parts string
	// refusals counts the refused calls of tools that end the run.
	refusals int
	tries    attempts
	clock    clock
	// same counts the responses in a row with one long text.
	same int
	said string
}

// newLoop returns the machine of a session that has no records yet.
func newLoop(agent *Agent, id string) *loop {
	return (&loop{agent: agent, id: id}).in(agent.shared())
}

// newLoop returns the machine of a session of the agent's own.
func (a *Agent) newLoop(id string) *loop { return newLoop(a, id) }

// in puts the loop into a tree.
func (l *loop) in(run *shared) *loop {
	l.hooks, l.policy, l.depth = run.hooks, run.policy, run.depth
	l.approver, l.park = run.approver != nil, run.park
	return l
}

// Apply implements session.Machine.
func (l *loop) Apply(rec session.Record) error {
	if _, ok := rec.Event.(*session.Started); ok == l.started {
		if ok {
			return errors.New("the session is started a second time")
		}
		return errors.New("the session is not started")
	}
	if _, ok := rec.Event.(*session.Renamed); ok {
		return nil // it is for people, and no time worked
	}
	l.clock.tick(rec, l.open)
	switch ev := rec.Event.(type) {
	case *session.Started:
		if ev.Machine != "agent" {
			return fmt.Errorf("the session belongs to a machine named %q, not to an agent", ev.Machine)
		}
		l.started, l.config, l.name, l.serves = true, ev.Config, ev.Agent, ev.Parent
		l.bound(ev.Budget)
	case *session.Reconfigured:
		l.config, l.name = ev.Config, ev.Agent
	case *session.Prompted:
		if l.open {
			l.queue = append(l.queue, ev)
		} else {
			l.begin(ev)
		}
	case *session.ModelCalled:
		// Where the prompt would end here, it was under other limits that it did not.
		if l.phase == ending && ev.Purpose == "" {
			l.phase, l.result.Error = thinkDue, nil
		}
		if due := l.phase == thinkDue && ev.Purpose == "" || l.phase == shortenDue && ev.Purpose == purposeCompact; !due {
			return errors.New("the model is called where nothing is to be asked")
		}
		l.turn, l.attempt, l.phase, l.purpose = ev.Turn, ev.Attempt, thinking, ev.Purpose
		l.compacted = false
		if l.asked = ev.Model; l.asked == "" {
			l.asked = l.agent.cfg.Model.Name()
		}
	case *session.ModelAnswered:
		if l.phase != thinking || ev.Turn != l.turn {
			return fmt.Errorf("the model answers turn %d, which is not open", ev.Turn)
		}
		l.modelAnswered(ev)
	case *session.ModelFailed:
		if l.phase != thinking || ev.Turn != l.turn {
			return fmt.Errorf("the model fails in turn %d, which is not open", ev.Turn)
		}
		l.modelFailed(ev, rec.Time)
	case *session.ToolCalled:
		return l.toolCalled(ev)
	case *session.ToolAnswered:
		return l.toolAnswered(ev)
	case *session.Resumed:
		l.resumed()
	case *session.Expired:
		l.hooksCut()
		// A result that stands was reached in time.
		if l.open && l.phase != ending {
			l.result.Canceled, l.result.Running = ev.Canceled, ev.Running
			if l.phase == thinking {
				l.ledger.spent.Lost++
			}
			l.forsake(append(ev.Canceled[:len(ev.Canceled):len(ev.Canceled)], ev.Running...))
			l.hit(&session.LimitHit{Name: session.ReasonWallClock, Value: ev.Value.Seconds(), Used: l.clock.active.Seconds()})
			l.end(session.Limited, session.ReasonWallClock, fmt.Sprintf("the prompt was worked on for %v, which is its limit; raise Limits.Timeout to give it more", ev.Value))
		}
	case *session.BackgroundStopped:
		l.stoppedAway(ev)
	case *session.Interrupted:
		l.result.Canceled, l.result.Running = ev.Canceled, ev.Running
	case *session.Compacting:
		if l.phase != thinkDue {
			return errors.New("the conversation is made shorter while something is under way")
		}
		l.phase, l.short.open, l.short.summary, l.short.failed = shortenDue, ev, "", false
	case *session.Compacted:
		if l.phase != shortenDue {
			return errors.New("the conversation was made shorter and nobody was about to")
		}
		l.compact(ev)
		l.short.open, l.short.overflow, l.short.after = nil, false, ev.After
		l.compactions++
		l.compacted = true
		l.attempt, l.tries = 0, attempts{}
		l.goOn()
	case *session.Changed:
		l.changed(ev)
	case *session.HookCalled:
		return l.hookCalled(ev)
	case *session.HookAnswered:
		return l.hookAnswered(ev)
	case *session.ApprovalAsked:
		return l.approvalAsked(ev)
	case *session.ApprovalGiven:
		return l.approvalGiven(ev)
	case *session.ToolWaiting:
		return l.toolWaiting(ev)
	case *session.ChildWaiting:
		return l.childWaiting(ev)
	case *session.Ended:
		// Limits end a prompt where the model is to be asked, and may have been others.
		if l.phase != ending && (l.phase != thinkDue || ev.Result.Subtype == "") {
			return errors.New("the prompt ends where it has no result")
		}
		l.open, l.phase, l.ended = false, idle, &ev.Result
		if len(l.queue) > 0 {
			next := l.queue[0]
			l.queue = l.queue[1:]
			l.clock = clock{since: rec.Time, last: rec.Time}
			l.begin(next)
		}
	default:
		return fmt.Errorf("an agent's session has no such event as %q", rec.Event.Kind())
	}
	return nil
}

// bound sets what a prompt may use: the agent's limits, and a child's share.
func (l *loop) bound(share *session.Budget) {
	l.ledger.budget = l.agent.cfg.Limits.budget()
	if share != nil {
		l.ledger.budget.Bound(&share.Amounts)
		l.ledger.budget.Depth = min(l.ledger.budget.Depth, share.Depth)
	}
}

// begin opens a prompt.
func (l *loop) begin(ev *session.Prompted) {
	l.open, l.ended = true, nil
	if ev.Call != nil {
		l.serves = ev.Call
		l.bound(ev.Budget)
	}
	l.result = Result{Session: l.id}
	l.ledger.spent = session.Spent{}
	// What an earlier prompt asked and got no answer to is not asked again.
	l.attempt, l.tries = 0, attempts{}
	if l.continued {
		l.talk.unsay()
	}
	l.continued, l.parts, l.refusals = false, "", 0
	l.guard, l.same, l.said = guard{}, 0, ""
	l.short = shortening{after: l.short.after}
	l.halted = ""
	msg := ev.Message
	l.prompt = msg.Blocks.Text()
	unanswered, results := l.unansweredResults()
	if unanswered != nil {
		msg = model.NewMessage(model.RoleUser, append(unanswered, msg.Blocks...)...)
	}
	l.calls = nil
	l.prompts++
	l.stops, l.hooked = 0, nil
	l.asking = asking{msg, results}
	l.phase = opening
	l.opened()
}

// changed notes what the session read and what is another now.
func (l *loop) changed(ev *session.Changed) {
	var gone, other []string
	if l.told == nil {
		l.told = make(map[string]string)
	}
	for _, s := range ev.Sources {
		l.told[s.Name] = s.Hash
		if s.Hash == "" {
			gone = append(gone, s.Name)
		} else {
			other = append(other, s.Name)
		}
	}
	text := ""
	if other != nil {
		text += "changed since you read it: " + strings.Join(other, ", ") + ". "
	}
	if gone != nil {
		text += "gone since you read it: " + strings.Join(gone, ", ") + ". "
	}
	l.notes = append(l.notes, note("%sWhat you read there before may no longer hold; read it again before you rely on it.", text))
	if l.phase == thinkDue { // otherwise it goes with the results, or the prompt
		l.talk.say(model.NewMessage(model.RoleUser, l.takeNotes()...))
	}
}

// takeNotes returns the notes as blocks, and forgets them.
func (l *loop) takeNotes() (blocks model.Blocks) {
	for _, text := range append(l.notes, l.news...) {
		blocks = append(blocks, &model.Text{Text: text})
	}
	l.notes, l.news = nil, nil
	return blocks
}

// withNotes adds the notes to a user message.
func (l *loop) withNotes(msg *model.Message) *model.Message {
	if len(l.notes)+len(l.news) == 0 {
		return msg
	}
	return model.NewMessage(model.RoleUser, append(msg.Blocks[:len(msg.Blocks):len(msg.Blocks)], l.takeNotes()...)...)
}

func (l *loop) modelAnswered(ev *session.ModelAnswered) {
	resp := ev.Response
	l.attempt = 0
	l.result.Turns++
	l.result.Usage.Add(&resp.Usage)
	l.result.StopReason = resp.StopReason
	l.result.Model = resp.Model
	l.ledger.response(l.agent.cfg.Name, l.asked, ev)
	if l.purpose == purposeCompact {
		l.summarized(resp)
		return
	}
	l.talk.calibrate(l.agent.baseTokens, resp.Usage.InputTokens+resp.Usage.CacheReadTokens+resp.Usage.CacheWriteTokens)
	var said model.Blocks
	if resp.Message != nil {
		said = resp.Message.Blocks
	}
	if resp.StopReason == model.StopRefusal && l.fallBack(session.ReasonRefusal) {
		l.goOn() // the refusal stays out of the history
		return
	}
	l.tries = attempts{}
	if resp.StopReason == model.StopContextWindow && l.overflow() {
		l.goOn() // what was said of the answer stays out of the history
		return
	}
	text := said.Text()
	l.result.Text = l.parts + text
	if msg := spoken(resp.Message); msg != nil {
		l.talk.say(msg)
	}
	l.before = len(l.answered)
	l.calls = l.callsOf(said.ToolUses())
	l.decide(resp, text)
	l.stuck(text)
}

// How long a text must be to be recognised, and how often in a row it is said
// before the run is stopped.
const (
	sameTextBytes = 200
	sameTextStop  = 4
)

// stuck stops a run in which the model says the same text again and again.
func (l *loop) stuck(text string) {
	if text = strings.TrimSpace(text); len(text) < sameTextBytes || text != l.said {
		l.same, l.said = 1, text
		return
	}
	if l.same++; l.same >= sameTextStop && l.phase != ending {
		l.end(session.Limited, session.ReasonRepetition, fmt.Sprintf("the model said the same %d bytes of text %d times in a row, a probable loop", len(text), l.same))
	}
}

// overflow notes that the conversation no longer fits the model, and tells
// whether it can be made shorter for another try.
func (l *loop) overflow() bool {
	if l.short.tried {
		return false
	}
	l.short.tried, l.short.overflow = true, true
	if _, ok := l.compactionDue(); ok {
		return true
	}
	l.short.overflow = false
	return false
}

// summarized takes a summary, or notes that there is none.
func (l *loop) summarized(resp *model.Response) {
	text := strings.TrimSpace(resp.Message.Blocks.Text())
	l.short.summary = text
	l.short.failed = text == "" || resp.StopReason != model.StopEndTurn && resp.StopReason != model.StopSequence
	l.tries = attempts{}
	l.phase = shortenDue
}

// spoken is what of an answer goes into the history. Providers send texts of
// nothing but white space, and accept neither those nor a message without
// content; so an empty answer, nil here, leaves no trace.
func spoken(msg *model.Message) *model.Message {
	if msg == nil {
		return nil
	}
	blank := func(b model.Block) bool {
		t, ok := b.(*model.Text)
		return ok && strings.TrimSpace(t.Text) == ""
	}
	if slices.ContainsFunc(msg.Blocks, blank) {
		kept := model.NewMessage(msg.Role, slices.DeleteFunc(slices.Clone(msg.Blocks), blank)...)
		kept.Provider = msg.Provider
		msg = kept
	}
	if len(msg.Blocks) == 0 {
		return nil
	}
	return msg
}

// decide is the table of stop reasons.
func (l *loop) decide(resp *model.Response, text string) {
	continued := l.continued
	l.continued = false
	if l.halted != "" {
		l.halt()
		return
	}
	switch resp.StopReason {
	case model.StopToolUse, model.StopEndTurn, model.StopSequence:
		switch {
		case len(l.calls) > 0:
			l.phase, l.parts = acting, ""
		case resp.StopReason == model.StopToolUse:
			l.end(session.Failed, session.ReasonStopReason, "the model stopped for a tool call and made none")
		case l.busy():
			l.parts = ""
			l.await()
		case l.agent.output != nil:
			l.fromText(text)
		case l.agent.endsRun:
			l.end(session.Halted, session.ReasonNotSubmitted, "the model finished without calling the tool that ends the run")
		default:
			l.succeed(session.ReasonCompleted)
		}
	case model.StopPauseTurn:
		if len(l.calls) > 0 {
			l.phase, l.parts = acting, ""
			return
		}
		l.goOn()
	case model.StopMaxTokens:
		if strings.TrimSpace(text) == "" || continued || len(l.calls) > 0 {
			l.end(session.Truncated, session.ReasonMaxTokens, "the model's answer was cut off at its token limit; raise Config.MaxTokens")
			return
		}
		l.continued, l.parts = true, l.parts+text
		l.talk.say(model.UserText(continuePrompt))
		l.goOn()
	case model.StopRefusal:
		detail := "the model declined to answer"
		if len(resp.StopDetails) > 0 {
			detail += ": " + clip(string(resp.StopDetails), 500)
		}
		l.end(session.Refused, session.ReasonRefusal, detail)
	case model.StopContextWindow:
		l.end(session.ContextWindow, session.ReasonContextWindow, "the conversation no longer fits the model's window; begin a new session with a summary, or use a model with a larger window")
	default:
		l.end(session.Failed, session.ReasonStopReason, fmt.Sprintf("the model stopped for a reason that this version does not know: %q", resp.StopReason))
	}
}

// continuePrompt asks for the rest of an answer that was cut off.
const continuePrompt = noteMark + "your answer was cut off at the token limit. Go on exactly where it stopped. Repeat nothing.]"

func (l *loop) modelFailed(ev *session.ModelFailed, now time.Time) {
	if ev.Error.Status < 400 && ev.Error.Code != circuitOpen { // what is turned away is not billed
		l.ledger.spent.Lost++
	}
	if l.tryAgain(ev.Error, now) {
		l.phase = l.due()
		return
	}
	l.attempt = 0
	if l.purpose == purposeCompact { // the results can be dropped instead
		l.short.failed, l.phase, l.tries = true, shortenDue, attempts{}
		return
	}
	if ev.Error.Kind == model.ErrContextWindow && l.overflow() {
		l.tries = attempts{}
		l.goOn()
		return
	}
	l.result.Error = ev.Error
	switch ev.Error.Kind {
	case model.ErrContextWindow:
		l.end(session.ContextWindow, session.ReasonContextWindow, ev.Error.Error())
		return
	case model.ErrRepetition:
		l.end(session.Limited, session.ReasonRepetition, ev.Error.Error())
		return
	}
	l.end(session.Failed, session.ReasonModelError, ev.Error.Error())
}

// resumed marks what was under way as lost.
func (l *loop) resumed() {
	if l.phase == thinking {
		l.phase = l.due()
		l.ledger.spent.Lost++
	}
	l.result.Canceled, l.result.Running = nil, nil
	for _, s := range l.hooked {
		s.running = false
	}
	for c := range l.unsettled() {
		if c.state == callRunning || c.state == callParked {
			c.state, c.waits = callLost, nil
		}
		c.asking = false
		if q := c.inquiry(); q != nil {
			q.asking = false
		}
	}
}

// due is the phase in which the call under way is made again.
func (l *loop) due() phase {
	if l.purpose == purposeCompact {
		return shortenDue
	}
	return thinkDue
}

// end fixes the prompt's result.
func (l *loop) end(subtype session.Subtype, reason, detail string) {
	l.result.Subtype, l.result.Reason, l.result.Detail = subtype, reason, detail
	l.phase = ending
}

// waiting is the result of a run in which calls wait for a person.
func (l *loop) waiting() *Result {
	r := l.tally()
	r.Subtype, r.Reason, r.Pending = session.Waiting, session.ReasonApproval, l.allPending()
	r.Detail = fmt.Sprintf("%d calls wait for a person", len(r.Pending))
	if len(r.Pending) == 1 {
		r.Detail = fmt.Sprintf("a call of %s waits for a person", r.Pending[0].Name)
	}
	return &r
}

// tally returns the result as it stands, with the time worked on it.
func (l *loop) tally() Result {
	r := l.result
	r.Duration = l.clock.active
	r.Spent = l.ledger.spent.Clone()
	r.Unknown = slices.Clone(r.Unknown)
	r.Limits = slices.Clone(r.Limits)
	return r
}

// clock adds up the time worked on the open prompt, from the times of records.
type clock struct {
	last time.Time
	// since is when the present span of work began, before what was worked in
	// earlier ones; active is both together up to the last record.
	since          time.Time
	before, active time.Duration
}

// tick takes in a record; open tells whether a prompt was open before it.
func (c *clock) tick(rec session.Record, open bool) {
	switch rec.Event.(type) {
	case *session.Prompted:
		if !open {
			*c = clock{since: rec.Time}
		}
	case *session.Resumed, *session.ApprovalGiven: // a person may take a week
		c.before, c.since = c.active, rec.Time
	default:
		if !c.since.IsZero() {
			c.active = c.before + rec.Time.Sub(c.since)
		}
	}
	c.last = rec.Time
}
