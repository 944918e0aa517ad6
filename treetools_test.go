package quarry_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/quarry-sdk/quarry"
)

// treeIn is what the tools of the tree take.
type treeIn struct {
	K string `json:"k"`
	N int    `json:"n"`
}

// treeTool is a kind of tool.
type treeTool struct {
	name       string
	effect     quarry.Effect
	counts     quarry.Count
	idempotent bool
	reconciles bool
}

// once tells that a call must not be performed twice.
func (k *treeTool) once() bool {
	return k.effect != quarry.ReadOnly && !k.idempotent && !k.reconciles
}

// treeTools are the kinds of tools that an agent of the tree may have.
var treeTools = []treeTool{
	{name: "read", effect: quarry.ReadOnly},
	{name: "search", effect: quarry.ReadOnly, counts: quarry.CountSearch},
	{name: "fetch", effect: quarry.ReadOnly, counts: quarry.CountFetch},
	{name: "write", effect: quarry.Keyed},
	{name: "save", effect: quarry.Keyed, idempotent: true},
	{name: "send", effect: quarry.Keyed, reconciles: true},
	{name: "pay", effect: quarry.Exclusive},
	{name: "post", effect: quarry.Exclusive, reconciles: true},
}

// treeToolTimeout bounds the calls of every tool of the tree.
const treeToolTimeout = 30 * time.Second

// agent makes the agent of a node, and those below it, for this process.
func (p *treeProcess) agent(t *testing.T, node *treeNode) *quarry.Agent {
	cfg := quarry.Config{
		Compaction: node.compaction, Limits: node.limits, Model: p.model(node, "tree/"+node.name),
		Name: node.name, Retry: quarry.Retry{Attempts: node.attempts}, Store: p.store,
	}
	if node.priced || node.limits.USD > 0 {
		cfg.Prices = treePrices{}
	}
	if node.falls {
		cfg.Fallbacks = append(cfg.Fallbacks, p.model(node, "spare/"+node.name))
	}
	for _, name := range node.tools {
		cfg.Tools = append(cfg.Tools, p.world.plan.made[name])
	}
	if node.submits {
		cfg.Tools = append(cfg.Tools, p.world.plan.made["submit"])
	}
	for _, child := range node.children {
		if node.sends {
			cfg.Agents = append(cfg.Agents, p.definition(t, child))
			continue
		}
		cfg.Tools = append(cfg.Tools, quarry.AgentTool(quarry.ToolSpec{Name: "ask_" + child.name}, p.agent(t, child)))
	}
	agent := newAgent(t, cfg)
	p.agents[node.name] = agent
	return agent
}

// definition is the agent of a node for a tool that sends it. An agent of the same
// make stands for it where its sessions are looked at.
func (p *treeProcess) definition(t *testing.T, node *treeNode) quarry.AgentDefinition {
	p.agent(t, node)
	d := quarry.AgentDefinition{Name: node.name, Description: "Does a part.", Limits: node.limits, Model: p.model(node, "tree/"+node.name), Tools: []string{}}
	d.Tools = append(d.Tools, node.tools...)
	return d
}

// makeTreeTools makes the tools of all trees, by their names. They find the
// process that they work for in their context.
func makeTreeTools() map[string]*quarry.Tool {
	made := map[string]*quarry.Tool{}
	for i := range treeTools {
		kind := &treeTools[i]
		spec := quarry.ToolSpec{
			Counts: kind.counts, Effect: kind.effect, Idempotent: kind.idempotent, Name: kind.name, Timeout: treeToolTimeout,
		}
		if kind.effect == quarry.Keyed {
			spec.KeyField = "k"
		}
		if kind.reconciles {
			spec.Reconcile = func(ctx context.Context, _ json.RawMessage) (any, bool, error) {
				return processOf(ctx).reconcile(ctx, kind)
			}
		}
		made[kind.name] = quarry.NewTool(spec, func(ctx context.Context, _ treeIn) (string, error) {
			return processOf(ctx).perform(ctx, kind)
		})
	}
	spec := quarry.ToolSpec{EndsRun: true, Idempotent: true, MaxTries: 2, Name: "submit", Timeout: treeToolTimeout}
	made[spec.Name] = quarry.NewTool(spec, func(ctx context.Context, in treeIn) (treeIn, error) {
		return processOf(ctx).submit(ctx, in)
	})
	return made
}

type treeKey struct{}

// within returns a context that names the process.
func (p *treeProcess) within(ctx context.Context) context.Context {
	return context.WithValue(ctx, treeKey{}, p)
}

func processOf(ctx context.Context) *treeProcess { return ctx.Value(treeKey{}).(*treeProcess) }

// submit is the tool that ends a run. It is fussy.
func (p *treeProcess) submit(ctx context.Context, in treeIn) (treeIn, error) {
	call, _ := quarry.CallFrom(ctx)
	p.world.begun(p, call, &treeTool{name: "submit", idempotent: true})
	if err := sleepFor(ctx, min(pause(p.world.plan.chance("submit", call.Key)), time.Second)); err != nil {
		return in, err
	}
	if in.N == 0 {
		return in, errors.New("that is not good enough")
	}
	return in, nil
}

// What a tool does that goes wrong.
const (
	toolFine = iota
	toolFails
	toolPanics
	toolExits // it ends its goroutine
	toolDeaf  // it ignores its context for a while
	toolSlow  // it takes longer than it may
	toolSlowAndDeaf
	toolKinds
)

var toolTroubles = [toolKinds]string{"", "error", "panic", "exit", "deaf", "over its time", "over its time and deaf"}

// perform is what a tool does: it takes a time, has its effect, and takes a time
// again. What that comes to depends on the call's key alone.
func (p *treeProcess) perform(ctx context.Context, kind *treeTool) (string, error) {
	call, _ := quarry.CallFrom(ctx)
	w := p.world
	if !w.begun(p, call, kind) {
		return "", errors.New("the process is gone")
	}
	r := w.plan.chance("tool", call.Key)
	trouble := toolFine
	if r.IntN(100) < w.plan.toolTrouble {
		trouble = 1 + r.IntN(toolKinds-1)
		w.count("tool: " + toolTroubles[trouble])
	}
	before, after := min(pause(r), 10*time.Second), min(pause(r), 10*time.Second)
	deaf := trouble == toolDeaf || trouble == toolSlowAndDeaf
	if trouble >= toolSlow {
		// One that had its effect is done when it is asked, over its time or not.
		if kind.reconciles || r.IntN(2) == 0 {
			before += treeToolTimeout + time.Second
		} else {
			after += treeToolTimeout + time.Second
		}
	}
	if trouble == toolDeaf {
		after += time.Second
	}
	// A tool that can be asked whether it took effect does not do so once it is
	// told to stop.
	if err := p.wait(ctx, before, deaf && !kind.reconciles); err != nil {
		return "", err
	}
	switch trouble {
	case toolFails:
		return "", fmt.Errorf("%s has no luck with %s", kind.name, call.Key)
	case toolPanics:
		panic("the tool is broken")
	case toolExits:
		runtime.Goexit()
	}
	if !w.effect(p, call.Key) {
		return "", errors.New("the process is gone")
	}
	if err := p.wait(ctx, after, deaf); err != nil {
		return "", err
	}
	return treeOutput(kind, call.Key), nil
}

func (p *treeProcess) wait(ctx context.Context, d time.Duration, deaf bool) error {
	if deaf {
		time.Sleep(d)
		return nil
	}
	return sleepFor(ctx, d)
}

func treeOutput(kind *treeTool, key string) string { return kind.name + " has done " + key }

// reconcile tells whether a call took effect. Now and then it does not know.
func (p *treeProcess) reconcile(ctx context.Context, kind *treeTool) (any, bool, error) {
	call, _ := quarry.CallFrom(ctx)
	w := p.world
	w.count("tool: reconciled")
	r := w.plan.chance("reconcile", call.Key)
	if err := sleepFor(ctx, min(pause(r), 10*time.Second)); err != nil {
		return nil, false, err
	}
	if r.IntN(10) == 0 {
		return nil, false, errors.New("the ledger is closed")
	}
	return treeOutput(kind, call.Key), w.happened(call.Key), nil
}
