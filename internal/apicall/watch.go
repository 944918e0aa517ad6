package apicall

import (
	"bufio"
	"context"
	"errors"
	"io"
	"time"
)

// ErrIdle is the cause with which a silent call is given up.
var ErrIdle = errors.New("the API was silent for too long")

// Watch gives a call up when nothing comes for too long.
type Watch struct {
	limit    time.Duration
	timer    *time.Timer
	draining bool
}

const forever = 100 * 365 * 24 * time.Hour

// drainTime bounds how long the end of an answer that is complete is waited
// for. A connection whose answer was read to its end can be used again.
const drainTime = 50 * time.Millisecond

// NewWatch starts a watch that cancels with [ErrIdle]; a negative limit is for
// ever.
func NewWatch(limit time.Duration, cancel context.CancelCauseFunc) *Watch {
	if limit < 0 {
		limit = forever
	}
	return &Watch{limit: limit, timer: time.AfterFunc(limit, func() { cancel(ErrIdle) })}
}

// Stop stops the clock while the consumer has the word, or nothing is awaited.
func (w *Watch) Stop() {
	if !w.draining {
		w.timer.Stop()
	}
}

func (w *Watch) start() {
	if !w.draining {
		w.timer.Reset(w.limit)
	}
}

// Drain reads on to the end of the answer, if that is near.
func (w *Watch) Drain(r *bufio.Reader) {
	w.draining = true
	w.timer.Reset(drainTime)
	for range 16 {
		if _, err := r.Discard(r.Size()); err != nil {
			break
		}
	}
	w.timer.Stop()
}

// Reader returns a reader of r that runs the clock while it waits for bytes,
// and only then: the consumer may take its time.
func (w *Watch) Reader(r io.Reader) io.Reader { return &watchedReader{r: r, w: w} }

type watchedReader struct {
	r io.Reader
	w *Watch
}

// Read implements io.Reader.
func (r *watchedReader) Read(p []byte) (int, error) {
	r.w.start()
	n, err := r.r.Read(p)
	r.w.Stop()
	return n, err
}
