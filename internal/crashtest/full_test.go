package crashtest

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// checkFull checks what a process says when the disk is full.
func checkFull(t *testing.T, r *report) {
	t.Helper()
	if !strings.Contains(r.Err, "the disk is full") || !strings.Contains(r.Err, "free some space") || r.Conflict {
		t.Errorf("on a full disk, the run fails with %q", r.Err)
	}
	if r.Result != nil && (r.Result.OK() || r.Result.Reason != "journal_error" || r.Result.Detail != r.Err) {
		t.Errorf("on a full disk, the run comes to %+v", r.Result)
	}
}

// TestFullDatabase bounds the database file, page by page, until a run fits in:
// each run that does not fit says so, and another process completes it when the
// bound is gone.
func TestFullDatabase(t *testing.T) {
	t.Parallel()
	want, _ := whole(t)
	sum := newTally(t, "database full", figures{})
	reached := map[int]bool{}
	for pages := 1; pages < 100; pages++ {
		l := newLives(t, "")
		r := l.try(t, pages)
		if r.Err == "" {
			l.finish(r, want)
			t.Logf("with %d pages the run fits; before, it stopped after so many records: %v", pages, reached)
			if len(reached) < 3 {
				t.Errorf("the disk was full at %d different records only", len(reached))
			}
			return
		}
		checkFull(t, r)
		if reached[len(l.recs)] {
			continue
		}
		reached[len(l.recs)] = true
		sum.add(l.finish(l.live(stop{}), want))
	}
	t.Error("no bound was large enough")
}

// try runs a process with a bound on the size of the database.
func (l *lives) try(t *testing.T, pages int) *report {
	t.Helper()
	c, err := startChild(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	j := l.job()
	j.Pages = pages
	c.give(j)
	r := c.done(c.hear())
	c.end()
	l.look()
	return r
}

// TestFullDisk fills a small disk, and makes space again while the process, its
// store and its agent live on. The disk is a file system of memory, in a
// namespace of the process's own.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	want, _ := whole(t)
	sum := newTally(t, "disk full", figures{})
	for _, leave := range []int{0, 32, 96, 160, 192, 224, 256, 288} {
		t.Run(fmt.Sprintf("%d KiB left", leave), func(t *testing.T) {
			t.Parallel()
			if !private(new(exec.Cmd)) {
				t.Skip("this system has no namespaces for a small disk")
			}
			l := newLives(t, "")
			c, err := startChild(t, func(cmd *exec.Cmd) { private(cmd) })
			if err != nil {
				t.Skipf("no namespace for a small disk: %v", err)
			}
			j := l.job()
			j.Mount = t.TempDir()
			j.Path, j.Leave, j.Journal = j.Mount+"/db/quarry.db", leave, true
			c.give(j)
			r := c.done(c.hear())
			if strings.HasPrefix(r.Err, "mount: ") {
				c.end()
				t.Skipf("no small disk: %s", r.Err)
			}
			checkFull(t, r)
			l.see(r.Journal, l.info)
			t.Logf("the disk is full after %d records: %s", len(l.recs), r.Err)
			again := l.job()
			again.Mount, again.Path, again.Leave, again.Journal = j.Mount, j.Path, -1, true
			c.give(again)
			r = c.done(c.hear())
			c.end()
			for _, rec := range r.Journal {
				l.info.Apply(rec)
			}
			l.see(r.Journal, l.info)
			sum.add(l.finish(r, want))
		})
	}
}
