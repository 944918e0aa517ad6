package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const waits = `put_up_notice {"text":"Dear readers, the library is closed on Monday."} waits for you. Run this again with -allow, or with -deny REASON.
`

// program runs the program, and returns what it says and the notice that is up.
func program(t *testing.T, dir, stdin string, args ...string) (said, notice string) {
	t.Helper()
	t.Setenv("ANTHROPIC_API_KEY", "")
	var out strings.Builder
	if err := run(t.Context(), append([]string{"-dir", dir}, args...), strings.NewReader(stdin), &out); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "notice.txt"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return out.String(), string(data)
}

func TestParkAndAllow(t *testing.T) {
	dir := t.TempDir()
	if said, notice := program(t, dir, ""); said != waits || notice != "" {
		t.Fatalf("the first run says %q, and %q is up", said, notice)
	}
	said, notice := program(t, dir, "", "-allow")
	if said != "The notice is up.\n" || notice != "Dear readers, the library is closed on Monday.\n" {
		t.Errorf("the second run says %q, and %q is up", said, notice)
	}
	err := run(t.Context(), []string{"-dir", dir, "-allow"}, strings.NewReader(""), &strings.Builder{})
	if err == nil || !strings.Contains(err.Error(), "nothing waits") {
		t.Errorf("a third run: %v", err)
	}
}

func TestParkAndDeny(t *testing.T) {
	dir := t.TempDir()
	program(t, dir, "")
	said, notice := program(t, dir, "", "-deny", "we are open")
	if !strings.HasPrefix(said, "The notice is not up: ") || !strings.Contains(said, "we are open") || notice != "" {
		t.Errorf("it says %q, and %q is up", said, notice)
	}
}

func TestAskOnTheTerminal(t *testing.T) {
	for answer, want := range map[string]string{
		"yes\n":         "The notice is up.\n",
		"we are open\n": "we are open",
		"":              "there was no answer",
	} {
		said, notice := program(t, t.TempDir(), answer, "-ask")
		if !strings.Contains(said, "May it?") || !strings.Contains(said, want) || (notice != "") != (answer == "yes\n") {
			t.Errorf("%q: it says %q, and %q is up", answer, said, notice)
		}
	}
}
