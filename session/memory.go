package session

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
)

// Memory is a Store that lives as long as the process. It keeps the events as
// they are given, without encoding them.
type Memory struct {
	mu       sync.Mutex
	sessions map[string]*memorySession
	closed   bool
}

type memorySession struct {
	// prefix is what a fork shares with others, in order; own comes after it.
	prefix []memoryPart
	own    *memoryJournal
	info   Info
}

// memoryJournal is the records that were appended to one session. It outlives
// the session for as long as a fork needs it.
type memoryJournal struct {
	recs []Record
	// forked tells that a fork may need it, gone that its session is deleted.
	forked, gone bool
}

// memoryPart is the first n records of a journal.
type memoryPart struct {
	journal *memoryJournal
	n       int
}

// NewMemory returns an empty store.
func NewMemory() *Memory { return &Memory{sessions: make(map[string]*memorySession)} }

// find returns a session. The caller holds the lock.
func (m *Memory) find(id string) (*memorySession, error) {
	if m.closed {
		return nil, ErrClosed
	}
	s := m.sessions[id]
	if s == nil {
		return nil, fmt.Errorf("session %q: %w", id, ErrNotFound)
	}
	return s, nil
}

// parts returns the session's whole journal, in its parts.
func (s *memorySession) parts() []memoryPart {
	return append(s.prefix[:len(s.prefix):len(s.prefix)], memoryPart{s.own, len(s.own.recs)})
}

// Append implements Store.
func (m *Memory) Append(ctx context.Context, id string, after int64, recs []Record) error {
	if err := CheckAppend(ctx, id, after, recs); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s, err := m.find(id)
	switch {
	case errors.Is(err, ErrNotFound) && after == 0:
		s = &memorySession{own: &memoryJournal{}, info: Info{ID: id}}
		m.sessions[id] = s
	case err != nil:
		return err
	case s.info.Last != after:
		return fmt.Errorf("session %q, record %d: %w", id, after+1, ErrConflict)
	}
	s.own.recs = append(s.own.recs, recs...)
	for _, r := range recs {
		s.info.Apply(r)
	}
	return nil
}

// Fork implements Store.
func (m *Memory) Fork(ctx context.Context, id, from string, at int64) error {
	if err := CheckFork(ctx, id, from); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	source, err := m.find(from)
	if err != nil {
		return err
	}
	if at < 1 || at > source.info.Last {
		return &RangeError{Session: from, At: at, Last: source.info.Last}
	}
	if m.sessions[id] != nil {
		return fmt.Errorf("session %q: %w", id, ErrExists)
	}
	fork := &memorySession{own: &memoryJournal{}}
	var prefix []Record
	for _, p := range source.parts() {
		p.n = min(p.n, int(at)-len(prefix))
		if p.n == 0 {
			continue
		}
		p.journal.forked = true
		fork.prefix = append(fork.prefix, p)
		prefix = append(prefix, p.journal.recs[:p.n]...)
	}
	fork.info = ForkInfo(id, from, prefix)
	m.sessions[id] = fork
	return nil
}

// Load implements Store.
func (m *Memory) Load(ctx context.Context, id string, after int64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		parts, err := m.load(id)
		if err != nil {
			yield(Record{}, err)
			return
		}
		for _, recs := range parts {
			for _, r := range recs {
				if r.Seq <= after {
					continue
				}
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
}

// load returns a session's records as they are now.
func (m *Memory) load(id string) (parts [][]Record, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, err := m.find(id)
	if err != nil {
		return nil, err
	}
	for _, p := range s.parts() {
		parts = append(parts, p.journal.recs[:p.n])
	}
	return parts, nil
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
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, ErrClosed
	}
	var infos []Info
	for _, s := range m.sessions {
		if !filter.Match(&s.info) {
			continue
		}
		info := s.info
		info.Usage.ServerToolCalls = maps.Clone(info.Usage.ServerToolCalls)
		info.Labels = maps.Clone(info.Labels)
		if info.Forked != nil {
			forked := *info.Forked
			info.Forked = &forked
		}
		infos = append(infos, info)
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
	m.mu.Lock()
	defer m.mu.Unlock()
	s, err := m.find(id)
	if err != nil {
		return err
	}
	delete(m.sessions, id)
	s.own.gone = true
	for _, p := range s.parts() {
		m.prune(p.journal)
	}
	return nil
}

// prune gives up those records of a deleted session that no fork needs. The
// caller holds the lock.
func (m *Memory) prune(j *memoryJournal) {
	if !j.gone || !j.forked {
		return
	}
	needed := 0
	for _, s := range m.sessions {
		for _, p := range s.prefix {
			if p.journal == j {
				needed = max(needed, p.n)
			}
		}
	}
	if needed < len(j.recs) {
		j.recs = slices.Clone(j.recs[:needed])
	}
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

// CheckFork checks the arguments of a fork as every store has to.
func CheckFork(ctx context.Context, id, from string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := CheckID(id); err != nil {
		return fmt.Errorf("fork session %q: %w", from, err)
	}
	return nil
}
