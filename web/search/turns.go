package search

import (
	"context"
	"sync"
	"time"
)

// turns tells when a provider may be asked.
type turns struct {
	interval time.Duration

	mu   sync.Mutex
	next time.Time // the earliest start of a request
}

// take takes the next turn, and returns how long to wait for it. It takes none if
// that is longer than most.
func (t *turns) take(most time.Duration) (wait time.Duration, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	start := now
	if t.next.After(now) {
		start = t.next
	}
	if wait = start.Sub(now); wait > most {
		return wait, false
	}
	t.next = start.Add(t.interval)
	return wait, true
}

// How long a provider is left alone that does not say.
const (
	restRateLimited = 10 * time.Second
	restAccount     = 10 * time.Minute
	restMost        = time.Hour
)

// rest leaves the provider alone after an error that asking again would not mend.
func (t *turns) rest(e *Error) {
	wait := e.RetryAfter
	switch e.Kind {
	case KindRateLimited:
		if wait == 0 {
			wait = restRateLimited
		}
	case KindAuth, KindQuota:
		wait = max(wait, restAccount)
	}
	if wait == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if until := time.Now().Add(min(wait, restMost)); until.After(t.next) {
		t.next = until
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
