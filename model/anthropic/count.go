package anthropic

import (
	"context"
	"io"
	"net/http"

	"github.com/quarry-sdk/quarry/internal/apicall"
	"github.com/quarry-sdk/quarry/internal/rawjson"
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
	watch := apicall.NewWatch(m.cfg.IdleTimeout, cancel)
	defer watch.Stop()
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
	n := rawjson.Field(data, "input_tokens")
	if !rawjson.IsObject(data) || n == nil || rawjson.IsNull(n) {
		return 0, protocolError("the API counted no tokens: " + apicall.Snippet(data))
	}
	return rawjson.Int(n), nil
}
