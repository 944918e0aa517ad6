package render

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quarry-sdk/quarry/web/guard"
)

// errTooMuch is the end of a page that loads more than it may.
var errTooMuch = errors.New("the page loads more than the limit")

// proxy is an HTTP proxy on the loopback interface that reaches only what its guard
// lets through, and only so many bytes.
type proxy struct {
	guard     *guard.Guard
	transport *http.Transport
	server    *http.Server
	listener  net.Listener
	// left is how many bytes may still come.
	left    atomic.Int64
	refused atomic.Int64
	running sync.WaitGroup
	// stop ends the tunnels.
	stop context.CancelFunc
}

// newProxy starts a proxy. Close ends it.
func newProxy(ctx context.Context, g *guard.Guard, maxBytes int64) (*proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the proxy of the browser: %w", err)
	}
	ctx, stop := context.WithCancel(ctx)
	p := &proxy{guard: g, listener: l, stop: stop}
	p.left.Store(maxBytes)
	p.transport = &http.Transport{Proxy: nil, DialContext: g.DialContext, DisableCompression: true, ResponseHeaderTimeout: 15 * time.Second, MaxResponseHeaderBytes: 256 << 10}
	p.server = &http.Server{
		Handler: p, ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(io.Discard, "", 0),
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	p.running.Go(func() { p.server.Serve(l) })
	return p, nil
}

// addr is what the browser is told.
func (p *proxy) addr() string { return p.listener.Addr().String() }

// close ends all connections and waits for what runs.
func (p *proxy) close() {
	p.stop()
	p.server.Close()
	p.transport.CloseIdleConnections()
	p.running.Wait()
}

// ServeHTTP serves one request of the browser: a tunnel for TLS and web sockets, or a
// plain request.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.running.Add(1)
	defer p.running.Done()
	at := r.URL
	if r.Method == http.MethodConnect {
		at = &url.URL{Scheme: "https", Host: r.Host}
	}
	if err := p.guard.CheckURL(at); err != nil {
		p.refuse(w, err)
		return
	}
	if p.left.Load() <= 0 {
		http.Error(w, errTooMuch.Error(), http.StatusInsufficientStorage)
		return
	}
	if r.Method == http.MethodConnect {
		p.tunnel(w, r)
		return
	}
	p.forward(w, r)
}

func (p *proxy) refuse(w http.ResponseWriter, err error) {
	status := http.StatusBadGateway
	var refused *guard.Error
	if errors.As(err, &refused) {
		p.refused.Add(1)
		status = http.StatusForbidden
	}
	http.Error(w, err.Error(), status)
}

// hopHeaders are those of one connection (RFC 9110, section 7.6.1), and what the
// browser should not have sent.
var hopHeaders = []string{"Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

// forward makes a plain request.
func (p *proxy) forward(w http.ResponseWriter, r *http.Request) {
	out := r.Clone(r.Context())
	out.RequestURI = ""
	for _, name := range hopHeaders {
		out.Header.Del(name)
	}
	resp, err := p.transport.RoundTrip(out)
	if err != nil {
		p.refuse(w, err)
		return
	}
	defer resp.Body.Close()
	for name, values := range resp.Header {
		w.Header()[name] = values
	}
	for _, name := range hopHeaders {
		w.Header().Del(name)
	}
	w.WriteHeader(resp.StatusCode)
	io.Copy(flushing{w}, p.metered(resp.Body))
}

// flushing passes on what comes at once.
type flushing struct{ http.ResponseWriter }

func (f flushing) Write(b []byte) (int, error) {
	n, err := f.ResponseWriter.Write(b)
	http.NewResponseController(f.ResponseWriter).Flush()
	return n, err
}

// tunnel connects the browser with a host.
func (p *proxy) tunnel(w http.ResponseWriter, r *http.Request) {
	there, err := p.guard.DialContext(r.Context(), "tcp", r.Host)
	if err != nil {
		p.refuse(w, err)
		return
	}
	defer there.Close()
	here, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer here.Close()
	here.SetDeadline(time.Time{})
	if _, err := io.WriteString(here, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	// The end of the proxy, or of one direction, ends both.
	over := context.AfterFunc(r.Context(), func() { here.Close(); there.Close() })
	defer over()
	var up sync.WaitGroup
	up.Go(func() {
		io.Copy(there, buffered)
		there.Close()
	})
	io.Copy(here, p.metered(there))
	here.Close()
	there.Close()
	up.Wait()
}

// metered reads until the bytes of the page are used up.
func (p *proxy) metered(r io.Reader) io.Reader { return &meter{p, r} }

type meter struct {
	p *proxy
	r io.Reader
}

func (m *meter) Read(b []byte) (int, error) {
	if m.p.left.Load() <= 0 {
		return 0, errTooMuch
	}
	n, err := m.r.Read(b)
	m.p.left.Add(-int64(n))
	return n, err
}
