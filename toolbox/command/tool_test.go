package command

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
)

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		cfg  Config
		want string
	}{
		{Config{Allow: []string{"git"}}, "set Config.Dir"},
		{Config{Allow: []string{"git"}, Dir: filepath.Join(dir, "nope")}, "make it first"},
		{Config{Allow: []string{"git"}, Dir: file}, "is not a folder"},
		{Config{Dir: dir}, "name some in Config.Allow"},
		{Config{Dir: dir, Allow: []string{"./x"}}, "an absolute path"},
		{Config{Dir: dir, Allow: []string{""}}, "a program's name"},
		{Config{Dir: dir, Allow: []string{"git"}, Shell: "/bin/sh"}, "set Config.AllowAny too"},
		{Config{Dir: dir, AllowAny: true, Timeout: -1}, "negative"},
		{Config{Dir: dir, AllowAny: true, Env: map[string]string{"GITHUB_TOKEN": "x"}}, "GITHUB_TOKEN, which by its name is a secret"},
		{Config{Dir: dir, AllowAny: true, Env: map[string]string{"X": looksLikeKey}}, "the value of X in Config.Env looks like a secret"},
		{Config{Dir: dir, AllowAny: true, Env: map[string]string{"A=B": "x"}}, "without '='"},
	} {
		if _, err := New(tt.cfg); err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "abcdefghij") {
			t.Errorf("%+v: got %v, want %q", tt.cfg, err, tt.want)
		}
	}
}

// TestKeysOfThisProcess: a value that is a secret of this process is none for
// programs, under whatever name.
func TestKeysOfThisProcess(t *testing.T) {
	t.Setenv("MY_API_KEY", "a plain sentence as a key")
	if _, err := New(Config{Dir: t.TempDir(), AllowAny: true, Env: map[string]string{"X": "a plain sentence as a key"}}); err == nil {
		t.Error("it is taken")
	}
	r := newRunner(t, Config{})
	res, err := r.run(t.Context(), commandIn{Program: self(t), Args: []string{"act-env"}})
	if err != nil || strings.Contains(res.Stdout, "sentence") || !strings.Contains(res.Stdout, "PATH=") {
		t.Errorf("got %+v, %v", res, err)
	}
}

func TestSpec(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tool, err := New(Config{Dir: dir, Allow: []string{"git", "go"}, Timeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	spec := tool.Spec()
	if spec.Name != "run_command" || spec.Effect != quarry.Exclusive || !spec.NeedsApproval || spec.Idempotent || !spec.TellUnknown || spec.Timeout <= time.Second ||
		spec.Scope != (quarry.Scope{Kind: quarry.ScopeCommand, Field: "program"}) || !strings.Contains(spec.Description, "git, go") {
		t.Errorf("got %+v", spec)
	}
	tool, err = New(Config{Dir: dir, AllowAny: true, Shell: "/bin/sh", WithoutApproval: true})
	if err != nil {
		t.Fatal(err)
	}
	if spec := tool.Spec(); spec.NeedsApproval || spec.Scope.Field != "command" || strings.Contains(string(tool.InputSchema()), `"program"`) {
		t.Errorf("got %+v, %s", spec, tool.InputSchema())
	}
}

func TestShell(t *testing.T) {
	t.Parallel()
	if onWindows {
		t.Skip("there is no /bin/sh")
	}
	r := newRunner(t, Config{AllowAny: true, Shell: "/bin/sh"})
	res, err := r.run(t.Context(), commandIn{Command: "printf '%s' \"$((6*7))\" | cat; exit 4"})
	if err != nil || res.Stdout != "42" || res.ExitCode != 4 {
		t.Errorf("got %+v, %v", res, err)
	}
	if res, err = r.run(t.Context(), commandIn{Command: "kill -9 $$"}); err != nil || res.Signal != "killed" || !strings.Contains(res.ToolText(), `ended by the signal "killed"`) {
		t.Errorf("got %+v, %v", res, err)
	}
}

// TestApproval: a person is asked about each call, even where a rule allows it.
func TestApproval(t *testing.T) {
	t.Parallel()
	for _, allow := range []bool{false, true} {
		r := newRunner(t, Config{})
		tool, err := New(Config{Dir: r.cfg.Dir, Allow: r.cfg.Allow})
		if err != nil {
			t.Fatal(err)
		}
		asked := 0
		store := session.NewMemory()
		agent, err := quarry.New(quarry.Config{
			Model:       modeltest.NewScripted(modeltest.Call("run_command", map[string]any{"program": self(t), "args": []string{"act-both"}}), modeltest.Say("done")),
			Permissions: &quarry.Permissions{Allow: []string{"run_command"}, Mode: quarry.ModeBypass},
			Store:       store,
			Tools:       []*quarry.Tool{tool},
			Approver: func(context.Context, quarry.Approval) (quarry.Answer, error) {
				asked++
				return quarry.Answer{Allow: allow}, nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := agent.Run(t.Context(), quarry.Input{Prompt: "Run it.", Session: "s"}); err != nil {
			t.Fatal(err)
		}
		for rec, err := range store.Load(t.Context(), "s", 0) {
			if err != nil {
				t.Fatal(err)
			}
			if a, ok := rec.Event.(*session.ToolAnswered); ok && a.IsError == allow {
				t.Errorf("allow %v: got %s", allow, a.Content.Text())
			}
		}
		if asked != 1 {
			t.Errorf("a person was asked %d times", asked)
		}
	}
}
