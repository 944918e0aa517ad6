package quarry

import (
	"fmt"
	"iter"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
)

// Count says what a call of a tool counts as, beside a tool call.
type Count string

// What calls are counted as.
const (
	// CountSearch: the call looks for something.
	CountSearch Count = "search"
	// CountFetch: the call gets a page, a document or the like.
	CountFetch Count = "fetch"
)

// The names of the counts of server tools that are searches and fetches.
const (
	serverSearches = "web_search_requests"
	serverFetches  = "web_fetch_requests"
)

// ledger keeps what the open prompt may use and has used.
type ledger struct {
	budget session.Budget
	spent  session.Spent
}

// response books what a model has answered. Name is the model that was asked.
func (g *ledger) response(agent, name string, ev *session.ModelAnswered) {
	u := &ev.Response.Usage
	in := u.InputTokens + u.CacheReadTokens + u.CacheWriteTokens
	s := &g.spent
	s.Turns++
	s.InputTokens += in
	s.OutputTokens += u.OutputTokens
	s.Tokens += in + u.OutputTokens
	s.Searches += u.ServerToolCalls[serverSearches]
	s.Fetches += u.ServerToolCalls[serverFetches]
	row := s.Agent(agent, name)
	row.Turns++
	row.Usage.Add(u)
	if ev.Cost == nil {
		row.Unpriced++
		s.Unpriced++
	} else {
		row.USD += *ev.Cost
		s.USD += *ev.Cost
	}
	for tool, n := range u.ServerToolCalls {
		t := s.Tool(tool)
		t.Calls += n
		t.USD += ev.ToolCosts[tool]
	}
}

// answer books the outcome of a tool call.
func (g *ledger) answer(tool *Tool, ev *session.ToolAnswered) {
	if ev.Refused {
		return
	}
	s := &g.spent
	use := callUse(tool)
	s.Amounts.Add(&use)
	row := s.Tool(ev.Name)
	row.Calls++
	if ev.IsError {
		row.Errors++
	}
	for i := range ev.Children {
		child := &ev.Children[i]
		row.USD += child.Spent.USD
		s.Add(&child.Spent)
		s.Children++
	}
	if ev.Child != nil {
		row.USD += ev.Child.Spent.USD
		s.Add(&ev.Child.Spent)
	}
}

// abandoned books the calls that were cut off or wait for a person, and what
// children used for them.
func (l *loop) abandoned(cut []session.CallRef) {
	for c := range l.unsettled() {
		if c.state == callDue && len(c.inquiries) == 0 || c.state == callAnswered {
			continue
		}
		tool := l.agent.tools[c.name]
		use := callUse(tool)
		l.ledger.spent.Amounts.Add(&use)
		row := l.ledger.spent.Tool(c.name)
		row.Calls++
		row.Errors++
		spent := c.used
		for k := range cut {
			if ref := &cut[k]; ref.Turn == c.turn && ref.Index == c.index && ref.Spent != nil && (spent == nil || spent.Turns <= ref.Spent.Turns) {
				spent = ref.Spent
			}
		}
		if spent != nil {
			row.USD += spent.USD
			l.ledger.spent.Add(spent)
		}
	}
}

// callUse is what one call of a tool takes by itself.
func callUse(tool *Tool) session.Amounts {
	use := session.Amounts{ToolCalls: 1}
	if tool == nil {
		return use
	}
	switch tool.spec.Counts {
	case CountSearch:
		use.Searches = 1
	case CountFetch:
		use.Fetches = 1
	}
	if tool.errand != nil {
		use.Children = 1
	}
	return use
}

// turnsEnd are the quantities that end a run, with its reasons.
var turnsEnd = []struct {
	name, reason, field string
}{
	{"turns", session.ReasonMaxTurns, "Turns"},
	{"tokens", session.ReasonTotalTokens, "Tokens"},
	{"input_tokens", session.ReasonInputTokens, "InputTokens"},
	{"output_tokens", session.ReasonOutputTokens, "OutputTokens"},
	{"usd", session.ReasonUSD, "USD"},
}

// usedUp tells which limit forbids to ask the model again; nil if none does. Strict
// tells that a limit of money was set, and is no default.
func (g *ledger) usedUp(strict bool) (hit *session.LimitHit, reason, detail string) {
	if strict && g.budget.USD != Unlimited && g.spent.Unpriced > 0 {
		return &session.LimitHit{Name: "usd", Value: g.budget.USD.USD(), Used: g.spent.USD.USD()}, session.ReasonUSD,
			"the price of a response is not known, so that the limit of money cannot be kept; add the price, or set Limits.Tokens instead of Limits.USD"
	}
	for _, end := range turnsEnd {
		q := quantity(end.name)
		limit, used := *q.Of(&g.budget.Amounts), *q.Of(&g.spent.Amounts)
		if limit == Unlimited || used < limit {
			continue
		}
		switch end.name {
		case "turns":
			detail = fmt.Sprintf("the model was asked %d times, which is the limit of turns; raise Limits.Turns", used)
			if g.spent.Children > 0 {
				detail = fmt.Sprintf("models were asked %d times, those of children included, and the limit of turns is %d; raise Limits.Turns", used, limit)
			}
		case "usd":
			detail = fmt.Sprintf("%s were spent and the limit is %s; raise Limits.USD", q.Text(used), q.Text(limit))
		default:
			detail = fmt.Sprintf("%d %s were used and the limit is %d; raise Limits.%s", used, kindOfTokens[end.name], limit, end.field)
		}
		return hitOf(q, limit, used), end.reason, detail
	}
	return nil, "", ""
}

var kindOfTokens = map[string]string{"tokens": "tokens", "input_tokens": "tokens of input", "output_tokens": "tokens of output"}

// quantity returns the quantity of a name.
func quantity(name string) *session.Quantity {
	for i := range session.Quantities {
		if session.Quantities[i].Name == name {
			return &session.Quantities[i]
		}
	}
	panic("there is no quantity " + name)
}

func hitOf(q *session.Quantity, limit, used int64) *session.LimitHit {
	if q.Name == "usd" {
		return &session.LimitHit{Name: q.Name, Value: session.Money(limit).USD(), Used: session.Money(used).USD()}
	}
	return &session.LimitHit{Name: q.Name, Value: float64(limit), Used: float64(used)}
}

// unsettled are the calls that are in the ledger, or may be: those of the last
// response, and those in the background.
func (l *loop) unsettled() iter.Seq[*toolCall] {
	return func(yield func(*toolCall) bool) {
		for i := range l.calls {
			if c := &l.calls[i]; !c.away() && !yield(c) {
				return
			}
		}
		for _, c := range l.away {
			if !yield(c) {
				return
			}
		}
	}
}

// reserved is what the calls under way have taken and not yet settled, but for
// the call except.
func (l *loop) reserved(except *toolCall) (sum session.Amounts) {
	for c := range l.unsettled() {
		if except != nil && c.turn == except.turn && c.index == except.index || !c.reserves() {
			continue
		}
		use := callUse(l.agent.tools[c.name])
		sum.Add(&use)
		if c.child != nil {
			share := bounded(c.child.Budget.Amounts)
			sum.Add(&share)
		}
		if c.share != nil {
			share := bounded(c.share.Amounts)
			sum.Add(&share)
		}
	}
	return sum
}

// reserves tells whether a call has reserved what it may take: one whose function
// asks a person goes on with that.
func (c *toolCall) reserves() bool {
	return c.state == callRunning || c.state == callLost || c.state == callParked || c.state == callDue && len(c.inquiries) > 0
}

// bounded is a share without what it does not bound.
func bounded(share session.Amounts) session.Amounts {
	for i := range session.Quantities {
		if n := session.Quantities[i].Of(&share); *n == Unlimited {
			*n = 0
		}
	}
	return share
}

// left is what may still be reserved for the call c, and what is spent or
// reserved for others. Where the budget has no bound, left has none.
func (l *loop) left(c *toolCall, pending *session.Amounts) (left, taken session.Amounts) {
	left = l.ledger.budget.Amounts
	taken = l.ledger.spent.Amounts
	reserved := l.reserved(c)
	taken.Add(&reserved)
	taken.Add(pending)
	left.Sub(&taken)
	return left, taken
}

// overBudget is the answer to a call for which nothing is left; nil where it may
// run. A tool that ends the run may always be called.
func (l *loop) overBudget(c *toolCall, tool *Tool, pending *session.Amounts) *session.ToolAnswered {
	if tool.spec.EndsRun {
		return nil
	}
	left, taken := l.left(c, pending)
	use := callUse(tool)
	for i := range session.Quantities {
		q := &session.Quantities[i]
		has := *q.Of(&left)
		if *q.Of(&use) == 0 || has == Unlimited || has >= *q.Of(&use) {
			continue
		}
		limit, used := *q.Of(&l.ledger.budget.Amounts), *q.Of(&taken)
		a := refuse(&session.ToolAnswered{}, fmt.Sprintf("the limit of %s is reached: %d of %d are used; finish with what you have, and say what is missing", wordsOf(q.Name), used, limit))
		a.Limit = hitOf(q, limit, used)
		return a
	}
	return nil
}

func wordsOf(name string) string {
	switch name {
	case "tool_calls":
		return "tool calls"
	case "children":
		return "child sessions"
	}
	return name
}

// hit notes a limit that was reached.
func (l *loop) hit(h *session.LimitHit) {
	if h == nil {
		return
	}
	for i := range l.result.Limits {
		if l.result.Limits[i].Name == h.Name {
			l.result.Limits[i] = *h
			return
		}
	}
	l.result.Limits = append(l.result.Limits, *h)
}

// toolCosts splits off what the provider's own tools cost of a response.
func toolCosts(p Prices, name string, u *model.Usage) map[string]session.Money {
	if p == nil || len(u.ServerToolCalls) == 0 {
		return nil
	}
	costs := make(map[string]session.Money, len(u.ServerToolCalls))
	for tool, n := range u.ServerToolCalls {
		if usd, known := p.Cost(name, &model.Usage{ServerToolCalls: map[string]int64{tool: n}}); known {
			costs[tool] = session.USD(usd)
		}
	}
	return costs
}
