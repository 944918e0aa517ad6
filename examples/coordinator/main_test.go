package main

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

func TestCoordinator(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "")
	var out strings.Builder
	synctest.Test(t, func(t *testing.T) {
		if err := run(t.Context(), "How is the bridge?", &out); err != nil {
			t.Fatal(err)
		}
	})
	// The times are those of the synctest bubble: no more than the model takes.
	want := `The bridge:
- Of the town's archive: 1871 built of oak. 1934 new deck of steel. 1998 new bearings, after the flood.
- Bearings: moved 4 mm in a year; up to 10 mm is usual. Deck: no cracks; rust on 3 percent of it.
- Missing: the agent auditor did not come to its end (limit, max_turns): the model was asked 3 times, which is the limit of turns; raise Limits.Turns

coordinator      0 to   300 ms  ========================================  success (completed)
historian        0 to   200 ms  ==========================                success (completed)
inspector        0 to   300 ms  ========================================  success (completed)
auditor          0 to   240 ms  ================================          limit (max_turns)
The run took 300 ms and its slowest agent 300 ms. One after the other, the agents would have taken 740 ms.
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}

	began, ended := map[string]int{}, map[string]int{}
	for _, m := range regexp.MustCompile(`(?m)^(\w+) +(\d+) to +(\d+) ms`).FindAllStringSubmatch(out.String(), -1) {
		began[m[1]], _ = strconv.Atoi(m[2]) // the pattern has digits there
		ended[m[1]], _ = strconv.Atoi(m[3])
	}
	slowest := 0
	for _, a := range agents {
		slowest = max(slowest, ended[a.Name]-began[a.Name])
		for _, b := range agents {
			if began[a.Name] >= ended[b.Name] {
				t.Errorf("%s began at %d ms, when %s had ended", a.Name, began[a.Name], b.Name)
			}
		}
	}
	if total := ended["coordinator"]; len(ended) != 4 || total >= slowest+5 {
		t.Errorf("the run of %v took %d ms, its slowest agent %d ms", ended, total, slowest)
	}
}
