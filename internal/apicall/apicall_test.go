package apicall

import (
	"bufio"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		header http.Header
		want   time.Duration
	}{
		{http.Header{}, 0},
		{http.Header{"Retry-After": {"17"}}, 17 * time.Second},
		{http.Header{"Retry-After": {"2"}, "Retry-After-Ms": {"1500"}}, 1500 * time.Millisecond},
		{http.Header{"Retry-After": {"-5"}}, 0},
		{http.Header{"Retry-After": {"soon"}}, 0},
		{http.Header{"Retry-After": {"Mon, 02 Jan 2006 15:04:05 GMT"}}, 0},
	} {
		if got := RetryAfter(tt.header); got != tt.want {
			t.Errorf("%v: %v, want %v", tt.header, got, tt.want)
		}
	}
}

func TestIsWhole(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		contentType, body string
		want              bool
	}{
		{"application/json", " \n{}", true},
		{"application/json", "data: {}", false},
		{"application/json", "", true},
		{"text/event-stream; charset=utf-8", "{", false},
		{"", "{", true},
		{"", ": hello", false},
		{"", "", false},
	} {
		if got := IsWhole(tt.contentType, bufio.NewReader(strings.NewReader(tt.body))); got != tt.want {
			t.Errorf("%q of type %q: %v", tt.body, tt.contentType, got)
		}
	}
}

func TestSnippet(t *testing.T) {
	t.Parallel()
	if got := Snippet([]byte(" <html>\n\tgone\xff ")); got != "<html> gone\ufffd" {
		t.Errorf("%q", got)
	}
	if got := Snippet([]byte(strings.Repeat("ü", 5000))); got != strings.Repeat("ü", 300)+"…" {
		t.Errorf("%q", got)
	}
}

func TestWithoutAddress(t *testing.T) {
	t.Parallel()
	refused := errors.New("refused")
	if got := WithoutAddress(&url.Error{Op: "Post", URL: "https://secret@host", Err: refused}); got != refused {
		t.Errorf("%v", got)
	}
	if got := WithoutAddress(refused); got != refused {
		t.Errorf("%v", got)
	}
}

// TestWatch: the time that the consumer takes is not silence.
func TestWatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		w := NewWatch(time.Minute, cancel)
		defer w.Stop()
		wait := 59 * time.Second
		r := w.Reader(readerFunc(func([]byte) (int, error) {
			time.Sleep(wait)
			return 1, context.Cause(ctx)
		}))
		for range 5 {
			if _, err := r.Read(make([]byte, 1)); err != nil {
				t.Fatalf("a server that is quick enough: %v", err)
			}
			time.Sleep(time.Hour)
			synctest.Wait()
		}
		wait = 61 * time.Second
		if _, err := r.Read(make([]byte, 1)); err != ErrIdle {
			t.Errorf("a server that is too slow: %v", err)
		}
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
