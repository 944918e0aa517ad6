package web

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// pacer lets requests begin: not too many at once, not too many to one host, not
// too soon after each other, and not before a host wants to be asked again.
type pacer struct {
	interval, maxWait time.Duration
	perHost           int
	total             chan struct{}

	mu    sync.Mutex
	hosts map[string]*hostPace
}

type hostPace struct {
	slots chan struct{}
	// users are those who wait for the host or talk to it.
	users int
	// next is when the next request may begin, and until when the host wants to be
	// left alone.
	next, until time.Time
}

func newPacer(c Config) *pacer {
	return &pacer{
		interval: c.HostInterval, maxWait: c.MaxWait, perHost: c.HostConcurrency,
		total: make(chan struct{}, c.MaxConcurrency), hosts: make(map[string]*hostPace),
	}
}

// waitError is returned where a request would have to wait too long.
type waitError struct{ until time.Time }

func (e *waitError) Error() string {
	return fmt.Sprintf("the host asked to be left alone until %s", e.until.UTC().Format(time.RFC3339))
}

// begin waits until a request to a host may begin, and returns a function to call
// at its end. Delay is the least time between requests that the host asks for. The
// error is a *waitError or the cause of the context's end.
func (p *pacer) begin(ctx context.Context, host string, delay time.Duration) (end func(), err error) {
	h := p.enter(host)
	if err := take(ctx, h.slots); err != nil {
		p.leave(h)
		return nil, err
	}
	if err := p.wait(ctx, h, max(delay, p.interval)); err != nil {
		<-h.slots
		p.leave(h)
		return nil, err
	}
	if err := take(ctx, p.total); err != nil {
		<-h.slots
		p.leave(h)
		return nil, err
	}
	return sync.OnceFunc(func() {
		<-p.total
		<-h.slots
		p.leave(h)
	}), nil
}

// wait waits for the turn of a request at a host.
func (p *pacer) wait(ctx context.Context, h *hostPace, interval time.Duration) error {
	var turn time.Time
	for {
		p.mu.Lock()
		now := time.Now()
		if h.until.Sub(now) > p.maxWait {
			defer p.mu.Unlock()
			return &waitError{h.until}
		}
		if turn.IsZero() { // take the next turn, and keep it
			turn = latest(now, h.next)
			h.next = turn.Add(interval)
		}
		start := latest(turn, h.until)
		p.mu.Unlock()
		if !start.After(now) {
			return nil
		}
		if err := sleep(ctx, start.Sub(now)); err != nil {
			return err
		}
	}
}

// leaveAlone keeps requests from a host until a time.
func (p *pacer) leaveAlone(host string, until time.Time) {
	h := p.enter(host)
	p.mu.Lock()
	h.until = latest(h.until, until)
	p.mu.Unlock()
	p.leave(h)
}

func (p *pacer) enter(host string) *hostPace {
	p.mu.Lock()
	defer p.mu.Unlock()
	h, ok := p.hosts[host]
	if !ok {
		if len(p.hosts) >= 1024 {
			p.sweep()
		}
		h = &hostPace{slots: make(chan struct{}, p.perHost)}
		p.hosts[host] = h
	}
	h.users++
	return h
}

func (p *pacer) leave(h *hostPace) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h.users--
}

// sweep forgets the hosts that nothing is remembered of; p.mu is held.
func (p *pacer) sweep() {
	now := time.Now()
	for name, h := range p.hosts {
		if h.users == 0 && !h.next.After(now) && !h.until.After(now) {
			delete(p.hosts, name)
		}
	}
}

func take(ctx context.Context, slots chan struct{}) error {
	select {
	case slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
