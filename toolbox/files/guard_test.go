package files_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/toolbox/files"
)

// TestGuard: a file that exists is changed only as the session knows it.
func TestGuard(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"a": "one\n", "b": "one\n", "link": "-> a"})
	a := b.run(
		edit("a", "one", "two"),
		read("link"),
		edit("./a", "one", "two"),
		edit("a", "two", "three"), // what it wrote itself it knows
		write("a", "four\n"),
		write("b", "four\n"),
		write("a", "five\n").Call("write_file", args{"path": "./a", "content": "six\n"}),
		read("b"),
	)
	check(t, a[0], true, "you have not read it in this session")
	check(t, a[2], false, "Edited a; it has 4 bytes now and had 4", "1. line 1: 1 place replaced, each 1 line by 1")
	check(t, a[3], false)
	check(t, a[4], false, "Wrote 5 bytes to a, in place of the 6")
	check(t, a[5], true, "you have not read it")
	if first, second := a[6].IsError, a[7].IsError; first == second {
		t.Errorf("of two writes to one file, %v and %v fail", first, second)
	}
	b.plant(map[string]string{"b": "other\n"})
	check(t, b.run(write("b", "four\n"))[0], true, "not as you last saw it", "Read it again")

	// Another process goes on with the session: what it read is in the journal.
	b.ws = b.open(files.Config{})
	a = b.run(read("b"), edit("b", "other", "mine"))
	check(t, a[1], false)
	// Another session does not know it.
	check(t, b.ask(quarry.Input{Prompt: "Do it.", Session: "t"}, edit("b", "mine", "yours"))[0], true, "not read it in this session")
	if got := b.text("b"); got != "mine\n" {
		t.Errorf("b is %q", got)
	}
}

func TestEdit(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		args       args
		fails      bool
		parts      []string
		want       string // "" for unchanged
	}{
		{"one", "a b c\n", args{"edits": []args{{"old_string": "b", "new_string": "x\ny"}}}, false, []string{"line 1: 1 place replaced, each 1 line by 2"}, "a x\ny c\n"},
		{"remove", "a\nb\nc\n", args{"edits": []args{{"old_string": "b\n", "new_string": ""}}}, false, []string{"line 2: 1 place replaced, each 1 line by nothing"}, "a\nc\n"},
		{"several", "a\nb\n", args{"edits": []args{{"old_string": "a", "new_string": "b2"}, {"old_string": "b2", "new_string": "c"}}}, false, []string{"2. line 1"}, "c\nb\n"},
		{"all", "x x\nx\n", args{"edits": []args{{"old_string": "x", "new_string": "y", "replace_all": true}}}, false, []string{"3 places"}, "y y\ny\n"},
		{"not unique", "x\ny\nx\n", args{"edits": []args{{"old_string": "x", "new_string": "y"}}}, true, []string{"2 times, at line 1, line 3", "replace_all"}, ""},
		{"absent", "x\n", args{"edits": []args{{"old_string": "z", "new_string": "y"}}}, true, []string{"does not stand", "copy the piece exactly"}, ""},
		{"white space", "a\n\tif x  {\n", args{"edits": []args{{"old_string": "if x {", "new_string": "y"}}}, true, []string{"line 2", "white space only"}, ""},
		{"numbers", "a\nb\n", args{"edits": []args{{"old_string": "     1\ta\n     2\tb", "new_string": "y"}}}, true, []string{"leave out the line numbers"}, ""},
		{"the same", "x\n", args{"edits": []args{{"old_string": "x", "new_string": "x"}}}, true, []string{"are the same"}, ""},
		{"nothing of a half", "a\nb\n", args{"edits": []args{{"old_string": "a", "new_string": "c"}, {"old_string": "z", "new_string": "y"}}}, true, []string{"edit 2:", "nothing was changed"}, ""},
		{"line ends", "a\r\nb\r\nc\r\n", args{"edits": []args{{"old_string": "a\nb", "new_string": "x\ny"}}}, false, nil, "x\r\ny\r\nc\r\n"},
		{"no edits", "x\n", args{"edits": []args{}}, true, []string{`"edits" has 0 elements`}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, map[string]string{"f": tt.text})
			tt.args["path"] = "f"
			check(t, b.run(read("f"), modeltest.Call("edit_file", tt.args))[1], tt.fails, tt.parts...)
			want := tt.want
			if want == "" {
				want = tt.text
			}
			if got := b.text("f"); got != want {
				t.Errorf("the file is %q, want %q", got, want)
			}
		})
	}
}

func TestPermissionsStay(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such permissions")
	}
	b := newBench(t, map[string]string{"run.sh": "one\n"})
	file := filepath.Join(b.dir, "run.sh")
	if err := os.Chmod(file, 0o775); err != nil {
		t.Fatal(err)
	}
	check(t, b.run(read("run.sh"), edit("run.sh", "one", "two"))[1], false)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o775 {
		t.Errorf("got %v, %v", info.Mode(), err)
	}
}

// cutStore loses the answers of one tool, as a crash would.
type cutStore struct {
	session.Store
	tool string
}

var errCrash = errors.New("crash")

func (s *cutStore) Append(ctx context.Context, id string, after int64, records []session.Record) error {
	for _, r := range records {
		if a, ok := r.Event.(*session.ToolAnswered); ok && a.Name == s.tool {
			return errCrash
		}
	}
	return s.Store.Append(ctx, id, after, records)
}

// TestCrash: a call whose answer was lost runs again, or is found to have
// happened, and the file is what one run makes of it.
func TestCrash(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		turn  *modeltest.Turn
		after string // what another program makes of the file after the crash
		fails bool
		parts []string
		want  string
	}{
		{"write", write("f", "new\n"), "", false, []string{"f holds these 4 bytes"}, "new\n"},
		{"write a new file", write("d/g", "new\n"), "", false, []string{"d/g holds these 4 bytes"}, "one two\n"},
		{"edit", edit("f", "one", "two"), "", false, []string{"Edited f", "line 1: 1 place"}, "two two\n"},
		{"edits", edit("f", "one", "x x", "two", "x", "x x x", "y"), "", false, []string{"3. line 1"}, "y\n"},
		{"edit that did not happen", edit("f", "one", "two"), "one two\n", false, []string{"Edited f"}, "two two\n"},
		{"edit beside another", edit("f", "one", "two"), "two three\n", true, []string{"could not be found out", "read it again"}, "two three\n"},
		{"removal", edit("f", "one ", ""), "", true, []string{"could not be found out"}, "two\n"},
		{"removal that did not happen", edit("f", "one ", ""), "one two\n", false, []string{"Edited f"}, "two\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, map[string]string{"f": "one two\n"})
			tool := "edit_file"
			if strings.HasPrefix(tt.name, "write") {
				tool = "write_file"
			}
			agent, err := quarry.New(quarry.Config{
				Model: modeltest.NewScripted(read("f"), tt.turn), Store: &cutStore{b.store, tool}, Tools: b.ws.Tools(),
			})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := agent.Run(t.Context(), quarry.Input{Prompt: "Do it.", Session: "s"}); !errors.Is(err, errCrash) {
				t.Fatalf("got %v", err)
			}
			if tt.after != "" {
				b.plant(map[string]string{"f": tt.after})
			}
			a := b.ask(quarry.Input{Session: "s"})
			check(t, a[0], tt.fails, tt.parts...)
			if got := b.text("f"); got != tt.want {
				t.Errorf("the file is %q, want %q", got, tt.want)
			}
		})
	}
}

// TestLeftovers: what a crash leaves aside is not shown, and is gone when the call
// has run again.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{".quarry-0123456789abcdef-1.tmp": "half"})
	check(t, b.run(modeltest.Call("list_files", args{}))[0], false, "is empty")
}

// TestToldOfChanges: a session that goes on is told of files that others changed.
func TestToldOfChanges(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"a": "one\n", "b": "one\n", "c": "one\n"})
	b.run(read("a").Call("read_file", args{"path": "b"}).Call("read_file", args{"path": "c"}))
	b.plant(map[string]string{"a": "two\n"})
	if err := os.Remove(filepath.Join(b.dir, "b")); err != nil {
		t.Fatal(err)
	}
	agent, err := quarry.New(quarry.Config{Model: modeltest.NewScripted(modeltest.Say("ok")), Store: b.store, Tools: b.ws.Tools()})
	if err != nil {
		t.Fatal(err)
	}
	var changed []session.Source
	for ev, err := range agent.Stream(t.Context(), quarry.Input{Prompt: "And now?", Session: "s"}) {
		if err != nil {
			t.Fatal(err)
		}
		if ev.Record != nil {
			if c, ok := ev.Record.Event.(*session.Changed); ok {
				changed = c.Sources
			}
		}
	}
	slices.SortFunc(changed, func(a, b session.Source) int { return strings.Compare(a.Name, b.Name) })
	if len(changed) != 2 || changed[0].Name != "a" || changed[0].Hash == "" || changed[1].Name != "b" || changed[1].Hash != "" {
		t.Errorf("got %v", changed)
	}
}
