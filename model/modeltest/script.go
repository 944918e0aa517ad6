package modeltest

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"strconv"
	"sync"

	"github.com/quarry-sdk/quarry/model"
)

// Script is what a scripted model says, one turn for each call.
type Script []*Turn

// ErrScriptEnded is wrapped by the error of a call for which the script has no
// turn.
var ErrScriptEnded = errors.New("the script has no further turn")

func endError(turns, call int) error {
	return scriptError(fmt.Errorf("%w: it has %d and this is call %d", ErrScriptEnded, turns, call))
}

// scriptError makes an error of the script one that no caller retries.
func scriptError(err error) error {
	return &model.Error{Kind: model.ErrInvalidRequest, Provider: "modeltest", Message: err.Error(), Err: err}
}

// player walks through a script for many callers at once.
type player struct {
	mu    sync.Mutex
	calls int
	next  int
}

// play returns the turn that answers req.
func (p *player) play(ctx context.Context, script Script, req *model.Request) (*Turn, error) {
	p.mu.Lock()
	p.calls++
	call := p.calls
	p.mu.Unlock()
	for {
		p.mu.Lock()
		i := p.next
		if i >= len(script) {
			p.mu.Unlock()
			return nil, endError(len(script), call)
		}
		t := script[i]
		if t == nil {
			p.mu.Unlock()
			return nil, scriptError(fmt.Errorf("turn %d of the script is nil", i+1))
		}
		if t.respond == nil {
			p.next++
			p.mu.Unlock()
			return t.check()
		}
		p.mu.Unlock()

		for t != nil && t.respond != nil {
			var err error
			if t, err = t.respond(ctx, req); err != nil {
				return nil, respondError(ctx, err)
			}
		}
		if t != nil {
			return t.check()
		}
		p.mu.Lock()
		if p.next == i {
			p.next++
		}
		p.mu.Unlock()
	}
}

// left is the number of turns that were not played yet.
func (p *player) left(script Script) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(script) - p.next
}

func respondError(ctx context.Context, err error) error {
	var known *model.Error
	if errors.As(err, &known) || (ctx.Err() != nil && errors.Is(err, context.Cause(ctx))) {
		return err
	}
	return scriptError(err)
}

func (t *Turn) check() (*Turn, error) {
	if t.err != nil {
		return nil, scriptError(t.err)
	}
	return t, nil
}

// answer returns the complete response of the turn to req, and the turn's parts
// with the ids of their calls.
func (t *Turn) answer(name string, req *model.Request) (*model.Response, []part) {
	hash, size := digest(req)
	resp := &model.Response{
		ID:           "msg_" + hash,
		Model:        name,
		Message:      &model.Message{Role: model.RoleAssistant, Blocks: model.Blocks{}},
		StopReason:   t.stop,
		StopSequence: t.stopSequence,
		StopDetails:  t.stopDetails,
	}
	parts := make([]part, len(t.parts))
	stop, out := model.StopEndTurn, 0
	for i, p := range t.parts {
		if use, ok := p.block.(*model.ToolUse); ok {
			stop = model.StopToolUse
			if use.ID == "" {
				clone := *use
				clone.ID = "toolu_" + hash + "_" + strconv.Itoa(len(resp.Message.Blocks))
				p.block = &clone
			}
		}
		if p.block != nil {
			resp.Message.Blocks = append(resp.Message.Blocks, p.block)
			out += blockSize(p.block)
		}
		parts[i] = p
	}
	if resp.StopReason == "" {
		resp.StopReason = stop
	}
	if t.usage != nil {
		resp.Usage = *t.usage
	} else {
		resp.Usage = model.Usage{InputTokens: tokens(size), OutputTokens: tokens(out)}
	}
	return resp, parts
}

func tokens(bytes int) int64 { return int64(bytes/4 + 1) }

// digest names a conversation by its content, and gives the size of its texts.
func digest(req *model.Request) (hash string, size int) {
	h := fnv.New64a()
	write := func(s string) {
		size += len(s)
		h.Write([]byte(s))
		h.Write([]byte{0})
	}
	var blocks func(bs model.Blocks)
	blocks = func(bs model.Blocks) {
		for _, b := range bs {
			switch b := b.(type) {
			case *model.Text:
				write(b.Text)
			case *model.Thinking:
				write(b.Text)
			case *model.ToolUse:
				write(b.ID)
				write(b.Name)
				write(string(b.Input))
			case *model.ToolResult:
				write(b.ToolUseID)
				blocks(b.Content)
			default:
				write(string(b.RawJSON()))
			}
		}
	}
	if req.System != nil {
		blocks(req.System.Blocks)
	}
	for _, m := range req.Messages {
		write(string(m.Role))
		blocks(m.Blocks)
	}
	return fmt.Sprintf("%016x", h.Sum64()), size
}

func blockSize(b model.Block) int {
	switch b := b.(type) {
	case *model.Text:
		return len(b.Text)
	case *model.Thinking:
		return len(b.Text)
	case *model.ToolUse:
		return len(b.Name) + len(b.Input)
	}
	return len(b.RawJSON())
}

// pieces cuts s into pieces of n runes.
func pieces(s string, n int) []string {
	var out []string
	start, count := 0, 0
	for i := range s {
		if count == n {
			out = append(out, s[start:i])
			start, count = i, 0
		}
		count++
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}

// defaultPieceRunes is how much text a piece has where nothing else is said.
const defaultPieceRunes = 12
