package sessiontest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
)

func testSequence(t *testing.T, s session.Store) {
	want := mustAppend(t, s, "a", 0, started("clerk"))
	want = append(want, mustAppend(t, s, "a", 1, note("two"), note("three"))...)
	mustAppend(t, s, "b", 0, started("other"))
	want = append(want, mustAppend(t, s, "a", 3, note("four"))...)
	wantJournal(t, s, "a", want)
}

func testCompare(t *testing.T, s session.Store) {
	want := mustAppend(t, s, "a", 0, started("clerk"), note("two"))
	for _, after := range []int64{0, 1, 3, 1 << 40} {
		wantErr(t, fmt.Sprintf("Append after %d to a session of 2", after), s.Append(t.Context(), "a", after, records(after, note("no"))), session.ErrConflict)
	}
	wantErr(t, "Append after 1 to no session", s.Append(t.Context(), "b", 1, records(1, note("no"))), session.ErrNotFound)
	if infos := mustList(t, s, session.Filter{}); len(infos) != 1 {
		t.Errorf("a failed Append left a session: %+v", infos)
	}
	wantJournal(t, s, "a", append(want, mustAppend(t, s, "a", 2, note("three"))...))
}

func testAllOrNothing(t *testing.T, s session.Store) {
	want := mustAppend(t, s, "a", 0, started("clerk"))
	bad := records(1, note("two"), note("three"), &session.ToolAnswered{Output: []byte("{"), Content: model.Blocks{nil}})
	if err := s.Append(t.Context(), "a", 1, bad); err == nil {
		// A store that does not encode may take it; then it has to give it back.
		want = append(want, bad...)
	}
	wantJournal(t, s, "a", want)
	after := int64(len(want))
	wantErr(t, "Append of three records at a wrong place", s.Append(t.Context(), "a", 0, records(0, started("x"), note("y"), note("z"))), session.ErrConflict)
	wantJournal(t, s, "a", append(want, mustAppend(t, s, "a", after, note("next"))...))
}

func testInvalid(t *testing.T, s session.Store) {
	at := start
	for name, tc := range map[string]struct {
		after int64
		recs  []session.Record
	}{
		"no records":        {0, nil},
		"negative position": {-1, records(-1, started("x"))},
		"wrong first":       {0, records(1, started("x"))},
		"gap":               {0, []session.Record{{Seq: 1, Time: at, Event: started("x")}, {Seq: 3, Time: at, Event: note("y")}}},
		"repeated":          {0, []session.Record{{Seq: 1, Time: at, Event: started("x")}, {Seq: 1, Time: at, Event: note("y")}}},
		"no event":          {0, []session.Record{{Seq: 1, Time: at}}},
		"no time":           {0, []session.Record{{Seq: 1, Event: started("x")}}},
		"no message":        {0, records(0, &session.Prompted{})},
		"no response":       {0, records(0, &session.ModelAnswered{Turn: 1})},
		"no error":          {0, records(0, &session.ModelFailed{Turn: 1})},
	} {
		err := s.Append(t.Context(), "a", tc.after, tc.recs)
		if err == nil || errors.Is(err, session.ErrConflict) {
			t.Errorf("%s: Append gave %v, want an error about the records", name, err)
		}
	}
	if infos := mustList(t, s, session.Filter{}); len(infos) != 0 {
		t.Errorf("a failed Append left a session: %+v", infos)
	}
}

func testIDs(t *testing.T, s session.Store) {
	for _, id := range []string{
		"", ".", "..", "../a", "a/b", `a\b`, "/etc/passwd", "a.b", "a b", "a\x00b", "a\nb", "é", "a'b", `a"b`, "a%2fb", "a:b", "-\u202e",
		strings.Repeat("a", session.MaxIDLength+1),
	} {
		if err := s.Append(t.Context(), id, 0, records(0, started("x"))); err == nil {
			t.Errorf("Append took the id %q", id)
		}
		if _, err := collect(s.Load(t.Context(), id, 0)); err == nil {
			t.Errorf("Load took the id %q", id)
		}
		if err := s.Delete(t.Context(), id); err == nil {
			t.Errorf("Delete took the id %q", id)
		}
	}
	// Ids that differ only in case, or look like options or numbers, are ids.
	ids := []string{"abc", "ABC", "aBc", "-", "_", "--help", "007", "7", "NULL", strings.Repeat("Z", session.MaxIDLength), session.NewID()}
	for _, id := range ids {
		mustAppend(t, s, id, 0, started("agent-of-"+id))
	}
	for _, id := range ids {
		wantJournal(t, s, id, records(0, started("agent-of-"+id)))
	}
}

// testOneSession lets many writers race for each place of one journal: exactly
// one of them gets it.
func testOneSession(t *testing.T, s session.Store) {
	const writers, places = 8, 25
	for after := range int64(places) {
		var wins atomic.Int64
		var won session.Event
		var wg sync.WaitGroup
		for w := range writers {
			wg.Go(func() {
				ev := started(fmt.Sprintf("writer %d after %d", w, after))
				switch err := s.Append(t.Context(), "a", after, records(after, ev)); {
				case err == nil && wins.Add(1) == 1:
					won = ev
				case err != nil && !errors.Is(err, session.ErrConflict):
					t.Errorf("writer %d after %d: %v", w, after, err)
				}
			})
		}
		wg.Wait()
		if n := wins.Load(); n != 1 {
			t.Fatalf("%d writers won the place after %d", n, after)
		}
		if diff := diff(records(after, won), mustLoad(t, s, "a", after)); diff != "" {
			t.Fatalf("after %d the journal is not what the winner wrote (-won +stored):\n%s", after, diff)
		}
	}
}

// testManySessions lets sessions be written at the same time, some of them with
// a rival whose every append is a conflict.
func testManySessions(t *testing.T, s session.Store) {
	const sessions, steps = 24, 8
	var wg sync.WaitGroup
	for i := range sessions {
		id := fmt.Sprintf("session-%02d", i)
		wg.Go(func() {
			if err := s.Append(t.Context(), id, 0, records(0, started("clerk"))); err != nil {
				t.Errorf("%s: %v", id, err)
				return
			}
			for step := range int64(steps) {
				after := 1 + 2*step
				if err := s.Append(t.Context(), id, after, records(after, note("%s/%d", id, after), note("%s/%d", id, after+1))); err != nil {
					t.Errorf("%s after %d: %v", id, after, err)
					return
				}
				if i%2 == 0 {
					wantErr(t, id+": the same append again", s.Append(t.Context(), id, after, records(after, note("rival"))), session.ErrConflict)
				}
			}
		})
	}
	wg.Wait()
	for i := range sessions {
		id := fmt.Sprintf("session-%02d", i)
		events := []session.Event{started("clerk")}
		for after := 1; after <= 2*steps; after++ {
			events = append(events, note("%s/%d", id, after))
		}
		wantJournal(t, s, id, records(0, events...))
	}
	if n := len(mustList(t, s, session.Filter{})); n != sessions {
		t.Errorf("List gives %d sessions, want %d", n, sessions)
	}
}

// testCloseWaits closes a store under its writers: each append either is in the
// journal, which only a store that can be opened again shows, or tells why not.
func testCloseWaits(t *testing.T, s session.Store) {
	var wg sync.WaitGroup
	begun := make(chan struct{}, 8)
	for i := range cap(begun) {
		wg.Go(func() {
			id := fmt.Sprintf("session-%d", i)
			for after := int64(0); ; after++ {
				err := s.Append(t.Context(), id, after, records(after, note("%d", after)))
				if after == 0 {
					begun <- struct{}{}
				}
				if err != nil {
					wantErr(t, "Append while the store is closed", err, session.ErrClosed)
					return
				}
			}
		})
	}
	for range cap(begun) {
		<-begun
	}
	done := make(chan error, 1)
	go func() { done <- s.Close() }()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("Close: %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("Close does not return while others append")
	}
	wg.Wait()
}
