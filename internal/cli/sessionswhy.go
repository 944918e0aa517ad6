package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/quarry-sdk/quarry/session"
)

// whyJSON is the result of sessions show --why --json.
type whyJSON struct {
	Session string          `json:"session"`
	Call    string          `json:"call"`
	Name    string          `json:"name"`
	Turn    int             `json:"turn"`
	Index   int             `json:"index"`
	Input   json.RawMessage `json:"input"`
	// Outcome is "ran", "failed", "refused", "unknown", "waiting", "running" or "due".
	Outcome string `json:"outcome"`
	// Result is what the model was told.
	Result   string                 `json:"result,omitempty"`
	Decision *session.Decision      `json:"decision"`
	Hooks    []whyHook              `json:"hooks"`
	Asked    *session.ApprovalAsked `json:"asked"`
	Given    *session.ApprovalGiven `json:"given"`
}

// whyHook is what hooks said of the call.
type whyHook struct {
	Called   *session.HookCalled   `json:"called"`
	Answered *session.HookAnswered `json:"answered"`
}

// showWhy prints why a call ran, or why it did not.
func (a *app) showWhy(info *session.Info, recs []session.Record, call string) error {
	w, err := whyOf(info.ID, recs, call)
	if err != nil {
		return err
	}
	if a.flags.machine() {
		return a.printJSON(w)
	}
	w.write(a.stdout)
	return nil
}

// whyOf gathers what a journal says of a call, the last of its id.
func whyOf(id string, recs []session.Record, call string) (*whyJSON, error) {
	var w *whyJSON
	var ids []string
	for i := range recs {
		if answered, ok := recs[i].Event.(*session.ModelAnswered); ok && answered.Response.Message != nil {
			for index, use := range answered.Response.Message.Blocks.ToolUses() {
				ids = append(ids, use.ID)
				if use.ID == call {
					w = &whyJSON{Session: id, Call: call, Name: use.Name, Turn: answered.Turn, Index: index, Input: use.Input, Outcome: "due", Hooks: []whyHook{}}
				}
			}
		}
		if w != nil {
			w.record(recs[i].Event)
		}
	}
	if w == nil && ids == nil {
		return nil, usagef("session %s has no tool calls", id)
	}
	if w == nil {
		return nil, usagef("session %s has no call %q; it has %s", id, call, line(strings.Join(ids, ", "), 500))
	}
	return w, nil
}

// record takes in a record behind the response that made the call.
func (w *whyJSON) record(ev session.Event) {
	mine := func(turn, index int) bool { return turn == w.Turn && index == w.Index }
	switch ev := ev.(type) {
	case *session.HookCalled:
		if mine(ev.Turn, ev.Index) && aboutCalls[ev.Point] {
			w.Hooks = append(w.Hooks, whyHook{Called: ev})
		}
	case *session.HookAnswered:
		for i := range w.Hooks {
			if h := &w.Hooks[i]; mine(ev.Turn, ev.Index) && h.Called.Point == ev.Point && h.Answered == nil {
				h.Answered = ev
			}
		}
	case *session.ApprovalAsked:
		if mine(ev.Turn, ev.Index) {
			w.Asked, w.Outcome = ev, "waiting"
		}
	case *session.ApprovalGiven:
		if mine(ev.Turn, ev.Index) {
			w.Given, w.Outcome = ev, "due"
		}
	case *session.ToolCalled:
		if mine(ev.Turn, ev.Index) {
			w.Decision, w.Outcome = ev.Decision, "running"
		}
	case *session.ToolAnswered:
		if mine(ev.Turn, ev.Index) {
			w.answered(ev)
		}
	}
}

// aboutCalls are the points of hooks that are about one call.
var aboutCalls = map[string]bool{
	"PreToolUse": true, "PostToolUse": true, "PostToolUseFailure": true, "PermissionRequest": true, "Notification": true,
}

func (w *whyJSON) answered(ev *session.ToolAnswered) {
	if ev.Decision != nil {
		w.Decision = ev.Decision
	}
	w.Result, w.Outcome = ev.Content.Text(), "ran"
	switch {
	case ev.Unknown:
		w.Outcome = "unknown"
	case ev.Refused:
		w.Outcome = "refused"
	case ev.IsError:
		w.Outcome = "failed"
	}
}

// write prints it for people.
func (w *whyJSON) write(out io.Writer) {
	row := func(name, text string) {
		if text != "" {
			fmt.Fprintf(out, "%-9s %s\n", name, line(text, 1000))
		}
	}
	row("call", fmt.Sprintf("%s %s (turn %d, call %d)", w.Name, w.Call, w.Turn, w.Index+1))
	row("input", string(w.Input))
	for _, h := range w.Hooks {
		said := "no answer yet"
		if a := h.Answered; a != nil {
			if said = a.Decision; said == "" {
				said = "no opinion"
			}
			if a.Reason != "" {
				said += ": " + a.Reason
			}
			if len(a.Input) > 0 {
				said += ", with the input " + string(a.Input)
			}
			if len(a.Errors) > 0 {
				said += ", failed: " + strings.Join(a.Errors, "; ")
			}
		}
		row("hooks", fmt.Sprintf("%s (%s): %s", h.Called.Point, strings.Join(h.Called.Hooks, ", "), said))
	}
	if w.Asked != nil {
		row("asked", askedText(w.Asked))
	}
	if w.Given != nil {
		by := ""
		if w.Given.By != "" {
			by = " (" + w.Given.By + ")"
		}
		row("given", givenText(w.Given)+by)
	}
	if d := w.Decision; d != nil {
		text := d.Behavior + " by " + d.Stage
		if d.Rule != "" {
			text += " " + d.Rule
		}
		if d.Reason != "" {
			text += ": " + d.Reason
		}
		row("decision", text)
		for _, step := range d.Trace {
			fmt.Fprintf(out, "  %s\n", line(step, 1000))
		}
	} else {
		row("decision", "none is in the journal: there were no permissions to decide by, or it has not come to that")
	}
	row("outcome", w.Outcome)
	row("result", w.Result)
}
