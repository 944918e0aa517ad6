package blob

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func openFiles(tb testing.TB) *Files {
	tb.Helper()
	f, err := Open(filepath.Join(tb.TempDir(), "home", "blobs"))
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

func put(tb testing.TB, f *Files, data []byte) (ref string) {
	tb.Helper()
	ref, err := f.Put(tb.Context(), data)
	if err != nil {
		tb.Fatal(err)
	}
	if ref != Ref(data) {
		tb.Fatalf("Put returned %s, want %s", ref, Ref(data))
	}
	return ref
}

// refs lists the blobs.
func refs(tb testing.TB, f *Files) []string {
	tb.Helper()
	var all []string
	for info, err := range f.List(tb.Context()) {
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, info.Ref)
	}
	return all
}

// leftovers are the names of files that are not blobs.
func leftovers(tb testing.TB, f *Files) (names []string) {
	tb.Helper()
	err := filepath.WalkDir(f.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Dir(path) == f.dir {
			names = append(names, d.Name())
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		tb.Fatal(err)
	}
	return names
}

func TestPutAndGet(t *testing.T) {
	t.Parallel()
	for name, data := range map[string][]byte{
		"empty":  {},
		"text":   []byte("abc"),
		"binary": {0, 255, '\r', '\n', 26},
		"large":  bytes.Repeat([]byte("All work and no play. "), 1<<17),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := openFiles(t)
			if got := refs(t, f); len(got) != 0 {
				t.Errorf("a new folder has %v", got)
			}
			if _, err := os.Stat(f.dir); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("Open or List has made the folder: %v", err)
			}
			ref := put(t, f, data)
			got, err := f.Get(t.Context(), ref)
			if err != nil || !bytes.Equal(got, data) {
				t.Errorf("Get returned %d bytes and %v, want %d", len(got), err, len(data))
			}
			digits := strings.TrimPrefix(ref, "sha256:")
			stored, err := os.ReadFile(filepath.Join(f.dir, digits[:2], digits))
			if err != nil || !bytes.Equal(stored, data) {
				t.Errorf("the file has %d bytes, %v", len(stored), err)
			}
			other, err := Open(f.dir)
			if err != nil {
				t.Fatal(err)
			}
			if got, err = other.Get(t.Context(), ref); err != nil || !bytes.Equal(got, data) {
				t.Errorf("Get of another returned %d bytes and %v, want %d", len(got), err, len(data))
			}
			if left := leftovers(t, f); left != nil {
				t.Errorf("Put has left %v", left)
			}
		})
	}
}

func TestPrivate(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such permissions")
	}
	f := openFiles(t)
	path := f.path(put(t, f, []byte("abc")))
	for path, want := range map[string]fs.FileMode{path: 0o600, filepath.Dir(path): 0o700, f.dir: 0o700, filepath.Dir(f.dir): 0o700} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", path, got, want)
		}
	}
}

func TestPutAgainWritesNothing(t *testing.T) {
	t.Parallel()
	f := openFiles(t)
	path := f.path(put(t, f, []byte("abc")))
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	put(t, f, []byte("abc"))
	after, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if !os.SameFile(before, after) {
		t.Error("the file was replaced")
	}
	if got := refs(t, f); len(got) != 1 {
		t.Errorf("there are %d blobs, want one", len(got))
	}
}

func TestReadAt(t *testing.T) {
	t.Parallel()
	f := openFiles(t)
	ref := put(t, f, []byte("0123456789"))
	tests := []struct {
		off  int64
		n    int
		want string
	}{
		{0, 10, "0123456789"}, {0, 3, "012"}, {4, 3, "456"}, {7, 3, "789"}, {7, 4, "789"},
		{9, 1 << 62, "9"}, {10, 1, ""}, {1 << 62, 1, ""}, {3, 0, ""},
	}
	for _, test := range tests {
		got, size, err := f.ReadAt(t.Context(), ref, test.off, test.n)
		if string(got) != test.want || size != 10 || err != nil {
			t.Errorf("ReadAt(%d, %d) = %q, %d, %v; want %q, 10", test.off, test.n, got, size, err, test.want)
		}
	}
	for _, bad := range [][2]int{{-1, 1}, {0, -1}} {
		if _, _, err := f.ReadAt(t.Context(), ref, int64(bad[0]), bad[1]); err == nil {
			t.Errorf("ReadAt(%d, %d) has no error", bad[0], bad[1])
		}
	}
	empty := put(t, f, nil)
	if got, size, err := f.ReadAt(t.Context(), empty, 0, 5); len(got) != 0 || size != 0 || err != nil {
		t.Errorf("ReadAt of the empty blob = %q, %d, %v", got, size, err)
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	f := openFiles(t)
	want := map[string]int64{}
	for i := range 300 {
		data := bytes.Repeat([]byte{byte(i)}, i)
		want[put(t, f, data)] = int64(i)
	}
	other := filepath.Join(f.dir, strings.Repeat("f", 64))
	for _, name := range []string{
		filepath.Join(f.dir, "tmp-123"), filepath.Join(f.dir, "README"), other,
		filepath.Join(f.dir, "ab", ".DS_Store"), filepath.Join(f.dir, "ab", strings.Repeat("f", 64)), filepath.Join(f.dir, "ab", "ab"+strings.Repeat("F", 62)),
		filepath.Join(f.dir, "abc", "abc"+strings.Repeat("0", 61)), filepath.Join(f.dir, "notes", "ab"+strings.Repeat("f", 62)),
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("not a blob"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(f.dir, "ab", "ab"+strings.Repeat("0", 62)), 0o700); err != nil {
		t.Fatal(err)
	}
	var got []string
	for info, err := range f.List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if size, ok := want[info.Ref]; !ok || size != info.Size || info.ModTime.IsZero() {
			t.Errorf("List gave %+v; want size %d", info, size)
		}
		got = append(got, info.Ref)
	}
	if len(got) != len(want) || !slices.IsSorted(got) {
		t.Errorf("List gave %d blobs, sorted: %v; want %d", len(got), slices.IsSorted(got), len(want))
	}
	for range f.List(t.Context()) {
		break // must not panic
	}
}

// Blobs may be deleted while they are listed.
func TestListWhileDeleting(t *testing.T) {
	t.Parallel()
	f := openFiles(t)
	for i := range 600 { // some folders have several
		put(t, f, fmt.Append(nil, i))
	}
	before, fan := refs(t, f), ""
	var got []string
	for info, err := range f.List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, info.Ref)
		if next := info.Ref[:len(scheme)+2]; next != fan {
			fan = next
			for _, ref := range before {
				if strings.HasPrefix(ref, fan) && ref != info.Ref {
					if err := f.Delete(t.Context(), ref); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
	if after := refs(t, f); len(after) == len(before) || !slices.Equal(got, after) {
		t.Errorf("List gave %d blobs; %d of %d are left", len(got), len(after), len(before))
	}
}

func TestDelete(t *testing.T) {
	t.Parallel()
	f := openFiles(t)
	kept, gone := put(t, f, []byte("kept")), put(t, f, []byte("gone"))
	if err := f.Delete(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	if got := refs(t, f); !slices.Equal(got, []string{kept}) {
		t.Errorf("there are %v, want %s", got, kept)
	}
	for op, call := range calls(f, gone) {
		if err := call(t.Context()); !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), f.dir) || !strings.Contains(err.Error(), gone) {
			t.Errorf("%s returned %v, want ErrNotFound with folder and blob", op, err)
		}
	}
	put(t, f, []byte("gone"))
	if _, err := f.Get(t.Context(), gone); err != nil {
		t.Errorf("a blob that was put again is not there: %v", err)
	}
}

// calls are the methods that take a reference.
func calls(f *Files, ref string) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"Get":    func(ctx context.Context) error { _, err := f.Get(ctx, ref); return err },
		"ReadAt": func(ctx context.Context) error { _, _, err := f.ReadAt(ctx, ref, 0, 1); return err },
		"Delete": func(ctx context.Context) error { return f.Delete(ctx, ref) },
	}
}

// A reference from elsewhere leads to no file but a blob's.
func TestBadRefs(t *testing.T) {
	t.Parallel()
	f := openFiles(t)
	put(t, f, nil)
	secret := filepath.Join(filepath.Dir(f.dir), "secret")
	if err := os.WriteFile(secret, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{"", "sha256:", "sha256:..", "sha256:../../secret", secret, strings.TrimPrefix(Ref(nil), "sha256:")} {
		for op, call := range calls(f, ref) {
			err := call(t.Context())
			if want := CheckRef(ref); err == nil || err.Error() != want.Error() {
				t.Errorf("%s of %q returned %v, want %v", op, ref, err, want)
			}
		}
	}
	if _, err := os.Stat(secret); err != nil {
		t.Error(err)
	}
}

func TestEndedContext(t *testing.T) {
	t.Parallel()
	f := openFiles(t)
	ref := put(t, f, []byte("abc"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	all := calls(f, ref)
	all["Put"] = func(ctx context.Context) error { _, err := f.Put(ctx, []byte("other")); return err }
	all["List"] = func(ctx context.Context) (err error) {
		for _, err = range f.List(ctx) {
		}
		return err
	}
	for op, call := range all {
		if err := call(ctx); err != context.Canceled {
			t.Errorf("%s returned %v, want the context's error", op, err)
		}
	}
	if got := refs(t, f); !slices.Equal(got, []string{ref}) {
		t.Errorf("there are %v, want %s", got, ref)
	}
}

func TestDamaged(t *testing.T) {
	t.Parallel()
	data := []byte("When was the lighthouse of Kõpu first lit?")
	flipped := bytes.Clone(data)
	flipped[7] ^= 1
	tests := []struct {
		name string
		data []byte
		// mended tells that the next Put sees the damage.
		mended bool
	}{
		{"a bit", flipped, false},
		{"cut", data[:20], true},
		{"empty", nil, true},
		{"longer", append(bytes.Clone(data), '\n'), true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := openFiles(t)
			ref := put(t, f, data)
			if err := os.WriteFile(f.path(ref), test.data, 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := f.Get(t.Context(), ref)
			var damaged *DamagedError
			if !errors.As(err, &damaged) || got != nil {
				t.Fatalf("Get returned %q and %v, want a DamagedError", got, err)
			}
			if want := (DamagedError{Path: f.path(ref), Ref: ref, Found: Ref(test.data)}); *damaged != want {
				t.Errorf("got %+v, want %+v", *damaged, want)
			}
			for _, part := range []string{ref, f.path(ref), Ref(test.data), "delete the file"} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not say %q", err, part)
				}
			}
			if !test.mended {
				if err := f.Delete(t.Context(), ref); err != nil {
					t.Fatal(err)
				}
			}
			put(t, f, data)
			if got, err := f.Get(t.Context(), ref); err != nil || !bytes.Equal(got, data) {
				t.Errorf("mended, Get returned %q and %v", got, err)
			}
		})
	}
}

func TestPutAtOnce(t *testing.T) {
	t.Parallel()
	f := openFiles(t)
	other, err := Open(f.dir)
	if err != nil {
		t.Fatal(err)
	}
	const writers, blobs = 16, 20
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			mine := []*Files{f, other}[w%2]
			for i := range blobs {
				for _, data := range []string{fmt.Sprint("shared ", i), fmt.Sprint("own ", w, i)} {
					ref, err := mine.Put(t.Context(), []byte(data))
					if err != nil {
						t.Error(err)
						return
					}
					if got, err := mine.Get(t.Context(), ref); err != nil || string(got) != data {
						t.Errorf("Get returned %q and %v, want %q", got, err, data)
					}
				}
			}
		})
	}
	wg.Wait()
	if got := len(refs(t, f)); got != blobs+writers*blobs {
		t.Errorf("there are %d blobs, want %d", got, blobs+writers*blobs)
	}
	if left := leftovers(t, f); left != nil {
		t.Errorf("the Puts have left %v", left)
	}
}

func TestLeftovers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	begin := time.Now()
	now := begin
	old, young := filepath.Join(dir, "tmp-old"), filepath.Join(dir, "tmp-young")
	alien, folder := filepath.Join(dir, "alien"), filepath.Join(dir, "tmp-folder")
	for path, age := range map[string]time.Duration{old: 61 * time.Minute, young: 59 * time.Minute, alien: 99 * time.Hour, folder: 99 * time.Hour} {
		var err error
		if path == folder {
			err = os.Mkdir(path, 0o700)
		} else {
			err = os.WriteFile(path, []byte("half a bl"), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	check := func(when string, path string, want bool) {
		t.Helper()
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s, %s is there: %v, want %v", when, filepath.Base(path), err == nil, want)
		}
	}
	f, err := open(dir, func() time.Time { return now }, (*os.File).Sync)
	if err != nil {
		t.Fatal(err)
	}
	check("after Open", old, false)
	check("after Open", young, true)
	if got := refs(t, f); len(got) != 0 {
		t.Errorf("List takes leftovers for blobs: %v", got)
	}
	now = begin.Add(59 * time.Minute)
	put(t, f, []byte("soon"))
	check("after a Put within the hour", young, true)
	now = begin.Add(61 * time.Minute)
	put(t, f, []byte("later"))
	check("after a later Put", young, false)
	check("after all", alien, true)
	check("after all", folder, true)
	if got := refs(t, f); len(got) != 2 {
		t.Errorf("there are %d blobs, want 2", len(got))
	}
}
