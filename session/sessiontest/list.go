package sessiontest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/quarry-sdk/quarry/session"
)

// testInfo checks that a store's summary is the fold of the journal, after each
// append and for a batch.
func testInfo(t *testing.T, s session.Store) {
	events := append(Events(), Events()[1:]...)
	mustAppend(t, s, "batch", 0, events...)
	want := session.Info{ID: "steps"}
	for i, rec := range records(0, events...) {
		mustAppend(t, s, "steps", int64(i), rec.Event)
		want.Apply(rec)
		infos := mustList(t, s, session.Filter{ID: "steps"})
		if len(infos) != 1 {
			t.Fatalf("List gives %d sessions, want 1", len(infos))
		}
		if diff := diff(want, infos[0]); diff != "" {
			t.Fatalf("after %s the summary differs (-want +got):\n%s", rec.Event.Kind(), diff)
		}
		// What a caller does to a summary is the caller's.
		clear(infos[0].Usage.ServerToolCalls)
	}
	want.ID = "batch"
	if diff := diff([]session.Info{want}, mustList(t, s, session.Filter{ID: "batch"})); diff != "" {
		t.Errorf("after a batch the summary differs (-want +got):\n%s", diff)
	}
}

func testList(t *testing.T, s session.Store) {
	if infos := mustList(t, s, session.Filter{}); len(infos) != 0 {
		t.Errorf("an empty store has sessions: %+v", infos)
	}
	// Ten sessions, begun in order; the even ones are updated afterwards, s0 and
	// s2 at the same time.
	prompt := &session.Prompted{Message: Message()}
	for i := range 10 {
		at := start.Add(time.Duration(i) * time.Minute)
		first := started([]string{"clerk", "guide"}[i%2]).(*session.Started)
		if i >= 6 {
			first.Labels = map[string]string{"corpus": "m=n", hard: hard, "": "", fmt.Sprint("n", i): "1"}
		}
		append1(t, s, fmt.Sprintf("s%d", i), 0, at, first)
	}
	for i := 0; i < 10; i += 2 {
		at := start.Add(time.Hour + time.Duration(i/4)*time.Minute)
		append1(t, s, fmt.Sprintf("s%d", i), 1, at, prompt)
	}
	append1(t, s, "s4", 2, start.Add(2*time.Hour), &session.Ended{Result: session.Result{Subtype: session.Success}})
	append1(t, s, "s9", 1, start.Add(time.Nanosecond-time.Hour), note("stopped"))

	for _, tc := range []struct {
		name   string
		filter session.Filter
		want   []string
	}{
		{"all, newest update first, then by id from the end", session.Filter{}, []string{"s4", "s8", "s6", "s2", "s0", "s7", "s5", "s3", "s1", "s9"}},
		{"limit", session.Filter{Limit: 3}, []string{"s4", "s8", "s6"}},
		{"limit above", session.Filter{Limit: 99, Agent: "guide"}, []string{"s7", "s5", "s3", "s1", "s9"}},
		{"id", session.Filter{ID: "s3"}, []string{"s3"}},
		{"no such id", session.Filter{ID: "s"}, nil},
		{"id and another agent", session.Filter{ID: "s3", Agent: "clerk"}, nil},
		{"agent", session.Filter{Agent: "clerk"}, []string{"s4", "s8", "s6", "s2", "s0"}},
		{"agent that is a pattern", session.Filter{Agent: "%"}, nil},
		{"agent that is SQL", session.Filter{Agent: "' OR 1=1 --"}, nil},
		{"running", session.Filter{Status: session.StatusRunning}, []string{"s8", "s6", "s2", "s0"}},
		{"idle", session.Filter{Status: session.StatusIdle, Limit: 2}, []string{"s7", "s5"}},
		{"done", session.Filter{Status: session.StatusDone}, []string{"s4"}},
		{"interrupted", session.Filter{Status: session.StatusInterrupted}, []string{"s9"}},
		{"since, inclusive", session.Filter{Since: start.Add(time.Hour + time.Minute)}, []string{"s4", "s8", "s6"}},
		{"since, to the nanosecond", session.Filter{Since: start.Add(time.Hour + time.Minute + time.Nanosecond)}, []string{"s4", "s8"}},
		{"since, another zone", session.Filter{Since: start.Add(2 * time.Hour).In(time.FixedZone("", 3600))}, []string{"s4"}},
		{"since long ago", session.Filter{Since: time.Date(1, 2, 3, 0, 0, 0, 0, time.UTC), Limit: 1}, []string{"s4"}},
		{"since the far future", session.Filter{Since: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)}, nil},
		{"id prefix", session.Filter{IDPrefix: "s", Limit: 2}, []string{"s4", "s8"}},
		{"id prefix that is an id", session.Filter{IDPrefix: "s3"}, []string{"s3"}},
		{"id prefix that is longer", session.Filter{IDPrefix: "s33"}, nil},
		{"id prefix in another case", session.Filter{IDPrefix: "S"}, nil},
		{"id prefix that is a pattern", session.Filter{IDPrefix: "s%"}, nil},
		{"id prefix and id", session.Filter{IDPrefix: "s", ID: "s3"}, []string{"s3"}},
		{"label", session.Filter{Label: "corpus=m=n"}, []string{"s8", "s6", "s7", "s9"}},
		{"label and limit", session.Filter{Label: "corpus=m=n", Limit: 3}, []string{"s8", "s6", "s7"}},
		{"label and agent", session.Filter{Label: "corpus=m=n", Agent: "guide"}, []string{"s7", "s9"}},
		{"label of one", session.Filter{Label: "n7=1"}, []string{"s7"}},
		{"label with hard text", session.Filter{Label: strings.ReplaceAll(hard, "=", "") + "=" + hard}, []string{"s8", "s6", "s7", "s9"}},
		{"label with nothing", session.Filter{Label: "="}, []string{"s8", "s6", "s7", "s9"}},
		{"label without value", session.Filter{Label: "corpus"}, nil},
		{"label with another value", session.Filter{Label: "corpus=m"}, nil},
		{"label that is a pattern", session.Filter{Label: "corpus=%"}, nil},
		{"all together", session.Filter{Agent: "clerk", Status: session.StatusRunning, Since: start.Add(time.Hour), Limit: 3}, []string{"s8", "s6", "s2"}},
	} {
		var got []string
		for _, info := range mustList(t, s, tc.filter) {
			got = append(got, info.ID)
		}
		if diff := diff(tc.want, got); diff != "" {
			t.Errorf("%s: List differs (-want +got):\n%s", tc.name, diff)
		}
	}
}

func append1(t *testing.T, s session.Store, id string, after int64, at time.Time, ev session.Event) {
	t.Helper()
	if err := s.Append(t.Context(), id, after, []session.Record{{Seq: after + 1, Time: at, Event: ev}}); err != nil {
		t.Fatal(err)
	}
}
