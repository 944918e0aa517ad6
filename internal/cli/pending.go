package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/session"
)

// place names a call within a session.
type place struct{ turn, index int }

// pendingIn are the calls of a journal that wait for a person.
func pendingIn(recs []session.Record) (pending []session.ApprovalAsked) {
	var order []place
	open := make(map[place]*session.ApprovalAsked)
	for i := range recs {
		switch ev := recs[i].Event.(type) {
		case *session.ApprovalAsked:
			at := place{ev.Turn, ev.Index}
			if open[at] == nil {
				order = append(order, at)
			}
			open[at] = ev
		case *session.ApprovalGiven:
			delete(open, place{ev.Turn, ev.Index})
		case *session.ToolAnswered:
			delete(open, place{ev.Turn, ev.Index})
		case *session.Ended:
			clear(open)
		}
	}
	for _, at := range order {
		if asked := open[at]; asked != nil {
			pending = append(pending, *asked)
			delete(open, at)
		}
	}
	return pending
}

// pendingBelow are those of the session and of its children: a call of a child has
// the child's id in its field Session.
func pendingBelow(ctx context.Context, store session.Store, recs []session.Record) ([]session.ApprovalAsked, error) {
	pending := pendingIn(recs)
	var children []string
	for i := range recs {
		if ev, ok := recs[i].Event.(*session.ChildWaiting); ok {
			for _, p := range ev.Pending {
				if id := cmp.Or(p.Session, ev.Child); !slices.Contains(children, id) {
					children = append(children, id)
				}
			}
		}
	}
	for _, id := range children {
		recs, err := records(ctx, store, id)
		if err != nil {
			return nil, err
		}
		for _, p := range pendingIn(recs) {
			p.Session = id
			pending = append(pending, p)
		}
	}
	return pending, nil
}

// tellPending tells what waits for a person, and how it is answered.
func (a *app) tellPending(r *quarry.Result) {
	for i := range r.Pending {
		p := &r.Pending[i]
		fmt.Fprintf(a.stderr, "%s\n", pendingText(p, 1000))
		fmt.Fprintf(a.stderr, "  %s\n", answerHint(cmp.Or(p.Session, r.Session), p))
	}
	if len(r.Pending) > 0 {
		a.note("then go on with: quarry sessions resume %s", r.Session)
	}
}

// pendingText is a call that waits, in one line.
func pendingText(p *session.ApprovalAsked, columns int) string {
	if p.Question {
		return line("asks: "+questionText(p.Input), columns)
	}
	text := fmt.Sprintf("waits: %s %s", p.Name, string(p.Input))
	if p.Reason != "" {
		text += " (" + p.Reason + ")"
	}
	return line(text, columns)
}

// questionText is a question in one line.
func questionText(input json.RawMessage) string {
	q, err := questionOf(input)
	if err != nil {
		return string(input)
	}
	text := q.Text
	if q.From != "" {
		text = q.From + ": " + text
	}
	switch {
	case len(q.Choices) > 0:
		text += " (" + strings.Join(q.Choices, ", ") + ")"
	case len(q.Schema) > 0:
		text += " (" + strings.Join(fieldNames(q.Schema), ", ") + ")"
	}
	return text
}

// answerHint says how a call that waits is answered.
func answerHint(id string, p *session.ApprovalAsked) string {
	if typedQuestion(p) {
		return fmt.Sprintf("answer with: quarry approve %s %s --input JSON, or with --deny", id, p.ID)
	}
	if p.Question {
		return fmt.Sprintf("answer with: quarry approve %s %s --answer TEXT", id, p.ID)
	}
	return fmt.Sprintf("answer with: quarry approve %s %s, or with --deny --note TEXT", id, p.ID)
}

// askedText tells that a person is asked, in the trace.
func askedText(ev *session.ApprovalAsked) string {
	if ev.Question {
		return "a person is asked: " + line(questionText(ev.Input), 1000)
	}
	text := "a person is asked about " + ev.Name
	if ev.Reason != "" {
		text += ": " + ev.Reason
	}
	return text
}

// givenText tells what the person said, in the trace.
func givenText(ev *session.ApprovalGiven) string {
	text := "denied by a person"
	switch {
	case ev.Answer != "":
		text = "answered by a person: " + ev.Answer
	case ev.Allow && len(ev.Input) > 0:
		text = "allowed by a person, as " + line(string(ev.Input), 300)
	case ev.Allow:
		text = "allowed by a person"
	case len(ev.Input) > 0:
		text = "answered by a person: " + line(string(ev.Input), 300)
	}
	if ev.Rule != "" {
		text += ", and from now on by the rule " + ev.Rule
	}
	if ev.Note != "" {
		text += ": " + ev.Note
	}
	return text
}

// hooked tells what hooks said, where it matters.
func (t *tracer) hooked(ev *session.HookAnswered) {
	if ev.Decision != "" {
		text := fmt.Sprintf("a hook of %s says %s", ev.Point, ev.Decision)
		if ev.Reason != "" {
			text += ": " + ev.Reason
		}
		t.note("%s", text)
	}
	if len(ev.Errors) > 0 {
		t.note("hooks of %s failed: %s", ev.Point, strings.Join(ev.Errors, "; "))
	}
	if ev.Stop {
		t.note("a hook of %s stops the run", ev.Point)
	}
}
