package memory_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/quarry-sdk/quarry/toolbox/memory"
)

// startWriter starts a process that remembers an entry for each line it is sent.
func startWriter(t *testing.T, name, path string) (cmd *exec.Cmd, orders io.WriteCloser, done *bufio.Scanner) {
	t.Helper()
	cmd = exec.Command(os.Args[0], path)
	cmd.Env = append(os.Environ(), writerEnv+"="+name)
	cmd.Stderr = os.Stderr
	orders, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, orders, bufio.NewScanner(out)
}

// TestProcesses: what several processes and goroutines remember at the same time
// is all there.
func TestProcesses(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state", "memory.json")
	const processes, each = 4, 20
	var group sync.WaitGroup
	for p := range processes {
		cmd, orders, done := startWriter(t, fmt.Sprint("p", p), path)
		group.Go(func() {
			_, _ = io.WriteString(orders, strings.Repeat("\n", each))
			_ = orders.Close()
			for done.Scan() {
			}
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
	store := open(t, memory.Config{Path: path, MaxEntries: 10_000})
	for g := range processes {
		group.Go(func() {
			for i := range each {
				if _, err := store.Remember(t.Context(), fmt.Sprintf("g%d-%d", g, i), "value", "s"); err != nil {
					t.Error(err)
				}
				if _, err := store.Entries(t.Context()); err != nil { // never half a file
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if got := len(entries(t, store)); got != 2*processes*each {
		t.Errorf("%d entries are there, want %d", got, 2*processes*each)
	}
}

// TestKilled: a process that is killed leaves a whole file with all that it had
// reported, and no lock.
func TestKilled(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.json")
	for round := range 10 {
		cmd, orders, done := startWriter(t, fmt.Sprint("r", round), path)
		go func() {
			for err := error(nil); err == nil; {
				_, err = io.WriteString(orders, "\n")
			}
		}()
		reported := 0
		for done.Scan() {
			if reported++; reported == round+1 {
				_ = cmd.Process.Kill()
			}
		}
		_ = cmd.Wait()
		store := open(t, memory.Config{Path: path, MaxEntries: 10_000})
		if _, err := store.Remember(t.Context(), "after", fmt.Sprint(round), ""); err != nil {
			t.Fatal(err)
		}
		got := 0
		for _, e := range entries(t, store) {
			if strings.HasPrefix(e.Key, fmt.Sprintf("r%d-", round)) {
				got++
			}
		}
		if got < reported || reported <= round {
			t.Errorf("round %d: %d of %d entries are there", round, got, reported)
		}
		if damaged, err := store.Damaged(); err != nil || damaged != nil {
			t.Errorf("round %d: %v, %v", round, damaged, err)
		}
	}
}
