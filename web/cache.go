package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/quarry-sdk/quarry/blob"
)

// Cache tells which snapshot of a URL is the newest. A page that was fetched on a
// day, in UTC, is not fetched again on that day; on a later one its host is asked
// whether it has changed.
type Cache interface {
	// Get returns the newest snapshot of a URL; ok tells whether there is one.
	Get(ctx context.Context, url string) (e CacheEntry, ok bool, err error)
	// Put makes a snapshot the newest of a URL.
	Put(ctx context.Context, url string, e CacheEntry) error
}

// CacheEntry names a snapshot.
type CacheEntry struct {
	// Ref is what [Open] takes.
	Ref string `json:"ref"`
	// FetchedAt is when it was fetched.
	FetchedAt time.Time `json:"fetched_at"`
}

// memoryCache is a cache in memory that forgets what was put first.
type memoryCache struct {
	mu      sync.Mutex
	entries map[string]CacheEntry
	order   []string
	limit   int
}

func newMemoryCache(limit int) *memoryCache {
	return &memoryCache{entries: make(map[string]CacheEntry), limit: limit}
}

func (c *memoryCache) Get(_ context.Context, url string) (CacheEntry, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[url]
	return e, ok, nil
}

func (c *memoryCache) Put(_ context.Context, url string, e CacheEntry) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.entries[url]; !ok {
		if len(c.order) == c.limit {
			delete(c.entries, c.order[0])
			c.order = c.order[1:]
		}
		c.order = append(c.order, url)
	}
	c.entries[url] = e
	return nil
}

// FileCache is a cache in a folder, one small file for each URL. It may be used by
// many goroutines and processes at once.
type FileCache struct{ dir string }

// NewFileCache returns the cache in a folder, which need not exist.
func NewFileCache(dir string) (*FileCache, error) {
	if dir == "" {
		return nil, errors.New("new file cache: no folder is given; give the path of one, which need not exist")
	}
	return &FileCache{dir}, nil
}

// cacheFile is what is in a file.
type cacheFile struct {
	URL string `json:"url"`
	CacheEntry
}

// Get returns the newest snapshot of a URL. A file that cannot be read as one of
// the cache counts as none.
func (c *FileCache) Get(ctx context.Context, url string) (CacheEntry, bool, error) {
	if err := ctx.Err(); err != nil {
		return CacheEntry{}, false, err
	}
	data, err := os.ReadFile(c.path(url))
	if errors.Is(err, fs.ErrNotExist) {
		return CacheEntry{}, false, nil
	}
	if err != nil {
		return CacheEntry{}, false, fmt.Errorf("look into cache: %w", err)
	}
	var f cacheFile
	if json.Unmarshal(data, &f) != nil || f.URL != url || blob.CheckRef(f.Ref) != nil {
		return CacheEntry{}, false, nil
	}
	return f.CacheEntry, true, nil
}

// Put makes a snapshot the newest of a URL.
func (c *FileCache) Put(ctx context.Context, url string, e CacheEntry) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	data, err := json.Marshal(cacheFile{url, e})
	if err != nil {
		return fmt.Errorf("write to cache: %w", err)
	}
	path := c.path(url)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("write to cache: %w", err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), "tmp-")
	if err != nil {
		return fmt.Errorf("write to cache: %w", err)
	}
	_, err = tmp.Write(data)
	err = errors.Join(err, tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
		return fmt.Errorf("write to cache: %w", err)
	}
	return nil
}

func (c *FileCache) path(url string) string {
	sum := sha256.Sum256([]byte(url))
	name := hex.EncodeToString(sum[:])
	return filepath.Join(c.dir, name[:2], name+".json")
}
