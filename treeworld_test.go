package quarry_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
)

// treeWorld is what the processes that work on a tree have in common: the store,
// and what really happened.
type treeWorld struct {
	plan *treePlan

	mu       sync.Mutex
	journals *session.Memory
	problems []string
	counts   map[string]int
	// asks counts the calls of a model that failed, by the conversation.
	asks map[uint64]int
	// last is the last record of each session, prompted tells which were.
	last     map[string]int64
	prompted map[string]bool
	// done tells that the root's prompt has ended.
	done bool
	// intents are the attempts of the calls of tools, answered tells which have
	// outcomes, both by their keys; answers are the journaled ones of models.
	intents  map[string]int
	answered map[string]bool
	answers  map[string]bool
	// performed and effects count what tools did, by the calls' keys.
	performed map[string]int
	effects   map[string]int
	// used is what the models that came to their end and the tools really used.
	used session.Spent
	// appends counts those of all processes.
	appends int
}

func newTreeWorld(plan *treePlan) *treeWorld {
	return &treeWorld{
		plan: plan, journals: session.NewMemory(), counts: map[string]int{}, asks: map[uint64]int{},
		last: map[string]int64{}, prompted: map[string]bool{}, intents: map[string]int{}, answered: map[string]bool{},
		answers: map[string]bool{}, performed: map[string]int{}, effects: map[string]int{},
	}
}

// treeProcess is one process that works on the tree until it is stopped or dies.
type treeProcess struct {
	world  *treeWorld
	store  *treeStore
	agents map[string]*quarry.Agent
	// dies is the append at which the store dies, counted from 1, 0 for none; kept
	// tells that this append is kept.
	dies int
	kept bool
	// over tells that its run has ended: it writes nothing more.
	over bool
	// dead tells that it has died, at the time died. It has no effects any more.
	dead    bool
	died    time.Time
	appends int
}

// problem notes a rule that is broken.
func (w *treeWorld) problem(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.problems = append(w.problems, fmt.Sprintf(format, args...))
}

func (w *treeWorld) count(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts[name]++
}

// asked counts the calls of a conversation that were meant to fail.
func (w *treeWorld) asked(d uint64) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asks[d]++
	return w.asks[d]
}

// said notes a complete answer of a model.
func (p *treeProcess) said(m *treeModel, resp *model.Response) {
	w := p.world
	w.mu.Lock()
	defer w.mu.Unlock()
	if p.dead {
		return
	}
	if w.answers[m.Name()+" "+resp.ID] {
		w.problems = append(w.problems, fmt.Sprintf("%s has said %s before, and that is journaled", m.Name(), resp.ID))
	}
	u := &resp.Usage
	in := u.InputTokens + u.CacheReadTokens + u.CacheWriteTokens
	usd, _ := treePrices{}.Cost("", u)
	w.used.Add(&session.Spent{Amounts: session.Amounts{
		Turns: 1, InputTokens: in, OutputTokens: u.OutputTokens, Tokens: in + u.OutputTokens, USD: session.USD(usd),
		Searches: u.ServerToolCalls["web_search_requests"],
	}})
}

// begun notes that a tool is at work on a call. It returns false where the
// process is gone.
func (w *treeWorld) begun(p *treeProcess, call *quarry.Call, kind *treeTool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p.dead {
		return false
	}
	if w.answered[call.Key] {
		w.problems = append(w.problems, "the call "+call.Key+" is performed again, and its outcome is journaled")
	}
	if w.intents[call.Key] != call.Attempt {
		w.problems = append(w.problems, fmt.Sprintf("attempt %d of the call %s is performed, and the journal has %d", call.Attempt, call.Key, w.intents[call.Key]))
	}
	w.performed[call.Key]++
	if n := w.performed[call.Key]; n > 1 {
		w.counts["tool: repeated"]++
		if kind.once() {
			w.problems = append(w.problems, fmt.Sprintf("the call %s of %s is performed %d times", call.Key, kind.name, n))
		}
	}
	use := session.Amounts{ToolCalls: 1}
	switch kind.counts {
	case quarry.CountSearch:
		use.Searches = 1
	case quarry.CountFetch:
		use.Fetches = 1
	}
	w.used.Amounts.Add(&use)
	return true
}

// effect notes that a call took effect. It returns false where the process is
// gone: then it did not.
func (w *treeWorld) effect(p *treeProcess, key string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p.dead {
		return false
	}
	w.effects[key]++
	return true
}

func (w *treeWorld) happened(key string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.effects[key] > 0
}

// treeStore is the store as a process sees it. It dies when it is told to.
type treeStore struct {
	*session.Memory
	proc *treeProcess
}

var errTreeCrash = errors.New("the process has died")

// Append implements session.Store.
func (s *treeStore) Append(ctx context.Context, id string, after int64, recs []session.Record) error {
	p, w := s.proc, s.proc.world
	w.mu.Lock()
	defer w.mu.Unlock()
	if p.dead {
		return errTreeCrash
	}
	if p.over {
		w.problems = append(w.problems, fmt.Sprintf("%s: record %d is written after the run has ended", id, after+1))
	}
	w.appends++
	p.appends++
	dies := p.appends == p.dies
	if dies {
		p.dead, p.died = true, time.Now()
		if !p.kept {
			return errTreeCrash
		}
	}
	if err := s.Memory.Append(ctx, id, after, recs); err != nil {
		return err
	}
	w.last[id] = recs[len(recs)-1].Seq
	for _, rec := range recs {
		switch ev := rec.Event.(type) {
		case *session.Started:
			if ev.Parent != nil {
				w.used.Children++
				w.used.ToolCalls++
			}
		case *session.Prompted:
			w.prompted[id] = true
		case *session.Ended:
			w.done = w.done || id == "s"
		case *session.ModelAnswered:
			w.answers[ev.Response.Model+" "+ev.Response.ID] = true
		case *session.ToolCalled:
			w.intents[ev.Key] = ev.Attempt
		case *session.ToolAnswered:
			w.answered[fmt.Sprintf("%s/%d.%d", id, ev.Turn, ev.Index)] = true
		}
	}
	if dies {
		return errTreeCrash
	}
	return nil
}

// Load implements session.Store.
func (s *treeStore) Load(ctx context.Context, id string, after int64) iter.Seq2[session.Record, error] {
	return func(yield func(session.Record, error) bool) {
		if s.proc.gone() {
			yield(session.Record{}, errTreeCrash)
			return
		}
		s.Memory.Load(ctx, id, after)(yield)
	}
}

func (p *treeProcess) gone() bool {
	p.world.mu.Lock()
	defer p.world.mu.Unlock()
	return p.dead
}

// reread replaces the journals by copies that were written and read again, as a
// new process finds them.
func (w *treeWorld) reread() error {
	copies := session.NewMemory()
	ctx := context.Background()
	for id, recs := range w.sessions() {
		data, err := json.Marshal(recs)
		if err != nil {
			return err
		}
		var again []session.Record
		if err := json.Unmarshal(data, &again); err != nil {
			return err
		}
		if err := copies.Append(ctx, id, 0, again); err != nil {
			return err
		}
	}
	w.journals = copies
	return nil
}

// sessions returns all journals.
func (w *treeWorld) sessions() map[string][]session.Record {
	all := map[string][]session.Record{}
	ctx := context.Background()
	for info, err := range w.journals.List(ctx, session.Filter{}) {
		if err != nil {
			w.problem("list the sessions: %v", err)
			continue
		}
		for rec, err := range w.journals.Load(ctx, info.ID, 0) {
			if err != nil {
				w.problem("load %s: %v", info.ID, err)
				break
			}
			all[info.ID] = append(all[info.ID], rec)
		}
	}
	return all
}
