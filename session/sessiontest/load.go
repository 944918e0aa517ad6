package sessiontest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
)

func testEveryKind(t *testing.T, s session.Store) {
	mustAppend(t, s, "a", 0, Events()...)
	wantJournal(t, s, "a", records(0, Events()...))
	for i, ev := range Events() {
		id := fmt.Sprintf("alone-%d", i)
		mustAppend(t, s, id, 0, ev)
		wantJournal(t, s, id, records(0, Events()[i]))
	}
	// A time keeps its nanosecond, and its place in the world becomes UTC.
	local := time.Date(1999, 12, 31, 23, 59, 59, 999_999_999, time.FixedZone("", -9*3600))
	if err := s.Append(t.Context(), "time", 0, []session.Record{{Seq: 1, Time: local, Event: started("clerk")}}); err != nil {
		t.Fatal(err)
	}
	if got := mustLoad(t, s, "time", 0)[0].Time; !got.Equal(local) {
		t.Errorf("the time %v came back as %v", local, got)
	}
}

func testBig(t *testing.T, s session.Store) {
	answered := func() session.Event {
		return &session.ToolAnswered{
			Turn: 1, ID: "toolu_01", Name: "fetch", Full: strings.Repeat("Ünicode <tag> ", 1<<16),
			Content: model.Blocks{&model.Image{Source: model.Source{MediaType: "image/png", Data: []byte(strings.Repeat("\x00\xffpng", 1<<16))}}},
		}
	}
	mustAppend(t, s, "a", 0, started("clerk"), answered(), note("small"), answered())
	wantJournal(t, s, "a", records(0, started("clerk"), answered(), note("small"), answered()))
}

func testLong(t *testing.T, s session.Store) {
	events := []session.Event{started("clerk")}
	for i := range 1500 {
		events = append(events, note("%d", i))
	}
	mustAppend(t, s, "a", 0, events...)
	wantJournal(t, s, "a", records(0, events...))
}

func testAfter(t *testing.T, s session.Store) {
	all := mustAppend(t, s, "a", 0, started("clerk"), note("two"), note("three"))
	for after, want := range map[int64][]session.Record{-5: all, 0: all, 1: all[1:], 2: all[2:], 3: nil, 4: nil, 1 << 40: nil} {
		if diff := diff(want, mustLoad(t, s, "a", after)); diff != "" {
			t.Errorf("Load after %d differs (-want +got):\n%s", after, diff)
		}
	}
}

func testUnknown(t *testing.T, s session.Store) {
	mustAppend(t, s, "a", 0, started("clerk"))
	for _, after := range []int64{0, 5} {
		recs, err := collect(s.Load(t.Context(), "b", after))
		wantErr(t, "Load of no session", err, session.ErrNotFound)
		if len(recs) != 0 {
			t.Errorf("Load of no session gave %d records", len(recs))
		}
	}
	wantErr(t, "Delete of no session", s.Delete(t.Context(), "b"), session.ErrNotFound)
}

// testLoadWhileAppended uses the store from within a loop over it.
func testLoadWhileAppended(t *testing.T, s session.Store) {
	mustAppend(t, s, "a", 0, started("clerk"), note("two"), note("three"))
	last, seen := int64(3), int64(0)
	for rec, err := range s.Load(t.Context(), "a", 0) {
		if err != nil {
			t.Fatal(err)
		}
		if seen++; rec.Seq != seen {
			t.Fatalf("record %d comes where %d is due", rec.Seq, seen)
		}
		if seen > 3 {
			continue
		}
		mustAppend(t, s, "a", last, note("during %d", seen))
		last++
		if n := len(mustLoad(t, s, "a", 0)); int64(n) != last {
			t.Fatalf("a load within a load gives %d records, want %d", n, last)
		}
		if n := len(mustList(t, s, session.Filter{})); n != 1 {
			t.Fatalf("a list within a load gives %d sessions, want 1", n)
		}
	}
	if seen < 3 {
		t.Errorf("Load gave %d records, want 3 or more", seen)
	}
}

func testBreak(t *testing.T, s session.Store) {
	mustAppend(t, s, "a", 0, started("clerk"), note("two"), note("three"))
	mustAppend(t, s, "b", 0, started("clerk"))
	for range 100 {
		for rec, err := range s.Load(t.Context(), "a", 0) {
			if err != nil || rec.Seq != 1 {
				t.Fatalf("the first record is %d, %v", rec.Seq, err)
			}
			break
		}
		for _, err := range s.List(t.Context(), session.Filter{}) {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	mustAppend(t, s, "a", 3, note("four"))
}
