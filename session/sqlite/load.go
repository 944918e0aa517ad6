package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/quarry-sdk/quarry/session"
)

// A page of records has at most pageRecords, and ends with the one that passes
// pageBytes.
const (
	pageRecords = 256
	pageBytes   = 1 << 20
)

const restore = "restore the journal from a copy"

// Load implements session.Store. It yields the records that the session had when
// the loop began, page by page: no connection is held while the loop's body
// runs. Where the session is deleted meanwhile, it ends with ErrNotFound.
func (s *Store) Load(ctx context.Context, id string, after int64) iter.Seq2[session.Record, error] {
	return func(yield func(session.Record, error) bool) {
		number, parts, err := s.lookUp(ctx, id)
		if err != nil {
			yield(session.Record{}, err)
			return
		}
		s.load(ctx, id, number, parts, after)(yield)
	}
}

// load yields the records of the parts of a session's journal.
func (s *Store) load(ctx context.Context, id string, number int64, parts []part, after int64) iter.Seq2[session.Record, error] {
	return func(yield func(session.Record, error) bool) {
		seq := max(after, 0)
		for _, p := range parts {
			for seq < p.last {
				page, err := s.page(ctx, id, number, p, seq)
				if err != nil {
					yield(session.Record{}, err)
					return
				}
				for i := range page {
					if err := ctx.Err(); err != nil {
						yield(session.Record{}, err)
						return
					}
					rec, err := page[i].decode(id, seq+1)
					if !yield(rec, err) || err != nil {
						return
					}
					seq++
				}
			}
		}
	}
}

// lookUp returns a session's number and the parts of its journal, of which there
// is at least one.
func (s *Store) lookUp(ctx context.Context, id string) (number int64, parts []part, err error) {
	if err := s.enter(); err != nil {
		return 0, nil, err
	}
	defer s.leave()
	var last, forked int64
	err = s.find.QueryRowContext(ctx, id).Scan(&number, &last, &forked)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil, fmt.Errorf("session %q: %w", id, session.ErrNotFound)
	}
	if err == nil && forked > 0 {
		parts, err = s.readPrefix(ctx, number)
	}
	if err != nil {
		return 0, nil, failure("load from", s.path, err)
	}
	return number, append(parts, part{number, last}), nil
}

func (s *Store) readPrefix(ctx context.Context, number int64) (parts []part, err error) {
	rows, err := s.prefix.QueryContext(ctx, number)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var p part
		if err := rows.Scan(&p.journal, &p.last); err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return parts, rows.Err()
}

// page returns at least one of the records of a part after seq.
func (s *Store) page(ctx context.Context, id string, number int64, p part, seq int64) ([]row, error) {
	page, err := s.readPage(ctx, p.journal, seq, p.last)
	if err != nil {
		return nil, fmt.Errorf("session %q after record %d: %w", id, seq, failure("load from", s.path, err))
	}
	if len(page) == 0 {
		// It is damaged, if it is still there.
		switch now, _, err := s.lookUp(ctx, id); {
		case err != nil:
			return nil, err
		case now != number:
			return nil, fmt.Errorf("session %q: deleted while it was read: %w", id, session.ErrNotFound)
		}
		return nil, missing(id, seq+1)
	}
	return page, nil
}

func (s *Store) readPage(ctx context.Context, journal, seq, last int64) (page []row, err error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.leave()
	rows, err := s.records.QueryContext(ctx, journal, seq, last, pageRecords)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for size := 0; size < pageBytes && rows.Next(); {
		var r row
		if err := rows.Scan(&r.seq, &r.time, &r.kind, &r.data); err != nil {
			return nil, err
		}
		page, size = append(page, r), size+len(r.data)
	}
	return page, rows.Err()
}

// decode returns the record of a row, which must be the one that is due.
func (r *row) decode(id string, due int64) (session.Record, error) {
	if r.seq != due {
		return session.Record{}, missing(id, due)
	}
	ev, err := session.DecodeEvent(r.kind, []byte(r.data))
	if err != nil {
		return session.Record{}, session.At(err, id, r.seq)
	}
	return session.Record{Seq: r.seq, Time: time.Unix(0, r.time).UTC(), Event: ev}, nil
}

func missing(id string, seq int64) error {
	return &session.FormatError{Session: id, Seq: seq, Problem: "it is missing", Hint: restore}
}
