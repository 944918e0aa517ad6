package model

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
)

// Model is a language model behind some provider.
type Model interface {
	// Name is how people name the model: "anthropic/claude-sonnet-4-5".
	Name() string
	// Stream performs one request. The request goes out when the stream is first
	// ranged over; leaving the loop or cancelling ctx ends it within 100 ms and
	// releases everything. A Model is used by many goroutines at once, and never
	// retries by itself.
	Stream(ctx context.Context, req *Request) Stream
}

// OutputEnforcer is implemented by models whose provider can enforce
// [Request.OutputSchema].
type OutputEnforcer interface {
	// EnforcesOutput tells whether it does for this model.
	EnforcesOutput() bool
}

// Stream is a response as it arrives. It yields events and ends either with one
// EventDone, whose Response is complete, or with one error: a *[Error], or the
// context's cause. It can be ranged over once.
type Stream iter.Seq2[Event, error]

// EventKind tells the events of a stream apart.
type EventKind uint8

// The kinds of events.
const (
	// EventText, EventThinking: Text is the next piece of block Index.
	EventText EventKind = iota + 1
	EventThinking
	// EventInput: Text is the next piece of the JSON arguments of the tool call
	// in block Index.
	EventInput
	// EventBlock: block Index is complete and in Block.
	EventBlock
	// EventUnknown: Raw is an event that this version does not know.
	EventUnknown
	// EventDone: Response is the complete response. It is the last event.
	EventDone
)

// Event is one step of a stream. Only the fields that its kind names are set.
type Event struct {
	Kind     EventKind
	Index    int
	Text     string
	Block    Block
	Response *Response
	Raw      json.RawMessage
}

// Collect ranges over the whole stream and returns its response.
func (s Stream) Collect() (*Response, error) {
	var resp *Response
	for ev, err := range s {
		if err != nil {
			return nil, err
		}
		if ev.Kind == EventDone {
			resp = ev.Response
		}
	}
	if resp == nil {
		return nil, &Error{Kind: ErrProtocol, Message: "the model's stream ended without a response"}
	}
	return resp, nil
}

// Fail returns a stream that yields nothing but err.
func Fail(err error) Stream {
	return func(yield func(Event, error) bool) { yield(Event{}, err) }
}

// Respond returns a stream of a response that is already complete: each of its
// blocks, then the end.
func Respond(resp *Response) Stream {
	return func(yield func(Event, error) bool) {
		for i, b := range resp.Message.Blocks {
			if !yield(Event{Kind: EventBlock, Index: i, Block: b}, nil) {
				return
			}
		}
		yield(Event{Kind: EventDone, Response: resp}, nil)
	}
}

// String names the kind.
func (k EventKind) String() string {
	switch k {
	case EventText:
		return "text"
	case EventThinking:
		return "thinking"
	case EventInput:
		return "input"
	case EventBlock:
		return "block"
	case EventUnknown:
		return "unknown"
	case EventDone:
		return "done"
	}
	return fmt.Sprintf("EventKind(%d)", uint8(k))
}
