package anthropic

import (
	"bufio"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/quarry-sdk/quarry/internal/apicall"
	"github.com/quarry-sdk/quarry/internal/sse"
	"github.com/quarry-sdk/quarry/model"
)

// maxWholeBytes bounds an answer that comes in one piece.
const maxWholeBytes = 64 << 20

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
	err := b.fill(req, m.cfg.Model, m.cfg.MaxTokens, false)
	c.head = b.head
	if err != nil {
		return err
	}
	defer b.release()
	b.once = bodyReader{b: b, message: -1}
	ctx, cancel := context.WithCancelCause(outer)
	defer cancel(nil)
	watch := apicall.NewWatch(m.cfg.IdleTimeout, cancel)
	defer watch.Stop()

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
func (m *Model) read(resp *http.Response, c *call, watch *apicall.Watch, yield func(model.Event, error) bool) error {
	if err := c.open(resp, watch); err != nil {
		return err
	}
	if apicall.IsWhole(resp.Header.Get("Content-Type"), c.buf) {
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
	watch.Drain(c.buf)
	return nil
}

// open prepares the answer's body for reading.
func (c *call) open(resp *http.Response, watch *apicall.Watch) error {
	r := watch.Reader(resp.Body)
	if strings.EqualFold(resp.Header.Get("Content-Encoding"), "gzip") {
		z, err := gzip.NewReader(r)
		if err != nil {
			return err
		}
		r = z
	}
	c.buf.Reset(r)
	return nil
}
