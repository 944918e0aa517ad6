package anthropic

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"

	"github.com/quarry-sdk/quarry/model"
)

// maxWholeBytes bounds an answer that comes in one piece.
const maxWholeBytes = 64 << 20

// errIdle is the cause with which a silent call is given up.
var errIdle = errors.New("the API was silent for too long")

// call is what one call needs, kept for the next one.
type call struct {
	head   []byte // of the body
	frames frames
	dec    decoder
	buf    *bufio.Reader
}

var calls = sync.Pool{New: func() any { return &call{buf: bufio.NewReaderSize(nil, 4<<10)} }}

// maxKept is the size of buffers above which a call is not kept.
const maxKept = 256 << 10

func (c *call) free() {
	size := cap(c.head) + cap(c.frames.line) + cap(c.frames.data)
	for i := range c.dec.blocks {
		size += cap(c.dec.blocks[i].start) + cap(c.dec.blocks[i].text)
	}
	if size > maxKept {
		return
	}
	c.dec.reset()
	c.frames.reset(nil)
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
		yield(model.Event{}, invalidRequest("the request is nil"))
		return
	}
	c := calls.Get().(*call)
	defer c.free()
	err := m.perform(ctx, req, c, yield)
	if err == nil || err == errStop {
		return
	}
	yield(model.Event{}, m.scrub(err))
}

// perform sends the request and reads the answer. Everything that it started
// has ended when it returns.
func (m *Model) perform(outer context.Context, req *model.Request, c *call, yield func(model.Event, error) bool) error {
	b := &body{head: c.head[:0]}
	err := b.fill(req, m.cfg.Model, m.cfg.MaxTokens)
	c.head = b.head
	if err != nil {
		return err
	}
	defer b.release()
	b.once = bodyReader{b: b, message: -1}
	ctx, cancel := context.WithCancelCause(outer)
	defer cancel(nil)
	watch := newWatch(m.cfg.IdleTimeout, cancel)
	defer watch.stop()

	var resp *http.Response
	err = m.client.Post(ctx, "v1/messages", &b.once, &resp)
	if err != nil {
		return m.sendError(outer, ctx, err)
	}
	defer resp.Body.Close()
	err = m.read(resp, c, watch, yield)
	if err == nil || err == errStop {
		return err
	}
	return m.readError(outer, ctx, c, resp, err)
}

// read reads an answer of status 200 up to its end.
func (m *Model) read(resp *http.Response, c *call, watch *watch, yield func(model.Event, error) bool) error {
	var r io.Reader = &watchedReader{r: resp.Body, w: watch}
	if strings.EqualFold(resp.Header.Get("Content-Encoding"), "gzip") {
		z, err := gzip.NewReader(r)
		if err != nil {
			return err
		}
		r = z
	}
	c.buf.Reset(r)
	if isWhole(resp, c.buf) {
		data, err := io.ReadAll(io.LimitReader(c.buf, maxWholeBytes))
		if err != nil {
			return err
		}
		if err := c.dec.whole(data, yield); err != nil {
			return err
		}
	} else {
		c.frames.reset(c.buf)
		for !c.dec.done {
			if err := c.frames.next(); err != nil {
				return err
			}
			if err := c.dec.event(c.frames.data, yield); err != nil {
				if c.frames.cut && err != errStop {
					return io.ErrUnexpectedEOF // half an event
				}
				return err
			}
		}
	}
	yield(model.Event{Kind: model.EventDone, Response: c.dec.response()}, nil)
	watch.drain(c.buf)
	return nil
}

// isWhole tells whether an answer is one JSON object rather than a stream, by
// its type, or by its first byte where a gateway declares none.
func isWhole(resp *http.Response, r *bufio.Reader) bool {
	t := resp.Header.Get("Content-Type")
	if strings.HasPrefix(t, "text/event-stream") {
		return false
	}
	for n := 1; ; n++ {
		peeked, err := r.Peek(n)
		if err != nil {
			return strings.Contains(t, "json")
		}
		switch peeked[n-1] {
		case ' ', '\n', '\r', '\t':
		case '{':
			return true
		default:
			return false
		}
	}
}

// sendError classes an error that came before any answer, or instead of one.
func (m *Model) sendError(outer, ctx context.Context, err error) error {
	if cause := context.Cause(outer); cause != nil {
		return cause
	}
	if context.Cause(ctx) == errIdle {
		return m.idleError(nil)
	}
	var api *sdk.Error
	if errors.As(err, &api) {
		e := statusError(api.StatusCode, api.Response.Header, []byte(api.RawJSON()))
		if e.RequestID == "" {
			e.RequestID = api.RequestID
		}
		return e // without the SDK's error: it holds the request, and so the key
	}
	return transportError(err, nil)
}

// readError classes an error that came within the answer.
func (m *Model) readError(outer, ctx context.Context, c *call, resp *http.Response, err error) error {
	if cause := context.Cause(outer); cause != nil {
		return cause
	}
	var e *model.Error
	switch {
	case context.Cause(ctx) == errIdle:
		e = m.idleError(nil)
	case errors.As(err, &e):
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		e = transportError(errors.New("the stream ended before the answer was complete"), nil)
		e.Err = io.ErrUnexpectedEOF
	case err == errEventTooLarge:
		e = protocolError(err.Error())
	default:
		e = transportError(err, nil)
	}
	e.Partial = c.dec.partial()
	if e.RequestID == "" {
		e.RequestID = resp.Header.Get("Request-Id")
	}
	return e
}

func (m *Model) idleError(partial *model.Response) *model.Error {
	return &model.Error{
		Kind: model.ErrTimeout, Provider: Provider, Partial: partial,
		Message: "nothing came for " + m.cfg.IdleTimeout.String(),
	}
}

func transportError(err error, partial *model.Response) *model.Error {
	// The address that url.Error adds may hold a secret.
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	e := &model.Error{Kind: model.ErrTransport, Provider: Provider, Message: err.Error(), Partial: partial, Err: err}
	if t, ok := err.(interface{ Timeout() bool }); ok && t.Timeout() {
		e.Kind = model.ErrTimeout
	}
	return e
}

// scrub takes the key out of an error: servers have been seen to quote it.
func (m *Model) scrub(err error) error {
	e, ok := err.(*model.Error)
	if !ok {
		return err
	}
	for _, s := range [...]*string{&e.Message, &e.Code, &e.RequestID} {
		*s = strings.ReplaceAll(*s, m.cfg.APIKey, "[key]")
	}
	if e.Err != nil && strings.Contains(e.Err.Error(), m.cfg.APIKey) {
		e.Err = nil
	}
	return e
}
