package session

import (
	"testing"
	"time"
)

// TestMemoryKeepsWhatForksNeed looks into the store: a fork copies nothing, and
// a deleted session leaves no more than its forks need.
func TestMemoryKeepsWhatForksNeed(t *testing.T) {
	t.Parallel()
	m, ctx := NewMemory(), t.Context()
	var recs []Record
	for seq := range int64(10) {
		recs = append(recs, Record{Seq: seq + 1, Time: time.Unix(seq, 0), Event: &Resumed{}})
	}
	for _, err := range []error{m.Append(ctx, "a", 0, recs), m.Fork(ctx, "b", "a", 7), m.Fork(ctx, "c", "b", 4)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	journal := m.sessions["a"].own
	for _, id := range []string{"b", "c"} {
		if s := m.sessions[id]; len(s.prefix) != 1 || s.prefix[0].journal != journal || len(s.own.recs) != 0 {
			t.Errorf("the fork %s does not share the journal: %+v", id, s)
		}
	}
	for _, step := range []struct {
		id   string
		want int
	}{{"a", 7}, {"b", 4}, {"c", 0}} {
		if err := m.Delete(ctx, step.id); err != nil {
			t.Fatal(err)
		}
		if n := len(journal.recs); n != step.want || cap(journal.recs) > 2*step.want {
			t.Errorf("without %s there are %d records (room for %d), want %d", step.id, n, cap(journal.recs), step.want)
		}
	}
}
