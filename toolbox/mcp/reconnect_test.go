package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// clock is a time that tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// A server that keeps failing is tried at growing intervals; a call that works
// ends that.
func TestBackoff(t *testing.T) {
	t.Parallel()
	srv := memory()
	tool(srv, "hello", func(context.Context, *sdk.CallToolRequest) (string, error) { return "hello", nil })
	up, dials := true, 0
	var mu sync.Mutex
	open := opener(srv)
	cl := &clock{now: time.Unix(1e9, 0)}
	ss := connect(t, Config{})
	ss.now = cl.Now
	var last stream
	err := ss.attach(t.Context(), "m", Server{open: func(ctx context.Context) (stream, error) {
		mu.Lock()
		defer mu.Unlock()
		dials++
		if !up {
			return nil, errors.New("nobody is here")
		}
		var err error
		last, err = open(ctx)
		return last, err
	}})
	if err != nil {
		t.Fatal(err)
	}
	call := texts(t, ss)
	set := func(v bool) {
		mu.Lock()
		defer mu.Unlock()
		up = v
		_ = last.Close()
	}
	dialled := func() int {
		mu.Lock()
		defer mu.Unlock()
		return dials
	}
	s, err := ss.find("m")
	if err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	down := s.live.down
	s.mu.Unlock()
	set(false)
	await(t, "the end of the connection", down)
	wait := minBackoff
	for i := range 9 {
		// The next call tries at once.
		if got := call("mcp__m__hello", struct{}{}); !strings.Contains(got, "nobody is here") || strings.Contains(got, "tried again") || dialled() != i+2 {
			t.Fatalf("attempt %d: %d dials, %q", i, dialled(), got)
		}
		// Another one before its time does not.
		cl.move(wait - time.Millisecond)
		if got := call("mcp__m__hello", struct{}{}); !strings.Contains(got, "is tried again in") || dialled() != i+2 {
			t.Fatalf("attempt %d: %d dials, %q", i, dialled(), got)
		}
		cl.move(time.Millisecond)
		wait = min(2*wait, maxBackoff)
	}
	set(true)
	if got := call("mcp__m__hello", struct{}{}); got != "hello" {
		t.Errorf("got %q", got)
	}
	s.mu.Lock()
	down = s.live.down
	s.mu.Unlock()
	set(true)
	await(t, "the end of the connection", down)
	if got := call("mcp__m__hello", struct{}{}); got != "hello" {
		t.Errorf("after another end: %q", got)
	}
	set(false)
	call("mcp__m__hello", struct{}{}) // finds it gone or sees it go
	set(true)
	if err := ss.Reconnect(t.Context(), "m"); err != nil {
		t.Error(err)
	}
	if err := ss.Reconnect(t.Context(), "x"); err == nil || !strings.Contains(err.Error(), `there is no MCP server "x"; there are ["m"]`) {
		t.Errorf("error %v", err)
	}
}

// Several calls that find the server gone start it once.
func TestReconnectOnce(t *testing.T) {
	t.Parallel()
	r := &raw{results: map[string]string{"t": `{"content":[{"type":"text","text":"ok"}]}`}}
	server := r.server()
	open := server.open
	var mu sync.Mutex
	var dials int
	var last stream
	server.open = func(ctx context.Context) (stream, error) {
		mu.Lock()
		defer mu.Unlock()
		dials++
		var err error
		last, err = open(ctx)
		return last, err
	}
	ss := connect(t, Config{Servers: map[string]Server{"s": server}})
	s, err := ss.find("s")
	if err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	down := s.live.down
	s.mu.Unlock()
	mu.Lock()
	_ = last.Close()
	mu.Unlock()
	await(t, "the end of the connection", down)
	var wait sync.WaitGroup
	for range 10 {
		wait.Go(func() {
			out, err := s.call(t.Context(), "t", json.RawMessage(`{}`))
			if out != "ok" || err != nil {
				t.Errorf("%v, %v", out, err)
			}
		})
	}
	wait.Wait()
	mu.Lock()
	defer mu.Unlock()
	if dials != 2 {
		t.Errorf("%d dials", dials)
	}
}

// Closing ends what is being connected.
func TestCloseWhileConnecting(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 10)
	r := &raw{answer: func(_ *raw, method string, _, _ json.RawMessage) (string, bool) {
		asked <- struct{}{}
		return "", true
	}}
	ss := connect(t, Config{})
	done := make(chan error, 1)
	go func() { done <- ss.attach(t.Context(), "s", r.server()) }()
	await(t, "the first request", asked)
	_ = ss.Close()
	if err := await(t, "the end", done); !errors.Is(err, ErrClosed) {
		t.Errorf("error %v", err)
	}
}
