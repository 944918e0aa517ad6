package modeltest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/quarry-sdk/quarry/model"
)

// wireBlock is a content block of the Anthropic Messages API, all types in one.
type wireBlock struct {
	Type         string          `json:"type"`
	Text         string          `json:"text"`
	Thinking     string          `json:"thinking"`
	Signature    string          `json:"signature"`
	Data         string          `json:"data"`
	ID           string          `json:"id"`
	Name         string          `json:"name"`
	Input        json.RawMessage `json:"input"`
	ToolUseID    string          `json:"tool_use_id"`
	Content      json.RawMessage `json:"content"`
	IsError      bool            `json:"is_error"`
	Source       wireSource      `json:"source"`
	Title        string          `json:"title"`
	Context      string          `json:"context"`
	Citations    json.RawMessage `json:"citations"`
	CacheControl json.RawMessage `json:"cache_control"`
}

// wireSource is where an image or a document comes from. Search results have a
// string here, which is left out.
type wireSource struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
	URL       string `json:"url"`
	FileID    string `json:"file_id"`
}

func (s *wireSource) UnmarshalJSON(data []byte) error {
	if len(data) == 0 || data[0] != '{' {
		return nil
	}
	type plain wireSource
	return json.Unmarshal(data, (*plain)(s))
}

func (s *wireSource) source() (model.Source, error) {
	out := model.Source{MediaType: s.MediaType, URL: s.URL, FileID: s.FileID}
	switch s.Type {
	case "text":
		out.Text = s.Data
	case "base64":
		data, err := base64.StdEncoding.DecodeString(s.Data)
		if err != nil {
			return out, fmt.Errorf("source.data: %w", err)
		}
		out.Data = data
	}
	return out, nil
}

// knownBlock tells whether blocks of this type have a typed form here.
func knownBlock(kind string) bool {
	switch kind {
	case "", "text", "thinking", "redacted_thinking", "tool_use", "tool_result", "image", "document", "server_tool_use", "mcp_tool_use":
		return true
	}
	return strings.HasSuffix(kind, "_tool_result")
}

// decodeBlock reads a content block; its Raw is set where the typed fields do not
// carry all of it.
func decodeBlock(raw json.RawMessage) (model.Block, error) {
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return nil, err
	}
	raw = bytes.Clone(raw)
	var w wireBlock
	if err := json.Unmarshal(raw, &w); err != nil {
		if !knownBlock(head.Type) {
			// Its fields have the names of known ones and other types.
			return &model.Unknown{Type: head.Type, Raw: raw}, nil
		}
		return nil, err
	}
	switch {
	case w.Type == "":
		return nil, fmt.Errorf("type: Field required")
	case w.Type == "text":
		b := &model.Text{Text: w.Text}
		if len(w.Citations) > 0 && string(w.Citations) != "null" {
			b.Raw = raw
		}
		return b, nil
	case w.Type == "thinking":
		return &model.Thinking{Text: w.Thinking, Signature: w.Signature}, nil
	case w.Type == "redacted_thinking":
		return &model.RedactedThinking{Data: w.Data}, nil
	case w.Type == "tool_use":
		return &model.ToolUse{ID: w.ID, Name: w.Name, Input: w.Input, Raw: raw}, nil
	case w.Type == "tool_result":
		content, err := decodeContent(w.Content)
		if err != nil {
			return nil, fmt.Errorf("content: %w", err)
		}
		return &model.ToolResult{ToolUseID: w.ToolUseID, Content: content, IsError: w.IsError}, nil
	case w.Type == "image":
		src, err := w.Source.source()
		return &model.Image{Source: src, Raw: raw}, err
	case w.Type == "document":
		src, err := w.Source.source()
		return &model.Document{Source: src, Title: w.Title, Context: w.Context, Raw: raw}, err
	case w.Type == "server_tool_use" || w.Type == "mcp_tool_use":
		return &model.ServerToolUse{Type: w.Type, ID: w.ID, Name: w.Name, Input: w.Input, Raw: raw}, nil
	case strings.HasSuffix(w.Type, "_tool_result"):
		return &model.ServerToolResult{Type: w.Type, ToolUseID: w.ToolUseID, Content: w.Content, IsError: w.IsError, Raw: raw}, nil
	}
	return &model.Unknown{Type: w.Type, Raw: raw}, nil
}

// decodeContent reads the content of a message: a string or a list of blocks.
func decodeContent(raw json.RawMessage) (model.Blocks, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	if raw[0] == '"' {
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return nil, err
		}
		return model.Blocks{&model.Text{Text: text}}, nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		//lint:ignore ST1005 these are the API's own words
		return nil, fmt.Errorf("Input should be a valid list")
	}
	blocks := make(model.Blocks, len(list))
	for i, item := range list {
		b, err := decodeBlock(item)
		if err != nil {
			return nil, fmt.Errorf("%d: %w", i, err)
		}
		blocks[i] = b
	}
	return blocks, nil
}
