package quarry

import (
	"errors"
	"testing"
	"time"

	"github.com/quarry-sdk/quarry/model"
)

func TestGate(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 5, 9, 0, 0, 0, time.UTC)
	overloaded := &model.Error{Kind: model.ErrOverloaded}
	// A step settles a call, lets time pass, and asks for the next one.
	type step struct {
		settle  *model.Error
		ok      bool // settle an answer
		pass    time.Duration
		wait    time.Duration
		refused time.Duration // the Retry-After of a call that is not let out
	}
	fails := func(n int) []step {
		steps := make([]step, n)
		for i := range steps {
			steps[i] = step{settle: overloaded}
		}
		return steps
	}
	tests := []struct {
		name  string
		steps []step
	}{
		{"nothing has happened", []step{{}}},
		{"failures below the threshold", fails(circuitFailures - 1)},
		{"a rate limit makes all wait", []step{
			{settle: &model.Error{Kind: model.ErrRateLimited, RetryAfter: 30 * time.Second}, pass: 10 * time.Second, wait: 20 * time.Second},
			{pass: 20 * time.Second},
		}},
		{"a shorter rate limit does not shorten a longer one", []step{
			{settle: &model.Error{Kind: model.ErrRateLimited, RetryAfter: 30 * time.Second}, wait: 30 * time.Second},
			{settle: &model.Error{Kind: model.ErrRateLimited, RetryAfter: time.Second}, wait: 30 * time.Second},
		}},
		{"the circuit opens, lets one probe through, and closes after an answer", append(fails(circuitFailures-1),
			step{settle: overloaded, refused: circuitWait},
			step{pass: circuitWait / 2, refused: circuitWait / 2},
			step{pass: circuitWait / 2}, // the probe
			step{refused: time.Second},
			step{ok: true},
		)},
		{"a probe that fails opens it for longer", append(fails(circuitFailures-1),
			step{settle: overloaded, refused: circuitWait},
			step{pass: circuitWait},
			step{settle: overloaded, refused: 2 * circuitWait},
		)},
		{"an error of the request is an answer", append(fails(circuitFailures-1),
			step{settle: &model.Error{Kind: model.ErrInvalidRequest}},
			step{settle: overloaded},
		)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var g Gate
			now := now
			for i, s := range test.steps {
				if s.settle != nil || s.ok {
					g.settle("p", s.settle, now)
				}
				now = now.Add(s.pass)
				wait, err := g.ask("p", now)
				var refused time.Duration
				var e *model.Error
				if errors.As(err, &e) {
					refused = e.RetryAfter
				}
				if wait != s.wait || refused != s.refused || (err == nil) != (s.refused == 0) {
					t.Errorf("step %d: wait %v, refused for %v (%v); want %v and %v", i, wait, refused, err, s.wait, s.refused)
				}
				if other, err := g.ask("other", now); other != 0 || err != nil {
					t.Errorf("step %d: another provider waits %v (%v)", i, other, err)
				}
			}
		})
	}
}

func TestRetryWait(t *testing.T) {
	t.Parallel()
	policy := Retry{Wait: time.Second, MaxWait: 20 * time.Second}
	for n := 1; n <= 100; n++ {
		full := policy.MaxWait
		if n <= 5 {
			full = time.Second << (n - 1)
		}
		d := policy.wait("s", 1, n)
		if d <= full/2 || d > full {
			t.Errorf("the wait after failure %d is %v; want more than half of %v and not more than it", n, d, full)
		}
		if d != policy.wait("s", 1, n) {
			t.Errorf("the wait after failure %d is not always the same", n)
		}
	}
	if policy.wait("s", 1, 1) == policy.wait("t", 1, 1) {
		t.Error("two sessions wait for the same time")
	}
}
