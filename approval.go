package quarry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/quarry-sdk/quarry/session"
)

// Approval is what a person is asked about a call.
type Approval struct {
	// Session and Agent say who wants to make the call.
	Session, Agent string
	session.ApprovalAsked
}

// Answer is what the person says.
type Answer struct {
	// Allow lets the call run; Input replaces its arguments, where it is set.
	Allow bool
	Input json.RawMessage
	// Always is a rule of Permissions that holds for the rest of the session:
	// calls that it fits are allowed.
	Always string
	// Note is what the model is told of a denial.
	Note string
	// Text is the answer to a question.
	Text string
	// By says who answered.
	By string
}

// ErrNotPending is returned for an answer to a call that does not wait for one: it
// was answered before, or there is no such call.
var ErrNotPending = errors.New("the call does not wait for an answer")

// ErrAnswer is wrapped by the errors of answers that do not fit what is asked for;
// the question still waits.
var ErrAnswer = errors.New("the answer does not fit what is asked for")

// Answer answers a call that waits for a person, from anywhere: the session need
// not be running. The call is named by its id, or by none where only one waits. An
// answer to a call that does not wait is ErrNotPending. The session goes on with
// the next run without a prompt.
func (a *Agent) Answer(ctx context.Context, id, call string, answer Answer) error {
	return (&hands{agent: a, run: a.shared()}).answer(ctx, id, call, answer)
}

// answer answers a call of the session, or of a child.
func (h *hands) answer(ctx context.Context, id, call string, answer Answer) error {
	l := newLoop(h.agent, id).in(h.run)
	live, err := session.Load(ctx, h.run.store, id, l)
	if err != nil {
		return err
	}
	if p := h.run.parent; p != "" && (l.serves == nil || l.serves.Session != p) {
		return fmt.Errorf("session %q: what waits belongs to the session that this one was forked from; run the session first, so that it asks by itself: %w", p, ErrNotPending)
	}
	asked, err := l.pendingCall(call)
	if err != nil {
		return fmt.Errorf("session %q: %w", id, err)
	}
	for c := range l.unsettled() {
		if c.state != callParked {
			continue
		}
		for _, w := range c.waits {
			if asked.Session != "" && w.Session == asked.Session {
				agent, child, err := h.waits(ctx, l, c)
				if err != nil {
					return fmt.Errorf("session %q: %w", id, err)
				}
				return h.of(agent, id).answer(ctx, child, asked.ID, answer)
			}
		}
	}
	given, err := answer.given(asked)
	if err != nil {
		return fmt.Errorf("session %q: %w", id, err)
	}
	engine := session.Engine{Hands: h}
	return engine.Submit(ctx, live, given, func(session.Observation) bool { return true })
}

// waits finds the child session in which a call waits for a person, and its agent.
func (h *hands) waits(ctx context.Context, l *loop, c *toolCall) (*Agent, string, error) {
	if c.child != nil {
		e, err := l.errand(c)
		return e.agent, c.child.Session, err
	}
	tool := l.agent.tools[c.name]
	if tool == nil {
		return nil, "", errors.New("there is no tool " + c.name)
	}
	for rec, err := range h.run.store.Load(ctx, c.waitsIn, 0) {
		if err != nil {
			return nil, "", err
		}
		if started, ok := rec.Event.(*session.Started); ok {
			for _, a := range tool.spec.Runs {
				if a.cfg.Name == started.Agent {
					return a, c.waitsIn, nil
				}
			}
		}
		break
	}
	return nil, "", fmt.Errorf("the tool %s does not run the agent of the session %s", c.name, c.waitsIn)
}

// given is the record of an answer.
func (a *Answer) given(asked *session.ApprovalAsked) (*session.ApprovalGiven, error) {
	if len(a.Input) > 0 && !json.Valid(a.Input) {
		return nil, errors.New("the input of the answer is no JSON")
	}
	if err := fitsQuestion(asked, a); err != nil {
		return nil, err
	}
	if a.Always != "" {
		r, err := parseRule(a.Always)
		if err == nil {
			err = r.mayAllow()
		}
		if err != nil {
			return nil, fmt.Errorf("the rule %q: %w", a.Always, err)
		}
	}
	return &session.ApprovalGiven{
		Turn: asked.Turn, Index: asked.Index, Allow: a.Allow, Input: a.Input, Rule: a.Always, Note: a.Note, Answer: a.Text, By: a.By,
	}, nil
}

// AskPerson implements session.Hands.
func (h *hands) AskPerson(ctx context.Context, id string, ask *session.AskPerson) session.Event {
	asked := ask.Asked
	answer, err := func() (a Answer, err error) {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("asking a person panicked: %v", p)
			}
		}()
		return h.run.approver(ctx, Approval{Session: id, Agent: h.agent.cfg.Name, ApprovalAsked: *asked})
	}()
	if ctx.Err() != nil {
		return nil
	}
	var given *session.ApprovalGiven
	if err == nil {
		given, err = answer.given(asked)
	}
	if err != nil {
		return &session.ApprovalGiven{Turn: asked.Turn, Index: asked.Index, Note: fmt.Sprintf("nobody could be asked: %v", err)}
	}
	return given
}

// pending are the calls that wait for a person.
func (l *loop) pending() (asked []session.ApprovalAsked) {
	for i := range l.calls {
		c := &l.calls[i]
		if c.state != callDue {
			continue
		}
		if q := c.inquiry(); q != nil && q.asked != nil {
			asked = append(asked, *q.asked)
		} else if c.asked != nil && c.given == nil {
			asked = append(asked, *c.asked)
		}
	}
	return asked
}

// allPending are those and the calls that wait in children.
func (l *loop) allPending() []session.ApprovalAsked {
	asked := l.pending()
	for c := range l.unsettled() {
		asked = append(asked, c.waits...)
	}
	return asked
}

// childWaiting folds that the child of a call waits for a person.
func (l *loop) childWaiting(ev *session.ChildWaiting) error {
	c, err := l.call(ev.Turn, ev.Index)
	if err != nil {
		return err
	}
	if c.state != callRunning || c.child == nil && c.share == nil {
		return fmt.Errorf("the child of call %d of turn %d waits, and does not work", ev.Index, ev.Turn)
	}
	c.state, c.waits, c.waitsIn, c.used = callParked, ev.Pending, ev.Child, ev.Spent
	return nil
}

// parked tells whether children wait for a person.
func (l *loop) parked() bool {
	for c := range l.unsettled() {
		if c.state == callParked {
			return true
		}
	}
	return false
}

// pendingCall finds a call that waits.
func (l *loop) pendingCall(id string) (*session.ApprovalAsked, error) {
	pending := l.allPending()
	if id == "" && len(pending) == 1 {
		return &pending[0], nil
	}
	if id == "" && len(pending) > 1 {
		return nil, fmt.Errorf("%d calls wait for an answer; name one of them", len(pending))
	}
	for i := range pending {
		if pending[i].ID == id {
			return &pending[i], nil
		}
	}
	return nil, fmt.Errorf("call %q: %w", id, ErrNotPending)
}

// approvalAsked and approvalGiven fold the two records of an approval.
func (l *loop) approvalAsked(ev *session.ApprovalAsked) error {
	c, err := l.call(ev.Turn, ev.Index)
	if err != nil {
		return err
	}
	if q := c.inquiry(); q != nil && ev.Inquiry == len(c.inquiries) && c.state == callDue {
		q.asked, q.asking = ev, true
		return nil
	}
	if c.state != callDue || c.given != nil || ev.Inquiry > 0 {
		return fmt.Errorf("a person is asked about call %d of turn %d, which does not wait", ev.Index, ev.Turn)
	}
	c.asked, c.asking = ev, true
	return nil
}

func (l *loop) approvalGiven(ev *session.ApprovalGiven) error {
	c, err := l.call(ev.Turn, ev.Index)
	if err != nil {
		return err
	}
	if q := c.inquiry(); q != nil && q.asked != nil {
		q.given, q.asking = ev, false
		return nil
	}
	if c.asked == nil || c.given != nil {
		return fmt.Errorf("call %d of turn %d is answered and does not wait for it", ev.Index, ev.Turn)
	}
	c.given, c.asking = ev, false
	if r, err := parseRule(ev.Rule); err == nil && ev.Rule != "" {
		l.extra = append(l.extra, r)
	}
	return nil
}

type askUserIn struct {
	Question string   `json:"question" jsonschema:"what you want to know"`
	Choices  []string `json:"choices,omitempty" jsonschema:"answers to choose from, where there are such"`
}

// AskUserName is the name of the tool that [AskUser] makes.
const AskUserName = "ask_user"

// AskUser makes the tool by which a model asks a person. The question waits as an
// approval does, and the answer is the call's result.
func AskUser() *Tool {
	t := NewTool(ToolSpec{
		Name:        AskUserName,
		Description: "Asks the person you work for. Use it where you cannot go on without knowing, and not for what you can find out.",
		Effect:      ReadOnly,
	}, func(context.Context, askUserIn) (string, error) {
		return "", errors.New("it is a person who answers this call")
	})
	t.question = true
	return t
}
