package session

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
)

// Memory is a Store that lives as long as the process. It keeps the events as
// they are given, without encoding them.
type Memory struct {
	mu       sync.RWMutex
	sessions map[string]*memorySession
	closed   bool
}

type memorySession struct {
	mu   sync.Mutex
	recs []Record
	info Info
	gone bool
}

// NewMemory returns an empty store.
func NewMemory() *Memory { return &Memory{sessions: make(map[string]*memorySession)} }

// find returns the session; with create, a new one where there is none.
func (m *Memory) find(id string, create bool) (*memorySession, error) {
	m.mu.RLock()
	s, closed := m.sessions[id], m.closed
	m.mu.RUnlock()
	if closed {
		return nil, ErrClosed
	}
	if s != nil {
		return s, nil
	}
	if !create {
		return nil, fmt.Errorf("session %q: %w", id, ErrNotFound)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, ErrClosed
	}
	if s = m.sessions[id]; s == nil {
		s = &memorySession{info: Info{ID: id}}
		m.sessions[id] = s
	}
	return s, nil
}

// Append implements Store.
func (m *Memory) Append(ctx context.Context, id string, after int64, recs []Record) error {
	if err := CheckAppend(ctx, id, after, recs); err != nil {
		return err
	}
	s, err := m.find(id, after == 0)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone {
		// Deleted this moment: to an append that creates, another's session.
		if after == 0 {
			return fmt.Errorf("session %q, record 1: %w", id, ErrConflict)
		}
		return fmt.Errorf("session %q: %w", id, ErrNotFound)
	}
	if int64(len(s.recs)) != after {
		return fmt.Errorf("session %q, record %d: %w", id, after+1, ErrConflict)
	}
	s.recs = append(s.recs, recs...)
	for _, r := range recs {
		s.info.Apply(r)
	}
	return nil
}

// Load implements Store.
func (m *Memory) Load(ctx context.Context, id string, after int64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		s, err := m.find(id, false)
		if err != nil {
			yield(Record{}, err)
			return
		}
		s.mu.Lock()
		recs := s.recs
		s.mu.Unlock()
		if len(recs) == 0 {
			// The append that creates it is still under way.
			yield(Record{}, fmt.Errorf("session %q: %w", id, ErrNotFound))
			return
		}
		recs = recs[min(max(after, 0), int64(len(recs))):]
		for _, r := range recs {
			if err := ctx.Err(); err != nil {
				yield(Record{}, err)
				return
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}

// List implements Store.
func (m *Memory) List(ctx context.Context, filter Filter) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		infos, err := m.infos(&filter)
		if err != nil {
			yield(Info{}, err)
			return
		}
		for _, info := range infos {
			if err := ctx.Err(); err != nil {
				yield(Info{}, err)
				return
			}
			if !yield(info, nil) {
				return
			}
		}
	}
}

func (m *Memory) infos(filter *Filter) ([]Info, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.closed {
		return nil, ErrClosed
	}
	var infos []Info
	for _, s := range m.sessions {
		s.mu.Lock()
		if len(s.recs) > 0 && filter.Match(&s.info) {
			info := s.info
			info.Usage.ServerToolCalls = maps.Clone(info.Usage.ServerToolCalls)
			infos = append(infos, info)
		}
		s.mu.Unlock()
	}
	slices.SortFunc(infos, compareInfos)
	if filter.Limit > 0 && len(infos) > filter.Limit {
		infos = infos[:filter.Limit]
	}
	return infos, nil
}

// compareInfos orders by update, newest first, then by id.
func compareInfos(a, b Info) int {
	if c := b.Updated.Compare(a.Updated); c != 0 {
		return c
	}
	if a.ID > b.ID {
		return -1
	}
	return 1
}

// Delete implements Store.
func (m *Memory) Delete(ctx context.Context, id string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s, err := m.find(id, false)
	if err != nil {
		return err
	}
	m.mu.Lock()
	delete(m.sessions, id)
	m.mu.Unlock()
	s.mu.Lock()
	s.gone = true
	s.mu.Unlock()
	return nil
}

// Close implements Store.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return ErrClosed
	}
	m.closed = true
	return nil
}

// CheckAppend checks the arguments of an append as every store has to: the id,
// and records that follow after densely, with times and complete events.
func CheckAppend(ctx context.Context, id string, after int64, recs []Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := CheckID(id); err != nil {
		return err
	}
	if len(recs) == 0 || after < 0 {
		return fmt.Errorf("append to session %q: no records, or a negative position", id)
	}
	for i, r := range recs {
		if want := after + 1 + int64(i); r.Seq != want {
			return fmt.Errorf("append to session %q: record %d comes where %d is due", id, r.Seq, want)
		}
		if r.Event == nil || r.Time.IsZero() {
			return fmt.Errorf("append to session %q: record %d has no event or no time", id, r.Seq)
		}
		if problem := lacks(r.Event); problem != "" {
			return fmt.Errorf("append to session %q: record %d (%s): %s", id, r.Seq, r.Event.Kind(), problem)
		}
	}
	return nil
}
