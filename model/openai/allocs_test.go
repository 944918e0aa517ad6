package openai

import (
	"runtime"
	"testing"

	"github.com/quarry-sdk/quarry/model"
)

// TestRoundTripAllocs bounds what one call allocates, net/http and the SDK
// included, whatever the length of the history.
func TestRoundTripAllocs(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes pools forget")
	}
	const maxAllocs, maxBytes = 240, 20 << 10
	for _, n := range []int{2, 200} {
		m := testModel(t, rawServer(t, richStream))
		req := &model.Request{Messages: append(history(n), model.UserText("2 + 3?"))}
		round := func() {
			resp, err := m.Stream(t.Context(), req).Collect()
			if err != nil || len(resp.Message.Blocks.ToolUses()) != 2 {
				t.Fatalf("%v, %v", resp, err)
			}
		}
		for range 20 {
			round()
		}
		var before, after runtime.MemStats
		const rounds = 200
		runtime.ReadMemStats(&before)
		for range rounds {
			round()
		}
		runtime.ReadMemStats(&after)
		allocs, bytes := (after.Mallocs-before.Mallocs)/rounds, (after.TotalAlloc-before.TotalAlloc)/rounds
		t.Logf("history of %d: %d allocations, %d bytes", n, allocs, bytes)
		if allocs > maxAllocs || bytes > maxBytes {
			t.Errorf("history of %d: %d allocations and %d bytes for a call, want at most %d and %d", n, allocs, bytes, maxAllocs, maxBytes)
		}
	}
}
