package quarry

import (
	"fmt"
	"time"
)

// Limits bound one prompt. Sensible ones are on by default.
type Limits struct {
	// ParallelTools bounds the tools that run at the same time. Defaults to 8.
	ParallelTools int `json:"parallel_tools"`
	// Timeout bounds the time worked on the prompt, downtime left out. Defaults
	// to 15 minutes.
	Timeout time.Duration `json:"timeout_ns"`
	// Tokens bounds the tokens of all responses together, in and out, cached
	// ones included; it is checked before each call, so that the last one may
	// cross it. Defaults to 2,000,000.
	Tokens int64 `json:"tokens"`
	// Turns bounds the calls of the model. Defaults to 50.
	Turns int `json:"turns"`
}

// DefaultLimits are the limits of a prompt that sets none.
var DefaultLimits = Limits{ParallelTools: 8, Timeout: 15 * time.Minute, Tokens: 2_000_000, Turns: 50}

func (l *Limits) fill(defaults *Limits) {
	if l.ParallelTools == 0 {
		l.ParallelTools = defaults.ParallelTools
	}
	if l.Timeout == 0 {
		l.Timeout = defaults.Timeout
	}
	if l.Tokens == 0 {
		l.Tokens = defaults.Tokens
	}
	if l.Turns == 0 {
		l.Turns = defaults.Turns
	}
}

func (l *Limits) check() error {
	if l.ParallelTools < 0 || l.Timeout < 0 || l.Tokens < 0 || l.Turns < 0 {
		return fmt.Errorf("a limit is negative: %+v; use 0 for its default", *l)
	}
	return nil
}
