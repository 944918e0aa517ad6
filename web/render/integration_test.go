//go:build integration

package render

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quarry-sdk/quarry/web"
	"github.com/quarry-sdk/quarry/web/webtest"
)

// These tests run a real Chromium, on pages of a network in memory.

func newRenderer(t *testing.T, n *webtest.Net, c Config) *Renderer {
	t.Helper()
	c.Guard = n.Guard()
	c.NoSandbox = os.Geteuid() == 0
	r, err := New(c)
	if err != nil {
		if os.Getenv("QUARRY_REQUIRE_INTEGRATION") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	return r
}

func serve(pages map[string]string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, body)
	})
}

const shell = `<!doctype html><html><head><title>App</title></head><body><noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div><script>%s</script></body></html>`

const app = `fetch("/data").then(r => r.text()).then(text => { setTimeout(() => { document.getElementById("root").innerHTML = text }, 300) })`

const data = `<h1>Ferry</h1><p>The ferry leaves at 08:15 and needs forty minutes to the island, says the board at the quay.</p><p>Tickets cost 12.50 each, and children travel free on weekdays.</p>`

// TestIntegrationShell fetches a page that is empty without its scripts.
func TestIntegrationShell(t *testing.T) {
	n := webtest.NewNet(t)
	n.Handle("app.example", serve(map[string]string{"/": fmt.Sprintf(shell, app), "/data": data}))
	r := newRenderer(t, n, Config{})
	f, err := web.New(web.Config{Guard: n.Guard(), Renderer: r})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	began := time.Now()
	s, err := f.Fetch(t.Context(), web.Request{URL: "http://app.example/"})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("it took %v with %s", time.Since(began), s.Renderer)
	if s.Outcome != web.OK || !strings.Contains(string(s.Body()), "The ferry leaves at 08:15") || !strings.HasPrefix(s.Renderer, "chromium/") || s.Unrendered == "" {
		t.Errorf("the outcome is %s (%s), warnings %v, rendered by %q:\n%s", s.Outcome, s.Reason, s.Warnings, s.Renderer, s.Body())
	}
}

// TestIntegrationGuard renders pages that try to reach the machine, by every way
// that a script has.
func TestIntegrationGuard(t *testing.T) {
	var hits atomic.Int64
	canary := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits.Add(1)
		w.Header().Set("Access-Control-Allow-Origin", "*")
		io.WriteString(w, "the secret of this machine")
	}))
	defer canary.Close()
	_, port, _ := net.SplitHostPort(canary.Listener.Addr().String())
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer udp.Close()
	_, udpPort, _ := net.SplitHostPort(udp.LocalAddr().String())
	attack := strings.NewReplacer("PORT", port, "UDP", udpPort).Replace(`
		const out = text => { document.getElementById("root").append(text) };
		out("The page is up, and it tries what it can to look around on the machine that reads it. ");
		for (const host of ["127.0.0.1", "localhost", "[::1]", "2130706433", "0.0.0.0", "169.254.169.254"]) {
			fetch("http://" + host + ":PORT/").then(r => r.text()).then(out, () => {});
			new Image().src = "http://" + host + ":PORT/image";
			try { new WebSocket("ws://" + host + ":PORT/socket") } catch {}
			const frame = document.createElement("iframe");
			frame.src = "http://" + host + ":PORT/frame";
			document.body.append(frame);
			navigator.sendBeacon("http://" + host + ":PORT/beacon", "x");
		}
		const link = document.createElement("link");
		link.rel = "preconnect"; link.href = "http://127.0.0.1:PORT/"; document.head.append(link);
		const pc = new RTCPeerConnection({iceServers: [{urls: "stun:127.0.0.1:UDP"}, {urls: "turn:127.0.0.1:PORT?transport=tcp", username: "a", credential: "b"}]});
		pc.createDataChannel("x"); pc.createOffer().then(o => pc.setLocalDescription(o));
		window.open("http://127.0.0.1:PORT/window");
		alert("stop");
	`)
	n := webtest.NewNet(t)
	n.Handle("app.example", serve(map[string]string{
		"/":      fmt.Sprintf(shell, attack),
		"/leave": fmt.Sprintf(shell, `location.href = "http://127.0.0.1:`+port+`/away"`),
		"/file":  fmt.Sprintf(shell, `location.href = "file:///etc/passwd"`),
	}))
	r := newRenderer(t, n, Config{Timeout: 20 * time.Second})
	f, err := web.New(web.Config{Guard: n.Guard(), Renderer: r})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, path := range []string{"/", "/leave", "/file"} {
		s, err := f.Fetch(t.Context(), web.Request{URL: "http://app.example" + path})
		if err != nil {
			t.Fatal(err)
		}
		if body := string(s.Body()); strings.Contains(body, "secret") || strings.Contains(body, "root:x:") {
			t.Errorf("%s got out:\n%s", path, body)
		}
		t.Logf("%s: %s %v %v", path, s.Outcome, s.Warnings, s.Renderer)
		if path == "/" && (s.Renderer == "" || !strings.Contains(string(s.Body()), "The page is up")) {
			t.Errorf("the page was not rendered: %v", s.Warnings)
		}
	}
	if hits.Load() != 0 {
		t.Errorf("the machine was reached %d times", hits.Load())
	}
	udp.SetReadDeadline(time.Now().Add(time.Millisecond))
	if n, from, err := udp.ReadFrom(make([]byte, 64)); err == nil {
		t.Errorf("a packet of %d bytes came from %v", n, from)
	}
	for _, d := range n.Dialled() {
		if !strings.HasPrefix(d, "45.33.") {
			t.Errorf("%s was dialled", d)
		}
	}
}

// TestIntegrationLimits renders pages that do not end.
func TestIntegrationLimits(t *testing.T) {
	n := webtest.NewNet(t)
	n.Handle("app.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/spin":
			fmt.Fprintf(w, shell, `while (true) {}`)
		case "/tick":
			fmt.Fprintf(w, shell, `setInterval(() => { document.getElementById("root").append("A sentence is added to the page all the time. ") }, 50)`)
		case "/grow":
			fmt.Fprintf(w, shell, `document.body.setAttribute("data-x", "x".repeat(3e6))`)
		case "/load":
			fmt.Fprintf(w, shell, `fetch("/endless").then(r => r.text())`)
		case "/endless":
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 1<<16)); err != nil {
					return
				}
			}
		}
	}))
	r := newRenderer(t, n, Config{Timeout: 15 * time.Second, MaxBytes: 2 << 20})
	for path, want := range map[string]string{"/spin": "not done within", "/tick": "", "/grow": "no more than", "/load": "loads more"} {
		began := time.Now()
		got, err := r.Render(t.Context(), "http://app.example"+path)
		took := time.Since(began)
		t.Logf("%s after %v: %v", path, took, err)
		if took > 25*time.Second {
			t.Errorf("%s took %v", path, took)
		}
		switch {
		case want == "" && (err != nil || !strings.Contains(string(got.HTML), "A sentence is added")):
			t.Errorf("%s failed: %v", path, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s ended as %v, want %q", path, err, want)
		}
	}
}
