package chat

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/quarry-sdk/quarry/internal/apicall"
	"github.com/quarry-sdk/quarry/internal/sse"
	"github.com/quarry-sdk/quarry/model"
)

const (
	maxWholeBytes = 64 << 20 // of an answer that comes in one piece
	// maxKept is the size of buffers above which a call is not kept.
	maxKept = 256 << 10
)

// errStop tells that the consumer left the loop.
var errStop = errors.New("the consumer left")

// call is what one call needs, kept for the next one.
type call struct {
	body   []byte
	events sse.Reader
	dec    decoder
	buf    *bufio.Reader
}

var calls = sync.Pool{New: func() any { return &call{buf: bufio.NewReaderSize(nil, 4<<10)} }}

func (c *call) free() {
	if cap(c.body)+c.events.Size()+c.dec.size() > maxKept {
		return
	}
	c.dec.reset()
	c.events.Reset(nil)
	c.buf.Reset(nil)
	calls.Put(c)
}

// run performs one call.
func (m *Model) run(ctx context.Context, req *model.Request, yield func(model.Event, error) bool) {
	if err := context.Cause(ctx); err != nil {
		yield(model.Event{}, err)
		return
	}
	if req == nil {
		yield(model.Event{}, m.invalid("the request is nil"))
		return
	}
	c := calls.Get().(*call)
	err := m.perform(ctx, req, c, yield)
	c.free()
	if err != nil && err != errStop {
		yield(model.Event{}, m.scrub(err))
	}
}

// perform sends the request and reads the answer. Everything that it started
// has ended when it returns.
func (m *Model) perform(outer context.Context, req *model.Request, c *call, yield func(model.Event, error) bool) error {
	p := m.profiles.Load()
	body, err := p.appendRequest(c.body[:0], req, &m.cfg)
	c.body = body
	if err != nil {
		return m.named(err)
	}
	ctx, cancel := context.WithCancelCause(outer)
	defer cancel(nil)
	w := apicall.NewWatch(m.cfg.IdleTimeout, cancel)
	defer w.Stop()

	sent := &upload{data: body}
	defer sent.release() // a transport may go on reading a body after its answer has come
	hr := m.request(ctx, p.quirks, sent)
	resp, err := m.client.Do(hr)
	if err != nil {
		return m.sendError(outer, ctx, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode >= http.StatusMultipleChoices {
		return m.readStatus(outer, ctx, resp)
	}
	c.dec.begin(m, p.quirks, req, resp.Header)
	err = m.read(resp, c, w, yield)
	if err == nil || err == errStop {
		return err
	}
	return m.readError(outer, ctx, c, resp, err)
}

// request returns the HTTP request of a body.
func (m *Model) request(ctx context.Context, q *Quirks, body *upload) *http.Request {
	h := make(http.Header, 6)
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "text/event-stream, application/json")
	h.Set("User-Agent", "quarry")
	if m.cfg.APIKey != "" {
		if q.KeyHeader != "" {
			h.Set(q.KeyHeader, m.cfg.APIKey)
		} else {
			h.Set("Authorization", "Bearer "+m.cfg.APIKey)
		}
	}
	for name, values := range m.cfg.Headers {
		h[http.CanonicalHeaderKey(name)] = values
	}
	r := &http.Request{
		Method: http.MethodPost, URL: m.url, Header: h, Host: m.url.Host,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: body, ContentLength: int64(len(body.data)),
		GetBody: func() (io.ReadCloser, error) { return body.again() },
	}
	return r.WithContext(ctx)
}

// read reads an answer of status 200 up to its end.
func (m *Model) read(resp *http.Response, c *call, w *apicall.Watch, yield func(model.Event, error) bool) error {
	r := w.Reader(resp.Body)
	if strings.EqualFold(resp.Header.Get("Content-Encoding"), "gzip") {
		z, err := gzip.NewReader(r)
		if err != nil {
			return err
		}
		r = z
	}
	c.buf.Reset(r)
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
		return c.dec.protocol("the answer is a page for people: check the base URL")
	}
	if isWhole(resp, c.buf) {
		data, err := io.ReadAll(io.LimitReader(c.buf, maxWholeBytes))
		if err != nil {
			return err
		}
		if err := c.dec.whole(data, yield); err != nil {
			return err
		}
	} else if err := c.readEvents(yield); err != nil {
		return err
	}
	if row := c.dec.provider; row != nil {
		m.learn(row)
	}
	yield(model.Event{Kind: model.EventDone, Response: c.dec.response()}, nil)
	w.Drain(c.buf)
	return nil
}

// readEvents reads a stream up to its end. Not every server ends it with [DONE].
func (c *call) readEvents(yield func(model.Event, error) bool) error {
	c.events.Reset(c.buf)
	for !c.dec.done {
		err := c.events.Next()
		if err == io.EOF {
			return c.dec.end(yield)
		}
		if err != nil {
			return err
		}
		err = c.dec.event(c.events.Data, string(c.events.Event) == "error", yield)
		if e, ok := err.(*model.Error); ok && c.events.Cut && e.Kind == model.ErrProtocol {
			return io.ErrUnexpectedEOF // half an event
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// isWhole tells whether an answer is one JSON value rather than a stream, by its
// type, or by its first byte where a server declares none or the wrong one.
func isWhole(resp *http.Response, r *bufio.Reader) bool {
	t := resp.Header.Get("Content-Type")
	for n := 1; n <= r.Size(); n++ {
		peeked, err := r.Peek(n)
		if err != nil {
			return strings.Contains(t, "json")
		}
		switch peeked[n-1] {
		case ' ', '\n', '\r', '\t':
		case '{', '[':
			return true
		default:
			return false
		}
	}
	return false
}

// upload is the body of a request: bytes that are lent for the time of the call.
type upload struct {
	mu   sync.Mutex
	data []byte
	at   int
	over bool
}

// Read implements io.Reader.
func (u *upload) Read(p []byte) (int, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.over {
		return 0, errors.New("the request is over")
	}
	if u.at == len(u.data) {
		return 0, io.EOF
	}
	n := copy(p, u.data[u.at:])
	u.at += n
	return n, nil
}

// Close implements io.Closer.
func (u *upload) Close() error { return nil }

func (u *upload) release() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.over, u.data = true, nil
}

// again returns the body from its beginning, for a connection that broke before
// anything was sent on it.
func (u *upload) again() (io.ReadCloser, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.over {
		return nil, errors.New("the request is over")
	}
	return &upload{data: bytes.Clone(u.data)}, nil
}
