package web

import (
	"context"
	"sync"
)

// flights lets callers that want the same thing at the same time share one run of
// the work. A caller that leaves does not stop the others; the work is cancelled
// when the last one has left.
type flights[T any] struct {
	mu   sync.Mutex
	runs map[string]*flight[T]
}

type flight[T any] struct {
	waiters int
	cancel  context.CancelCauseFunc
	done    chan struct{}
	value   T
	err     error
	panic   any
}

// do returns what work returns, run for this caller or for one that came before.
// The values of the context are those of the first. A panic of work reaches all.
func (f *flights[T]) do(ctx context.Context, key string, work func(context.Context) (T, error)) (T, error) {
	var zero T
	if err := ctx.Err(); err != nil {
		return zero, context.Cause(ctx)
	}
	f.mu.Lock()
	run, ok := f.runs[key]
	if !ok {
		run = f.start(ctx, key, work)
	}
	run.waiters++
	f.mu.Unlock()

	select {
	case <-run.done:
	case <-ctx.Done():
		f.mu.Lock()
		run.waiters--
		last := run.waiters == 0
		if last && f.runs[key] == run {
			delete(f.runs, key) // whoever comes now starts anew
		}
		f.mu.Unlock()
		if last {
			run.cancel(context.Cause(ctx))
			<-run.done
		}
		return zero, context.Cause(ctx)
	}
	if run.panic != nil {
		panic(run.panic)
	}
	return run.value, run.err
}

// start begins the work in a goroutine that the last waiter waits for; f.mu is held.
func (f *flights[T]) start(ctx context.Context, key string, work func(context.Context) (T, error)) *flight[T] {
	shared, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	run := &flight[T]{cancel: cancel, done: make(chan struct{})}
	if f.runs == nil {
		f.runs = make(map[string]*flight[T])
	}
	f.runs[key] = run
	go func() {
		defer close(run.done)
		defer cancel(nil)
		defer func() {
			run.panic = recover()
			f.mu.Lock()
			defer f.mu.Unlock()
			if f.runs[key] == run {
				delete(f.runs, key)
			}
		}()
		run.value, run.err = work(shared)
	}()
	return run
}
