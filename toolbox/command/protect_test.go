package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestProtected: no call is run that names what is protected, however it is written.
func TestProtected(t *testing.T) {
	t.Parallel()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ws, outside := filepath.Join(base, "ws"), filepath.Join(base, "state")
	for _, dir := range []string{filepath.Join(ws, ".quarry"), filepath.Join(ws, "sub"), outside} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	config := filepath.Join(ws, "run.yaml")
	for _, file := range []string{config, filepath.Join(ws, ".quarry", "memory.json"), filepath.Join(outside, "quarry.db")} {
		if err := os.WriteFile(file, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	protected := []string{config, outside, filepath.Join(base, "later.yaml")}
	r := newRunner(t, Config{Dir: ws, Protected: protected})
	refused := func(r *runner, in commandIn) bool {
		_, err := r.run(t.Context(), in)
		if err != nil && !strings.Contains(err.Error(), "no command may touch") {
			t.Errorf("%+v: %v", in, err)
		}
		return err != nil
	}
	tests := []struct {
		dir, word string
		want      bool
	}{
		{"", ".quarry", true},
		{"", ".quarry/memory.json", true},
		{"", "./sub/../.quarry/memory.json", true},
		{"", ".QUARRY/memory.json", true},
		{"sub", "../.quarry/memory.json", true},
		{"sub", ".quarry/memory.json", false}, // there is none
		{"", "--file=run.yaml", true},
		{"", "-frun.yaml", true},
		{"", "@run.yaml", true},
		{"", "host:run.yaml,other", true},
		{"sub", "run.yaml", false},
		{"", config, true},
		{"", outside + "/quarry.db", true},
		{"", "../state", true},
		{"", "../later.yaml", true}, // it need not be there yet
		{"", "run.yaml.bak", false},
		{"", ".quarryish", false},
		{"", ".", false},
		{"", "-", false},
		{"", "", false},
	}
	for _, tt := range tests {
		if got := refused(r, commandIn{Program: self(t), Args: []string{"act-args", tt.word}, Dir: tt.dir}); got != tt.want {
			t.Errorf("in %q, %q is refused: %v, want %v", tt.dir, tt.word, got, tt.want)
		}
	}
	if onWindows {
		return
	}
	if err := os.Symlink(".quarry", filepath.Join(ws, "link")); err != nil {
		t.Fatal(err)
	}
	if !refused(r, commandIn{Program: self(t), Args: []string{"act-args", "link/memory.json"}}) {
		t.Error("a link leads in")
	}
	shell := newRunner(t, Config{Dir: ws, AllowAny: true, Shell: "/bin/sh", Protected: protected})
	for line, want := range map[string]bool{
		"cat .quarry/memory.json":               true,
		"cat <.quarry/memory.json":              true,
		`true; cat "$PWD/.quarry/memory.json"`:  false, // the shell makes the path up
		`cat '.quarry'/memory.json`:             true,
		`cat .qu\arry/memory.json`:              true,
		"echo x >run.yaml":                      true,
		"X=run.yaml; cat $X >/dev/null":         true,
		"echo run.yam? >/dev/null":              false, // so it does here
		"printf x >other.yaml; rm other.yaml":   false,
		"cat " + outside + "/quarry.db|wc -c":   true,
		"(cd sub && ls ../../state) >/dev/null": false, // it is relative to another folder
	} {
		if got := refused(shell, commandIn{Command: line}); got != want {
			t.Errorf("%s is refused: %v, want %v", line, got, want)
		}
	}
	planted := filepath.Join(ws, ".quarry", "planted")
	if err := os.WriteFile(planted, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if !refused(newRunner(t, Config{Dir: ws, AllowAny: true}), commandIn{Program: ".quarry/planted"}) {
		t.Error("a program is run that is protected")
	}
}
