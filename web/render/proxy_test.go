package render

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quarry-sdk/quarry/web/guard"
	"github.com/quarry-sdk/quarry/web/webtest"
)

func startProxy(t *testing.T, n *webtest.Net, maxBytes int64) (*proxy, *http.Client) {
	t.Helper()
	g, err := guard.New(n.Guard())
	if err != nil {
		t.Fatal(err)
	}
	p, err := newProxy(t.Context(), g, maxBytes)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.close)
	transport := &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: p.addr()})}
	t.Cleanup(transport.CloseIdleConnections)
	return p, &http.Client{Transport: transport}
}

// TestProxyGuards sends through the proxy what a script could ask the browser for.
func TestProxyGuards(t *testing.T) {
	t.Parallel()
	n := webtest.NewNet(t)
	n.Handle("public.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Proxy-Connection") != "" || r.Header.Get("Te") != "" {
			t.Error("a header for the proxy was passed on")
		}
		io.WriteString(w, "hello")
	}))
	n.Resolve("inside.example", []netip.Addr{netip.MustParseAddr("10.0.0.1")})
	p, client := startProxy(t, n, 1<<20)
	for to, want := range map[string]int{
		"http://public.example/":                   200,
		"http://127.0.0.1:9222/json":               403,
		"http://localhost/":                        403,
		"http://169.254.169.254/latest/meta-data/": 403,
		"http://inside.example/":                   403,
		"http://public.example:25/":                403,
		"http://[::1]/":                            403,
		"http://nowhere.example/":                  502,
	} {
		resp, err := client.Get(to)
		if err != nil {
			t.Errorf("%s: %v", to, err)
			continue
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s is answered with %d, want %d", to, resp.StatusCode, want)
		}
	}
	for to, want := range map[string]int{"127.0.0.1:443": 403, "inside.example:443": 403, "public.example:22": 403, "nowhere.example:443": 502, "[fd00::1]:443": 403} {
		if got := connect(t, p, to); got != want {
			t.Errorf("a tunnel to %s is answered with %d, want %d", to, got, want)
		}
	}
	for _, d := range n.Dialled() {
		if !strings.HasPrefix(d, "45.33.") {
			t.Errorf("%s was dialled", d)
		}
	}
}

// connect asks for a tunnel, and returns the status.
func connect(t *testing.T, p *proxy, to string) int {
	t.Helper()
	conn, err := net.Dial("tcp", p.addr())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", to, to)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode
}

// TestProxyTunnels speaks through a tunnel, and leaves it open at the end.
func TestProxyTunnels(t *testing.T) {
	t.Parallel()
	n := webtest.NewNet(t)
	n.Handle("public.example", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hello") }))
	p, _ := startProxy(t, n, 1<<20)
	conn, err := net.Dial("tcp", p.addr())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, "CONNECT public.example:443 HTTP/1.1\r\nHost: public.example:443\r\n\r\n")
	in := bufio.NewReader(conn)
	if line, err := in.ReadString('\n'); err != nil || !strings.Contains(line, "200") {
		t.Fatal(line, err)
	}
	in.ReadString('\n')
	io.WriteString(conn, "GET / HTTP/1.1\r\nHost: public.example\r\n\r\n")
	resp, err := http.ReadResponse(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(resp.Body); string(body) != "hello" || err != nil {
		t.Errorf("%q came through the tunnel (%v)", body, err)
	}
}

// TestProxyMeters checks that a page cannot load without end.
func TestProxyMeters(t *testing.T) {
	t.Parallel()
	n := webtest.NewNet(t)
	n.Handle("public.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 4096)); err != nil {
				return
			}
		}
	}))
	p, client := startProxy(t, n, 1<<20)
	resp, err := client.Get("http://public.example/")
	if err != nil {
		t.Fatal(err)
	}
	got, _ := io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	if got > 2<<20 || p.left.Load() > 0 {
		t.Errorf("%d bytes came, and %d are left", got, p.left.Load())
	}
	if resp, err = client.Get("http://public.example/"); err != nil || resp.StatusCode != http.StatusInsufficientStorage {
		t.Errorf("the next request got %v, %v", resp, err)
	}
	if resp != nil {
		resp.Body.Close()
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	t.Setenv("CHROME_BIN", "")
	if _, err := Find(); !errors.Is(err, ErrNoBrowser) {
		t.Skipf("a browser is where an installer put it (%v)", err)
	}
	if _, err := New(Config{}); !errors.Is(err, ErrNoBrowser) {
		t.Errorf("New gave %v", err)
	}
	name := filepath.Join(dir, "google-chrome")
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got, err := Find(); err != nil || got != name {
		t.Errorf("Find gave %q, %v", got, err)
	}
}
