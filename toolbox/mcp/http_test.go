package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// web serves an SDK server over a transport. It wants the header X-Key.
func web(t *testing.T, srv *sdk.Server, transport string, jsonResponse bool) (*httptest.Server, func() []string) {
	t.Helper()
	get := func(*http.Request) *sdk.Server { return srv }
	var handler http.Handler = sdk.NewStreamableHTTPHandler(get, &sdk.StreamableHTTPOptions{JSONResponse: jsonResponse})
	if transport == SSE {
		handler = sdk.NewSSEHandler(get, nil)
	}
	var mu sync.Mutex
	var methods []string
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		methods = append(methods, r.Method)
		mu.Unlock()
		if r.Header.Get("X-Key") != "open-sesame" {
			http.Error(w, "the key "+r.Header.Get("X-Key")+" is wrong", http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(h.Close)
	return h, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(methods)
	}
}

// echo adds a tool that returns a result which the SDK's types do not keep whole:
// a long number.
func echo(srv *sdk.Server) {
	srv.AddTool(&sdk.Tool{Name: "echo", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if token := req.Params.GetProgressToken(); token != nil {
			_ = req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: 1})
		}
		return &sdk.CallToolResult{
			Content:           []sdk.Content{&sdk.TextContent{Text: "line one\nline two"}},
			StructuredContent: json.RawMessage(`{"n":12345678901234567890}`),
		}, nil
	})
}

func TestHTTP(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		transport string
		json      bool
		protocol  string
	}{{HTTP, false, ""}, {HTTP, true, ""}, {HTTP, false, "2025-11-25"}, {HTTP, true, "2025-06-18"}, {SSE, false, ""}, {SSE, false, "2024-11-05"}} {
		name := fmt.Sprint(c)
		srv := memory()
		echo(srv)
		wait, ended := make(chan struct{}, 1), make(chan struct{}, 1)
		tool(srv, "wait", func(ctx context.Context, _ *sdk.CallToolRequest) (string, error) {
			wait <- struct{}{}
			<-ctx.Done()
			ended <- struct{}{}
			return "", ctx.Err()
		})
		h, methods := web(t, srv, c.transport, c.json)
		progress := make(chan Progress, 10)
		ss := connect(t, Config{
			OnProgress: func(p Progress) { progress <- p },
			Servers:    map[string]Server{"w": {Transport: c.transport, URL: h.URL, Headers: map[string]string{"X-Key": "open-sesame"}, Protocol: c.protocol, Required: true}},
		})
		a := use(t, ss, "mcp__w__echo", struct{}{})
		if a.Content.Text() != "line one\nline two" || string(a.Output) != `{"n":12345678901234567890}` {
			t.Errorf("%s: %q, %s", name, a.Content.Text(), a.Output)
		}
		if !c.json && len(progress) != 1 {
			t.Errorf("%s: %d notifications of progress", name, len(progress))
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			useCtx(t, ctx, ss, "mcp__w__wait", struct{}{})
		}()
		await(t, name+": the call", wait)
		cancel()
		await(t, name+": the cancellation", ended)
		await(t, name+": the end of the run", done)
		if a := use(t, ss, "mcp__w__echo", struct{}{}); a.IsError {
			t.Errorf("%s: after the cancellation: %s", name, a.Content.Text())
		}
		_ = ss.Close()
		if strings.HasPrefix(c.protocol, "2025") && !slices.Contains(methods(), http.MethodDelete) {
			t.Errorf("%s: the session was not ended: %v", name, methods())
		}
	}
}

// A server that has forgotten the session is connected to anew.
func TestHTTPSessionLost(t *testing.T) {
	t.Parallel()
	srv := memory()
	echo(srv)
	var mu sync.Mutex
	get := func(*http.Request) *sdk.Server { return srv }
	handler := sdk.NewStreamableHTTPHandler(get, nil)
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		now := handler
		mu.Unlock()
		now.ServeHTTP(w, r)
	}))
	defer h.Close()
	ss := connect(t, Config{Servers: map[string]Server{"w": {URL: h.URL, Required: true, Protocol: "2025-11-25"}}})
	call := texts(t, ss)
	if got := call("mcp__w__echo", struct{}{}); strings.HasPrefix(got, "error") {
		t.Fatal(got)
	}
	mu.Lock()
	handler = sdk.NewStreamableHTTPHandler(get, nil)
	mu.Unlock()
	if got := call("mcp__w__echo", struct{}{}); !strings.Contains(got, "ended during the call") {
		t.Errorf("got %q", got)
	}
	if got := call("mcp__w__echo", struct{}{}); strings.HasPrefix(got, "error") {
		t.Errorf("got %q", got)
	}
	_ = ss.Close()
	for session := range srv.Sessions() { // those that the first handler forgot
		_ = session.Close()
	}
}

// Keys go to the server's host alone, and into no error.
func TestHTTPSecrets(t *testing.T) {
	t.Parallel()
	srv := memory()
	h, _ := web(t, srv, HTTP, false)
	var leaked string
	var mu sync.Mutex
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		leaked += r.Header.Get("X-Key") + r.URL.RawQuery
	}))
	defer other.Close()
	redirects := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer redirects.Close()
	for name, s := range map[string]Server{
		"wrong key":  {URL: h.URL + "/?token=query-secret", Headers: map[string]string{"X-Key": "wrong-secret"}},
		"redirected": {URL: redirects.URL + "/?token=query-secret", Headers: map[string]string{"X-Key": "wrong-secret"}},
		"absent":     {URL: "http://127.0.0.1:1/?token=query-secret", Headers: map[string]string{"X-Key": "wrong-secret"}},
		"sse":        {URL: h.URL + "/?token=query-secret", Transport: SSE, Headers: map[string]string{"X-Key": "wrong-secret"}},
	} {
		s.Required = true
		_, err := Connect(t.Context(), Config{Servers: map[string]Server{"w": s}})
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if leaked != "" {
		t.Errorf("another host got %q", leaked)
	}
}

// Each event comes out as it went in, but for results of tools.
func TestEventBody(t *testing.T) {
	t.Parallel()
	in := ": hello\n\nevent: endpoint\ndata: /messages?x=1\n\nid: 7\r\nretry: 5\r\ndata: {\"jsonrpc\":\"2.0\",\r\ndata: \"id\":1,\"result\":{}}\r\n\r\nid: 8\ndata: {\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{\"content\":[{}]}}\n\ndata:\n\nevent: end"
	want := ": hello\n\nevent: endpoint\ndata: /messages?x=1\n\nid: 7\nretry: 5\ndata: {\"jsonrpc\":\"2.0\",\ndata: \"id\":1,\"result\":{}}\n\r\nid: 8\ndata: {\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{\"content\":[]}}\n\ndata: \n\nevent: end\n"
	tp := &tap{}
	f := tp.begin("t", nil, nil)
	tp.sent([]byte(`{"id":9,"method":"tools/call","params":{"_meta":{"progressToken":"` + f.token + `"}}}`))
	resp := &http.Response{Body: io.NopCloser(iotestOneByte{strings.NewReader(in)})}
	got, err := io.ReadAll(newEventBody(resp.Body, tp))
	if err != nil || string(got) != want {
		t.Errorf("%v\n%q\n%q", err, got, want)
	}
	if raw, _ := tp.end(f); string(raw) != `{"content":[{}]}` {
		t.Errorf("kept %s", raw)
	}
}

// iotestOneByte reads a byte at a time.
type iotestOneByte struct{ r io.Reader }

func (o iotestOneByte) Read(p []byte) (int, error) { return o.r.Read(p[:min(1, len(p))]) }
