package quarry

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
)

// FuzzLoop lets a simulated world answer the machine in any order, with crashes,
// stops and deadlines in between, and checks what must hold for every journal.
func FuzzLoop(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(randomBytes(seed, 200))
	}
	f.Fuzz(simulate)
}

func TestLoopOnRandomJournals(t *testing.T) {
	t.Parallel()
	n := uint64(200)
	if testing.Short() {
		n = 50
	}
	for seed := range n {
		simulate(t, randomBytes(seed, 40+int(seed%300)))
		if t.Failed() {
			t.Fatalf("with seed %d", seed)
		}
	}
}

func randomBytes(seed uint64, n int) []byte {
	rng := rand.New(rand.NewPCG(seed, 1))
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	return data
}

// dice makes choices from bytes. When they are used up, it always says 0, and
// the world is benign from then on, so that every simulation ends.
type dice []byte

func (d *dice) roll(n int) int {
	if len(*d) == 0 {
		return 0
	}
	v := int((*d)[0]) % n
	*d = (*d)[1:]
	return v
}

func (d *dice) hits(percent int) bool { return d.roll(100) >= 100-percent }

// world answers what a loop asks for.
type world struct {
	*loopBench
	dice *dice
	// thinking tells that the model is asked; running are the calls under way.
	thinking bool
	running  map[int]*session.CallTool
	attempts map[string]int // by idempotency key, of the calls of this response
	keys     map[string]string
	turn     int
	ids      int
	// lost tells that the model call under way was cut off, failed how often the
	// open turn's calls have failed.
	lost   bool
	failed int
	// answered counts the model's answers, outcomes those of tools, ended the
	// results, since the prompt.
	answered, outcomes, ended int
}

func simulate(t *testing.T, data []byte) {
	d := dice(data)
	options := []string{fmt.Sprintf("turns=%d", 1+d.roll(6)), fmt.Sprintf("parallel=%d", 1+d.roll(4)), fmt.Sprintf("tokens=%d", 50+d.roll(200))}
	options = append(options, fmt.Sprintf("attempts=%d", 1+d.roll(3)), "retrywait=1ns")
	if d.hits(30) {
		options = append(options, "tools=read,write,push,submit")
	}
	agent, err := scriptAgent(options)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{loopBench: newLoopBench(t, agent), dice: &d, running: map[int]*session.CallTool{}, attempts: map[string]int{}, keys: map[string]string{}}
	for i := range 1 + d.roll(4) {
		w.prompt(fmt.Sprintf("Prompt %d.", i))
	}
	if len(w.recs) < 60 {
		w.finish() // its cost grows with the square
	}
}

func (w *world) prompt(text string) {
	w.answered, w.outcomes, w.ended = 0, 0, 0
	w.thinking, w.lost, w.failed = false, false, 0
	clear(w.running)
	w.fold(&session.Prompted{Message: model.UserText(text)})
	w.settle(w.see)
	for steps := 0; !w.loop.Next().Done; steps++ {
		if steps > 5000 {
			w.t.Fatal("the prompt does not end")
		}
		w.step()
	}
	if w.ended != 1 {
		w.t.Fatalf("the prompt ended %d times", w.ended)
	}
	if w.thinking || len(w.running) > 0 {
		w.t.Fatal("the prompt ended while something was under way")
	}
}

// step lets one thing happen.
func (w *world) step() {
	switch {
	case w.dice.hits(6): // a crash
		w.cut()
	case w.dice.hits(4): // a stop, maybe with outcomes in the grace period
		w.some()
		w.fold(&session.Interrupted{Reason: "stopped"})
		w.cut()
	case w.dice.hits(3):
		w.some()
		w.fold(w.loop.Next().Expired)
		w.thinking = false
		clear(w.running)
	case w.thinking:
		w.answer()
	default:
		w.outcome()
		w.some()
	}
	w.settle(w.see)
}

// cut loses what is under way.
func (w *world) cut() {
	w.fold(&session.Resumed{})
	w.lost = w.thinking
	w.thinking = false
	for i, call := range w.running {
		tool := w.agent.tools[call.Called.Name]
		if !tool.repeatable() {
			w.attempts[call.Called.Key] = -1
		}
		delete(w.running, i)
	}
}

// some lets a few calls have their outcomes before the machine is asked again.
func (w *world) some() {
	for len(w.running) > 0 && w.dice.hits(30) {
		w.outcome()
	}
}

var randomStops = []model.StopReason{
	model.StopEndTurn, model.StopToolUse, model.StopToolUse, model.StopToolUse, model.StopPauseTurn, model.StopMaxTokens,
	model.StopSequence, model.StopRefusal, model.StopContextWindow, "compaction", "",
}

// answer lets the model answer or fail.
func (w *world) answer() {
	w.thinking = false
	if w.dice.hits(5) {
		w.fold(&session.ModelFailed{Turn: w.turn, Error: &model.Error{Kind: model.ErrOverloaded, Message: "Overloaded"}})
		w.failed++
		w.lost = w.failed < w.agent.cfg.Retry.Attempts // it is asked again, as if the call had been lost
		return
	}
	w.answered++
	w.failed = 0
	resp := &model.Response{StopReason: randomStops[w.dice.roll(len(randomStops))], Usage: model.Usage{OutputTokens: int64(w.dice.roll(40))}}
	var blocks model.Blocks
	for range w.dice.roll(6) {
		switch w.dice.roll(8) {
		case 0:
			blocks = append(blocks, &model.Text{Text: "text"})
		case 1:
			blocks = append(blocks, &model.Text{Text: [...]string{"", " ", "\n\n"}[w.dice.roll(3)]})
		case 2:
			blocks = append(blocks, &model.Thinking{Text: "hm", Signature: "sig"})
		default:
			w.ids++
			names := [...]string{"read", "list", "write", "save", "push", "pay", "submit", "teleport"}
			u := &model.ToolUse{
				ID: fmt.Sprintf("call_%d", w.ids), Name: names[w.dice.roll(len(names))],
				Input: json.RawMessage(fmt.Sprintf(`{"path":"%c"}`, 'a'+rune(w.dice.roll(3)))),
			}
			if w.dice.hits(5) {
				u.Input, u.Incomplete = json.RawMessage(`"{\"pa"`), true
			}
			blocks = append(blocks, u)
		}
	}
	resp.Message = model.NewMessage(model.RoleAssistant, blocks...)
	w.fold(&session.ModelAnswered{Turn: w.turn, Response: resp})
}

// outcome lets one of the running calls end.
func (w *world) outcome() {
	pick := w.dice.roll(len(w.running))
	for i := range w.loop.calls {
		call, ok := w.running[i]
		if !ok {
			continue
		}
		if pick--; pick >= 0 {
			continue
		}
		delete(w.running, i)
		w.outcomes++
		w.attempts[call.Called.Key] = -1
		w.fold(&session.ToolAnswered{
			Turn: call.Called.Turn, Index: i, ID: call.Called.ID, Name: call.Called.Name,
			Content: model.Blocks{&model.Text{Text: [...]string{"ok", "other", ""}[w.dice.roll(3)]}},
			IsError: w.dice.hits(30),
		})
		return
	}
	w.t.Fatal("nothing is under way, and the machine is not done")
}

// see checks what the machine wants, and notes it.
func (w *world) see(next session.Next) {
	for _, ev := range next.Events {
		switch ev := ev.(type) {
		case *session.Ended:
			w.ended++
			r := &ev.Result
			if r.Subtype == "" || r.Reason == "" || (r.Subtype == session.Success) != (r.Detail == "") {
				w.t.Fatalf("the result does not say how it came: %+v", r)
			}
			if r.Turns != w.answered || r.ToolCalls != w.outcomes || r.Turns > w.agent.cfg.Limits.Turns {
				w.t.Fatalf("the result counts %d turns and %d calls; there were %d and %d", r.Turns, r.ToolCalls, w.answered, w.outcomes)
			}
		case *session.ToolAnswered:
			w.outcomes++
			if !ev.IsError || ev.Refused == ev.Unknown {
				w.t.Fatalf("the machine answers call %d itself, and not as an error: %+v", ev.Index, ev)
			}
		default:
			w.t.Fatalf("the machine decides %q", ev.Kind())
		}
	}
	for _, eff := range next.Effects {
		switch eff := eff.(type) {
		case *session.CallModel:
			w.seeAsk(eff)
		case *session.CallTool:
			w.seeStart(eff)
		}
	}
}

func (w *world) seeAsk(ask *session.CallModel) {
	if w.thinking || len(w.running) > 0 {
		w.t.Fatal("the model is asked while something is under way")
	}
	want := w.turn + 1
	if w.lost {
		want = w.turn
	}
	if ask.Called.Turn != want || (ask.Called.Attempt > 1) != w.lost {
		w.t.Fatalf("the model is asked as turn %d, attempt %d; turn %d is due, lost: %v", ask.Called.Turn, ask.Called.Attempt, want, w.lost)
	}
	w.turn, w.thinking, w.lost = want, true, false
	clear(w.attempts)
	messages := ask.Request.Messages
	for i, m := range messages {
		for j, u := range m.Blocks.ToolUses() {
			r, ok := messages[i+1].Blocks[j].(*model.ToolResult)
			if !ok || r.ToolUseID != u.ID {
				w.t.Fatalf("the results of message %d are not in call order", i)
			}
		}
	}
}

func (w *world) seeStart(call *session.CallTool) {
	c := call.Called
	tool := w.agent.tools[c.Name]
	use := w.loop.calls[c.Index].use
	switch {
	case tool == nil || use.Incomplete:
		w.t.Fatalf("call %d must not run", c.Index)
	case w.thinking || c.Turn != w.turn || c.ID != use.ID || c.Name != use.Name:
		w.t.Fatalf("call %d does not belong to the last response: %+v", c.Index, c)
	case w.running[c.Index] != nil || w.attempts[c.Key] < 0:
		w.t.Fatalf("call %d is run though it runs, has an outcome, or cannot be repeated", c.Index)
	case c.Attempt != w.attempts[c.Key]+1:
		w.t.Fatalf("call %d starts as attempt %d after %d", c.Index, c.Attempt, w.attempts[c.Key])
	}
	if owner, ok := w.keys[c.Key]; ok && owner != use.ID {
		w.t.Fatalf("the calls %s and %s have one idempotency key", owner, use.ID)
	}
	for _, earlier := range call.Earlier {
		if earlier.Turn >= c.Turn {
			w.t.Fatalf("call %d is told of a result of its own response", c.Index)
		}
	}
	for _, other := range w.running {
		o := w.agent.tools[other.Called.Name]
		if tool.spec.Effect == Exclusive || o.spec.Effect == Exclusive ||
			(tool.spec.Effect == Keyed && o.spec.Effect == Keyed && string(call.Input) == string(other.Input)) {
			w.t.Fatalf("%s and %s must not run at the same time", c.Name, other.Called.Name)
		}
	}
	for i := range w.loop.calls {
		other := &w.loop.calls[i]
		o := w.agent.tools[other.use.Name]
		early := i < c.Index && o != nil && (tool.spec.Effect == Exclusive || o.spec.Effect == Exclusive)
		if early && other.state != callAnswered {
			w.t.Fatalf("call %d (%s) overtakes call %d (%s)", c.Index, c.Name, i, other.use.Name)
		}
	}
	w.keys[c.Key], w.attempts[c.Key] = use.ID, c.Attempt
	w.running[c.Index] = call
	if len(w.running) > w.agent.cfg.Limits.ParallelTools {
		w.t.Fatalf("%d tools run at once", len(w.running))
	}
}
