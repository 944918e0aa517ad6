package bench

import (
	"testing"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/session"
)

// longTurns is the length of a long session.
const longTurns = 1000

// TestJournalGrowsLinearly: a turn late in a session takes no more of the
// journal than an early one.
func TestJournalGrowsLinearly(t *testing.T) {
	store := session.NewMemory()
	id := runLong(t, store)
	size := make([]int, longTurns+2)
	turn := 0
	for rec, err := range store.Load(t.Context(), id, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if called, ok := rec.Event.(*session.ModelCalled); ok {
			turn = called.Turn
		}
		data, err := rec.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		size[turn] += len(data)
	}
	early, late := 0, 0
	for i := range 100 {
		early += size[1+i]
		late += size[longTurns-i]
	}
	t.Logf("bytes a turn: %d in the first hundred, %d in the last", early/100, late/100)
	if late > early*110/100 || early == 0 {
		t.Errorf("the last hundred turns took %d bytes, the first hundred %d", late, early)
	}
}

// BenchmarkLoadLong reports how long a session of a thousand turns takes to load.
func BenchmarkLoadLong(b *testing.B) {
	store := newSQLite(b)
	id := runLong(b, store)
	n := 0
	for b.Loop() {
		n = 0
		for _, err := range store.Load(b.Context(), id, 0) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
	}
	if n < 4*longTurns {
		b.Fatalf("the session has %d records", n)
	}
	b.ReportMetric(float64(n), "records")
}

func runLong(tb testing.TB, store session.Store) (id string) {
	tb.Helper()
	agent := newAgent(tb, startServer(tb).base(longTurns, 0), store)
	result, err := agent.Run(tb.Context(), quarry.Input{Prompt: "Begin."})
	if err != nil || result.Spent.ToolCalls != longTurns {
		tb.Fatalf("got %+v, %v", result, err)
	}
	return result.Session
}
