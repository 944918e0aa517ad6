package crashtest

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
)

// records counts those of the tree.
func (w *tree) records() (n int) {
	for _, recs := range w.recs {
		n += len(recs)
	}
	return n
}

// TestTreePowerCut kills the tree after each of its records, and loses of the disk
// what was not synced, in one of the ways of a power cut.
func TestTreePowerCut(t *testing.T) {
	t.Parallel()
	needPower(t)
	want, records := wholeTree(t)
	seed := powerSeed(t)
	var mu sync.Mutex
	points, repeated := 0, 0
	t.Cleanup(func() {
		t.Logf("%d power cuts, %d repeated calls of the model, each card charged once", points, repeated)
	})
	step := 1
	if raceEnabled {
		step = 3
	}
	for at := 1; at <= records; at += step {
		cut := cuts[at%len(cuts)]
		t.Run(fmt.Sprintf("%02d %s", at, cut), func(t *testing.T) {
			t.Parallel()
			w := newTreeRun(t)
			log := filepath.Join(t.TempDir(), "log")
			w.lives++
			j := w.job(stop{At: at, Split: true})
			j.Power = log
			d := newDisk(nil)
			c, err := startChild(t, nil)
			if err != nil {
				t.Fatal(err)
			}
			c.give(j)
			if line := c.hear(); line != sayStopped {
				t.Fatalf("the process says %q", line)
			}
			c.kill()
			for _, o := range readLog(t, log) {
				d.do(o)
			}
			random := rand.New(rand.NewPCG(seed, uint64(at)))
			left := d.outages(cut, random)
			w.path = left[random.IntN(len(left))].write(t)
			w.look()
			if n := w.records(); n != at {
				t.Fatalf("%d records were durable, and %d are left", at, n)
			}
			n := w.finish(w.live(stop{}, nil), want, 1)
			mu.Lock()
			defer mu.Unlock()
			points++
			repeated += n
		})
	}
}

// TestTreeFullDatabase bounds the database file, page by page, until the tree's
// run fits in: each run that does not says so, and another process completes it
// when there is space.
func TestTreeFullDatabase(t *testing.T) {
	t.Parallel()
	want, _ := wholeTree(t)
	reached := map[int]bool{}
	for pages := 1; pages < 100; pages++ {
		w := newTreeRun(t)
		r := w.live(stop{}, func(j *job) { j.Pages = pages })
		if r.Err == "" {
			w.finish(r, want, 0)
			t.Logf("with %d pages the run fits; before, it stopped after so many records: %v", pages, reached)
			if len(reached) < 3 {
				t.Errorf("the disk was full at %d different records only", len(reached))
			}
			return
		}
		checkFull(t, r)
		if n := w.records(); !reached[n] {
			reached[n] = true
			w.finish(w.live(stop{}, nil), want, 1)
		}
	}
	t.Error("no bound was large enough")
}
