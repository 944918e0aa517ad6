package openai

import (
	"bufio"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"github.com/quarry-sdk/quarry/internal/apicall"
	"github.com/quarry-sdk/quarry/internal/sse"
	"github.com/quarry-sdk/quarry/model"
)

// maxWholeBytes bounds an answer that comes in one piece.
const maxWholeBytes = 64 << 20

// call is what one call needs, kept for the next one.
type call struct {
	head   []byte   // of the body
	parts  [][]byte // of the body
	events sse.Reader
	dec    decoder
	buf    *bufio.Reader
}

var calls = sync.Pool{New: func() any { return &call{buf: bufio.NewReaderSize(nil, 4<<10)} }}

// maxKept is the size of buffers above which a call is not kept.
const maxKept = 256 << 10

func (c *call) free() {
	if cap(c.head)+cap(c.parts)*24+c.events.Size()+c.dec.size() > maxKept {
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
	b := &body{parts: c.parts[:0]}
	defer func() { c.parts = b.release() }()
	link := m.chain.find(req)
	head, err := m.fill(b, c.head[:0], req, link)
	c.head = head
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(context.WithValue(outer, bodyKey{}, b))
	defer cancel(nil)
	watch := apicall.NewWatch(m.cfg.IdleTimeout, cancel)
	defer watch.Stop()

	var resp *http.Response
	_, err = m.service.New(ctx, responses.ResponseNewParams{},
		option.WithRequestBody("application/json", b.reader()), option.WithResponseBodyInto(&resp))
	if err != nil {
		return m.chain.broken(link, m.sendError(outer, ctx, err))
	}
	defer resp.Body.Close()
	answer, err := m.read(resp, c, watch, yield)
	if err == nil {
		m.chain.add(req, answer)
	}
	if err == nil || err == errStop {
		return err
	}
	return m.readError(outer, ctx, c, resp, err)
}

// read reads an answer of status 200 up to its end.
func (m *Model) read(resp *http.Response, c *call, watch *apicall.Watch, yield func(model.Event, error) bool) (*model.Response, error) {
	r := watch.Reader(resp.Body)
	if strings.EqualFold(resp.Header.Get("Content-Encoding"), "gzip") {
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, err
		}
		r = z
	}
	c.buf.Reset(r)
	if apicall.IsWhole(resp.Header.Get("Content-Type"), c.buf) {
		data, err := io.ReadAll(io.LimitReader(c.buf, maxWholeBytes))
		if err != nil {
			return nil, err
		}
		if err := c.dec.whole(data, yield); err != nil {
			return nil, err
		}
	} else {
		c.events.Reset(c.buf)
		for !c.dec.done {
			if err := c.events.Next(); err != nil {
				return nil, err
			}
			if err := c.dec.event(c.events.Data, yield); err != nil {
				if e, ok := err.(*model.Error); ok && c.events.Cut && e.Kind == model.ErrProtocol {
					return nil, io.ErrUnexpectedEOF // half an event
				}
				return nil, err
			}
		}
	}
	answer := c.dec.response()
	yield(model.Event{Kind: model.EventDone, Response: answer}, nil)
	watch.Drain(c.buf)
	return answer, nil
}
