package corpus

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func small(t testing.TB) *Index {
	t.Helper()
	x := open(t, t.TempDir(), Options{})
	update(t, x, lay(t, map[string]string{
		"sql-vacuum.md":          "# VACUUM\n\nVACUUM reclaims storage occupied by dead tuples. The parameter max_connections is not related.",
		"sql-analyze.md":         "# ANALYZE\n\nANALYZE collects statistics. It uses the file server.crt never, and --verbose sometimes.",
		"guide/routine-tasks.md": "# Routine tasks\n\nVacuuming daily is routine.\n\n## Errors\n\nError 23505 means a duplicate key.\n\n## Quotes\n\nUse “typographic” quotes.",
		"zh/设置.md":               "# 设置\n\n默认端口可以在配置文件中修改。",
		"ja/settings.md":         "# 設定\n\nデータベースの設定を変更します。",
		"ko/settings.md":         "# 설정\n\n데이터베이스 설정을 변경합니다.",
	}), [4]int{6, 0, 0, 6})
	return x
}

func TestSearchFinds(t *testing.T) {
	x := small(t)
	tests := []struct{ query, want string }{
		{"max_connections", "sql-vacuum"}, {"connections", "sql-vacuum"}, {"MAX_CONNECTIONS?", "sql-vacuum"},
		{"server.crt", "sql-analyze"}, {"crt", "sql-analyze"}, {"--verbose", "sql-analyze"}, {"verbose", "sql-analyze"},
		{"23505", "guide/routine-tasks"}, {"duplicates", "guide/routine-tasks"}, {"vacuumed", "sql-vacuum"},
		{"默认端口", "zh/设置"}, {"怎样修改配置？", "zh/设置"}, {"設定の変更", "ja/settings"}, {"데이터베이스 변경", "ko/settings"},
		{"remove the deduplicated statistic", "sql-analyze"}, {"统计信息", "sql-analyze"}, {"routine", "guide/routine-tasks"},
	}
	for _, test := range tests {
		if got := found(t, x, test.query); len(got) == 0 || got[0] != test.want {
			t.Errorf("%q finds %v, want %s first", test.query, got, test.want)
		}
	}
	for _, q := range []string{"", "the of and", "???", "zyzzyva", "\xff\xfe", strings.Repeat("\x00", 10)} {
		if got := found(t, x, q); got != nil {
			t.Errorf("%q finds %v", q, got)
		}
	}
	hits, err := x.Search(t.Context(), "vacuum statistics error", 2)
	if err != nil || len(hits) != 2 {
		t.Errorf("a limit of 2: %d hits, %v", len(hits), err)
	}
	hits, err = x.Search(t.Context(), "duplicate key error", 1)
	if err != nil || len(hits) != 1 || !cmp.Equal(hits[0].Heading, []string{"Routine tasks", "Errors"}) {
		t.Errorf("the heading path of the snippet: %+v, %v", hits, err)
	}
}

func TestDocument(t *testing.T) {
	x := small(t)
	doc, err := x.Document(t.Context(), "guide/routine-tasks")
	if err != nil {
		t.Fatal(err)
	}
	want := "Routine tasks\n\nVacuuming daily is routine.\n\nErrors\n\nError 23505 means a duplicate key.\n\nQuotes\n\nUse “typographic” quotes."
	if doc.Text != want || doc.Title != "Routine tasks" || doc.Path != "guide/routine-tasks.md" || doc.Format != "markdown" || len(doc.Hash) != 64 {
		t.Errorf("got %+v", doc)
	}
	if s, ok := doc.SectionAt(strings.Index(doc.Text, "23505")); !ok || s.Heading != "Errors" || !strings.HasPrefix(doc.Text[s.Start:s.End], "Errors\n") {
		t.Errorf("section at 23505: %+v", s)
	}
	if _, ok := doc.SectionAt(len(doc.Text)); ok {
		t.Error("a section beyond the text")
	}
	doc.Sections[0].Heading = "scribbled"
	if again, _ := x.Document(t.Context(), "guide/routine-tasks"); again.Sections[0].Heading != "Routine tasks" {
		t.Error("a caller's change shows in the index")
	}
	var ids []string
	for d := range x.Documents() {
		ids = append(ids, d.ID)
	}
	if diff := cmp.Diff([]string{"guide/routine-tasks", "ja/settings", "ko/settings", "sql-analyze", "sql-vacuum", "zh/设置"}, ids); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
	for range x.Documents() {
		break
	}
}

func TestNoDocumentNamesNearOnes(t *testing.T) {
	x := small(t)
	tests := []struct {
		id   string
		near []string
	}{
		{"SQL-Vacuum", []string{"sql-vacuum"}},
		{"sql-vacuum.md", []string{"sql-vacuum"}},
		{"sql-vacum", []string{"sql-vacuum", "sql-analyze"}},
		{"settings", []string{"ja/settings", "ko/settings"}},
		{"routine-tasks", []string{"guide/routine-tasks"}},
		{"sql-", []string{"sql-vacuum", "sql-analyze"}},
		{"vacuuming", []string{"sql-vacuum"}},
		{"zh/设定", []string{"zh/设置"}},
		{"", nil},
		{"completely else", nil},
	}
	for _, test := range tests {
		_, err := x.Document(t.Context(), test.id)
		var missing *NoDocumentError
		if !errors.Is(err, ErrNoDocument) || !errors.As(err, &missing) || missing.ID != test.id {
			t.Fatalf("%q: %v", test.id, err)
		}
		for i, want := range test.near {
			if i >= len(missing.Near) || missing.Near[i] != want {
				t.Errorf("%q: near %v, want %v first", test.id, missing.Near, test.near)
				break
			}
		}
		if test.near == nil && missing.Near != nil {
			t.Errorf("%q: near %v, want none", test.id, missing.Near)
		}
	}
	if _, err := x.Passages(t.Context(), "nope", "q", 1); !errors.Is(err, ErrNoDocument) {
		t.Errorf("passages of no document: %v", err)
	}
}

func TestPassages(t *testing.T) {
	var sb strings.Builder
	sb.WriteString("# Long\n")
	for i := range 30 {
		fmt.Fprintf(&sb, "\n## Part %d\n\n%s The colour of part %d is %s.\n", i, strings.Repeat("Filler words go here. ", 30), i, []string{"red", "green", "blue"}[i%3])
	}
	x := open(t, t.TempDir(), Options{PassageSize: 500})
	update(t, x, lay(t, map[string]string{"long.md": sb.String()}), [4]int{1, 0, 0, 1})
	all, err := x.Passages(t.Context(), "long", "which part is number 17, colour blue?", 0)
	if err != nil {
		t.Fatal(err)
	}
	doc, _ := x.Document(t.Context(), "long")
	total := 0
	for i, p := range all {
		if doc.Text[p.Start:p.End] != p.Text || len(p.Heading) == 0 || i > 0 && p.Score > all[i-1].Score {
			t.Errorf("passage %d: %+v", i, p)
		}
		total += len(p.Text)
	}
	if total != len(doc.Text) {
		t.Errorf("the passages hold %d bytes of %d", total, len(doc.Text))
	}
	if h := all[0].Heading; h[len(h)-1] != "Part 17" {
		t.Errorf("the best passage is under %q", h)
	}
	two, err := x.Passages(t.Context(), "long", "blue", 2)
	if err != nil || len(two) != 2 || two[0].Score == 0 {
		t.Errorf("two passages: %v, %v", two, err)
	}
	none, err := x.Passages(t.Context(), "long", "zyzzyva", 3)
	if err != nil || len(none) != 3 || none[0].Start != 0 || none[0].Score != 0 {
		t.Errorf("no word occurs: %v, %v", none, err)
	}
}

func TestTerms(t *testing.T) {
	x := small(t)
	got, err := x.Terms(t.Context(), "Is VACUUM like vacuuming max_connections in PgBouncer 设置?")
	if err != nil {
		t.Fatal(err)
	}
	want := []Term{
		{"vacuum", "VACUUM", 2}, {"like", "like", 0}, {"max", "max", 1}, {"connect", "connections", 1}, {"max_connections", "max_connections", 1},
		{"pgbouncer", "PgBouncer", 0}, {"设置", "设置", 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("terms (-want +got):\n%s", diff)
	}
	if got, err := open(t, t.TempDir(), Options{}).Terms(t.Context(), "vacuum"); err != nil || !cmp.Equal(got, []Term{{"vacuum", "vacuum", 0}}) {
		t.Errorf("an empty index: %v, %v", got, err)
	}
}

func TestClosedIndex(t *testing.T) {
	x, err := Open(t.Context(), t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
	_, search := x.Search(t.Context(), "a", 1)
	_, document := x.Document(t.Context(), "a")
	_, passages := x.Passages(t.Context(), "a", "a", 1)
	_, terms := x.Terms(t.Context(), "a")
	_, upd := x.Update(t.Context(), t.TempDir())
	for i, err := range []error{search, document, passages, terms, upd, x.Refresh(t.Context())} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("call %d after Close: %v", i, err)
		}
	}
	if x.Count() != 0 {
		t.Error("a closed index counts documents")
	}
}

func TestOpenRefuses(t *testing.T) {
	if _, err := Open(t.Context(), t.TempDir(), Options{PassageSize: 5}); err == nil {
		t.Error("a passage size of 5 is accepted")
	}
	if _, err := Open(t.Context(), t.TempDir(), Options{MaxFileBytes: -1}); err == nil {
		t.Error("a negative size is accepted")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Open(ctx, t.TempDir(), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a dead context: %v", err)
	}
	file := filepath.Join(lay(t, map[string]string{"f": "x"}), "f")
	if _, err := Open(t.Context(), file, Options{}); err == nil {
		t.Error("a file is accepted as the index's directory")
	}
	if _, err := Open(t.Context(), lay(t, map[string]string{"notes.md": "mine"}), Options{}); !errors.Is(err, ErrDamaged) {
		t.Errorf("a directory of other files: %v", err)
	}
}

// Every way to break an index on disk is an error that says what to do, never a panic or a wrong answer.
func TestOpenDamaged(t *testing.T) {
	folder := lay(t, map[string]string{"a.md": "# Alpha\n\ntext", "b.md": "# Beta\n\nmore [a](a.md)"})
	edit := func(glob string, change func(string) error) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			names, err := filepath.Glob(filepath.Join(dir, glob))
			if err != nil || len(names) == 0 {
				t.Fatalf("%s: %v, %v", glob, names, err)
			}
			if err := change(names[0]); err != nil {
				t.Fatal(err)
			}
		}
	}
	write := func(text string) func(string) error {
		return func(name string) error { return os.WriteFile(name, []byte(text), 0o644) }
	}
	truncate := func(name string) error { return os.Truncate(name, 100) }
	flip := func(name string) error {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		data[len(data)/2] ^= 0x40
		return os.WriteFile(name, data, 0o644)
	}
	replace := func(old, new string) func(string) error {
		return func(name string) error {
			data, err := os.ReadFile(name)
			if err != nil || !strings.Contains(string(data), old) {
				return fmt.Errorf("%q is not in %s: %w", old, name, err)
			}
			return os.WriteFile(name, []byte(strings.Replace(string(data), old, new, 1)), 0o644)
		}
	}
	tests := []struct {
		name string
		harm func(*testing.T, string)
		want error
	}{
		{"another format", edit("CURRENT", replace(`"format":2`, `"format":7`)), ErrVersion},
		{"CURRENT mangled", edit("CURRENT", write("garbage")), ErrDamaged},
		{"CURRENT leads out", edit("CURRENT", write(`{"format":2,"generation":"../x"}`)), ErrDamaged},
		{"CURRENT empty", edit("CURRENT", write("")), ErrDamaged},
		{"CURRENT names nothing", edit("CURRENT", write(`{"format":2,"generation":"gen-999999"}`)), ErrDamaged},
		{"manifest gone", edit("gen-*/manifest.json", os.Remove), ErrDamaged},
		{"manifest cut", edit("gen-*/manifest.json", truncate), ErrDamaged},
		{"manifest with a wrong cut", edit("gen-*/manifest.json", replace(`"cuts":[11]`, `"cuts":[99]`)), ErrDamaged},
		{"manifest with a foreign path", edit("gen-*/manifest.json", replace(`"name":"store/`, `"name":"../../store/`)), ErrDamaged},
		{"manifest with another document", edit("gen-*/manifest.json", replace(`"id":"a"`, `"id":"q"`)), ErrDamaged},
		{"segment gone", edit("gen-*/store/store/*.zap", os.Remove), ErrDamaged},
		{"segment cut", edit("gen-*/store/store/*.zap", truncate), ErrDamaged},
		{"segment flipped", edit("gen-*/store/store/*.zap", flip), ErrDamaged},
		{"bolt flipped", edit("gen-*/store/store/root.bolt", flip), ErrDamaged},
		{"store's meta gone", edit("gen-*/store/index_meta.json", os.Remove), ErrDamaged},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			x, err := Open(t.Context(), dir, Options{})
			if err != nil {
				t.Fatal(err)
			}
			update(t, x, folder, [4]int{2, 0, 0, 2})
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
			test.harm(t, dir)
			y, err := Open(t.Context(), dir, Options{})
			if err == nil {
				_ = y.Close()
			}
			if !errors.Is(err, test.want) || !strings.Contains(err.Error(), "delete the directory and index the folder again") || !strings.Contains(err.Error(), dir) {
				t.Fatalf("got %v", err)
			}
			if err := os.RemoveAll(dir); err != nil { // what the error says
				t.Fatal(err)
			}
			update(t, open(t, dir, Options{}), folder, [4]int{2, 0, 0, 2})
		})
	}
}

func TestSecondUpdateIsRefused(t *testing.T) {
	x := small(t)
	release, err := lock(x.dir) // what another process holds while it updates
	if err != nil {
		t.Fatal(err)
	}
	folder := lay(t, map[string]string{"new.md": "# New"})
	if _, err := x.Update(t.Context(), folder); !errors.Is(err, ErrLocked) {
		t.Errorf("an update beside another: %v", err)
	}
	y := open(t, x.dir, Options{}) // opening and searching works meanwhile
	if got := found(t, y, "statistics"); len(got) == 0 || got[0] != "sql-analyze" {
		t.Errorf("a search beside an update: %v", got)
	}
	release()
	update(t, x, folder, [4]int{1, 0, 6, 1})
	if got := found(t, y, "statistics"); len(got) == 0 {
		t.Error("the open index lost its files")
	}
}

// What a killed Update leaves is no obstacle.
func TestLeftoversOfAnInterruptedUpdate(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "gen-000001/store/store/root.bolt", "half")
	put(t, dir, "CURRENT.new", "{")
	x := open(t, dir, Options{})
	update(t, x, lay(t, map[string]string{"a.md": "# A word"}), [4]int{1, 0, 0, 1})
	if got := found(t, x, "word"); !cmp.Equal(got, []string{"a"}) {
		t.Errorf("got %v", got)
	}
}

func TestSearchBesideUpdates(t *testing.T) {
	x := small(t)
	folders := []string{lay(t, map[string]string{"one.md": "# Word one"}), lay(t, map[string]string{"two.md": "# Word two", "three.md": "word"})}
	update(t, x, folders[0], [4]int{1, 0, 6, 1})
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				hits, err := x.Search(t.Context(), "word", 10)
				if err != nil || len(hits) == 0 {
					t.Errorf("%d hits, %v", len(hits), err)
					return
				}
				if _, err := x.Terms(t.Context(), "word"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range 6 {
		if _, err := x.Update(t.Context(), folders[i%2]); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	wg.Wait()
}
