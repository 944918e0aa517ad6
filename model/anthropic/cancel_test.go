package anthropic

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/quarry-sdk/quarry/model"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// hanging serves the beginning of an answer, says so, and then says nothing
// until the client goes.
func hanging(t *testing.T, beginning string) (url string, asked, left <-chan struct{}) {
	came, gone := make(chan struct{}, 1), make(chan struct{}, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		came <- struct{}{}
		if beginning != "" {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, beginning)
			w.(http.Flusher).Flush()
		}
		<-r.Context().Done()
		gone <- struct{}{}
	}))
	t.Cleanup(srv.Close)
	return srv.URL, came, gone
}

var errWhy = errors.New("the user pressed stop")

// within fails the test if f takes longer than a call may take to end.
func within(t *testing.T, what string, f func()) {
	t.Helper()
	start := time.Now()
	f()
	if d := time.Since(start); d > 100*time.Millisecond {
		t.Errorf("%s took %v", what, d)
	}
}

func awaitGone(t *testing.T, left <-chan struct{}) {
	t.Helper()
	select {
	case <-left:
	case <-time.After(10 * time.Second):
		t.Error("the server still has the client")
	}
}

func TestCancelWithinStream(t *testing.T) {
	url, _, left := hanging(t, richStream[:1200])
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	var last error
	pieces := 0
	m := testModel(t, url)
	for ev, err := range m.Stream(ctx, &model.Request{Messages: history(1)}) {
		if err != nil {
			last = err
			continue
		}
		if ev.Kind == model.EventBlock {
			pieces++
			// All that came was read; the next read blocks. Cancelled from here
			// or while it blocks, the call must end.
			go cancel(errWhy)
		}
	}
	if last != errWhy || pieces == 0 {
		t.Errorf("after %d blocks: %v", pieces, last)
	}
	awaitGone(t, left)
}

func TestCancelIsQuick(t *testing.T) {
	url, _, left := hanging(t, richStream[:1200])
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	read := make(chan struct{})
	done := make(chan error, 1)
	m := testModel(t, url)
	go func() {
		var last error
		for ev, err := range m.Stream(ctx, &model.Request{Messages: history(1)}) {
			if last = err; ev.Kind == model.EventBlock {
				close(read)
			}
		}
		done <- last
	}()
	<-read
	within(t, "cancelling", func() {
		cancel(errWhy)
		if err := <-done; err != errWhy {
			t.Errorf("ended with %v", err)
		}
	})
	awaitGone(t, left)
}

func TestCancelBeforeAnswer(t *testing.T) {
	url, asked, left := hanging(t, "")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	go func() {
		<-asked
		cancel(errWhy)
	}()
	_, err := testModel(t, url).Stream(ctx, &model.Request{Messages: history(1)}).Collect()
	if err != errWhy {
		t.Errorf("ended with %v", err)
	}
	awaitGone(t, left)
}

func TestCancelledAlready(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errWhy)
	asked := false
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer srv.Close()
	if _, err := testModel(t, srv.URL).Stream(ctx, &model.Request{Messages: history(1)}).Collect(); err != errWhy || asked {
		t.Errorf("%v; asked: %v", err, asked)
	}
}

func TestDeadline(t *testing.T) {
	url, _, _ := hanging(t, richStream[:1200])
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := testModel(t, url).Stream(ctx, &model.Request{Messages: history(1)}).Collect()
	if err != context.DeadlineExceeded {
		t.Errorf("%v", err)
	}
}

func TestLeaveTheLoop(t *testing.T) {
	url, _, left := hanging(t, richStream[:1200])
	m := testModel(t, url)
	var start time.Time
	for _, err := range m.Stream(t.Context(), &model.Request{Messages: history(1)}) {
		if err != nil {
			t.Error(err)
		}
		start = time.Now()
		break
	}
	if d := time.Since(start); d > 100*time.Millisecond {
		t.Errorf("leaving took %v", d)
	}
	awaitGone(t, left)
}

func TestPanicOfTheConsumer(t *testing.T) {
	url, _, left := hanging(t, richStream[:1200])
	m := testModel(t, url)
	func() {
		defer func() { _ = recover() }()
		for range m.Stream(t.Context(), &model.Request{Messages: history(1)}) {
			panic("mine")
		}
	}()
	awaitGone(t, left)
}

// TestAnswerIsNotHeldBack: a server that keeps the connection open behind a
// complete answer delays nothing but the connection's next use.
func TestAnswerIsNotHeldBack(t *testing.T) {
	url, _, left := hanging(t, smallStream)
	m := testModel(t, url)
	var done time.Time
	for ev, err := range m.Stream(t.Context(), &model.Request{Messages: history(1)}) {
		if err != nil {
			t.Error(err)
		}
		if ev.Kind == model.EventDone {
			done = time.Now()
		}
	}
	if d := time.Since(done); done.IsZero() || d > 100*time.Millisecond {
		t.Errorf("the end came %v after the answer", d)
	}
	awaitGone(t, left)
}

func TestIdle(t *testing.T) {
	for _, beginning := range []string{"", richStream[:1200]} {
		url, _, left := hanging(t, beginning)
		m, err := New(Config{APIKey: "k", BaseURL: url, Model: "m", IdleTimeout: 250 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		_, err = streamOf(t, m).Collect()
		m.CloseIdleConnections()
		var e *model.Error
		if !errors.As(err, &e) || e.Kind != model.ErrTimeout || !strings.Contains(e.Message, "250ms") || (e.Partial != nil) != (beginning != "") {
			t.Errorf("%v", err)
		}
		awaitGone(t, left)
	}
}

// TestConnectionsAreReused: also where the end of the body comes after the end
// of the answer.
func TestConnectionsAreReused(t *testing.T) {
	var conns atomic.Int64
	done := make(chan struct{}, 1)
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, smallStream)
		w.(http.Flusher).Flush()
		<-done
	}))
	srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			conns.Add(1)
		}
	}
	srv.Start()
	defer srv.Close()
	m := testModel(t, srv.URL)
	for range 20 {
		for ev, err := range m.Stream(t.Context(), &model.Request{Messages: history(1)}) {
			if err != nil {
				t.Fatal(err)
			}
			if ev.Kind == model.EventDone {
				done <- struct{}{}
			}
		}
	}
	// A machine under load may miss the end of one or two bodies.
	if n := conns.Load(); n > 3 {
		t.Errorf("%d connections for 20 calls, one after the other", n)
	}
}
