package quarry_test

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
)

// ownAnswer books an answer of the model, by rules written anew.
func (s *treeSession) ownAnswer(ev *session.ModelAnswered) {
	u := &ev.Response.Usage
	usd := session.Money(0)
	row := s.own.Agent(s.started.Agent, ev.Response.Model)
	if ev.Cost == nil {
		s.own.Unpriced++
		row.Unpriced++
	} else {
		usd = *ev.Cost
	}
	s.own.Amounts.Add(&session.Amounts{
		Turns: 1, InputTokens: u.Total() - u.OutputTokens, OutputTokens: u.OutputTokens, Tokens: u.Total(), USD: usd,
		Searches: u.ServerToolCalls["web_search_requests"],
	})
	row.Turns++
	row.Usage.Add(u)
	row.USD += usd
	for name, n := range u.ServerToolCalls {
		tool := s.own.Tool(name)
		tool.Calls += n
		tool.USD += ev.ToolCosts[name]
	}
}

// ownResult books the outcome of a tool call.
func (s *treeSession) ownResult(ev *session.ToolAnswered) {
	if ev.Refused {
		return
	}
	use := session.Amounts{ToolCalls: 1}
	switch i := slices.IndexFunc(treeTools, func(k treeTool) bool { return k.name == ev.Name }); {
	case ev.Name == "submit":
		s.submitted++
	case i < 0:
		use.Children = 1
	case treeTools[i].counts == quarry.CountSearch:
		use.Searches = 1
	case treeTools[i].counts == quarry.CountFetch:
		use.Fetches = 1
	}
	s.own.Amounts.Add(&use)
	row := s.own.Tool(ev.Name)
	row.Calls++
	if ev.IsError {
		row.Errors++
	}
	if ev.Child != nil {
		row.USD += ev.Child.Spent.USD
	}
}

// settle adds up what each session and its children used, and compares it with
// their results.
func (r *treeRun) settle(s *treeSession) {
	s.settled = s.own.Clone()
	for _, child := range s.children {
		r.settle(child)
		link := child.started.Parent
		if c := s.calls[[2]int{link.Turn, link.Index}]; c.answered != nil {
			s.settled.Add(&child.settled)
			end := c.answered.Child
			if end == nil || end.Session != child.id || end.Subtype != child.result.Subtype || end.Reason != child.result.Reason {
				r.problem("%s: the call has another end than its child: %+v", child.id, end)
			} else if diff := spentDiff(&child.result.Spent, &end.Spent); diff != "" {
				r.problem("%s: the call has another use than its child (-child +call):\n%s", child.id, diff)
			}
		}
	}
	if s.result == nil {
		return
	}
	if total, got := ofModels(s.total()), ofModels(s.result.Spent.Amounts); total != got {
		r.problem("%s: the result has another use than the tree's journals (-journals +result):\n%s", s.id, cmp.Diff(total, got))
	}
}

// ofModels is what of a use the models have: no calls of tools.
func ofModels(a session.Amounts) session.Amounts {
	a.ToolCalls, a.Searches, a.Fetches, a.Children = 0, 0, 0, 0
	return a
}

func spentDiff(want, got *session.Spent) string {
	if reflect.DeepEqual(want, got) { // cmp takes long
		return ""
	}
	return cmp.Diff(want, got, cmpopts.EquateEmpty())
}

// total is what a session and all below it used, finished or not.
func (s *treeSession) total() session.Amounts {
	sum := s.own.Amounts
	for _, child := range s.children {
		t := child.total()
		sum.Add(&t)
	}
	return sum
}

func (s *treeSession) submits() int64 {
	n := s.submitted
	for _, child := range s.children {
		n += child.submits()
	}
	return n
}

// provided is how often providers searched.
func (s *treeSession) provided() (n int64) {
	for _, rec := range s.recs {
		if ev, ok := rec.Event.(*session.ModelAnswered); ok {
			n += ev.Response.Usage.ServerToolCalls["web_search_requests"]
		}
	}
	for _, child := range s.children {
		n += child.provided()
	}
	return n
}

func expiredIn(s *treeSession) bool {
	return s.expired || s.stopped || slices.ContainsFunc(s.children, expiredIn)
}

// largest is the most that one call of a model took, in a session or below it.
func (s *treeSession) largest() (most session.Amounts) {
	for _, rec := range s.recs {
		if ev, ok := rec.Event.(*session.ModelAnswered); ok {
			one := treeSession{started: s.started}
			one.ownAnswer(ev)
			raise(&most, &one.own.Amounts)
		}
	}
	for _, child := range s.children {
		below := child.largest()
		raise(&most, &below)
	}
	return most
}

func raise(most, to *session.Amounts) {
	for _, q := range session.Quantities {
		*q.Of(most) = max(*q.Of(most), *q.Of(to))
	}
}

// atWork is the most sessions, of s and those below it, that worked at the same
// time and did not wait for children: those that send agents into the background
// never do. Each of them may have had a call in flight
// that went beyond its share.
func (s *treeSession) atWork() (most int64) {
	type change struct {
		at   time.Time
		of   *treeSession
		from bool
	}
	var changes []change
	parents, working := map[*treeSession]*treeSession{}, map[*treeSession]int64{}
	var walk func(s *treeSession)
	walk = func(s *treeSession) {
		changes = append(changes, change{s.recs[0].Time, s, true}, change{s.recs[len(s.recs)-1].Time, s, false})
		for _, child := range s.children {
			parents[child] = s
			walk(child)
		}
	}
	walk(s)
	slices.SortStableFunc(changes, func(a, b change) int {
		switch c := a.at.Compare(b.at); {
		case c != 0 || a.from == b.from:
			return c
		case a.from:
			return -1
		}
		return 1
	})
	// Below counts those of a session's children that work.
	below, now := map[*treeSession]int64{}, int64(0)
	set := func(s *treeSession) {
		was := working[s]
		if working[s] = 0; s != nil && (below[s] == 0 || s.node.sends) {
			working[s] = 1
		}
		now += working[s] - was
	}
	for _, c := range changes {
		parent := parents[c.of]
		if c.from {
			set(c.of)
			below[parent]++
		} else {
			now -= working[c.of]
			working[c.of] = 0
			below[parent]--
		}
		if parent != nil {
			set(parent)
		}
		most = max(most, now)
	}
	return most
}

// budget is what the agent of a node may use where it is the root.
func (n *treeNode) budget() session.Budget {
	l, d := n.limits, quarry.DefaultLimits
	b := session.Budget{Depth: d.Depth}
	for _, x := range []struct {
		to               *int64
		limit, otherwise int64
	}{
		{&b.Turns, int64(l.Turns), int64(d.Turns)}, {&b.ToolCalls, l.ToolCalls, d.ToolCalls}, {&b.Tokens, l.Tokens, d.Tokens},
		{&b.InputTokens, l.InputTokens, d.InputTokens}, {&b.OutputTokens, l.OutputTokens, d.OutputTokens},
		{&b.Searches, l.Searches, d.Searches}, {&b.Fetches, l.Fetches, d.Fetches}, {&b.Children, l.Children, d.Children},
	} {
		if *x.to = x.limit; x.limit == 0 {
			*x.to = x.otherwise
		}
	}
	if b.USD = session.USD(d.USD); l.USD != 0 {
		b.USD = session.USD(l.USD)
	}
	if l.Depth != 0 {
		b.Depth = l.Depth
	}
	return b
}

// checkCaps checks that no session has used more than it may: of what is counted
// by tool calls nothing more, but for calls of the tool that ends the run; of
// what the models use, no more than a call for each session at work at once.
func (r *treeRun) checkCaps(s *treeSession, budget session.Budget) {
	used, largest, atWork := s.total(), s.largest(), s.atWork()
	for _, q := range session.Quantities {
		limit, n, slack := *q.Of(&budget.Amounts), *q.Of(&used), int64(0)
		if limit == session.Unbounded {
			continue
		}
		switch q.Name {
		case "turns", "fetches", "children":
		case "tool_calls":
			slack = s.submits()
		default: // searches too: those that providers make
			slack = *q.Of(&largest) * atWork
			if q.Name == "searches" { // the limit does not bound those
				slack = s.provided()
			}
		}
		if n > limit+slack {
			r.problem("%s used %s of %s, the limit is %s, and the slack %s (largest %s, %d at work)", s.id, q.Text(n), q.Name, q.Text(limit), q.Text(slack), q.Text(*q.Of(&largest)), atWork)
		}
		if s.result != nil && n >= limit {
			r.counts["used up: "+q.Name]++
			if n > limit {
				r.counts["overshot: "+q.Name]++
			}
		}
	}
	for _, child := range s.children {
		share := child.started.Budget
		if call := s.calls[[2]int{child.started.Parent.Turn, child.started.Parent.Index}]; call == nil || call.called.Child == nil || call.called.Child.Budget != *share {
			r.problem("%s was begun with another share than its call has: %+v", child.id, share)
		}
		if share.Depth < 0 || share.Depth >= budget.Depth {
			r.problem("%s may have %d generations below it, and %s %d", child.id, share.Depth, s.id, budget.Depth)
		}
		r.counts[fmt.Sprintf("sessions of generation %d", child.node.level)]++
		r.checkCaps(child, *share)
	}
}

// checkUse compares what the root's result says with what was really used. That
// is the same where nothing was interrupted and no time was over.
func (r *treeRun) checkUse(root *treeSession) {
	r.counts["runs whose use is what was used"]++
	if diff := cmp.Diff(r.used.Amounts, root.result.Spent.Amounts); diff != "" {
		r.problem("the result has another use than the models and the tools (-used +result):\n%s", diff)
	}
	usage := model.Usage{}
	for i := range root.result.Spent.Agents {
		usage.Add(&root.result.Spent.Agents[i].Usage)
	}
	if n := root.result.Spent.Tokens; usage.Total() != n {
		r.problem("the agents' rows have %d tokens, and the sum is %d", usage.Total(), n)
	}
}
