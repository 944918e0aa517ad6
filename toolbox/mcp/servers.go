package mcp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quarry-sdk/quarry"
)

// maxDials is how many servers are started at the same time.
const maxDials = 8

// State is where a server stands.
type State string

// The states.
const (
	// Pending servers are being connected.
	Pending State = "pending"
	// Connected servers answer.
	Connected State = "connected"
	// Failed servers could not be connected, or have ended. The next call of one
	// of their tools tries again.
	Failed State = "failed"
	// Closed servers were closed by Close.
	Closed State = "closed"
)

// Status tells of one server.
type Status struct {
	// Name is the server's name in Config, State where it stands.
	Name  string
	State State
	// Err says why it is Failed. It has the last lines that the server wrote, and
	// none of the secrets of its Server.
	Err error
	// Tools is the number of its tools.
	Tools int
	// Server is what the server says it is, Protocol the version that is spoken
	// and Instructions what the server would have the model know: data, that an
	// author may put into a prompt. They are empty where it is not connected.
	Server       sdk.Implementation
	Protocol     string
	Instructions string
}

// Servers are the connections to a set of servers.
type Servers struct {
	cfg Config
	now func() time.Time
	// ctx ends with Close.
	ctx    context.Context
	cancel context.CancelCauseFunc
	// wait waits for the goroutines of the connections.
	wait sync.WaitGroup

	mu      sync.Mutex
	servers map[string]*server
	closed  bool
}

// Connect connects to all servers at the same time and waits until each is ready
// or has failed. A required one that fails is an error, with the last lines that
// it wrote, and closes the others; of the rest, Status tells. Close the result.
func Connect(ctx context.Context, cfg Config) (*Servers, error) {
	if cfg.Client.Name == "" {
		cfg.Client.Name = "quarry"
	}
	if cfg.Client.Version == "" {
		cfg.Client.Version = "1"
	}
	ss := &Servers{cfg: cfg, now: time.Now, servers: make(map[string]*server)}
	ss.ctx, ss.cancel = context.WithCancelCause(context.Background())
	for _, name := range slices.Sorted(maps.Keys(cfg.Servers)) {
		s, err := newServer(name, cfg.Servers[name], ss)
		if err != nil {
			return nil, err
		}
		ss.servers[name] = s
	}
	ss.cfg.Servers = nil
	errs := make([]error, len(ss.servers))
	slots := make(chan struct{}, maxDials)
	var wait sync.WaitGroup
	for i, s := range ss.sorted() {
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if _, err := s.connection(ctx); err != nil && s.cfg.Required {
				errs[i] = fmt.Errorf("mcp: connect to required server %q: %w", s.name, err)
			}
		})
	}
	wait.Wait()
	err := errors.Join(errs...)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, ss.Close())
	}
	return ss, nil
}

// Attach connects to a server in this process. Its tools are named as those of
// other servers.
func (ss *Servers) Attach(ctx context.Context, name string, srv *sdk.Server) error {
	if srv == nil {
		return fmt.Errorf("mcp: attach server %q: it is nil", name)
	}
	return ss.attach(ctx, name, Server{open: opener(srv)})
}

// opener connects to a server in this process.
func opener(srv *sdk.Server) func(context.Context) (stream, error) {
	return func(ctx context.Context) (stream, error) {
		here, there := net.Pipe()
		_, err := srv.Connect(ctx, &sdk.IOTransport{Reader: there, Writer: there, MaxLineLength: -1}, nil)
		return here, err
	}
}

// attach adds a server to a set that is connected.
func (ss *Servers) attach(ctx context.Context, name string, cfg Server) error {
	s, err := newServer(name, cfg, ss)
	if err != nil {
		return err
	}
	ss.mu.Lock()
	switch {
	case ss.closed:
		err = ErrClosed
	case ss.servers[name] != nil:
		err = errors.New("there is a server of this name")
	default:
		ss.servers[name] = s
	}
	ss.mu.Unlock()
	if err == nil {
		if _, err = s.connection(ctx); err != nil {
			ss.mu.Lock()
			delete(ss.servers, name)
			ss.mu.Unlock()
		}
	}
	if err != nil {
		return fmt.Errorf("mcp: attach server %q: %w", name, err)
	}
	return nil
}

// sorted returns the servers by name.
func (ss *Servers) sorted() []*server {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	var list []*server
	for _, name := range slices.Sorted(maps.Keys(ss.servers)) {
		list = append(list, ss.servers[name])
	}
	return list
}

// find returns the server of a name.
func (ss *Servers) find(name string) (*server, error) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	if s := ss.servers[name]; s != nil {
		return s, nil
	}
	return nil, fmt.Errorf("there is no MCP server %q; there are %q", name, slices.Sorted(maps.Keys(ss.servers)))
}

// Reconnect connects to a server that has failed, or does nothing where it is
// connected. It does not wait for the time of the next attempt.
func (ss *Servers) Reconnect(ctx context.Context, name string) error {
	s, err := ss.find(name)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.retryAt = time.Time{}
	s.mu.Unlock()
	if _, err := s.connection(ctx); err != nil {
		return fmt.Errorf("mcp: reconnect server %q: %w", name, err)
	}
	return nil
}

// Status tells of all servers, sorted by name.
func (ss *Servers) Status() []Status {
	var out []Status
	for _, s := range ss.sorted() {
		s.mu.Lock()
		st := Status{Name: s.name, State: s.state, Err: s.err, Tools: len(s.tools)}
		if s.live != nil {
			if info := s.live.session.InitializeResult(); info != nil {
				st.Protocol, st.Instructions = info.ProtocolVersion, info.Instructions
				if info.ServerInfo != nil {
					st.Server = *info.ServerInfo
				}
			}
		}
		s.mu.Unlock()
		out = append(out, st)
	}
	return out
}

// Tools returns the tools of all servers, sorted by name, and those that list and
// read resources where a server has some. The list does not change, and neither
// does that of an agent that was made with it: what a server has changed since is
// in the list that the next Tools returns. That one asks the servers which have
// said so, each for at most its ConnectTimeout; where one does not answer, its
// old list stands.
func (ss *Servers) Tools() []*quarry.Tool {
	var tools []*quarry.Tool
	seen := make(map[string]bool)
	for _, s := range ss.sorted() {
		for _, t := range s.current() {
			tool := s.tool(t)
			if name := tool.Spec().Name; !seen[name] {
				seen[name] = true
				tools = append(tools, tool)
			}
		}
	}
	tools = append(tools, ss.resourceTools()...)
	slices.SortFunc(tools, func(a, b *quarry.Tool) int {
		if a.Spec().Name < b.Spec().Name {
			return -1
		}
		return 1
	})
	return tools
}

// current returns the server's list of tools, asked for anew where it is stale.
func (s *server) current() []*sdk.Tool {
	s.mu.Lock()
	l, stale := s.live, s.stale
	s.stale = false
	tools := s.tools
	s.mu.Unlock()
	if l == nil || !stale {
		return tools
	}
	ctx, stop := context.WithTimeout(l.ctx, s.cfg.ConnectTimeout)
	defer stop()
	fresh, err := list(ctx, l)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.stale = true
		return s.tools
	}
	s.tools = fresh
	return fresh
}

// Close ends all connections and waits for the processes. Calls that are under
// way end with an error. It may be called more than once.
func (ss *Servers) Close() error {
	ss.mu.Lock()
	ss.closed = true
	ss.mu.Unlock()
	ss.cancel(ErrClosed)
	for _, s := range ss.sorted() {
		ss.wait.Go(s.end)
	}
	ss.wait.Wait()
	return nil
}
