package openai

import (
	"hash/maphash"
	"sync"

	"github.com/quarry-sdk/quarry/model"
)

// maxLinks bounds how many answers a Model remembers.
const maxLinks = 4096

// link is what the API knows of a conversation: the answer with that id, and
// with it the first messages. The zero link is that it knows nothing.
type link struct {
	id       string
	messages int
	key      uint64
}

// chain remembers which conversation led to which answer that the API keeps.
// A conversation is known by the hash of its messages as they are sent, so that
// one whose earlier messages were replaced is not taken for the one that the API
// has. A nil chain remembers nothing.
type chain struct {
	seed maphash.Seed

	mu    sync.Mutex
	ids   map[uint64]string // guarded by mu
	order []uint64          // guarded by mu: the keys, oldest first
}

func newChain() *chain {
	return &chain{seed: maphash.MakeSeed(), ids: make(map[uint64]string)}
}

// find returns the longest beginning of a request's conversation that is known.
func (c *chain) find(req *model.Request) link {
	if c == nil {
		return link{}
	}
	var h maphash.Hash
	h.SetSeed(c.seed)
	c.mu.Lock()
	defer c.mu.Unlock()
	var found link
	for i, m := range req.Messages {
		if !hashMessage(&h, m) {
			break
		}
		// The last message cannot be known: there would be nothing to send.
		if i+1 < len(req.Messages) && m.Provider == Provider {
			if id, ok := c.ids[h.Sum64()]; ok {
				found = link{id: id, messages: i + 1, key: h.Sum64()}
			}
		}
	}
	return found
}

// add remembers the answer to a request.
func (c *chain) add(req *model.Request, answer *model.Response) {
	if c == nil || answer.ID == "" {
		return
	}
	var h maphash.Hash
	h.SetSeed(c.seed)
	for _, m := range req.Messages {
		if !hashMessage(&h, m) {
			return
		}
	}
	if !hashMessage(&h, answer.Message) {
		return
	}
	key := h.Sum64()
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.ids[key]; !known {
		c.order = append(c.order, key)
	}
	c.ids[key] = answer.ID
	if len(c.order) > maxLinks {
		delete(c.ids, c.order[0])
		c.order = c.order[1:]
	}
}

func hashMessage(h *maphash.Hash, m *model.Message) bool {
	if m == nil {
		return false
	}
	enc, err := encodeMessage(m, true)
	if err != nil {
		return false
	}
	h.WriteString(string(m.Role))
	h.Write(enc)
	h.WriteByte(0)
	return true
}

// broken takes the error of a request that used a link. Where the API no longer
// has the answer, it is forgotten, and the same request can be made again.
func (c *chain) broken(l link, err error) error {
	e, ok := err.(*model.Error)
	if c == nil || l.id == "" || !ok || e.Code != "previous_response_not_found" {
		return err
	}
	c.mu.Lock()
	delete(c.ids, l.key)
	c.mu.Unlock()
	e.Kind = model.ErrServer
	e.Message += " (all of the conversation will be sent at the next try)"
	return e
}
