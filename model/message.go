package model

import "sync/atomic"

// Role says who speaks.
type Role string

// The roles. Instructions travel in [Request.System], whose role is RoleSystem.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// Message is one turn of a conversation. It must not be changed after it was
// given to a request: providers keep its encoded bytes.
type Message struct {
	Role   Role   `json:"role"`
	Blocks Blocks `json:"blocks"`
	// Provider names whose raw JSON the blocks carry ("anthropic"); empty for a
	// message that was made here.
	Provider string `json:"provider,omitempty"`

	encodings encodings
}

// NewMessage returns a message of the given blocks.
func NewMessage(role Role, blocks ...Block) *Message {
	return &Message{Role: role, Blocks: blocks}
}

// UserText returns a user message of one text.
func UserText(text string) *Message { return NewMessage(RoleUser, &Text{Text: text}) }

// Encoding returns what encode returned at the first successful call with this
// key for this message. A provider uses its own name as the key, so that each
// message of a growing history is encoded once.
func (m *Message) Encoding(key string, encode func() ([]byte, error)) ([]byte, error) {
	return m.encodings.get(key, encode)
}

// encodings is a small, lock-free map from a provider to encoded bytes.
type encodings struct {
	head atomic.Pointer[encoding]
}

type encoding struct {
	key  string
	data []byte
	next *encoding
}

func (e *encodings) get(key string, encode func() ([]byte, error)) ([]byte, error) {
	head := e.head.Load()
	for n := head; n != nil; n = n.next {
		if n.key == key {
			return n.data, nil
		}
	}
	data, err := encode()
	if err != nil {
		return nil, err
	}
	// A lost race costs one more encoding later, never a wrong one.
	e.head.CompareAndSwap(head, &encoding{key: key, data: data, next: head})
	return data, nil
}
