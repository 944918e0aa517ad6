package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/quarry-sdk/quarry"
)

// secret is what every file holds that must not be reached, and inside what those
// in the workspace hold.
const (
	secret = "SECRET-7f3a"
	inside = "inside\n"
)

// trap is a workspace full of ways out.
type trap struct {
	base, dir string
	ws        *Workspace
	// windows has the same files under the rules of Windows.
	windows *Workspace
}

var trapLinks = map[string]string{
	"in": "sub", "out": "../outside", "outfile": "../outside/s.txt", "up": "..", "abs": "", "loop": "loop", "a1": "b1", "b1": "a1",
	"state": ".quarry", "statefile": ".quarry/db", "sub/state": "../.quarry/deep", "sub/root": "..", "sub/esc": "../../outside",
	"sub/via": "../in/../.quarry", "dot": ".", "sub/abs": "", "win": `..\outside`, "sub/self": "../sub/../up/ws/.quarry",
}

func newTrap(tb testing.TB) *trap {
	tb.Helper()
	base := tb.TempDir()
	x := &trap{base: base, dir: filepath.Join(base, "ws")}
	for name, text := range map[string]string{
		"outside/s.txt": secret, "ws/.quarry/db": secret, "ws/.quarry/deep/k": secret,
		"ws/a.txt": inside, "ws/sub/b.txt": inside, "ws/sub/deep/c.txt": inside,
	} {
		name = filepath.Join(base, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			tb.Fatal(err)
		}
	}
	for name, target := range trapLinks {
		if target == "" {
			target = filepath.Join(base, "outside")
		}
		if err := os.Symlink(target, filepath.Join(x.dir, name)); err != nil {
			if runtime.GOOS == "windows" {
				tb.Skip("this needs the right to make links: ", err)
			}
			tb.Fatal(err)
		}
	}
	var err error
	if x.ws, err = Open(Config{Dir: x.dir}); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = x.ws.Close() })
	w := &Workspace{cfg: x.ws.cfg, root: x.ws.root, abs: x.ws.abs, kept: x.ws.kept, windows: true}
	x.windows = w
	return x
}

// intact tells what is not as it was outside, and in the reserved folder.
func (x *trap) intact() error {
	found := 0
	for _, top := range []string{filepath.Join(x.base, "outside"), filepath.Join(x.dir, ".quarry")} {
		err := filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			found++
			if data, err := os.ReadFile(name); err != nil || string(data) != secret {
				return fmt.Errorf("%s holds %q, %v", name, data, err)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(x.base)
	if err != nil || found != 3 || len(entries) != 2 {
		return fmt.Errorf("there are %d files that must not be touched, and %v; %w", found, entries, err)
	}
	return nil
}

// clear removes what is new in a folder: all but the links and what is to be kept.
func (x *trap) clear(tb testing.TB, dir string, keep ...string) {
	entries, err := os.ReadDir(filepath.Join(x.dir, dir))
	if err != nil {
		tb.Fatal(err)
	}
	for _, e := range entries {
		if e.Type()&fs.ModeSymlink == 0 && !slices.Contains(keep, e.Name()) {
			_ = os.RemoveAll(filepath.Join(x.dir, dir, e.Name()))
		}
	}
}

// try uses every tool on a path and returns all that they say.
func (x *trap) try(tb testing.TB, ws *Workspace, name string) string {
	var said []string
	say := func(out quarry.Texter, err error) {
		if err != nil {
			said = append(said, err.Error())
		} else {
			said = append(said, out.ToolText())
		}
	}
	for _, start := range []*int{nil, new(int)} {
		out, err := ws.read(readIn{Path: name, StartByte: start})
		say(out, err)
	}
	wrote, err := ws.write(nil, writeIn{Path: name, Content: "written"})
	say(wrote, err)
	if err == nil {
		first, _, _ := strings.Cut(wrote.Path, "/")
		if sameName(first, ".quarry") || !filepath.IsLocal(wrote.Path) {
			tb.Errorf("%q was written as %q", name, wrote.Path)
		}
		x.clear(tb, ".", "a.txt", "sub", ".quarry")
		x.clear(tb, "sub", "b.txt", "deep")
		x.clear(tb, "sub/deep", "c.txt")
	}
	edited, err := ws.edit(nil, editIn{Path: name, Edits: []edit{{Old: "S", New: "T"}}})
	say(edited, err)
	found, err := ws.grep(tb.Context(), grepIn{Pattern: "[A-Z]+-", Path: name})
	say(found, err)
	if out, err := ws.current(tb.Context(), name); err == nil && out == hashOf([]byte(secret)) {
		said = append(said, secret)
	}
	if p, err := ws.folder(name); err == nil {
		k := walk{w: ws, depth: maxPathDepth, visit: func(e entry) error {
			said = append(said, e.path)
			if first, _, _ := strings.Cut(e.path, "/"); sameName(first, ".quarry") || strings.HasPrefix(e.path, "..") {
				said = append(said, secret)
			}
			return nil
		}}
		if err := k.run(tb.Context(), p); err != nil {
			said = append(said, err.Error())
		}
		p.close()
	}
	return strings.Join(said, "\n")
}

var paths = []string{
	"a.txt", "./a.txt", "sub/../a.txt", "sub/deep/c.txt", "in/b.txt", "dot/dot/a.txt", "new/x/y.txt", "sub//b.txt", ".", "", "/", "..", "...", "../",
	"../outside/s.txt", "sub/../../outside/s.txt", "out/s.txt", "outfile", "up/outside/s.txt", "abs/s.txt", "sub/abs/s.txt", "loop", "a1", "loop/x",
	"state/db", "statefile", "sub/state/k", "sub/root/.quarry/db", "sub/esc/s.txt", "sub/via/db", "sub/self/db", "in/root/up/outside/s.txt",
	".quarry", ".quarry/db", ".QUARRY/db", ".Quarry/deep/k", "./.quarry/./db", "sub/../.quarry/db", ".quarry./db", ".quarry /db", ".quarry\u200d/db",
	".\uff31uarry/db", ".quarr\u00ff/db", ".quarry::$INDEX_ALLOCATION/db", "QUARRY~1/db", ".quarry\x00/db", "a.txt\x00", "\x00",
	"/etc/passwd", "//server/share", `\\server\share`, `..\outside\s.txt`, `sub\..\..\outside`, "C:/x", "c:x", "C:", "a.txt:stream", "~", "~/x", "~root/x",
	"win", "win/s.txt", "nul", "NUL.txt", "con", "COM1", "com\u00b9.log", "LPT9", "aux.c", "CONIN$", "prn ", "sub/nul", "a.txt.", "a.txt ",
	"Cafe\u0301", "Caf\u00e9", "\u2024\u2024/outside/s.txt", "\uff0e\uff0e/outside/s.txt", "..\u2215outside", "%2e%2e/outside", "..;/outside", "....//outside",
	"\xff\xfe", "a\nb", strings.Repeat("a/", 70) + "b", strings.Repeat("n", 300), strings.Repeat("../", 50) + "etc/passwd",
}

func FuzzPath(f *testing.F) {
	for _, p := range paths {
		f.Add(p)
	}
	for name := range trapLinks {
		f.Add(name)
		f.Add(name + "/..")
		f.Add(name + "/../../outside/s.txt")
		f.Add(name + "/" + name)
	}
	x := newTrap(f)
	f.Fuzz(func(t *testing.T, name string) {
		for _, ws := range []*Workspace{x.ws, x.windows} {
			if said := x.try(t, ws, name); strings.Contains(said, secret) {
				t.Errorf("%q reaches what it must not:\n%s", name, said)
			}
			if err := x.intact(); err != nil {
				t.Fatalf("%q: %v", name, err)
			}
		}
		parts, err := splitPath(name, x.dir, true)
		for _, part := range parts {
			if err == nil && (part == "" || part == "." || part == ".." || deviceName(part) || strings.ContainsAny(part, "\\/:\x00")) {
				t.Errorf("%q has the part %q", name, part)
			}
		}
	})
}

// TestRaces swaps folders and files for links that lead out, and into the reserved
// folder, while tools use them.
func TestRaces(t *testing.T) {
	t.Parallel()
	x := newTrap(t)
	targets := []string{"../outside", ".quarry", ".quarry/deep", filepath.Join(x.base, "outside")}
	var stop atomic.Bool
	var swaps atomic.Int64
	var swapping, using sync.WaitGroup
	swap := func(name string, targets []string) {
		for i := 0; !stop.Load(); i++ {
			real := name + ".real"
			for range 200 {
				runtime.Gosched() // for those who want what is there
			}
			if os.Rename(name, real) != nil { // a tool has made it anew
				_ = os.RemoveAll(name)
				_ = os.Rename(real, name)
				continue
			}
			if os.Symlink(targets[i%len(targets)], name) == nil {
				runtime.Gosched()
				_ = os.Remove(name)
			}
			_ = os.RemoveAll(name)
			_ = os.Rename(real, name)
			swaps.Add(1)
		}
	}
	for _, name := range []string{"d", "e"} {
		if err := os.Mkdir(filepath.Join(x.dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"d/s.txt", "d/db", "d/k", "f"} {
		if err := os.WriteFile(filepath.Join(x.dir, name), []byte(inside), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	swapping.Go(func() { swap(filepath.Join(x.dir, "d"), targets) })
	swapping.Go(func() {
		swap(filepath.Join(x.dir, "f"), []string{"../outside/s.txt", ".quarry/db", filepath.Join(x.base, "outside/s.txt")})
	})
	var worked atomic.Int64
	const rounds = 100
	for _, name := range []string{"d/s.txt", "d/db", "d/k", "f", "d"} {
		using.Go(func() {
			for i := range rounds {
				out, err := x.ws.read(readIn{Path: name})
				if err == nil {
					worked.Add(1)
					if strings.Contains(out.text, secret) {
						t.Errorf("%s shows the secret", name)
					}
				}
				if name != "d" {
					_, _ = x.ws.write(nil, writeIn{Path: fmt.Sprintf("d/new%d", i%7), Content: "x"})
				}
				found, err := x.ws.grep(t.Context(), grepIn{Pattern: "SECRET", Path: name})
				if err == nil && found.Lines > 0 {
					t.Errorf("grep of %s shows the secret: %s", name, found.ToolText())
				}
				found, err = x.ws.grep(t.Context(), grepIn{Pattern: "SECRET"})
				if err == nil && found.Lines > 0 {
					t.Errorf("grep shows the secret: %s", found.ToolText())
				}
			}
		})
	}
	using.Wait()
	stop.Store(true)
	swapping.Wait()
	if err := x.intact(); err != nil {
		t.Error(err)
	}
	if worked.Load() == 0 || swaps.Load() < 10 {
		t.Errorf("%d reads worked beside %d swaps", worked.Load(), swaps.Load())
	}
	t.Logf("%d reads worked beside %d swaps", worked.Load(), swaps.Load())
}

// TestTempName: what an attempt that crashed has left is gone, and an attempt
// that is given up has another name than the next.
func TestTempName(t *testing.T) {
	t.Parallel()
	x := newTrap(t)
	first, err := tempName(&quarry.Call{Key: "k", Attempt: 1}, x.ws.root)
	if err != nil || !isTemp(first) {
		t.Fatal(first, err)
	}
	if err := os.WriteFile(filepath.Join(x.dir, first), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	second, err := tempName(&quarry.Call{Key: "k", Attempt: 2}, x.ws.root)
	if err != nil || first == second {
		t.Fatal(second, err)
	}
	if _, err := os.Lstat(filepath.Join(x.dir, first)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is still there: %v", first, err)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"CON", "nul", "Aux.txt", "com1", "LPT9.log", "com\u00b2", "nul .txt", "CONOUT$"} {
		if !deviceName(name) || badName(name, true) == "" || badName(name, false) != "" {
			t.Errorf("%q is not known as a device, or refused where it is none", name)
		}
	}
	for _, name := range []string{"console", "com", "com10", "nully.txt", "lpt", "a.con"} {
		if deviceName(name) {
			t.Errorf("%q is taken for a device", name)
		}
	}
	for _, other := range []string{".QUARRY", ".quarry.", ".quarry ", ".qu\u200barry", ".\ufeffquarry", ".\uff51uarry"} {
		if !sameName(".quarry", other) {
			t.Errorf("%q is not known as .quarry", other)
		}
	}
	for _, other := range []string{"quarry", ".quarry2", ".quarr", "..quarry"} {
		if sameName(".quarry", other) {
			t.Errorf("%q is taken for .quarry", other)
		}
	}
}

func TestGlobPatterns(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pattern, name string
		want          bool
	}{
		{"*.go", "a.go", true}, {"*.go", "x/y/a.go", true}, {"./*.go", "a.go", true}, {"x/*.go", "x/a.go", true}, {"x/*.go", "x/y/a.go", false},
		{"**", "x/y", true}, {"x/**", "x/y/z", true}, {"x/**/z", "x/z", true}, {"x/**/z", "x/y/y/z", true}, {"**/y/*", "x/y/z", true}, {"**/y/*", "x/y", false},
		{"*.{md,txt}", "a.txt", true}, {"{a,b}/{c,d}", "b/c", true}, {"{a,b}/{c,d}", "b/e", false}, {"{a{1,2},b}", "a2", true}, {"[ab].c", "b.c", true}, {"?.c", "ab.c", false},
		{"src/", "src", true}, {"**/**/**/**/**/a", "b/b/b/b/b/b/b/b/b", false},
	} {
		p, err := newPattern(tt.pattern)
		if err != nil || p.match(tt.name) != tt.want {
			t.Errorf("%q fits %q: %v, %v; want %v", tt.pattern, tt.name, !tt.want, err, tt.want)
		}
	}
	if _, err := newPattern(strings.Repeat("{a,b}", 20)); err == nil {
		t.Error("a pattern that stands for a million is taken")
	}
}

// TestSwapped: what took a name between the look and the opening is not opened,
// even where it is inside the workspace.
func TestSwapped(t *testing.T) {
	t.Parallel()
	x := newTrap(t)
	root := x.ws.root
	for name, target := range map[string]string{"sub": ".quarry/deep", "a.txt": ".quarry/db"} {
		info, err := root.Lstat(name)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(x.dir, name)
		if err := errors.Join(os.Rename(file, file+".real"), os.Symlink(target, file)); err != nil {
			t.Fatal(err)
		}
		if info.IsDir() {
			_, err = openDir(root, name, info)
		} else {
			_, err = openFile(root, name, info)
		}
		if !errors.Is(err, errSwapped) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestReservedByAnyName: the reserved folder is recognised by what it is, where
// it is a link itself.
func TestReservedByAnyName(t *testing.T) {
	t.Parallel()
	x := newTrap(t)
	quarry := filepath.Join(x.dir, ".quarry")
	if err := errors.Join(os.Rename(quarry, filepath.Join(x.dir, "data")), os.Symlink("data", quarry)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"data/db", ".quarry/db", "sub/state/k", "in/../data/deep/k"} {
		if said := x.try(t, x.ws, name); strings.Contains(said, secret) || !strings.Contains(said, "reserved") {
			t.Errorf("%q: %s", name, said)
		}
	}
	if said := x.try(t, x.ws, "."); strings.Contains(said, secret) || strings.Contains(said, "data") {
		t.Errorf("it is shown: %s", said)
	}
}

// TestSecrets: what is secret is neither shown nor read nor written, by any name and
// whether it is there or not.
func TestSecrets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	write(".env", "KEY="+secret)
	write("conf/keys/a", secret)
	write("notes.txt", "nothing\n")
	if err := errors.Join(os.Link(filepath.Join(dir, ".env"), filepath.Join(dir, "hard")), os.Symlink(".env", filepath.Join(dir, "soft"))); err != nil {
		t.Skipf("there are no links here: %v", err)
	}
	ws, err := Open(Config{Dir: dir, Secret: []string{".env", "conf/keys", "later.txt"}})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	x := &trap{dir: dir, ws: ws}
	for _, name := range []string{".env", ".ENV", "./.env", "hard", "soft", "conf/keys/a", "conf/../.env", "later.txt"} {
		if said := x.try(t, ws, name); strings.Contains(said, secret) || !strings.Contains(said, "is kept from these tools") {
			t.Errorf("%q: %s", name, said)
		}
	}
	if said := x.try(t, ws, "."); strings.Contains(said, secret) || strings.Contains(said, ".env") || strings.Contains(said, "hard") {
		t.Errorf("it is shown: %s", said)
	}
	for _, name := range []string{".env", "hard", "conf/keys/a"} {
		if data, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.Contains(string(data), secret) {
			t.Errorf("%s was changed: %q, %v", name, data, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "later.txt")); err == nil {
		t.Error("a secret was written")
	}
	for _, bad := range []string{"../x", "/x", "."} {
		if _, err := Open(Config{Dir: dir, Secret: []string{bad}}); err == nil || !strings.Contains(err.Error(), "is not below the workspace") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
