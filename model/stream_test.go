package model

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStreamCollect(t *testing.T) {
	t.Parallel()
	resp := &Response{Message: NewMessage(RoleAssistant, &Text{Text: "a"}, &ToolUse{ID: "b"})}
	own := errors.New("own")
	of := func(events ...Event) Stream {
		return func(yield func(Event, error) bool) {
			for _, ev := range events {
				if !yield(ev, nil) {
					return
				}
			}
		}
	}
	if got, err := Respond(resp).Collect(); got != resp || err != nil {
		t.Errorf("Respond: %v, error %v", got, err)
	}
	if got, err := of(Event{Kind: EventText, Text: "a"}, Event{Kind: EventUnknown}, Event{Kind: EventDone, Response: resp}).Collect(); got != resp || err != nil {
		t.Errorf("events: %v, error %v", got, err)
	}
	if got, err := Fail(own).Collect(); got != nil || err != own {
		t.Errorf("Fail: %v, error %v", got, err)
	}
	for name, s := range map[string]Stream{"nothing": of(), "no end": of(Event{Kind: EventText}), "end without a response": of(Event{Kind: EventDone})} {
		var e *Error
		if got, err := s.Collect(); got != nil || !errors.As(err, &e) || e.Kind != ErrProtocol {
			t.Errorf("%s: %v, error %v", name, got, err)
		}
	}
	// An error ends the stream, whatever it would yield behind.
	late := Stream(func(yield func(Event, error) bool) {
		if yield(Event{}, own) {
			t.Error("collected past an error")
		}
	})
	if got, err := late.Collect(); got != nil || err != own {
		t.Errorf("late: %v, error %v", got, err)
	}
}

func TestRespond(t *testing.T) {
	t.Parallel()
	resp := &Response{Message: NewMessage(RoleAssistant, &Text{Text: "a"}, &ToolUse{ID: "b"})}
	var kinds []string
	for ev, err := range Respond(resp) {
		if err != nil {
			t.Fatal(err)
		}
		if ev.Kind == EventBlock && ev.Block != resp.Message.Blocks[ev.Index] {
			t.Errorf("block %d is %v", ev.Index, ev.Block)
		}
		kinds = append(kinds, ev.Kind.String())
	}
	if diff := cmp.Diff([]string{"block", "block", "done"}, kinds); diff != "" {
		t.Error(diff)
	}
	for range Respond(resp) {
		break // must not yield again, which would panic
	}
}

func TestEventKindString(t *testing.T) {
	t.Parallel()
	want := []string{"EventKind(0)", "text", "thinking", "input", "block", "unknown", "done", "EventKind(7)"}
	for k, name := range want {
		if got := EventKind(k).String(); got != name {
			t.Errorf("kind %d is %q, want %q", k, got, name)
		}
	}
}
