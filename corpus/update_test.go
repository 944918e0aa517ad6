package corpus

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestUpdateIsIncremental(t *testing.T) {
	folder := lay(t, map[string]string{
		"a.md": "# Apples\n\nApples are red. See [pears](sub/b.html).", "sub/b.html": "<title>Pears</title><p>Pears are green.</p>", "c.txt": "Cherries\n\nCherries are dark.",
	})
	dir := t.TempDir()
	x := open(t, dir, Options{})
	if got := found(t, x, "apples"); got != nil {
		t.Errorf("an empty index finds %v", got)
	}
	update(t, x, folder, [4]int{3, 0, 0, 3})
	first := x.snap.generation
	update(t, x, folder, [4]int{0, 3, 0, 3})
	if x.snap.generation != first {
		t.Error("an Update without changes wrote a new generation")
	}

	put(t, folder, "d e/日本.md", "# 設定\n\n東京の設定を変更します。")           // added
	put(t, folder, "c.txt", "Cherries\n\nCherries are sour now.") // changed
	update(t, x, folder, [4]int{2, 2, 0, 4})
	if got := found(t, x, "sour"); !cmp.Equal(got, []string{"c"}) {
		t.Errorf("sour: %v", got)
	}
	if got := found(t, x, "dark"); got != nil {
		t.Errorf("the old text of c is still found in %v", got)
	}
	if got := found(t, x, "設定の変更"); !cmp.Equal(got, []string{"d e/日本"}) {
		t.Errorf("設定: %v", got)
	}

	if err := os.Rename(filepath.Join(folder, "sub", "b.html"), filepath.Join(folder, "sub", "z.html")); err != nil { // renamed
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(folder, "a.md")); err != nil { // deleted
		t.Fatal(err)
	}
	update(t, x, folder, [4]int{1, 2, 2, 3})
	if got := found(t, x, "green"); !cmp.Equal(got, []string{"sub/z"}) {
		t.Errorf("green: %v", got)
	}
	if got := found(t, x, "apples"); got != nil {
		t.Errorf("the deleted document, or its link to another, is still found in %v", got)
	}

	y := open(t, dir, Options{}) // another reader of the same directory
	if got := found(t, y, "sour"); !cmp.Equal(got, []string{"c"}) {
		t.Errorf("reopened: %v", got)
	}
	update(t, y, folder, [4]int{0, 3, 0, 3})
	put(t, folder, "c.txt", "Cherries\n\nCherries are expensive.")
	update(t, y, folder, [4]int{1, 2, 0, 3})
	if got := found(t, x, "sour"); !cmp.Equal(got, []string{"c"}) {
		t.Errorf("before Refresh: %v", got)
	}
	if err := x.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := found(t, x, "expensive"); !cmp.Equal(got, []string{"c"}) {
		t.Errorf("after Refresh: %v", got)
	}
	gens, err := filepath.Glob(filepath.Join(dir, "gen-*"))
	if err != nil || len(gens) != 1 {
		t.Errorf("generations left: %v, %v", gens, err)
	}
}

// An index that was updated step by step answers like one made at once.
func TestUpdateEqualsRebuild(t *testing.T) {
	folder := t.TempDir()
	stepwise := open(t, t.TempDir(), Options{PassageSize: 200})
	text := func(i, rev int) string {
		return fmt.Sprintf("# Note %d\n\nThe %s %s of [note](n%d.md) revision r%d.\n\n%s", i, []string{"red", "green", "blue"}[i%3],
			[]string{"server", "client", "table", "index"}[i%4], (i+7)%20, rev, strings.Repeat(fmt.Sprintf("More words about topic%d here. ", i%5), 5+i+9*(3-rev)))
	}
	for rev := range 4 {
		for i := range 20 {
			if (i+rev)%3 == 0 || rev == 0 {
				put(t, folder, fmt.Sprintf("n%d.md", i), text(i, rev))
			}
		}
		if rev == 2 {
			_ = os.Remove(filepath.Join(folder, "n4.md"))
		}
		if _, err := stepwise.Update(t.Context(), folder); err != nil {
			t.Fatal(err)
		}
	}
	fresh := open(t, t.TempDir(), Options{PassageSize: 200})
	if _, err := fresh.Update(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{"red server", "topic3", "note revision r2", "blue index of a note", "n7"} {
		a, err := stepwise.Search(t.Context(), q, 20)
		if err != nil {
			t.Fatal(err)
		}
		b, err := fresh.Search(t.Context(), q, 20)
		if err != nil {
			t.Fatal(err)
		}
		if len(a) == 0 {
			t.Errorf("%s: nothing found", q)
		}
		if diff := cmp.Diff(b, a); diff != "" {
			t.Errorf("%s (-fresh +stepwise):\n%s", q, diff)
		}
	}
	// Nothing is left in the store of what was removed.
	had, err := stepwise.snap.reader.DocCount()
	if err != nil {
		t.Fatal(err)
	}
	if want, err := fresh.snap.reader.DocCount(); err != nil || had != want {
		t.Errorf("the store holds %d records, want %d (%v)", had, want, err)
	}
	// Another passage size re-reads everything and leaves nothing of the old passages.
	wider := open(t, stepwise.dir, Options{PassageSize: 2000})
	report := update(t, wider, folder, [4]int{19, 0, 0, 19})
	if report.Passages != 19 || len(wider.snap.docOf) != 19 {
		t.Errorf("%d passages after the change of size, want 19", report.Passages)
	}
}

func TestUpdateReportsEverySkippedFile(t *testing.T) {
	outside := lay(t, map[string]string{"secret.md": "# Secret\n\noutside"})
	folder := lay(t, map[string]string{
		"good.md": "# Good\n\nreadable", "sub/also good.txt": "Also good", ".git/config.md": "# hidden", ".hidden.md": "hidden",
		"empty.md": "", "blank.txt": " \n ", "nul.md": strings.Repeat("\x00", 3000), "binary.md": "\x7fELF\x01\x02" + strings.Repeat("\x00\x01\xfe", 500),
		"big.txt": strings.Repeat("too much ", 20000), "only-nav.html": "<nav>Home</nav><script>x</script>", "pic.svg": "<svg/>", "README": "no extension", "data.tar.gz": "x",
	})
	huge, err := os.Create(filepath.Join(folder, "huge.md")) // 200 MB, sparse
	if err != nil {
		t.Fatal(err)
	}
	if err := huge.Truncate(200 << 20); err != nil {
		t.Fatal(err)
	}
	if err := huge.Close(); err != nil {
		t.Fatal(err)
	}
	links := map[string]string{
		"out.md": filepath.Join(outside, "secret.md"), "outdir": outside, "in.md": "good.md", "loop": ".", "sub/up": "..", "dangling.md": "nowhere.md", "self.md": "self.md",
	}
	for name, target := range links {
		if err := os.Symlink(target, filepath.Join(folder, filepath.FromSlash(name))); err != nil {
			t.Skipf("symbolic links: %v", err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(folder, "pipe.md"), 0o644); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"empty.md": "empty file", "blank.txt": "empty file", "nul.md": "binary content", "binary.md": "binary content",
		"big.txt": "too large: 180000 bytes, the limit is 100000", "huge.md": "too large: 209715200 bytes, the limit is 100000",
		"only-nav.html": "no text after extraction", "pic.svg": "unsupported type .svg", "README": "unsupported type: the name has no extension",
		"data.tar.gz": "unsupported type .gz", "out.md": "symbolic link that leaves the folder, not followed",
		"outdir": "symbolic link that leaves the folder, not followed", "in.md": "symbolic link, not followed: its target is read at its own place",
		"loop": "symbolic link, not followed: its target is read at its own place", "sub/up": "symbolic link, not followed: its target is read at its own place",
		"dangling.md": "symbolic link that leads nowhere, not followed", "self.md": "symbolic link that cannot be resolved, not followed", "pipe.md": "not a regular file",
	}
	if os.Getuid() != 0 { // root reads everything
		put(t, folder, "locked.md", "# Locked")
		if err := os.Chmod(filepath.Join(folder, "locked.md"), 0); err != nil {
			t.Fatal(err)
		}
		want["locked.md"] = "unreadable: permission denied"
	}
	x := open(t, filepath.Join(folder, "index"), Options{MaxFileBytes: 100000}) // the index inside the folder is passed over
	report := update(t, x, folder, [4]int{2, 0, 0, 2})
	got := map[string]string{}
	for i, s := range report.Skipped {
		got[s.Path] = s.Reason
		if i > 0 && s.Path < report.Skipped[i-1].Path {
			t.Error("the skipped files are not in order")
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("skipped (-want +got):\n%s", diff)
	}
	if got := found(t, x, "secret outside hidden"); got != nil {
		t.Errorf("what must not be read is found: %v", got)
	}
	update(t, x, folder, [4]int{0, 2, 0, 2})
	// A document that can no longer be read leaves the index, with its reason.
	put(t, folder, "good.md", "")
	report = update(t, x, folder, [4]int{0, 1, 1, 1})
	if !strings.Contains(fmt.Sprint(report.Skipped), "{good.md empty file}") {
		t.Errorf("skipped: %v", report.Skipped)
	}
}

func TestReadFileUnreadable(t *testing.T) {
	root, err := os.OpenRoot(lay(t, map[string]string{"d/x.md": "x", "big.md": "12345678901"}))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for name, want := range map[string]string{
		"gone.md": "unreadable: no such file or directory", "d": "not a regular file", "big.md": "too large: more than 10 bytes", "../x": "unreadable: path escapes from parent",
	} {
		if _, err := readFile(root, name, 10); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

func TestUpdateRefusesBadFolders(t *testing.T) {
	tests := []struct {
		name   string
		folder string
		want   error
		says   string
	}{
		{"missing", filepath.Join(t.TempDir(), "gone"), ErrNoFolder, "check the path"},
		{"a file", filepath.Join(lay(t, map[string]string{"f.md": "x"}), "f.md"), ErrNoFolder, "name the folder"},
		{"empty", t.TempDir(), ErrNothingToIndex, "none of its 0 files"},
		{"nothing readable", lay(t, map[string]string{"a.svg": "x", "b.md": ""}), ErrNothingToIndex, "none of its 2 files"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			x := open(t, t.TempDir(), Options{})
			update(t, x, lay(t, map[string]string{"kept.md": "# Kept"}), [4]int{1, 0, 0, 1})
			report, err := x.Update(t.Context(), test.folder)
			if !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), test.folder) {
				t.Errorf("got %v", err)
			}
			if test.want == ErrNothingToIndex && report == nil {
				t.Error("no report of what was skipped")
			}
			if x.Count() != 1 {
				t.Error("the index was changed")
			}
		})
	}
}

func TestUpdateStopsWhenCancelled(t *testing.T) {
	files := map[string]string{}
	for i := range 120 {
		files[fmt.Sprintf("%03d.html", i)] = "<p>word" + strings.Repeat(fmt.Sprintf(" <b>text%d</b> more", i), 600) + "</p>"
	}
	folder := lay(t, files)
	x := open(t, t.TempDir(), Options{})
	update(t, x, lay(t, map[string]string{"early.md": "# Early"}), [4]int{1, 0, 0, 1})
	goroutines := runtime.NumGoroutine()

	stop := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(20*time.Millisecond, func() { cancel(stop) })
	start := time.Now()
	_, err := x.Update(ctx, folder)
	if !errors.Is(err, stop) {
		t.Fatalf("got %v after %v, want the cause of the cancellation", err, time.Since(start))
	}
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("Update stopped only after %v", d)
	}
	if got := found(t, x, "early"); !cmp.Equal(got, []string{"early"}) {
		t.Errorf("the index after the cancellation: %v", got)
	}
	if n := runtime.NumGoroutine(); n > goroutines+2 {
		t.Errorf("%d goroutines, %d before", n, goroutines)
	}
	if y := open(t, x.dir, Options{}); y.Count() != 1 {
		t.Errorf("%d documents on disk", y.Count())
	}
	update(t, x, folder, [4]int{120, 0, 1, 120})
	if _, err := x.Search(ctx, "word", 1); !errors.Is(err, stop) {
		t.Errorf("a search under a dead context: %v", err)
	}
}

func TestIDs(t *testing.T) {
	tests := []struct{ paths, ids []string }{
		{[]string{"a.md", "sub dir/é中.html"}, []string{"a", "sub dir/é中"}},
		{[]string{"a.html", "a.md", "b.md"}, []string{"a.html", "a.md", "b"}},
		{[]string{"a.html", "a.md", "a.md.txt"}, []string{"a.html", "a.md", "a.md.txt"}},
		{[]string{"v1.2.md", "v1.3.md"}, []string{"v1.2", "v1.3"}},
		{[]string{"a.MD", "a.md"}, []string{"a.MD", "a.md"}},
	}
	for _, test := range tests {
		var files []source
		for _, p := range test.paths {
			files = append(files, source{path: p})
		}
		assignIDs(files)
		var ids []string
		for _, f := range files {
			ids = append(ids, f.id)
		}
		if diff := cmp.Diff(test.ids, ids); diff != "" {
			t.Errorf("%v (-want +got):\n%s", test.paths, diff)
		}
	}
	// A second file with the same name changes the id of the first.
	folder := lay(t, map[string]string{"a.md": "# Alpha"})
	x := open(t, t.TempDir(), Options{})
	update(t, x, folder, [4]int{1, 0, 0, 1})
	put(t, folder, "a.txt", "Beta")
	update(t, x, folder, [4]int{2, 0, 1, 2})
	if got := found(t, x, "alpha"); !cmp.Equal(got, []string{"a.md"}) {
		t.Errorf("alpha: %v", got)
	}
}

func TestProgress(t *testing.T) {
	folder := t.TempDir()
	var told [][2]int
	x := open(t, t.TempDir(), Options{OnProgress: func(done, total int) { told = append(told, [2]int{done, total}) }})
	put(t, folder, "a.txt", "Apples.")
	put(t, folder, "b.png", "\x00")
	put(t, folder, "c.txt", "Cherries.")
	update(t, x, folder, [4]int{2, 0, 0, 2})
	if want := [][2]int{{1, 2}, {2, 2}}; !cmp.Equal(told, want) {
		t.Errorf("told %v, want %v", told, want)
	}
	told = nil
	update(t, x, folder, [4]int{0, 2, 0, 2})
	if told != nil {
		t.Errorf("of unchanged files is told %v", told)
	}
	put(t, folder, "c.txt", "Cherries are sour.")
	update(t, x, folder, [4]int{1, 1, 0, 2})
	if want := [][2]int{{2, 2}}; !cmp.Equal(told, want) {
		t.Errorf("told %v, want %v", told, want)
	}
}
