package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
)

// modeVar makes the test's binary a stdio server.
const modeVar = "QUARRY_MCP_TEST_SERVER"

func TestMain(m *testing.M) {
	if mode := os.Getenv(modeVar); mode != "" {
		serve(mode)
		return
	}
	goleak.VerifyTestMain(m)
}

// serve is a server in a process of its own.
func serve(mode string) {
	switch mode {
	case "dies":
		fmt.Fprintln(os.Stderr, "loading the plugins")
		fmt.Fprintf(os.Stderr, "no database at %s\n", os.Getenv("DATABASE"))
		os.Exit(3)
	case "silent":
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	case "slow":
		if _, err := os.ReadFile(os.Getenv("GATE")); err != nil { // ends when the test closes its end
			panic(err)
		}
	case "garbage":
		fmt.Println("Welcome to the server!")
		fmt.Println(`{"this": "is no message"}`)
		fmt.Println()
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
	}
	srv := sdk.NewServer(&sdk.Implementation{Name: "child", Version: "9"}, nil)
	add := func(name string, do func(ctx context.Context, args map[string]any) (string, error)) {
		srv.AddTool(&sdk.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			var args map[string]any
			if err := json.Unmarshal(req.Params.Arguments, &args); err != nil {
				return nil, err
			}
			text, err := do(ctx, args)
			if err != nil {
				return nil, err
			}
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil
		})
	}
	add("pid", func(context.Context, map[string]any) (string, error) { return fmt.Sprint(os.Getpid()), nil })
	add("env", func(_ context.Context, args map[string]any) (string, error) {
		return fmt.Sprintf("%q", os.Getenv(args["name"].(string))), nil
	})
	add("crash", func(context.Context, map[string]any) (string, error) {
		fmt.Fprintln(os.Stderr, "out of cheese")
		os.Exit(7)
		return "", nil
	})
	add("hang", func(ctx context.Context, _ map[string]any) (string, error) {
		<-ctx.Done()
		return "", ctx.Err()
	})
	add("shout", func(context.Context, map[string]any) (string, error) {
		fmt.Println("this is on stdout by mistake")
		return "done", nil
	})
	add("spawn", func(context.Context, map[string]any) (string, error) {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), modeVar+"=silent")
		cmd.Stdout = os.Stdout // holds the pipe open
		if _, err := cmd.StdinPipe(); err != nil {
			return "", err
		}
		if err := cmd.Start(); err != nil {
			return "", err
		}
		return fmt.Sprint(cmd.Process.Pid), nil
	})
	_ = srv.Run(context.Background(), &sdk.StdioTransport{})
	if mode == "stubborn" {
		select {}
	}
}

// child is a server that this binary is.
func child(t *testing.T, mode string) Server {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Server{Command: self, Env: map[string]string{modeVar: mode, "GORACE": "atexit_sleep_ms=0"}}
}

// connect connects and closes at the end of the test.
func connect(t *testing.T, cfg Config) *Servers {
	t.Helper()
	ss, err := Connect(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ss.Close() })
	return ss
}

// use runs a tool as a run does, in an agent whose model calls it.
func use(t *testing.T, ss *Servers, tool string, args any) *session.ToolAnswered {
	t.Helper()
	return useCtx(t, t.Context(), ss, tool, args)
}

func useCtx(t *testing.T, ctx context.Context, ss *Servers, tool string, args any) *session.ToolAnswered {
	t.Helper()
	agent, err := quarry.New(quarry.Config{
		Model: modeltest.NewScripted(modeltest.Call(tool, args), modeltest.Say("done")),
		Tools: ss.Tools(),
	})
	if err != nil {
		t.Fatal(err)
	}
	var answered *session.ToolAnswered
	for ev, err := range agent.Stream(ctx, quarry.Input{Prompt: "go"}) {
		if err != nil && ctx.Err() == nil {
			t.Fatal(err)
		}
		if ev.Record != nil {
			if a, ok := ev.Record.Event.(*session.ToolAnswered); ok {
				answered = a
			}
		}
	}
	if answered == nil && ctx.Err() == nil {
		t.Fatalf("the tool %s was not run", tool)
	}
	return answered
}

// texts returns a function that runs a tool and returns the text of its result.
func texts(t *testing.T, ss *Servers) func(tool string, args any) string {
	return func(tool string, args any) string {
		t.Helper()
		a := use(t, ss, tool, args)
		text := a.Content.Text()
		if a.IsError {
			return "error: " + text
		}
		return text
	}
}

// raw is a server of which each answer is JSON that a test gives.
type raw struct {
	tools   string
	results map[string]string
	// answer is asked first.
	answer func(r *raw, method string, id, params json.RawMessage) (result string, done bool)

	mu   sync.Mutex
	pipe net.Conn
	seen []string
}

// server is how the client reaches it.
func (r *raw) server() Server {
	return Server{open: func(context.Context) (stream, error) {
		here, there := net.Pipe()
		go r.serve(there)
		return here, nil
	}}
}

func (r *raw) serve(pipe net.Conn) {
	defer pipe.Close()
	r.mu.Lock()
	r.pipe = pipe
	r.mu.Unlock()
	lines := bufio.NewReader(pipe)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
		}
		if json.Unmarshal(line, &m) != nil {
			return
		}
		r.mu.Lock()
		r.seen = append(r.seen, m.Method)
		r.mu.Unlock()
		if r.answer != nil {
			if result, done := r.answer(r, m.Method, m.ID, m.Params); done {
				if result != "" {
					r.send(`{"jsonrpc":"2.0","id":%s,%s}`, m.ID, result)
				}
				continue
			}
		}
		if m.ID == nil {
			continue
		}
		switch m.Method {
		case "initialize":
			r.send(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"raw","version":"1"}}}`, m.ID)
		case "tools/list":
			tools := r.tools
			if tools == "" {
				for name := range r.results {
					tools += fmt.Sprintf(`,{"name":%q,"inputSchema":{"type":"object"}}`, name)
				}
				tools = "[" + tools[1:] + "]"
			}
			r.send(`{"jsonrpc":"2.0","id":%s,"result":{"tools":%s}}`, m.ID, tools)
		case "tools/call":
			var p struct {
				Name string `json:"name"`
			}
			_ = json.Unmarshal(m.Params, &p)
			r.send(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, r.results[p.Name])
		default:
			r.send(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"method not found"}}`, m.ID)
		}
	}
}

// send writes a message.
func (r *raw) send(format string, args ...any) {
	r.mu.Lock()
	pipe := r.pipe
	r.mu.Unlock()
	msg := strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", "")
	_, _ = io.WriteString(pipe, msg+"\n")
}

// soon is the longest that a test waits for what must come.
const soon = 20 * time.Second

// await waits for a signal.
func await[T any](t *testing.T, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(soon):
		t.Fatalf("%s did not come", what)
		panic("unreachable")
	}
}

// nopStream is a stream to read from.
type nopStream struct{ io.Reader }

func (nopStream) Write(p []byte) (int, error)      { return len(p), nil }
func (nopStream) SetWriteDeadline(time.Time) error { return nil }
func (nopStream) Close() error                     { return nil }
