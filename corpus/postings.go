package corpus

import (
	"context"
	"fmt"
	"slices"
	"sync"

	index "github.com/blevesearch/bleve_index_api"
)

// posting is a passage that holds a term, and how often.
type posting struct {
	passage int32
	freq    float32
}

// postingCache keeps decoded postings of the terms asked for, up to maxCached of them; then it starts afresh.
type postingCache struct {
	mu   sync.Mutex
	size int
	list map[string][]posting
}

// maxCached bounds the cache at 2 M postings, 16 MB.
const maxCached = 2 << 20

func newPostingCache() *postingCache { return &postingCache{list: make(map[string][]posting)} }

// lookup returns the passages that hold a term in a field, in the order of the passages.
func (s *snapshot) lookup(ctx context.Context, field, text string) ([]posting, error) {
	key := field + text
	c := s.postings
	c.mu.Lock()
	list, ok := c.list[key]
	c.mu.Unlock()
	if ok {
		return list, nil
	}
	reader, err := s.reader.TermFieldReader(ctx, []byte(text), field, true, false, false)
	if err != nil {
		return nil, fmt.Errorf("%w: term %q: %w", ErrDamaged, text, err)
	}
	defer reader.Close()
	list = make([]posting, 0, reader.Count())
	var doc index.TermFieldDoc
	for {
		next, err := reader.Next(doc.Reset())
		if err != nil {
			return nil, fmt.Errorf("%w: term %q: %w", ErrDamaged, text, err)
		}
		if next == nil {
			break
		}
		if n := next.ID.Value(); n < uint64(len(s.passageOf)) && s.passageOf[n] >= 0 {
			list = append(list, posting{s.passageOf[n], float32(next.Freq)})
		}
	}
	slices.SortFunc(list, func(a, b posting) int { return int(a.passage - b.passage) })
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.size += len(list) + 16; c.size > maxCached {
		c.list, c.size = make(map[string][]posting), len(list)+16
	}
	c.list[key] = list
	return list, nil
}
