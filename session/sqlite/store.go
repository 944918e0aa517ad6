package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/quarry-sdk/quarry/session"
)

// Config says which file to keep the journals in, and how.
type Config struct {
	// BusyTimeout is how long a call waits for the file's lock while another
	// process writes. Defaults to 10 s.
	BusyTimeout time.Duration
	// Logger takes the rare news: a migration, a failed transaction. Defaults to
	// none.
	Logger *slog.Logger
	// Path is the database file. It and its directory are created where missing,
	// for this user alone.
	Path string
}

// Store is a session.Store in one SQLite file.
type Store struct {
	path string
	// life is held for reading by each call under way and for writing by Close.
	life   sync.RWMutex
	closed bool

	queue  chan *request
	writer *writer
	// written is closed when the writer's goroutine has ended.
	written chan struct{}

	reads   *sql.DB
	find    *sql.Stmt
	prefix  *sql.Stmt
	records *sql.Stmt
}

var _ session.Store = (*Store)(nil)

const (
	defaultBusyTimeout = 10 * time.Second
	// readers bounds the connections that read. None is held while a caller's
	// loop body runs.
	readers = 4
)

// Open opens the store, creating or migrating the file as needed. Its errors
// are of type *[Error], except the end of ctx.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	if cfg.Path == "" {
		return nil, &Error{Op: "open", Problem: "no path is given", Hint: "set Config.Path"}
	}
	if cfg.BusyTimeout <= 0 {
		cfg.BusyTimeout = defaultBusyTimeout
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	s, err := open(ctx, &cfg)
	if err != nil {
		return nil, failure("open", cfg.Path, err)
	}
	return s, nil
}

func open(ctx context.Context, cfg *Config) (*Store, error) {
	path, err := filepath.Abs(cfg.Path)
	if err != nil {
		return nil, err
	}
	if err := createFile(path); err != nil {
		return nil, err
	}
	w, err := newWriter(ctx, cfg, path)
	if err != nil {
		return nil, err
	}
	s := &Store{path: cfg.Path, queue: make(chan *request), writer: w, written: make(chan struct{})}
	if err := s.openReads(ctx, dsn(path, cfg.BusyTimeout, "_query_only=1")); err != nil {
		return nil, errors.Join(err, w.close())
	}
	go func() {
		defer close(s.written)
		w.run(s.queue)
	}()
	return s, nil
}

// createFile makes the directory and an empty file where they are missing,
// readable by nobody else; SQLite gives its other files the same permissions.
// A file that exists is not even opened: closing it would drop the locks that
// this process may hold on it.
func createFile(path string) error {
	if err := createDir(filepath.Dir(path)); err != nil {
		return &Error{Problem: "its directory cannot be created", Hint: "give another path, or create the directory", Err: err}
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return &Error{Problem: "the file cannot be created", Hint: "give another path, or permission to write in its directory", Err: err}
	}
	return f.Close()
}

// createDir creates a directory and those above it. What it creates outlives a
// power cut: SQLite syncs the directory of the file, and nobody its entry in the
// one above.
func createDir(dir string) error {
	parent := filepath.Dir(dir)
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is a file", dir)
	}
	if !errors.Is(err, os.ErrNotExist) || parent == dir {
		return err
	}
	if err := createDir(parent); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	d, err := os.Open(parent)
	if err != nil {
		return nil // it can be entered and not read, or is no thing to be synced
	}
	_ = d.Sync() // not every system syncs directories
	return d.Close()
}

// dsn returns the name under which the driver opens the file.
func dsn(path string, busy time.Duration, options ...string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	options = append([]string{
		"mode=rw", "_error_rc=1", "_dqs=0", "_defensive=1",
		"_busy_timeout=" + strconv.FormatInt(busy.Milliseconds(), 10),
	}, options...)
	return "file://" + (&url.URL{Path: path}).EscapedPath() + "?" + strings.Join(options, "&")
}

func (s *Store) openReads(ctx context.Context, name string) (err error) {
	if s.reads, err = sql.Open("sqlite", name); err != nil {
		return err
	}
	s.reads.SetMaxOpenConns(readers)
	s.reads.SetMaxIdleConns(readers)
	s.find, err = s.reads.PrepareContext(ctx, "SELECT number, last, forked_at FROM sessions WHERE id = ?")
	if err == nil {
		s.prefix, err = s.reads.PrepareContext(ctx, selectPrefix)
	}
	if err == nil {
		s.records, err = s.reads.PrepareContext(ctx, "SELECT seq, time, kind, data FROM records WHERE session = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?")
	}
	if err != nil {
		return errors.Join(err, s.reads.Close())
	}
	return nil
}

// selectPrefix reads the parts of a fork's prefix, in their order.
const selectPrefix = "SELECT journal, last FROM prefixes WHERE session = ? ORDER BY last"

// enter lets a call begin, unless the store is closed; leave ends it.
func (s *Store) enter() error {
	s.life.RLock()
	if s.closed {
		s.life.RUnlock()
		return session.ErrClosed
	}
	return nil
}

func (s *Store) leave() { s.life.RUnlock() }

// Close implements session.Store.
func (s *Store) Close() error {
	s.life.Lock()
	defer s.life.Unlock()
	if s.closed {
		return session.ErrClosed
	}
	s.closed = true
	close(s.queue)
	<-s.written
	if err := errors.Join(s.reads.Close(), s.writer.close()); err != nil {
		return fmt.Errorf("close session store %s: %w", s.path, err)
	}
	return nil
}
