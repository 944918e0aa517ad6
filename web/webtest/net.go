package webtest

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/quarry-sdk/quarry/web/guard"
)

// Net is a network of hosts in memory, which speak HTTP without TLS on every port.
// It ends with the test.
type Net struct {
	mu      sync.Mutex
	sites   map[netip.Addr]*site
	names   map[string][][]netip.Addr
	dialled []string
	running sync.WaitGroup
}

// site is a host.
type site struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
	addr  netip.Addr
}

// NewNet returns a network without hosts.
func NewNet(t testing.TB) *Net {
	n := &Net{sites: make(map[netip.Addr]*site), names: make(map[string][][]netip.Addr)}
	t.Cleanup(n.close)
	return n
}

// Handle adds a host of a name and returns its address. A handler must come to an
// end when the context of its request does: the test waits for it.
func (n *Net) Handle(host string, h http.Handler) netip.Addr {
	n.mu.Lock()
	defer n.mu.Unlock()
	i := len(n.sites) + 1
	addr := netip.AddrFrom4([4]byte{45, 33, byte(i >> 8), byte(i)})
	s := &site{conns: make(chan net.Conn), done: make(chan struct{}), addr: addr}
	n.sites[addr] = s
	n.names[host] = [][]netip.Addr{{addr}}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n.running.Add(1)
		defer n.running.Done()
		h.ServeHTTP(w, r)
	})}
	n.running.Go(func() { server.Serve(s) })
	n.running.Go(func() {
		<-s.done
		server.Close()
	})
	return addr
}

// Resolve sets what a name resolves to: the first answer the first time, the second
// one the second time, and the last one from then on.
func (n *Net) Resolve(host string, answers ...[]netip.Addr) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.names[host] = answers
}

// Guard is the configuration of a guard that knows the hosts and dials them.
func (n *Net) Guard() guard.Config {
	return guard.Config{Resolver: n, Dial: n.Dial}
}

// LookupNetIP finds the addresses of a host.
func (n *Net) LookupNetIP(ctx context.Context, _, host string) ([]netip.Addr, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	host = strings.TrimSuffix(host, ".")
	answers := n.names[host]
	if len(answers) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	if len(answers) > 1 {
		n.names[host] = answers[1:]
	}
	return answers[0], nil
}

// Dial connects to a host by its address and any port.
func (n *Net) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return nil, fmt.Errorf("dial %s: it is not an address and a port", address)
	}
	n.mu.Lock()
	n.dialled = append(n.dialled, address)
	s := n.sites[at.Addr()]
	n.mu.Unlock()
	refused := &net.OpError{Op: "dial", Net: network, Addr: net.TCPAddrFromAddrPort(at), Err: fmt.Errorf("connection refused")}
	if s == nil {
		return nil, refused
	}
	ours, theirs := net.Pipe()
	select {
	case s.conns <- theirs:
		return &conn{ours, net.TCPAddrFromAddrPort(at)}, nil
	case <-s.done:
		return nil, refused
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Dialled returns the addresses that were dialled, in order.
func (n *Net) Dialled() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]string(nil), n.dialled...)
}

func (n *Net) close() {
	n.mu.Lock()
	for _, s := range n.sites {
		s.Close()
	}
	n.mu.Unlock()
	n.running.Wait()
}

// conn is a connection that knows whom it leads to.
type conn struct {
	net.Conn
	remote net.Addr
}

func (c *conn) RemoteAddr() net.Addr { return c.remote }

// Accept, Close and Addr make a site a net.Listener.
func (s *site) Accept() (net.Conn, error) {
	select {
	case c := <-s.conns:
		return c, nil
	case <-s.done:
		return nil, net.ErrClosed
	}
}

func (s *site) Close() error {
	s.once.Do(func() { close(s.done) })
	return nil
}

func (s *site) Addr() net.Addr { return net.TCPAddrFromAddrPort(netip.AddrPortFrom(s.addr, 80)) }
