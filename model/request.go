package model

import "encoding/json"

// Request is one call of a model. The zero value of every option leaves the
// choice to the provider, except MaxTokens.
type Request struct {
	// Cache says where the provider should place cache breakpoints.
	Cache Cache
	// Effort is the provider's effort level ("low", "medium", "high", …).
	Effort string
	// Extra holds top-level fields of the provider's request that this package
	// does not name; they are sent as they are.
	Extra map[string]json.RawMessage
	// MaxTokens bounds the response, thinking included. Defaults to 8192.
	MaxTokens int
	// Messages is the conversation, oldest first; it begins with a user message.
	Messages []*Message
	// OutputSchema asks for a final answer that is JSON of this schema.
	OutputSchema json.RawMessage
	// StopSequences end the response where one of them would be written.
	StopSequences []string
	// System is the instructions, nil for none. Its role is RoleSystem.
	System *Message
	// Temperature is the sampling temperature; nil leaves it to the provider.
	Temperature *float64
	// Thinking asks for visible reasoning; nil leaves it to the provider.
	Thinking *ThinkingOptions
	// ToolChoice says whether a tool must be called.
	ToolChoice ToolChoice
	// Tools is what the model may call; nil for none.
	Tools *ToolSet
}

// DefaultMaxTokens is what a request without MaxTokens asks for.
const DefaultMaxTokens = 8192

// Cache says which parts of a request the provider should keep for the next.
// Providers without explicit caching ignore it.
type Cache struct {
	// System and Tools place a breakpoint behind the instructions and behind the
	// tool list.
	System, Tools bool
	// Messages places one behind each of the newest n messages. Anthropic allows
	// four breakpoints in all.
	Messages int
	// TTL is "5m" (the default) or "1h".
	TTL string
}

// ThinkingOptions asks a model to reason.
type ThinkingOptions struct {
	// Mode is "adaptive", "enabled" or "disabled".
	Mode string
	// BudgetTokens bounds the reasoning where Mode is "enabled".
	BudgetTokens int
	// Display is "summarized" or "omitted", where the provider has it.
	Display string
}
