package cli

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/quarry-sdk/quarry"
)

// flags are those that all commands share.
type flags struct {
	home  string
	json  bool
	jsonl bool
	quiet bool
	// prices is a file of prices, empty for none.
	prices string
}

func (f *flags) register(set *pflag.FlagSet) {
	set.StringVar(&f.home, "home", "", "folder of journals and indexes (default .quarry, or $QUARRY_HOME)")
	set.BoolVar(&f.json, "json", false, "print one JSON object and nothing else")
	set.BoolVar(&f.jsonl, "jsonl", false, "print every journal record as it happens, the result last")
	set.StringVar(&f.prices, "prices", "", "file of prices that replace the built-in ones (default $QUARRY_PRICES)")
	set.BoolVarP(&f.quiet, "quiet", "q", false, "print the result alone, no progress")
}

// machine tells whether stdout is for programs.
func (f *flags) machine() bool { return f.json || f.jsonl }

// runFlags are those of commands that run an agent.
type runFlags struct {
	model       string
	fallbacks   []string
	maxAttempts int
	maxTurns    int
	maxTokens   int64
	timeout     time.Duration
}

func (f *runFlags) register(set *pflag.FlagSet, turns int) {
	set.StringVarP(&f.model, "model", "m", "", `model, as PROVIDER/NAME: "anthropic/NAME" or "extractive" (default $QUARRY_MODEL; else Claude if ANTHROPIC_API_KEY is set, else extractive)`)
	set.StringArrayVar(&f.fallbacks, "fallback", nil, "model that takes over where the one before is overloaded or declines; may be given several times")
	set.IntVar(&f.maxAttempts, "max-attempts", quarry.DefaultRetry.Attempts, "how often one call of the model is tried, where it fails of overload, a rate limit or the connection")
	set.IntVar(&f.maxTurns, "max-turns", turns, "how often the model may be asked")
	set.Int64Var(&f.maxTokens, "max-tokens", 2_000_000, "tokens in and out, all calls together")
	set.DurationVar(&f.timeout, "timeout", 15*time.Minute, "time to work on the question")
}

// limits are what the flags come to.
func (f *runFlags) limits() quarry.Limits {
	return quarry.Limits{Turns: f.maxTurns, Tokens: f.maxTokens, Timeout: f.timeout}
}

func (f *runFlags) check() error {
	if f.maxAttempts < 1 {
		return usagef("--max-attempts is %d; it must be at least 1", f.maxAttempts)
	}
	if f.maxTurns < 1 {
		return usagef("--max-turns is %d; it must be at least 1", f.maxTurns)
	}
	if f.maxTokens < 1 {
		return usagef("--max-tokens is %d; it must be at least 1", f.maxTokens)
	}
	if f.timeout <= 0 {
		return usagef("--timeout is %v; it must be above zero, such as 5m", f.timeout)
	}
	return nil
}
