package chat

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

	"github.com/quarry-sdk/quarry/model"
)

// hanging serves the beginning of an answer, says so, and then says nothing
// until the client goes.
func hanging(t *testing.T, beginning string) (url string, asked, left <-chan struct{}) {
	came, gone := make(chan struct{}, 1), make(chan struct{}, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		came <- struct{}{}
		if beginning != "" {
			w.Header().Set("Content-Type", eventStream)
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

func awaitGone(t *testing.T, left <-chan struct{}) {
	t.Helper()
	select {
	case <-left:
	case <-time.After(10 * time.Second):
		t.Error("the server still has the client")
	}
}

var beginning = chunks(`{"content":"a"}`, `{"content":"b"}`)

func TestCancelIsQuick(t *testing.T) {
	url, _, left := hanging(t, beginning)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	read := make(chan struct{})
	ended := make(chan error, 1)
	m := testModel(t, url, "")
	go func() {
		var last error
		n := 0
		for ev, err := range m.Stream(ctx, request()) {
			last = err
			if ev.Kind == model.EventText {
				if n++; n == 2 {
					close(read)
				}
			}
		}
		ended <- last
	}()
	<-read
	start := time.Now()
	cancel(errWhy)
	if err := <-ended; err != errWhy {
		t.Errorf("ended with %v", err)
	}
	if d := time.Since(start); d > 100*time.Millisecond {
		t.Errorf("cancelling took %v", d)
	}
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
	if _, err := testModel(t, url, "").Stream(ctx, request()).Collect(); err != errWhy {
		t.Errorf("ended with %v", err)
	}
	awaitGone(t, left)
}

func TestCancelledAlready(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errWhy)
	var asked atomic.Bool
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Store(true) }))
	defer srv.Close()
	if _, err := testModel(t, srv.URL, "").Stream(ctx, request()).Collect(); err != errWhy || asked.Load() {
		t.Errorf("%v; asked: %v", err, asked.Load())
	}
}

func TestLeaveTheLoop(t *testing.T) {
	url, _, left := hanging(t, beginning)
	m := testModel(t, url, "")
	var start time.Time
	for _, err := range m.Stream(t.Context(), request()) {
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
	url, _, left := hanging(t, beginning)
	m := testModel(t, url, "")
	func() {
		defer func() { _ = recover() }()
		for range m.Stream(t.Context(), request()) {
			panic("mine")
		}
	}()
	awaitGone(t, left)
}

func TestRangedTwice(t *testing.T) {
	t.Parallel()
	s := offline(t, Config{}, request(), eventStream, richStream)
	if _, err := s.Collect(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Collect(); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("a second call: %v", err)
	}
}

// TestAnswerIsNotHeldBack: a server that keeps the connection open behind [DONE]
// delays nothing but the connection's next use.
func TestAnswerIsNotHeldBack(t *testing.T) {
	url, _, left := hanging(t, richStream)
	start := time.Now()
	if _, err := testModel(t, url, "").Stream(t.Context(), request()).Collect(); err != nil {
		t.Error(err)
	}
	if d := time.Since(start); d > time.Second {
		t.Errorf("the end came after %v", d)
	}
	awaitGone(t, left)
}

func TestIdle(t *testing.T) {
	for _, said := range []string{"", beginning} {
		url, _, left := hanging(t, said)
		m := configured(t, Config{BaseURL: url, Model: "m", IdleTimeout: 250 * time.Millisecond})
		_, err := m.Stream(t.Context(), request()).Collect()
		var e *model.Error
		if !errors.As(err, &e) || e.Kind != model.ErrTimeout || !strings.Contains(e.Message, "250ms") || (e.Partial != nil) != (said != "") {
			t.Errorf("%v", err)
		}
		awaitGone(t, left)
	}
}

// TestConnectionsAreReused: also where the end of the body comes after [DONE].
func TestConnectionsAreReused(t *testing.T) {
	var conns atomic.Int64
	more := make(chan struct{}, 1)
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", eventStream)
		io.WriteString(w, richStream)
		w.(http.Flusher).Flush()
		<-more
	}))
	srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			conns.Add(1)
		}
	}
	srv.Start()
	defer srv.Close()
	m := testModel(t, srv.URL, "")
	for range 20 {
		for ev, err := range m.Stream(t.Context(), request()) {
			if err != nil {
				t.Fatal(err)
			}
			if ev.Kind == model.EventDone {
				more <- struct{}{}
			}
		}
	}
	// A machine under load may miss the end of one or two bodies.
	if n := conns.Load(); n > 3 {
		t.Errorf("%d connections for 20 calls, one after the other", n)
	}
}
