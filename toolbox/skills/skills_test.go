package skills_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/toolbox/skills"
)

// page is a SKILL.md.
func page(name, description, body string) string {
	return "---\nname: " + name + "\ndescription: " + description + "\n---\n" + body + "\n"
}

// plant writes files below a folder; a text "-> x" is a link to x.
func plant(t *testing.T, dir string, tree map[string]string) {
	t.Helper()
	for name, text := range tree {
		file := filepath.Join(dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(file), 0o755)
		if target, link := strings.CutPrefix(text, "-> "); link && err == nil {
			err = os.Symlink(target, file)
		} else if err == nil {
			err = os.WriteFile(file, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func memFS(tree map[string]string) fs.FS {
	m := fstest.MapFS{}
	for name, text := range tree {
		m[name] = &fstest.MapFile{Data: []byte(text)}
		if target, link := strings.CutPrefix(text, "-> "); link {
			m[name] = &fstest.MapFile{Data: []byte(target), Mode: fs.ModeSymlink | 0o777}
		}
	}
	return m
}

func open(t *testing.T, cfg skills.Config) *skills.Set {
	t.Helper()
	s, err := skills.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

var tree = map[string]string{
	"invoices/SKILL.md":                   page("invoices", "How invoices are checked.", "Compare the total with the order."),
	"invoices/limits.csv":                 "a,1\n",
	"invoices/more/deep.md":               "deep",
	"invoices/.hidden":                    "SECRET",
	"invoices/logo.png":                   "\x89PNG\x00",
	"invoices/out":                        "-> ../../outside",
	"invoices/sibling":                    "-> ../letters/SKILL.md",
	"invoices/inner":                      "-> limits.csv",
	"letters/SKILL.md":                    "\ufeff---\r\nname: letters\r\ndescription: >\r\n  How letters\r\n  are written.\r\nlicense: MIT\r\nmetadata: {a: 1}\r\n---\r\nBe kind.\r\n",
	"README.md":                           "no skill",
	".git/config":                         "no skill",
	"_drafts/x":                           "no skill",
	"../outside/SKILL.md":                 page("outside", "x", "SECRET"),
	"../outside/secret.txt":               "SECRET",
	"linked":                              "-> ../outside",
	"broken/SKILL.md":                     "Be kind.\n",
	"open/SKILL.md":                       "---\nname: open\n",
	"yaml/SKILL.md":                       "---\nname: yaml\ndescription: a: b\n---\nx\n",
	"nameless/SKILL.md":                   "---\ndescription: x\n---\nx\n",
	"silent/SKILL.md":                     "---\nname: silent\n---\nx\n",
	"other/SKILL.md":                      page("another", "x", "x"),
	"Upper/SKILL.md":                      page("Upper", "x", "x"),
	"double--hyphen/SKILL.md":             page("double--hyphen", "x", "x"),
	"empty/SKILL.md":                      page("empty", "x", " "),
	"lower/skill.md":                      page("lower", "x", "x"),
	"none/notes.md":                       "x",
	"long/SKILL.md":                       page("long", strings.Repeat("d", 1025), "x"),
	"big/SKILL.md":                        page("big", "x", strings.Repeat("x", 300<<10)),
	"binary/SKILL.md":                     "---\nname: binary\x00\n",
	"front/SKILL.md":                      page("front", "x\nx: "+strings.Repeat("x", 20<<10), "x"),
	"bomb/SKILL.md":                       page("bomb", "x\na: &a [1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]", "x"),
	strings.Repeat("n", 65) + "/SKILL.md": page(strings.Repeat("n", 65), "x", "x"),
}

// withoutLinks is what another file system than the disk has.
func withoutLinks(tree map[string]string) map[string]string {
	out := map[string]string{}
	for name, text := range tree {
		if !strings.HasPrefix(name, "../") {
			out[name] = text
		}
	}
	delete(out, "linked")
	return out
}

var problems = map[string]string{
	"broken": "does not begin with front matter", "open": "front matter does not end", "yaml": "is not YAML", "nameless": "has no name", "silent": "has no description",
	"other": `its name is "another" and its folder's is "other"`, "Upper": "letters a to z", "double--hyphen": "two in a row", "empty": "nothing behind the front matter",
	"lower": "rename it to SKILL.md", "none": "has no SKILL.md", "long": "1025 characters and the limit is 1024", "big": "more than 262144 bytes", "binary": "is not text",
	"front": "front matter has 20", strings.Repeat("n", 65): "65 characters",
}

func TestOpen(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "skills")
	plant(t, dir, tree)
	for name, cfg := range map[string]skills.Config{"disk": {Dirs: []string{dir}}, "fs": {FS: []fs.FS{memFS(withoutLinks(tree))}}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, cfg)
			var names []string
			for _, skill := range s.Skills() {
				names = append(names, skill.Name+": "+skill.Description)
			}
			if got := strings.Join(names, "|"); got != "bomb: x|invoices: How invoices are checked.|letters: How letters are written." {
				t.Errorf("got %s", got)
			}
			want := len(problems)
			if name == "disk" {
				want++
			}
			if got := s.Problems(); len(got) != want {
				t.Errorf("%d problems, want %d: %v", len(got), want, got)
			}
			for _, p := range s.Problems() {
				folder := filepath.Base(filepath.Dir(p.File))
				if name == "fs" {
					folder = strings.TrimSuffix(strings.TrimPrefix(p.File, "FS[0]:"), "/SKILL.md")
				}
				if filepath.Base(p.File) == "linked" {
					if !strings.Contains(p.Reason, "may not lead out") {
						t.Errorf("%v", p)
					}
					continue
				}
				if reason, ok := problems[folder]; !ok || !strings.Contains(p.Reason, reason) {
					t.Errorf("%v; want %q", p, reason)
				}
			}
			if p := s.Prompt(); !strings.Contains(p, "- invoices: How invoices are checked.\n- letters: How letters are written.\n") || strings.Contains(p, "Compare") || p != s.Prompt() {
				t.Errorf("the prompt is %s", p)
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plant(t, dir, map[string]string{"a/SKILL.md": page("a", "x", "x")})
	for _, tt := range []struct {
		cfg  skills.Config
		want []string
	}{
		{skills.Config{}, []string{"set Config.Dirs or Config.FS"}},
		{skills.Config{Dirs: []string{filepath.Join(dir, "nope")}}, []string{"does not exist; make it"}},
		{skills.Config{FS: []fs.FS{nil}}, []string{"Config.FS[0] is nil"}},
		{skills.Config{Dirs: []string{dir}, MaxFileBytes: -1}, []string{"negative"}},
		{skills.Config{Dirs: []string{dir}, FS: []fs.FS{memFS(map[string]string{"a/SKILL.md": page("a", "y", "y")})}},
			[]string{`two skills "a"`, filepath.Join(dir, "a", "SKILL.md"), "FS[0]:a/SKILL.md", "rename"}},
	} {
		_, err := skills.Open(tt.cfg)
		for _, want := range tt.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %q", err, want)
			}
		}
	}
	none := open(t, skills.Config{FS: []fs.FS{memFS(nil)}})
	if none.Prompt() != "" || none.Tools() != nil {
		t.Errorf("no skills: %q, %v", none.Prompt(), none.Tools())
	}
}

func TestPromptIsBounded(t *testing.T) {
	t.Parallel()
	tree := map[string]string{}
	for _, name := range []string{"a", "b", "c", "d"} {
		tree[name+"/SKILL.md"] = page(name, strings.Repeat("d", 500), "x")
	}
	first := map[string]string{"d/SKILL.md": tree["d/SKILL.md"]}
	delete(tree, "d/SKILL.md")
	p := open(t, skills.Config{FS: []fs.FS{memFS(first), memFS(tree)}, MaxPromptBytes: 1300}).Prompt()
	if strings.Count(p, "\n- ") != 2 || !strings.Contains(p, "by their names only: c, d.") {
		t.Errorf("got %s", p)
	}
}

// run lets a scripted model make calls.
func run(t *testing.T, s *skills.Set, turns ...*modeltest.Turn) (answers []*session.ToolAnswered) {
	t.Helper()
	agent, err := quarry.New(quarry.Config{Model: modeltest.NewScripted(append(turns, modeltest.Say("done"))...), Tools: s.Tools()})
	if err != nil {
		t.Fatal(err)
	}
	for ev, err := range agent.Stream(t.Context(), quarry.Input{Prompt: "Do it."}) {
		if err != nil {
			t.Fatal(err)
		}
		if ev.Record != nil {
			if a, ok := ev.Record.Event.(*session.ToolAnswered); ok {
				answers = append(answers, a)
			}
		}
	}
	return answers
}

func TestTools(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "skills")
	plant(t, dir, tree)
	skill := func(name string) *modeltest.Turn {
		return modeltest.Call("skill", map[string]any{"name": name})
	}
	file := func(name, path string) *modeltest.Turn {
		return modeltest.Call("skill_file", map[string]any{"name": name, "path": path})
	}
	tests := []struct {
		name  string
		turn  *modeltest.Turn
		fails bool
		parts []string
	}{
		{"load", skill("invoices"), false, []string{"Compare the total", "limits.csv\n", "more/deep.md\n", "!description", "!.hidden", "!outside"}},
		{"load CR LF", skill("letters"), false, []string{"Be kind.", "!license", "!Its files"}},
		{"unknown", skill("nope"), true, []string{`no skill "nope"`, "bomb, invoices, letters"}},
		{"broken", skill("broken"), true, []string{"no skill"}},
		{"by path", skill("../outside"), true, []string{"no skill"}},
		{"file", file("invoices", "limits.csv"), false, []string{"a,1"}},
		{"file below", file("invoices", "./more//deep.md"), false, []string{"deep"}},
		{"no file", file("invoices", "nope.md"), true, []string{"no file", "its files are: SKILL.md, limits.csv"}},
		{"a folder", file("invoices", "more"), true, []string{"is not a file"}},
		{"itself", file("invoices", "."), true, []string{"is not a file"}},
		{"not text", file("invoices", "logo.png"), true, []string{"is not text"}},
		{"empty", file("invoices", ""), true, []string{"leads out"}},
		{"above", file("invoices", "../letters/SKILL.md"), true, []string{"leads out of the skill's folder", "!kind"}},
		{"above within", file("invoices", "more/../../letters/SKILL.md"), true, []string{"leads out"}},
		{"absolute", file("invoices", "/etc/passwd"), true, []string{"leads out", "!root:"}},
		{"backslashes", file("invoices", `..\letters\SKILL.md`), true, []string{"leads out"}},
		{"link out", file("invoices", "out/secret.txt"), true, []string{"is a link", "!SECRET"}},
		{"link to a sibling", file("invoices", "sibling"), true, []string{"is a link", "!kind"}},
		{"link inside", file("invoices", "inner"), true, []string{"is a link"}},
		{"NUL", file("invoices", "limits.csv\x00"), true, []string{"!a,1"}},
	}
	sets := map[string]*skills.Set{"disk": open(t, skills.Config{Dirs: []string{dir}}), "fs": open(t, skills.Config{FS: []fs.FS{memFS(withoutLinks(tree))}})}
	for where, set := range sets {
		for _, tt := range tests {
			t.Run(where+"/"+tt.name, func(t *testing.T) {
				t.Parallel()
				a := run(t, set, tt.turn)[0]
				got := a.Content.Text()
				if a.IsError != tt.fails {
					t.Errorf("is error: %v, want %v: %s", a.IsError, tt.fails, got)
				}
				for _, part := range tt.parts {
					if lacks, ok := strings.CutPrefix(part, "!"); ok == strings.Contains(got, strings.TrimPrefix(part, "!")) {
						t.Errorf("%q (%v) in:\n%s", part, lacks, got)
					}
				}
				if strings.Contains(got, filepath.Dir(dir)) {
					t.Errorf("the answer tells where the folder is: %s", got)
				}
			})
		}
	}
}

// TestReadLate: the text is that of the moment, and a change is noticed.
func TestReadLate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plant(t, dir, map[string]string{"a/SKILL.md": page("a", "x", "first"), "a/f": "one"})
	s := open(t, skills.Config{Dirs: []string{dir}})
	plant(t, dir, map[string]string{"a/SKILL.md": page("a", "x", "second")})
	answers := run(t, s, modeltest.Call("skill", map[string]any{"name": "a"}), modeltest.Call("skill_file", map[string]any{"name": "a", "path": "f"}))
	if got := answers[0].Content.Text(); !strings.Contains(got, "second") {
		t.Errorf("got %s", got)
	}
	for i, name := range []string{"a/SKILL.md", "a/f"} {
		tool, read := s.Tools()[i], answers[i].Sources
		if len(read) != 1 {
			t.Fatalf("%s: read %v", name, read)
		}
		hash := func() string {
			h, err := tool.Spec().Current(t.Context(), read[0].Name)
			if err != nil {
				t.Fatal(err)
			}
			return h
		}
		if hash() != read[0].Hash {
			t.Errorf("%s: it is said to have changed", name)
		}
		plant(t, dir, map[string]string{name: "other"})
		if h := hash(); h == read[0].Hash || h == "" {
			t.Errorf("%s: the change is not noticed", name)
		}
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		if hash() != "" {
			t.Errorf("%s: it is not known to be gone", name)
		}
	}
}
