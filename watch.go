package quarry

import (
	"context"
	"fmt"
	"time"

	"github.com/quarry-sdk/quarry/model"
)

// idleError ends a model call in which nothing arrives any more.
type idleError struct{ after time.Duration }

func (e *idleError) Error() string { return fmt.Sprintf("the model sent nothing for %v", e.after) }

// watchdog cancels a context when nothing was heard for a time.
type watchdog struct {
	timer *time.Timer
	idle  time.Duration
	fired *idleError
}

// watch returns a context for a model call, and the watchdog that ends it.
func watch(ctx context.Context, idle time.Duration) (context.Context, *watchdog, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := &watchdog{idle: idle, fired: &idleError{idle}}
	w.timer = time.AfterFunc(idle, func() { cancel(w.fired) })
	return ctx, w, func() {
		w.timer.Stop()
		cancel(context.Canceled)
	}
}

// pause stops the clock while the caller is busy, heard starts it anew.
func (w *watchdog) pause() { w.timer.Stop() }
func (w *watchdog) heard() { w.timer.Reset(w.idle) }

// bit tells whether it was the watchdog that ended the context.
func (w *watchdog) bit(ctx context.Context) bool { return context.Cause(ctx) == error(w.fired) }

// What counts as output that repeats itself without end: the last repeatWindow
// bytes of a block are one piece of at most repeatPeriod bytes, again and again.
// Arguments of tools may be regular for good reasons, and get more room.
const (
	repeatWindow = 6 << 10
	repeatPeriod = 1 << 10
	repeatInput  = 8 * repeatWindow
	repeatStep   = 2 << 10
)

// repeater watches what a model writes.
type repeater struct {
	index int
	tail  []byte
	total int
	next  int
}

// see takes the next piece of a block and tells whether the block repeats itself
// without end.
func (r *repeater) see(ev *model.Event) bool {
	least := repeatWindow
	switch ev.Kind {
	case model.EventText, model.EventThinking:
	case model.EventInput:
		least = repeatInput
	default:
		return false
	}
	if ev.Index != r.index || r.next == 0 {
		r.index, r.tail, r.total, r.next = ev.Index, r.tail[:0], 0, least
	}
	r.total += len(ev.Text)
	r.tail = append(r.tail, ev.Text...)
	if extra := len(r.tail) - least; extra > least {
		r.tail = append(r.tail[:0], r.tail[extra:]...)
	}
	if r.total < r.next {
		return false
	}
	r.next = r.total + repeatStep
	return periodic(r.tail[max(0, len(r.tail)-least):], repeatPeriod)
}

// periodic tells whether s is one piece of at most period bytes, again and
// again; the last one may be cut off.
func periodic(s []byte, period int) bool {
	// The length of the longest border of each prefix, as Knuth, Morris and Pratt
	// have it; s without its longest border is its shortest period.
	border := make([]int32, len(s)+1)
	k := int32(0)
	for i := 1; i < len(s); i++ {
		for k > 0 && s[i] != s[k] {
			k = border[k]
		}
		if s[i] == s[k] {
			k++
		}
		border[i+1] = k
	}
	return len(s) > 0 && len(s)-int(border[len(s)]) <= period
}
