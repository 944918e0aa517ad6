package anthropic

import (
	"bytes"
	"encoding/json"

	"github.com/quarry-sdk/quarry/internal/rawjson"
	"github.com/quarry-sdk/quarry/model"
)

// The keys under which encoded bytes are kept. Instructions have their own: the
// same message could also stand within a conversation.
const (
	encodingKey       = Provider
	systemEncodingKey = Provider + "/system"
)

// encodeMessage returns ,{"role":…,"content":[…]} with its leading comma, kept
// with the message; nothing if none of its blocks can be sent.
func encodeMessage(m *model.Message) ([]byte, error) {
	return m.Encoding(encodingKey, func() ([]byte, error) {
		dst := make([]byte, 0, sizeHint(m.Blocks))
		dst = rawjson.AppendQuoted(append(dst, `,{"role":`...), string(m.Role))
		dst = append(dst, `,"content":[`...)
		before := len(dst)
		dst, err := appendBlocks(dst, m.Blocks, originOf(m))
		if err != nil {
			return nil, err
		}
		if len(dst) == before {
			return []byte{}, nil
		}
		return append(dst, messageEnd...), nil
	})
}

const messageEnd = "]}"

// encodeSystem returns the blocks of the instructions, as an array.
func encodeSystem(m *model.Message) ([]byte, error) {
	return m.Encoding(systemEncodingKey, func() ([]byte, error) {
		dst := append(make([]byte, 0, sizeHint(m.Blocks)), '[')
		dst, err := appendBlocks(dst, m.Blocks, originOf(m))
		if err != nil {
			return nil, err
		}
		if len(dst) == 1 {
			return []byte{}, nil
		}
		return append(dst, ']'), nil
	})
}

// encodeTools returns the tool list, as an array.
func encodeTools(t *model.ToolSet) ([]byte, error) {
	return t.Encoding(encodingKey, func() ([]byte, error) {
		dst := []byte{'['}
		for i := range t.Defs {
			var err error
			if dst, err = appendToolDef(dst, &t.Defs[i]); err != nil {
				return nil, err
			}
		}
		for i := range t.Server {
			var err error
			if dst, err = appendServerTool(dst, &t.Server[i]); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	})
}

func appendToolDef(dst []byte, def *model.ToolDef) ([]byte, error) {
	if len(dst) > 1 {
		dst = append(dst, ',')
	}
	dst = rawjson.AppendQuoted(append(dst, `{"name":`...), def.Name)
	if def.Description != "" {
		dst = rawjson.AppendQuoted(append(dst, `,"description":`...), def.Description)
	}
	if def.Strict {
		dst = append(dst, `,"strict":true`...)
	}
	schema := bytes.TrimSpace(def.InputSchema)
	if len(schema) == 0 {
		schema = []byte(`{"type":"object"}`)
	}
	if !rawjson.IsObject(schema) || !json.Valid(schema) {
		return dst, invalidRequest("the input schema of tool " + def.Name + " is not a JSON object")
	}
	// The schema is compacted: its author's indentation is not worth its bytes.
	buf := bytes.NewBuffer(append(dst, `,"input_schema":`...))
	if err := json.Compact(buf, schema); err != nil {
		return dst, err
	}
	dst, err := rawjson.AppendMissing(buf.Bytes(), def.Provider[Provider], "name", "description", "strict", "input_schema")
	if err != nil {
		return dst, invalidRequest("the field Provider of tool " + def.Name + ": " + err.Error())
	}
	return append(dst, '}'), nil
}

func appendServerTool(dst []byte, tool *model.ServerTool) ([]byte, error) {
	if len(dst) > 1 {
		dst = append(dst, ',')
	}
	config := bytes.TrimSpace(tool.Config)
	if len(config) > 0 && (!rawjson.IsObject(config) || !json.Valid(config)) {
		return dst, invalidRequest("the configuration of server tool " + tool.Type + " is not a JSON object")
	}
	dst = rawjson.AppendQuoted(append(dst, `{"type":`...), tool.Type)
	if tool.Name != "" && rawjson.Field(config, "name") == nil {
		dst = rawjson.AppendQuoted(append(dst, `,"name":`...), tool.Name)
	}
	if tool.MaxUses > 0 && rawjson.Field(config, "max_uses") == nil {
		dst = appendInt(append(dst, `,"max_uses":`...), tool.MaxUses)
	}
	dst, err := rawjson.AppendMissing(dst, config, "type")
	return append(dst, '}'), err
}

// sizeHint guesses how long the blocks will be, so that encoding seldom grows.
func sizeHint(blocks model.Blocks) int {
	n := 64
	for _, b := range blocks {
		if b == nil {
			continue // encoding says so
		}
		n += 96 + len(b.RawJSON())
		switch b := b.(type) {
		case *model.Text:
			n += len(b.Text) + len(b.Text)/8
		case *model.Thinking:
			n += len(b.Text) + len(b.Text)/8 + len(b.Signature)
		case *model.ToolUse:
			n += len(b.Input)
		case *model.ToolResult:
			n += sizeHint(b.Content)
		case *model.ServerToolResult:
			n += len(b.Content)
		case *model.Image:
			n += len(b.Source.Data) * 4 / 3
		case *model.Document:
			n += len(b.Source.Data)*4/3 + len(b.Source.Text)
		}
	}
	return n
}
