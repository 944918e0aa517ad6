package quarry_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/session"
)

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// treeSession is what the journal of a session says.
type treeSession struct {
	id      string
	node    *treeNode
	recs    []session.Record
	started *session.Started
	result  *quarry.Result // nil where the prompt has not ended
	// cut are the calls that its end cut off, which it tells of; stopped tells that
	// they were in the background, expired that its time was over.
	cut              []session.CallRef
	stopped, expired bool
	// own is what the session used itself, settled that and what those children
	// used whose calls were answered.
	own, settled session.Spent
	submitted    int64
	// calls are the calls that were started, by turn and index.
	calls map[[2]int]*treeCall
	// children are the sessions that were begun for its calls.
	children []*treeSession
}

// treeCall is a tool call that was started.
type treeCall struct {
	called   *session.ToolCalled
	answered *session.ToolAnswered
	// lost tells that a process went away since it was last started.
	lost bool
}

// check checks the journals.
func (r *treeRun) check(ctx context.Context) {
	if len(r.journal["s"]) == 0 {
		r.problem("there is no session s")
		return
	}
	all := map[string]*treeSession{}
	for _, id := range sortedKeys(r.journal) {
		s := r.read(id, r.journal[id])
		if s.node == nil {
			r.problem("%s: nobody knows the agent %q", id, s.started.Agent)
			return
		}
		all[id] = s
		r.counts["sessions"]++
		r.counts["records"] += len(s.recs)
		if p := s.started.Parent; p != nil { // its id comes after its parent's
			if all[p.Session] == nil {
				r.problem("%s: there is no parent %s", id, p.Session)
				return
			}
			all[p.Session].children = append(all[p.Session].children, s)
		} else if id != "s" {
			r.problem("%s has no parent", id)
		}
	}
	root := all["s"]
	r.checkFold(ctx, all)
	for _, id := range sortedKeys(all) {
		r.checkEnd(all[id], all)
	}
	if len(r.problems) > 0 {
		return
	}
	r.settle(root)
	r.checkCaps(root, root.node.budget())
	r.checkEffects(all)
	if whole := r.stops == 0; whole && !expiredIn(root) {
		r.checkUse(root)
	}
}

// read takes a journal apart.
func (r *treeRun) read(id string, recs []session.Record) *treeSession {
	s := &treeSession{id: id, recs: recs, calls: map[[2]int]*treeCall{}}
	prompts, ends, tools, children := 0, 0, 0, 0
	thinking := false
	for i, rec := range recs {
		if rec.Seq != int64(i+1) {
			r.problem("%s: record %d comes as the %d-th", id, rec.Seq, i+1)
		}
		switch ev := rec.Event.(type) {
		case *session.Started:
			s.started, s.node = ev, r.plan.node(ev.Agent)
		case *session.Prompted:
			prompts++
		case *session.Ended:
			ends++
			s.result = &ev.Result
			if ends > prompts {
				r.problem("%s: record %d ends a prompt that is not open", id, rec.Seq)
			}
		case *session.ModelCalled:
			thinking = true
		case *session.ModelAnswered:
			if !thinking {
				r.problem("%s: record %d is an answer to nothing", id, rec.Seq)
			}
			thinking = false
			s.ownAnswer(ev)
		case *session.ModelFailed:
			thinking = false
			if turnedAway := strings.HasPrefix(ev.Error.Message, "not asked"); ev.Error.Status < 400 && !turnedAway {
				s.own.Lost++
			}
		case *session.ToolCalled:
			if ev.Child != nil {
				children++
			} else {
				tools++
			}
			c := s.calls[[2]int{ev.Turn, ev.Index}]
			if c != nil && (c.answered != nil || !c.lost) {
				r.problem("%s: record %d starts call %d.%d again", id, rec.Seq, ev.Turn, ev.Index)
			}
			s.calls[[2]int{ev.Turn, ev.Index}] = &treeCall{called: ev}
		case *session.ToolAnswered:
			c := s.calls[[2]int{ev.Turn, ev.Index}]
			if c != nil && c.answered != nil {
				r.problem("%s: record %d answers call %d.%d again", id, rec.Seq, ev.Turn, ev.Index)
			}
			if c != nil {
				if c.answered = ev; !c.lost && c.called.Child != nil {
					children--
				} else if !c.lost {
					tools--
				}
			}
			s.ownResult(ev)
			if ev.Limit != nil {
				r.counts["refused by a limit of "+ev.Limit.Name]++
			}
			if ev.Unknown {
				r.counts["calls of which nobody knows"]++
			}
		case *session.Resumed:
			if thinking {
				s.own.Lost++
			}
			thinking, tools, children = false, 0, 0
			for _, c := range s.calls {
				c.lost = true
			}
			r.counts["resumed"]++
		case *session.Expired:
			if thinking {
				s.own.Lost++
			}
			thinking, s.expired = false, true
			s.cut = append(s.cut, append(slices.Clone(ev.Canceled), ev.Running...)...)
			children = 0
		case *session.BackgroundStopped:
			s.stopped, children = true, 0
			s.cut = append(s.cut, append(slices.Clone(ev.Canceled), ev.Running...)...)
			r.counts["stopped in the background"]++
		case *session.Compacted:
			r.counts["compacted"]++
		}
		if s.node != nil && (children > s.node.atOnce() || tools > s.node.parallel()) {
			r.problem("%s: at record %d, %d children and %d tools are at work; the limits are %d and %d", id, rec.Seq, children, tools, s.node.atOnce(), s.node.parallel())
		}
	}
	if prompts > 1 || prompts == 1 && ends > 1 {
		r.problem("%s: there are %d prompts and %d ends", id, prompts, ends)
	}
	return s
}

func (n *treeNode) atOnce() int {
	return cmp.Or(n.limits.ChildrenAtOnce, quarry.DefaultLimits.ChildrenAtOnce)
}
func (n *treeNode) parallel() int {
	return cmp.Or(n.limits.ParallelTools, quarry.DefaultLimits.ParallelTools)
}

// revive lets the next append of a process be the one at which it dies.
func (p *treeProcess) revive() {
	p.world.mu.Lock()
	defer p.world.mu.Unlock()
	p.over, p.dead, p.kept, p.dies = false, false, false, p.appends+1
}

// checkFold lets each journal be loaded by an agent whose store takes nothing
// more: where the prompt has ended there is nothing to do, and where it has not,
// what fails is the append.
func (r *treeRun) checkFold(ctx context.Context, all map[string]*treeSession) {
	if r.plan.seed%8 == 0 { // it takes long
		if err := r.reread(); err != nil {
			r.problem("the journals cannot be read again: %v", err)
			return
		}
	}
	p := r.final
	p.store.Memory = r.journals
	for _, id := range sortedKeys(all) {
		p.revive()
		s := all[id]
		_, err := p.agents[s.started.Agent].Run(ctx, quarry.Input{Session: id})
		want := quarry.ErrNothingToDo
		if s.result == nil {
			want = errTreeCrash
		}
		if !errors.Is(err, want) && !(s.result == nil && errors.Is(err, quarry.ErrNothingToDo) && len(s.recs) == 1) {
			r.problem("%s does not fold: %v, not %v", id, err, want)
		}
	}
}

// checkEnd checks that a session has its result, or that there is a reason why it
// has none: whoever asked for it ended before, because its time was over, and
// that is in its journal. That is the only way in which a session may be left.
func (r *treeRun) checkEnd(s *treeSession, all map[string]*treeSession) {
	if s.result != nil {
		res := s.result
		r.counts["ended: "+string(res.Subtype)+"/"+res.Reason]++
		if len(res.Fallbacks) > 0 {
			r.counts["ended with fallbacks"]++
		}
		if res.Subtype == "" || res.Reason == "" || (res.Subtype == session.Success) != (res.Detail == "") || res.Subtype == session.Stopped {
			r.problem("%s: the result does not say how it came: %+v", s.id, res)
		}
		if _, ok := s.recs[len(s.recs)-1].Event.(*session.Ended); !ok {
			r.problem("%s: something comes after the end", s.id)
		}
		if limit := s.node.limits.Timeout; res.Duration > limit+100*time.Millisecond {
			r.problem("%s was worked on for %v, and the limit is %v", s.id, res.Duration, limit)
		}
		return
	}
	if s.id == "s" {
		r.problem("the root has no result")
		return
	}
	r.counts["sessions left unfinished by their parent's end"]++
	link := s.started.Parent
	parent := all[link.Session]
	call := parent.calls[[2]int{link.Turn, link.Index}]
	switch {
	case call == nil || call.called.Child == nil || call.called.Child.Session != s.id:
		r.problem("%s has no result, and %s has not called for it", s.id, parent.id)
	case call.answered != nil:
		r.problem("%s has no result, and %s has the call's: %+v", s.id, parent.id, call.answered)
	case parent.result == nil:
		// So it is with its parent, which is checked itself.
	case !parent.stopped && (!parent.expired || parent.result.Reason != session.ReasonWallClock):
		r.problem("%s has no result, and %s ended by %s", s.id, parent.id, parent.result.Reason)
	case !call.lost && !slices.ContainsFunc(parent.cut, func(ref session.CallRef) bool {
		return ref.Turn == link.Turn && ref.Index == link.Index && ref.Child == s.id
	}):
		r.problem("%s has no result, and %s does not say so where it is cut off: %+v", s.id, parent.id, parent.cut)
	}
}

// checkEffects checks what the tools did against what the journals say.
func (r *treeRun) checkEffects(all map[string]*treeSession) {
	for _, id := range sortedKeys(all) {
		for _, c := range all[id].calls {
			key := c.called.Key
			i := slices.IndexFunc(treeTools, func(k treeTool) bool { return k.name == c.called.Name })
			if i < 0 {
				continue
			}
			done := c.answered != nil && !c.answered.IsError
			n := r.effects[key]
			switch kind := &treeTools[i]; {
			case done && n == 0:
				r.problem("the journal says that %s was done, and it was not", key)
			case n > 1 && (kind.reconciles || kind.once()):
				r.problem("%s took effect %d times", key, n)
			case n == 1 && kind.reconciles && c.called.Attempt > 1:
				r.counts["tool: exactly once after a loss"]++
			}
			if c.answered != nil && strings.Contains(c.answered.Content.Text(), "unfit") {
				r.problem("%s: %s", key, c.answered.Content.Text())
			}
		}
	}
}

// describe tells a journal in short.
func describe(recs []session.Record) (out []string) {
	for _, rec := range recs {
		word := rec.Event.Kind()
		switch ev := rec.Event.(type) {
		case *session.ModelCalled:
			word += fmt.Sprintf("(%d,%d)", ev.Turn, ev.Attempt)
		case *session.ModelFailed:
			word += fmt.Sprintf("(%s)", ev.Error.Kind)
		case *session.ToolCalled:
			word += fmt.Sprintf("(%s %d.%d,%d)", ev.Name, ev.Turn, ev.Index, ev.Attempt)
		case *session.ToolAnswered:
			word += fmt.Sprintf("(%d.%d err=%v ref=%v)", ev.Turn, ev.Index, ev.IsError, ev.Refused)
		case *session.Ended:
			word += fmt.Sprintf("(%s/%s %s)", ev.Result.Subtype, ev.Result.Reason, ev.Result.Detail)
		}
		out = append(out, word)
	}
	return out
}
