package cli

import (
	"math"
	"time"

	"github.com/spf13/pflag"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/session"
)

// flags are those that all commands share.
type flags struct {
	home  string
	json  bool
	jsonl bool
	quiet bool
	// prices is a file of prices, empty for none.
	prices string
	// baseURL is the address of the model's server, empty for the provider's own.
	baseURL string
}

func (f *flags) register(set *pflag.FlagSet) {
	set.StringVar(&f.baseURL, "base-url", "", "address of the model's server, such as http://localhost:11434/v1 for chat/NAME (default the provider's)")
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

	maxTurns        int
	maxTokens       int64
	maxInputTokens  int64
	maxOutputTokens int64
	maxUSD          float64
	maxToolCalls    int64
	maxSearches     int64
	maxFetches      int64
	timeout         time.Duration
	idle            time.Duration

	// set knows which flags were given; nil where there were none to give.
	set *pflag.FlagSet
}

// The flags of limits that an agent has only where they are given: others depend
// on them.
const (
	flagTokens       = "max-tokens"
	flagInputTokens  = "max-input-tokens"
	flagOutputTokens = "max-output-tokens"
	flagUSD          = "max-usd"
)

func (f *runFlags) register(set *pflag.FlagSet, turns int) {
	f.set = set
	limits := &quarry.DefaultLimits
	set.StringVarP(&f.model, "model", "m", "", `model, as PROVIDER/NAME: "anthropic/NAME" or "extractive" (default $QUARRY_MODEL; else Claude if ANTHROPIC_API_KEY is set, else extractive)`)
	set.StringArrayVar(&f.fallbacks, "fallback", nil, "model that takes over where the one before is overloaded or declines; may be given several times")
	set.IntVar(&f.maxAttempts, "max-attempts", quarry.DefaultRetry.Attempts, "how often one call of the model is tried, where it fails of overload, a rate limit or the connection")
	set.IntVar(&f.maxTurns, "max-turns", turns, "how often the model may be asked")
	set.Int64Var(&f.maxTokens, flagTokens, limits.Tokens, "tokens in and out, all calls together")
	set.Int64Var(&f.maxInputTokens, flagInputTokens, 0, "tokens in, cached ones included (default no limit of their own)")
	set.Int64Var(&f.maxOutputTokens, flagOutputTokens, 0, "tokens out (default no limit of their own)")
	set.Float64Var(&f.maxUSD, flagUSD, limits.USD, "what the models may cost in USD; the default holds where all their prices are known")
	set.Int64Var(&f.maxToolCalls, "max-tool-calls", limits.ToolCalls, "tool calls that are run")
	set.Int64Var(&f.maxSearches, "max-searches", limits.Searches, "searches that are made, the provider's own included")
	set.Int64Var(&f.maxFetches, "max-fetches", limits.Fetches, "documents and pages that are fetched")
	set.DurationVar(&f.timeout, "timeout", limits.Timeout, "time to work on the question")
	set.DurationVar(&f.idle, "idle-timeout", limits.Idle, "time in which a model that was asked may send nothing")
}

// changed tells whether a flag was given.
func (f *runFlags) changed(name string) bool { return f.set != nil && f.set.Changed(name) }

// limits are what the flags come to.
func (f *runFlags) limits() quarry.Limits {
	l := quarry.Limits{
		Fetches: f.maxFetches, Idle: f.idle, InputTokens: f.maxInputTokens, OutputTokens: f.maxOutputTokens,
		Searches: f.maxSearches, Timeout: f.timeout, ToolCalls: f.maxToolCalls, Turns: f.maxTurns,
	}
	if f.changed(flagTokens) {
		l.Tokens = f.maxTokens
	}
	if f.changed(flagUSD) {
		l.USD = f.maxUSD
	}
	return l
}

func (f *runFlags) check() error {
	for _, flag := range []struct {
		name  string
		value int64
		given bool
	}{
		{"max-attempts", int64(f.maxAttempts), true},
		{"max-turns", int64(f.maxTurns), true},
		{flagTokens, f.maxTokens, true},
		{flagInputTokens, f.maxInputTokens, f.changed(flagInputTokens)},
		{flagOutputTokens, f.maxOutputTokens, f.changed(flagOutputTokens)},
		{"max-tool-calls", f.maxToolCalls, true},
		{"max-searches", f.maxSearches, true},
		{"max-fetches", f.maxFetches, true},
	} {
		if flag.given && flag.value < 1 {
			return usagef("--%s is %d; it must be at least 1", flag.name, flag.value)
		}
	}
	if f.maxUSD <= 0 || math.IsNaN(f.maxUSD) || math.IsInf(f.maxUSD, 0) || session.USD(f.maxUSD) == 0 {
		return usagef("--%s is %v; it must be above zero, such as 0.50", flagUSD, f.maxUSD)
	}
	if f.timeout <= 0 {
		return usagef("--timeout is %v; it must be above zero, such as 5m", f.timeout)
	}
	if f.idle <= 0 {
		return usagef("--idle-timeout is %v; it must be above zero, such as 3m", f.idle)
	}
	return nil
}
