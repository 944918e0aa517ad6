package corpus

import "sync"

// docCache keeps the documents read last, up to maxCachedBytes of text; then it starts afresh.
type docCache struct {
	mu    sync.Mutex
	bytes int
	docs  map[int]*Document
}

const maxCachedBytes = 16 << 20

func newDocCache() *docCache { return &docCache{docs: make(map[int]*Document)} }

func (c *docCache) get(i int) *Document {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.docs[i]
}

func (c *docCache) put(i int, doc *Document) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bytes += len(doc.Text) + 1024; c.bytes > maxCachedBytes {
		clear(c.docs)
		c.bytes = len(doc.Text) + 1024
	}
	c.docs[i] = doc
}
