package blob

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// The test binary is also the other processes: these variables make it one.
const (
	childDir   = "QUARRY_BLOB_TEST_DIR"
	childCrash = "QUARRY_BLOB_TEST_CRASH"
)

// crashed is the exit code of a child that has crashed as it should.
const crashed = 7

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		if err := child(dir); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// child puts blobs, most of them those of all children, and prints each once it
// is durable. It crashes before or after the sync that it is told.
func child(dir string) error {
	place, after := strings.CutPrefix(os.Getenv(childCrash), "after ")
	crash, err := strconv.Atoi(place)
	if err != nil {
		return err
	}
	syncs := 0
	f, err := open(dir, time.Now, func(file *os.File) error {
		if syncs++; syncs == crash && !after {
			os.Exit(crashed)
		}
		err := file.Sync()
		if syncs == crash {
			os.Exit(crashed)
		}
		return err
	})
	if err != nil {
		return err
	}
	for i := range 20 {
		for _, data := range [][]byte{large(i), []byte(fmt.Sprint(os.Getpid(), " ", i))} {
			ref, err := f.Put(context.Background(), data)
			if err != nil {
				return err
			}
			fmt.Println("put", ref)
		}
	}
	return nil
}

// large is a blob that takes more than one write of the disk.
func large(i int) []byte { return bytes.Repeat([]byte(fmt.Sprint("shared ", i, " ")), 20_000) }

// start runs a child and returns the blobs that were durable.
func start(t *testing.T, dir, crash string, want int) (durable []string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir, childCrash+"="+crash)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || cmd.ProcessState.ExitCode() != want {
		t.Errorf("a child ended with %v, want %d: %s", err, want, out)
	}
	for line := range strings.Lines(string(out)) {
		if ref, ok := strings.CutPrefix(line, "put "); ok {
			durable = append(durable, strings.TrimSpace(ref))
		}
	}
	return durable
}

func TestProcesses(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "b", "blobs")
	const children = 4
	var wg sync.WaitGroup
	for range children {
		wg.Go(func() {
			if got := len(start(t, dir, "0", 0)); got != 40 {
				t.Errorf("a child has put %d blobs, want 40", got)
			}
		})
	}
	wg.Wait()
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := refs(t, f)
	if want := 20 + 20*children; len(all) != want {
		t.Errorf("there are %d blobs, want %d", len(all), want)
	}
	for _, ref := range all {
		if _, err := f.Get(t.Context(), ref); err != nil {
			t.Error(err)
		}
	}
	if left := leftovers(t, f); left != nil {
		t.Errorf("the children have left %v", left)
	}
}

// TestCrash ends a process around each of its first syncs. What there is then is
// whole, what was durable is there, and the next process is not hindered.
func TestCrash(t *testing.T) {
	t.Parallel()
	some := false
	for place := 1; place <= 8; place++ {
		for _, when := range []string{"", "after "} {
			dir := filepath.Join(t.TempDir(), "blobs")
			durable := start(t, dir, when+strconv.Itoa(place), crashed)
			f, err := Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			some = some || leftovers(t, f) != nil
			for _, ref := range append(refs(t, f), durable...) {
				if _, err := f.Get(t.Context(), ref); err != nil {
					t.Errorf("crashed %s%d: %v", when, place, err)
				}
			}
			if _, err := f.Get(t.Context(), put(t, f, large(0))); err != nil {
				t.Errorf("crashed %s%d: %v", when, place, err)
			}
			f.now = func() time.Time { return time.Now().Add(2 * leftover) }
			put(t, f, []byte("later"))
			if left := leftovers(t, f); left != nil {
				t.Errorf("crashed %s%d: %v are left two hours later", when, place, left)
			}
		}
	}
	if !some {
		t.Error("no crash has left anything, so that nothing was tested")
	}
}
