package anthropic

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"

	"github.com/quarry-sdk/quarry/internal/apicall"
	"github.com/quarry-sdk/quarry/internal/sse"
	"github.com/quarry-sdk/quarry/model"
)

// sendError classes an error that came before any answer, or instead of one.
func (m *Model) sendError(outer, ctx context.Context, err error) error {
	if cause := context.Cause(outer); cause != nil {
		return cause
	}
	if context.Cause(ctx) == apicall.ErrIdle {
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
	case context.Cause(ctx) == apicall.ErrIdle:
		e = m.idleError(nil)
	case errors.As(err, &e):
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		e = transportError(errors.New("the stream ended before the answer was complete"), nil)
		e.Err = io.ErrUnexpectedEOF
	case err == sse.ErrTooLarge:
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
	err = apicall.WithoutAddress(err)
	e := &model.Error{Kind: model.ErrTransport, Provider: Provider, Message: err.Error(), Partial: partial, Err: err}
	if t, ok := err.(interface{ Timeout() bool }); ok && t.Timeout() {
		e.Kind = model.ErrTimeout
	}
	return e
}

// scrub takes the key out of an error: servers have been seen to quote it.
func (m *Model) scrub(err error) error {
	e, ok := err.(*model.Error)
	if !ok || m.cfg.APIKey == "" { // a platform keeps its own credentials
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
