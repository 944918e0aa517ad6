package openai

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

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
		return m.idleError()
	}
	var e *model.Error
	if errors.As(err, &e) {
		return e
	}
	return transportError(err)
}

// readError classes an error that came within the answer.
func (m *Model) readError(outer, ctx context.Context, c *call, resp *http.Response, err error) error {
	if cause := context.Cause(outer); cause != nil {
		return cause
	}
	var e *model.Error
	switch {
	case context.Cause(ctx) == apicall.ErrIdle:
		e = m.idleError()
	case errors.As(err, &e):
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		e = transportError(errors.New("the stream ended before the answer was complete"))
		e.Err = io.ErrUnexpectedEOF
	case err == sse.ErrTooLarge:
		e = protocolError(err.Error())
	default:
		e = transportError(err)
	}
	e.Partial = c.dec.partial()
	if e.RequestID == "" {
		e.RequestID = resp.Header.Get("X-Request-Id")
	}
	return e
}

func (m *Model) idleError() *model.Error {
	return &model.Error{Kind: model.ErrTimeout, Provider: Provider, Message: "nothing came for " + m.cfg.IdleTimeout.String()}
}

func transportError(err error) *model.Error {
	err = apicall.WithoutAddress(err)
	e := &model.Error{Kind: model.ErrTransport, Provider: Provider, Message: err.Error(), Err: err}
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
