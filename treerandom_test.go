package quarry_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/session"
)

// TestRandomTrees drives trees of agents with random failures, delays, limits and
// interruptions. Each schedule is made from a seed and is played twice: as it is,
// and interrupted and gone on with until it ends.
//
// QUARRY_TREE_SCHEDULES sets the number of schedules, QUARRY_TREE_SEED plays that
// of one seed and shows its journals. What happens at the same moment may happen
// in another order each time: a seed that fails seldom is played with -count.
func TestRandomTrees(t *testing.T) {
	t.Parallel()
	n := 2500
	switch {
	case testing.Short():
		n = 200
	case raceEnabled:
		n = 500
	}
	if s := os.Getenv("QUARRY_TREE_SCHEDULES"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatalf("QUARRY_TREE_SCHEDULES is no number: %v", err)
		}
	}
	if s := os.Getenv("QUARRY_TREE_SEED"); s != "" {
		seed, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatalf("QUARRY_TREE_SEED is no number: %v", err)
		}
		counts := map[string]int{}
		playTree(t, newTreePlan(seed, makeTreeTools()), counts, true)
		logCounts(t, counts)
		return
	}
	const shards = 4
	made := makeTreeTools()
	var mu sync.Mutex
	counts := map[string]int{}
	var wg sync.WaitGroup
	for shard := range shards {
		wg.Go(func() {
			mine := map[string]int{}
			for seed := shard; seed < n && !t.Failed(); seed += shards {
				mine["schedules"]++
				playTree(t, newTreePlan(uint64(seed), made), mine, false)
			}
			mu.Lock()
			defer mu.Unlock()
			for name, k := range mine {
				counts[name] += k
			}
		})
	}
	wg.Wait()
	logCounts(t, counts)
}

// logCounts tells what the schedules covered.
func logCounts(t *testing.T, counts map[string]int) {
	var names []string
	for name := range counts {
		names = append(names, name)
	}
	slices.Sort(names)
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintf(&b, "\n%8d  %s", counts[name], name)
	}
	t.Logf("the schedules covered:%s", b.String())
}

// playTree plays a schedule, and counts what it covers.
func playTree(t *testing.T, plan *treePlan, counts map[string]int, show bool) {
	play := func(cuts []treeCut, was *treeRun) (r *treeRun) {
		r = &treeRun{treeWorld: newTreeWorld(plan)}
		defer func() {
			if p := recover(); p != nil { // synctest tells so of goroutines that are left
				r.problem("panic: %v", p)
			}
			r.report(t, len(cuts) > 0, show)
		}()
		synctest.Test(t, func(t *testing.T) {
			r.play(t, cuts, was)
			r.check(t.Context())
		})
		return r
	}
	whole := play(nil, nil)
	if len(whole.problems) > 0 {
		return
	}
	whole.tell(counts)
	if len(plan.cuts) == 0 {
		return
	}
	cut := play(plan.cuts, whole)
	cut.tell(counts)
	if len(cut.problems) > 0 {
		return
	}
	why := incomparable(whole, cut)
	counts["compared: "+why]++
	if why == "" {
		if diff := cut.differs(whole); diff != "" {
			t.Errorf("%s: interrupted, it comes to something else (-whole +interrupted):\n%s", seedHint(plan.seed), diff)
		}
	}
}

func seedHint(seed uint64) string {
	return fmt.Sprintf("seed %d (play it with QUARRY_TREE_SEED=%d go test -run TestRandomTrees .)", seed, seed)
}

// treeRun is a tree that is played to its end.
type treeRun struct {
	*treeWorld
	journal map[string][]session.Record
	// final is the process that brought it to its end.
	final  *treeProcess
	events int
	took   time.Duration
	// stops counts the interruptions that took place, crashes those that were
	// crashes.
	stops, crashes int
}

// report reports what went wrong.
func (r *treeRun) report(t *testing.T, cut, show bool) {
	if len(r.problems) == 0 && !show {
		return
	}
	var b strings.Builder
	if show || len(r.problems) > 0 {
		for _, id := range sortedKeys(r.journal) {
			fmt.Fprintf(&b, "\n%s: %s", id, strings.Join(describe(r.journal[id]), " "))
		}
	}
	if len(r.problems) == 0 {
		t.Logf("interrupted: %v%s", cut, b.String())
		return
	}
	t.Errorf("%s, interrupted: %v:\n%s\n%s", seedHint(r.plan.seed), cut, strings.Join(r.problems, "\n"), b.String())
}

// tell adds what the run covered.
func (r *treeRun) tell(counts map[string]int) {
	for name, n := range r.counts {
		counts[name] += n
	}
}

// play lets one process after the other work on the tree, until it is done.
func (r *treeRun) play(t *testing.T, cuts []treeCut, was *treeRun) {
	began := time.Now()
	var down time.Duration
	for i := range len(cuts) + 1 {
		var cut *treeCut
		if i < len(cuts) {
			cut = &cuts[i]
		}
		r.process(t, cut, i+1, was)
		if r.done || cut == nil {
			break
		}
		if cut.kind >= cutCrash && (r.plan.seed+uint64(i))%2 == 0 { // it takes long
			if err := r.reread(); err != nil {
				r.problem("the journals cannot be read again: %v", err)
				return
			}
		}
		time.Sleep(cut.down)
		down += cut.down
	}
	r.took = time.Since(began) - down
	time.Sleep(time.Hour) // for tools that ignore their context
	synctest.Wait()
	r.journal = r.sessions()
}

// process is one process, which is the n-th.
func (r *treeRun) process(t *testing.T, cut *treeCut, n int, was *treeRun) {
	p := &treeProcess{world: r.treeWorld, agents: map[string]*quarry.Agent{}}
	r.final = p
	p.store = &treeStore{r.journals, p}
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	var stopped time.Time
	count, leave := 0, false
	root := p.agent(t, r.plan.root)
	if cut != nil {
		at := func(whole int) int { return 1 + int(cut.at*float64(whole)/float64(n)) }
		switch cut.kind {
		case cutCancel, cutInterrupt:
			timer := time.AfterFunc(time.Duration(cut.at*float64(was.took)/float64(n)), func() {
				r.mu.Lock()
				stopped = time.Now()
				r.mu.Unlock()
				if cut.kind == cutCancel {
					cancel(errTreeStop)
				} else {
					root.Interrupt("s")
				}
			})
			defer timer.Stop()
		case cutCount, cutLeave:
			count, leave = at(was.events), cut.kind == cutLeave
		default:
			p.dies, p.kept = at(was.appends), cut.kind == cutCrashKept
		}
	}
	in := quarry.Input{Session: "s"}
	if !r.prompted["s"] {
		in.Prompt = "Go."
	}
	var result *quarry.Result
	var err error
	seen, left := 0, false
	last := map[string]int64{}
	for ev, e := range root.Stream(p.within(ctx), in) {
		if result != nil {
			r.problem("something comes after the result: %+v, %v", ev, e)
		}
		r.see(&ev, last)
		result, err = ev.Result, e
		r.events++
		if seen++; seen == count && result == nil {
			stopped = time.Now()
			if left = leave; left {
				break
			}
			cancel(errTreeStop)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	p.over = true
	if p.dead {
		stopped = p.died
	}
	if took := time.Since(stopped); !stopped.IsZero() && took > 100*time.Millisecond {
		r.problems = append(r.problems, fmt.Sprintf("it took %v to stop", took))
	}
	r.ended(p, cut, result, err, left)
}

var errTreeStop = errors.New("it is stopped")

// treeCause is why a run that is stopped ends.
func treeCause(cut *treeCut) error {
	if cut.kind == cutInterrupt {
		return quarry.ErrInterrupted
	}
	return errTreeStop
}

// ended checks how a process came to its end. The caller holds the lock.
func (r *treeRun) ended(p *treeProcess, cut *treeCut, result *quarry.Result, err error, left bool) {
	bad := func(why string) {
		r.problems = append(r.problems, fmt.Sprintf("%s: %+v, %v", why, result, err))
	}
	switch {
	case left:
		r.counts["stopped: leave"]++
		r.stops++
	case result == nil:
		bad("the stream ends without a result")
	case err == nil:
		if result.Subtype == session.Stopped || result.Session != "s" || !r.done {
			bad("it ended, and the result is wrong")
		}
	case p.dead:
		r.counts["stopped: "+treeCutNames[cut.kind]]++
		r.stops++
		r.crashes++
		if !errors.Is(err, errTreeCrash) || result.Subtype != session.Failed || result.Reason != session.ReasonJournal {
			bad("the store has died, and the result is wrong")
		}
	case cut == nil:
		bad("nobody has stopped it")
	default:
		r.counts["stopped: "+treeCutNames[cut.kind]]++
		r.stops++
		if result.Subtype != session.Stopped || result.Reason != session.ReasonCanceled ||
			!errors.Is(err, treeCause(cut)) {
			bad("it was stopped, and the result is wrong")
		}
	}
}

// see checks an event of the stream. Last is the last record of each session.
func (r *treeRun) see(ev *quarry.Event, last map[string]int64) {
	things := 0
	if ev.Record != nil {
		things++
		n := last[ev.Session]
		last[ev.Session] = ev.Record.Seq
		r.mu.Lock()
		durable := r.last[ev.Session]
		r.mu.Unlock()
		switch {
		case ev.Record.Seq > durable:
			r.problem("record %d of %s is shown before it is durable", ev.Record.Seq, ev.Session)
		case n > 0 && (ev.Record.Seq <= n || ev.Session == "s" && ev.Record.Seq != n+1):
			r.problem("record %d of %s is shown after %d", ev.Record.Seq, ev.Session, n)
		}
	}
	if ev.Delta != nil {
		things++
	}
	if ev.Result != nil {
		things++
	}
	if things != 1 {
		r.problem("an event has %d things in it: %+v", things, *ev)
	}
}
