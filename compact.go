package quarry

import (
	"errors"
	"fmt"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
)

// Compaction says when and how a conversation is made shorter, so that it goes on
// fitting the model. What was said stays in the journal; only what the model is
// shown changes.
type Compaction struct {
	// At is the part of Window at which it happens. Defaults to 0.8.
	At float64
	// Off leaves conversations as they are.
	Off bool
	// Policy says how. Defaults to DropResults{}.
	Policy Compactor
	// To is the part of Window that is aimed at. Defaults to 0.5.
	To float64
	// Window is how many tokens the model takes. Where it is 0, which is not
	// known, a conversation is made shorter when the model says that it no longer
	// fits, and then once.
	Window int64
}

func (c *Compaction) fill() error {
	orDefault(&c.At, 0.8)
	orDefault(&c.To, 0.5)
	if c.Policy == nil {
		c.Policy = DropResults{}
	}
	if c.Window < 0 || c.At < 0 || c.At > 1 || c.To < 0 || c.To > c.At {
		return errors.New("Compaction wants a Window of at least 0, and 0 < To <= At <= 1")
	}
	return nil
}

// Compactor is a way to make conversations shorter. It must give the same plan
// for the same conversation.
type Compactor interface {
	// Name names it in journals.
	Name() string
	// Plan says what is to go. The zero Plan is none.
	Plan(c *Conversation) Plan
}

// Conversation is what a Compactor sees. It must not be changed.
type Conversation struct {
	// Messages are what the model is shown, Tokens the estimate of each.
	Messages []*model.Message
	Tokens   []int64
	// Results are the tool results among them, oldest first.
	Results []ResultView
	// Total is the estimate of the whole request, Target what it should come to.
	Total, Target int64
}

// ResultView is a tool result that the model is shown.
type ResultView struct {
	session.ResultRef
	Tool string
	// Message is the index of its message, Tokens the estimate of the result.
	Message int
	Tokens  int64
	// Keep tells that it must stay, Dropped that it is a stub already.
	Keep, Dropped bool
}

// Plan is what a Compactor wants. What must not go stays, whatever it says: the
// results of tools that keep theirs, calls without a result, the open prompt.
type Plan struct {
	// Drop are results that are replaced by a stub, which names the handle of the
	// whole.
	Drop []session.ResultRef
	// Summarize is how many of the first messages a summary replaces. The model is
	// asked for it with Ask.
	Summarize int
	Ask       string
}

// DropResults is the Compactor that replaces old tool results by stubs, from the
// oldest on, until the target is met. A model with the tool read_result can look
// them up again.
type DropResults struct {
	// KeepLast is how many of the newest results stay. Defaults to 3.
	KeepLast int
	// MinTokens is the size below which a result stays: a stub would not be
	// shorter. Defaults to 100.
	MinTokens int64
}

// Name implements Compactor.
func (DropResults) Name() string { return "drop_results" }

// Plan implements Compactor.
func (d DropResults) Plan(c *Conversation) (p Plan) {
	orDefault(&d.KeepLast, 3)
	orDefault(&d.MinTokens, 100)
	total := c.Total
	for _, r := range c.Results[:max(0, len(c.Results)-d.KeepLast)] {
		if total <= c.Target {
			break
		}
		if r.Keep || r.Dropped || r.Tokens < d.MinTokens {
			continue
		}
		p.Drop = append(p.Drop, r.ResultRef)
		total -= r.Tokens - stubTokens
	}
	return p
}

// stubTokens is about what a stub takes.
const stubTokens = 40

// Summarize is the Compactor that lets the model write a summary of all but the
// newest messages. It costs a call, whose prefix is that of the conversation, so
// that a provider's cache serves it. Where that call fails, results are dropped.
type Summarize struct {
	// Ask is what the model is told. Defaults to a text that asks for everything
	// that the work needs.
	Ask string
	// KeepLast is how many of the newest messages stay. Defaults to 4.
	KeepLast int
}

// Name implements Compactor.
func (Summarize) Name() string { return "summarize" }

// Plan implements Compactor.
func (s Summarize) Plan(c *Conversation) Plan {
	orDefault(&s.Ask, summarizeAsk)
	orDefault(&s.KeepLast, 4)
	n := len(c.Messages) - s.KeepLast
	if n < 2 { // the prompt alone is no shorter as a summary
		return Plan{}
	}
	return Plan{Summarize: n, Ask: s.Ask}
}

const summarizeAsk = `[Quarry: the conversation is getting too long and will be replaced by your summary of it. Write down everything that the work needs to go on: the task and its constraints, what was found (names, numbers, dates, identifiers and quotes word for word, each with where it comes from), what was tried and failed, what was decided, and what is still to do. Call no tool. Write the summary alone.]`

// stub is what the model is shown in place of a dropped result.
func (l *loop) stub(r *session.ToolAnswered) string {
	size := len(r.Content.Text())
	if r.Full != "" {
		size = len(r.Full)
	}
	if r.Blob != "" {
		size = int(r.Size)
	}
	again := "Make the call again if you need it."
	if l.agent.canRead {
		again = fmt.Sprintf("Call %s with handle %q to see it again.", ReadResultName, resultHandle(r))
	}
	return note("this result of %s, %d bytes, was removed to save room. %s", r.Name, size, again)
}

// view is the conversation as a Compactor sees it.
func (l *loop) view() *Conversation {
	c := &Conversation{Messages: l.talk.messages[:len(l.talk.messages):len(l.talk.messages)], Tokens: make([]int64, len(l.talk.entries))}
	c.Total = l.talk.tokens(l.agent.baseTokens)
	if w := l.agent.cfg.Compaction.Window; w > 0 {
		c.Target = int64(float64(w) * l.agent.cfg.Compaction.To)
	} else {
		c.Target = int64(float64(c.Total) * l.agent.cfg.Compaction.To)
	}
	for i := range l.talk.entries {
		e := &l.talk.entries[i]
		c.Tokens[i] = l.talk.scaled(e.tokens)
		for _, p := range e.results {
			result, ok := l.talk.messages[i].Blocks[p.block].(*model.ToolResult)
			if !ok {
				continue
			}
			tool := l.agent.tools[result.Name]
			c.Results = append(c.Results, ResultView{
				ResultRef: p.ResultRef, Tool: result.Name, Message: i, Dropped: p.dropped,
				Tokens: l.talk.scaled(estimateBlock(result)), Keep: tool != nil && tool.spec.Keep,
			})
		}
	}
	return c
}

// plan asks a policy, and takes out of its plan what must stay.
func (l *loop) plan(policy Compactor) Plan {
	c := l.view()
	p := policy.Plan(c)
	var drop []session.ResultRef
	for _, ref := range p.Drop {
		for i := range c.Results {
			if r := &c.Results[i]; r.ResultRef == ref && !r.Keep && !r.Dropped {
				drop = append(drop, ref)
				break
			}
		}
	}
	p.Drop = drop
	// What stays begins with an answer of the model, so that roles alternate and
	// no result is without its call.
	n := min(p.Summarize, len(c.Messages)-1)
	for n > 0 && c.Messages[n].Role != model.RoleAssistant {
		n--
	}
	p.Summarize = max(n, 0)
	return p
}

func (p *Plan) empty() bool { return len(p.Drop) == 0 && p.Summarize == 0 }

// compactionDue tells whether the conversation has to be made shorter before the
// model is asked again, and why.
func (l *loop) compactionDue() (*session.Compacting, bool) {
	cfg := &l.agent.cfg.Compaction
	if cfg.Off || cfg.Window == 0 && !l.short.overflow {
		return nil, false
	}
	total := l.talk.tokens(l.agent.baseTokens)
	due := &session.Compacting{Policy: cfg.Policy.Name(), Why: "overflow", Tokens: total, Window: cfg.Window}
	if !l.short.overflow {
		// After one, it must have grown by a quarter: there may be nothing more to take.
		if total < int64(float64(cfg.Window)*cfg.At) || total < l.short.after+l.short.after/4 {
			return nil, false
		}
		due.Why = "size"
	}
	if p := l.plan(cfg.Policy); !p.empty() {
		return due, true
	}
	if p := l.plan(DropResults{}); !p.empty() {
		due.Policy = DropResults{}.Name()
		return due, true
	}
	return nil, false
}

// shortening is where a compaction stands.
type shortening struct {
	// open is the one under way.
	open *session.Compacting
	// summary is what the model wrote, failed tells that it did not.
	summary string
	failed  bool
	// overflow tells that the model found the conversation too long, tried that it
	// did so before in this prompt.
	overflow, tried bool
	// after is the estimate after the last one.
	after int64
}

// shorten is what is due of the compaction under way: the call for a summary, or
// the record of what is gone.
func (l *loop) shorten() (session.Event, *session.CallModel) {
	policy := l.agent.cfg.Compaction.Policy
	if l.short.failed || l.short.open.Policy != policy.Name() {
		policy = DropResults{}
	}
	p := l.plan(policy)
	if p.Summarize > 0 && l.short.summary == "" {
		req := l.request()
		req.ToolChoice = model.ToolChoice{Mode: "none"}
		asked := conversation{messages: req.Messages, entries: l.talk.entries}
		asked.say(model.UserText(p.Ask))
		req.Messages = asked.messages
		return nil, &session.CallModel{Called: l.modelCalled("compact"), Request: req}
	}
	done := &session.Compacted{Policy: policy.Name(), Dropped: p.Drop, Before: l.talk.tokens(l.agent.baseTokens)}
	if p.Summarize > 0 {
		done.Summary, done.Messages = l.summary(p.Summarize), p.Summarize
	}
	after := loop{agent: l.agent, talk: l.talk, answered: l.answered}
	after.compact(done)
	done.After = after.talk.tokens(l.agent.baseTokens)
	return done, nil
}

// summary is the message that replaces the first n: what the model wrote, the
// open prompt, and the results that must stay, word for word.
func (l *loop) summary(n int) *model.Message {
	text := note("what was said before was replaced by this summary, to save room.") + "\n\n"
	if l.prompt != "" {
		text += "The task, word for word:\n" + l.prompt + "\n\n"
	}
	text += "The summary:\n" + l.short.summary
	for i := range n {
		for _, p := range l.talk.entries[i].results {
			result, ok := l.talk.messages[i].Blocks[p.block].(*model.ToolResult)
			if !ok {
				continue
			}
			if tool := l.agent.tools[result.Name]; tool != nil && tool.spec.Keep {
				text += fmt.Sprintf("\n\nA result of %s, word for word:\n%s", result.Name, result.Content.Text())
			}
		}
	}
	return model.UserText(text)
}

// compact does to the conversation what a record says.
func (l *loop) compact(ev *session.Compacted) {
	c := &l.talk
	for _, ref := range ev.Dropped {
		l.drop(ref)
	}
	if ev.Summary != nil {
		n := min(ev.Messages, len(c.messages))
		c.messages = append([]*model.Message{ev.Summary}, c.messages[n:]...)
		c.entries = append([]entry{{tokens: estimate(ev.Summary), summary: true}}, c.entries[n:]...)
	}
}

// drop puts a stub in the place of a result.
func (l *loop) drop(ref session.ResultRef) {
	for i := range l.talk.entries {
		for k, p := range l.talk.entries[i].results {
			if p.ResultRef != ref || p.dropped {
				continue
			}
			msg := l.talk.messages[i]
			old, ok := msg.Blocks[p.block].(*model.ToolResult)
			if !ok {
				return
			}
			stub := &model.ToolResult{ToolUseID: old.ToolUseID, Name: old.Name, IsError: old.IsError, Content: model.Blocks{&model.Text{Text: l.stub(l.resultOf(ref, old))}}}
			blocks := append(msg.Blocks[:p.block:p.block], append(model.Blocks{stub}, msg.Blocks[p.block+1:]...)...)
			results := append([]placed{}, l.talk.entries[i].results...)
			results[k].dropped = true
			l.talk.replace(i, model.NewMessage(msg.Role, blocks...), results)
			return
		}
	}
}

// resultOf finds the record of a result.
func (l *loop) resultOf(ref session.ResultRef, old *model.ToolResult) *session.ToolAnswered {
	for _, a := range l.answered {
		if a.Turn == ref.Turn && a.Index == ref.Index {
			return a
		}
	}
	return &session.ToolAnswered{Turn: ref.Turn, Index: ref.Index, Name: old.Name, Content: old.Content}
}
