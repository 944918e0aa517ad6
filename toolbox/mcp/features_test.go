package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quarry-sdk/quarry"
)

// memory is a server in this process.
func memory() *sdk.Server {
	return sdk.NewServer(&sdk.Implementation{Name: "memory", Version: "2"}, &sdk.ServerOptions{Instructions: "Be kind."})
}

// tool adds a tool that does something and returns its text.
func tool(srv *sdk.Server, name string, do func(ctx context.Context, req *sdk.CallToolRequest) (string, error)) {
	srv.AddTool(&sdk.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		text, err := do(ctx, req)
		if err != nil {
			return nil, err
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil
	})
}

func attach(t *testing.T, ss *Servers, name string, srv *sdk.Server) {
	t.Helper()
	if err := ss.Attach(t.Context(), name, srv); err != nil {
		t.Fatal(err)
	}
}

func TestAttach(t *testing.T) {
	t.Parallel()
	ss := connect(t, Config{})
	srv := memory()
	tool(srv, "hello", func(context.Context, *sdk.CallToolRequest) (string, error) { return "hello", nil })
	attach(t, ss, "m", srv)
	if got := texts(t, ss)("mcp__m__hello", struct{}{}); got != "hello" {
		t.Errorf("got %q", got)
	}
	st := ss.Status()[0]
	if st.Instructions != "Be kind." || st.Server.Version != "2" || st.Protocol == "" {
		t.Errorf("status %+v", st)
	}
	if err := ss.Attach(t.Context(), "m", srv); err == nil || !strings.Contains(err.Error(), "there is a server of this name") {
		t.Errorf("error %v", err)
	}
	if err := ss.Attach(t.Context(), "n", nil); err == nil {
		t.Error("nil is attached")
	}
	_ = ss.Close()
	if err := ss.Attach(t.Context(), "n", srv); !errors.Is(err, ErrClosed) {
		t.Errorf("error %v", err)
	}
}

func TestHints(t *testing.T) {
	t.Parallel()
	r := &raw{tools: `[
		{"name":"plain","inputSchema":{"type":"object"}},
		{"name":"reads","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},
		{"name":"again","inputSchema":{"type":"object"},"annotations":{"idempotentHint":true,"title":"Do it again"}}]`}
	for _, c := range []struct {
		distrust, one bool
		want          map[string]string
	}{
		{false, false, map[string]string{"mcp__s__plain": "exclusive false", "mcp__s__reads": "read_only false", "mcp__s__again": "exclusive true"}},
		{true, false, map[string]string{"mcp__s__plain": "exclusive false", "mcp__s__reads": "exclusive false", "mcp__s__again": "exclusive false"}},
		{false, true, map[string]string{"mcp__s__plain": "exclusive false", "mcp__s__reads": "exclusive false", "mcp__s__again": "exclusive false"}},
	} {
		s := r.server()
		s.DistrustHints = c.one
		ss := connect(t, Config{DistrustHints: c.distrust, Servers: map[string]Server{"s": s}})
		got := map[string]string{}
		for _, tool := range ss.Tools() {
			got[tool.Spec().Name] = fmt.Sprint(tool.Spec().Effect, " ", tool.Spec().Idempotent)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("distrust %v, %v (-want +got):\n%s", c.distrust, c.one, diff)
		}
	}
}

// Progress comes in order, all of it, before the call has ended.
func TestProgress(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var got []Progress
	ss := connect(t, Config{OnProgress: func(p Progress) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, p)
	}})
	srv := memory()
	tool(srv, "work", func(ctx context.Context, req *sdk.CallToolRequest) (string, error) {
		for i := range 20 {
			err := req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
				ProgressToken: req.Params.GetProgressToken(), Progress: float64(i + 1), Total: 20, Message: "step",
			})
			if err != nil {
				return "", err
			}
		}
		return "done", nil
	})
	attach(t, ss, "m", srv)
	use(t, ss, "mcp__m__work", struct{}{})
	mu.Lock()
	defer mu.Unlock()
	if len(got) != 20 {
		t.Fatalf("%d notifications", len(got))
	}
	for i, p := range got {
		if p.Progress != float64(i+1) || p.Total != 20 || p.Message != "step" || p.Server != "m" || p.Tool != "work" || p.Call == nil || p.Call.Name != "mcp__m__work" {
			t.Errorf("%d: %+v", i, p)
		}
	}
}

// The end of a call's context reaches the server, and that of Close, too.
func TestCancel(t *testing.T) {
	t.Parallel()
	ss := connect(t, Config{})
	srv := memory()
	began, ended := make(chan struct{}, 1), make(chan struct{}, 1)
	tool(srv, "wait", func(ctx context.Context, _ *sdk.CallToolRequest) (string, error) {
		began <- struct{}{}
		<-ctx.Done()
		ended <- struct{}{}
		return "", ctx.Err()
	})
	attach(t, ss, "m", srv)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		useCtx(t, ctx, ss, "mcp__m__wait", struct{}{})
	}()
	await(t, "the call", began)
	cancel()
	await(t, "the cancellation", ended)
	await(t, "the end of the run", done)

	got := make(chan string, 1)
	go func() { got <- texts(t, ss)("mcp__m__wait", struct{}{}) }()
	await(t, "the call", began)
	_ = ss.Close()
	if text := await(t, "the result", got); !strings.Contains(text, ErrClosed.Error()) {
		t.Errorf("got %q", text)
	}
	await(t, "the end of the handler", ended)
}

func TestElicitation(t *testing.T) {
	t.Parallel()
	ask := func(ctx context.Context, req *sdk.CallToolRequest) (string, error) {
		res, err := req.Session.Elicit(ctx, &sdk.ElicitParams{
			Mode: "form", Message: "Which city?",
			RequestedSchema: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`),
		})
		if err != nil {
			return "", err
		}
		return fmt.Sprint(res.Action, " ", res.Content), nil
	}
	for name, c := range map[string]struct {
		elicit func(context.Context, *Elicitation) (*Answer, error)
		want   string
	}{
		"absent": {nil, "decline map[]"},
		"nil":    {func(context.Context, *Elicitation) (*Answer, error) { return nil, nil }, "decline map[]"},
		"cancel": {func(context.Context, *Elicitation) (*Answer, error) { return &Answer{Action: Cancel}, nil }, "cancel map[]"},
		"error":  {func(context.Context, *Elicitation) (*Answer, error) { return nil, errors.New("secret") }, "error: "},
		"accept": {func(_ context.Context, e *Elicitation) (*Answer, error) {
			if e.Server != "m" || e.Message != "Which city?" || e.Call == nil || e.Call.Name != "mcp__m__ask" || !strings.Contains(string(e.Schema), "city") {
				return nil, nil
			}
			return &Answer{Action: Accept, Content: map[string]any{"city": "Wien"}}, nil
		}, "accept map[city:Wien]"},
		"misfit": {func(context.Context, *Elicitation) (*Answer, error) {
			return &Answer{Action: Accept, Content: map[string]any{"city": 7}}, nil
		}, "error: "},
	} {
		ss := connect(t, Config{Elicit: c.elicit, Servers: map[string]Server{}})
		srv := memory()
		tool(srv, "ask", ask)
		if err := ss.attach(t.Context(), "m", Server{Protocol: "2025-11-25", open: opener(srv)}); err != nil {
			t.Fatal(err)
		}
		if got := texts(t, ss)("mcp__m__ask", struct{}{}); !strings.HasPrefix(got, c.want) || strings.Contains(got, "secret") {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// A call that is refused until the person has opened an address is made again
// when the person has.
func TestURLElicitation(t *testing.T) {
	t.Parallel()
	for action, want := range map[Action]string{Accept: "hello", Decline: "error: "} {
		done := false
		srv := memory()
		tool(srv, "private", func(context.Context, *sdk.CallToolRequest) (string, error) {
			if !done {
				return "", sdk.URLElicitationRequiredError([]*sdk.ElicitParams{{Mode: "url", URL: "https://example.org/login", Message: "Log in", ElicitationID: "1"}})
			}
			return "hello", nil
		})
		ss := connect(t, Config{Elicit: func(_ context.Context, e *Elicitation) (*Answer, error) {
			if e.URL != "https://example.org/login" || e.Message != "Log in" || e.Schema != nil || e.Call == nil {
				t.Errorf("asked %+v", e)
			}
			done = action == Accept
			return &Answer{Action: action}, nil
		}})
		attach(t, ss, "m", srv)
		if got := texts(t, ss)("mcp__m__private", struct{}{}); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q", action, got)
		}
	}
}

func TestRootsAndSampling(t *testing.T) {
	t.Parallel()
	sample := func(_ context.Context, ask *Sampling) (*Sampled, error) {
		return &Sampled{Model: "m", Text: fmt.Sprint(ask.Messages[0].Blocks.Text(), " for ", ask.Server, " in ", ask.Call.Name, ", ", ask.MaxTokens)}, nil
	}
	dir := t.TempDir()
	for name, c := range map[string]struct {
		cfg     Config
		server  Server
		roots   string
		sampled string
	}{
		"nothing":     {roots: "error: ", sampled: "error: "},
		"roots":       {server: Server{Roots: []string{dir, "file:///x%20y"}}, roots: "[file:///x%20y file://" + filepath.ToSlash(dir) + "]", sampled: "error: "},
		"not allowed": {cfg: Config{Sample: sample}, roots: "error: ", sampled: "error: "},
		"no callback": {server: Server{AllowSampling: true}, roots: "error: ", sampled: "error: "},
		"sampling":    {cfg: Config{Sample: sample}, server: Server{AllowSampling: true}, roots: "error: ", sampled: "Say for m in mcp__m__sample, 10"},
	} {
		srv := memory()
		tool(srv, "roots", func(ctx context.Context, req *sdk.CallToolRequest) (string, error) {
			//lint:ignore SA1019 the client is tested with what servers do
			res, err := req.Session.ListRoots(ctx, nil)
			if err != nil {
				return "", err
			}
			var uris []string
			for _, r := range res.Roots {
				uris = append(uris, r.URI)
			}
			slices.Sort(uris)
			if len(uris) == 0 {
				return "", errors.New("no roots")
			}
			return fmt.Sprint(uris), nil
		})
		tool(srv, "sample", func(ctx context.Context, req *sdk.CallToolRequest) (string, error) {
			//lint:ignore SA1019 the client is tested with what servers do
			res, err := req.Session.CreateMessage(ctx, &sdk.CreateMessageParams{
				MaxTokens: 10,
				//lint:ignore SA1019 the client is tested with what servers do
				Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: "Say"}}},
			})
			if err != nil {
				return "", err
			}
			return res.Content.(*sdk.TextContent).Text, nil
		})
		ss := connect(t, c.cfg)
		c.server.open, c.server.Protocol = opener(srv), "2025-11-25"
		if err := ss.attach(t.Context(), "m", c.server); err != nil {
			t.Fatal(err)
		}
		call := texts(t, ss)
		got := call("mcp__m__roots", struct{}{})
		want := c.roots
		if strings.HasPrefix(want, "[") {
			parts := strings.Fields(strings.Trim(want, "[]"))
			slices.Sort(parts)
			want = fmt.Sprint(parts)
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s: roots %q, want %q", name, got, want)
		}
		if got := call("mcp__m__sample", struct{}{}); !strings.HasPrefix(got, c.sampled) {
			t.Errorf("%s: sampled %q, want %q", name, got, c.sampled)
		}
	}
}

// What a server changes is in the next list, and in no list that was taken.
func TestListChanged(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"", "2025-11-25"} {
		ss := connect(t, Config{})
		srv := memory()
		say := func(word string) func(context.Context, *sdk.CallToolRequest) (string, error) {
			return func(context.Context, *sdk.CallToolRequest) (string, error) { return word, nil }
		}
		tool(srv, "b", say("b"))
		if err := ss.attach(t.Context(), "m", Server{Protocol: protocol, open: opener(srv)}); err != nil {
			t.Fatal(err)
		}
		before := ss.Tools()
		if got := names(before); !slices.Equal(got, []string{"mcp__m__b"}) {
			t.Fatalf("tools %v", got)
		}
		s, err := ss.find("m")
		if err != nil {
			t.Fatal(err)
		}
		changed := make(chan struct{}, 1)
		s.mu.Lock()
		s.onStale = func() {
			select {
			case changed <- struct{}{}:
			default:
			}
		}
		s.mu.Unlock()
		tool(srv, "a", say("a"))
		await(t, "the notification", changed)
		if got := names(before); !slices.Equal(got, []string{"mcp__m__b"}) {
			t.Errorf("the list has changed: %v", got)
		}
		if got := names(ss.Tools()); !slices.Equal(got, []string{"mcp__m__a", "mcp__m__b"}) {
			t.Errorf("%q: tools %v", protocol, got)
		}
		if got := texts(t, ss)("mcp__m__a", struct{}{}); got != "a" {
			t.Errorf("got %q", got)
		}
		_ = ss.Close()
	}
}

func names(tools []*quarry.Tool) []string {
	var out []string
	for _, t := range tools {
		out = append(out, t.Spec().Name)
	}
	return out
}
