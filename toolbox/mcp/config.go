package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"slices"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quarry-sdk/quarry"
)

// The defaults of a Server.
const (
	// DefaultConnectTimeout is how long a server may take to start and to list
	// its tools.
	DefaultConnectTimeout = 30 * time.Second
	// DefaultCallTimeout is how long one call may take.
	DefaultCallTimeout = quarry.DefaultToolTimeout
)

// The transports.
const (
	// Stdio starts the server as a process and talks over its stdin and stdout.
	Stdio = "stdio"
	// HTTP is streamable HTTP.
	HTTP = "http"
	// SSE is the older HTTP transport with an event stream.
	SSE = "sse"
)

// Config says which servers there are and what they may ask of the program. The
// zero value has no servers; they may be attached.
type Config struct {
	// Client is what servers are told of the program. Defaults to the name
	// "quarry".
	Client sdk.Implementation
	// DistrustHints ignores what servers say of their tools' effects: each tool is
	// then Exclusive and not repeated after a crash. Defaults to false: a tool with
	// a read-only hint is ReadOnly, one with an idempotent hint is Idempotent.
	DistrustHints bool
	// Elicit answers a server that asks the person something in the middle of a
	// call, while the call waits. It may be called by many goroutines. Defaults to
	// nil: the person of the run is asked, as by quarry.Call.Ask. The call is then
	// ended, and made again with the answer.
	Elicit func(ctx context.Context, ask *Elicitation) (*Answer, error)
	// Logger gets at debug level what servers write on stderr, and on stdout
	// beside the protocol. Defaults to nil: it is discarded.
	Logger *slog.Logger
	// OnProgress is told how far a call is. It is called before the next message
	// of the server is read, and must return soon. Defaults to nil.
	OnProgress func(Progress)
	// Sample lets servers with AllowSampling ask a model. Defaults to nil: that
	// is refused to all.
	Sample func(ctx context.Context, ask *Sampling) (*Sampled, error)
	// Servers are the servers by their names.
	Servers map[string]Server
}

// Server says how one server is reached. One of Command and URL is set.
type Server struct {
	// AllowSampling lets the server use Config.Sample. Defaults to false.
	AllowSampling bool
	// Args are the command's arguments.
	Args []string
	// CallTimeout bounds each call, and nothing else does. Defaults to
	// DefaultCallTimeout.
	CallTimeout time.Duration
	// Command is the program of a stdio server. It is run without a shell, in a
	// process group of its own.
	Command string
	// ConnectTimeout bounds the start: until the tools are listed. Defaults to
	// DefaultConnectTimeout.
	ConnectTimeout time.Duration
	// Dir is the folder that the command runs in. Defaults to the program's.
	Dir string
	// DistrustHints is Config.DistrustHints for this server alone.
	DistrustHints bool
	// Env is added to the few variables that a command inherits: HOME, PATH and
	// their like. What else is in the program's environment, such as keys, is not
	// passed on. The values are kept out of errors and logs.
	Env map[string]string
	// Headers go with every HTTP request to the host of URL, and to no other. The
	// values are kept out of errors and logs.
	Headers map[string]string
	// MaxResultBytes bounds how much of a result the model is shown. Defaults to
	// quarry.DefaultMaxResultBytes.
	MaxResultBytes int
	// Protocol is the version of the protocol to begin with, such as "2025-11-25".
	// Defaults to the newest; older servers are found out.
	Protocol string
	// Required makes Connect fail where the server does. Defaults to false: the
	// failure is in Status, and the server's tools are missing.
	Required bool
	// Roots are folders, or file: addresses, that the server is told to work in.
	// Defaults to none.
	Roots []string
	// Transport is Stdio, HTTP or SSE. Defaults to Stdio with a Command and to HTTP
	// with a URL.
	Transport string
	// URL is the address of an HTTP server.
	URL string

	// open connects to a server in this process.
	open func(ctx context.Context) (stream, error)
	// secrets are values that ParseConfig has put in.
	secrets []string
	// grace is how long a process may take to end, at each step.
	grace time.Duration
}

// LogValue keeps secrets out of logs.
func (s Server) LogValue() slog.Value { return slog.StringValue(s.String()) }

// String describes the server without its secrets.
func (s Server) String() string {
	switch {
	case s.open != nil:
		return "in memory"
	case s.Command != "":
		return s.redactor().clean(Stdio + " " + s.Command)
	}
	return s.redactor().clean(s.transport() + " " + hostOf(s.URL))
}

// GoString is String.
func (s Server) GoString() string { return s.String() }

func (s *Server) transport() string {
	switch {
	case s.Transport != "":
		return s.Transport
	case s.URL != "":
		return HTTP
	}
	return Stdio
}

// fill copies the server, checks it and fills in its defaults.
func (s Server) fill() (Server, error) {
	s.Args, s.Roots = slices.Clone(s.Args), slices.Clone(s.Roots)
	s.Env, s.Headers = maps.Clone(s.Env), maps.Clone(s.Headers)
	s.Transport = s.transport()
	if s.CallTimeout < 0 || s.ConnectTimeout < 0 || s.MaxResultBytes < 0 {
		return s, errors.New("a limit is negative")
	}
	if s.CallTimeout == 0 {
		s.CallTimeout = DefaultCallTimeout
	}
	if s.ConnectTimeout == 0 {
		s.ConnectTimeout = DefaultConnectTimeout
	}
	if s.MaxResultBytes == 0 {
		s.MaxResultBytes = quarry.DefaultMaxResultBytes
	}
	if s.grace == 0 {
		s.grace = 2 * time.Second
	}
	if s.open != nil {
		return s, nil
	}
	switch s.Transport {
	case Stdio:
		if s.Command == "" {
			return s, errors.New("it has no command; set Command, or URL for a server over HTTP")
		}
		if s.URL != "" || len(s.Headers) > 0 {
			return s, errors.New("a stdio server has no URL and no headers")
		}
	case HTTP, SSE:
		if s.Command != "" || len(s.Args) > 0 || len(s.Env) > 0 || s.Dir != "" {
			return s, fmt.Errorf("a server over %s has no command, arguments, environment and folder", s.Transport)
		}
		// The error of url.Parse has the address, which may hold a key.
		if u, err := url.Parse(s.URL); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return s, errors.New("its URL is not an absolute http or https address")
		}
	default:
		return s, fmt.Errorf("its transport %q is not known: use %q, %q or %q", s.Transport, Stdio, HTTP, SSE)
	}
	return s, nil
}

// hostOf is what may be shown of an address.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "?"
	}
	return u.Scheme + "://" + u.Host
}
