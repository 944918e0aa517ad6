package modeltest

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quarry-sdk/quarry/model"
)

// Scripted is a [model.Model] that answers from a script, in pieces as a real
// provider does. It refuses a request whose history no provider would accept
// (see [CheckHistory]). Its fields are set before its first use; then it may be
// used by many goroutines at once.
type Scripted struct {
	// ModelName is what Name returns. Defaults to "modeltest/scripted".
	ModelName string
	// PieceRunes is the length of the pieces of a text. Defaults to 12.
	PieceRunes int
	// Script is what the model says.
	Script Script

	player   player
	mu       sync.Mutex
	requests []*model.Request
}

// NewScripted returns a model that says the turns one after the other.
func NewScripted(turns ...*Turn) *Scripted { return &Scripted{Script: turns} }

// Name implements [model.Model].
func (s *Scripted) Name() string {
	if s.ModelName == "" {
		return "modeltest/scripted"
	}
	return s.ModelName
}

// Requests returns the requests that came so far, in the order of their arrival,
// refused ones included.
func (s *Scripted) Requests() []*model.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Unplayed is the number of turns of the script that no call has reached.
func (s *Scripted) Unplayed() int { return s.player.left(s.Script) }

// Stream implements [model.Model].
func (s *Scripted) Stream(ctx context.Context, req *model.Request) model.Stream {
	var used atomic.Bool
	return func(yield func(model.Event, error) bool) {
		if used.Swap(true) {
			yield(model.Event{}, &model.Error{Kind: model.ErrProtocol, Provider: "modeltest", Message: "a stream can be ranged over once"})
			return
		}
		if ctx.Err() != nil {
			yield(model.Event{}, context.Cause(ctx))
			return
		}
		s.record(req)
		if err := CheckHistory(req.Messages); err != nil {
			yield(model.Event{}, err)
			return
		}
		turn, err := s.player.play(ctx, s.Script, req)
		if err != nil {
			yield(model.Event{}, err)
			return
		}
		resp, parts := turn.answer(s.Name(), req)
		(&performance{turn: turn, resp: resp, yield: yield}).run(ctx, s.events(parts))
	}
}

// record keeps a copy of the request, whose messages are immutable.
func (s *Scripted) record(req *model.Request) {
	clone := *req
	clone.Messages = slices.Clone(req.Messages)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, &clone)
}

// step is one thing that happens in a stream: an event, an error, or a hang if
// neither is set.
type step struct {
	event model.Event
	fail  *model.Error
}

// events cuts the parts of a turn into the steps of its stream.
func (s *Scripted) events(parts []part) []step {
	n := s.PieceRunes
	if n <= 0 {
		n = defaultPieceRunes
	}
	var steps []step
	index := 0
	for _, p := range parts {
		switch {
		case p.fail != nil:
			steps = append(steps, step{fail: p.fail})
		case p.hang:
			steps = append(steps, step{})
		case p.event != nil:
			if !isPing(p.event) {
				steps = append(steps, step{event: model.Event{Kind: model.EventUnknown, Raw: p.event}})
			}
		default:
			var kind model.EventKind
			var text string
			switch b := p.block.(type) {
			case *model.Text:
				kind, text = model.EventText, b.Text
			case *model.Thinking:
				kind, text = model.EventThinking, b.Text
			case *model.ToolUse:
				if kind = model.EventInput; p.input != "{}" {
					text = p.input
				}
			}
			for _, piece := range pieces(text, n) {
				steps = append(steps, step{event: model.Event{Kind: kind, Index: index, Text: piece}})
			}
			steps = append(steps, step{event: model.Event{Kind: model.EventBlock, Index: index, Block: p.block}})
			index++
		}
	}
	return steps
}

func isPing(event json.RawMessage) bool {
	var head struct {
		Type string `json:"type"`
	}
	return json.Unmarshal(event, &head) == nil && head.Type == "ping"
}

// performance is one turn being said.
type performance struct {
	turn  *Turn
	resp  *model.Response
	yield func(model.Event, error) bool

	said  model.Blocks // complete blocks
	kind  model.EventKind
	piece string // what was said of the block that is not complete
}

func (p *performance) run(ctx context.Context, steps []step) {
	if !wait(ctx, p.turn.delay) {
		p.yield(model.Event{}, context.Cause(ctx))
		return
	}
	end := len(steps)
	broken := p.turn.cut.where != cutNowhere
	if broken {
		end = (end + 1) / 2
	}
	for _, s := range steps[:end] {
		switch {
		case ctx.Err() != nil:
			p.yield(model.Event{}, context.Cause(ctx))
			return
		case s.fail != nil:
			p.yield(model.Event{}, p.fail(s.fail))
			return
		case s.event.Kind == 0:
			p.turn.hang(ctx.Done())
			p.yield(model.Event{}, context.Cause(ctx))
			return
		}
		switch ev := s.event; ev.Kind {
		case model.EventBlock:
			p.said, p.kind, p.piece = append(p.said, ev.Block), 0, ""
		case model.EventUnknown:
		default:
			p.kind = ev.Kind
			p.piece += ev.Text
		}
		if !p.yield(s.event, nil) {
			return
		}
	}
	switch {
	case ctx.Err() != nil:
		p.yield(model.Event{}, context.Cause(ctx))
	case broken:
		p.yield(model.Event{}, p.fail(&model.Error{Kind: model.ErrTransport, Provider: "modeltest", Message: "the stream broke before its end"}))
	default:
		p.yield(model.Event{Kind: model.EventDone, Response: p.resp}, nil)
	}
}

// fail adds to a copy of err what was said before it.
func (p *performance) fail(err *model.Error) error {
	clone := *err
	said := slices.Clone(p.said)
	switch p.kind {
	case model.EventText:
		said = append(said, &model.Text{Text: p.piece})
	case model.EventThinking:
		said = append(said, &model.Thinking{Text: p.piece})
	case model.EventInput:
		use := *p.resp.Message.Blocks[len(said)].(*model.ToolUse)
		use.Incomplete = true
		use.Input, _ = json.Marshal(p.piece)
		said = append(said, &use)
	}
	if len(said) > 0 && clone.Partial == nil {
		partial := *p.resp
		partial.Message = model.NewMessage(model.RoleAssistant, said...)
		partial.StopReason, partial.StopSequence, partial.StopDetails = "", "", nil
		clone.Partial = &partial
	}
	return &clone
}

// wait waits for d; false if ctx was done first.
func wait(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
