package crashtest

import (
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/session"
)

// lives are those of processes that work on one session, one after the other.
type lives struct {
	*world
	evidence
	t *testing.T
}

func newLives(t *testing.T, park string) *lives {
	return &lives{
		world:    newWorld(t, park),
		evidence: evidence{session: "s", owner: map[int64]string{}, start: map[string]int64{}},
		t:        t,
	}
}

// live runs a process until its stop, or until a call is parked, and kills it
// there; otherwise it returns what the process reports.
func (l *lives) live(s stop) *report {
	l.t.Helper()
	j := l.job()
	j.Stop = s
	r := l.run(j)
	l.look()
	return r
}

// run is live for a job, without the look at what comes of it.
func (l *lives) run(j *job) *report {
	l.t.Helper()
	c, err := startChild(l.t, nil)
	if err != nil {
		l.t.Fatal(err)
	}
	c.give(j)
	var r *report
	select {
	case line, ok := <-c.lines:
		if !ok {
			c.fail()
		}
		if line == sayStopped {
			c.kill()
		} else {
			r = c.done(line)
			c.end()
		}
	case <-l.parked:
		l.parked = nil
		c.kill()
	}
	return r
}

// job is a job for the next process.
func (l *lives) job() *job {
	name := strconv.Itoa(len(l.processes) + 1)
	l.processes = append(l.processes, name)
	l.start[name] = int64(len(l.recs))
	return &job{Path: l.path, Session: l.session, Process: name, Model: l.model.URL, Ledger: l.ledger.URL}
}

// look reads the journal after the last process, and checks that what was there
// before still is.
func (l *lives) look() {
	l.t.Helper()
	recs, info := l.journal(l.t, l.session)
	l.see(recs, info)
}

func (l *lives) see(recs []session.Record, info session.Info) {
	l.t.Helper()
	if len(recs) < len(l.recs) {
		l.t.Fatalf("the journal had %d records and has %d", len(l.recs), len(recs))
	}
	if diff := cmp.Diff(asJSON(l.t, l.recs), asJSON(l.t, recs[:len(l.recs)])); diff != "" {
		l.t.Fatalf("records that were durable have changed:\n%s", diff)
	}
	for _, rec := range recs[len(l.recs):] {
		l.owner[rec.Seq] = l.processes[len(l.processes)-1]
	}
	l.recs, l.info = recs, info
}

// finish audits the session, which has come to its end with this report. What the
// world saw of it is added to what is known.
func (l *lives) finish(r *report, want *quarry.Result) figures {
	l.t.Helper()
	if r.Err != "" {
		l.t.Fatalf("the run failed: %s", r.Err)
	}
	if diff := cmp.Diff(plain(want), plain(r.Result)); diff != "" {
		l.t.Errorf("the result is another one (-want +got):\n%s", diff)
	}
	l.calls, l.asks = append(l.calls, l.called()...), append(l.asks, l.asked(l.t)...)
	return l.audit(l.t, want)
}

func asJSON(t *testing.T, recs []session.Record) string {
	t.Helper()
	data, err := json.MarshalIndent(append([]session.Record{}, recs...), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// whole is a run that nothing interrupts: its result and its journal.
func whole(t *testing.T) (*quarry.Result, []session.Record) {
	t.Helper()
	l := newLives(t, "")
	r := l.live(stop{})
	if r.Err != "" || !r.Result.OK() || string(r.Result.Output) != `{"answer":"42"}` || r.Result.Turns != 4 || r.Result.ToolCalls != 5 {
		t.Fatalf("got %+v, %s", r.Result, r.Err)
	}
	got := l.finish(r, r.Result)
	if want := (figures{Sessions: 1, Processes: 1, Records: len(l.recs)}); got != want {
		t.Fatalf("got %+v", got)
	}
	if n := len(l.called()); n != 5 {
		t.Fatalf("the ledger has %d calls", n)
	}
	return r.Result, l.recs
}

// tally adds up figures of tests that run at once.
type tally struct {
	mu  sync.Mutex
	sum figures
}

// newTally logs the sum at the end of a test, and checks that what is to be
// shown did happen: the sum has at least these figures.
func newTally(t *testing.T, what string, least figures) *tally {
	s := &tally{}
	t.Cleanup(func() {
		t.Logf("%s: %+v", what, s.sum)
		if s.sum.RepeatedAsks < least.RepeatedAsks || s.sum.RepeatedReads < least.RepeatedReads ||
			s.sum.RepeatedWrites < least.RepeatedWrites || s.sum.Unknown < least.Unknown {
			t.Errorf("%s: want at least %+v", what, least)
		}
	})
	return s
}

func (s *tally) add(f figures) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sum.add(f)
}

// TestKilledAtEachRecord kills a process right after each record of its journal,
// and lets another one go on.
func TestKilledAtEachRecord(t *testing.T) {
	t.Parallel()
	want, recs := whole(t)
	sum := newTally(t, "killed after each record", figures{Unknown: 1})
	for n := range recs {
		t.Run(fmt.Sprintf("%02d %s", n+1, recs[n].Event.Kind()), func(t *testing.T) {
			t.Parallel()
			l := newLives(t, "")
			if r := l.live(stop{At: n + 1, Split: true}); r != nil {
				t.Fatalf("the process came to its end: %+v", r)
			}
			if len(l.recs) != n+1 {
				t.Fatalf("the journal has %d records after the kill", len(l.recs))
			}
			sum.add(l.finish(l.live(stop{}), want))
		})
	}
}

// TestKilledAroundEachAppend kills a process just before each of its appends is
// durable, when the effect is done and its outcome is not stored, and just after.
func TestKilledAroundEachAppend(t *testing.T) {
	t.Parallel()
	want, recs := whole(t)
	for _, before := range []bool{true, false} {
		when, least := "after", figures{Unknown: 1}
		if before {
			when, least = "before", eachEffect
		}
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			sum := newTally(t, "killed "+when+" each append", least)
			for i, rec := range recs {
				switch rec.Event.(type) {
				case *session.ModelCalled, *session.ToolCalled, *session.Ended:
					if i > 2 {
						continue // it is in the append of the outcome before it
					}
				}
				name := nameOf(rec)
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					l := newLives(t, "")
					if r := l.live(stop{Record: name, Before: before}); r != nil {
						t.Fatalf("the process came to its end: %+v", r)
					}
					sum.add(l.finish(l.live(stop{}), want))
				})
			}
		})
	}
}

// TestKilledInEachEffect kills a process while the model answers, and while a
// tool is at work.
func TestKilledInEachEffect(t *testing.T) {
	t.Parallel()
	want, _ := whole(t)
	sum := newTally(t, "killed in each effect", eachEffect)
	for _, effect := range effects {
		t.Run(effect, func(t *testing.T) {
			t.Parallel()
			l := newLives(t, effect)
			if r := l.live(stop{}); r != nil {
				t.Fatalf("the process came to its end: %+v", r)
			}
			sum.add(l.finish(l.live(stop{}), want))
		})
	}
}

// effects are what a run performs, and eachEffect what comes of it when each of
// them is lost once.
var (
	effects    = []string{"model 1", "model 2", "model 3", "model 4", "read", "list", "write", "pay", "submit"}
	eachEffect = figures{RepeatedAsks: 4, RepeatedReads: 3, RepeatedWrites: 1, Unknown: 1}
)

// TestProcessComesBack stops a process in each effect, as if its machine were
// suspended, until another has gone on and finished. Then the effect ends, and the
// first process must notice, and do nothing more.
func TestProcessComesBack(t *testing.T) {
	t.Parallel()
	want, _ := whole(t)
	sum := newTally(t, "came back in each effect", eachEffect)
	for _, effect := range effects {
		t.Run(effect, func(t *testing.T) {
			t.Parallel()
			l := newLives(t, effect)
			first, err := startChild(t, nil)
			if err != nil {
				t.Fatal(err)
			}
			first.give(l.job())
			select {
			case line := <-first.lines:
				t.Fatalf("the process says %q", line)
			case <-l.parked:
			}
			l.look()
			l.parked = nil
			r := l.live(stop{})
			n := len(l.recs)
			close(l.release)
			back := first.done(first.hear())
			first.end()
			if !back.Conflict || back.Result == nil || back.Result.Reason != session.ReasonConflict {
				t.Errorf("the process that comes back ends with %+v, %s", back.Result, back.Err)
			}
			for _, seq := range back.Appended {
				l.owner[seq] = "1" // its last record may have come after the look
			}
			if l.look(); len(l.recs) != n {
				t.Errorf("the journal had %d records when it ended, and has %d", n, len(l.recs))
			}
			sum.add(l.finish(r, want))
		})
	}
}

// TestKilledAgainAndAgain kills each process that goes on, until there is
// nothing left to do.
func TestKilledAgainAndAgain(t *testing.T) {
	t.Parallel()
	want, recs := whole(t)
	for name, next := range map[string]func(life int) stop{
		// Each process makes one record that brings the run on.
		"after one outcome": func(int) stop { return stop{At: 1, Split: true, Outcomes: true} },
		// The first makes one record, the second two, and so on.
		"after ever more records": func(life int) stop { return stop{At: life, Split: true} },
		// Each process stores one outcome, and not that of its next effect.
		"before the third append": func(int) stop { return stop{At: 3, Before: true} },
		"after the second append": func(int) stop { return stop{At: 2} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLives(t, "")
			for life := 1; life < 2*len(recs); life++ {
				if r := l.live(next(life)); r != nil {
					f := l.finish(r, want)
					t.Logf("killed again and again, %s: %+v", name, f)
					if f.Processes < 6 {
						t.Errorf("only %d processes were needed", f.Processes)
					}
					return
				}
			}
			t.Error("the run does not come to its end")
		})
	}
}
