package sqlite_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/session/sqlite"
)

// BenchmarkAppend appends what a step of an agent appends, an outcome and the
// next intent, to one session after the other or to 100 at once. Each append is
// on the disk when it is counted.
func BenchmarkAppend(b *testing.B) {
	for _, sessions := range []int{1, 100} {
		b.Run(fmt.Sprintf("sessions=%d", sessions), func(b *testing.B) { benchmarkAppend(b, sessions) })
	}
}

func benchmarkAppend(b *testing.B, sessions int) {
	store, err := sqlite.Open(b.Context(), sqlite.Config{Path: filepath.Join(b.TempDir(), "quarry.db")})
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	answer := &session.ModelAnswered{Turn: 1, Response: &model.Response{Message: model.NewMessage(model.RoleAssistant, &model.Text{Text: strings.Repeat("All work and no play. ", 40)})}}
	call := &session.ToolCalled{Turn: 1, ID: "toolu_01", Name: "fetch", Key: "01JZ-1-0", Attempt: 1}
	now := time.Now().UTC()
	ids := make([]string, sessions)
	for i := range ids {
		ids[i] = session.NewID()
		if err := store.Append(b.Context(), ids[i], 0, []session.Record{{Seq: 1, Time: now, Event: &session.Started{Format: 1, Machine: "agent", Agent: "clerk"}}}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	b.ResetTimer()
	var wg sync.WaitGroup
	for i, id := range ids {
		n := b.N / sessions
		if i < b.N%sessions {
			n++
		}
		wg.Go(func() {
			for last := int64(1); last < int64(2*n); last += 2 {
				err := store.Append(b.Context(), id, last, []session.Record{
					{Seq: last + 1, Time: now, Event: answer}, {Seq: last + 2, Time: now, Event: call},
				})
				if err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "appends/s")
	total := int64(0)
	for info, err := range store.List(b.Context(), session.Filter{}) {
		if err != nil {
			b.Fatal(err)
		}
		total += info.Last
	}
	if want := int64(sessions + 2*b.N); total != want {
		b.Fatalf("the store has %d records, want %d", total, want)
	}
}

// BenchmarkList lists 10,000 sessions, the first 20 of them, and the 1,000 that
// have a label.
func BenchmarkList(b *testing.B) {
	path := filepath.Join(b.TempDir(), "quarry.db")
	store := open(b, path)
	defer store.Close()
	const sessions = 10_000
	fillSessions(b, path)
	b.Run("label", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			n := 0
			for _, err := range store.List(b.Context(), session.Filter{Label: "corpus=c3"}) {
				if err != nil {
					b.Fatal(err)
				}
				n++
			}
			if n != sessions/10 {
				b.Fatalf("List gave %d sessions, want %d", n, sessions/10)
			}
		}
	})
	for _, limit := range []int{0, 20} {
		b.Run(fmt.Sprintf("limit=%d", limit), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				n := 0
				for _, err := range store.List(b.Context(), session.Filter{Limit: limit, Status: session.StatusDone}) {
					if err != nil {
						b.Fatal(err)
					}
					n++
				}
				if want := min(limit+sessions*(1-min(limit, 1)), sessions); n != want {
					b.Fatalf("List gave %d sessions, want %d", n, want)
				}
			}
		})
	}
}

// fillSessions makes 10,000 sessions without records, each with one of ten labels.
func fillSessions(tb testing.TB, path string) {
	execute(tb, path, `
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 10000)
		INSERT INTO sessions (id, agent, model, title, status, subtype, created, updated, last, prompt, turns, tool_calls, usage, labels)
		SELECT 's' || i, 'clerk', 'anthropic/claude', '', 'done', 'success', i, (i * 7919) % 10007, 9, 'When was the lighthouse of Kõpu first lit?', 3, 2,
			'{"input_tokens":1200,"output_tokens":80,"cache_read_tokens":0,"cache_write_tokens":0}', '{"corpus":"c' || (i % 10) || '"}' FROM n;
		INSERT INTO labels (key, value, session) SELECT l.key, l.value, number FROM sessions, json_each(labels) l`)
}

// BenchmarkLoad loads a journal of 1,000 records of 2 kB each.
func BenchmarkLoad(b *testing.B) {
	store := open(b, filepath.Join(b.TempDir(), "quarry.db"))
	defer store.Close()
	recs := make([]session.Record, 1000)
	for i := range recs {
		recs[i] = session.Record{Seq: int64(i + 1), Time: time.Now(), Event: &session.ToolAnswered{Content: model.Blocks{&model.Text{Text: strings.Repeat("lorem ipsum ", 170)}}}}
	}
	if err := store.Append(b.Context(), "a", 0, recs); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for _, err := range store.Load(b.Context(), "a", 0) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != len(recs) {
			b.Fatalf("Load gave %d records, want %d", n, len(recs))
		}
	}
}
