package modeltest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quarry-sdk/quarry/model"
)

// Loop is the answer of [ToolLoop]. Its fields are set before its first use.
type Loop struct {
	// Delay is the time before each answer. Defaults to none.
	Delay time.Duration
	// Input gives the arguments of the call of a step, counted from 1. Defaults to
	// {"step": 1} and so on, so that no call is the same as the one before.
	Input func(step int) any
	// ParkAt makes the n-th request of each conversation (the one with n-1 tool
	// results) wait until Release. Defaults to 0: none does.
	ParkAt int

	steps       int
	tool, final string

	wires [3]loopWire

	finals, requests, results atomic.Int64

	mu      sync.Mutex
	parked  int
	changed chan struct{} // closed and replaced when parked changes
	release chan struct{}
	open    bool
}

// ToolLoop asks for a call of the tool until the conversation has as many tool
// results as there are steps, then says final. It is made for benchmarks that run
// in its own process: it looks for tool results in the bytes of a request, checks
// and keeps nothing of it, and sends bytes that were made before. The ids of its
// calls are the same in each conversation. It speaks the API that the end of the
// request's path names, as a [Server] does; the Anthropic Messages API for others.
func ToolLoop(steps int, tool, final string) *Loop {
	return &Loop{steps: steps, tool: tool, final: final, changed: make(chan struct{}), release: make(chan struct{})}
}

// Requests is the number of requests that came.
func (l *Loop) Requests() int64 { return l.requests.Load() }

// ToolResults is the number of tool results in all requests together.
func (l *Loop) ToolResults() int64 { return l.results.Load() }

// Finals is the number of requests that were answered with the final text.
func (l *Loop) Finals() int64 { return l.finals.Load() }

// Parked is the number of requests that wait at the moment.
func (l *Loop) Parked() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.parked
}

// WaitParked returns when n requests wait, or with the cause of ctx.
func (l *Loop) WaitParked(ctx context.Context, n int) error {
	for {
		l.mu.Lock()
		parked, changed := l.parked, l.changed
		l.mu.Unlock()
		if parked >= n {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-changed:
		}
	}
}

// Release lets all requests go on, those that come later too.
func (l *Loop) Release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.open {
		l.open = true
		close(l.release)
	}
}

// park waits for Release; false if ctx was done first.
func (l *Loop) park(ctx context.Context) bool {
	l.count(1)
	defer l.count(-1)
	select {
	case <-ctx.Done():
		return false
	case <-l.release:
		return true
	}
}

func (l *Loop) count(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.parked += n
	close(l.changed)
	l.changed = make(chan struct{})
}

// ServeHTTP implements [http.Handler] for any path.
func (l *Loop) ServeHTTP(w http.ResponseWriter, r *http.Request) { l.serve(w, r, 0) }

// serve waits for delay in addition to its own. It does so behind the body, since
// a server notices that a client has left only once the body was read.
func (l *Loop) serve(w http.ResponseWriter, r *http.Request, delay time.Duration) {
	api := loopAPIOf(r.URL.Path)
	wire := &l.wires[api]
	wire.prepare.Do(func() { wire.build(l, api) })
	results, stream, err := scan(r.Body, loopAPIs[api].result)
	if err != nil {
		panic(http.ErrAbortHandler) // the client broke off
	}
	l.requests.Add(1)
	l.results.Add(int64(results))
	if l.ParkAt > 0 && results == l.ParkAt-1 && !l.park(r.Context()) {
		panic(http.ErrAbortHandler)
	}
	if !wait(r.Context(), l.Delay+delay) {
		panic(http.ErrAbortHandler)
	}
	step := min(results, l.steps)
	if step == l.steps {
		l.finals.Add(1)
	}
	h := w.Header()
	body := wire.json[step]
	if stream {
		body = wire.stream[step]
		h["Content-Type"], h["Content-Length"] = streamType, wire.length[1][step:step+1:step+1]
	} else {
		h["Content-Type"], h["Content-Length"] = jsonType, wire.length[0][step:step+1:step+1]
	}
	_, _ = w.Write(body)
}

var (
	jsonType   = []string{"application/json"}
	streamType = []string{"text/event-stream; charset=utf-8"}
)

// turn is the turn of a step.
func (l *Loop) turn(step int) *Turn {
	if step == l.steps {
		return Say(l.final)
	}
	var input any = map[string]int{"step": step + 1}
	if l.Input != nil {
		input = l.Input(step + 1)
	}
	turn := CallID(fmt.Sprintf("toolu_loop_%d", step+1), l.tool, input)
	if turn.err != nil {
		panic(fmt.Sprintf("modeltest: step %d: %v", step+1, turn.err))
	}
	return turn
}

// loopWire is what a loop says in one API.
type loopWire struct {
	prepare sync.Once
	json    [][]byte // by the number of tool results
	stream  [][]byte
	length  [2][]string // of json and stream, as header values
}

// build makes the bytes of all answers.
func (w *loopWire) build(l *Loop, api int) {
	for step := range l.steps + 1 {
		turn := l.turn(step)
		turn.Usage(model.Usage{InputTokens: 100, OutputTokens: 20})
		resp, parts := turn.answer("modeltest", &model.Request{})
		resp.ID = fmt.Sprintf("msg_loop_%d", step+1)
		whole, frames := loopAPIs[api].encode(resp, parts)
		var stream []byte
		for _, f := range frames {
			stream = append(stream, f.data...)
		}
		w.json = append(w.json, whole)
		w.stream = append(w.stream, stream)
		w.length[0] = append(w.length[0], strconv.Itoa(len(whole)))
		w.length[1] = append(w.length[1], strconv.Itoa(len(stream)))
	}
}

// loopAPIs are the APIs that a loop speaks: how their paths end, what each tool
// result in a request has, and how an answer is written.
var loopAPIs = [3]struct {
	path   string
	result []byte
	encode func(resp *model.Response, parts []part) (whole []byte, stream []frame)
}{
	{"/messages", []byte(`"tool_result"`), func(resp *model.Response, parts []part) ([]byte, []frame) {
		return encodeResponse(resp), encodeStream(resp, parts, 0)
	}},
	{responsesPath, []byte(`"function_call_output"`), func(resp *model.Response, parts []part) ([]byte, []frame) {
		return encode(finalResponse(resp)), responsesStream(resp, parts, 0)
	}},
	{chatPath, []byte(`"role":"tool"`), func(resp *model.Response, parts []part) ([]byte, []frame) {
		a := &chatAnswer{resp: resp, parts: parts, usage: true}
		return encode(a.whole()), a.stream()
	}},
}

func loopAPIOf(path string) int {
	for i := range loopAPIs {
		if strings.HasSuffix(path, loopAPIs[i].path) {
			return i
		}
	}
	return 0
}

// How a request asks for a stream. Inside of a JSON string the quotes would be
// escaped, so that no text of a conversation is taken for one of these.
var (
	needleStream  = []byte(`"stream":true`)
	needleStream2 = []byte(`"stream": tru`)
)

var scanBuffers = sync.Pool{New: func() any { return new([64 << 10]byte) }}

// scan counts the needles of tool results in a request and tells whether it asks for
// a stream. Of a full buffer it keeps a byte less than a needle, so that none is
// missed and none seen twice; a needle is not shorter than those of a stream.
func scan(body io.Reader, needle []byte) (results int, stream bool, err error) {
	buf := scanBuffers.Get().(*[64 << 10]byte)
	defer scanBuffers.Put(buf)
	kept := 0
	for {
		n, err := body.Read(buf[kept:])
		if n > 0 {
			data := buf[:kept+n]
			results += bytes.Count(data, needle)
			stream = stream || bytes.Contains(data, needleStream) || bytes.Contains(data, needleStream2)
			kept = min(len(data), len(needle)-1)
			copy(buf[:], data[len(data)-kept:])
		}
		if err == io.EOF {
			return results, stream, nil
		}
		if err != nil {
			return 0, false, err
		}
	}
}
