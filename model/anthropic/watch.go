package anthropic

import (
	"bufio"
	"context"
	"io"
	"time"
)

// watch gives a call up when nothing comes for too long.
type watch struct {
	limit    time.Duration
	timer    *time.Timer
	draining bool
}

const forever = 100 * 365 * 24 * time.Hour

// drainTime bounds how long the end of an answer that is complete is waited
// for. A connection whose answer was read to its end can be used again.
const drainTime = 50 * time.Millisecond

func newWatch(limit time.Duration, cancel context.CancelCauseFunc) *watch {
	if limit < 0 {
		limit = forever
	}
	return &watch{limit: limit, timer: time.AfterFunc(limit, func() { cancel(errIdle) })}
}

// stop stops the clock while the consumer has the word, or nothing is awaited.
func (w *watch) stop() {
	if !w.draining {
		w.timer.Stop()
	}
}

func (w *watch) start() {
	if !w.draining {
		w.timer.Reset(w.limit)
	}
}

// drain reads on to the end of the answer, if that is near.
func (w *watch) drain(r *bufio.Reader) {
	w.draining = true
	w.timer.Reset(drainTime)
	for range 16 {
		if _, err := r.Discard(r.Size()); err != nil {
			break
		}
	}
	w.timer.Stop()
}

// watchedReader runs the clock while it waits for bytes, and only then: the
// consumer may take its time.
type watchedReader struct {
	r io.Reader
	w *watch
}

// Read implements io.Reader.
func (r *watchedReader) Read(p []byte) (int, error) {
	r.w.start()
	n, err := r.r.Read(p)
	r.w.stop()
	return n, err
}
