package cli

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
)

// TestTrace: what happens besides steps and calls is said in a line.
func TestTrace(t *testing.T) {
	t.Parallel()
	prompt := func(text string) *session.Prompted { return &session.Prompted{Message: model.UserText(text)} }
	summary := &session.ModelAnswered{Response: &model.Response{Message: model.NewMessage(model.RoleAssistant, &model.Text{Text: "So far."})}}
	for _, tt := range []struct {
		name string
		evs  []session.Event
		want string
	}{
		{"compaction", []session.Event{
			&session.Compacting{Policy: "drop_results", Why: "size", Tokens: 170_000, Window: 200_000},
			&session.Compacted{Policy: "drop_results", Dropped: make([]session.ResultRef, 5), Before: 170_000, After: 98_000},
		}, "  ! the conversation is made shorter (drop_results, size): about 170.0k tokens\n    of 200.0k tokens\n" +
			"  ! 5 results dropped: about 170.0k tokens before, 98.0k tokens after\n"},
		{"compaction by a summary", []session.Event{
			&session.Compacting{Policy: "summarize", Why: "overflow", Tokens: 1000},
			&session.ModelCalled{Turn: 1, Attempt: 1, Purpose: "compact"},
			summary,
			&session.Compacted{Policy: "summarize", Summary: model.UserText("x"), Messages: 7, Before: 1000, After: 300},
			&session.ModelCalled{Turn: 2, Attempt: 1},
			&session.ModelAnswered{Response: &model.Response{}},
		}, "  ! the conversation is made shorter (summarize, overflow): about 1000 tokens\n" +
			"── Summary ───────────────────────────────────────────────────────────── 0 ms ──\n" +
			"  ┌─ text ────────────────────────────────────────────────────────────────────┐\n" +
			"  │ So far.                                                                   │\n" +
			"  └───────────────────────────────────────────────────────────────────────────┘\n" +
			"  ! a summary for 7 messages: about 1000 tokens before, 300 tokens after\n" +
			"── Step 1 ────────────────────────────────────────────────────────────── 0 ms ──\n"},
		{"nothing to take away", []session.Event{&session.Compacted{Policy: "drop_results", Before: 10, After: 10}},
			"  ! nothing to take away: about 10 tokens before, 10 tokens after\n"},
		{"changed and gone", []session.Event{&session.Changed{Sources: []session.Source{{Name: "a", Hash: "1"}, {Name: "b"}, {Name: "c", Hash: "2"}}}},
			"  ! changed since it was read: a, c; gone since it was read: b\n"},
		{"reconfigured", []session.Event{&session.Reconfigured{Agent: "docs", Model: "x/y"}}, "  ! goes on with the agent docs and the model x/y\n"},
		{"refused by a limit", []session.Event{&session.ToolAnswered{Name: "search", IsError: true, Refused: true, Limit: &session.LimitHit{Name: "tool_calls", Value: 3, Used: 3}}},
			"  ✗ refused: search: limit of tool calls, 3, is reached: 3 used\n"},
		{"out of time", []session.Event{&session.Expired{Limit: "wall_clock", Value: time.Minute,
			Canceled: []session.CallRef{{Turn: 1}}, Running: []session.CallRef{{Turn: 1, Name: "pay"}, {Turn: 1, Index: 1, Name: "help", Child: "s-1-1"}}}},
			"  ! the limit of wall_clock, 1m0s, is reached\n  ! cut off without an outcome: the model\n" +
				"  ! still at work when it was stopped: pay, help (session s-1-1)\n"},
		{"a prompt that waits", []session.Event{prompt("One?"), prompt("Two?"), &session.Ended{}, &session.Ended{}, prompt("Three?")},
			"Q: One?\n  ! waiting: Two?\nQ: Two?\nQ: Three?\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			trace := newTracer(&out, style{})
			for i, ev := range tt.evs {
				trace.record(&session.Record{Seq: int64(i + 1), Event: ev})
			}
			if diff := cmp.Diff(tt.want, out.String()); diff != "" {
				t.Errorf("another trace (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRecall: a trace that goes on shows the question that is open, and counts on.
func TestRecall(t *testing.T) {
	t.Parallel()
	prompt := func(text string) *session.Prompted { return &session.Prompted{Message: model.UserText(text)} }
	call, answer := &session.ModelCalled{}, &session.ModelAnswered{Response: &model.Response{}}
	compact := &session.ModelCalled{Purpose: "compact"}
	for _, tt := range []struct {
		name, want string
		step       int
		before     []session.Event
	}{
		{"open", "Q: One?\n", 2, []session.Event{prompt("One?"), call, answer, call, answer}},
		{"a summary is no step", "Q: One?\n", 1, []session.Event{prompt("One?"), call, answer, compact, answer}},
		{"ended", "", 1, []session.Event{prompt("One?"), call, answer, &session.Ended{}}},
		{"the second is open", "Q: Two?\n", 0, []session.Event{prompt("One?"), call, answer, &session.Ended{}, prompt("Two?"), call}},
		{"the first is open", "Q: One?\n", 1, []session.Event{prompt("One?"), prompt("Two?"), call, answer}},
		{"the one that waited is open", "Q: Two?\n", 1, []session.Event{prompt("One?"), prompt("Two?"), &session.Ended{}, call, answer}},
	} {
		var out bytes.Buffer
		trace := newTracer(&out, style{})
		var recs []session.Record
		for i, ev := range tt.before {
			recs = append(recs, session.Record{Seq: int64(i + 1), Event: ev})
		}
		if trace.recall(recs); out.String() != tt.want || trace.step != tt.step {
			t.Errorf("%s: shows %q at step %d, want %q at %d", tt.name, out.String(), trace.step, tt.want, tt.step)
		}
	}
}
