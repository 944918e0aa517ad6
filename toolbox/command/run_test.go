package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// self is the test's own program.
func self(t *testing.T) string {
	t.Helper()
	file, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// newRunner makes a runner in a workspace that may run the test's program.
func newRunner(t *testing.T, cfg Config) *runner {
	t.Helper()
	if cfg.Dir == "" {
		cfg.Dir = filepath.Join(t.TempDir(), "ws")
		if err := os.MkdirAll(filepath.Join(cfg.Dir, "sub"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if cfg.Allow == nil && !cfg.AllowAny {
		cfg.Allow = []string{self(t)}
	}
	if testing.CoverMode() != "" { // otherwise the test's program complains
		env := map[string]string{"GOCOVERDIR": t.TempDir()}
		maps.Copy(env, cfg.Env)
		cfg.Env = env
	}
	if err := cfg.check(); err != nil {
		t.Fatal(err)
	}
	return &runner{cfg}
}

func TestRun(t *testing.T) {
	t.Parallel()
	r := newRunner(t, Config{Env: map[string]string{"GREETING": "hello"}})
	me := self(t)
	real, err := filepath.EvalSymlinks(r.cfg.Dir)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name  string
		in    commandIn
		parts []string
	}{
		{"arguments as they are", commandIn{Args: []string{"act-args", "a b", "$HOME", "*", `"`, "; ls", ""}}, []string{`["a b" "$HOME" "*" "\"" "; ls" ""]`, "exit code 0"}},
		{"exit code", commandIn{Args: []string{"act-exit", "3"}}, []string{"exit code 3", "stdout: empty", "stderr: empty"}},
		{"both streams", commandIn{Args: []string{"act-both"}}, []string{"stdout, 10 bytes:\nto stdout\n", "stderr, 10 bytes:\nto stderr\n"}},
		{"stdin", commandIn{Args: []string{"act-cat"}, Stdin: "tea"}, []string{"stdout, 3 bytes:\ntea\n"}},
		{"no stdin", commandIn{Args: []string{"act-cat"}}, []string{"stdout: empty"}},
		{"stdin that nobody reads", commandIn{Args: []string{"act-exit", "0"}, Stdin: strings.Repeat("x", 1<<20)}, []string{"exit code 0"}},
		{"working folder", commandIn{Args: []string{"act-dir"}}, []string{real + "\n"}},
		{"folder below", commandIn{Args: []string{"act-dir"}, Dir: "./sub"}, []string{filepath.Join(real, "sub") + "\n"}},
		{"environment", commandIn{Args: []string{"act-env"}}, []string{"GREETING=hello\n", "PATH="}},
		{"much", commandIn{Args: []string{"act-spew", "100000"}}, []string{"stdout, 1088890 bytes:\nline 0\n", "[… 1072506 bytes are left out here …]", "line 99999\n"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.in.Program = me
			res, err := r.run(t.Context(), tt.in)
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range tt.parts {
				if !strings.Contains(res.ToolText(), part) {
					t.Errorf("%q is missing in:\n%.2000s", part, res.ToolText())
				}
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	r := newRunner(t, Config{Allow: []string{"git", "no-such-program-7", self(t)}})
	script := filepath.Join(r.cfg.Dir, "git")
	if err := errors.Join(os.WriteFile(script, []byte("#!/bin/sh\necho planted\n"), 0o755), os.Mkdir(filepath.Join(r.cfg.Dir, ".quarry"), 0o755),
		os.Symlink("..", filepath.Join(r.cfg.Dir, "up"))); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		in   commandIn
		want string
	}{
		{commandIn{Program: ""}, "the program is empty"},
		{commandIn{Program: "rm"}, `"rm" is not among those that may be run: git, no-such-program-7`},
		{commandIn{Program: "git status"}, "send the program's name alone"},
		{commandIn{Program: "./git"}, "not among those"},
		{commandIn{Program: script}, "not among those"},
		{commandIn{Program: "/usr/bin/git"}, "not among those"},
		{commandIn{Program: "GIT\x00"}, "NUL"},
		{commandIn{Program: "no-such-program-7"}, "is not installed"},
		{commandIn{Program: self(t), Args: []string{"a\x00"}}, "args[0] holds a NUL"},
		{commandIn{Program: self(t), Stdin: strings.Repeat("x", 1<<20+1)}, "the limit is 1048576"},
		{commandIn{Program: self(t), Dir: ".."}, "dir: the path \"..\" leads out of the workspace"},
		{commandIn{Program: self(t), Dir: "up"}, "leads out"},
		{commandIn{Program: self(t), Dir: "/tmp"}, "is absolute"},
		{commandIn{Program: self(t), Dir: ".quarry"}, "reserved"},
		{commandIn{Program: self(t), Dir: "git"}, "is not a folder"},
		{commandIn{Program: self(t), Dir: "nope"}, "is not a folder"},
	} {
		if res, err := r.run(t.Context(), tt.in); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.100q: got %v, %v; want %q", tt.in.Program, res, err, tt.want)
		}
	}
}

// TestNotFromTheFolder: a name is never that of a file in the working folder.
func TestNotFromTheFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "planted"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	there, err := filepath.Rel(here, dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{".", "", "sub" + string(filepath.ListSeparator) + ".", there} {
		r := newRunner(t, Config{Dir: dir, AllowAny: true, Env: map[string]string{"PATH": path}})
		if _, err := r.run(t.Context(), commandIn{Program: "planted"}); err == nil || !strings.Contains(err.Error(), "is not installed") {
			t.Errorf("PATH=%q: got %v", path, err)
		}
	}
	if onWindows {
		return
	}
	r := newRunner(t, Config{Dir: dir, AllowAny: true})
	if _, err := r.run(t.Context(), commandIn{Program: "./planted"}); err != nil {
		t.Errorf("by its path it may be run: %v", err)
	}
}

// tree listens for the processes of act-tree.
type tree struct {
	t  *testing.T
	ln net.Listener
}

func newTree(t *testing.T) *tree {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	return &tree{t, ln}
}

// alive waits until n processes live.
func (x *tree) alive(n int) (conns []net.Conn) {
	for range n {
		conn, err := x.ln.Accept()
		if err != nil {
			x.t.Error(err)
			return conns
		}
		if _, err := bufio.NewReader(io.LimitReader(conn, 6)).ReadString('\n'); err != nil {
			x.t.Error(err)
		}
		conns = append(conns, conn)
	}
	return conns
}

// gone waits until they are all dead.
func (x *tree) gone(conns []net.Conn) {
	for _, conn := range conns {
		_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
		if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
			x.t.Error("a process lives on")
		}
		_ = conn.Close()
	}
}

// TestCancel: where the run is stopped, a program ends at once, with its children
// and theirs.
func TestCancel(t *testing.T) {
	t.Parallel()
	r, x := newRunner(t, Config{}), newTree(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	done := make(chan error, 1)
	go func() {
		_, err := r.run(ctx, commandIn{Program: self(t), Args: []string{"act-tree", x.ln.Addr().String(), "2"}})
		done <- err
	}()
	conns := x.alive(3)
	cancel(stop)
	if err := <-done; !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
	x.gone(conns)
}

// TestTimeout: a program whose time is over ends with all that it started, and the
// model is shown what it wrote.
func TestTimeout(t *testing.T) {
	t.Parallel()
	r, x := newRunner(t, Config{Timeout: 2 * time.Second}), newTree(t)
	done := make(chan error, 1)
	go func() {
		_, err := r.run(t.Context(), commandIn{Program: self(t), Args: []string{"act-tree", x.ln.Addr().String(), "1"}})
		done <- err
	}()
	conns := x.alive(2)
	if err := <-done; err == nil || !strings.Contains(err.Error(), "stopped after 2s") || !strings.Contains(err.Error(), "stdout, 16 bytes:\ndepth ") {
		t.Errorf("got %v", err)
	}
	x.gone(conns)
}

// TestLeftBehind: what a program that has ended leaves running ends too, and does
// not hold up the answer.
func TestLeftBehind(t *testing.T) {
	t.Parallel()
	r, x := newRunner(t, Config{}), newTree(t)
	done := make(chan error, 1)
	go func() {
		res, err := r.run(t.Context(), commandIn{Program: self(t), Args: []string{"act-leave", x.ln.Addr().String(), "2"}})
		if err == nil && res.ExitCode != 0 {
			err = fmt.Errorf("got %+v", res)
		}
		done <- err
	}()
	conns := x.alive(3)
	for _, conn := range conns {
		fmt.Fprintln(conn, "leave") // the first program does
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	x.gone(conns)
}

func TestCanceledBefore(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newRunner(t, Config{}).run(ctx, commandIn{Program: self(t), Args: []string{"act-both"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
