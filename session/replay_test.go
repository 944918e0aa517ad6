package session_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/session/sessiontest"
)

// readJournal reads a journal that an earlier version has exported. These files
// are never written again: each format that was ever released is read for ever.
func readJournal(t *testing.T, format int) (lines [][]byte, recs []session.Record) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", fmt.Sprintf("journal-v%d.jsonl", format)))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var rec session.Record
		if err := json.Unmarshal(line, &rec); err != nil {
			t.Fatalf("line %d: %v", len(recs)+1, err)
		}
		lines, recs = append(lines, line), append(recs, rec)
	}
	return lines, recs
}

func TestReplayFormat1(t *testing.T) {
	t.Parallel()
	lines, recs := readJournal(t, 1)

	// It has every kind of event that there is, but for those that came to the
	// format after it was written.
	later := []string{session.KindRenamed, session.KindCompacting, session.KindCompacted, session.KindChanged, session.KindReconfigured,
		session.KindHookCalled, session.KindHookAnswered, session.KindApprovalAsked, session.KindApprovalGiven, session.KindChildWaiting, session.KindToolWaiting, session.KindBackgroundStopped}
	missing := make(map[string]bool)
	for _, ev := range sessiontest.Events() {
		missing[ev.Kind()] = !slices.Contains(later, ev.Kind())
	}
	for _, rec := range recs {
		missing[rec.Event.Kind()] = false
	}
	for kind, yes := range missing {
		if yes {
			t.Errorf("the journal lacks %s", kind)
		}
	}

	// Nothing that was written is lost on the way through.
	for i, rec := range recs {
		again, err := json.Marshal(rec)
		if err != nil {
			t.Fatal(err)
		}
		if path := lost(decode(t, lines[i]), decode(t, again), "record"); path != "" {
			t.Errorf("record %d (%s): %s is not what was written\nnow %s", rec.Seq, rec.Event.Kind(), path, again)
		}
	}

	// A store takes it, a machine folds it.
	store := session.NewMemory()
	if err := store.Append(t.Context(), "a", 0, recs); err != nil {
		t.Fatal(err)
	}
	live, err := session.Load(t.Context(), store, "a", &scripted{steps: []string{"model", "x fetch", "model", "model"}})
	if err != nil {
		t.Fatal(err)
	}
	if !live.Machine.Next().Done || live.Last() != int64(len(recs)) {
		t.Errorf("after record %d of %d the machine wants %+v", live.Last(), len(recs), live.Machine.Next())
	}

	// The summary is what it was.
	want := session.Info{
		ID: "a", Agent: "clerk", Model: "anthropic/claude-sonnet-4-5", Title: "Lighthouses",
		Labels: recs[0].Event.(*session.Started).Labels, Status: session.StatusDone, Subtype: session.Limited,
		Created: time.Date(2026, 11, 30, 9, 0, 1, 1, time.UTC), Updated: time.Date(2026, 11, 30, 9, 0, 14, 14, time.UTC), Last: 14,
		Prompt: "When was it lit? <b>&\u00e9</b> \U0001F9EA", Turns: 1, ToolCalls: 1,
		Usage: model.Usage{InputTokens: 1200, OutputTokens: 80, CacheReadTokens: 900, CacheWriteTokens: 300, CacheWrite1hTokens: 20, ReasoningTokens: 30, ServerToolCalls: map[string]int64{"web_search_requests": 1}},
	}
	for info, err := range store.List(t.Context(), session.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, info); diff != "" {
			t.Errorf("the summary differs (-want +got):\n%s", diff)
		}
	}
}

func decode(t *testing.T, data []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// lost returns the path of something in the old JSON that the new one does not
// have; new fields may have come.
func lost(old, now any, path string) string {
	switch old := old.(type) {
	case map[string]any:
		now, ok := now.(map[string]any)
		if !ok {
			return path
		}
		for key, v := range old {
			if _, ok := now[key]; !ok {
				return path + "." + key
			}
			if p := lost(v, now[key], path+"."+key); p != "" {
				return p
			}
		}
	case []any:
		now, ok := now.([]any)
		if !ok || len(now) != len(old) {
			return path
		}
		for i := range old {
			if p := lost(old[i], now[i], fmt.Sprintf("%s[%d]", path, i)); p != "" {
				return p
			}
		}
	default:
		if old != now {
			return path
		}
	}
	return ""
}
