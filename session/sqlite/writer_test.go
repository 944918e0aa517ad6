package sqlite

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/quarry-sdk/quarry/session"
)

// testWriter returns a writer without its goroutine.
func testWriter(t *testing.T) *writer {
	t.Helper()
	path := filepath.Join(t.TempDir(), "quarry.db")
	if err := createFile(path); err != nil {
		t.Fatal(err)
	}
	cfg := &Config{Path: path, BusyTimeout: time.Second, Logger: slog.New(slog.DiscardHandler)}
	w, err := newWriter(t.Context(), cfg, path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func testRequest(t *testing.T, ctx context.Context, id string, after int64) *request {
	t.Helper()
	recs := []session.Record{{Seq: after + 1, Time: time.Now(), Event: &session.Interrupted{Reason: "test"}}}
	rows, err := encode(recs)
	if err != nil {
		t.Fatal(err)
	}
	return &request{ctx: ctx, done: make(chan struct{}), do: func(w *writer) (verdict, failure error) { return w.append(id, after, recs, rows) }}
}

func count(t *testing.T, w *writer, query string) (n int) {
	t.Helper()
	if err := w.begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer w.drop()
	if err := w.conn.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// waiting returns the requests as a queue in which all of them wait.
func waiting(requests ...*request) <-chan *request {
	queue := make(chan *request, len(requests))
	for _, r := range requests {
		queue <- r
	}
	return queue
}

func TestGroupHasOneVerdictEach(t *testing.T) {
	t.Parallel()
	w := testWriter(t)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	requests := []*request{
		testRequest(t, t.Context(), "a", 0),
		testRequest(t, t.Context(), "a", 0), // a conflict with the one before it
		testRequest(t, t.Context(), "a", 1),
		testRequest(t, t.Context(), "b", 4), // no such session
		testRequest(t, gone, "c", 0),
		testRequest(t, t.Context(), "d", 0),
	}
	want := []error{nil, session.ErrConflict, nil, session.ErrNotFound, context.Canceled, nil}

	queue := waiting(requests[1:]...)
	w.perform(requests[0], queue)
	if len(queue) != 0 {
		t.Errorf("%d requests were left for another transaction", len(queue))
	}
	for i, r := range requests {
		select {
		case <-r.done:
		default:
			t.Fatalf("request %d has no verdict", i)
		}
		if r.failure != nil || !errors.Is(r.verdict, want[i]) {
			t.Errorf("request %d: verdict %v, failure %v; want %v", i, r.verdict, r.failure, want[i])
		}
	}
	if n := count(t, w, "SELECT count(*) FROM records"); n != 3 {
		t.Errorf("the file has %d records, want 3", n)
	}
}

func TestGroupIsBounded(t *testing.T) {
	t.Parallel()
	w := testWriter(t)
	requests := make([]*request, groupLimit+3)
	for i := range requests {
		requests[i] = testRequest(t, t.Context(), session.NewID(), 0)
	}
	queue := waiting(requests[1:]...)
	w.perform(requests[0], queue)
	if len(queue) != 3 {
		t.Errorf("%d requests are left, want 3", len(queue))
	}
}

// TestFailureIsOfItsOwnWrite checks that a write that breaks the transaction
// fails alone, and that what it wrote before it broke is undone.
func TestFailureIsOfItsOwnWrite(t *testing.T) {
	t.Parallel()
	w := testWriter(t)
	broken := testRequest(t, t.Context(), "broken", 0)
	write, boom := broken.do, errors.New("boom")
	broken.do = func(w *writer) (verdict, failure error) {
		if verdict, failure := write(w); verdict != nil || failure != nil {
			t.Errorf("the write itself: %v, %v", verdict, failure)
		}
		return nil, boom
	}
	before, after := testRequest(t, t.Context(), "before", 0), testRequest(t, t.Context(), "after", 0)
	queue := waiting(broken, after)
	w.perform(before, queue)
	if len(queue) == 1 {
		w.perform(<-queue, queue)
	}
	for _, r := range []*request{before, after} {
		<-r.done
		if r.verdict != nil || r.failure != nil {
			t.Errorf("a write beside the broken one: %v, %v", r.verdict, r.failure)
		}
	}
	if <-broken.done; !errors.Is(broken.failure, boom) {
		t.Errorf("the broken write: %v, want %v", broken.failure, boom)
	}
	if n := count(t, w, "SELECT count(*) FROM sessions WHERE id IN ('before', 'after')"); n != 2 {
		t.Errorf("%d of the two sessions are there", n)
	}
	if n := count(t, w, "SELECT count(*) FROM sessions"); n != 2 {
		t.Errorf("the file has %d sessions, want 2", n)
	}
}

// TestDiskTrouble makes SQLite report a full disk and a file that cannot be
// written, in the middle of the store's life.
func TestDiskTrouble(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, pragma, problem string }{
		{"full", "PRAGMA max_page_count = 1", "the disk is full"},
		{"read-only", "PRAGMA query_only = 1", "the file cannot be written"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s, err := Open(t.Context(), Config{Path: filepath.Join(t.TempDir(), "quarry.db")})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			append1 := func(id string, after int64, size int) error {
				return s.Append(t.Context(), id, after, []session.Record{{Seq: after + 1, Time: time.Now(), Event: &session.Interrupted{Reason: string(make([]byte, size))}}})
			}
			if err := append1("a", 0, 1); err != nil {
				t.Fatal(err)
			}
			trouble := func(w *writer) (verdict, failure error) {
				_, failure = w.conn.ExecContext(context.Background(), tc.pragma)
				return nil, failure
			}
			if err := s.write(t.Context(), "trouble", trouble); err != nil {
				t.Fatal(err)
			}
			var e *Error
			if err := append1("a", 1, 1<<20); !errors.As(err, &e) || e.Problem != tc.problem || e.Hint == "" || e.Op != "append to" || e.Path == "" {
				t.Errorf("Append: %v, want %q with a hint", err, tc.problem)
			}
			// The journal is as before, and the store works again when the disk does.
			if err := append1("a", 1, 1<<20); err != nil {
				t.Errorf("Append after the trouble: %v", err)
			}
			for rec, err := range s.Load(t.Context(), "a", 0) {
				if err != nil || rec.Seq > 2 {
					t.Errorf("Load: record %d, %v", rec.Seq, err)
				}
			}
		})
	}
}

func TestListUsesTheIndex(t *testing.T) {
	t.Parallel()
	w := testWriter(t)
	for _, f := range []session.Filter{{}, {Limit: 10}, {Agent: "a", Status: session.StatusDone, Since: time.Now(), Limit: 1}} {
		query, args := listQuery(&f)
		rows, err := w.conn.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, args...)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var id, parent, unused int
			var detail string
			if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
				t.Fatal(err)
			}
			if detail != "SCAN sessions USING INDEX sessions_by_update" && detail != "SEARCH sessions USING INDEX sessions_by_update (updated>?)" {
				t.Errorf("%+v: %s", f, detail)
			}
		}
	}
}

// TestForkOfWhatFollowed forks a session that was deleted, and made again, after
// its prefix was read: nothing of either is forked.
func TestForkOfWhatFollowed(t *testing.T) {
	t.Parallel()
	w := testWriter(t)
	made := testRequest(t, t.Context(), "a", 0)
	w.perform(made, nil)
	info := &session.Info{ID: "b", Forked: &session.Forked{From: "a", At: 1}}
	fork := &request{ctx: t.Context(), done: make(chan struct{}), do: func(w *writer) (verdict, failure error) { return w.fork(info, 99, nil) }}
	w.perform(fork, nil)
	if fork.failure != nil || !errors.Is(fork.verdict, session.ErrNotFound) {
		t.Errorf("Fork: verdict %v, failure %v; want ErrNotFound", fork.verdict, fork.failure)
	}
	if n := count(t, w, "SELECT count(*) FROM sessions"); n != 1 {
		t.Errorf("there are %d sessions, want 1", n)
	}
}
