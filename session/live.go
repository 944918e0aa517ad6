package session

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Live is a session in memory: its machine, folded up to the journal's end. It
// is used by one goroutine at a time.
type Live struct {
	// ID is the session's id.
	ID string
	// Machine holds the state.
	Machine Machine

	store Store
	last  int64
	// stale tells that the machine may be ahead of the journal, after a failed
	// append. Nothing more may be done with it.
	stale bool
	// lost tells that effects may have been under way that nobody waits for any
	// more, after a load or an interruption. Advance then begins with Resumed.
	lost bool
}

// Create begins a session at the time now. The store must not have it:
// ErrConflict otherwise.
func Create(ctx context.Context, store Store, id string, m Machine, now time.Time, started *Started) (*Live, error) {
	if started.Format == 0 {
		copied := *started
		copied.Format = FormatVersion
		started = &copied
	}
	l := &Live{ID: id, Machine: m, store: store}
	rec := Record{Seq: 1, Time: now.UTC(), Event: started}
	if err := l.fold(rec); err != nil {
		return nil, err
	}
	if err := l.commit(ctx, []Record{rec}); err != nil {
		return nil, err
	}
	return l, nil
}

// Load folds a stored session into m.
func Load(ctx context.Context, store Store, id string, m Machine) (*Live, error) {
	l := &Live{ID: id, Machine: m, store: store, lost: true}
	for rec, err := range store.Load(ctx, id, 0) {
		if err != nil {
			return nil, fmt.Errorf("load session %q: %w", id, err)
		}
		if rec.Seq != l.last+1 {
			return nil, fmt.Errorf("load session %q: record %d comes where %d is due; restore the journal from a copy", id, rec.Seq, l.last+1)
		}
		if err := m.Apply(rec); err != nil {
			return nil, fmt.Errorf("load session %q: record %d (%s): %w", id, rec.Seq, rec.Event.Kind(), err)
		}
		l.last = rec.Seq
	}
	return l, nil
}

// Last is the sequence number of the last record.
func (l *Live) Last() int64 { return l.last }

// fold takes a record that is not yet durable into the state. If it never
// becomes durable, the session is stale.
func (l *Live) fold(rec Record) error {
	if err := l.Machine.Apply(rec); err != nil {
		l.stale = true
		return fmt.Errorf("session %q, record %d (%s): %w", l.ID, rec.Seq, rec.Event.Kind(), err)
	}
	return nil
}

// usable returns an error for a session that is stale.
func (l *Live) usable() error {
	if l.stale {
		return fmt.Errorf("session %q: an earlier append failed; load it again", l.ID)
	}
	return nil
}

// commit makes folded records durable. Where the session was renamed meanwhile
// they come after that, and their numbers in recs are changed.
func (l *Live) commit(ctx context.Context, recs []Record) error {
	if len(recs) == 0 {
		return nil
	}
	err := l.store.Append(ctx, l.ID, l.last, recs)
	for errors.Is(err, ErrConflict) && l.renamed(ctx) {
		for i := range recs {
			recs[i].Seq = l.last + 1 + int64(i)
		}
		err = l.store.Append(ctx, l.ID, l.last, recs)
	}
	if err != nil {
		l.stale = true
		return fmt.Errorf("append to session %q after record %d: %w", l.ID, l.last, err)
	}
	l.last = recs[len(recs)-1].Seq
	return nil
}

// renamed tells whether all that others have appended to the session is other
// titles, and goes to the journal's end if so. It disturbs no machine, so it does
// not matter that pending records are folded already.
func (l *Live) renamed(ctx context.Context) bool {
	last := l.last
	for rec, err := range l.store.Load(ctx, l.ID, last) {
		if err != nil || rec.Event.Kind() != KindRenamed || l.Machine.Apply(rec) != nil {
			return false
		}
		last = rec.Seq
	}
	if last == l.last {
		return false
	}
	l.last = last
	return true
}
