package chat

import (
	"bufio"
	"context"
	"errors"
	"io"
	"time"
)

// errIdle is the cause with which a silent call is given up.
var errIdle = errors.New("the server was silent for too long")

const (
	forever = 100 * 365 * 24 * time.Hour
	// drainTime bounds how long the end of a complete answer is waited for: a
	// connection whose answer was read to its end can be used again.
	drainTime = 50 * time.Millisecond
)

// watch gives a call up when nothing comes for too long. It is the reader of the
// answer: its clock runs while it waits for bytes, and not while the consumer
// has the word.
type watch struct {
	r        io.Reader
	limit    time.Duration
	timer    *time.Timer
	draining bool
}

func newWatch(limit time.Duration, cancel context.CancelCauseFunc) *watch {
	if limit < 0 {
		limit = forever
	}
	return &watch{limit: limit, timer: time.AfterFunc(limit, func() { cancel(errIdle) })}
}

// Read implements io.Reader.
func (w *watch) Read(p []byte) (int, error) {
	if w.draining {
		return w.r.Read(p)
	}
	w.timer.Reset(w.limit)
	n, err := w.r.Read(p)
	w.timer.Stop()
	return n, err
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
