package model

import "encoding/json"

// ToolDef is a tool as a model sees it.
type ToolDef struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	// InputSchema is a JSON Schema object.
	InputSchema json.RawMessage `json:"input_schema"`
	// Strict asks the provider to enforce the schema while it samples.
	Strict bool `json:"strict,omitempty"`
	// Provider holds further fields of a provider's own definition of the tool, a
	// JSON object for each provider's name: {"anthropic": {"defer_loading": true}}.
	// Another provider is not sent them.
	Provider map[string]json.RawMessage `json:"provider,omitempty"`
}

// ServerTool is a tool that the provider runs itself, such as web search. It
// may bring abilities of its own (a code sandbox that is not the workspace).
type ServerTool struct {
	// Type is the provider's versioned name, such as "web_search_20250305".
	Type string `json:"type"`
	// Name is what the model calls it.
	Name string `json:"name"`
	// MaxUses bounds the calls of one request; 0 leaves it to the provider.
	MaxUses int `json:"max_uses,omitempty"`
	// Config holds further fields of the provider's definition: a JSON object,
	// merged into it.
	Config json.RawMessage `json:"config,omitempty"`
}

// ToolSet is the list of tools of a run, fixed so that the provider's cache of
// it stays valid. It must not be changed after it was given to a request.
type ToolSet struct {
	Defs   []ToolDef    `json:"defs,omitempty"`
	Server []ServerTool `json:"server,omitempty"`

	encodings encodings
}

// Encoding is as [Message.Encoding].
func (t *ToolSet) Encoding(key string, encode func() ([]byte, error)) ([]byte, error) {
	return t.encodings.get(key, encode)
}

// Empty tells whether there is no tool at all; true for nil.
func (t *ToolSet) Empty() bool { return t == nil || len(t.Defs)+len(t.Server) == 0 }

// ToolChoice says whether and which tool the model must call.
type ToolChoice struct {
	// Mode is "auto" (the default), "any", "none", or "tool" with a Name.
	Mode string `json:"mode,omitempty"`
	Name string `json:"name,omitempty"`
	// Single forbids several calls in one response.
	Single bool `json:"single,omitempty"`
}
