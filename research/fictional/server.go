package fictional

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/quarry-sdk/quarry/web/guard"
)

// Server is the web on a port of the loopback interface.
type Server struct {
	*Web
	server   *http.Server
	listener net.Listener
	done     sync.WaitGroup
}

// Listen serves the web on a free port of 127.0.0.1 until [Server.Close].
func Listen(c Config) (*Server, error) {
	w, err := New(c)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("serve the fictional web: %w", err)
	}
	s := &Server{Web: w, listener: l, server: &http.Server{Handler: w, ReadHeaderTimeout: 10 * time.Second}}
	s.done.Go(func() { s.server.Serve(l) })
	return s, nil
}

// Addr is the address of the server, such as "127.0.0.1:40123".
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Close ends the server and what it is answering.
func (s *Server) Close() error {
	err := s.server.Close()
	s.done.Wait()
	return err
}

// Guard is the configuration of a guard that reaches the hosts of the web and nothing
// else, under their own names at port 80. It needs no resolver of the system.
func (s *Server) Guard() guard.Config {
	return guard.Config{Allow: s.Hosts(), Dial: s.Dial, Resolver: resolver(s.Hosts())}
}

// Client returns a client that reaches the same hosts, such as for a provider of package
// search. It does not use the proxies of the environment.
func (s *Server) Client() *http.Client {
	return &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			host, port, err := net.SplitHostPort(address)
			if err != nil || !slices.Contains(s.Hosts(), strings.ToLower(host)) {
				return nil, fmt.Errorf("dial %s: it is not a host of the fictional web", address)
			}
			return s.Dial(ctx, network, net.JoinHostPort("127.0.0.1", port))
		},
	}}
}

// Dial connects to the server for port 80 of 127.0.0.1, and refuses any other address.
func (s *Server) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	if address != "127.0.0.1:80" {
		return nil, fmt.Errorf("dial %s: the fictional web is at port 80, without TLS", address)
	}
	var d net.Dialer
	return d.DialContext(ctx, network, s.Addr())
}

// resolver knows the hosts of the web.
type resolver []string

// LookupNetIP implements [guard.Resolver].
func (hosts resolver) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if name := strings.TrimSuffix(strings.ToLower(host), "."); slices.Contains(hosts, name) {
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}
