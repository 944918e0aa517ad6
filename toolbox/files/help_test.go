package files_test

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/toolbox/files"
)

// bench is a workspace with a scripted model.
type bench struct {
	t     *testing.T
	dir   string
	ws    *files.Workspace
	store session.Store
}

// newBench makes a workspace with these files; a name that ends in a slash is a
// folder, a text "-> x" a link to x.
func newBench(t *testing.T, tree map[string]string) *bench {
	t.Helper()
	b := &bench{t: t, dir: filepath.Join(t.TempDir(), "ws"), store: session.NewMemory()}
	if err := os.Mkdir(b.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	b.plant(tree)
	b.ws = b.open(files.Config{})
	return b
}

func (b *bench) open(cfg files.Config) *files.Workspace {
	b.t.Helper()
	cfg.Dir = b.dir
	ws, err := files.Open(cfg)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = ws.Close() })
	return ws
}

func (b *bench) plant(tree map[string]string) {
	b.t.Helper()
	for name, text := range tree {
		file := filepath.Join(b.dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(file), 0o755)
		target, link := strings.CutPrefix(text, "-> ")
		switch {
		case err != nil:
		case link:
			err = os.Symlink(target, file)
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(file, 0o755)
		default:
			err = os.WriteFile(file, []byte(text), 0o644)
		}
		if err != nil {
			b.t.Fatal(err)
		}
	}
}

// text is what a file holds, "(none)" where there is none.
func (b *bench) text(name string) string {
	b.t.Helper()
	data, err := os.ReadFile(filepath.Join(b.dir, filepath.FromSlash(name)))
	if os.IsNotExist(err) {
		return "(none)"
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return string(data)
}

// run lets the model make calls, and returns the answers of this run
// in the order of the calls.
func (b *bench) run(turns ...*modeltest.Turn) []*session.ToolAnswered {
	b.t.Helper()
	return b.ask(quarry.Input{Prompt: "Do it.", Session: "s"}, turns...)
}

func (b *bench) ask(in quarry.Input, turns ...*modeltest.Turn) (answers []*session.ToolAnswered) {
	b.t.Helper()
	agent, err := quarry.New(quarry.Config{
		Model: modeltest.NewScripted(append(turns, modeltest.Say("done"))...), Store: b.store, Tools: b.ws.Tools(),
	})
	if err != nil {
		b.t.Fatal(err)
	}
	for ev, err := range agent.Stream(b.t.Context(), in) {
		if err != nil {
			b.t.Fatal(err)
		}
		if ev.Record == nil {
			continue
		}
		if a, ok := ev.Record.Event.(*session.ToolAnswered); ok {
			answers = append(answers, a)
		}
	}
	slices.SortFunc(answers, func(a, b *session.ToolAnswered) int {
		return cmp.Or(cmp.Compare(a.Turn, b.Turn), cmp.Compare(a.Index, b.Index))
	})
	return answers
}

// check compares an answer with what it must have and must not have; a part that
// begins with "!" must not be there.
func check(t *testing.T, a *session.ToolAnswered, fails bool, parts ...string) {
	t.Helper()
	got := a.Content.Text()
	if a.IsError != fails {
		t.Errorf("%s: is error: %v, want %v: %s", a.Name, a.IsError, fails, got)
	}
	for _, part := range parts {
		if lacks, ok := strings.CutPrefix(part, "!"); ok {
			if strings.Contains(got, lacks) {
				t.Errorf("%s: %q must not be in:\n%s", a.Name, lacks, got)
			}
		} else if !strings.Contains(got, part) {
			t.Errorf("%s: %q is missing in:\n%s", a.Name, part, got)
		}
	}
}

type args = map[string]any

func read(path string) *modeltest.Turn { return modeltest.Call("read_file", args{"path": path}) }

func write(path, content string) *modeltest.Turn {
	return modeltest.Call("write_file", args{"path": path, "content": content})
}

func edit(path string, pairs ...string) *modeltest.Turn {
	var edits []args
	for i := 0; i < len(pairs); i += 2 {
		edits = append(edits, args{"old_string": pairs[i], "new_string": pairs[i+1]})
	}
	return modeltest.Call("edit_file", args{"path": path, "edits": edits})
}
