package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The defaults of a Config.
const (
	DefaultMaxEntries     = 500
	DefaultMaxKeyBytes    = 128
	DefaultMaxPromptBytes = 8 << 10
	DefaultMaxValueBytes  = 4 << 10
)

// Config describes a Store. Only Path is required.
type Config struct {
	// Logger is told of a damaged file. Defaults to nil, which discards.
	Logger *slog.Logger
	// MaxEntries bounds how much is remembered. Defaults to DefaultMaxEntries.
	MaxEntries int
	// MaxKeyBytes and MaxValueBytes bound an entry. They default to
	// DefaultMaxKeyBytes and DefaultMaxValueBytes.
	MaxKeyBytes   int
	MaxValueBytes int
	// MaxPromptBytes bounds what Prompt returns. Defaults to
	// DefaultMaxPromptBytes.
	MaxPromptBytes int
	// Path is the file. It is made, with its folder, when something is first
	// remembered; a file beside it, with ".lock" at its end, is the lock.
	Path string
}

// Entry is something that is remembered.
type Entry struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	// Time is when it was written, in UTC.
	Time time.Time `json:"time"`
	// Session is the id of the session that wrote it; "" where code did.
	Session string `json:"session,omitempty"`
}

// Store is a memory in a file. It may be used from many goroutines, and the file
// from many processes.
type Store struct {
	cfg Config
	log *slog.Logger
	// turn is held by the one goroutine that changes the file; it spares those of
	// this process to poll for the lock.
	turn chan struct{}
}

// Open returns the memory that is kept in a file. The file need not exist.
func Open(cfg Config) (*Store, error) {
	if cfg.Path == "" {
		return nil, errors.New("memory: there is no file; set Config.Path, such as .quarry/memory.json")
	}
	if cfg.MaxEntries < 0 || cfg.MaxKeyBytes < 0 || cfg.MaxValueBytes < 0 || cfg.MaxPromptBytes < 0 {
		return nil, errors.New("memory: a limit is negative; use 0 for its default")
	}
	cfg.MaxEntries = cmp.Or(cfg.MaxEntries, DefaultMaxEntries)
	cfg.MaxKeyBytes = cmp.Or(cfg.MaxKeyBytes, DefaultMaxKeyBytes)
	cfg.MaxValueBytes = cmp.Or(cfg.MaxValueBytes, DefaultMaxValueBytes)
	cfg.MaxPromptBytes = cmp.Or(cfg.MaxPromptBytes, DefaultMaxPromptBytes)
	if info, err := os.Stat(cfg.Path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("memory: %q is a folder; set Config.Path to a file", cfg.Path)
	}
	s := &Store{cfg: cfg, log: cfg.Logger, turn: make(chan struct{}, 1)}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	return s, nil
}

// Entries returns what is remembered, in the order of the keys.
func (s *Store) Entries(ctx context.Context) ([]Entry, error) {
	entries, err := s.read()
	// Where a file that is open cannot be replaced, readers take their turn too.
	if runtime.GOOS == "windows" || errors.As(err, new(*damage)) {
		err = s.locked(ctx, func() (err error) {
			entries, _, err = s.load()
			return err
		})
	}
	return entries, err
}

// Remember writes an entry, in place of the one that has its key; replaced is the
// value that had been there. The error for what cannot be remembered says why.
func (s *Store) Remember(ctx context.Context, key, value, session string) (replaced string, err error) {
	key, err = s.checkKey(key)
	if err != nil {
		return "", err
	}
	if err := s.checkValue(value); err != nil {
		return "", err
	}
	err = s.change(ctx, func(entries []Entry) ([]Entry, error) {
		i, found := find(entries, key)
		if !found {
			if len(entries) >= s.cfg.MaxEntries {
				return nil, fmt.Errorf("the memory holds %d entries, which is its limit; forget what is no longer needed, or put more into one entry", len(entries))
			}
			entries = slices.Insert(entries, i, Entry{})
		}
		e := Entry{Key: key, Value: value, Time: time.Now().UTC().Truncate(time.Second), Session: session}
		replaced = entries[i].Value
		if entries[i].Value == e.Value && entries[i].Session == e.Session {
			return nil, nil
		}
		entries[i] = e
		return entries, nil
	})
	return replaced, err
}

// Forget removes an entry, and tells whether there was one.
func (s *Store) Forget(ctx context.Context, key string) (found bool, err error) {
	key, err = s.checkKey(key)
	if err != nil {
		return false, err
	}
	err = s.change(ctx, func(entries []Entry) ([]Entry, error) {
		var i int
		if i, found = find(entries, key); !found {
			return nil, nil
		}
		return slices.Delete(entries, i, i+1), nil
	})
	return found, err
}

// Damaged returns the files that were set aside because they were damaged.
func (s *Store) Damaged() ([]string, error) {
	dir, base := filepath.Split(s.cfg.Path)
	entries, err := os.ReadDir(cmp.Or(dir, "."))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), base+damagedSuffix) {
			names = append(names, filepath.Join(dir, e.Name()))
		}
	}
	return names, err
}

// find returns where a key is in entries, or where it belongs.
func find(entries []Entry, key string) (int, bool) {
	return slices.BinarySearchFunc(entries, key, func(e Entry, key string) int { return cmp.Compare(e.Key, key) })
}

// checkKey returns a key in the form in which it is kept.
func (s *Store) checkKey(key string) (string, error) {
	key = norm.NFC.String(strings.TrimSpace(key))
	switch {
	case key == "":
		return "", errors.New("the key is empty; send a short name, such as report_language")
	case !utf8.ValidString(key):
		return "", errors.New("the key is not valid UTF-8; send plain text")
	case len(key) > s.cfg.MaxKeyBytes:
		return "", fmt.Errorf("the key has %d bytes and the limit is %d; use a short name, and put the rest into the value", len(key), s.cfg.MaxKeyBytes)
	}
	for _, r := range key {
		if r < ' ' || r == 0x7f || r == '\u2028' || r == '\u2029' {
			return "", fmt.Errorf("the key %q holds the control character %U; use a name on one line", key, r)
		}
	}
	return key, nil
}

func (s *Store) checkValue(value string) error {
	switch {
	case strings.TrimSpace(value) == "":
		return errors.New("the value is empty; send what is to be remembered, or use forget to remove an entry")
	case !utf8.ValidString(value):
		return errors.New("the value is not valid UTF-8; send plain text")
	case len(value) > s.cfg.MaxValueBytes:
		return fmt.Errorf("the value has %d bytes and the limit is %d; remember the essence, or write the rest to a file and remember its path", len(value), s.cfg.MaxValueBytes)
	}
	return nil
}
