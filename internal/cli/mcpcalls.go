package cli

import (
	"context"
	"errors"
	"sync"
)

// errClientGone is the cause of a call's end whose client has closed its session.
var errClientGone = errors.New("the client has closed its session")

// mcpCalls are the calls under way, by the sessions of their clients. The SDK does
// not end the calls of a session that a client closes over HTTP: it waits for them.
type mcpCalls struct {
	mu     sync.Mutex
	cancel map[string]map[*mcpProgress]context.CancelCauseFunc
}

// add takes in a call until the function that it returns is called.
func (c *mcpCalls) add(session string, call *mcpProgress, cancel context.CancelCauseFunc) func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancel[session] == nil {
		c.cancel[session] = make(map[*mcpProgress]context.CancelCauseFunc)
	}
	c.cancel[session][call] = cancel
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if delete(c.cancel[session], call); len(c.cancel[session]) == 0 {
			delete(c.cancel, session)
		}
	}
}

// end ends the calls of a session.
func (c *mcpCalls) end(session string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, cancel := range c.cancel[session] {
		cancel(errClientGone)
	}
}
