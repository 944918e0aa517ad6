package bench

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/session"
)

// The bounds of what one tool round may cost with the in-memory store.
const (
	maxAllocs = 300
	maxBytes  = 30 << 10
)

// BenchmarkToolRound reports what one tool round costs: a model call over HTTP,
// a tool call, and their records.
func BenchmarkToolRound(b *testing.B) {
	server := startServer(b)
	for _, provider := range providers {
		for _, steps := range []int{20, 100} {
			b.Run(fmt.Sprintf("%s/memory/history=%d", provider.name, steps), func(b *testing.B) {
				benchRound(b, newAgentOf(b, provider.open, server.base(steps, 0), session.NewMemory()), steps)
			})
		}
	}
	for _, steps := range []int{20, 100} {
		b.Run(fmt.Sprintf("anthropic/sqlite/history=%d", steps), func(b *testing.B) {
			benchRound(b, newAgent(b, server.base(steps, 0), newSQLite(b)), steps)
		})
	}
}

func benchRound(b *testing.B, agent *quarry.Agent, steps int) {
	runOnce(b, agent, steps) // opens the connection
	allocs, bytes := measure(func() {
		for b.Loop() {
			runOnce(b, agent, steps)
		}
	})
	rounds := float64(b.N * steps)
	b.ReportMetric(float64(allocs)/rounds, "allocs/round")
	b.ReportMetric(float64(bytes)/rounds, "B/round")
	b.ReportMetric(float64(b.Elapsed().Microseconds())/rounds, "µs/round")
}

// TestToolRoundAllocations gates the cost of a round. It does not depend on
// time; the race detector adds allocations of its own.
func TestToolRoundAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector adds allocations; the plain test run has this check")
	}
	server := startServer(t)
	for _, provider := range providers {
		for _, steps := range []int{20, 100} {
			agent := newAgentOf(t, provider.open, server.base(steps, 0), session.NewMemory())
			runOnce(t, agent, steps)
			const runs = 5
			allocs, bytes := measure(func() {
				for range runs {
					runOnce(t, agent, steps)
				}
			})
			perRound, bytesPerRound := allocs/uint64(runs*steps), bytes/uint64(runs*steps)
			t.Logf("%s, %d rounds of history: %d allocations and %d bytes a round", provider.name, steps, perRound, bytesPerRound)
			if perRound > maxAllocs || bytesPerRound > maxBytes {
				t.Errorf("%s, %d rounds of history: %d allocations and %d bytes a round; at most %d and %d", provider.name, steps, perRound, bytesPerRound, maxAllocs, maxBytes)
			}
		}
	}
}

// measure returns what f allocates.
func measure(f func()) (allocs, bytes uint64) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc
}
