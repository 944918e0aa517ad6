package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"time"

	_ "modernc.org/sqlite" // the database/sql driver "sqlite"
)

// groupLimit bounds how many writes share one transaction.
const groupLimit = 512

// request is a write that waits for its verdict. It carries the context of its
// caller, whose end keeps the write from being started.
type request struct {
	ctx context.Context
	// do performs the write inside a transaction. A verdict (a conflict, no such
	// session) means that it has written nothing; a failure fails the
	// transaction.
	do func(*writer) (verdict, failure error)
	// done is closed when the verdict or the failure stands.
	done chan struct{}

	verdict, failure error
}

// end tells the caller how the write came out.
func (r *request) end(failure error) {
	r.failure = failure
	close(r.done)
}

// writer is the one writer of this process. Its goroutine owns the connection.
type writer struct {
	db   *sql.DB
	log  *slog.Logger
	path string
	conn *sql.Conn
	statements
}

// statements are prepared on the writer's connection.
type statements struct {
	lookUp, number, create, update, insert    *sql.Stmt
	prefix, addPrefix, addLabel               *sql.Stmt
	remove, removePrefix, removeLabels, prune *sql.Stmt
}

// statement is the SQL of a statement and where it is kept once prepared.
type statement struct {
	stmt **sql.Stmt
	sql  string
}

func (s *statements) all() []statement {
	return []statement{
		{&s.lookUp, "SELECT number, " + infoColumns + " FROM sessions WHERE id = ?"},
		{&s.number, "SELECT number FROM sessions WHERE id = ?"},
		{&s.create, "INSERT INTO sessions (" + infoColumns + ") VALUES (" + infoMarks + ")"},
		{&s.update, "UPDATE sessions SET (" + infoColumns + ") = (" + infoMarks + ") WHERE number = ?"},
		{&s.insert, "INSERT INTO records (session, seq, time, kind, data) VALUES (?, ?, ?, ?, ?)"},
		{&s.prefix, selectPrefix},
		{&s.addPrefix, "INSERT INTO prefixes (session, last, journal) VALUES (?, ?, ?)"},
		{&s.addLabel, "INSERT INTO labels (key, value, session) VALUES (?, ?, ?)"},
		{&s.remove, "DELETE FROM sessions WHERE number = ?"},
		{&s.removePrefix, "DELETE FROM prefixes WHERE session = ?"},
		{&s.removeLabels, "DELETE FROM labels WHERE session = ?"},
		{&s.prune, `DELETE FROM records WHERE session = :journal
			AND NOT EXISTS (SELECT 1 FROM sessions WHERE number = :journal)
			AND seq > (SELECT ifnull(max(last), 0) FROM prefixes WHERE journal = :journal)`},
	}
}

// close frees the statements: SQLite keeps a connection, its transaction and
// its locks for as long as it has any.
func (s *statements) close() error {
	var errs []error
	for _, st := range s.all() {
		if *st.stmt != nil {
			errs = append(errs, (*st.stmt).Close())
		}
	}
	return errors.Join(errs...)
}

func newWriter(ctx context.Context, cfg *Config, path string) (*writer, error) {
	// Without full fsync macOS leaves data in the disk's cache.
	db, err := sql.Open("sqlite", dsn(path, cfg.BusyTimeout, "_synchronous=FULL",
		"_pragma=fullfsync(1)", "_pragma=checkpoint_fullfsync(1)", "_pragma=journal_size_limit(67108864)"))
	if err != nil {
		return nil, err
	}
	// A connection that is closed must be gone, with all it had begun.
	db.SetMaxOpenConns(1)
	db.SetMaxIdleConns(-1)
	w := &writer{db: db, log: cfg.Logger, path: cfg.Path}
	if err := w.setUp(ctx, cfg.BusyTimeout); err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

// setUp makes the first connection and brings the schema up to date. A file that
// is not ours is left as it is.
func (w *writer) setUp(ctx context.Context, patience time.Duration) (err error) {
	if w.conn, err = w.db.Conn(ctx); err != nil {
		return err
	}
	if _, err := schemaVersion(ctx, w.conn); err != nil {
		return err
	}
	if err := w.useWAL(ctx, patience); err != nil {
		return err
	}
	steps, err := migrate(ctx, w.conn)
	if err != nil {
		return err
	}
	if steps > 0 {
		w.log.InfoContext(ctx, "migrated the session store", "path", w.path, "steps", steps)
	}
	return w.prepare(ctx)
}

// useWAL gives the file a write-ahead log, which it keeps for ever. SQLite does
// not wait for the lock that the change needs, so where several processes create
// a file at once this does.
func (w *writer) useWAL(ctx context.Context, patience time.Duration) error {
	for end := time.Now().Add(patience); ; {
		var mode string
		err := w.conn.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode)
		switch {
		case err == nil && mode != "wal":
			return &Error{Problem: "its file system has no shared memory for the write-ahead log", Hint: "give a path on a local disk"}
		case !isBusy(err) || time.Now().After(end):
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func (w *writer) prepare(ctx context.Context) (err error) {
	for _, st := range w.all() {
		if *st.stmt, err = w.conn.PrepareContext(ctx, st.sql); err != nil {
			return err
		}
	}
	return nil
}

// run performs the writes that come until the queue is closed.
func (w *writer) run(queue <-chan *request) {
	for first := range queue {
		w.perform(first, queue)
	}
}

// perform does a write, and those that arrive meanwhile, in one transaction, and
// then gives the verdicts. Where that transaction fails and has several writes,
// each is done again alone, so that none fails for another's sake.
func (w *writer) perform(first *request, more <-chan *request) {
	if err := w.begin(first.ctx); err != nil {
		w.drop()
		first.end(err)
		return
	}
	group, failure := w.gather(first, more)
	if failure == nil {
		_, failure = w.conn.ExecContext(context.Background(), "COMMIT")
	}
	if failure == nil {
		for _, r := range group {
			r.end(nil)
		}
		return
	}
	w.drop()
	if len(group) == 1 {
		first.end(failure)
		return
	}
	w.log.Warn("a transaction on the session store failed; repeating its writes one by one", "path", w.path, "writes", len(group), "error", failure)
	for _, r := range group {
		w.perform(r, nil)
	}
}

// gather does the first write and those that wait by the time it is done.
func (w *writer) gather(first *request, more <-chan *request) (group []*request, failure error) {
	for r := first; ; {
		group = append(group, r)
		if r.verdict = r.ctx.Err(); r.verdict == nil {
			if r.verdict, failure = r.do(w); failure != nil {
				return group, failure
			}
		}
		if len(group) == groupLimit {
			return group, nil
		}
		select {
		case next, ok := <-more:
			if !ok {
				return group, nil
			}
			r = next
		default:
			return group, nil
		}
	}
}

// begin takes the file's write lock, for which it waits no longer than ctx.
func (w *writer) begin(ctx context.Context) error {
	if w.conn == nil {
		conn, err := w.db.Conn(ctx)
		if err != nil {
			return err
		}
		w.conn = conn
		if err := w.prepare(ctx); err != nil {
			return err
		}
	}
	_, err := w.conn.ExecContext(ctx, "BEGIN IMMEDIATE")
	return err
}

// drop gives up the connection, and with it the transaction and whatever state
// an error may have left. The next write makes a new one.
func (w *writer) drop() {
	if w.conn == nil {
		return
	}
	if err := errors.Join(w.statements.close(), w.conn.Close()); err != nil {
		w.log.Warn("closing a connection to the session store", "path", w.path, "error", err)
	}
	w.conn, w.statements = nil, statements{}
}

func (w *writer) close() error {
	w.drop()
	return w.db.Close()
}
