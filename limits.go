package quarry

import (
	"fmt"
	"time"

	"github.com/quarry-sdk/quarry/session"
)

// Unlimited is the value of a limit that is turned off.
const Unlimited = session.Unbounded

// Limits bound each prompt. Sensible ones are on by default; Unlimited turns
// one of those off that count something.
//
// Those that count cover the whole tree: what child sessions use counts too.
// Each is reserved before a call and settled after it, so that it is overshot by
// no more than one call of each session at work. Where turns, tokens or money are used up, the
// run ends; where calls of tools are, each further one is refused, and the model
// is told to finish with what it has.
type Limits struct {
	// Children bounds the child sessions in all. Defaults to 100.
	Children int64 `json:"children"`
	// ChildrenAtOnce bounds those of one session that work at the same time; more
	// wait. Defaults to 8.
	ChildrenAtOnce int `json:"children_at_once"`
	// Depth bounds the generations of children. Defaults to 3.
	Depth int `json:"depth"`
	// Fetches bounds the calls of tools that count as fetches. Defaults to 200.
	Fetches int64 `json:"fetches"`
	// Idle bounds the time in which a model that has been asked sends nothing.
	// Defaults to 3 minutes.
	Idle time.Duration `json:"idle_ns"`
	// InputTokens and OutputTokens bound the tokens that are sent, cached ones
	// included, and those that come back. They default to Unlimited: Tokens bounds
	// both.
	InputTokens  int64 `json:"input_tokens"`
	OutputTokens int64 `json:"output_tokens"`
	// ParallelTools bounds the tools that run at the same time. Defaults to 8.
	ParallelTools int `json:"parallel_tools"`
	// Searches bounds the calls of tools that count as searches. Those that the
	// provider makes by itself are counted, and bounded by their own MaxUses only.
	// Defaults to 200.
	Searches int64 `json:"searches"`
	// Timeout bounds the time worked on the prompt, downtime left out; children are
	// stopped with their parent. Defaults to 15 minutes.
	Timeout time.Duration `json:"timeout_ns"`
	// Tokens bounds the tokens of all responses together, in and out, cached
	// ones included. Defaults to 2,000,000.
	Tokens int64 `json:"tokens"`
	// ToolCalls bounds the tool calls that are run. Defaults to 500.
	ToolCalls int64 `json:"tool_calls"`
	// Turns bounds the calls of the model. Defaults to 50.
	Turns int `json:"turns"`
	// USD bounds what the models cost, by Config.Prices. It defaults to 10 where
	// the prices of all the agent's models are known, and to Unlimited otherwise;
	// to set it where they are not is an error, unless a limit of tokens is set too,
	// which then takes its place.
	USD float64 `json:"usd"`
}

// DefaultLimits are the limits of a prompt that sets none.
var DefaultLimits = Limits{
	Children: 100, ChildrenAtOnce: 8, Depth: 3, Fetches: 200, Idle: 3 * time.Minute,
	InputTokens: Unlimited, OutputTokens: Unlimited, ParallelTools: 8, Searches: 200,
	Timeout: 15 * time.Minute, Tokens: 2_000_000, ToolCalls: 500, Turns: 50, USD: 10,
}

func (l *Limits) fill(defaults *Limits) {
	orDefault(&l.Children, defaults.Children)
	orDefault(&l.ChildrenAtOnce, defaults.ChildrenAtOnce)
	orDefault(&l.Depth, defaults.Depth)
	orDefault(&l.Fetches, defaults.Fetches)
	orDefault(&l.Idle, defaults.Idle)
	orDefault(&l.InputTokens, defaults.InputTokens)
	orDefault(&l.OutputTokens, defaults.OutputTokens)
	orDefault(&l.ParallelTools, defaults.ParallelTools)
	orDefault(&l.Searches, defaults.Searches)
	orDefault(&l.Timeout, defaults.Timeout)
	orDefault(&l.Tokens, defaults.Tokens)
	orDefault(&l.ToolCalls, defaults.ToolCalls)
	orDefault(&l.Turns, defaults.Turns)
	orDefault(&l.USD, defaults.USD)
}

func orDefault[T comparable](v *T, or T) {
	var zero T
	if *v == zero {
		*v = or
	}
}

func (l *Limits) check() error {
	if l.ChildrenAtOnce < 0 || l.Depth < 0 || l.ParallelTools < 0 || l.Timeout < 0 || l.Idle < 0 {
		return fmt.Errorf("a limit is negative: %+v; use 0 for its default", *l)
	}
	a := l.amounts()
	for i := range session.Quantities {
		if q := &session.Quantities[i]; *q.Of(&a) < Unlimited {
			return fmt.Errorf("the limit of %s is negative; use 0 for its default, and Unlimited for none", q.Name)
		}
	}
	return nil
}

// amounts are the limits of what is counted.
func (l *Limits) amounts() session.Amounts {
	a := session.Amounts{
		Turns: int64(l.Turns), ToolCalls: l.ToolCalls, Tokens: l.Tokens, InputTokens: l.InputTokens, OutputTokens: l.OutputTokens,
		Searches: l.Searches, Fetches: l.Fetches, Children: l.Children, USD: session.Unbounded,
	}
	switch {
	case l.USD >= 0:
		a.USD = session.USD(l.USD)
	case l.USD != Unlimited:
		a.USD = -2
	}
	return a
}

// budget is what the agent may use for a prompt where nobody gives it less.
func (l *Limits) budget() session.Budget {
	return session.Budget{Amounts: l.amounts(), Depth: l.Depth}
}
