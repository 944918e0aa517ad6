package eval

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// Options are the settings of a run. The zero value is the documented default.
type Options struct {
	// DeclineByText takes an answer to an unanswerable question for declined where
	// its text passes the question's patterns: for systems without a flag.
	DeclineByText bool
	// Parallel bounds the questions asked at the same time. Defaults to 2.
	Parallel int
	// Search ranks documents for a query, for the recall of search alone. Nil
	// leaves recall out.
	Search func(ctx context.Context, query string, k int) ([]string, error)
	// Text returns the text of a document to check quotes against. It should come
	// from another extractor than the system's own, such as [PageText]. Nil leaves
	// quote validity out.
	Text func(ctx context.Context, docID string) (string, error)
}

// recallDepth is how many hits recall looks at.
const recallDepth = 10

// Run asks every question and scores the answers. An error of answer is kept in
// the question's item and counts as a wrong answer; Run itself fails only when
// ctx ends or Options.Search or Options.Text do.
func Run(ctx context.Context, set Set, answer func(context.Context, *Question) (Answer, error), opts Options) (*Report, error) {
	if opts.Parallel <= 0 {
		opts.Parallel = 2
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	items := make([]Item, len(set))
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(opts.Parallel, len(set)) {
		wg.Go(func() {
			for i := range next {
				if err := items[i].fill(ctx, set[i], answer, &opts); err != nil {
					cancel(fmt.Errorf("question %s: %w", set[i].ID, err))
				}
			}
		})
	}
	began := time.Now()
feed:
	for i := range set {
		select {
		case next <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	wg.Wait()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("run question set: %w", context.Cause(ctx))
	}
	return newReport(items, time.Since(began)), nil
}

// fill asks one question and judges the answer.
func (it *Item) fill(ctx context.Context, q *Question, answer func(context.Context, *Question) (Answer, error), opts *Options) error {
	it.ID, it.Kind, it.Question = q.ID, q.Kind, q.Question
	it.answerable = q.Answerable()
	began := time.Now()
	var err error
	it.Answer, err = ask(ctx, q, answer)
	it.Duration = time.Since(began)
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		it.Error = err.Error()
	}
	it.judge(q, opts)
	if opts.Search != nil && it.answerable {
		hits, err := opts.Search(ctx, q.Question, recallDepth)
		if err != nil {
			return fmt.Errorf("search: %w", err)
		}
		it.rank(q, hits)
	}
	if opts.Text != nil {
		return it.checkQuotes(ctx, opts.Text)
	}
	return nil
}

// ask calls answer, whose panic is an error of this question alone.
func ask(ctx context.Context, q *Question, answer func(context.Context, *Question) (Answer, error)) (a Answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return answer(ctx, q)
}
