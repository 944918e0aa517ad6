//go:build unix

package mcp

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestStdio(t *testing.T) {
	t.Parallel()
	ss := connect(t, Config{Servers: map[string]Server{"one": child(t, "basic"), "two": child(t, "basic")}})
	st := ss.Status()
	if len(st) != 2 || st[0].Name != "one" || st[0].State != Connected || st[0].Server.Name != "child" || st[0].Tools != 6 {
		t.Fatalf("status %+v", st)
	}
	call := texts(t, ss)
	a, b := call("mcp__one__pid", map[string]any{}), call("mcp__two__pid", map[string]any{})
	if a == b || a != call("mcp__one__pid", map[string]any{}) {
		t.Errorf("the servers' processes are %s and %s", a, b)
	}
	if err := ss.Close(); err != nil {
		t.Fatal(err)
	}
	for _, pid := range []string{a, b} {
		if alive(t, pid) {
			t.Errorf("process %s lives on", pid)
		}
	}
	for _, s := range ss.Status() {
		if s.State != Closed {
			t.Errorf("%s is %s", s.Name, s.State)
		}
	}
	if got := call("mcp__one__pid", map[string]any{}); !strings.Contains(got, "closed") {
		t.Errorf("a call after Close: %s", got)
	}
}

// alive tells whether there is a process that is not a zombie.
func alive(t *testing.T, pid string) bool {
	t.Helper()
	n, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	if syscall.Kill(n, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
	return err != nil && !errors.Is(err, os.ErrNotExist) || err == nil && !strings.Contains(string(stat), ") Z ")
}

// A process gets what it is given and little else.
func TestEnvironment(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "sk-do-not-pass-on")
	s := child(t, "basic")
	s.Env["GREETING"] = "good morning"
	ss := connect(t, Config{Servers: map[string]Server{"s": s}})
	call := texts(t, ss)
	for name, want := range map[string]string{"GREETING": `"good morning"`, "ANTHROPIC_API_KEY": `""`, "PATH": strconv.Quote(os.Getenv("PATH"))} {
		if got := call("mcp__s__env", map[string]any{"name": name}); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

// A server that is killed in the middle of a call is an error result that says
// how, and the next call starts it anew.
func TestCrashInACall(t *testing.T) {
	t.Parallel()
	ss := connect(t, Config{Servers: map[string]Server{"s": child(t, "basic")}})
	call := texts(t, ss)
	before := call("mcp__s__pid", map[string]any{})
	got := call("mcp__s__crash", map[string]any{})
	for _, want := range []string{"error: ", "ended during the call", "nobody knows whether", "exit status 7", "out of cheese"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	st := ss.Status()[0]
	if st.State != Failed || st.Err == nil || !strings.Contains(st.Err.Error(), "out of cheese") {
		t.Errorf("status %+v", st)
	}
	after := call("mcp__s__pid", map[string]any{})
	if _, err := strconv.Atoi(after); err != nil || after == before {
		t.Errorf("process %s, then %s", before, after)
	}
	if st := ss.Status()[0]; st.State != Connected || st.Err != nil {
		t.Errorf("status %+v", st)
	}
}

// SIGKILL from outside, while a call is under way.
func TestKilledInACall(t *testing.T) {
	t.Parallel()
	ss := connect(t, Config{Servers: map[string]Server{"s": child(t, "basic")}})
	call := texts(t, ss)
	pid, err := strconv.Atoi(call("mcp__s__pid", map[string]any{}))
	if err != nil {
		t.Fatal(err)
	}
	s, err := ss.find("s")
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan string, 1)
	go func() { got <- call("mcp__s__hang", map[string]any{}) }()
	for s.tap.only() == nil {
		runtime.Gosched()
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if text := await(t, "the result", got); !strings.Contains(text, "signal: killed") {
		t.Errorf("the call brought %q", text)
	}
	if again := call("mcp__s__pid", map[string]any{}); again == strconv.Itoa(pid) || strings.HasPrefix(again, "error") {
		t.Errorf("then %q", again)
	}
}

func TestSlowStart(t *testing.T) {
	t.Parallel()
	gate := filepath.Join(t.TempDir(), "gate")
	if err := syscall.Mkfifo(gate, 0o600); err != nil {
		t.Skipf("no named pipes here: %v", err)
	}
	s := child(t, "slow")
	s.Env["GATE"] = gate
	type made struct {
		ss  *Servers
		err error
	}
	done := make(chan made, 1)
	go func() {
		ss, err := Connect(t.Context(), Config{Servers: map[string]Server{"s": s}})
		done <- made{ss, err}
	}()
	f, err := os.OpenFile(gate, os.O_WRONLY, 0) // blocks until the server waits
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-done:
		t.Fatal("Connect did not wait")
	default:
	}
	_ = f.Close()
	m := await(t, "the connection", done)
	if m.err != nil {
		t.Fatal(m.err)
	}
	defer m.ss.Close()
	if len(m.ss.Tools()) != 6 {
		t.Errorf("%d tools", len(m.ss.Tools()))
	}
}

func TestGarbageOnStdout(t *testing.T) {
	t.Parallel()
	ss := connect(t, Config{Servers: map[string]Server{"s": child(t, "garbage")}})
	call := texts(t, ss)
	if got := call("mcp__s__shout", map[string]any{}); got != "done" {
		t.Errorf("got %q", got)
	}
	got := call("mcp__s__crash", map[string]any{})
	for _, want := range []string{"(on stdout) Welcome to the server!", "(on stdout) this is on stdout by mistake"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
}

// A required server that fails is an error with what it wrote and without its
// secrets; an optional one is reported.
func TestServersThatFail(t *testing.T) {
	t.Parallel()
	bad := child(t, "dies")
	bad.Env["DATABASE"] = "postgres://me:hunter22@db"
	bad.Required = true
	_, err := Connect(t.Context(), Config{Servers: map[string]Server{"bad": bad, "good": child(t, "basic")}})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{`required server "bad"`, "exit status 3", "loading the plugins", "no database at [redacted]"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %q", want, err)
		}
	}
	bad.Required = false
	missing := Server{Command: "/no/such/program"}
	ss := connect(t, Config{Servers: map[string]Server{"bad": bad, "good": child(t, "basic"), "missing": missing}})
	if n := len(ss.Tools()); n != 6 {
		t.Errorf("%d tools", n)
	}
	st := ss.Status()
	if st[0].State != Failed || st[0].Err == nil || strings.Contains(st[0].Err.Error(), "hunter22") || st[1].State != Connected {
		t.Errorf("status %+v", st)
	}
	if st[2].Err == nil || !strings.Contains(st[2].Err.Error(), "no such file") || !errors.Is(st[2].Err, os.ErrNotExist) {
		t.Errorf("status %+v", st[2])
	}
}

func TestConnectTimeout(t *testing.T) {
	t.Parallel()
	s := child(t, "silent")
	s.ConnectTimeout, s.Required = 50*time.Millisecond, true
	_, err := Connect(t.Context(), Config{Servers: map[string]Server{"s": s}})
	if err == nil || !strings.Contains(err.Error(), "not ready within 50ms") {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	if _, err := Connect(ctx, Config{Servers: map[string]Server{"s": s}}); !errors.Is(err, cause) {
		t.Errorf("error %v", err)
	}
}

// What a server has started ends with it.
func TestCloseEndsTheGroup(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"basic", "stubborn"} {
		s := child(t, mode)
		s.grace = 50 * time.Millisecond
		ss := connect(t, Config{Servers: map[string]Server{"s": s}})
		call := texts(t, ss)
		pids := []string{call("mcp__s__pid", map[string]any{}), call("mcp__s__spawn", map[string]any{})}
		for _, pid := range pids {
			if !alive(t, pid) {
				t.Fatalf("%s: process %s does not run", mode, pid)
			}
		}
		_ = ss.Close()
		for _, pid := range pids {
			for deadline := time.Now().Add(soon); alive(t, pid); { // the kernel takes a moment
				if time.Now().After(deadline) {
					t.Fatalf("%s: process %s lives on", mode, pid)
				}
				runtime.Gosched()
			}
		}
	}
}

// A call that takes too long is an error result; the server is not lost by that.
func TestCallTimeout(t *testing.T) {
	t.Parallel()
	s := child(t, "basic")
	s.CallTimeout = 100 * time.Millisecond
	ss := connect(t, Config{Servers: map[string]Server{"s": s}})
	for _, tool := range ss.Tools() {
		if tool.Spec().Timeout != s.CallTimeout {
			t.Errorf("%s has %v", tool.Spec().Name, tool.Spec().Timeout)
		}
	}
	call := texts(t, ss)
	if got := call("mcp__s__hang", map[string]any{}); !strings.Contains(got, "did not answer within 100ms") {
		t.Errorf("got %q", got)
	}
	if st := ss.Status()[0]; st.State != Connected {
		t.Errorf("status %+v", st)
	}
}
