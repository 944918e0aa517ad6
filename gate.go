package quarry

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/quarry-sdk/quarry/model"
)

// circuitOpen is the code of the error of a call that was not made, because the
// circuit of its provider is open.
const circuitOpen = "circuit_open"

// The circuit of a provider: how many failures in a row open it, and for how
// long at first and at most.
const (
	circuitFailures = 5
	circuitWait     = 5 * time.Second
	circuitMaxWait  = 2 * time.Minute
)

// Gate is what agents share that use one key: when a provider asks one of them
// to wait, all wait; and when its calls keep failing, it is left alone for a
// while, in which calls fail at once. The zero value is ready. It must not be
// copied.
type Gate struct {
	mu        sync.Mutex
	providers map[string]*circuit
}

// circuit is the state of one provider.
type circuit struct {
	// until is when calls may go out again after a rate limit.
	until time.Time
	// failures counts those in a row. From circuitFailures on the circuit is open
	// until opens; then one call is let through as a probe.
	failures int
	opens    time.Time
	probing  bool
}

// pass waits until a call of the provider may go out. It fails with the cause of
// ctx, or with a *model.Error where the provider is being left alone.
func (g *Gate) pass(ctx context.Context, provider string) error {
	for {
		wait, err := g.ask(provider, time.Now())
		if err != nil || wait <= 0 {
			return err
		}
		if err := sleepUntil(ctx, time.Now().Add(wait)); err != nil {
			return err
		}
	}
}

// ask returns how long to wait; a call may go out where that is 0.
func (g *Gate) ask(provider string, now time.Time) (time.Duration, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	c := g.providers[provider]
	if c == nil {
		return 0, nil
	}
	if wait := c.until.Sub(now); wait > 0 {
		return wait, nil
	}
	if c.failures < circuitFailures {
		return 0, nil
	}
	if wait := c.opens.Sub(now); wait > 0 || c.probing {
		wait = max(wait, time.Second) // the probe needs its time
		return 0, &model.Error{
			Kind: model.ErrOverloaded, Code: circuitOpen, Provider: provider, RetryAfter: wait,
			Message: fmt.Sprintf("not asked: its last %d calls failed", c.failures),
		}
	}
	c.probing = true
	return 0, nil
}

// settle takes note of what a call came to: an error, nil for an answer.
func (g *Gate) settle(provider string, e *model.Error, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	c := g.providers[provider]
	if c == nil {
		if e == nil {
			return
		}
		c = &circuit{}
		if g.providers == nil {
			g.providers = make(map[string]*circuit)
		}
		g.providers[provider] = c
	}
	c.probing = false
	switch {
	case e == nil || !e.Retryable():
		c.failures = 0
	case e.Kind == model.ErrRateLimited:
		// The provider is there; it only wants a pause.
		c.failures = 0
		if until := now.Add(e.RetryAfter); until.After(c.until) {
			c.until = until
		}
	default:
		c.failures++
		if n := c.failures - circuitFailures; n >= 0 {
			c.opens = now.Add(min(circuitWait<<min(n, 10), circuitMaxWait))
		}
	}
}

// abandon takes note of a call that ended without an outcome.
func (g *Gate) abandon(provider string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c := g.providers[provider]; c != nil {
		c.probing = false
	}
}

// providerOf is the part of a model's name before the first slash.
func providerOf(m model.Model) string {
	provider, _, _ := strings.Cut(m.Name(), "/")
	return provider
}

// sleepUntil waits for a time, or for the end of ctx.
func sleepUntil(ctx context.Context, at time.Time) error {
	wait := time.Until(at)
	if wait <= 0 {
		return nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
