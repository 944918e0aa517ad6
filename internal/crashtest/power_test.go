package crashtest

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/session/sqlite"
)

// eager makes SQLite move every commit from its log into the database at once, as
// it otherwise does after a thousand pages.
const eager = "PRAGMA wal_autocheckpoint = 1"

// needPower skips a test where the file system cannot be logged.
func needPower(t *testing.T) {
	t.Helper()
	if !havePower {
		t.Skip("SQLite's file system is logged on Linux only")
	}
}

// powerSeed is where the random choices of a power cut begin.
func powerSeed(t *testing.T) uint64 {
	t.Helper()
	seed := uint64(1)
	if text := os.Getenv("QUARRY_CRASH_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("QUARRY_CRASH_SEED=%d", seed)
	return seed
}

// runLogged is run with a log of what SQLite does. It returns the operations, and
// the disk that they lead to.
func (l *lives) runLogged(s stop, pragma string) (*report, []op, *disk) {
	l.t.Helper()
	dir := filepath.Dir(l.path)
	d := newDisk(readFiles(l.t, dir))
	j := l.job()
	j.Stop, j.Pragma, j.Power = s, pragma, filepath.Join(l.t.TempDir(), "log")
	r := l.run(j)
	ops := readLog(l.t, j.Power)
	for _, o := range ops {
		d.do(o)
	}
	if there, told := readFiles(l.t, dir), d.files(keepAll); !maps.EqualFunc(there, told, bytes.Equal) {
		l.t.Fatalf("the directory has %s, and the %d operations in the log lead to %s", there, len(ops), told)
	}
	return r, ops, d
}

// wake lets the machine start again after its power was cut: the next process
// finds one of what that may have left.
func (l *lives) wake(d *disk, cut string, random *rand.Rand) {
	l.t.Helper()
	left := d.outages(cut, random)
	fs := left[random.IntN(len(left))]
	recs, info, err := d.survivors(l.t, fs, l.session)
	if err != nil {
		l.t.Fatalf("%s: %v", cut, err)
	}
	l.see(recs, info)
	l.path = fs.write(l.t)
}

// fork returns lives that go on from here, in a world of their own.
func (l *lives) fork(t *testing.T) *lives {
	t.Helper()
	f := newLives(t, "")
	f.processes, f.recs = slices.Clone(l.processes), slices.Clone(l.recs)
	f.owner, f.start = maps.Clone(l.owner), maps.Clone(l.start)
	f.calls, f.asks = l.called(), l.asked(t)
	return f
}

// survivors reads a session from files that a power cut has left. It is an error
// that they lack what was durable.
func (d *disk) survivors(t *testing.T, fs files, id string) ([]session.Record, session.Info, error) {
	t.Helper()
	s, err := sqlite.Open(t.Context(), sqlite.Config{Path: fs.write(t)})
	if err != nil {
		return nil, session.Info{}, err
	}
	defer s.Close()
	recs, err := load(t.Context(), s, id)
	if err == nil && int64(len(recs)) < d.durable {
		err = fmt.Errorf("record %d was durable, and %d are left", d.durable, len(recs))
	}
	if err != nil {
		return nil, session.Info{}, err
	}
	return recs, infoOf(t, s, id), nil
}

// TestPowerCutInEachRecord cuts the power while a record is being stored: it is
// written and not synced, and what it records has happened. Another process goes
// on, and when it has closed the file the power is cut again.
func TestPowerCutInEachRecord(t *testing.T) {
	t.Parallel()
	needPower(t)
	want, recs := whole(t)
	seed := powerSeed(t)
	sums := map[string]*tally{}
	for _, cut := range cuts {
		least := eachEffect // no effect's outcome is left
		if cut == cutRandom {
			least = figures{}
		}
		sums[cut] = newTally(t, "power cut in each record, "+cut, least)
	}
	for n, rec := range recs {
		t.Run(fmt.Sprintf("%02d %s", n+1, rec.Event.Kind()), func(t *testing.T) {
			t.Parallel()
			first := newLives(t, "")
			r, _, d := first.runLogged(stop{At: n + 1, Split: true, Sync: 1}, "")
			if r != nil {
				t.Fatalf("the process came to its end: %+v", r)
			}
			if written, _ := d.pending(); written == 0 || d.durable != int64(n) {
				t.Fatalf("the power is cut after record %d, with %d writes that are not synced", d.durable, written)
			}
			for i, cut := range cuts {
				t.Run(cut, func(t *testing.T) {
					t.Parallel()
					random := rand.New(rand.NewPCG(seed, uint64(n*len(cuts)+i)))
					l := first.fork(t)
					l.wake(d, cut, random)
					r, _, d := l.runLogged(stop{}, "")
					l.wake(d, cut, random)
					sums[cut].add(l.finish(r, want))
				})
			}
		})
	}
}

// TestPowerCutAtEachSync cuts the power before each sync of a run, from the first
// one of a new file, and after each record. Whatever that leaves must be a
// journal that has all that was durable.
func TestPowerCutAtEachSync(t *testing.T) {
	t.Parallel()
	needPower(t)
	seed := powerSeed(t)
	for name, pragma := range map[string]string{"as it is": "", "with a checkpoint after each commit": eager} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLives(t, "")
			r, ops, _ := l.runLogged(stop{Split: pragma == ""}, pragma)
			if r == nil || r.Err != "" {
				t.Fatalf("the run comes to %+v", r)
			}
			l.look()
			d := newDisk(nil)
			points, outages := 0, 0
			intact := map[string]int64{} // how many records such files have
			for i := range len(ops) + 1 {
				if i == len(ops) || ops[i].Kind == opSync || i > 0 && ops[i-1].Kind == opDurable {
					points++
					random := rand.New(rand.NewPCG(seed, uint64(i)))
					for _, cut := range cuts {
						for _, fs := range d.outages(cut, random) {
							if n, ok := intact[fs.String()]; ok && n >= d.durable {
								continue
							}
							outages++
							recs, _, err := d.survivors(t, fs, l.session)
							if n := len(recs); err == nil && (n > len(l.recs) || !slices.EqualFunc(recs, l.recs[:n], same)) {
								err = fmt.Errorf("the %d records that are left are others", n)
							}
							if err != nil {
								t.Errorf("after %d of %d operations, %s leaves %s: %v", i, len(ops), cut, fs, err)
							}
							intact[fs.String()] = int64(len(recs))
						}
					}
				}
				if i < len(ops) {
					d.do(ops[i])
				}
			}
			t.Logf("power cut at each sync, %s: %d operations, %d points, %d different outages", name, len(ops), points, outages)
		})
	}
}

func same(a, b session.Record) bool { return reflect.DeepEqual(a, b) }

// TestPowerCutAgainAndAgain cuts the power in each process that goes on, until
// there is nothing left to do.
func TestPowerCutAgainAndAgain(t *testing.T) {
	t.Parallel()
	needPower(t)
	want, recs := whole(t)
	seed := powerSeed(t)
	for i, cut := range cuts {
		t.Run(cut, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, uint64(i)))
			l := newLives(t, "")
			for life := 1; life < 2*len(recs); life++ {
				r, _, d := l.runLogged(stop{Sync: 7 + life}, eager)
				l.wake(d, cut, random)
				if r != nil {
					t.Logf("power cut again and again, %s: %+v", cut, l.finish(r, want))
					return
				}
				t.Logf("life %d: %d records are left", life, len(l.recs))
			}
			t.Error("the run does not come to its end")
		})
	}
}

// TestPowerCutIsSeen shows that the simulation can fail: where SQLite is told to
// sync less, every power cut takes records that were durable.
func TestPowerCutIsSeen(t *testing.T) {
	t.Parallel()
	needPower(t)
	seed := powerSeed(t)
	for _, mode := range []string{"OFF", "NORMAL"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			l := newLives(t, "")
			r, _, d := l.runLogged(stop{At: 9, Split: true}, "PRAGMA synchronous = "+mode)
			if r != nil || d.durable != 9 {
				t.Fatalf("%d records are durable, %+v", d.durable, r)
			}
			for i, cut := range cuts {
				for k, fs := range d.outages(cut, rand.New(rand.NewPCG(seed, uint64(i)))) {
					_, _, err := d.survivors(t, fs, l.session)
					t.Logf("%s %d: %v", cut, k, err)
					if err == nil {
						t.Errorf("%s %d: nothing is lost", cut, k)
					}
				}
			}
		})
	}
}
