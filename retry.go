package quarry

import (
	"errors"
	"fmt"
	"hash/fnv"
	"time"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
)

// Retry says how model calls that failed are repeated. Overload, rate limits,
// errors of the provider's servers, time-outs and broken connections are tried
// again; a wrong key, an empty account, a request that is not accepted and a
// refusal never are. Each further attempt is a record of the journal.
type Retry struct {
	// Attempts bounds how often one call is tried, fallbacks included. Defaults
	// to 10; 1 turns retrying off.
	Attempts int `json:"attempts"`
	// FallbackAfter is after how many failures in a row of one model the next
	// fallback takes over. Defaults to 3.
	FallbackAfter int `json:"fallback_after"`
	// MaxWait bounds the time before an attempt. A provider that asks to wait
	// longer is obeyed. Defaults to 1 minute.
	MaxWait time.Duration `json:"max_wait_ns"`
	// Wait is the time before the second attempt; it doubles with each one, and a
	// part of it that differs from session to session is left out, so that many
	// agents do not come back at the same moment. Defaults to 1 second.
	Wait time.Duration `json:"wait_ns"`
}

// DefaultRetry is the policy of an agent that sets none.
var DefaultRetry = Retry{Attempts: 10, FallbackAfter: 3, MaxWait: time.Minute, Wait: time.Second}

func (r *Retry) fill() {
	if r.Attempts == 0 {
		r.Attempts = DefaultRetry.Attempts
	}
	if r.FallbackAfter == 0 {
		r.FallbackAfter = DefaultRetry.FallbackAfter
	}
	if r.MaxWait == 0 {
		r.MaxWait = DefaultRetry.MaxWait
	}
	if r.Wait == 0 {
		r.Wait = DefaultRetry.Wait
	}
}

func (r *Retry) check() error {
	if r.Attempts < 0 || r.FallbackAfter < 0 || r.MaxWait < 0 || r.Wait < 0 {
		return errors.New("a value of Retry is negative; use 0 for its default")
	}
	return nil
}

// wait is the time before the attempt that follows the n-th failure of a turn.
// It is the same whenever the journal is folded.
func (r *Retry) wait(id string, turn, n int) time.Duration {
	d := r.MaxWait
	if n <= 32 && r.Wait<<(n-1) < r.MaxWait && r.Wait<<(n-1) > 0 {
		d = r.Wait << (n - 1)
	}
	h := fnv.New32a()
	fmt.Fprintf(h, "%s/%d/%d", id, turn, n)
	return d - d/2*time.Duration(h.Sum32()%1024)/1024
}

// attempts is where the loop stands with the call of the open turn.
type attempts struct {
	// failures counts those of the turn, row those of the present model since it
	// took over.
	failures, row int
	// fallback is which model is asked: 0 the agent's own, n its n-th fallback.
	fallback int
	// notBefore is when the next attempt is due, why what the last one failed of.
	notBefore time.Time
	why       string
}

// tryAgain decides whether a call that failed at the time now is repeated.
func (l *loop) tryAgain(e *model.Error, now time.Time) bool {
	policy, t := &l.agent.cfg.Retry, &l.tries
	t.failures++
	t.row++
	if !e.Retryable() || t.failures >= policy.Attempts {
		return false
	}
	t.why = string(e.Kind)
	if t.row >= policy.FallbackAfter && l.fallBack(t.why) {
		t.notBefore = time.Time{}
		l.result.Retries++
		return true
	}
	wait := max(policy.wait(l.id, l.turn, t.row), e.RetryAfter)
	t.notBefore = now.Add(wait)
	if t.notBefore.After(l.deadline()) {
		return false
	}
	l.result.Retries++
	return true
}

// fallBack lets the next fallback take over, if there is one.
func (l *loop) fallBack(why string) bool {
	t := &l.tries
	if t.fallback >= len(l.agent.cfg.Fallbacks) {
		return false
	}
	from := l.agent.model(t.fallback).Name()
	t.fallback++
	t.row, t.why, t.notBefore = 0, why, time.Time{}
	l.result.Fallbacks = append(l.result.Fallbacks, session.Fallback{
		Turn: l.turn, From: from, To: l.agent.model(t.fallback).Name(), Reason: why,
	})
	return true
}

// model returns the agent's model, or its n-th fallback.
func (a *Agent) model(n int) model.Model {
	if n > 0 && n <= len(a.cfg.Fallbacks) {
		return a.cfg.Fallbacks[n-1]
	}
	return a.cfg.Model
}
