package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// format is the version of the file that this package writes.
const format = 1

const (
	damagedSuffix = ".damaged-"
	maxFileBytes  = 64 << 20
)

// content is what the file holds.
type content struct {
	Format  int     `json:"format"`
	Entries []Entry `json:"entries"`
}

// damage tells that the file is not what this package writes.
type damage struct{ why string }

func (d *damage) Error() string { return d.why }

// read reads the file as it is; no lock is needed, for it is replaced as a whole.
// The error is a *damage where the file is damaged.
func (s *Store) read() ([]Entry, error) {
	f, err := os.Open(s.cfg.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the memory: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read the memory: %w", err)
	}
	return decode(data)
}

func decode(data []byte) ([]Entry, error) {
	if len(data) > maxFileBytes {
		return nil, &damage{fmt.Sprintf("it has more than %d bytes", maxFileBytes)}
	}
	var version struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(data, &version); err != nil {
		return nil, &damage{fmt.Sprintf("it is not the JSON of a memory: %v", err)}
	}
	if version.Format > format {
		return nil, fmt.Errorf("the memory is of format %d and this program knows %d; use a newer version of it", version.Format, format)
	}
	if version.Format < 1 {
		return nil, &damage{"it does not say its format"}
	}
	var c content
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, &damage{fmt.Sprintf("its entries cannot be read: %v", err)}
	}
	for i, e := range c.Entries {
		if e.Key == "" {
			return nil, &damage{fmt.Sprintf("its entry %d has no key", i+1)}
		}
	}
	// A person may have edited it: order and doubles are no damage.
	slices.SortStableFunc(c.Entries, func(a, b Entry) int { return cmp.Or(cmp.Compare(a.Key, b.Key), b.Time.Compare(a.Time)) })
	return slices.CompactFunc(c.Entries, func(a, b Entry) bool { return a.Key == b.Key }), nil
}

// change lets fn change the entries, alone among all processes. Where fn returns
// nil, nothing is written.
func (s *Store) change(ctx context.Context, fn func([]Entry) ([]Entry, error)) error {
	return s.locked(ctx, func() error {
		entries, aside, err := s.load()
		if err != nil {
			return err
		}
		changed, err := fn(slices.Clone(entries))
		if err != nil || changed == nil && aside == "" {
			return err
		}
		return s.write(changed)
	})
}

// load reads the file and sets it aside where it is damaged. The lock is held.
func (s *Store) load() (entries []Entry, aside string, err error) {
	entries, err = s.read()
	var d *damage
	if !errors.As(err, &d) {
		return entries, "", err
	}
	for n := 1; ; n++ {
		aside = fmt.Sprintf("%s%s%d", s.cfg.Path, damagedSuffix, n)
		if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if err := os.Rename(s.cfg.Path, aside); err != nil {
		return nil, "", fmt.Errorf("the memory is damaged (%w), and it cannot be set aside: %w; move the file away", d, err)
	}
	s.log.Warn("the memory was damaged and is set aside", "file", s.cfg.Path, "aside", aside, "why", d.why)
	return nil, aside, nil
}

// write replaces the file. The lock is held.
func (s *Store) write(entries []Entry) error {
	if entries == nil {
		entries = []Entry{}
	}
	data, err := json.MarshalIndent(content{format, entries}, "", "  ")
	if err != nil {
		return fmt.Errorf("write the memory: %w", err)
	}
	temp := s.cfg.Path + ".tmp"
	if err := writeSynced(temp, append(data, '\n')); err != nil {
		return fmt.Errorf("write the memory: %w", err)
	}
	if err := os.Rename(temp, s.cfg.Path); err != nil {
		return fmt.Errorf("write the memory: %w", err)
	}
	if dir, err := os.Open(filepath.Dir(s.cfg.Path)); err == nil {
		_ = dir.Sync() // not every system can
		_ = dir.Close()
	}
	return nil
}

func writeSynced(name string, data []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// locked calls fn while no other goroutine and no other process does. The lock is
// the system's: it ends with the process that holds it.
func (s *Store) locked(ctx context.Context, fn func() error) error {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return s.busy(ctx)
	}
	if err := os.MkdirAll(filepath.Dir(s.cfg.Path), 0o700); err != nil {
		return fmt.Errorf("make the folder of the memory: %w", err)
	}
	f, err := os.OpenFile(s.cfg.Path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("lock the memory: %w", err)
	}
	defer f.Close()
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		got, err := tryLock(f)
		if err != nil {
			return fmt.Errorf("lock the memory: %w", err)
		}
		if got {
			break
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return s.busy(ctx)
		}
	}
	defer unlock(f)
	return fn()
}

func (s *Store) busy(ctx context.Context) error {
	return fmt.Errorf("the memory is in use by another process (the lock is %s): %w; try again", strings.TrimSpace(filepath.Base(s.cfg.Path))+".lock", context.Cause(ctx))
}
