package mcp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The waits before a server that keeps failing is tried again: none after the
// first failure, then minBackoff, doubled up to maxBackoff.
const (
	minBackoff = 500 * time.Millisecond
	maxBackoff = time.Minute
)

// ErrClosed is returned for what is asked of servers after Close.
var ErrClosed = errors.New("the MCP servers are closed")

// server is one server, through all of its connections.
type server struct {
	name    string
	cfg     Server
	own     *Servers
	secrets *redactor
	tap     tap

	mu sync.Mutex
	// live is the connection, nil where there is none. dialing is closed when an
	// attempt that is under way has ended.
	live    *link
	dialing chan struct{}
	state   State
	err     error
	closed  bool
	// failures counts deaths and failed attempts since the last call that worked;
	// before retryAt there is no attempt.
	failures int
	retryAt  time.Time
	// tools is the last list, stale tells that the server has another one.
	tools []*sdk.Tool
	stale bool
	// onStale is for tests: it is told of stale.
	onStale func()
}

// link is one connection.
type link struct {
	session *sdk.ClientSession
	process *process // nil where there is none
	tail    *tail
	// ctx ends when the connection is given up, with a cause.
	ctx    context.Context
	cancel context.CancelCauseFunc
	// down is closed when the connection has ended and the server knows of it.
	down    chan struct{}
	release []func()
}

func newServer(name string, cfg Server, own *Servers) (*server, error) {
	cfg, err := cfg.fill()
	if err == nil && name == "" {
		err = errors.New("it has no name")
	}
	if err != nil {
		return nil, fmt.Errorf("mcp: server %q: %w", name, err)
	}
	s := &server{name: name, cfg: cfg, own: own, secrets: cfg.redactor(), state: Pending}
	if own.cfg.OnProgress != nil {
		s.tap.onProgress = s.progress
	}
	return s, nil
}

// bind returns a context that ends with ctx and with the connection.
func (l *link) bind(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(l.ctx, func() { cancel(context.Cause(l.ctx)) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// connection returns a connection, and makes one where there is none. Of several
// callers, one does and the others wait for it.
func (s *server) connection(ctx context.Context) (*link, error) {
	for {
		s.mu.Lock()
		switch {
		case s.closed:
			s.mu.Unlock()
			return nil, ErrClosed
		case s.live != nil:
			defer s.mu.Unlock()
			return s.live, nil
		case s.dialing != nil:
			wait := s.dialing
			s.mu.Unlock()
			select {
			case <-wait:
				continue
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}
		if wait := s.retryAt.Sub(s.own.now()); wait > 0 {
			defer s.mu.Unlock()
			return nil, fmt.Errorf("it is down (%w) and is tried again in %v", s.err, wait.Round(100*time.Millisecond))
		}
		s.dialing, s.state = make(chan struct{}), Pending
		s.mu.Unlock()
		return s.attempt(ctx)
	}
}

// attempt connects; the caller has set dialing.
func (s *server) attempt(ctx context.Context) (*link, error) {
	l, tools, err := s.dial(ctx)
	s.mu.Lock()
	if err == nil && s.closed {
		s.mu.Unlock()
		l.close(ErrClosed)
		s.mu.Lock()
		err = ErrClosed
	}
	defer s.mu.Unlock()
	close(s.dialing)
	s.dialing = nil
	switch {
	case err == nil:
		s.live, s.state, s.err, s.tools = l, Connected, nil, tools
		s.own.wait.Go(func() { s.watch(l) })
		return l, nil
	case s.closed:
		return nil, ErrClosed
	}
	s.state, s.err = Failed, err
	if ctx.Err() == nil { // otherwise it was not the server that failed
		s.failed()
	}
	return nil, err
}

// failed sets the time of the next attempt; the caller holds the lock.
func (s *server) failed() {
	s.failures++
	if s.failures > 1 {
		s.retryAt = s.own.now().Add(min(maxBackoff, minBackoff<<min(s.failures-2, 10)))
	}
}

// worked notes a call that the server answered.
func (s *server) worked() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures, s.retryAt = 0, time.Time{}
}

func (s *server) markStale() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stale = true
	if s.onStale != nil {
		s.onStale()
	}
}

// dial starts the server, waits for it to be ready and lists its tools.
func (s *server) dial(ctx context.Context) (*link, []*sdk.Tool, error) {
	l := &link{tail: &tail{server: s.name, secrets: s.secrets, log: s.own.cfg.Logger}, down: make(chan struct{})}
	// The context lives as long as the connection: the SDK's event streams end
	// with the one that they were opened with.
	l.ctx, l.cancel = context.WithCancelCause(context.Background())
	late := time.AfterFunc(s.cfg.ConnectTimeout, func() { l.cancel(fmt.Errorf("it was not ready within %v", s.cfg.ConnectTimeout)) })
	defer late.Stop()
	for _, outer := range []context.Context{ctx, s.own.ctx} {
		stop := context.AfterFunc(outer, func() { l.cancel(context.Cause(outer)) })
		defer stop()
	}
	tools, err := s.open(l)
	if l.ctx.Err() != nil {
		err = context.Cause(l.ctx)
	}
	if err != nil {
		l.close(err)
		return nil, nil, s.explain(l, err)
	}
	return l, tools, nil
}

func (s *server) open(l *link) ([]*sdk.Tool, error) {
	transport, err := s.transport(l)
	if err != nil {
		return nil, err
	}
	l.session, err = s.client(l).Connect(l.ctx, transport, &sdk.ClientSessionOptions{ProtocolVersion: s.cfg.Protocol})
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.stale = false // what is told from here on is newer than the list
	s.mu.Unlock()
	return list(l.ctx, l)
}

// transport starts what the connection goes over.
func (s *server) transport(l *link) (sdk.Transport, error) {
	switch {
	case s.cfg.open != nil:
		pipe, err := s.cfg.open(l.ctx)
		if err != nil {
			return nil, err
		}
		l.release = append(l.release, func() { _ = pipe.Close() })
		return newLineConn(pipe, &s.tap, l.tail.noise), nil
	case s.cfg.Transport == Stdio:
		var err error
		if l.process, err = start(&s.cfg, l.tail); err != nil {
			return nil, err
		}
		l.release = append(l.release, func() { _ = l.process.Close() })
		return newLineConn(l.process, &s.tap, l.tail.noise), nil
	}
	t, closeIdle := remote(&s.cfg, &s.tap)
	l.release = append(l.release, closeIdle)
	return t, nil
}

// list lists the tools of a server that has some.
func list(ctx context.Context, l *link) ([]*sdk.Tool, error) {
	if caps := l.session.InitializeResult().Capabilities; caps == nil || caps.Tools == nil {
		return nil, nil
	}
	var tools []*sdk.Tool
	for t, err := range l.session.Tools(ctx, nil) {
		if err != nil {
			return nil, fmt.Errorf("list its tools: %w", err)
		}
		tools = append(tools, t)
	}
	return tools, nil
}

// watch waits for the end of a connection.
func (s *server) watch(l *link) {
	defer close(l.down)
	err := l.session.Wait()
	if err == nil {
		err = errors.New("it ended the connection")
	}
	l.close(err)
	err = s.explain(l, err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live = nil
	if !s.closed {
		s.state, s.err = Failed, err
		s.failed()
	}
}

// close gives up a connection and waits for its process.
func (l *link) close(cause error) {
	l.cancel(cause)
	if l.session != nil {
		// A callback that does not return keeps the session from closing.
		stop := time.AfterFunc(5*time.Second, l.free)
		_ = l.session.Close()
		stop.Stop()
	}
	l.free()
}

func (l *link) free() {
	for _, f := range l.release {
		f()
	}
}

// explain adds to err how the server's process ended and what it wrote last, and
// takes the secrets out.
func (s *server) explain(l *link, err error) error {
	text := err.Error()
	if l.process != nil {
		if how := l.process.ended(); how != "" {
			text += " (" + how + ")"
		}
	}
	return &serverError{text: s.secrets.clean(text + l.tail.String()), err: err}
}

// serverError is an error whose text has no secrets, and that keeps what it is.
type serverError struct {
	text string
	err  error
}

func (e *serverError) Error() string { return e.text }

// Is tells of sentinels; the chain is not unwrapped, since its texts may have
// secrets.
func (e *serverError) Is(target error) bool { return errors.Is(e.err, target) }

// end closes the server for good.
func (s *server) end() {
	s.mu.Lock()
	s.closed, s.state, s.err = true, Closed, nil
	l, dialing := s.live, s.dialing
	s.mu.Unlock()
	if dialing != nil { // which ends soon, since the servers' context has
		<-dialing
	}
	if l != nil {
		l.close(ErrClosed)
		<-l.down
	}
}
