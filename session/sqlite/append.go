package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/quarry-sdk/quarry/session"
)

// row is an encoded record.
type row struct {
	seq  int64
	time int64
	kind string
	data string
}

// The times that fit a row's nanoseconds.
var (
	minTime = time.Unix(0, -1<<63)
	maxTime = time.Unix(0, 1<<63-1)
)

// Append implements session.Store.
func (s *Store) Append(ctx context.Context, id string, after int64, recs []session.Record) error {
	if err := session.CheckAppend(ctx, id, after, recs); err != nil {
		return err
	}
	rows, err := encode(recs)
	if err != nil {
		return fmt.Errorf("append to session %q: %w", id, err)
	}
	return s.write(ctx, "append to", func(w *writer) (verdict, failure error) {
		return w.append(id, after, recs, rows)
	})
}

// Delete implements session.Store.
func (s *Store) Delete(ctx context.Context, id string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.write(ctx, "delete from", func(w *writer) (verdict, failure error) {
		return w.delete(id)
	})
}

// write hands a write to the writer and waits for its verdict. Once the writer
// has it, only the wait for the file's lock ends with ctx, so that an error
// always means that nothing was written.
func (s *Store) write(ctx context.Context, op string, do func(*writer) (verdict, failure error)) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	r := &request{ctx: ctx, do: do, done: make(chan struct{})}
	select {
	case s.queue <- r:
	case <-ctx.Done():
		return ctx.Err()
	}
	<-r.done
	if r.failure != nil {
		return failure(op, s.path, r.failure)
	}
	return r.verdict
}

func encode(recs []session.Record) ([]row, error) {
	rows := make([]row, len(recs))
	for i, rec := range recs {
		data, err := session.EncodeEvent(rec.Event)
		if err != nil {
			return nil, fmt.Errorf("record %d: %w", rec.Seq, err)
		}
		if rec.Time.Before(minTime) || rec.Time.After(maxTime) {
			return nil, fmt.Errorf("record %d: its time %v cannot be stored", rec.Seq, rec.Time)
		}
		rows[i] = row{seq: rec.Seq, time: rec.Time.UnixNano(), kind: rec.Event.Kind(), data: string(data)}
	}
	return rows, nil
}

// append compares and appends, inside a transaction that holds the write lock.
func (w *writer) append(id string, after int64, recs []session.Record, rows []row) (verdict, failure error) {
	ctx := context.Background()
	number, info, err := scanInfo(w.lookUp.QueryRowContext(ctx, id))
	switch {
	case errors.Is(err, sql.ErrNoRows):
		if after > 0 {
			return fmt.Errorf("session %q: %w", id, session.ErrNotFound), nil
		}
		info.ID = id
	case err != nil:
		return nil, err
	case info.Last != after:
		return fmt.Errorf("session %q, record %d: %w", id, after+1, session.ErrConflict), nil
	}
	for _, rec := range recs {
		info.Apply(rec)
	}
	if number == 0 {
		if number, err = w.createSession(ctx, &info); err != nil {
			return nil, err
		}
	} else if values, err := infoValues(&info); err != nil {
		return nil, err
	} else if _, err := w.update.ExecContext(ctx, append(values, number)...); err != nil {
		return nil, err
	}
	for i := range rows {
		r := &rows[i]
		if _, err := w.insert.ExecContext(ctx, number, r.seq, r.time, r.kind, r.data); err != nil {
			return nil, err
		}
	}
	return nil, nil
}
