package quarry_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/quarry-sdk/quarry"
)

// treePlan is a tree of agents and what befalls it, all made from a seed.
type treePlan struct {
	seed  uint64
	root  *treeNode
	nodes []*treeNode
	// cuts are the interruptions, in their order.
	cuts []treeCut
	// timed tells that there are limits of time, so that what a run comes to may
	// depend on when it was interrupted.
	timed bool
	// loose tells that agents work in the background, so that who is heard of first
	// depends on the timing.
	loose bool
	// modelTrouble and toolTrouble are how many of a hundred calls go wrong.
	modelTrouble, toolTrouble int
	// made are the tools that agents may have, by their names.
	made map[string]*quarry.Tool
}

// treeNode is an agent of the tree.
type treeNode struct {
	name     string
	level    int
	tools    []string
	children []*treeNode
	limits   quarry.Limits
	attempts int
	// submits tells that it has a tool that ends its run, falls that it has a
	// fallback, priced that it has prices of its own.
	submits, falls, priced bool
	// sends tells that its children are definitions, which its tool Agent sends, in
	// the background too.
	sends      bool
	compaction quarry.Compaction
}

// treeCutKind is a way to interrupt a run.
type treeCutKind int

const (
	cutCancel    treeCutKind = iota // the context ends at a time
	cutInterrupt                    // Agent.Interrupt at a time
	cutCount                        // the context ends after so many events
	cutLeave                        // the consumer leaves the stream after so many events
	cutCrash                        // the store dies, and keeps nothing of its last append
	cutCrashKept                    // the store dies after it has kept its last append
	cutKinds
)

var treeCutNames = [cutKinds]string{"cancel", "interrupt", "cancel by count", "leave", "crash before append", "crash after append"}

// treeCut interrupts a run at a part of what the uninterrupted one takes, and
// lets a time pass before the session goes on.
type treeCut struct {
	kind treeCutKind
	at   float64
	down time.Duration
}

// treeNever is a limit of time that no schedule reaches.
const treeNever = 10_000 * time.Hour

func newTreePlan(seed uint64, made map[string]*quarry.Tool) *treePlan {
	r := rand.New(rand.NewPCG(seed, 1))
	p := &treePlan{
		seed: seed, made: made, timed: r.IntN(4) == 0,
		modelTrouble: []int{0, 5, 15, 30}[r.IntN(4)], toolTrouble: []int{0, 10, 30, 50}[r.IntN(4)],
	}
	p.root = p.grow(r, "root", 0, r.IntN(4), r.IntN(3) > 0)
	p.loose = slices.ContainsFunc(p.nodes, func(n *treeNode) bool { return n.sends })
	for range []int{0, 1, 1, 2, 3, 5}[r.IntN(6)] {
		p.cuts = append(p.cuts, treeCut{treeCutKind(r.IntN(int(cutKinds))), r.Float64(), time.Duration(r.Int64N(int64(10 * time.Minute)))})
	}
	return p
}

// maxTreeNodes bounds the agents of a tree. A call may run any of them.
const maxTreeNodes = 8

// grow makes an agent with so many generations below it. Capped tells that it has
// limits that it may reach.
func (p *treePlan) grow(r *rand.Rand, name string, level, below int, capped bool) *treeNode {
	n := &treeNode{
		name: name, level: level, attempts: 6 + r.IntN(5),
		submits: r.IntN(5) == 0, falls: r.IntN(8) == 0, priced: level == 0 || r.IntN(2) == 0,
	}
	if r.IntN(8) == 0 {
		n.attempts = 1 + r.IntN(2)
	}
	p.nodes = append(p.nodes, n)
	for _, tool := range treeTools {
		if r.IntN(2) == 0 {
			n.tools = append(n.tools, tool.name)
		}
	}
	if capped {
		n.limits = randomLimits(r)
	}
	if n.limits.Timeout = treeNever; p.timed && (level == 0 || r.IntN(2) == 0) {
		n.limits.Timeout = time.Second + time.Duration(r.Int64N(int64(2*time.Minute)))
	}
	n.limits.Idle = 10*time.Second + time.Duration(r.Int64N(int64(time.Minute)))
	if r.IntN(6) == 0 {
		n.compaction = quarry.Compaction{Policy: quarry.DropResults{KeepLast: 1, MinTokens: 1}, Window: 200 + r.Int64N(400)}
		if r.IntN(2) == 0 {
			n.compaction.Policy = quarry.Summarize{KeepLast: 2}
		}
	}
	if n.sends = below > 0 && r.IntN(3) == 0; n.sends {
		below = 1
	}
	for i := 0; below > 0 && i < 1+r.IntN(2) && len(p.nodes) < maxTreeNodes; i++ {
		n.children = append(n.children, p.grow(r, fmt.Sprintf("%s%d", n.name, i), level+1, below-1, r.IntN(3) == 0))
	}
	if n.sends {
		for _, child := range n.children {
			child.defined(n)
		}
	}
	return n
}

// defined makes an agent what a definition of its parent can be.
func (n *treeNode) defined(parent *treeNode) {
	n.tools = slices.DeleteFunc(n.tools, func(name string) bool { return !slices.Contains(parent.tools, name) })
	n.submits, n.falls, n.priced, n.attempts, n.compaction = false, false, false, parent.attempts, quarry.Compaction{}
	if n.limits.USD > 0 {
		parent.priced = true
	}
}

// randomLimits are limits of which some are tight.
func randomLimits(r *rand.Rand) (l quarry.Limits) {
	set := func(percent int, limit *int64, least, most int64) {
		if r.IntN(100) < percent {
			*limit = least + r.Int64N(most-least+1)
		}
	}
	var turns, atOnce, depth, parallel, micros int64
	set(30, &turns, 1, 20)
	set(30, &l.ToolCalls, 1, 20)
	set(20, &l.Tokens, 200, 6000)
	set(15, &l.InputTokens, 200, 5000)
	set(15, &l.OutputTokens, 50, 1200)
	set(20, &l.Searches, 1, 4)
	set(20, &l.Fetches, 1, 4)
	set(30, &l.Children, 1, 6)
	set(40, &atOnce, 1, 4)
	set(30, &depth, 1, 3)
	set(30, &parallel, 1, 4)
	l.Turns, l.ChildrenAtOnce, l.Depth, l.ParallelTools = int(turns), int(atOnce), int(depth), int(parallel)
	if set(20, &micros, 500, 30_000); micros > 0 {
		l.USD = float64(micros) / 1e6
		if l.Tokens == 0 {
			l.Tokens = quarry.Unlimited
		}
	}
	return l
}

// chance makes choices that depend on the seed and on the names alone, whatever
// the timing.
func (p *treePlan) chance(names ...any) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprintln(h, names...)
	return rand.New(rand.NewPCG(p.seed, h.Sum64()))
}

// pause is a time that something takes: often none, rarely long.
func pause(r *rand.Rand) time.Duration {
	switch r.IntN(8) {
	case 0, 1:
		return 0
	case 2:
		return time.Duration(r.Int64N(int64(time.Minute)))
	}
	return time.Duration(r.Int64N(int64(3 * time.Second)))
}

// node finds an agent by its name.
func (p *treePlan) node(name string) *treeNode {
	for _, n := range p.nodes {
		if n.name == name {
			return n
		}
	}
	return nil
}
