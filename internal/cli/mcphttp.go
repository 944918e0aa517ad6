package cli

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/pflag"
)

const (
	// mcpPath is where the protocol is spoken.
	mcpPath = "/mcp"
	// mcpTokenVar names the variable that holds the token of clients over HTTP.
	mcpTokenVar = "QUARRY_MCP_TOKEN"
	// mcpTokenBytes is the least length of the token.
	mcpTokenBytes = 16

	flagHTTP   = "http"
	flagRemote = "allow-remote"
)

const (
	// mcpIdle ends sessions of clients that went away without a word.
	mcpIdle = 24 * time.Hour
	// mcpGrace is the time that requests have to end when the server does.
	mcpGrace = 10 * time.Second
)

// mcpWeb says how MCP is served over HTTP.
type mcpWeb struct {
	// addr is empty for stdio.
	addr   string
	remote bool
}

func (w *mcpWeb) register(set *pflag.FlagSet) {
	set.StringVar(&w.addr, flagHTTP, "", "serve over HTTP at this HOST:PORT, such as 127.0.0.1:8080, instead of stdin and stdout")
	set.BoolVar(&w.remote, flagRemote, false, "with --http: let other machines in; needs $"+mcpTokenVar)
}

// mcpPort is an open port.
type mcpPort struct {
	net.Listener
	// local tells that only this machine reaches it.
	local bool
	// token is what clients must send, empty for nothing.
	token string
}

// open opens the port.
func (w *mcpWeb) open(ctx context.Context) (*mcpPort, error) {
	token := os.Getenv(mcpTokenVar)
	if token != "" && (len(token) < mcpTokenBytes || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' })) {
		return nil, usagef("%s must have at least %d letters, digits or signs and no blanks; make one with: openssl rand -hex 32", mcpTokenVar, mcpTokenBytes)
	}
	addr, err := net.ResolveTCPAddr("tcp", w.addr)
	if err != nil {
		return nil, usagef("--%s is %q: %w; give HOST:PORT, such as 127.0.0.1:8080", flagHTTP, w.addr, err)
	}
	local := addr.IP.IsLoopback()
	switch {
	case local:
	case !w.remote:
		return nil, usagef("--%s %s would let other machines in; use 127.0.0.1, or add --%s", flagHTTP, w.addr, flagRemote)
	case token == "":
		return nil, usagef("--%s needs a token that clients must send; set %s", flagRemote, mcpTokenVar)
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", addr.String())
	if err != nil {
		return nil, usagef("--%s %s: %w; choose another port", flagHTTP, w.addr, err)
	}
	return &mcpPort{listener, local, token}, nil
}

// serveHTTP serves clients at a port until ctx ends.
func (s *mcpServer) serveHTTP(ctx context.Context, port *mcpPort) error {
	server := s.newSDK(ctx) // whose calls end with ctx
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Logger: s.log, SessionTimeout: mcpIdle})
	mux := http.NewServeMux()
	mux.Handle(mcpPath, mcpGuard(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Method == http.MethodDelete {
			s.calls.end(req.Header.Get("Mcp-Session-Id"))
		}
		handler.ServeHTTP(w, req)
	}), port.local, port.token))
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	s.log.Info("listening", "url", "http://"+port.Addr().String()+mcpPath)
	served := make(chan error, 1)
	go func() { served <- srv.Serve(port) }()
	select {
	case err := <-served:
		return fmt.Errorf("serve at %s: %w", port.Addr(), err)
	case <-ctx.Done():
	}
	return s.shutDown(srv, server, served)
}

// shutDown takes no more calls and waits for those under way, which have been told to end.
func (s *mcpServer) shutDown(srv *http.Server, server *mcp.Server, served <-chan error) error {
	ctx, cancel := context.WithTimeout(context.Background(), mcpGrace)
	defer cancel()
	down := make(chan error, 1)
	go func() { down <- srv.Shutdown(ctx) }()
	<-served // the port is closed
	for session := range server.Sessions() {
		session.Close() // waits for its calls
	}
	if err := <-down; err != nil {
		_ = srv.Close()
		return fmt.Errorf("close the connections: %w", err)
	}
	for session := range server.Sessions() { // what came in the meantime
		session.Close()
	}
	return nil
}

// mcpGuard lets in who may use the server. A page in a browser on this machine may
// not: it sends its origin, and where its name was bound to this address, the name.
func mcpGuard(next http.Handler, local bool, token string) http.Handler {
	want := sha256.Sum256([]byte(token))
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		refuse := func(status int, format string, args ...any) {
			http.Error(w, fmt.Sprintf(format, args...), status)
		}
		if local && !isLoopback(req.Host) {
			refuse(http.StatusForbidden, "the host %q is not this machine; use 127.0.0.1 or localhost", req.Host)
			return
		}
		if origin := req.Header.Get("Origin"); origin != "" && origin != "http://"+req.Host && origin != "https://"+req.Host {
			refuse(http.StatusForbidden, "pages of the origin %q may not use this server", origin)
			return
		}
		if token != "" {
			scheme, sent, _ := strings.Cut(req.Header.Get("Authorization"), " ")
			got := sha256.Sum256([]byte(sent))
			if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
				w.Header().Set("WWW-Authenticate", "Bearer")
				refuse(http.StatusUnauthorized, "the token is missing or wrong; send the value of %s as Authorization: Bearer", mcpTokenVar)
				return
			}
		}
		next.ServeHTTP(w, req)
	})
}

// isLoopback tells whether a host, with a port or without, is this machine alone.
func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
