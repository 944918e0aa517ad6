package anthropic

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/quarry-sdk/quarry/internal/sse"
	"github.com/quarry-sdk/quarry/model"
)

// maxWholeBytes bounds an answer that comes in one piece.
const maxWholeBytes = 64 << 20

// errIdle is the cause with which a silent call is given up.
var errIdle = errors.New("the API was silent for too long")

// call is what one call needs, kept for the next one.
type call struct {
	head   []byte // of the body
	frames sse.Reader
	dec    decoder
	buf    *bufio.Reader
}

var calls = sync.Pool{New: func() any { return &call{buf: bufio.NewReaderSize(nil, 4<<10)} }}

// maxKept is the size of buffers above which a call is not kept.
const maxKept = 256 << 10

func (c *call) free() {
	size := cap(c.head) + c.frames.Size()
	for i := range c.dec.blocks {
		size += cap(c.dec.blocks[i].start) + cap(c.dec.blocks[i].text)
	}
	if size > maxKept {
		return
	}
	c.dec.reset()
	c.frames.Reset(nil)
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
		c.frames.Reset(c.buf)
		for !c.dec.done {
			if err := c.frames.Next(); err != nil {
				return err
			}
			if err := c.dec.event(c.frames.Data, yield); err != nil {
				if e, ok := err.(*model.Error); ok && c.frames.Cut && e.Kind == model.ErrProtocol {
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
