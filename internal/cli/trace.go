package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
)

// traceWidth is the width of the trace in columns.
const traceWidth = 80

// tracer prints the records of a session as a person reads them: a rule for
// each step, thinking and text in a box, calls with their arguments, results in
// one line. It prints the same for a run that happens and for one that is read
// back from the journal. Each child session has a tracer of its own, which
// indents what it prints.
type tracer struct {
	w     io.Writer
	style style
	// columns is the width of the lines.
	columns int
	// isChild tells that the session serves a call of another.
	isChild bool
	step    int
	asked   time.Time
	// compacting tells that the model was asked for a summary.
	compacting bool
	// open tells that a prompt is being worked on; queue are those that wait.
	open  bool
	queue []*session.Prompted

	// tree has the tracers of all sessions by their ids, but for the root's; names
	// counts the children of each name.
	tree  map[string]*tracer
	names map[string]int
	// onChild is called for each new child, if it is set.
	onChild func(child *tracer, id string)
}

func newTracer(w io.Writer, st style) *tracer {
	return &tracer{w: w, style: st, columns: traceWidth, tree: make(map[string]*tracer), names: make(map[string]int)}
}

// of returns the tracer of a session of the tree.
func (t *tracer) of(id string) *tracer {
	if child := t.tree[id]; child != nil {
		return child
	}
	return t
}

// child makes the tracer of the session that serves a call, once.
func (t *tracer) child(call *session.ChildCall) {
	if t.tree[call.Session] != nil {
		return
	}
	name := line(call.Agent, 16)
	t.names[name]++
	if n := t.names[name]; n > 1 {
		name += "#" + strconv.Itoa(n)
	}
	lead := "    " + name + " │ "
	c := newTracer(&indenter{w: t.w, lead: t.style.dim(lead)}, t.style)
	c.columns = max(t.columns-width(lead), traceWidth/2)
	c.isChild, c.tree, c.onChild = true, t.tree, t.onChild
	t.tree[call.Session] = c
	if t.onChild != nil {
		t.onChild(c, call.Session)
	}
}

// recall takes in the records of a session that is resumed: it shows the question
// that is open and goes on counting where the trace was.
func (t *tracer) recall(recs []session.Record) {
	var asked *session.Prompted
	for i := range recs {
		switch ev := recs[i].Event.(type) {
		case *session.Prompted:
			if t.open {
				t.queue = append(t.queue, ev)
			} else {
				asked, t.open, t.step = ev, true, 0
			}
		case *session.ModelCalled:
			t.compacting = ev.Purpose != ""
		case *session.ModelAnswered:
			if !t.compacting {
				t.step++
			}
		case *session.Ended:
			if asked, t.open = nil, len(t.queue) > 0; t.open {
				asked, t.step, t.queue = t.queue[0], 0, t.queue[1:]
			}
		}
	}
	if asked != nil {
		t.question("Q: ", asked)
	}
}

// question shows a prompt.
func (t *tracer) question(lead string, ev *session.Prompted) {
	fmt.Fprintf(t.w, "%s\n", t.style.bold(line(lead+ev.Message.Blocks.Text(), t.columns)))
}

// begin shows the prompt that is worked on from now on.
func (t *tracer) begin(ev *session.Prompted) {
	t.step, t.open = 0, true
	t.question("Q: ", ev)
}

func (t *tracer) record(rec *session.Record) {
	switch ev := rec.Event.(type) {
	case *session.Prompted:
		if !t.open {
			t.begin(ev)
			return
		}
		t.queue = append(t.queue, ev)
		t.note("waiting: %s", line(ev.Message.Blocks.Text(), t.columns-16))
	case *session.Ended:
		if t.isChild {
			t.ended(&ev.Result)
		}
		if t.open = false; len(t.queue) > 0 {
			next := t.queue[0]
			t.queue = t.queue[1:]
			t.begin(next)
		}
	case *session.ModelCalled:
		t.asked, t.compacting = rec.Time, ev.Purpose != ""
		t.again(ev, rec.Time)
	case *session.ModelAnswered:
		t.answered(ev.Response, rec.Time.Sub(t.asked))
	case *session.ModelFailed:
		t.note("the model failed: %s", ev.Error.Error())
	case *session.ToolCalled:
		if ev.Attempt > 1 {
			t.note("%s runs again (attempt %d)", ev.Name, ev.Attempt)
		}
		if ev.Child != nil {
			t.child(ev.Child)
		}
	case *session.ToolAnswered:
		t.result(ev)
	case *session.ApprovalAsked:
		t.note("%s", askedText(ev))
	case *session.ApprovalGiven:
		t.note("%s", givenText(ev))
	case *session.HookAnswered:
		t.hooked(ev)
	case *session.Interrupted:
		t.note("interrupted: %s", ev.Reason)
		t.stopped(ev.Canceled, ev.Running)
	case *session.Resumed:
		t.note("resumed")
	case *session.Expired:
		t.note("the limit of %s, %v, is reached", ev.Limit, ev.Value)
		t.stopped(ev.Canceled, ev.Running)
	case *session.BackgroundStopped:
		t.note("what was under way in the background is stopped")
		t.stopped(ev.Canceled, ev.Running)
	case *session.Compacting:
		window := ""
		if ev.Window > 0 {
			window = fmt.Sprintf(" of %s", tokens(ev.Window))
		}
		t.note("the conversation is made shorter (%s, %s): about %s%s", ev.Policy, ev.Why, tokens(ev.Tokens), window)
	case *session.Compacted:
		t.note("%s", shortened(ev))
	case *session.Changed:
		t.note("%s", changedText(ev))
	case *session.Reconfigured:
		t.note("%s", reconfigured(ev))
	}
}

// stopped tells which calls an interruption has cut off.
func (t *tracer) stopped(canceled, running []session.CallRef) {
	if len(canceled) > 0 {
		t.note("cut off without an outcome: %s", callNames(canceled))
	}
	if len(running) > 0 {
		t.note("still at work when it was stopped: %s", callNames(running))
	}
}

// shortened tells what a conversation has lost.
func shortened(ev *session.Compacted) string {
	var what []string
	if ev.Summary != nil {
		what = append(what, fmt.Sprintf("a summary for %s", plural(ev.Messages, "message")))
	}
	if len(ev.Dropped) > 0 {
		what = append(what, plural(len(ev.Dropped), "result")+" dropped")
	}
	if what == nil {
		what = append(what, "nothing to take away")
	}
	return fmt.Sprintf("%s: about %s before, %s after", strings.Join(what, ", "), tokens(ev.Before), tokens(ev.After))
}

// reconfigured tells what a session goes on with.
func reconfigured(ev *session.Reconfigured) string {
	text := "goes on with the agent " + ev.Agent
	if ev.Model != "" {
		text += " and the model " + ev.Model
	}
	return text
}

// changedText tells what the session has read and what is another now.
func changedText(ev *session.Changed) string {
	var other, gone []string
	for _, s := range ev.Sources {
		if s.Hash == "" {
			gone = append(gone, s.Name)
		} else {
			other = append(other, s.Name)
		}
	}
	var parts []string
	if len(other) > 0 {
		parts = append(parts, "changed since it was read: "+strings.Join(other, ", "))
	}
	if len(gone) > 0 {
		parts = append(parts, "gone since it was read: "+strings.Join(gone, ", "))
	}
	return strings.Join(parts, "; ")
}

// ended tells in one line how a child has ended; what it found is the result of
// its parent's call.
func (t *tracer) ended(r *session.Result) {
	text := fmt.Sprintf("%s: %s, %s, %s", r.Subtype, plural(r.Turns, "turn"), plural(r.ToolCalls, "tool call"), seconds(r.Duration))
	if r.Detail != "" {
		text += ": " + r.Detail
	}
	fmt.Fprintf(t.w, "  %s\n", line("= "+text, t.columns-2))
}

// again tells why a call of the model is made again, and when.
func (t *tracer) again(ev *session.ModelCalled, now time.Time) {
	switch wait := ev.NotBefore.Sub(now); {
	case ev.Reason == "" && ev.Attempt > 1:
		t.note("the model is asked again: the outcome of the last call was lost (attempt %d)", ev.Attempt)
	case ev.Fallback > 0 && ev.NotBefore.IsZero():
		t.note("%s takes over: %s", ev.Model, ev.Reason)
	case ev.Reason != "" && wait > 0:
		t.note("the model is asked again in %s (attempt %d)", seconds(wait), ev.Attempt)
	case ev.Reason != "":
		t.note("the model is asked again (attempt %d)", ev.Attempt)
	}
}

func (t *tracer) answered(resp *model.Response, took time.Duration) {
	title := "Summary"
	if !t.compacting {
		t.step++
		title = "Step " + strconv.Itoa(t.step)
	}
	u := &resp.Usage
	right := seconds(took)
	if u.Total() > 0 {
		right = fmt.Sprintf("%s in, %s out, %s", tokens(u.InputTokens+u.CacheReadTokens+u.CacheWriteTokens), tokens(u.OutputTokens), right)
	}
	t.rule(title, right)
	if resp.Message == nil {
		return
	}
	for _, b := range resp.Message.Blocks {
		switch b := b.(type) {
		case *model.Thinking:
			t.box("thinking", b.Text)
		case *model.RedactedThinking:
			t.box("thinking", "(kept secret by the provider)")
		case *model.Text:
			t.box("text", b.Text)
		case *model.ToolUse:
			t.call(b.Name, b.Input)
		case *model.ServerToolUse:
			t.call(b.Name, b.Input)
		case *model.ServerToolResult:
			fmt.Fprintf(t.w, "  ← %s\n", line(b.Type+": "+string(b.Content), t.columns-4))
		case *model.Unknown:
			fmt.Fprintf(t.w, "  ? %s\n", line("a block of type "+b.Type, t.columns-4))
		}
	}
}

func (t *tracer) call(name string, input []byte) {
	fmt.Fprintf(t.w, "  %s\n", t.style.bold("→ "+line(name+" "+string(input), t.columns-4)))
}

func (t *tracer) result(ev *session.ToolAnswered) {
	mark := "←"
	switch {
	case ev.Unknown:
		mark = "? outcome unknown:"
	case ev.Refused:
		mark = "✗ refused:"
	case ev.IsError:
		mark = "✗"
	}
	text := summary(ev)
	switch {
	case ev.Limit != nil:
		text = hitText(ev.Limit)
	case ev.Refused && ev.Decision != nil && ev.Decision.Reason != "":
		mark, text = "✗ denied:", ev.Decision.Reason
	}
	fmt.Fprintf(t.w, "  %s\n", line(mark+" "+ev.Name+": "+text, t.columns-2))
}

func (t *tracer) note(format string, args ...any) {
	for i, l := range wrap(clean(fmt.Sprintf(format, args...)), t.columns-4) {
		lead := "  ! "
		if i > 0 {
			lead = "    "
		}
		fmt.Fprintln(t.w, t.style.warn(lead+l))
	}
}

// rule draws a line with a title and a remark at its right end.
func (t *tracer) rule(title, right string) {
	left := "── " + title + " "
	if right != "" {
		right = " " + right + " ──"
	}
	fill := max(2, t.columns-width(left)-width(right))
	fmt.Fprintln(t.w, t.style.dim(left+strings.Repeat("─", fill)+right))
}

// box frames what the model thought or said.
func (t *tracer) box(title, text string) {
	text = strings.TrimSpace(clean(text))
	if text == "" {
		return
	}
	inner := t.columns - 6
	fmt.Fprintln(t.w, t.style.dim("  ┌─ "+title+" "+strings.Repeat("─", max(0, inner-width(title)-2))+"┐"))
	for _, l := range wrap(text, inner-1) {
		fmt.Fprintf(t.w, "  %s %s%s%s\n", t.style.dim("│"), l, strings.Repeat(" ", max(0, inner-width(l))), t.style.dim("│"))
	}
	fmt.Fprintln(t.w, t.style.dim("  └"+strings.Repeat("─", inner+1)+"┘"))
}
