package quarry

import (
	"context"
	"slices"
	"sync"

	"github.com/quarry-sdk/quarry/session"
)

// Call tells a tool's function about the call that it serves.
type Call struct {
	// Session is the session's id, Agent the agent's name.
	Session, Agent string
	// Turn and Index say which call it is: the Index-th of the model's Turn-th
	// response.
	Turn, Index int
	// ID is the model's own id of the call, Name the tool's name.
	ID, Name string
	// Key is the idempotency key: unique to this call, and the same when a crash
	// makes it run again. Hand it to the outside world where that takes one.
	Key string
	// Attempt counts from 1.
	Attempt int
	// Prompt is the text of the prompt that is being worked on.
	Prompt string

	earlier []*session.ToolAnswered
	blobs   Blobs
	reads   *reads
	// inner is what the function needs to run agents; nil where the tool runs none.
	inner *inner
	asks  *asks
}

// reads are what a tool says that it read.
type reads struct {
	mu      sync.Mutex
	sources []session.Source
}

// Read notes that the tool has read something that may change, such as a file,
// by its name and a hash of its content. When the session goes on later, the
// tool's Current is asked for the hash it has then, and the model is told of what
// has changed.
func (c *Call) Read(name, hash string) {
	r := c.reads
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.sources {
		if r.sources[i].Name == name {
			r.sources[i].Hash = hash
			return
		}
	}
	r.sources = append(r.sources, session.Source{Name: name, Hash: hash})
}

// all returns them.
func (r *reads) all() []session.Source {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.sources)
}

// Earlier returns the results of the session's tool calls before this response,
// oldest first. They come from the journal, so that a tool that depends on what
// was done before gives the same answer after a crash. They must not be changed.
func (c *Call) Earlier() []*session.ToolAnswered { return c.earlier }

type callKey struct{}

// CallFrom returns the call that a tool's function was given ctx for.
func CallFrom(ctx context.Context) (*Call, bool) {
	c, ok := ctx.Value(callKey{}).(*Call)
	return c, ok
}

// callContext is a context with a call; it saves a second allocation.
type callContext struct {
	context.Context
	call  Call
	reads reads
	asks  asks
}

func (c *callContext) Value(key any) any {
	if key == (callKey{}) {
		return &c.call
	}
	return c.Context.Value(key)
}
