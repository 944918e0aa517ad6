package bench

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"sync"
	"testing"

	"github.com/quarry-sdk/quarry/session"
)

// BenchmarkParkedAgents reports the memory of an agent that waits for its model:
// heap and stacks, HTTP connection included.
func BenchmarkParkedAgents(b *testing.B) {
	const agents, steps, park = 500, 2, 2
	server := startServer(b)
	for b.Loop() {
		agent := newAgent(b, server.base(steps, park), session.NewMemory())
		before := inUse()
		var running sync.WaitGroup
		for range agents {
			running.Go(func() { runOnce(b, agent, steps) })
		}
		server.get("/%d/%d/parked/%d", steps, park, agents)
		after := inUse()
		b.ReportMetric(float64(after-before)/agents/1024, "KB/agent")
		b.ReportMetric(float64(runtime.NumGoroutine())/agents, "goroutines/agent")
		server.get("/%d/%d/release", steps, park)
		running.Wait()
		server = startServer(b) // a released loop parks nobody any more
	}
}

// BenchmarkThousandAgents runs a thousand agents at once, ten tool rounds each.
func BenchmarkThousandAgents(b *testing.B) {
	const agents, steps = 1000, 10
	server := startServer(b)
	for b.Loop() {
		agent := newAgent(b, server.base(steps, 0), session.NewMemory())
		before, _ := server.counts(steps, 0)
		var running sync.WaitGroup
		for range agents {
			running.Go(func() { runOnce(b, agent, steps) })
		}
		running.Wait()
		after, _ := server.counts(steps, 0)
		if got := after - before; got != agents*(steps+1) {
			b.Fatalf("the server got %d requests; %d are due", got, agents*(steps+1))
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/1000agents")
	b.ReportMetric(peakMB(b), "peak-MB")
}

// inUse is the memory of the live heap and of stacks.
func inUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}

// peakMB is the largest resident set of this process so far.
func peakMB(tb testing.TB) float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		tb.Skipf("the peak of memory is read from /proc: %v", err)
	}
	_, rest, ok := bytes.Cut(status, []byte("VmHWM:"))
	if !ok {
		tb.Fatal("/proc/self/status has no VmHWM")
	}
	var kb float64
	if _, err := fmt.Sscan(string(rest), &kb); err != nil {
		tb.Fatal(err)
	}
	return kb / 1024
}
