//go:build integration && unix

package mcp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// script is the program of a server from npm, below the folder node_modules that
// QUARRY_MCP_NPM names; see .ci/integration.
func script(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("QUARRY_MCP_NPM")
	if dir == "" {
		t.Skip("QUARRY_MCP_NPM does not name a node_modules folder with the servers; run make integration")
	}
	path := filepath.Join(dir, ".bin", name)
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestIntegrationFilesystem(t *testing.T) {
	t.Parallel()
	server := script(t, "mcp-server-filesystem")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ss := connect(t, Config{Servers: map[string]Server{"files": {Command: "node", Args: []string{server, dir}, Required: true}}})
	call := texts(t, ss)
	path := filepath.Join(dir, "a.txt")
	if got := call("mcp__files__write_file", map[string]string{"path": path, "content": "hello\nworld\n"}); !strings.HasPrefix(got, "Successfully wrote") {
		t.Errorf("write: %q", got)
	}
	a := use(t, ss, "mcp__files__read_text_file", map[string]string{"path": path})
	if a.Content.Text() != "hello\nworld\n" || !strings.Contains(string(a.Output), "world") {
		t.Errorf("read: %q, %s", a.Content.Text(), a.Output)
	}
	if got := call("mcp__files__read_text_file", map[string]string{"path": "/etc/passwd"}); !strings.HasPrefix(got, "error: ") || !strings.Contains(got, "outside allowed directories") {
		t.Errorf("outside: %q", got)
	}
	for _, tool := range ss.Tools() {
		if name := tool.Spec().Name; (tool.Spec().Effect == "read_only") != (name != "mcp__files__write_file" && name != "mcp__files__edit_file" && name != "mcp__files__create_directory" && name != "mcp__files__move_file") {
			t.Errorf("%s is %s", name, tool.Spec().Effect)
		}
	}
	// Killed, it comes back.
	s, err := ss.find("files")
	if err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	pid, down := s.live.process.cmd.Process.Pid, s.live.down
	s.mu.Unlock()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	await(t, "the end of the server", down)
	if got := call("mcp__files__read_text_file", map[string]string{"path": path}); got != "hello\nworld\n" {
		t.Errorf("after a kill: %q", got)
	}
}

func TestIntegrationEverything(t *testing.T) {
	t.Parallel()
	program := script(t, "mcp-server-everything")
	for transport, server := range map[string]Server{
		Stdio: {Command: "node", Args: []string{program}},
		HTTP:  {URL: listen(t, program, "streamableHttp") + "/mcp"},
		SSE:   {Transport: SSE, URL: listen(t, program, "sse") + "/sse"},
	} {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			server.Required, server.Roots, server.AllowSampling = true, []string{"/srv/data"}, true
			everything(t, server)
		})
	}
}

// everything uses each feature of the server that has them all.
func everything(t *testing.T, server Server) {
	steps := make(chan Progress, 100)
	ss := connect(t, Config{
		Servers:    map[string]Server{"all": server},
		OnProgress: func(p Progress) { steps <- p },
		Elicit: func(_ context.Context, e *Elicitation) (*Answer, error) {
			if e.URL != "" {
				return &Answer{Action: Accept}, nil
			}
			return &Answer{Action: Accept, Content: map[string]any{"name": "Ada Lovelace"}}, nil
		},
		Sample: func(_ context.Context, s *Sampling) (*Sampled, error) {
			return &Sampled{Model: "none", Text: "sampled: " + s.Messages[0].Blocks.Text()}, nil
		},
	})
	call := texts(t, ss)
	if got := call("mcp__all__echo", map[string]string{"message": "grüß dich"}); got != "Echo: grüß dich" {
		t.Errorf("echo: %q", got)
	}
	if got := call("mcp__all__get-sum", map[string]any{"a": 2, "b": "x"}); !strings.HasPrefix(got, `error: "b" must be a number`) {
		t.Errorf("sum of what is no number: %q", got)
	}
	if a := use(t, ss, "mcp__all__get-structured-content", map[string]string{"location": "Chicago"}); !strings.HasPrefix(string(a.Output), `{"temperature":`) {
		t.Errorf("structured: %s", a.Output)
	}
	if a := use(t, ss, "mcp__all__get-tiny-image", struct{}{}); len(a.Content) != 3 || a.Content[1].BlockType() != "image" {
		t.Errorf("image: %d blocks", len(a.Content))
	}
	if a := use(t, ss, "mcp__all__get-annotated-message", map[string]any{"messageType": "error", "includeImage": true}); !strings.Contains(string(a.Output), `"annotations"`) {
		t.Errorf("annotated: %s", a.Output)
	}
	if got := call("mcp__all__get-resource-links", map[string]int{"count": 2}); strings.Count(got, "[Link to the resource ") != 2 {
		t.Errorf("links: %q", got)
	}
	if got := call("mcp__all__get-resource-reference", map[string]any{"resourceType": "Text", "resourceId": 1}); !strings.Contains(got, "[Resource demo://") {
		t.Errorf("resource: %q", got)
	}
	if got := call("mcp__all__get-roots-list", struct{}{}); !strings.Contains(got, "file:///srv/data") {
		t.Errorf("roots: %q", got)
	}
	if got := call("mcp__all__trigger-elicitation-request", struct{}{}); !strings.Contains(got, "Ada Lovelace") {
		t.Errorf("elicitation: %q", got)
	}
	if got := call("mcp__all__trigger-url-elicitation", map[string]any{"url": "https://example.org", "errorPath": true}); strings.HasPrefix(got, "error: ") {
		t.Errorf("elicitation of an address: %q", got)
	}
	if got := call("mcp__all__trigger-sampling-request", map[string]any{"prompt": "hi", "maxTokens": 5}); !strings.Contains(got, "sampled: ") {
		t.Errorf("sampling: %q", got)
	}
	call("mcp__all__trigger-long-running-operation", map[string]any{"duration": 0.2, "steps": 4})
	if len(steps) != 4 {
		t.Errorf("%d notifications of progress", len(steps))
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		useCtx(t, ctx, ss, "mcp__all__trigger-long-running-operation", map[string]any{"duration": 600, "steps": 6000})
	}()
	for range 5 {
		await(t, "progress", steps)
	}
	cancel()
	await(t, "the end of the run", done)
	list, err := ss.Resources(t.Context(), "all")
	if err != nil || len(list) < 3 {
		t.Errorf("resources: %v, %v", list, err)
	}
	for _, r := range list {
		if r.URI == "" {
			continue
		}
		if got := call(ReadResourceName, map[string]string{"server": "all", "uri": r.URI}); !strings.HasPrefix(got, "[") {
			t.Errorf("resource %s: %q", r.URI, got)
		}
		break
	}
	prompts, err := ss.Prompts(t.Context(), "all")
	if err != nil || !slices.ContainsFunc(prompts, func(p Prompt) bool { return p.Name == "args-prompt" }) {
		t.Errorf("prompts: %v, %v", prompts, err)
	}
	if got, err := ss.Prompt(t.Context(), "all", "args-prompt", map[string]string{"city": "Wien"}); err != nil || len(got) == 0 || !strings.Contains(got[0].Blocks.Text(), "Wien") {
		t.Errorf("prompt: %v, %v", got, err)
	}
}

// listen starts the server over HTTP and returns its address.
func listen(t *testing.T, program, mode string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	_ = l.Close()
	cmd := exec.Command("node", program, mode)
	cmd.Env = append(os.Environ(), "PORT="+port)
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ready, gone := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(gone)
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if strings.Contains(lines.Text(), "port "+port) {
				ready <- nil
			}
		}
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait()
		select {
		case ready <- errors.New("it ended"):
		default:
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-gone
	})
	select {
	case err := <-ready:
		if err != nil {
			t.Fatalf("start the server (%s): %v", mode, err)
		}
	case <-time.After(soon):
		t.Fatalf("the server (%s) does not listen", mode)
	}
	return fmt.Sprintf("http://127.0.0.1:%s", port)
}
