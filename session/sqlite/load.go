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
		number, last, err := s.lookUp(ctx, id)
		if err != nil {
			yield(session.Record{}, err)
			return
		}
		for seq := max(after, 0); seq < last; {
			page, err := s.page(ctx, id, number, seq, last)
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

// lookUp returns a session's number and its last sequence number.
func (s *Store) lookUp(ctx context.Context, id string) (number, last int64, err error) {
	if err := s.enter(); err != nil {
		return 0, 0, err
	}
	defer s.leave()
	err = s.find.QueryRowContext(ctx, id).Scan(&number, &last)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, 0, fmt.Errorf("session %q: %w", id, session.ErrNotFound)
	}
	return number, last, failure("load from", s.path, err)
}

// page returns at least one of the records after seq.
func (s *Store) page(ctx context.Context, id string, number, seq, last int64) ([]row, error) {
	page, err := s.readPage(ctx, number, seq, last)
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

func (s *Store) readPage(ctx context.Context, number, seq, last int64) (page []row, err error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.leave()
	rows, err := s.records.QueryContext(ctx, number, seq, last, pageRecords)
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
