package files_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/toolbox/files"
)

func tree() map[string]string {
	return map[string]string{
		"a.md":             "one\ntwo\nthree\n",
		"empty.txt":        "",
		"long.txt":         strings.Repeat("x", 5000) + "\nend\n",
		"many.txt":         strings.Repeat("line\n", 20_000),
		"dos.txt":          "one\r\ntwo\r\n",
		"bin.dat":          "\x00\x01\x02PNG",
		"notes/day.md":     "Tea at four.\nCall Bob.\n",
		"notes/old/x.md":   "TEA is out.\n",
		"src/main.go":      "package main\n\nfunc main() {\n\tprintln(1)\n}\n",
		"src/.git/config":  "tea\n",
		"in":               "-> notes",
		"tofile":           "-> a.md",
		"out":              "-> ../outside",
		"up":               "-> ..",
		"abs":              "-> /etc/passwd",
		"loop":             "-> loop",
		"state":            "-> .quarry",
		"notes/deep":       "-> ../.quarry/sub",
		".quarry/db":       "SECRET",
		".quarry/sub/k":    "SECRET",
		"../outside/s.txt": "SECRET",
		"Caf\u00e9.txt":    "coffee\n",
	}
}

func TestTools(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, tool string
		args       args
		fails      bool
		parts      []string
	}{
		{"read", "read_file", args{"path": "a.md"}, false, []string{"a.md: lines 1 to 3 of 3, 14 bytes", "     1\tone\n     2\ttwo\n     3\tthree\n"}},
		{"read another spelling", "read_file", args{"path": "./notes/../a.md"}, false, []string{"a.md: lines 1 to 3"}},
		{"read through links", "read_file", args{"path": "in/day.md"}, false, []string{"notes/day.md: ", "Tea at four."}},
		{"read a link", "read_file", args{"path": "tofile"}, false, []string{"a.md: ", "two"}},
		{"read lines", "read_file", args{"path": "a.md", "start_line": 2, "lines": 1}, false, []string{"lines 2 to 2 of 3", "     2\ttwo\n", "goes on to line 3", "!one", "!three"}},
		{"read behind the end", "read_file", args{"path": "a.md", "start_line": 4}, true, []string{"start_line is 4", "has 3 lines"}},
		{"read bytes", "read_file", args{"path": "a.md", "start_byte": 4, "bytes": 3}, false, []string{"bytes 4 to 7 of 14", "two", "start_byte 7", "!one"}},
		{"read both", "read_file", args{"path": "a.md", "start_byte": 4, "lines": 3}, true, []string{"lines and bytes are both"}},
		{"read bytes from nowhere", "read_file", args{"path": "a.md", "bytes": 3}, true, []string{"needs start_byte"}},
		{"read empty", "read_file", args{"path": "empty.txt"}, false, []string{"the file is empty"}},
		{"read a long line", "read_file", args{"path": "long.txt"}, false, []string{"[cut: this line has 5000 bytes; go on with start_byte 2000]", "     2\tend"}},
		{"read much", "read_file", args{"path": "many.txt"}, false, []string{"No more fits here. Go on with start_line 27", "the file has 20000 lines", "!Cut here"}},
		{"read CR LF", "read_file", args{"path": "dos.txt"}, false, []string{"Its lines end in CR LF.", "     1\tone\n"}},
		{"read binary", "read_file", args{"path": "bin.dat"}, true, []string{"is not text", "start_byte"}},
		{"read binary bytes", "read_file", args{"path": "bin.dat", "start_byte": 0}, false, []string{"00 01 02 50"}},
		{"read a folder", "read_file", args{"path": "notes"}, true, []string{"is a folder", "list_files"}},
		{"read nothing", "read_file", args{"path": "nope.md"}, true, []string{`no "nope.md"`, "list_files or glob"}},
		{"read the wrong case", "read_file", args{"path": "A.MD"}, true, []string{`did you mean "a.md"`}},
		{"read the wrong form", "read_file", args{"path": "Cafe\u0301.txt"}, true, []string{"did you mean \"Caf\u00e9.txt\""}},
		{"read below a file", "read_file", args{"path": "a.md/x"}, true, []string{`"a.md" is a file`}},
		{"read above", "read_file", args{"path": "../outside/s.txt"}, true, []string{"leads out of the workspace", "paths are relative to the workspace", "!SECRET"}},
		{"read above within", "read_file", args{"path": "notes/../../outside/s.txt"}, true, []string{"leads out", "!SECRET"}},
		{"read a link out", "read_file", args{"path": "out/s.txt"}, true, []string{"leads out", "!SECRET"}},
		{"read up a link", "read_file", args{"path": "up/outside/s.txt"}, true, []string{"leads out", "!SECRET"}},
		{"read an absolute link", "read_file", args{"path": "abs"}, true, []string{"absolute target", "!root:"}},
		{"read in circles", "read_file", args{"path": "loop"}, true, []string{"more than 40 links"}},
		{"read absolute", "read_file", args{"path": "/etc/passwd"}, true, []string{"is absolute", "!root:"}},
		{"read a drive", "read_file", args{"path": `C:/x`}, true, []string{"is absolute"}},
		{"read backslashes", "read_file", args{"path": `..\outside\s.txt`}, true, []string{"backslash", "!SECRET"}},
		{"read home", "read_file", args{"path": "~/x"}, true, []string{"home folder"}},
		{"read NUL", "read_file", args{"path": "a.md\x00.txt"}, true, []string{"control character U+0000"}},
		{"read reserved", "read_file", args{"path": ".quarry/db"}, true, []string{"reserved", "another folder", "!SECRET"}},
		{"read reserved by case", "read_file", args{"path": ".QUARRY/db"}, true, []string{"reserved"}},
		{"read reserved by form", "read_file", args{"path": ".qu\u200carry/db"}, true, []string{"reserved"}},
		{"read reserved by width", "read_file", args{"path": ".\uff51uarry/db"}, true, []string{"reserved"}},
		{"read reserved with dots", "read_file", args{"path": ".quarry. ./db"}, true, []string{"reserved"}},
		{"read reserved by a link", "read_file", args{"path": "state/db"}, true, []string{"reserved", "!SECRET"}},
		{"read reserved by a deep link", "read_file", args{"path": "notes/deep/k"}, true, []string{"reserved", "!SECRET"}},
		{"empty path", "read_file", args{"path": ""}, true, []string{"the path is empty"}},

		{"write", "write_file", args{"path": "new/b.md", "content": "héllo\n"}, false, []string{"Wrote 7 bytes to new/b.md, a new file."}},
		{"write by a link", "write_file", args{"path": "in/new.md", "content": "x"}, false, []string{"Wrote 1 byte to notes/new.md"}},
		{"write unread", "write_file", args{"path": "a.md", "content": "x"}, true, []string{`"a.md" exists`, "read it with read_file first"}},
		{"write the same", "write_file", args{"path": "a.md", "content": "one\ntwo\nthree\n"}, false, []string{"a.md holds these 14 bytes"}},
		{"write a folder", "write_file", args{"path": "notes", "content": "x"}, true, []string{"is a folder"}},
		{"write a slash", "write_file", args{"path": "notes/", "content": "x"}, true, []string{"ends in a slash"}},
		{"write above", "write_file", args{"path": "../backup/x", "content": "x"}, true, []string{"leads out", "Choose one inside"}},
		{"write out by a link", "write_file", args{"path": "out/x", "content": "x"}, true, []string{"leads out"}},
		{"write reserved", "write_file", args{"path": ".quarry/x", "content": "x"}, true, []string{"reserved"}},
		{"write reserved itself", "write_file", args{"path": ".Quarry", "content": "x"}, true, []string{"reserved"}},
		{"write a long name", "write_file", args{"path": strings.Repeat("n", 300), "content": "x"}, true, []string{"too long"}},

		{"list", "list_files", args{}, false, []string{"a.md\t14 bytes\n", "notes/\n", "out\t(link)", "!.quarry", "!day.md"}},
		{"list deep", "list_files", args{"depth": 3}, false, []string{"notes/old/x.md", "Folders named .git are not looked into", "!SECRET", "!sub"}},
		{"list a folder", "list_files", args{"path": "notes"}, false, []string{"notes/day.md\t", "notes/old/\n", "!a.md"}},
		{"list a file", "list_files", args{"path": "a.md"}, true, []string{"is a file"}},
		{"list above", "list_files", args{"path": ".."}, true, []string{"leads out"}},
		{"list reserved", "list_files", args{"path": ".quarry"}, true, []string{"reserved"}},
		{"list nothing", "list_files", args{"path": "nope"}, true, []string{"there is no"}},

		{"glob", "glob", args{"pattern": "*.md"}, false, []string{"a.md", "notes/day.md", "notes/old/x.md", "!main.go"}},
		{"glob anchored", "glob", args{"pattern": "notes/*.md"}, false, []string{"notes/day.md", "!x.md", "!a.md"}},
		{"glob deep", "glob", args{"pattern": "**/old/**"}, false, []string{"notes/old/x.md", "!day.md"}},
		{"glob braces", "glob", args{"pattern": "**/*.{go,txt}"}, false, []string{"src/main.go", "empty.txt", "!.md"}},
		{"glob below", "glob", args{"pattern": "*.md", "path": "notes"}, false, []string{"notes/day.md", "!a.md"}},
		{"glob by the other form", "glob", args{"pattern": "Cafe\u0301*"}, false, []string{"Caf\u00e9.txt"}},
		{"glob nothing", "glob", args{"pattern": "*.rs"}, false, []string{"Nothing below", "*.rs"}},
		{"glob wrong", "glob", args{"pattern": "[a"}, true, []string{"close each ["}},
		{"glob wrong braces", "glob", args{"pattern": "{a,b"}, true, []string{"close each {"}},
		{"glob out", "glob", args{"pattern": "../*"}, true, []string{"leads out"}},
		{"glob reserved", "glob", args{"pattern": "**/db"}, false, []string{"Nothing below"}},

		{"grep", "grep", args{"pattern": "Tea"}, false, []string{"1 line in 1 file", "notes/day.md:1: Tea at four."}},
		{"grep any case", "grep", args{"pattern": "tea", "ignore_case": true}, false, []string{"2 lines in 2 files", "notes/old/x.md:1:", "!config"}},
		{"grep context", "grep", args{"pattern": "two", "path": "a.md", "context": 1}, false, []string{"a.md-1- one\na.md:2: two\na.md-3- three\n"}},
		{"grep files", "grep", args{"pattern": "e", "files_only": true, "glob": "*.md"}, false, []string{"a.md: 2 lines", "notes/day.md: 1 line\n"}},
		{"grep glob", "grep", args{"pattern": "main", "glob": "*.go"}, false, []string{"src/main.go:1:", "src/main.go:3:"}},
		{"grep much", "grep", args{"pattern": "line"}, false, []string{"20000 lines in 1 file", "[19800 more are not shown."}},
		{"grep a long line", "grep", args{"pattern": "x$", "path": "long.txt"}, false, []string{"long.txt:1: …xxx"}},
		{"grep nothing", "grep", args{"pattern": "SECRET"}, false, []string{"No line fits", "!.quarry"}},
		{"grep wrong", "grep", args{"pattern": "(?=x)"}, true, []string{"not a regular expression", "look-around"}},
		{"grep nowhere", "grep", args{"pattern": "x", "path": "nope"}, true, []string{"there is no"}},
		{"grep out", "grep", args{"pattern": "x", "path": "out"}, true, []string{"leads out"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, tree())
			answers := b.run(modeltest.Call(tt.tool, tt.args))
			check(t, answers[0], tt.fails, tt.parts...)
			if got := b.text("../outside/s.txt"); got != "SECRET" {
				t.Errorf("outside there is %q", got)
			}
			if strings.Contains(answers[0].Content.Text(), filepath.Dir(b.dir)) {
				t.Errorf("the answer tells where the workspace is: %s", answers[0].Content.Text())
			}
		})
	}
}

// TestOwnAbsolutePath: a model that knows where the workspace is, is told what to
// send instead.
func TestOwnAbsolutePath(t *testing.T) {
	t.Parallel()
	b := newBench(t, tree())
	check(t, b.run(read(b.dir + "/notes/day.md"))[0], true, `use "notes/day.md"`)
}

func TestNothingIsMadeOfARefusedWrite(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"a": "x"})
	for _, name := range []string{"../x/y", ".quarry/x", "a/b", "/abs/x", "x\x00/y", "..", "."} {
		check(t, b.run(write(name, "z"))[0], true)
	}
	entries, err := os.ReadDir(b.dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("there is %v, %v", entries, err)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"big": strings.Repeat("word\n", 30)})
	for i := range 8 {
		b.plant(map[string]string{fmt.Sprintf("d/%d.md", i): "word\n"})
	}
	b.ws = b.open(files.Config{MaxEntries: 3, MaxFileBytes: 100, MaxMatches: 2, MaxReadBytes: 20, MaxWriteBytes: 10})
	answers := b.run(modeltest.Call("list_files", args{"path": "d"}).Call("glob", args{"pattern": "*.md"}).
		Call("read_file", args{"path": "big"}).Call("grep", args{"pattern": "word"}).Call("write_file", args{"path": "n", "content": "12345678901"}))
	check(t, answers[0], false, "d/2.md", "!d/3.md", "[5 more are not shown")
	check(t, answers[1], false, "d/2.md", "!d/3.md", "[5 more are not shown")
	check(t, answers[2], true, "more than 100 bytes")
	check(t, answers[3], false, "8 lines in 8 files", "[6 more", "[1 file passed over")
	check(t, answers[4], true, "11 bytes and the limit is 10")
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, tt := range []struct {
		cfg  files.Config
		want string
	}{
		{files.Config{}, "set Config.Dir"},
		{files.Config{Dir: filepath.Join(dir, "nope")}, "make the folder first"},
		{files.Config{Dir: dir, Reserved: "../x"}, "not below the workspace"},
		{files.Config{Dir: dir, Reserved: "."}, "not below the workspace"},
		{files.Config{Dir: dir, Reserved: "/x"}, "not below the workspace"},
		{files.Config{Dir: dir, MaxEntries: -1}, "a limit is negative"},
	} {
		if ws, err := files.Open(tt.cfg); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: got %v, %v; want %q", tt.cfg, ws, err, tt.want)
		}
	}
}

func TestClosed(t *testing.T) {
	t.Parallel()
	b := newBench(t, tree())
	_ = b.ws.Close()
	check(t, b.run(read("a.md"))[0], true, "the workspace is closed")
}

func TestPath(t *testing.T) {
	t.Parallel()
	b := newBench(t, tree())
	for name, want := range map[string]string{"./in//day.md": "notes/day.md", "tofile": "a.md", "new.md": "new.md", ".": ".", "in": "notes", "in/..": "."} {
		if got, err := b.ws.Path(name); err != nil || got != want {
			t.Errorf("%q is %q, %v; want %q", name, got, err, want)
		}
	}
	for _, name := range []string{"out/x", ".quarry", "../x", "no/such", "abs"} {
		if got, err := b.ws.Path(name); err == nil {
			t.Errorf("%q is %q", name, got)
		}
	}
}
