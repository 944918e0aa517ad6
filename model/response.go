package model

import "encoding/json"

// StopReason says why a response ended. Values not listed here are the
// provider's own words, kept as they came.
type StopReason string

// The stop reasons that are known, named as the Anthropic API names them.
const (
	// StopEndTurn: the model has said what it had to say.
	StopEndTurn StopReason = "end_turn"
	// StopToolUse: the model waits for the results of its tool calls.
	StopToolUse StopReason = "tool_use"
	// StopMaxTokens: the response was cut off at MaxTokens.
	StopMaxTokens StopReason = "max_tokens"
	// StopSequence: one of the stop sequences was met.
	StopSequence StopReason = "stop_sequence"
	// StopPauseTurn: the provider paused a long turn; the same history, with
	// this response appended, continues it.
	StopPauseTurn StopReason = "pause_turn"
	// StopRefusal: the model declines; the same request will be declined again.
	StopRefusal StopReason = "refusal"
	// StopContextWindow: the conversation no longer fits the model's window.
	StopContextWindow StopReason = "model_context_window_exceeded"
)

// Response is a complete answer of a model.
type Response struct {
	// ID is the provider's id of the response.
	ID string `json:"id,omitempty"`
	// Model is the name that the provider resolved the request to.
	Model string `json:"model,omitempty"`
	// Message is what was said; its role is RoleAssistant, its blocks may be empty.
	Message    *Message   `json:"message"`
	StopReason StopReason `json:"stop_reason"`
	// StopSequence is the sequence met, where StopReason says so.
	StopSequence string `json:"stop_sequence,omitempty"`
	// StopDetails is the provider's explanation (of a refusal), raw.
	StopDetails json.RawMessage `json:"stop_details,omitempty"`
	Usage       Usage           `json:"usage"`
	// Extra holds top-level fields of the response that are not named above
	// (container, context_management …).
	Extra map[string]json.RawMessage `json:"extra,omitempty"`
}

// Usage counts the tokens of one response or of many. Input counts exclude what
// was read from or written to the cache.
type Usage struct {
	InputTokens      int64 `json:"input_tokens"`
	OutputTokens     int64 `json:"output_tokens"`
	CacheReadTokens  int64 `json:"cache_read_tokens"`
	CacheWriteTokens int64 `json:"cache_write_tokens"`
	// CacheWrite1hTokens is the part of CacheWriteTokens that lives for an hour.
	CacheWrite1hTokens int64 `json:"cache_write_1h_tokens,omitempty"`
	// ReasoningTokens is the part of OutputTokens spent on thinking, where the
	// provider tells.
	ReasoningTokens int64 `json:"reasoning_tokens,omitempty"`
	// ServerToolCalls counts the provider's own tools by the name of its usage
	// field, such as "web_search_requests".
	ServerToolCalls map[string]int64 `json:"server_tool_calls,omitempty"`
	// Raw is the provider's usage object of one response; sums have none.
	Raw json.RawMessage `json:"raw,omitempty"`
}

// Total is the number of all tokens, cached ones included.
func (u *Usage) Total() int64 {
	return u.InputTokens + u.OutputTokens + u.CacheReadTokens + u.CacheWriteTokens
}

// Add adds v to u, leaving Raw out.
func (u *Usage) Add(v *Usage) {
	u.InputTokens += v.InputTokens
	u.OutputTokens += v.OutputTokens
	u.CacheReadTokens += v.CacheReadTokens
	u.CacheWriteTokens += v.CacheWriteTokens
	u.CacheWrite1hTokens += v.CacheWrite1hTokens
	u.ReasoningTokens += v.ReasoningTokens
	for name, n := range v.ServerToolCalls {
		if u.ServerToolCalls == nil {
			u.ServerToolCalls = make(map[string]int64)
		}
		u.ServerToolCalls[name] += n
	}
}
