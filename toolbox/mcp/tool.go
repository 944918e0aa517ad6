package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quarry-sdk/quarry"
)

// downWait is how long a call waits to learn how its server ended.
const downWait = 5 * time.Second

// tool makes the tool that calls a server's.
func (s *server) tool(t *sdk.Tool) *quarry.Tool {
	schema, words := schemaOf(t)
	spec := quarry.ToolSpec{
		Description:    describe(t, words),
		InputSchema:    schema,
		MaxResultBytes: s.cfg.MaxResultBytes,
		Name:           ToolName(s.name, t.Name),
		Timeout:        s.cfg.CallTimeout,
	}
	// What a server says of its tools is no more than its word.
	if a := t.Annotations; a != nil && !s.cfg.DistrustHints && !s.own.cfg.DistrustHints {
		if a.ReadOnlyHint {
			spec.Effect = quarry.ReadOnly
		}
		spec.Idempotent = a.IdempotentHint
	}
	name := t.Name
	return quarry.NewTool(spec, func(ctx context.Context, in json.RawMessage) (any, error) {
		return s.call(ctx, name, in)
	})
}

// call calls a tool of the server.
func (s *server) call(ctx context.Context, tool string, input json.RawMessage) (any, error) {
	l, err := s.connection(ctx)
	if err != nil {
		return nil, fmt.Errorf("the MCP server %q is not connected: %w", s.name, err)
	}
	call, _ := quarry.CallFrom(ctx)
	bound, stop := l.bind(ctx)
	bound, cancel := context.WithCancel(bound)
	defer cancel()
	f := s.tap.begin(tool, call, cancel)
	params := &sdk.CallToolParams{Name: tool, Arguments: input}
	params.SetProgressToken(f.token)
	_, err = l.session.CallTool(bound, params)
	if err != nil && s.opened(bound, err) {
		_, err = l.session.CallTool(bound, params)
	}
	raw, asks := s.tap.end(f)
	stop()
	if asks {
		return nil, quarry.ErrUnanswered
	}
	if err != nil {
		return nil, s.failure(ctx, l, err)
	}
	s.worked()
	if raw == nil {
		return nil, fmt.Errorf("the MCP server %q sent no result", s.name)
	}
	return s.result(raw)
}

// failure is the error of a call that brought no result.
func (s *server) failure(ctx context.Context, l *link, err error) error {
	var wire *jsonrpc.Error
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("the MCP server %q did not answer within %v and was told to stop; it may still be at work: %w", s.name, s.cfg.CallTimeout, ctx.Err())
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case s.own.ctx.Err() != nil:
		return ErrClosed
	case errors.As(err, &wire):
		s.worked()
		return &serverError{s.secrets.clean(fmt.Sprintf("the MCP server %q refused the call: %s (code %d)", s.name, wire.Message, wire.Code)), err}
	case !s.broken(err):
		return &serverError{s.secrets.clean(fmt.Sprintf("the MCP server %q did not answer: %v", s.name, err)), err}
	}
	timer := time.NewTimer(downWait)
	defer timer.Stop()
	select {
	case <-l.down:
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.err != nil {
			err = s.err
		}
	case <-timer.C:
	case <-ctx.Done():
	}
	return &serverError{s.secrets.clean(fmt.Sprintf(
		"the MCP server %q ended during the call, and nobody knows whether it took effect; check before you call it again, which starts the server anew: %v", s.name, err)), err}
}

// broken tells whether an error is the end of the connection.
func (s *server) broken(err error) bool {
	if s.cfg.open != nil || s.cfg.Transport == Stdio {
		return true
	}
	return errors.Is(err, sdk.ErrConnectionClosed) || errors.Is(err, sdk.ErrSessionMissing) || errors.Is(err, io.EOF)
}
