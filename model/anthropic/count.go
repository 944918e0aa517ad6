package anthropic

import (
	"context"
	"io"
	"net/http"

	"github.com/quarry-sdk/quarry/model"
)

// CountTokens asks the API how many tokens of input a request has: messages,
// instructions, tools and thinking. It costs nothing, and has a rate limit of its
// own. The error is a *model.Error, or the context's cause.
func (m *Model) CountTokens(ctx context.Context, req *model.Request) (int64, error) {
	if err := context.Cause(ctx); err != nil {
		return 0, err
	}
	if req == nil {
		return 0, invalidRequest("the request is nil")
	}
	n, err := m.count(ctx, req)
	if err != nil {
		return 0, m.scrub(err)
	}
	return n, nil
}

func (m *Model) count(outer context.Context, req *model.Request) (int64, error) {
	b := &body{}
	if err := b.fill(req, m.cfg.Model, 0, true); err != nil {
		return 0, err
	}
	defer b.release()
	b.once = bodyReader{b: b, message: -1}
	ctx, cancel := context.WithCancelCause(outer)
	defer cancel(nil)
	watch := newWatch(m.cfg.IdleTimeout, cancel)
	defer watch.stop()
	var resp *http.Response
	if err := m.client.Post(ctx, "v1/messages/count_tokens", &b.once, &resp); err != nil {
		return 0, m.sendError(outer, ctx, err)
	}
	defer resp.Body.Close()
	c := calls.Get().(*call)
	defer c.free()
	err := c.open(resp, watch)
	var data []byte
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(c.buf, maxErrorBytes))
	}
	if err != nil {
		return 0, m.readError(outer, ctx, c, resp, err)
	}
	n := field(data, "input_tokens")
	if !isObject(data) || n == nil || isNull(n) {
		return 0, protocolError("the API counted no tokens: " + snippet(data))
	}
	return integer(n), nil
}
