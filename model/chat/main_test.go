package chat

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"go.uber.org/goleak"

	"github.com/quarry-sdk/quarry/model"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testKey = "sk-test-0123456789"

func testModel(tb testing.TB, url, provider string) *Model {
	tb.Helper()
	return configured(tb, Config{APIKey: testKey, BaseURL: url, Model: "test", Provider: provider})
}

func configured(tb testing.TB, cfg Config) *Model {
	tb.Helper()
	m, err := New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(m.CloseIdleConnections)
	return m
}

// slower is fewer rounds where the race detector makes each of them slow.
func slower(rounds int) int {
	if raceEnabled {
		return rounds / 10
	}
	return rounds
}

func history(n int) []*model.Message {
	var msgs []*model.Message
	for i := range n {
		if i%2 == 0 {
			msgs = append(msgs, model.UserText(fmt.Sprintf("question %d", i)))
		} else {
			m := model.NewMessage(model.RoleAssistant, &model.Text{Text: fmt.Sprintf("answer %d", i)})
			msgs = append(msgs, m)
		}
	}
	return msgs
}

func request() *model.Request { return &model.Request{Messages: history(1)} }

// offline decodes an answer that comes in exactly these pieces, without a network.
func offline(tb testing.TB, cfg Config, req *model.Request, contentType string, pieces ...string) model.Stream {
	tb.Helper()
	return offlineReader(tb, cfg, req, contentType, func() io.Reader {
		left := pieces
		return readerFunc(func(p []byte) (int, error) { return nextPiece(&left, p) })
	})
}

func offlineReader(tb testing.TB, cfg Config, req *model.Request, contentType string, body func() io.Reader) model.Stream {
	tb.Helper()
	cfg.BaseURL, cfg.Model, cfg.IdleTimeout = or(cfg.BaseURL, "http://offline.test/v1"), "test", -1
	cfg.HTTPClient = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		return &http.Response{
			StatusCode: http.StatusOK, Request: r, Body: io.NopCloser(body()),
			Header: http.Header{"Content-Type": {contentType}, "X-Request-Id": {"req_7"}},
		}, nil
	})}
	m, err := New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return m.Stream(context.Background(), req)
}

const eventStream = "text/event-stream"

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func nextPiece(pieces *[]string, p []byte) (int, error) {
	for len(*pieces) > 0 && (*pieces)[0] == "" {
		*pieces = (*pieces)[1:]
	}
	if len(*pieces) == 0 {
		return 0, io.EOF
	}
	n := copy(p, (*pieces)[0])
	(*pieces)[0] = (*pieces)[0][n:]
	return n, nil
}

// serving returns a model of an unknown host whose every answer write writes.
func serving(tb testing.TB, write func(http.ResponseWriter) error) *Model {
	tb.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = write(w) // an error is the client's going
	}))
	tb.Cleanup(srv.Close)
	return testModel(tb, srv.URL, "")
}
