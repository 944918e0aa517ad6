package openai

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/quarry-sdk/quarry/internal/apicall"
	"github.com/quarry-sdk/quarry/model"
)

func testModel(tb testing.TB, url string) *Model {
	tb.Helper()
	m, err := New(Config{APIKey: "sk-test-0123", BaseURL: url, Model: "gpt-5-test"})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(m.CloseIdleConnections)
	return m
}

func history(n int) []*model.Message {
	var msgs []*model.Message
	for i := range n {
		if i%2 == 0 {
			msgs = append(msgs, model.UserText(fmt.Sprintf("question %d", i)))
		} else {
			msgs = append(msgs, answer(&model.Text{Text: fmt.Sprintf("answer %d", i)}))
		}
	}
	return msgs
}

func answer(blocks ...model.Block) *model.Message {
	m := model.NewMessage(model.RoleAssistant, blocks...)
	m.Provider = Provider
	return m
}

func raw(s string) json.RawMessage { return json.RawMessage(s) }

func ptr[T any](v T) *T { return &v }

func streamOf(t testing.TB, m *Model) *model.Stream {
	s := m.Stream(t.Context(), &model.Request{Messages: history(1)})
	return &s
}

// offline decodes a stream that comes in exactly these pieces, without a network.
func offline(t testing.TB, pieces ...string) *model.Stream {
	return offlineAs(t, "text/event-stream", pieces...)
}

func offlineAs(t testing.TB, contentType string, pieces ...string) *model.Stream {
	s := model.Stream(func(yield func(model.Event, error) bool) {
		m := &Model{cfg: Config{APIKey: "sk-test-0123"}}
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		c := calls.Get().(*call)
		defer c.free()
		w := apicall.NewWatch(-1, cancel)
		defer w.Stop()
		resp := &http.Response{
			StatusCode: 200,
			Header:     http.Header{"Content-Type": {contentType}, "X-Request-Id": {"req_7"}},
			Body:       io.NopCloser(readerFunc(func(p []byte) (int, error) { return nextPiece(&pieces, p) })),
		}
		if _, err := m.read(resp, c, w, yield); err != nil && err != errStop {
			yield(model.Event{}, m.readError(ctx, ctx, c, resp, err))
		}
	})
	return &s
}

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

// outcome is everything that a consumer sees of a stream.
func outcome(t testing.TB, s *model.Stream) string {
	t.Helper()
	var b strings.Builder
	for ev, err := range *s {
		if err != nil {
			var e *model.Error
			if !errors.As(err, &e) || e.Kind == "" {
				t.Fatalf("untyped error %T: %v", err, err)
			}
			fmt.Fprintf(&b, "error %s\n", e.Kind)
			continue
		}
		switch ev.Kind {
		case model.EventBlock:
			fmt.Fprintf(&b, "%s %d %s\n", ev.Kind, ev.Index, encoded(t, ev.Block))
		case model.EventDone:
			fmt.Fprintf(&b, "done %s %d %s %s\n", ev.Response.StopReason, ev.Response.Usage.OutputTokens, ev.Response.Usage.Raw, ev.Response.ID)
		default:
			fmt.Fprintf(&b, "%s %d %q %s\n", ev.Kind, ev.Index, ev.Text, ev.Raw)
		}
	}
	return b.String()
}

func encoded(t testing.TB, b model.Block) string {
	t.Helper()
	data, err := (model.Blocks{b}).MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// chunked serves the stream in the given pieces, each flushed by itself.
func chunked(t testing.TB, pieces func() []string) *httptest.Server {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("X-Request-Id", "req_7")
		for _, p := range pieces() {
			w.Write([]byte(p))
			w.(http.Flusher).Flush()
		}
	}))
	t.Cleanup(srv.Close)
	return srv
}

// rawServer answers every request on a connection with the same bytes, and
// allocates nothing per request worth counting.
func rawServer(tb testing.TB, answer string) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { ln.Close() })
	out := []byte("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nX-Request-Id: req_1\r\nTransfer-Encoding: chunked\r\n\r\n" +
		strconv.FormatInt(int64(len(answer)), 16) + "\r\n" + answer + "\r\n0\r\n\r\n")
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				r := bufio.NewReaderSize(c, 64<<10)
				for {
					n := -1
					for {
						line, err := r.ReadSlice('\n')
						if err != nil {
							return
						}
						if len(line) == 2 {
							break
						}
						if len(line) > 16 && strings.EqualFold(string(line[:16]), "content-length: ") {
							n, _ = strconv.Atoi(string(line[16 : len(line)-2]))
						}
					}
					if n < 0 {
						return
					}
					if _, err := r.Discard(n); err != nil {
						return
					}
					if _, err := c.Write(out); err != nil {
						return
					}
				}
			}()
		}
	}()
	return "http://" + ln.Addr().String()
}
