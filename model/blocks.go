package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Blocks is a list of blocks that encodes to JSON and back without loss. Each
// element is an object whose "type" is the block's BlockType; an element of a
// type written by a newer version decodes to [Unknown].
type Blocks []Block

// MarshalJSON implements json.Marshaler.
func (bs Blocks) MarshalJSON() ([]byte, error) {
	if bs == nil {
		return []byte("null"), nil
	}
	var buf, one bytes.Buffer
	enc := json.NewEncoder(&one)
	// Escapes for HTML would alter the raw JSON of providers.
	enc.SetEscapeHTML(false)
	buf.WriteByte('[')
	for i, b := range bs {
		if i > 0 {
			buf.WriteByte(',')
		}
		if b == nil {
			return nil, fmt.Errorf("encode block %d: it is nil", i)
		}
		one.Reset()
		if err := enc.Encode(b); err != nil {
			return nil, fmt.Errorf("encode block %d (%s): %w", i, b.BlockType(), err)
		}
		data := bytes.TrimSuffix(one.Bytes(), []byte("\n"))
		buf.WriteString(`{"type":"`)
		buf.WriteString(b.BlockType())
		buf.WriteByte('"')
		if len(data) > len("{}") {
			buf.WriteByte(',')
		}
		buf.Write(data[1:])
	}
	buf.WriteByte(']')
	return buf.Bytes(), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (bs *Blocks) UnmarshalJSON(data []byte) error {
	var raws []json.RawMessage
	if err := json.Unmarshal(data, &raws); err != nil {
		return fmt.Errorf("decode blocks: %w", err)
	}
	if raws == nil {
		*bs = nil
		return nil
	}
	out := make(Blocks, 0, len(raws))
	for i, raw := range raws {
		b, err := decodeBlock(raw)
		if err != nil {
			return fmt.Errorf("decode block %d: %w", i, err)
		}
		out = append(out, b)
	}
	*bs = out
	return nil
}

func decodeBlock(raw json.RawMessage) (Block, error) {
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return nil, err
	}
	var b Block
	switch head.Type {
	case "text":
		b = &Text{}
	case "thinking":
		b = &Thinking{}
	case "redacted_thinking":
		b = &RedactedThinking{}
	case "tool_use":
		b = &ToolUse{}
	case "tool_result":
		b = &ToolResult{}
	case "server_tool_use":
		b = &ServerToolUse{}
	case "server_tool_result":
		b = &ServerToolResult{}
	case "image":
		b = &Image{}
	case "document":
		b = &Document{}
	case "unknown":
		b = &Unknown{}
	default:
		return &Unknown{Type: head.Type, Raw: bytes.Clone(raw)}, nil
	}
	if err := json.Unmarshal(raw, b); err != nil {
		return nil, fmt.Errorf("%s: %w", head.Type, err)
	}
	return b, nil
}

// Text returns the texts of all Text blocks, one after the other.
func (bs Blocks) Text() string {
	var only string
	var many *strings.Builder
	for _, b := range bs {
		t, ok := b.(*Text)
		if !ok || t.Text == "" {
			continue
		}
		switch {
		case many != nil:
			many.WriteString(t.Text)
		case only == "":
			only = t.Text
		default:
			many = &strings.Builder{}
			many.WriteString(only)
			many.WriteString(t.Text)
		}
	}
	if many != nil {
		return many.String()
	}
	return only
}

// ToolUses returns the tool calls in order; nil if there are none.
func (bs Blocks) ToolUses() []*ToolUse {
	var uses []*ToolUse
	for _, b := range bs {
		if u, ok := b.(*ToolUse); ok {
			uses = append(uses, u)
		}
	}
	return uses
}
