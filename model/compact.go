package model

import (
	"bytes"
	"encoding/json"
)

// Compact returns the message without white space between the tokens of its raw
// JSON, which is how a journal gives it back; m itself where there is none. A
// message that is compacted before it is used is encoded to the same bytes
// before and after it was stored.
func (m *Message) Compact() *Message {
	var blocks Blocks
	for i, b := range m.Blocks {
		c := compactBlock(b)
		if c == b {
			continue
		}
		if blocks == nil {
			blocks = append(blocks, m.Blocks...)
		}
		blocks[i] = c
	}
	if blocks == nil {
		return m
	}
	return &Message{Role: m.Role, Blocks: blocks, Provider: m.Provider}
}

// compactBlock returns b itself where there is nothing to compact.
func compactBlock(b Block) Block {
	switch b := b.(type) {
	case *ToolUse:
		if input, raw := compact(b.Input), compact(b.Raw); input != nil || raw != nil {
			c := *b
			c.Input, c.Raw = either(input, b.Input), either(raw, b.Raw)
			return &c
		}
	case *ServerToolUse:
		if input, raw := compact(b.Input), compact(b.Raw); input != nil || raw != nil {
			c := *b
			c.Input, c.Raw = either(input, b.Input), either(raw, b.Raw)
			return &c
		}
	case *ServerToolResult:
		if content, raw := compact(b.Content), compact(b.Raw); content != nil || raw != nil {
			c := *b
			c.Content, c.Raw = either(content, b.Content), either(raw, b.Raw)
			return &c
		}
	case *Text:
		if raw := compact(b.Raw); raw != nil {
			c := *b
			c.Raw = raw
			return &c
		}
	case *Thinking:
		if raw := compact(b.Raw); raw != nil {
			c := *b
			c.Raw = raw
			return &c
		}
	case *Unknown:
		if raw := compact(b.Raw); raw != nil {
			c := *b
			c.Raw = raw
			return &c
		}
	}
	return b
}

func either(changed, old json.RawMessage) json.RawMessage {
	if changed != nil {
		return changed
	}
	return old
}

// compact returns nil where there is nothing to compact.
func compact(raw json.RawMessage) json.RawMessage {
	if !bytes.ContainsAny(raw, " \t\r\n") {
		return nil
	}
	var buf bytes.Buffer
	if json.Compact(&buf, raw) != nil || buf.Len() == len(raw) {
		return nil
	}
	return buf.Bytes()
}
