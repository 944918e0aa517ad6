package modeltest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/quarry-sdk/quarry/model"
)

// Turn is one answer of a scripted model: what it says, in the order in which
// the helpers were called. Each helper exists as a function that begins a turn
// and as a method that adds to it:
//
//	modeltest.Think("Two cities.", "sig").Call("weather", in1).Call("weather", in2)
//
// A turn must not be changed after its script was first used.
type Turn struct {
	cut          cut
	delay        time.Duration
	err          error // a mistake in the script itself
	header       http.Header
	left, parked chan struct{}
	parts        []part
	respond      func(context.Context, *model.Request) (*Turn, error)
	stop         model.StopReason
	stopDetails  json.RawMessage
	stopSequence string
	usage        *model.Usage
}

// part is one thing that a turn does; exactly one field is set, except input.
type part struct {
	block model.Block
	input string          // the arguments of a call as they are written on the wire
	event json.RawMessage // an event of its own
	fail  *model.Error
	hang  bool
}

// cut says where a stream breaks.
type cut struct {
	where cutPoint
	at    int
}

type cutPoint uint8

const (
	cutNowhere cutPoint = iota
	cutMiddle
	cutByte
	cutRune
	cutEvent
	cutClean
)

// Say begins a turn with a text. An empty text adds no block, as an empty
// answer of a real model has none.
func Say(text string) *Turn { return new(Turn).Say(text) }

// Think begins a turn with reasoning and its signature.
func Think(text, signature string) *Turn { return new(Turn).Think(text, signature) }

// Call begins a turn with a tool call; see [Turn.Call].
func Call(tool string, args any) *Turn { return new(Turn).Call(tool, args) }

// CallID is Call with the id of the call.
func CallID(id, tool string, args any) *Turn { return new(Turn).CallID(id, tool, args) }

// Block begins a turn with a block in the Anthropic API's own JSON.
func Block(raw string) *Turn { return new(Turn).Block(raw) }

// Fail is a turn that fails before anything was said. A [Server] answers with
// the status and the error envelope that belong to err: its Status and Code, or
// those of its Kind. ErrTransport closes the connection instead, and
// ErrProtocol sends a page that is not JSON.
func Fail(err *model.Error) *Turn { return &Turn{parts: []part{{fail: err}}} }

// RateLimited is a turn that fails with HTTP 429 and asks to wait.
func RateLimited(retryAfter time.Duration) *Turn {
	return Fail(&model.Error{Kind: model.ErrRateLimited, Message: "This request would exceed your organization's rate limit.", RetryAfter: retryAfter})
}

// Overloaded is a turn that fails with HTTP 529.
func Overloaded() *Turn {
	return Fail(&model.Error{Kind: model.ErrOverloaded, Message: "Overloaded"})
}

// Hang is a turn that says nothing until the caller gives up; see [Turn.Hang].
func Hang() *Turn { return new(Turn).Hang() }

// Stop begins a turn (an empty one, if nothing is added) with its stop reason.
func Stop(reason model.StopReason) *Turn { return new(Turn).Stop(reason) }

// Func answers this and all further calls with what respond returns for the
// request. Where respond returns no turn and no error, the script goes on behind
// the Func. It is called by many goroutines at once if the model is.
func Func(respond func(ctx context.Context, req *model.Request) (*Turn, error)) *Turn {
	return &Turn{respond: respond}
}

// EachConversation plays the turns from the first on in every conversation: a
// call is answered by the turn whose number is the count of assistant messages
// in its history. It keeps no state, so a conversation may be resumed, forked or
// run beside others.
func EachConversation(turns ...*Turn) *Turn {
	return Func(func(_ context.Context, req *model.Request) (*Turn, error) {
		n := 0
		for _, m := range req.Messages {
			if m.Role == model.RoleAssistant {
				n++
			}
		}
		if n >= len(turns) {
			return nil, endError(len(turns), n+1)
		}
		return turns[n], nil
	})
}

// ToolResults counts the tool results in the history of a request.
func ToolResults(req *model.Request) int {
	n := 0
	for _, m := range req.Messages {
		for _, b := range m.Blocks {
			if _, ok := b.(*model.ToolResult); ok {
				n++
			}
		}
	}
	return n
}

// Say adds a text.
func (t *Turn) Say(text string) *Turn {
	if text == "" {
		return t
	}
	return t.add(part{block: &model.Text{Text: text}})
}

// Think adds reasoning.
func (t *Turn) Think(text, signature string) *Turn {
	return t.add(part{block: &model.Thinking{Text: text, Signature: signature}})
}

// Call adds a tool call. Its arguments are anything that encoding/json can
// encode; nil is no arguments, and a string, []byte or json.RawMessage is JSON as
// it is, which may be broken: such a call is Incomplete. The id is made from the
// conversation: the same history gives the same id.
func (t *Turn) Call(tool string, args any) *Turn { return t.CallID("", tool, args) }

// CallID adds a tool call with an id.
func (t *Turn) CallID(id, tool string, args any) *Turn {
	var text string
	switch a := args.(type) {
	case nil:
		text = "{}"
	case string:
		text = a
	case []byte:
		text = string(a)
	case json.RawMessage:
		text = string(a)
	default:
		data, err := json.Marshal(a)
		if err != nil {
			t.err = fmt.Errorf("encode the arguments of %s: %w", tool, err)
		}
		text = string(data)
	}
	use := &model.ToolUse{ID: id, Name: tool, Input: json.RawMessage(text)}
	if !json.Valid(use.Input) {
		use.Incomplete = true
		use.Input, _ = json.Marshal(text)
	}
	return t.add(part{block: use, input: text})
}

// Block adds a block in the Anthropic API's own JSON, of any type, known or not.
func (t *Turn) Block(raw string) *Turn {
	b, err := decodeBlock(json.RawMessage(raw))
	if err != nil {
		t.err = fmt.Errorf("decode block: %w", err)
		return t
	}
	p := part{block: b}
	switch b := b.(type) {
	case *model.ToolUse:
		p.input = string(b.Input)
	case *model.ToolResult:
		t.err = errors.New("a tool_result is for the caller to give, not for the model to say")
	}
	return t.add(p)
}

// Event adds an event that is no part of a block, such as one of a type that no
// client knows yet. Raw is a JSON object with a "type".
func (t *Turn) Event(raw string) *Turn {
	if !json.Valid([]byte(raw)) {
		t.err = fmt.Errorf("event is not JSON: %s", raw)
	}
	return t.add(part{event: json.RawMessage(raw)})
}

// FailInStream ends the turn with an error after what was added so far: a
// [Server] reports it as an event inside a stream whose status was 200.
func (t *Turn) FailInStream(err *model.Error) *Turn {
	if len(t.parts) == 0 {
		// An event makes it a stream that has begun.
		t.add(part{event: json.RawMessage(`{"type": "ping"}`)})
	}
	return t.add(part{fail: err})
}

// Hang makes the turn wait, after what was added so far, until the caller's
// context is done or its connection is closed.
func (t *Turn) Hang() *Turn {
	if t.parked == nil {
		// More calls than this at once lose signals, not calls.
		t.parked, t.left = make(chan struct{}, 4096), make(chan struct{}, 4096)
	}
	return t.add(part{hang: true})
}

// Parked yields one value for each call that hangs in this turn; nil if the turn
// does not hang.
func (t *Turn) Parked() <-chan struct{} { return t.parked }

// Left yields one value for each hanging call whose caller has left.
func (t *Turn) Left() <-chan struct{} { return t.left }

// Stop sets why the turn ends. Defaults to StopToolUse where it has a call and to
// StopEndTurn where it has none.
func (t *Turn) Stop(reason model.StopReason) *Turn {
	t.stop = reason
	return t
}

// StopAt sets the stop sequence that was met.
func (t *Turn) StopAt(sequence string) *Turn {
	t.stop, t.stopSequence = model.StopSequence, sequence
	return t
}

// Refuse makes the turn a refusal. Details is the provider's explanation, a JSON
// object or empty.
func (t *Turn) Refuse(details string) *Turn {
	t.stop = model.StopRefusal
	if details != "" {
		t.stopDetails = json.RawMessage(details)
		if !json.Valid(t.stopDetails) {
			t.err = fmt.Errorf("stop details are not JSON: %s", details)
		}
	}
	return t
}

// Usage sets what the turn costs. Defaults to a token for each four bytes.
func (t *Turn) Usage(u model.Usage) *Turn {
	t.usage = &u
	if u.Raw != nil && !json.Valid(u.Raw) {
		t.err = fmt.Errorf("raw usage is not JSON: %s", u.Raw)
	}
	return t
}

// After makes the turn wait before it begins.
func (t *Turn) After(d time.Duration) *Turn {
	t.delay = d
	return t
}

// Header adds an HTTP header to the answer of a [Server].
func (t *Turn) Header(name, value string) *Turn {
	if t.header == nil {
		t.header = http.Header{}
	}
	t.header.Add(name, value)
	return t
}

// Cut breaks the connection in the middle of the turn, between two events.
func (t *Turn) Cut() *Turn { return t.cutAt(cut{where: cutMiddle}) }

// CutAt breaks the connection of a [Server] after n bytes of the body. A
// [Scripted] has no bytes and breaks in the middle, here and below.
func (t *Turn) CutAt(n int) *Turn { return t.cutAt(cut{where: cutByte, at: n}) }

// CutInRune breaks the connection inside the first character that is longer than
// one byte.
func (t *Turn) CutInRune() *Turn { return t.cutAt(cut{where: cutRune}) }

// CutInEvent breaks the connection inside an event that is half written.
func (t *Turn) CutInEvent() *Turn { return t.cutAt(cut{where: cutEvent}) }

// EndEarly ends the body in the middle of the turn without an error of the
// connection, as some proxies do.
func (t *Turn) EndEarly() *Turn { return t.cutAt(cut{where: cutClean}) }

func (t *Turn) cutAt(c cut) *Turn {
	t.cut = c
	return t
}

func (t *Turn) add(p part) *Turn {
	t.parts = append(t.parts, p)
	return t
}

// hang blocks until done is closed, and tells so.
func (t *Turn) hang(done <-chan struct{}) {
	signal(t.parked)
	<-done
	signal(t.left)
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
