//go:build unix

package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/toolbox/mcp"
)

// mcpToken is what clients over HTTP send.
const mcpToken = "canary-token-0123456789"

// mcpProcess is a quarry mcp in a process of its own, with a model server.
type mcpProcess struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
	ended  chan struct{}
	env    []string
	dir    string

	mu   sync.Mutex
	logs bytes.Buffer
	url  chan string
}

var listening = regexp.MustCompile(`msg=listening url=(\S+)`)

// Write takes in what the server logs.
func (p *mcpProcess) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.logs.Write(b)
	if m := listening.FindSubmatch(b); m != nil {
		p.url <- string(m[1])
	}
	return len(b), nil
}

func (p *mcpProcess) log() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.logs.String()
}

// startMCP starts a server of two documents. Its model plays the script.
func startMCP(t *testing.T, script *modeltest.Turn, args ...string) *mcpProcess {
	t.Helper()
	models := modeltest.NewServer(modeltest.ServerConfig{APIKey: canaryKey, Script: modeltest.Script{script}})
	t.Cleanup(models.Close)
	p := &mcpProcess{t: t, dir: t.TempDir(), url: make(chan string, 1), ended: make(chan struct{})}
	for name, text := range map[string]string{
		"network.md": "# Network\n\nThe server listens on port 5432. Clients connect to it over TCP.\n",
		"disk.md":    "# Disk\n\nFiles are kept on disk.\n",
	} {
		path := filepath.Join(p.dir, "docs", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p.env = append(os.Environ(), "ANTHROPIC_BASE_URL="+models.URL, "ANTHROPIC_API_KEY="+canaryKey, "QUARRY_MCP_TOKEN="+mcpToken, "NO_COLOR=1")
	p.cmd = exec.Command("quarry", append([]string{"mcp", "--corpus", "docs"}, args...)...)
	p.cmd.Dir, p.cmd.Env, p.cmd.Stderr = p.dir, p.env, p
	var err error
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.stdout = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		p.wait()
		if log := p.log(); strings.Contains(log, canaryKey) || strings.Contains(log, mcpToken) {
			t.Errorf("a secret is in the log:\n%s", log)
		}
	})
	return p
}

// wait waits for the end of the process and returns its exit code.
func (p *mcpProcess) wait() int {
	select {
	case <-p.ended:
	default:
		_, _ = io.Copy(io.Discard, p.stdout)
		_ = p.cmd.Wait()
		close(p.ended)
	}
	return p.cmd.ProcessState.ExitCode()
}

// quarry runs another command in the same place.
func (p *mcpProcess) quarry(args ...string) string {
	p.t.Helper()
	cmd := exec.Command("quarry", args...)
	cmd.Dir, cmd.Env = p.dir, p.env
	out, err := cmd.Output()
	if err != nil {
		p.t.Fatalf("quarry %v: %v", args, err)
	}
	return string(out)
}

// interrupted is the id of the only session, which was interrupted.
func (p *mcpProcess) interrupted() string {
	p.t.Helper()
	var list struct {
		Sessions []session.Info `json:"sessions"`
	}
	out := p.quarry("sessions", "list", "--json")
	if err := json.Unmarshal([]byte(out), &list); err != nil || len(list.Sessions) != 1 || list.Sessions[0].Status != session.StatusInterrupted {
		p.t.Fatalf("the sessions are %s (%v)", out, err)
	}
	return list.Sessions[0].ID
}

// message is a line that a server writes.
type message struct {
	ID     int    `json:"id"`
	Method string `json:"method"`
	Params struct {
		Progress float64 `json:"progress"`
		Message  string  `json:"message"`
	} `json:"params"`
	Result json.RawMessage `json:"result"`
}

// send writes lines to the server.
func (p *mcpProcess) send(lines ...string) {
	p.t.Helper()
	if _, err := io.WriteString(p.stdin, strings.Join(lines, "\n")+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

// receive reads a line. Each must be a message.
func (p *mcpProcess) receive() message {
	p.t.Helper()
	line, err := p.stdout.ReadBytes('\n')
	var m message
	if err == nil {
		err = json.Unmarshal(line, &m)
	}
	if err != nil || !bytes.HasPrefix(line, []byte(`{"jsonrpc":"2.0",`)) {
		p.t.Fatalf("the server says %q (%v)\n%s", line, err, p.log())
	}
	return m
}

const (
	initialize  = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	askPort     = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask","arguments":{"question":"Which port?"},"_meta":{"progressToken":"p"}}}`
)

// TestMCPStdio: the lines of a question, progress before the result.
func TestMCPStdio(t *testing.T) {
	t.Parallel()
	p := startMCP(t, answers())
	p.send(initialize, initialized, askPort)
	if m := p.receive(); m.ID != 1 || !strings.Contains(string(m.Result), `"name":"quarry"`) {
		t.Fatalf("got %+v", m)
	}
	var told []string
	before := 0.0
	m := p.receive()
	for ; m.Method == "notifications/progress"; m = p.receive() {
		if m.Params.Progress <= before {
			t.Errorf("progress falls from %v to %v", before, m.Params.Progress)
		}
		before = m.Params.Progress
		told = append(told, m.Params.Message)
	}
	all := strings.Join(told, "\n")
	for _, want := range []string{"2 of 2 files\nsession 01", "\nasking the model, call 1\n→ search_docs {\"query\":\"port\"}\n← search_docs: 1 hit: network\nasking the model, call 2\n→ fetch_doc ", "\n← submit_answer: The answer was taken; 1 citation verified."} {
		if !strings.Contains(all, want) {
			t.Errorf("progress lacks %q:\n%s", want, all)
		}
	}
	if result := string(m.Result); m.ID != 2 || !strings.Contains(result, `"status":"answered"`) || !strings.Contains(result, "It is 5432.") {
		t.Errorf("the result is %+v", m)
	}
	_ = p.stdin.Close()
	if code := p.wait(); code != 0 {
		t.Errorf("exit code %d\n%s", code, p.log())
	}
}

// blocks answers the first request of a conversation, and tells of the second, which
// it leaves without an answer.
func blocks(asked chan<- struct{}) *modeltest.Turn {
	return modeltest.Func(func(_ context.Context, req *model.Request) (*modeltest.Turn, error) {
		if modeltest.ToolResults(req) == 0 {
			return modeltest.Call("search_docs", args{"query": "port"}), nil
		}
		asked <- struct{}{}
		return modeltest.Hang(), nil
	})
}

// TestMCPStops: a question that is cut off can be gone on with, however that came.
func TestMCPStops(t *testing.T) {
	t.Parallel()
	for name, stop := range map[string]func(p *mcpProcess){
		"cancelled": func(p *mcpProcess) {
			p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`, `{"jsonrpc":"2.0","id":3,"method":"ping"}`)
			for m := p.receive(); m.ID != 3; m = p.receive() {
			}
			_ = p.stdin.Close()
		},
		"stdin closed": func(p *mcpProcess) { _ = p.stdin.Close() },
		"SIGINT":       func(p *mcpProcess) { _ = p.cmd.Process.Signal(syscall.SIGINT) },
		"SIGTERM":      func(p *mcpProcess) { _ = p.cmd.Process.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := make(chan struct{}, 1)
			p := startMCP(t, blocks(asked))
			p.send(initialize, initialized, askPort)
			awaitSignal(t, "the question", asked)
			stop(p)
			if code := p.wait(); code != 0 {
				t.Errorf("exit code %d\n%s", code, p.log())
			}
			if out := p.quarry("sessions", "resume", p.interrupted(), "--model", "extractive", "--json"); !strings.Contains(out, `"status":"answered"`) || !strings.Contains(out, "5432") {
				t.Errorf("gone on with: %s", out)
			}
		})
	}
}

func awaitSignal[T any](t *testing.T, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(30 * time.Second):
		t.Fatalf("%s did not come", what)
		panic("unreachable")
	}
}

// TestMCPOwnClient: an agent of ours uses the server.
func TestMCPOwnClient(t *testing.T) {
	t.Parallel()
	models := modeltest.NewServer(modeltest.ServerConfig{APIKey: canaryKey, Script: modeltest.Script{answers()}})
	t.Cleanup(models.Close)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "network.md"), []byte("# Network\n\nThe server listens on port 5432.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	program, err := exec.LookPath("quarry")
	if err != nil {
		t.Fatal(err)
	}
	progress := make(chan mcp.Progress, 100)
	servers, err := mcp.Connect(t.Context(), mcp.Config{
		OnProgress: func(p mcp.Progress) { progress <- p },
		Servers: map[string]mcp.Server{"quarry": {
			Command: program, Args: []string{"mcp", "--corpus", dir, "--home", filepath.Join(t.TempDir(), "home")}, Required: true,
			Env: map[string]string{"ANTHROPIC_BASE_URL": models.URL, "ANTHROPIC_API_KEY": canaryKey},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer servers.Close()
	for _, tool := range servers.Tools() {
		if tool.Spec().Effect != quarry.ReadOnly {
			t.Errorf("%s is %s", tool.Spec().Name, tool.Spec().Effect)
		}
	}
	agent, err := quarry.New(quarry.Config{
		Tools: servers.Tools(),
		Model: modeltest.NewScripted(
			modeltest.Call("mcp__quarry__search", args{"query": "port"}),
			modeltest.Call("mcp__quarry__ask", args{"question": "Which port?"}),
			modeltest.Call("mcp__quarry__fetch_doc", args{"doc_id": "nothere"}),
			modeltest.Say("Done."),
		),
	})
	if err != nil {
		t.Fatal(err)
	}
	var results []*session.ToolAnswered
	for ev, err := range agent.Stream(t.Context(), quarry.Input{Prompt: "Ask."}) {
		if err != nil {
			t.Fatal(err)
		}
		if ev.Record != nil {
			if a, ok := ev.Record.Event.(*session.ToolAnswered); ok {
				results = append(results, a)
			}
		}
	}
	if len(results) != 3 {
		t.Fatalf("%d results", len(results))
	}
	if !strings.Contains(results[0].Content.Text(), "port 5432") || !strings.Contains(string(results[0].Output), `"doc_id":"network"`) {
		t.Errorf("search: %q, %s", results[0].Content.Text(), results[0].Output)
	}
	if !strings.Contains(results[1].Content.Text(), "It is 5432.") || !strings.Contains(string(results[1].Output), `"status":"answered"`) {
		t.Errorf("ask: %q, %s", results[1].Content.Text(), results[1].Output)
	}
	if !results[2].IsError || !strings.Contains(results[2].Content.Text(), "no such document") {
		t.Errorf("fetch_doc: %q", results[2].Content.Text())
	}
	if len(progress) < 5 {
		t.Errorf("%d notifications of progress", len(progress))
	}
}

// bearer sends the token.
type bearer struct{}

func (bearer) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("Authorization", "Bearer "+mcpToken)
	return http.DefaultTransport.RoundTrip(req)
}

// TestMCPHTTP: two clients ask at once, and the server ends in order.
func TestMCPHTTP(t *testing.T) {
	t.Parallel()
	both := make(chan struct{})
	var arrived sync.WaitGroup
	arrived.Add(2)
	go func() { arrived.Wait(); close(both) }()
	answer := modeltest.Func(func(ctx context.Context, req *model.Request) (*modeltest.Turn, error) {
		if modeltest.ToolResults(req) == 0 {
			arrived.Done()
			select {
			case <-both:
			case <-ctx.Done():
			}
			return modeltest.Call("search_docs", args{"query": "port"}), nil
		}
		return modeltest.Call("submit_answer", args{
			"answer": "It is 5432.", "not_in_corpus": false,
			"citations": []args{{"doc_id": "network", "quote": "The server listens on port 5432."}},
		}), nil
	})
	p := startMCP(t, answer, "--http", "127.0.0.1:0")
	url := awaitSignal(t, "the address", p.url)
	var clients sync.WaitGroup
	for i := range 2 {
		clients.Go(func() {
			progress := make(chan string, 100)
			client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ClientOptions{
				ProgressNotificationHandler: func(_ context.Context, req *sdk.ProgressNotificationClientRequest) { progress <- req.Params.Message },
			})
			cs, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer{}}}, nil)
			if err != nil {
				t.Errorf("client %d: %v", i, err)
				return
			}
			defer cs.Close()
			params := &sdk.CallToolParams{Name: "ask", Arguments: args{"question": fmt.Sprintf("Which port, client %d?", i)}}
			params.SetProgressToken(i)
			r, err := cs.CallTool(t.Context(), params)
			if err != nil || r.IsError || r.StructuredContent.(map[string]any)["status"] != "answered" {
				t.Errorf("client %d: %+v, %v", i, r, err)
			}
			if len(progress) < 4 {
				t.Errorf("client %d: %d notifications of progress", i, len(progress))
			}
		})
	}
	clients.Wait()
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	if code := p.wait(); code != 0 {
		t.Errorf("exit code %d\n%s", code, p.log())
	}
}

// TestMCPHTTPStops: a question that is cut off can be gone on with, however that
// came.
func TestMCPHTTPStops(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"cancelled", "session closed", "SIGINT"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			asked, stopped := make(chan struct{}, 1), make(chan struct{}, 1)
			p := startMCP(t, modeltest.Func(func(ctx context.Context, req *model.Request) (*modeltest.Turn, error) {
				if modeltest.ToolResults(req) == 0 {
					return modeltest.Call("search_docs", args{"query": "port"}), nil
				}
				asked <- struct{}{}
				<-ctx.Done()
				stopped <- struct{}{}
				return nil, ctx.Err()
			}), "--http", "localhost:0")
			url := awaitSignal(t, "the address", p.url)
			cs, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).
				Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer{}}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer cs.Close()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ended := make(chan error, 1)
			go func() {
				_, err := cs.CallTool(ctx, &sdk.CallToolParams{Name: "ask", Arguments: args{"question": "Which port?"}})
				ended <- err
			}()
			awaitSignal(t, "the question", asked)
			switch how {
			case "cancelled":
				cancel()
				awaitSignal(t, "the end of the model's call", stopped)
				if err := cs.Close(); err != nil { // waits for what the server still does
					t.Error(err)
				}
				p.interrupted() // before the server ends
			case "session closed":
				req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, url, nil)
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set("Mcp-Session-Id", cs.ID())
				resp, err := bearer{}.RoundTrip(req)
				if err != nil || resp.StatusCode != http.StatusNoContent {
					t.Fatalf("got %v, %v", resp, err)
				}
				_ = resp.Body.Close()
				p.interrupted()
			}
			_ = p.cmd.Process.Signal(syscall.SIGINT)
			if code := p.wait(); code != 0 {
				t.Errorf("exit code %d\n%s", code, p.log())
			}
			if err := awaitSignal(t, "the end of the call", ended); err == nil {
				t.Error("the call has a result")
			}
			id := p.interrupted()
			if log := p.log(); !strings.Contains(log, "the question was interrupted; go on with: quarry sessions resume "+id) {
				t.Errorf("the log does not tell of %s:\n%s", id, log)
			}
		})
	}
}

// TestMCPGuard: who may not use a server over HTTP.
func TestMCPGuard(t *testing.T) {
	t.Parallel()
	p := startMCP(t, answers(), "--http", "127.0.0.1:0")
	url := awaitSignal(t, "the address", p.url)
	here := strings.TrimSuffix(url, "/mcp")
	for _, c := range []struct {
		host, origin, token string
		status              int
		says                string
	}{
		{"", "", mcpToken, 200, `"name":"quarry"`},
		{"localhost", "", mcpToken, 200, `"name":"quarry"`},
		{"", here, mcpToken, 200, `"name":"quarry"`},
		{"", "https://evil.example", mcpToken, 403, `pages of the origin "https://evil.example" may not use this server`},
		{"", "http://localhost:3000", mcpToken, 403, "pages of the origin"},
		{"", "null", mcpToken, 403, "pages of the origin"},
		{"evil.example", "http://evil.example", mcpToken, 403, `the host "evil.example" is not this machine; use 127.0.0.1 or localhost`},
		{"127.0.0.1.evil.example:80", "", mcpToken, 403, "is not this machine"},
		{"", "", "", 401, "the token is missing or wrong; send the value of QUARRY_MCP_TOKEN"},
		{"", "", mcpToken + "0", 401, "the token is missing or wrong"},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(initialize))
		if err != nil {
			t.Fatal(err)
		}
		req.Host = c.host
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		if c.origin != "" {
			req.Header.Set("Origin", c.origin)
		}
		if c.token != "" {
			req.Header.Set("Authorization", "bearer "+c.token)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode != c.status || !strings.Contains(string(body), c.says) {
			t.Errorf("%+v: %d %s (%v)", c, resp.StatusCode, body, err)
		}
		if challenge := resp.Header.Get("WWW-Authenticate"); (challenge == "Bearer") != (c.status == 401) {
			t.Errorf("%+v: challenge %q", c, challenge)
		}
	}
}
