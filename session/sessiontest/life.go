package sessiontest

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/quarry-sdk/quarry/session"
)

func testDelete(t *testing.T, s session.Store) {
	mustAppend(t, s, "a", 0, Events()...)
	keep := mustAppend(t, s, "b", 0, started("clerk"), note("kept"))
	if err := s.Delete(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	_, err := collect(s.Load(t.Context(), "a", 0))
	wantErr(t, "Load of a deleted session", err, session.ErrNotFound)
	wantErr(t, "Delete of a deleted session", s.Delete(t.Context(), "a"), session.ErrNotFound)
	after := int64(len(Events()))
	wantErr(t, "Append to a deleted session", s.Append(t.Context(), "a", after, records(after, note("ghost"))), session.ErrNotFound)
	if infos := mustList(t, s, session.Filter{}); len(infos) != 1 || infos[0].ID != "b" {
		t.Errorf("List after a Delete gives %+v", infos)
	}
	wantJournal(t, s, "b", keep)

	// Made again, it has nothing of its past.
	again := mustAppend(t, s, "a", 0, started("second"), note("new"))
	wantJournal(t, s, "a", again)
	want := session.Info{ID: "a"}
	for _, rec := range again {
		want.Apply(rec)
	}
	if diff := diff([]session.Info{want}, mustList(t, s, session.Filter{ID: "a"})); diff != "" {
		t.Errorf("the summary of the new session differs (-want +got):\n%s", diff)
	}
}

// testDeleteWhileLoaded deletes a session, and makes another of its name, from
// within a loop over it. The loop yields the records that there were, or ends.
func testDeleteWhileLoaded(t *testing.T, s session.Store) {
	old := []session.Event{started("old")}
	for range 600 {
		old = append(old, note("old"))
	}
	for _, again := range []bool{false, true} {
		mustAppend(t, s, "a", 0, old...)
		var recs []session.Record
		var err error
		for rec, e := range s.Load(t.Context(), "a", 0) {
			if err = e; err != nil {
				break
			}
			if recs = append(recs, rec); rec.Seq > 1 {
				continue
			}
			if err := s.Delete(t.Context(), "a"); err != nil {
				t.Fatal(err)
			}
			if again {
				mustAppend(t, s, "a", 0, append([]session.Event{started("new")}, old[1:]...)...)
			}
		}
		if err != nil {
			wantErr(t, "Load while it is deleted", err, session.ErrNotFound)
		} else if len(recs) != len(old) {
			t.Errorf("Load gives %d records of %d and no error", len(recs), len(old))
		}
		if diff := diff(records(0, old...)[:len(recs)], recs); diff != "" {
			t.Errorf("Load gives records of another session (-want +got):\n%s", diff)
		}
		if again {
			continue
		}
		wantErr(t, "Delete of a deleted session", s.Delete(t.Context(), "a"), session.ErrNotFound)
	}
}

// testDeleteWhileUsed deletes and makes sessions anew under a reader, which must
// see a whole prefix of one of them, or the end of it.
func testDeleteWhileUsed(t *testing.T, s session.Store) {
	const rounds = 6
	batch := func(round int) []session.Event {
		events := []session.Event{started("clerk")}
		for range 300 {
			events = append(events, note("%d", round))
		}
		return events
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			recs, err := collect(s.Load(t.Context(), "a", 0))
			if err != nil {
				wantErr(t, "Load while it is deleted", err, session.ErrNotFound)
				continue
			}
			if len(recs) != 301 {
				t.Errorf("Load gives %d records of 301 and no error", len(recs))
				return
			}
			for _, rec := range recs[2:] {
				if diff(rec.Event, recs[1].Event) != "" {
					t.Error("Load mixes a deleted session with the one that followed it")
					return
				}
			}
		}
	})
	for round := range rounds {
		mustAppend(t, s, "a", 0, batch(round)...)
		if err := s.Delete(t.Context(), "a"); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	wg.Wait()
}

func testContext(t *testing.T, s session.Store) {
	want := mustAppend(t, s, "a", 0, started("clerk"), note("two"))
	ctx := canceled(t)
	wantErr(t, "Append", s.Append(ctx, "a", 2, records(2, note("no"))), context.Canceled)
	wantErr(t, "Append of a new session", s.Append(ctx, "b", 0, records(0, started("no"))), context.Canceled)
	wantErr(t, "Delete", s.Delete(ctx, "a"), context.Canceled)
	_, err := collect(s.Load(ctx, "a", 0))
	wantErr(t, "Load", err, context.Canceled)
	_, err = collect(s.List(ctx, session.Filter{}))
	wantErr(t, "List", err, context.Canceled)

	// A loop ends where its context does.
	running, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	for _, err = range s.Load(running, "a", 0) {
		if err != nil {
			break
		}
		n++
		cancel()
	}
	if n != 1 || !errors.Is(err, context.Canceled) {
		t.Errorf("Load gave %d records and %v after its context had ended, want 1 and the end", n, err)
	}
	wantJournal(t, s, "a", append(want, mustAppend(t, s, "a", 2, note("three"))...))
}

func testClose(t *testing.T, s session.Store) {
	mustAppend(t, s, "a", 0, started("clerk"))
	if err := s.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
	wantErr(t, "Append", s.Append(t.Context(), "a", 1, records(1, note("no"))), session.ErrClosed)
	wantErr(t, "Append of a new session", s.Append(t.Context(), "b", 0, records(0, started("no"))), session.ErrClosed)
	wantErr(t, "Delete", s.Delete(t.Context(), "a"), session.ErrClosed)
	_, err := collect(s.Load(t.Context(), "a", 0))
	wantErr(t, "Load", err, session.ErrClosed)
	_, err = collect(s.List(t.Context(), session.Filter{}))
	wantErr(t, "List", err, session.ErrClosed)
	wantErr(t, "Close", s.Close(), session.ErrClosed)
}

func testReopen(t *testing.T, s session.Store, reopen func(t *testing.T, closed session.Store) session.Store) {
	mustAppend(t, s, "a", 0, Events()...)
	mustAppend(t, s, "b", 0, started("clerk"), note("two"))
	mustAppend(t, s, "gone", 0, started("clerk"))
	if err := s.Delete(t.Context(), "gone"); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, s, "source", 0, started("clerk"), note("two"), note("three"))
	mustFork(t, s, "fork", "source", 2)
	mustAppend(t, s, "fork", 2, note("own"))
	mustFork(t, s, "orphan", "source", 3)
	mustDelete(t, s, "source")
	infos := mustList(t, s, session.Filter{})
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = reopen(t, s)
		wantJournal(t, s, "a", records(0, Events()...))
		wantJournal(t, s, "b", records(0, started("clerk"), note("two")))
		wantJournal(t, s, "fork", records(0, started("clerk"), note("two"), note("own")))
		wantJournal(t, s, "orphan", records(0, started("clerk"), note("two"), note("three")))
		if diff := diff(infos, mustList(t, s, session.Filter{})); diff != "" {
			t.Errorf("List differs after reopening (-before +after):\n%s", diff)
		}
		wantErr(t, "Append after 1 to a session of 2", s.Append(t.Context(), "b", 1, records(1, note("no"))), session.ErrConflict)
	}
	mustAppend(t, s, "b", 2, note("three"))
	mustAppend(t, s, "gone", 0, started("clerk"))
	closeStore(t, s)
}
