package sessiontest

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quarry-sdk/quarry/session"
)

func mustFork(t *testing.T, s session.Store, id, from string, at int64) {
	t.Helper()
	if err := s.Fork(t.Context(), id, from, at); err != nil {
		t.Fatalf("Fork of %q at %d: %v", from, at, err)
	}
}

func mustDelete(t *testing.T, s session.Store, id string) {
	t.Helper()
	if err := s.Delete(t.Context(), id); err != nil {
		t.Fatalf("Delete of %q: %v", id, err)
	}
}

// testForkGone deletes the only fork of a session, whose records all stay.
func testForkGone(t *testing.T, s session.Store) {
	source := mustAppend(t, s, "source", 0, started("clerk"), note("two"), note("three"))
	mustFork(t, s, "fork", "source", 1)
	mustDelete(t, s, "fork")
	wantJournal(t, s, "source", source)
	mustFork(t, s, "fork", "source", 2)
	mustFork(t, s, "fork-of-fork", "fork", 1)
	mustDelete(t, s, "fork")
	wantJournal(t, s, "source", source)
	wantJournal(t, s, "fork-of-fork", source[:1])
}

// testFork forks a session at each of its records; each fork goes its own way.
func testFork(t *testing.T, s session.Store) {
	source := mustAppend(t, s, "source", 0, Events()...)
	before := mustList(t, s, session.Filter{ID: "source"})
	for at := 1; at <= len(source); at++ {
		id := fmt.Sprintf("fork-%d", at)
		mustFork(t, s, id, "source", int64(at))
		wantJournal(t, s, id, source[:at])
		want := session.Info{ID: id, Forked: &session.Forked{From: "source", At: int64(at)}}
		for _, rec := range source[:at] {
			want.Apply(rec)
		}
		infos := mustList(t, s, session.Filter{ID: id})
		if diff := diff([]session.Info{want}, infos); diff != "" {
			t.Fatalf("the summary of a fork at %d differs (-want +got):\n%s", at, diff)
		}
		// What a caller does to a summary is the caller's.
		infos[0].Forked.From = "elsewhere"
		clear(infos[0].Labels)

		// It goes on where the prefix ends, and nowhere else.
		for _, after := range []int64{0, int64(at) - 1, int64(at) + 1} {
			wantErr(t, fmt.Sprintf("Append after %d to a fork at %d", after, at), s.Append(t.Context(), id, after, records(after, note("no"))), session.ErrConflict)
		}
		own := mustAppend(t, s, id, int64(at), note("own %d", at), note("more"))
		for _, rec := range own {
			want.Apply(rec)
		}
		whole := append(source[:at:at], own...)
		wantJournal(t, s, id, whole)
		for after := range int64(len(whole)) {
			if diff := diff(whole[after:], mustLoad(t, s, id, after)); diff != "" {
				t.Fatalf("Load of a fork at %d after %d differs (-want +got):\n%s", at, after, diff)
			}
		}
		if diff := diff([]session.Info{want}, mustList(t, s, session.Filter{ID: id})); diff != "" {
			t.Fatalf("the summary of a fork at %d that went on differs (-want +got):\n%s", at, diff)
		}
	}
	wantJournal(t, s, "source", source)
	if diff := diff(before, mustList(t, s, session.Filter{ID: "source"})); diff != "" {
		t.Errorf("forking changed the source (-before +after):\n%s", diff)
	}
	// A fork that goes takes nothing with it that others have.
	for at := 1; at < len(source); at++ {
		mustDelete(t, s, fmt.Sprintf("fork-%d", at))
	}
	wantJournal(t, s, "source", source)
	// The source goes on too, and the fork that is left does not hear of it.
	last := int64(len(source))
	source = append(source, mustAppend(t, s, "source", last, note("source goes on"))...)
	wantJournal(t, s, "source", source)
	wantJournal(t, s, fmt.Sprintf("fork-%d", last), append(source[:last:last], records(last, note("own %d", last), note("more"))...))
}

// testForkOfFork forks forks within their prefix, at its end and in their own
// records.
func testForkOfFork(t *testing.T, s session.Store) {
	a := mustAppend(t, s, "a", 0, started("clerk"), note("a2"), note("a3"), note("a4"))
	mustFork(t, s, "b", "a", 3)
	b := append(a[:3:3], mustAppend(t, s, "b", 3, note("b4"), note("b5"))...)
	mustFork(t, s, "c", "b", 4)
	c := append(b[:4:4], mustAppend(t, s, "c", 4, note("c5"), note("c6"))...)
	mustFork(t, s, "unused", "c", 6)
	want := map[string][]session.Record{"a": a, "b": b, "c": c, "unused": c}
	for _, from := range []string{"a", "b", "c", "unused"} {
		for at := 1; at <= len(want[from]); at++ {
			id := fmt.Sprintf("%s-%d", from, at)
			mustFork(t, s, id, from, int64(at))
			want[id] = append(want[from][:at:at], mustAppend(t, s, id, int64(at), note("%s", id))...)
			infos := mustList(t, s, session.Filter{ID: id})
			if diff := diff(&session.Forked{From: from, At: int64(at)}, infos[0].Forked); diff != "" {
				t.Errorf("%s came from elsewhere (-want +got):\n%s", id, diff)
			}
		}
	}
	for id, recs := range want {
		wantJournal(t, s, id, recs)
	}
	// They stay what they are while those they came from go, in any order.
	for _, gone := range []string{"b", "unused", "a", "c"} {
		mustDelete(t, s, gone)
		delete(want, gone)
		for id, recs := range want {
			wantJournal(t, s, id, recs)
		}
		_, err := collect(s.Load(t.Context(), gone, 0))
		wantErr(t, "Load of a deleted session that has forks", err, session.ErrNotFound)
	}
	if n := len(mustList(t, s, session.Filter{})); n != len(want) {
		t.Errorf("List gives %d sessions, want %d", n, len(want))
	}
	for id := range want {
		mustDelete(t, s, id)
	}
	if infos := mustList(t, s, session.Filter{}); len(infos) != 0 {
		t.Errorf("after everything was deleted there is %+v", infos)
	}
}

func testForkErrors(t *testing.T, s session.Store) {
	mustAppend(t, s, "a", 0, started("clerk"), note("two"))
	mustAppend(t, s, "b", 0, started("other"))
	wantErr(t, "Fork of no session", s.Fork(t.Context(), "c", "none", 1), session.ErrNotFound)
	wantErr(t, "Fork to an id that is taken", s.Fork(t.Context(), "b", "a", 1), session.ErrExists)
	wantErr(t, "Fork of a session to itself", s.Fork(t.Context(), "a", "a", 1), session.ErrExists)
	for _, at := range []int64{-1, 0, 3, 1 << 40} {
		err := s.Fork(t.Context(), "c", "a", at)
		var re *session.RangeError
		if !errors.As(err, &re) || *re != (session.RangeError{Session: "a", At: at, Last: 2}) || !strings.Contains(err.Error(), "1 to 2") {
			t.Errorf("Fork at %d of 2: %v, want a *session.RangeError", at, err)
		}
	}
	for _, id := range []string{"", "a/b", "..", strings.Repeat("a", session.MaxIDLength+1)} {
		if err := s.Fork(t.Context(), id, "a", 1); err == nil {
			t.Errorf("Fork took the id %q", id)
		}
		if err := s.Fork(t.Context(), "c", id, 1); err == nil {
			t.Errorf("Fork took %q to fork from", id)
		}
	}
	if err := s.Fork(canceled(t), "c", "a", 1); err == nil {
		t.Error("Fork does not heed its context")
	}
	if n := len(mustList(t, s, session.Filter{})); n != 2 {
		t.Errorf("failed forks left sessions: there are %d, want 2", n)
	}
	// An id that was deleted is free, also for a fork of what stood there.
	mustFork(t, s, "c", "a", 2)
	mustDelete(t, s, "a")
	wantErr(t, "Fork of a deleted session", s.Fork(t.Context(), "d", "a", 1), session.ErrNotFound)
	mustFork(t, s, "a", "c", 1)
	wantJournal(t, s, "a", records(0, started("clerk")))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	wantErr(t, "Fork", s.Fork(t.Context(), "e", "b", 1), session.ErrClosed)
}

// testForkMany makes forks of one session at once while it goes on; ids that are
// fought over go to one.
func testForkMany(t *testing.T, s session.Store) {
	mustAppend(t, s, "a", 0, started("clerk"), note("2"), note("3"))
	var wg sync.WaitGroup
	var mu sync.Mutex
	wins := make(map[string]int)
	for w := range 4 {
		wg.Go(func() {
			for i := range 6 {
				id := fmt.Sprintf("fork-%d", i)
				switch err := s.Fork(t.Context(), id, "a", int64(i%3+1)); {
				case err == nil:
					mu.Lock()
					wins[id]++
					mu.Unlock()
				case !errors.Is(err, session.ErrExists):
					t.Errorf("fork %d: %v", w, err)
				}
			}
		})
	}
	wg.Go(func() {
		for after := int64(3); after < 12; after++ {
			if err := s.Append(t.Context(), "a", after, records(after, note("%d", after+1))); err != nil {
				t.Errorf("Append while it is forked: %v", err)
			}
		}
	})
	wg.Wait()
	for i := range 6 {
		id := fmt.Sprintf("fork-%d", i)
		if wins[id] != 1 {
			t.Errorf("%d made %s", wins[id], id)
		}
		wantJournal(t, s, id, records(0, started("clerk"), note("2"), note("3"))[:i%3+1])
	}
	if n := len(mustLoad(t, s, "a", 0)); n != 12 {
		t.Errorf("the source has %d records, want 12", n)
	}
}

// testForkLong forks where prefixes take more than one page to load, and deletes
// the source within a loop over a fork.
func testForkLong(t *testing.T, s session.Store) {
	events := []session.Event{started("clerk")}
	for i := range 700 {
		events = append(events, note("%d", i))
	}
	all := mustAppend(t, s, "a", 0, events...)
	mustFork(t, s, "b", "a", 600)
	want := append(all[:600:600], mustAppend(t, s, "b", 600, events[1:]...)...)
	var got []session.Record
	for rec, err := range s.Load(t.Context(), "b", 0) {
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, rec); rec.Seq == 1 {
			mustDelete(t, s, "a")
			mustAppend(t, s, "a", 0, started("another"))
		}
	}
	if diff := diff(want, got); diff != "" {
		t.Errorf("the journal of a fork whose source is deleted meanwhile differs (-want +got):\n%s", diff)
	}
}

// testRename renames a session wherever it stands.
func testRename(t *testing.T, s session.Store) {
	at := start.Add(time.Hour)
	mustAppend(t, s, "a", 0, Events()[:3]...)
	for i, title := range []string{"one", hard, ""} {
		if err := session.Rename(t.Context(), s, "a", title, at); err != nil {
			t.Fatal(err)
		}
		info := mustList(t, s, session.Filter{ID: "a"})[0]
		if info.Title != title || info.Status != session.StatusRunning || info.Last != int64(4+i) || !info.Updated.Equal(at) {
			t.Errorf("a session renamed to %q is %+v", title, info)
		}
	}
	wantErr(t, "Rename of no session", session.Rename(t.Context(), s, "b", "x", at), session.ErrNotFound)
}

// testExport takes sessions out and reads them back, into the same store.
func testExport(t *testing.T, s session.Store) {
	source := mustAppend(t, s, "a", 0, Events()...)
	mustFork(t, s, "b", "a", 3)
	fork := append(source[:3:3], mustAppend(t, s, "b", 3, note("own"))...)
	for id, want := range map[string][]session.Record{"a": source, "b": fork} {
		var file bytes.Buffer
		if err := session.Export(t.Context(), s, id, &file); err != nil {
			t.Fatal(err)
		}
		content := file.String()
		if n := strings.Count(content, "\n"); n != 1+len(want) {
			t.Errorf("the file has %d lines, want %d", n, 1+len(want))
		}
		_, err := session.Import(t.Context(), s, strings.NewReader(content), "")
		wantErr(t, "Import of a session that is there", err, session.ErrExists)
		wantJournal(t, s, id, want)
		if got, err := session.Import(t.Context(), s, strings.NewReader(content), id+"-again"); err != nil || got != id+"-again" {
			t.Fatalf("Import gives %q, %v", got, err)
		}
		wantJournal(t, s, id+"-again", want)
		mustDelete(t, s, id)
		if got, err := session.Import(t.Context(), s, strings.NewReader(content), ""); err != nil || got != id {
			t.Fatalf("Import gives %q, %v", got, err)
		}
		wantJournal(t, s, id, want)
		info := mustList(t, s, session.Filter{ID: id})[0]
		fold := session.Info{ID: id}
		for _, rec := range want {
			fold.Apply(rec)
		}
		if diff := diff(fold, info); diff != "" {
			t.Errorf("the summary of what was imported differs (-want +got):\n%s", diff)
		}
		mustAppend(t, s, id, int64(len(want)), note("goes on"))
	}
	before := mustList(t, s, session.Filter{})
	wantErr(t, "Export of no session", session.Export(t.Context(), s, "none", &bytes.Buffer{}), session.ErrNotFound)
	if _, err := session.Import(t.Context(), s, strings.NewReader("{}\n"), "broken"); err == nil {
		t.Error("Import took what is no export")
	}
	if diff := diff(before, mustList(t, s, session.Filter{})); diff != "" {
		t.Errorf("a failed import left something (-before +after):\n%s", diff)
	}
}
