package crashtest

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/session/sqlite"
)

// TestProcessesRace lets two processes resume one unfinished session at once,
// again and again, wherever it was cut off. Half of the times both have loaded it
// and are about to write; in the other half they are about to load it.
func TestProcessesRace(t *testing.T) {
	t.Parallel()
	rounds := 200
	if text := os.Getenv("QUARRY_CRASH_ROUNDS"); text != "" {
		var err error
		if rounds, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	want, recs := whole(t)
	w := newWorld(t, "")
	store, err := sqlite.Open(t.Context(), sqlite.Config{Path: w.path})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	names := []string{"a", "b"}
	var children []*child
	for range names {
		c, err := startChild(t, nil)
		if err != nil {
			t.Fatal(err)
		}
		children = append(children, c)
	}

	var races []*race
	for i := range rounds {
		// A prompt that is open has been given and has no result.
		r := &race{gate: []string{"append", "load"}[i%2], before: 2 + i/2%(len(recs)-2)}
		r.evidence = evidence{
			session: fmt.Sprintf("s%d", i), processes: names,
			owner: map[int64]string{}, start: map[string]int64{},
		}
		if err := store.Append(t.Context(), r.session, 0, renamed(recs[:r.before], r.session)); err != nil {
			t.Fatal(err)
		}
		for k, c := range children {
			r.start[names[k]] = int64(r.before)
			c.give(&job{Path: w.path, Session: r.session, Process: names[k], Model: w.model.URL, Ledger: w.ledger.URL, Gate: r.gate})
		}
		for _, c := range children {
			if word := c.hear(); word != sayReady {
				t.Fatalf("a process says %q", word)
			}
		}
		for _, c := range children {
			c.tell("go")
		}
		for _, c := range children {
			r.reports = append(r.reports, c.done(c.hear()))
		}
		if r.recs, err = load(t.Context(), store, r.session); err != nil {
			t.Fatal(err)
		}
		r.info = infoOf(t, store, r.session)
		races = append(races, r)
	}
	for _, c := range children {
		c.end()
	}

	calls, asks := map[string][]call{}, map[string][]ask{}
	for _, c := range w.called() {
		id, _, _ := strings.Cut(c.key, "/")
		calls[id] = append(calls[id], c)
	}
	for _, a := range w.asked(t) {
		asks[a.session] = append(asks[a.session], a)
	}
	sum := newTally(t, "races", figures{})
	wins := map[string]int{}
	for _, r := range races {
		r.calls, r.asks = calls[r.session], asks[r.session]
		winner := r.check(t)
		wins[r.gate+" "+winner]++
		sum.add(r.audit(t, want))
		for i, rep := range r.reports {
			if rep.Err != "" {
				continue
			}
			if diff := cmp.Diff(plain(want), plain(rep.Result)); diff != "" {
				t.Errorf("round %s: process %s has another result (-want +got):\n%s", r.session, names[i], diff)
			}
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("who won: %v", wins)
}

// race is one round.
type race struct {
	evidence
	gate    string
	before  int
	reports []*report
}

// check finds out who made which record, that one process came to the end, and
// that the other was stopped by a conflict without having done more than it had
// journaled.
func (r *race) check(t *testing.T) (winner string) {
	t.Helper()
	for i, rep := range r.reports {
		name := r.processes[i]
		for _, seq := range rep.Appended {
			if r.owner[seq] != "" {
				t.Errorf("round %s: record %d is made by both processes", r.session, seq)
			}
			r.owner[seq] = name
		}
		switch {
		case rep.Late:
			winner += " late"
		case rep.Err == "":
			winner = name + winner
		case rep.Conflict && len(rep.Appended) > 0:
			winner += " took over"
		case !rep.Conflict:
			t.Errorf("round %s: process %s fails with %s", r.session, name, rep.Err)
		}
		if r.gate == "append" && rep.Conflict && len(rep.Appended) > 0 {
			t.Errorf("round %s: process %s loses and has made the records %v", r.session, name, rep.Appended)
		}
		if rep.Conflict && (rep.Result == nil || rep.Result.Subtype != session.Failed || rep.Result.Reason != session.ReasonConflict) {
			t.Errorf("round %s: process %s stops with the result %+v", r.session, name, rep.Result)
		}
		if rep.Conflict && len(rep.Appended) == 0 {
			for _, c := range r.calls {
				if c.process == name {
					t.Errorf("round %s: process %s has journaled nothing and performs %+v", r.session, name, c)
				}
			}
			for _, a := range r.asks {
				if a.process == name {
					t.Errorf("round %s: process %s has journaled nothing and asks turn %d", r.session, name, a.turn)
				}
			}
		}
	}
	if len(winner) == 0 || len(r.reports[0].Err) == 0 == (len(r.reports[1].Err) == 0) && !r.reports[0].Late && !r.reports[1].Late {
		t.Errorf("round %s: the processes end with %q and %q", r.session, r.reports[0].Err, r.reports[1].Err)
	}
	if n := len(r.owner); n != len(r.recs)-r.before {
		t.Errorf("round %s: the journal has %d new records, of which the processes made %d", r.session, len(r.recs)-r.before, n)
	}
	return winner
}

// renamed is a journal as a session with another id would have it.
func renamed(recs []session.Record, id string) []session.Record {
	out := make([]session.Record, len(recs))
	for i, rec := range recs {
		switch ev := rec.Event.(type) {
		case *session.ToolCalled:
			called := *ev
			_, place, _ := strings.Cut(ev.Key, "/")
			called.Key = id + "/" + place
			rec.Event = &called
		case *session.Prompted:
			rec.Event = &session.Prompted{Message: model.UserText(prompt)}
		}
		out[i] = rec
	}
	return out
}
