package quarry

import (
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
	// thinkDue: the model is to be asked.
	thinkDue
	// thinking: the model has been asked.
	thinking
	// acting: the tool calls of the last response are to be answered.
	acting
	// ending: the prompt's result stands and is to be journaled.
	ending
)

// loop is the agent's machine: the state that its journal adds up to, and the
// rules of what comes next. It knows no clock: times come from records.
type loop struct {
	agent *Agent
	id    string

	started  bool
	open     bool
	phase    phase
	messages []*model.Message
	// turn is the last model call's number within the session, attempt how often
	// it was started.
	turn, attempt int
	// calls are the tool calls of the last response, in its order.
	calls []toolCall
	// answered are all results of tools, oldest first; before is how many of
	// them came before the last response.
	answered []*session.ToolAnswered
	before   int
	guard    guard

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
}

// newLoop returns the machine of a session that has no records yet.
func newLoop(agent *Agent, id string) *loop { return &loop{agent: agent, id: id} }

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
	l.clock.tick(rec)
	switch ev := rec.Event.(type) {
	case *session.Started:
		if ev.Machine != "agent" {
			return fmt.Errorf("the session belongs to a machine named %q, not to an agent", ev.Machine)
		}
		l.started = true
	case *session.Prompted:
		return l.prompted(ev)
	case *session.ModelCalled:
		if l.phase != thinkDue {
			return errors.New("the model is called where nothing is to be asked")
		}
		l.turn, l.attempt, l.phase = ev.Turn, ev.Attempt, thinking
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
		// A result that stands was reached in time.
		if l.open && l.phase != ending {
			l.end(session.Limited, session.ReasonWallClock, fmt.Sprintf("the prompt was worked on for %v, which is its limit; raise Limits.Timeout to give it more", ev.Value))
		}
	case *session.Interrupted:
	case *session.Ended:
		if l.phase != ending {
			return errors.New("the prompt ends where it has no result")
		}
		l.open, l.phase = false, idle
	default:
		return fmt.Errorf("an agent's session has no such event as %q", rec.Event.Kind())
	}
	return nil
}

func (l *loop) prompted(ev *session.Prompted) error {
	if l.open {
		return errors.New("a prompt comes while another is open")
	}
	l.open = true
	l.result = Result{Session: l.id}
	// What an earlier prompt asked and got no answer to is not asked again.
	l.attempt, l.tries = 0, attempts{}
	if l.continued {
		l.messages = l.messages[: len(l.messages)-1 : len(l.messages)-1]
	}
	l.continued, l.parts, l.refusals = false, "", 0
	l.guard = guard{}
	msg := ev.Message
	l.prompt = msg.Blocks.Text()
	if unanswered := l.unansweredResults(); unanswered != nil {
		msg = model.NewMessage(model.RoleUser, append(unanswered, msg.Blocks...)...)
	}
	l.calls = nil
	l.say(msg)
	l.goOn()
	return nil
}

// say appends a message. Two user messages in a row become one, because some
// providers demand that roles alternate; the requests made so far keep the
// message as it was.
func (l *loop) say(msg *model.Message) {
	if n := len(l.messages); n > 0 && msg.Role == model.RoleUser && l.messages[n-1].Role == model.RoleUser {
		last := l.messages[n-1]
		blocks := append(last.Blocks[:len(last.Blocks):len(last.Blocks)], msg.Blocks...)
		l.messages = append(l.messages[:n-1:n-1], model.NewMessage(model.RoleUser, blocks...))
		return
	}
	l.messages = append(l.messages, msg)
}

func (l *loop) modelAnswered(ev *session.ModelAnswered) {
	resp := ev.Response
	l.attempt = 0
	l.result.Turns++
	l.result.Usage.Add(&resp.Usage)
	l.result.StopReason = resp.StopReason
	l.result.Model = resp.Model
	var said model.Blocks
	if resp.Message != nil {
		said = resp.Message.Blocks
	}
	if resp.StopReason == model.StopRefusal && l.fallBack(session.ReasonRefusal) {
		l.goOn() // the refusal stays out of the history
		return
	}
	l.tries = attempts{}
	text := said.Text()
	l.result.Text = l.parts + text
	if msg := spoken(resp.Message); msg != nil {
		l.messages = append(l.messages, msg)
	}
	l.before = len(l.answered)
	l.calls = callsOf(said.ToolUses())
	l.decide(resp, text)
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
	switch resp.StopReason {
	case model.StopToolUse, model.StopEndTurn, model.StopSequence:
		switch {
		case len(l.calls) > 0:
			l.phase, l.parts = acting, ""
		case resp.StopReason == model.StopToolUse:
			l.end(session.Failed, session.ReasonStopReason, "the model stopped for a tool call and made none")
		case l.agent.endsRun:
			l.end(session.Halted, session.ReasonNotSubmitted, "the model finished without calling the tool that ends the run")
		default:
			l.end(session.Success, session.ReasonCompleted, "")
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
		l.say(model.UserText(continuePrompt))
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
const continuePrompt = "[The answer was cut off at the token limit. Go on exactly where it stopped. Repeat nothing.]"

func (l *loop) modelFailed(ev *session.ModelFailed, now time.Time) {
	if l.tryAgain(ev.Error, now) {
		l.phase = thinkDue
		return
	}
	l.attempt = 0
	l.result.Error = ev.Error
	if ev.Error.Kind == model.ErrContextWindow {
		l.end(session.ContextWindow, session.ReasonContextWindow, ev.Error.Error())
		return
	}
	l.end(session.Failed, session.ReasonModelError, ev.Error.Error())
}

// resumed marks what was under way as lost.
func (l *loop) resumed() {
	if l.phase == thinking {
		l.phase = thinkDue
	}
	for i := range l.calls {
		if l.calls[i].state == callRunning {
			l.calls[i].state = callLost
		}
	}
}

// end fixes the prompt's result.
func (l *loop) end(subtype session.Subtype, reason, detail string) {
	l.result.Subtype, l.result.Reason, l.result.Detail = subtype, reason, detail
	l.phase = ending
}

// tally returns the result as it stands, with the time worked on it.
func (l *loop) tally() Result {
	r := l.result
	r.Duration = l.clock.active
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

func (c *clock) tick(rec session.Record) {
	switch rec.Event.(type) {
	case *session.Prompted:
		*c = clock{since: rec.Time}
	case *session.Resumed:
		c.before, c.since = c.active, rec.Time
	default:
		if !c.since.IsZero() {
			c.active = c.before + rec.Time.Sub(c.since)
		}
	}
	c.last = rec.Time
}
