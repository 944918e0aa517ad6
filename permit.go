package quarry

import (
	"strings"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
)

// permit is what has to happen before a call may run: nothing, where its fields
// are not set.
type permit struct {
	// wait tells that the call cannot start yet; effect or event is due for it.
	wait   bool
	effect session.Effect
	event  session.Event
	// refused is the answer to a call that may not run.
	refused *session.ToolAnswered
}

// permit takes a call through hooks, rules and a person. The decision is nil where
// there is nothing to decide by.
func (l *loop) permit(c *toolCall, tool *Tool) (*Decision, permit) {
	before, eff := l.hook(PreToolUse, c.index, l.preInput(c))
	if before == nil {
		return nil, waitFor(eff)
	}
	if o := l.agent.output; o != nil && o.tool == tool {
		return nil, permit{} // it does nothing but end the run
	}
	p := l.policy
	if p == nil {
		if before.Decision == "" && !tool.spec.NeedsApproval && !tool.question {
			return nil, permit{}
		}
		p = noPolicy
	}
	d := p.decide(&policyCall{
		tool: tool, name: c.name, input: l.inputOf(c), hook: Behavior(before.Decision), hookReason: before.Reason,
		extra: l.extra, person: l.approver || l.park,
	})
	switch Behavior(d.Behavior) {
	case Allow:
		return &d, permit{}
	case Deny:
		return &d, permit{refused: denied(&d)}
	}
	return l.askFor(c, tool, &d)
}

func waitFor(eff *session.RunHooks) permit {
	if eff == nil {
		return permit{wait: true}
	}
	return permit{wait: true, effect: eff}
}

// askFor asks a person about a call, and takes the answer.
func (l *loop) askFor(c *toolCall, tool *Tool, d *Decision) (*Decision, permit) {
	if err := tool.schema.validate(l.inputOf(c)); err != nil { // nobody is asked about what cannot run
		return d, permit{refused: refuse(&session.ToolAnswered{}, err.Error())}
	}
	in := l.preInput(c)
	in.Input, in.Reason = l.inputOf(c), d.Reason
	if c.given == nil {
		said, eff := l.hook(PermissionRequest, c.index, in)
		if said == nil {
			return nil, waitFor(eff)
		}
		switch Behavior(said.Decision) {
		case Allow:
			d.Behavior, d.Stage, d.Reason = string(Allow), "hook", said.Reason
			d.Trace = append(d.Trace, "person: allow by a hook of PermissionRequest")
			return d, permit{}
		case Deny:
			d.Behavior, d.Stage, d.Reason = string(Deny), "hook", said.Reason
			d.Trace = append(d.Trace, "person: deny by a hook of PermissionRequest")
			return d, permit{refused: denied(d)}
		}
		if c.asking || c.asked != nil && !l.approver {
			return nil, permit{wait: true}
		}
		if told, eff := l.hook(Notification, c.index, in); told == nil {
			return nil, waitFor(eff)
		}
		asked := &session.ApprovalAsked{
			Turn: l.turn, Index: c.index, ID: c.use.ID, Name: c.name, Question: tool.question, Input: l.inputOf(c), Reason: d.Reason, Attempt: 1,
		}
		if c.asked != nil {
			asked.Attempt = c.asked.Attempt + 1
		}
		if l.approver {
			return nil, permit{wait: true, effect: &session.AskPerson{Asked: asked}}
		}
		return nil, permit{wait: true, event: asked}
	}
	switch given := c.given; {
	case tool.question && (given.Answer != "" || given.Allow):
		answered := &session.ToolAnswered{Content: model.Blocks{&model.Text{Text: given.Answer}}}
		return d, permit{refused: answered}
	case given.Allow:
		d.Behavior, d.Stage, d.Reason = string(Allow), "person", "a person allowed it"
	default:
		d.Behavior, d.Stage, d.Reason = string(Deny), "person", "a person denied it"
		if given.Note != "" {
			d.Reason += ": " + given.Note
		}
	}
	d.Trace = append(d.Trace, "person: "+d.Behavior)
	if d.Behavior == string(Deny) {
		return d, permit{refused: denied(d)}
	}
	return d, permit{}
}

// denied is the answer to a call that is not permitted.
func denied(d *Decision) *session.ToolAnswered {
	why := d.Reason
	if why == "" {
		why = "it is not permitted"
	}
	a := refuse(&session.ToolAnswered{}, "this call was denied: "+strings.TrimRight(why, ". ")+". Do not try to get round that; go on without it, or say that it could not be done")
	a.Decision = d
	return a
}
