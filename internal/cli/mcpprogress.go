package cli

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quarry-sdk/quarry/session"
)

// indexingSteps is how often a client is told of the files of one folder.
const indexingSteps = 20

// mcpProgress tells a client how its call gets on, if it wants to know. What it
// tells is sent before the result.
type mcpProgress struct {
	session *mcp.ServerSession
	// token is nil where the client wants no progress.
	token any
	// at is what was told last: it only grows. files and asked count indexed files in
	// steps, and calls of the model.
	at           float64
	files, asked int
}

func newMCPProgress(req *mcp.CallToolRequest) *mcpProgress {
	return &mcpProgress{session: req.Session, token: req.Params.GetProgressToken()}
}

// send tells the client. A client that is gone does not hear it, and its call ends
// by itself.
func (p *mcpProgress) send(ctx context.Context, at, total float64, message string) {
	p.at = at
	if p.token != nil {
		_ = p.session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: p.token, Progress: at, Total: total, Message: message})
	}
}

// step tells of a further step; nobody knows how many there will be.
func (p *mcpProgress) step(ctx context.Context, format string, args ...any) {
	p.send(ctx, p.at+1, 0, line(fmt.Sprintf(format, args...), 2*traceWidth))
}

// indexed tells of the files of a folder, a number of times at most.
func (p *mcpProgress) indexed(ctx context.Context, name string, done, total int) {
	if step := done * indexingSteps / total; step > p.files || p.files == 0 || done == total {
		p.files = max(step, 1)
		p.send(ctx, float64(done), float64(total), fmt.Sprintf("indexing %s: %d of %s", name, done, plural(total, "file")))
	}
}

// record tells of a record of a session.
func (p *mcpProgress) record(ctx context.Context, id string, rec *session.Record) {
	switch ev := rec.Event.(type) {
	case *session.Started:
		p.step(ctx, "session %s", id)
	case *session.ModelCalled:
		p.asked++
		p.step(ctx, "asking the model, call %d", p.asked)
	case *session.ModelFailed:
		p.step(ctx, "the model failed: %s", ev.Error.Error())
	case *session.ModelAnswered:
		if ev.Response.Message != nil {
			for _, use := range ev.Response.Message.Blocks.ToolUses() {
				p.step(ctx, "→ %s %s", use.Name, use.Input)
			}
		}
	case *session.ToolAnswered:
		p.step(ctx, "← %s: %s", ev.Name, summary(ev))
	}
}
