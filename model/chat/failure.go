package chat

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

// sendError classes an error that came before any answer.
func (m *Model) sendError(outer, ctx context.Context, err error) error {
	if cause := context.Cause(outer); cause != nil {
		return cause
	}
	if context.Cause(ctx) == apicall.ErrIdle {
		return m.idleError()
	}
	return m.transportError(err)
}

// readStatus reads an answer of a status that is no success.
func (m *Model) readStatus(outer, ctx context.Context, resp *http.Response) error {
	body := apicall.ErrorBody(resp)
	if cause := context.Cause(outer); cause != nil {
		return cause
	}
	if len(body) == 0 && context.Cause(ctx) == apicall.ErrIdle {
		return m.idleError()
	}
	return statusError(m.origin, resp.StatusCode, resp.Header, body)
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
		e = m.transportError(errors.New("the stream ended before the answer was complete"))
		e.Err = io.ErrUnexpectedEOF
	case errors.Is(err, sse.ErrTooLarge):
		e = c.dec.protocol(err.Error())
	default:
		e = m.transportError(err)
	}
	e.Partial = c.dec.partial()
	if e.RequestID == "" {
		e.RequestID = requestID(resp.Header)
	}
	if e.RetryAfter == 0 {
		e.RetryAfter = apicall.RetryAfter(resp.Header)
	}
	return e
}

func (m *Model) idleError() *model.Error {
	return &model.Error{Kind: model.ErrTimeout, Provider: m.origin, Message: "nothing came for " + m.cfg.IdleTimeout.String()}
}

func (m *Model) transportError(err error) *model.Error {
	err = apicall.WithoutAddress(err)
	e := &model.Error{Kind: model.ErrTransport, Provider: m.origin, Message: err.Error(), Err: err}
	if t, ok := err.(interface{ Timeout() bool }); ok && t.Timeout() {
		e.Kind = model.ErrTimeout
	}
	return e
}

// named gives an error of encoding the name of the provider.
func (m *Model) named(err error) error {
	var e *model.Error
	if errors.As(err, &e) {
		return e
	}
	return m.invalid(err.Error())
}

// minSecret is the length below which a key is a word that keeps no secret, such
// as the "none" that servers without keys are given.
const minSecret = 8

// scrub takes the key out of an error: servers have been seen to quote it.
func (m *Model) scrub(err error) error {
	e, ok := err.(*model.Error)
	if !ok || len(m.cfg.APIKey) < minSecret {
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
