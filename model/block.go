package model

import "encoding/json"

// Block is one piece of a message. The set is closed: [Text], [Thinking],
// [RedactedThinking], [ToolUse], [ToolResult], [ServerToolUse],
// [ServerToolResult], [Image], [Document] and [Unknown], always as pointers.
//
// Each block has a Raw field: the provider's own JSON of the block, set when
// the typed fields do not carry all of it. It is sent back unchanged to the
// provider that the message names, and ignored by every other.
type Block interface {
	// BlockType is the name under which the block is journaled.
	BlockType() string
	// RawJSON returns the block's Raw field.
	RawJSON() json.RawMessage
}

// Text is prose, with the citations that the provider attached to it.
type Text struct {
	Text      string          `json:"text"`
	Citations []Citation      `json:"citations,omitempty"`
	Raw       json.RawMessage `json:"raw,omitempty"`
}

// Thinking is a model's reasoning, with the signature that lets the provider
// accept it back. Both are returned to the provider unchanged.
type Thinking struct {
	Text      string          `json:"text"`
	Signature string          `json:"signature,omitempty"`
	Raw       json.RawMessage `json:"raw,omitempty"`
}

// RedactedThinking is reasoning that the provider encrypted.
type RedactedThinking struct {
	Data string          `json:"data"`
	Raw  json.RawMessage `json:"raw,omitempty"`
}

// ToolUse is a call of a tool that the caller has to perform.
type ToolUse struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Input is the arguments as the model wrote them: valid JSON, except where
	// Incomplete is set.
	Input json.RawMessage `json:"input"`
	// Incomplete tells that the arguments are not JSON (the answer was cut off,
	// or the model wrote them badly). Input then holds a JSON string with the
	// text that came. Such a call is never run.
	Incomplete bool            `json:"incomplete,omitempty"`
	Raw        json.RawMessage `json:"raw,omitempty"`
}

// ToolResult answers the ToolUse with the same id. Content holds Text, Image,
// Document or Unknown blocks.
type ToolResult struct {
	ToolUseID string          `json:"tool_use_id"`
	Name      string          `json:"name,omitempty"`
	Content   Blocks          `json:"content"`
	IsError   bool            `json:"is_error,omitempty"`
	Raw       json.RawMessage `json:"raw,omitempty"`
}

// ServerToolUse is a call that the provider performs itself (web search, code
// execution, a remote MCP server).
type ServerToolUse struct {
	// Type is the provider's block type, such as "server_tool_use".
	Type  string          `json:"kind"`
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
	Raw   json.RawMessage `json:"raw,omitempty"`
}

// ServerToolResult is the outcome of a ServerToolUse, kept in the provider's
// own form, which differs for each tool.
type ServerToolResult struct {
	// Type is the provider's block type, such as "web_search_tool_result".
	Type      string          `json:"kind"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error,omitempty"`
	Raw       json.RawMessage `json:"raw,omitempty"`
}

// Source says where the bytes of an image or a document are. One of Data, URL,
// FileID and Text is set.
type Source struct {
	MediaType string `json:"media_type,omitempty"`
	Data      []byte `json:"data,omitempty"`
	URL       string `json:"url,omitempty"`
	FileID    string `json:"file_id,omitempty"`
	Text      string `json:"text,omitempty"`
}

// Image is a picture.
type Image struct {
	Source Source          `json:"source"`
	Raw    json.RawMessage `json:"raw,omitempty"`
}

// Document is a PDF or a text that the model may read and cite.
type Document struct {
	Source  Source `json:"source"`
	Title   string `json:"title,omitempty"`
	Context string `json:"context,omitempty"`
	// Cite asks the provider to attach citations of this document.
	Cite bool            `json:"cite,omitempty"`
	Raw  json.RawMessage `json:"raw,omitempty"`
}

// Unknown is a block of a type that this version does not know. Raw is all of
// it; Type is its "type" field.
type Unknown struct {
	Type string          `json:"kind"`
	Raw  json.RawMessage `json:"raw"`
}

// Citation is a provider's pointer from a text to a source. Start and End count
// what Kind says (characters, pages or blocks) and are as the provider gave them.
type Citation struct {
	// Kind is the provider's location type, such as "char_location",
	// "page_location" or "web_search_result_location".
	Kind     string          `json:"kind"`
	Text     string          `json:"text,omitempty"`
	Title    string          `json:"title,omitempty"`
	URL      string          `json:"url,omitempty"`
	Document int             `json:"document,omitempty"`
	Start    int             `json:"start,omitempty"`
	End      int             `json:"end,omitempty"`
	Raw      json.RawMessage `json:"raw,omitempty"`
}

func (*Text) BlockType() string             { return "text" }
func (*Thinking) BlockType() string         { return "thinking" }
func (*RedactedThinking) BlockType() string { return "redacted_thinking" }
func (*ToolUse) BlockType() string          { return "tool_use" }
func (*ToolResult) BlockType() string       { return "tool_result" }
func (*ServerToolUse) BlockType() string    { return "server_tool_use" }
func (*ServerToolResult) BlockType() string { return "server_tool_result" }
func (*Image) BlockType() string            { return "image" }
func (*Document) BlockType() string         { return "document" }
func (*Unknown) BlockType() string          { return "unknown" }

func (b *Text) RawJSON() json.RawMessage             { return b.Raw }
func (b *Thinking) RawJSON() json.RawMessage         { return b.Raw }
func (b *RedactedThinking) RawJSON() json.RawMessage { return b.Raw }
func (b *ToolUse) RawJSON() json.RawMessage          { return b.Raw }
func (b *ToolResult) RawJSON() json.RawMessage       { return b.Raw }
func (b *ServerToolUse) RawJSON() json.RawMessage    { return b.Raw }
func (b *ServerToolResult) RawJSON() json.RawMessage { return b.Raw }
func (b *Image) RawJSON() json.RawMessage            { return b.Raw }
func (b *Document) RawJSON() json.RawMessage         { return b.Raw }
func (b *Unknown) RawJSON() json.RawMessage          { return b.Raw }
