package sessiontest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
)

// Run tests a store. Open returns a new, empty one; the kit closes it. Reopen
// opens the data of a store that the kit has closed; it is nil where a store
// does not outlive its Close.
func Run(t *testing.T, open func(t *testing.T) session.Store, reopen func(t *testing.T, closed session.Store) session.Store) {
	for _, tc := range []struct {
		name string
		test func(t *testing.T, s session.Store)
	}{
		{"append/sequence", testSequence},
		{"append/compare", testCompare},
		{"append/all_or_nothing", testAllOrNothing},
		{"append/invalid", testInvalid},
		{"append/ids", testIDs},
		{"append/one_session_many_writers", testOneSession},
		{"append/many_sessions", testManySessions},
		{"load/every_kind", testEveryKind},
		{"load/big", testBig},
		{"load/long", testLong},
		{"load/after", testAfter},
		{"load/unknown", testUnknown},
		{"load/while_appended", testLoadWhileAppended},
		{"load/break", testBreak},
		{"list/info", testInfo},
		{"list/order_and_filters", testList},
		{"fork", testFork},
		{"fork/of_fork", testForkOfFork},
		{"fork/gone", testForkGone},
		{"fork/errors", testForkErrors},
		{"fork/many_at_once", testForkMany},
		{"fork/long", testForkLong},
		{"rename", testRename},
		{"export", testExport},
		{"delete", testDelete},
		{"delete/while_loaded", testDeleteWhileLoaded},
		{"delete/while_used", testDeleteWhileUsed},
		{"context", testContext},
		{"close", testClose},
		{"close/waits", testCloseWaits},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			t.Cleanup(func() { closeStore(t, s) })
			tc.test(t, s)
		})
	}
	if reopen == nil {
		return
	}
	t.Run("reopen", func(t *testing.T) {
		t.Parallel()
		testReopen(t, open(t), reopen)
	})
}

// closeStore closes a store, which a test may have done before.
func closeStore(t *testing.T, s session.Store) {
	if err := s.Close(); err != nil && !errors.Is(err, session.ErrClosed) {
		t.Errorf("Close: %v", err)
	}
}

// start is the time of the first record of each test, to the nanosecond.
var start = time.Date(2026, 2, 3, 4, 5, 6, 789_012_345, time.UTC)

// records returns events as the records that follow after, one second apart.
func records(after int64, events ...session.Event) []session.Record {
	recs := make([]session.Record, len(events))
	for i, ev := range events {
		seq := after + 1 + int64(i)
		recs[i] = session.Record{Seq: seq, Time: start.Add(time.Duration(seq) * time.Second), Event: ev}
	}
	return recs
}

// started is the first event of a session whose agent is named.
func started(agent string) session.Event {
	return &session.Started{Format: session.FormatVersion, Machine: "agent", Agent: agent}
}

// note is a small event that carries a text.
func note(format string, args ...any) session.Event {
	return &session.Interrupted{Reason: fmt.Sprintf(format, args...)}
}

func mustAppend(t *testing.T, s session.Store, id string, after int64, events ...session.Event) []session.Record {
	t.Helper()
	recs := records(after, events...)
	if err := s.Append(t.Context(), id, after, recs); err != nil {
		t.Fatalf("Append to %q after %d: %v", id, after, err)
	}
	return recs
}

func mustLoad(t *testing.T, s session.Store, id string, after int64) []session.Record {
	t.Helper()
	recs, err := collect(s.Load(t.Context(), id, after))
	if err != nil {
		t.Fatalf("Load of %q after %d: %v", id, after, err)
	}
	return recs
}

func mustList(t *testing.T, s session.Store, f session.Filter) []session.Info {
	t.Helper()
	infos, err := collect(s.List(t.Context(), f))
	if err != nil {
		t.Fatalf("List %+v: %v", f, err)
	}
	return infos
}

// collect returns what came before an error, and the error.
func collect[T any](seq iter.Seq2[T, error]) (all []T, err error) {
	for v, err := range seq {
		if err != nil {
			return all, err
		}
		all = append(all, v)
	}
	return all, nil
}

// wantJournal checks that a session has exactly these records.
func wantJournal(t *testing.T, s session.Store, id string, want []session.Record) {
	t.Helper()
	if diff := diff(want, mustLoad(t, s, id, 0)); diff != "" {
		t.Fatalf("the journal of %q differs (-want +got):\n%s", id, diff)
	}
}

func wantErr(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}

// sameBytes compares bytes at once, which cmp does one by one.
var sameBytes = cmp.Comparer(func(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) })

// diff compares what stores give back: deeply, without the bytes that providers
// keep with a message.
func diff(want, got any) string {
	return cmp.Diff(want, got, sameBytes, cmpopts.IgnoreUnexported(model.Message{}))
}

// canceled is a context that has ended.
func canceled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
