package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/session/sqlite"
)

// The test binary is also the other processes: these variables make it one.
const (
	childPath   = "QUARRY_SQLITE_TEST_PATH"
	childPlaces = "QUARRY_SQLITE_TEST_PLACES"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(childPath); path != "" {
		if err := child(path); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// child appends to one session, following its end, up to a number of places,
// and prints each place that it won once it is durable.
func child(path string) error {
	places, err := strconv.ParseInt(os.Getenv(childPlaces), 10, 64)
	if err != nil {
		return err
	}
	ctx := context.Background()
	s, err := sqlite.Open(ctx, sqlite.Config{Path: path})
	if err != nil {
		return err
	}
	defer s.Close()
	for last := int64(0); last < places; {
		err := s.Append(ctx, "shared", last, []session.Record{{Seq: last + 1, Time: record(0)[0].Time, Event: &session.Interrupted{Reason: strconv.Itoa(os.Getpid())}}})
		switch {
		case err == nil:
			last++
			fmt.Println("won", last, os.Getpid())
		case errors.Is(err, session.ErrConflict):
			for info, err := range s.List(ctx, session.Filter{ID: "shared"}) {
				if err != nil {
					return err
				}
				last = info.Last
			}
		default:
			return err
		}
	}
	return nil
}

func startChild(t *testing.T, path string, places int) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), childPath+"="+path, childPlaces+"="+strconv.Itoa(places))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

// TestProcesses lets processes race for one journal that none of them has
// created: each place is won once, by the process whose record is there.
func TestProcesses(t *testing.T) {
	t.Parallel()
	const places = 60
	path := filepath.Join(t.TempDir(), "quarry.db")
	winners := make(map[int64]string)
	outputs := make(map[*exec.Cmd]*bufio.Scanner)
	for range 3 {
		cmd, out := startChild(t, path, places)
		outputs[cmd] = out
	}
	for cmd, out := range outputs {
		for out.Scan() {
			place, pid := parseWon(t, out.Text())
			if other := winners[place]; other != "" {
				t.Errorf("place %d was won by process %s and by process %s", place, other, pid)
			}
			winners[place] = pid
		}
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	s := open(t, path)
	defer s.Close()
	n := int64(0)
	for rec, err := range s.Load(t.Context(), "shared", 0) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		if got := rec.Event.(*session.Interrupted).Reason; got != winners[rec.Seq] {
			t.Errorf("place %d has the record of process %s, won by %q", rec.Seq, got, winners[rec.Seq])
		}
	}
	if n != places {
		t.Errorf("the journal has %d records, want %d", n, places)
	}
}

func parseWon(t *testing.T, line string) (place int64, pid string) {
	t.Helper()
	word := strings.Fields(line)
	if len(word) != 3 || word[0] != "won" {
		t.Fatalf("a process says %q", line)
	}
	place, err := strconv.ParseInt(word[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return place, word[2]
}

// TestKilled kills a process while it appends: what it said is there, the file
// is whole, and the journal can go on at once.
func TestKilled(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "quarry.db")
	cmd, out := startChild(t, path, 1<<30)
	said := int64(0)
	for said < 20 && out.Scan() {
		said, _ = parseWon(t, out.Text())
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for out.Scan() {
		if word := strings.Fields(out.Text()); len(word) == 3 {
			said, _ = parseWon(t, out.Text())
		}
	}
	_ = cmd.Wait() // it was killed
	s := open(t, path)
	defer s.Close()
	n, err := loadAll(t, s, "shared")
	if err != nil || int64(n) < said {
		t.Errorf("after the kill the journal has %d records and %v, want %d or more", n, err, said)
	}
	appendTo(t, s, "shared", int64(n))
}
