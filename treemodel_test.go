package quarry_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"time"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
)

// treeModel is the model of an agent of the tree, in one process. What it says
// depends on the seed and the conversation alone.
type treeModel struct {
	*modeltest.Scripted
	proc *treeProcess
	node *treeNode
}

func (p *treeProcess) model(node *treeNode, name string) *treeModel {
	m := &treeModel{proc: p, node: node}
	m.Scripted = modeltest.NewScripted(modeltest.Func(m.answer))
	m.ModelName = name
	return m
}

// Stream implements model.Model. It keeps the books of what was really used.
func (m *treeModel) Stream(ctx context.Context, req *model.Request) model.Stream {
	return func(yield func(model.Event, error) bool) {
		for ev, err := range m.Scripted.Stream(ctx, req) {
			var me *model.Error
			if errors.As(err, &me) && me.Kind == model.ErrInvalidRequest {
				m.proc.world.problem("%s is asked what no provider accepts: %v", m.node.name, err)
			}
			if ev.Kind == model.EventDone {
				m.proc.said(m, ev.Response)
			}
			if !yield(ev, err) {
				return
			}
		}
	}
}

// digestOf stands for an agent's conversation.
func digestOf(node *treeNode, req *model.Request) uint64 {
	h := fnv.New64a()
	write := func(parts ...string) {
		for _, s := range parts {
			_, _ = io.WriteString(h, s)
			_, _ = h.Write([]byte{0})
		}
	}
	write(node.name)
	for _, m := range req.Messages {
		write(string(m.Role))
		for _, b := range m.Blocks {
			switch b := b.(type) {
			case *model.Text:
				write("text", plain(b.Text))
			case *model.ToolUse:
				write("use", b.Name, string(b.Input))
			case *model.ToolResult:
				write("result", plain(b.Content.Text()))
			}
		}
	}
	return h.Sum64()
}

func (m *treeModel) answer(_ context.Context, req *model.Request) (*modeltest.Turn, error) {
	w, d := m.proc.world, digestOf(m.node, req)
	r := w.plan.chance("answer", d)
	var turn *modeltest.Turn
	if req.ToolChoice.Mode == "none" {
		turn = modeltest.Say(fmt.Sprintf("It is all about %x.", d))
	} else {
		turn = m.turn(r, req, d)
	}
	turn.After(min(pause(r), 8*time.Second)) // below every Limits.Idle
	u := model.Usage{InputTokens: 10 + r.Int64N(200), OutputTokens: 5 + r.Int64N(60)}
	if r.IntN(4) == 0 {
		u.CacheReadTokens, u.CacheWriteTokens = r.Int64N(100), r.Int64N(50)
	}
	if r.IntN(20) == 0 {
		u.ServerToolCalls = map[string]int64{"web_search_requests": 1 + r.Int64N(2)}
	}
	return m.trouble(d, turn.Usage(u)), nil
}

// trouble lets a call fail. What may be tried again fails a few times, and then
// no more; what may not always does.
func (m *treeModel) trouble(d uint64, turn *modeltest.Turn) *modeltest.Turn {
	w := m.proc.world
	r := w.plan.chance("trouble", d)
	if r.IntN(100) >= w.plan.modelTrouble {
		return turn
	}
	switch r.IntN(40) {
	case 0:
		w.count("model: auth")
		return modeltest.Fail(&model.Error{Kind: model.ErrAuth, Status: 401, Message: "invalid x-api-key"})
	case 1:
		w.count("model: panic")
		panic("the model's code is broken")
	}
	times := []int{1, 1, 1, 2, 2, 4}[r.IntN(6)]
	n := w.asked(d)
	if n > times {
		return turn
	}
	r = w.plan.chance("trouble", d, n)
	switch r.IntN(7) {
	case 0:
		w.count("model: rate limit")
		return modeltest.Fail(&model.Error{Kind: model.ErrRateLimited, Status: 429, Message: "slow down", RetryAfter: pause(r)})
	case 1:
		w.count("model: overload")
		return modeltest.Fail(&model.Error{Kind: model.ErrOverloaded, Status: 529, Message: "Overloaded"})
	case 2:
		w.count("model: server error")
		return modeltest.Fail(&model.Error{Kind: model.ErrServer, Status: 500, Message: "oops"}).After(pause(r))
	case 3:
		w.count("model: error in the stream")
		return modeltest.Say("Let me").FailInStream(&model.Error{Kind: model.ErrOverloaded, Message: "Overloaded"})
	case 4:
		w.count("model: hang")
		return modeltest.Hang()
	case 5:
		w.count("model: hang in the stream")
		return modeltest.Say("Let me").Hang()
	}
	w.count("model: cut")
	return turn.Cut()
}

// turn is what the model says where nothing goes wrong.
func (m *treeModel) turn(r *rand.Rand, req *model.Request, d uint64) *modeltest.Turn {
	n := 0
	for _, msg := range req.Messages {
		if msg.Role == model.RoleAssistant {
			n++
		}
	}
	node := m.node
	text := fmt.Sprintf("%s says %x.", node.name, d)
	if none := len(node.tools)+len(node.children) == 0; none || r.IntN(100) < 10+20*n+10*node.level {
		return m.last(r, text, d)
	}
	turn := modeltest.Say(text)
	if r.IntN(3) == 0 {
		turn = modeltest.Say("")
	}
	for i := range 1 + r.IntN(4) {
		switch {
		case r.IntN(30) == 0:
			turn.Call("nothing", nil)
		case r.IntN(30) == 0:
			turn.Call(m.anyTool(r), `{"k": "a", "n"`)
		case r.IntN(30) == 0:
			turn.Call(m.anyTool(r), map[string]string{"m": "x"})
		case len(node.children) > 0 && (r.IntN(3) == 0 || len(node.tools) == 0):
			m.send(r, turn, node.children[r.IntN(len(node.children))], fmt.Sprintf("Part %d of %x.", i, d))
		case len(node.tools) > 0:
			turn.Call(node.tools[r.IntN(len(node.tools))], treeIn{K: string(rune('a' + r.IntN(2))), N: r.IntN(1000)})
		}
	}
	if r.IntN(15) == 0 {
		turn.Stop(model.StopPauseTurn)
	}
	return turn
}

// send gives a part of the work to a child.
func (m *treeModel) send(r *rand.Rand, turn *modeltest.Turn, child *treeNode, prompt string) {
	if !m.node.sends {
		turn.Call("ask_"+child.name, promptOf(prompt))
		return
	}
	in := sent{Agent: child.name, Prompt: prompt, Background: r.IntN(2) == 0}
	if in.Background {
		m.proc.world.count("sent into the background")
	}
	turn.Call([]string{"Agent", "Agent", "Task"}[r.IntN(3)], in)
}

// anyTool names one of the node's tools.
func (m *treeModel) anyTool(r *rand.Rand) string {
	names := m.node.tools
	for _, child := range m.node.children {
		name := "ask_" + child.name
		if m.node.sends {
			name = "Agent"
		}
		names = append(names[:len(names):len(names)], name)
	}
	return names[r.IntN(len(names))]
}

// last is a turn that calls no tool, but for the one that ends the run.
func (m *treeModel) last(r *rand.Rand, text string, d uint64) *modeltest.Turn {
	switch r.IntN(16) {
	case 0:
		m.proc.world.count("model: refusal")
		return modeltest.Say("I would rather not.").Refuse("")
	case 1:
		m.proc.world.count("model: truncation")
		return modeltest.Say(text).Stop(model.StopMaxTokens)
	case 2:
		return modeltest.Say(text).Stop(model.StopPauseTurn)
	}
	if m.node.submits && r.IntN(8) > 0 {
		return modeltest.Say(text).Call("submit", treeIn{K: fmt.Sprintf("%x", d), N: r.IntN(4)})
	}
	return modeltest.Say(text)
}

// treePrices is what the models of the tree cost.
type treePrices struct{}

// Cost implements quarry.Prices.
func (treePrices) Cost(_ string, u *model.Usage) (float64, bool) {
	return (float64(u.InputTokens)*3 + float64(u.CacheWriteTokens)*4 + float64(u.CacheReadTokens)*0.3 +
		float64(u.OutputTokens)*15 + float64(u.ServerToolCalls["web_search_requests"])*100) / 1e6, true
}

// sleepFor waits, for the context too where it is heeded.
func sleepFor(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}
