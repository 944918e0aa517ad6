package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/quarry-sdk/quarry/session"
)

// part is a stretch of a journal: the records up to last, from where the part
// before it ends, are under the number of the session that they were appended to.
type part struct {
	journal, last int64
}

// cut returns the parts that hold the records up to at.
func cut(parts []part, at int64) []part {
	for i, p := range parts {
		if p.last >= at {
			return append(parts[:i:i], part{p.journal, at})
		}
	}
	return parts
}

// Fork implements session.Store. The prefix is read before the transaction: it
// never changes while its session lives.
func (s *Store) Fork(ctx context.Context, id, from string, at int64) error {
	if err := session.CheckFork(ctx, id, from); err != nil {
		return err
	}
	number, parts, err := s.lookUp(ctx, from)
	if err != nil {
		return err
	}
	if last := parts[len(parts)-1].last; at < 1 || at > last {
		return &session.RangeError{Session: from, At: at, Last: last}
	}
	parts = cut(parts, at)
	prefix := make([]session.Record, 0, at)
	for rec, err := range s.load(ctx, from, number, parts, 0) {
		if err != nil {
			return err
		}
		prefix = append(prefix, rec)
	}
	info := session.ForkInfo(id, from, prefix)
	return s.write(ctx, "fork in", func(w *writer) (verdict, failure error) {
		return w.fork(&info, number, parts)
	})
}

// fork creates a session with a prefix, inside a transaction that holds the
// write lock. The session it leaves must still have the number.
func (w *writer) fork(info *session.Info, source int64, prefix []part) (verdict, failure error) {
	ctx := context.Background()
	switch now, err := w.numberOf(ctx, info.Forked.From); {
	case err != nil:
		return nil, err
	case now != source:
		return fmt.Errorf("session %q: %w", info.Forked.From, session.ErrNotFound), nil
	}
	switch taken, err := w.numberOf(ctx, info.ID); {
	case err != nil:
		return nil, err
	case taken != 0:
		return fmt.Errorf("session %q: %w", info.ID, session.ErrExists), nil
	}
	number, err := w.createSession(ctx, info)
	if err != nil {
		return nil, err
	}
	for _, p := range prefix {
		if _, err := w.addPrefix.ExecContext(ctx, number, p.last, p.journal); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// numberOf returns a session's number, 0 where there is none.
func (w *writer) numberOf(ctx context.Context, id string) (number int64, err error) {
	err = w.number.QueryRowContext(ctx, id).Scan(&number)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return number, err
}

// createSession inserts the row of a session, and its labels.
func (w *writer) createSession(ctx context.Context, info *session.Info) (number int64, err error) {
	values, err := infoValues(info)
	if err != nil {
		return 0, err
	}
	created, err := w.create.ExecContext(ctx, values...)
	if err != nil {
		return 0, err
	}
	if number, err = created.LastInsertId(); err != nil {
		return 0, err
	}
	for key, value := range info.Labels {
		if _, err := w.addLabel.ExecContext(ctx, key, value, number); err != nil {
			return 0, err
		}
	}
	return number, nil
}

// delete removes a session, inside a transaction that holds the write lock, and
// every record that no session has any more.
func (w *writer) delete(id string) (verdict, failure error) {
	ctx := context.Background()
	number, err := w.numberOf(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case number == 0:
		return fmt.Errorf("session %q: %w", id, session.ErrNotFound), nil
	}
	journals, err := w.journals(ctx, number)
	if err != nil {
		return nil, err
	}
	for _, stmt := range []*sql.Stmt{w.remove, w.removePrefix, w.removeLabels} {
		if _, err := stmt.ExecContext(ctx, number); err != nil {
			return nil, err
		}
	}
	for _, journal := range append(journals, number) {
		if _, err := w.prune.ExecContext(ctx, sql.Named("journal", journal)); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// journals returns the numbers under which a fork's prefix is.
func (w *writer) journals(ctx context.Context, number int64) (journals []int64, err error) {
	rows, err := w.prefix.QueryContext(ctx, number)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var p part
		if err := rows.Scan(&p.journal, &p.last); err != nil {
			return nil, err
		}
		journals = append(journals, p.journal)
	}
	return journals, rows.Err()
}
