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
// back from the journal.
type tracer struct {
	w     io.Writer
	style style
	step  int
	asked time.Time
}

// recall takes in the records of a session that is resumed: it shows the question
// and goes on counting where the trace was.
func (t *tracer) recall(recs []session.Record) {
	var asked *session.Record
	for i := range recs {
		switch recs[i].Event.(type) {
		case *session.Prompted:
			asked, t.step = &recs[i], 0
		case *session.ModelAnswered:
			t.step++
		}
	}
	if step := t.step; asked != nil {
		t.record(asked)
		t.step = step
	}
}

func (t *tracer) record(rec *session.Record) {
	switch ev := rec.Event.(type) {
	case *session.Prompted:
		t.step = 0
		fmt.Fprintf(t.w, "%s\n", t.style.bold("Q: "+line(ev.Message.Blocks.Text(), traceWidth-3)))
	case *session.ModelCalled:
		t.asked = rec.Time
		t.again(ev, rec.Time)
	case *session.ModelAnswered:
		t.answered(ev.Response, rec.Time.Sub(t.asked))
	case *session.ModelFailed:
		t.note("the model failed: %s", ev.Error.Error())
	case *session.ToolCalled:
		if ev.Attempt > 1 {
			t.note("%s runs again (attempt %d)", ev.Name, ev.Attempt)
		}
	case *session.ToolAnswered:
		t.result(ev)
	case *session.Interrupted:
		t.note("interrupted: %s", ev.Reason)
	case *session.Resumed:
		t.note("resumed")
	case *session.Expired:
		t.note("the limit of %s, %v, is reached", ev.Limit, ev.Value)
	}
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
	t.step++
	u := &resp.Usage
	right := seconds(took)
	if u.Total() > 0 {
		right = fmt.Sprintf("%s in, %s out, %s", tokens(u.InputTokens+u.CacheReadTokens+u.CacheWriteTokens), tokens(u.OutputTokens), right)
	}
	t.rule("Step "+strconv.Itoa(t.step), right)
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
			fmt.Fprintf(t.w, "  ← %s\n", line(b.Type+": "+string(b.Content), traceWidth-4))
		case *model.Unknown:
			fmt.Fprintf(t.w, "  ? %s\n", line("a block of type "+b.Type, traceWidth-4))
		}
	}
}

func (t *tracer) call(name string, input []byte) {
	fmt.Fprintf(t.w, "  %s\n", t.style.bold("→ "+line(name+" "+string(input), traceWidth-4)))
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
	fmt.Fprintf(t.w, "  %s\n", line(mark+" "+ev.Name+": "+summary(ev), traceWidth-2))
}

func (t *tracer) note(format string, args ...any) {
	for i, l := range wrap(clean(fmt.Sprintf(format, args...)), traceWidth-4) {
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
	fill := max(2, traceWidth-width(left)-width(right))
	fmt.Fprintln(t.w, t.style.dim(left+strings.Repeat("─", fill)+right))
}

// box frames what the model thought or said.
func (t *tracer) box(title, text string) {
	text = strings.TrimSpace(clean(text))
	if text == "" {
		return
	}
	const inner = traceWidth - 6
	fmt.Fprintln(t.w, t.style.dim("  ┌─ "+title+" "+strings.Repeat("─", max(0, inner-width(title)-2))+"┐"))
	for _, l := range wrap(text, inner-1) {
		fmt.Fprintf(t.w, "  %s %s%s%s\n", t.style.dim("│"), l, strings.Repeat(" ", max(0, inner-width(l))), t.style.dim("│"))
	}
	fmt.Fprintln(t.w, t.style.dim("  └"+strings.Repeat("─", inner+1)+"┘"))
}
