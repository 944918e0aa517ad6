package chat

import (
	"fmt"
	"slices"
)

// Quirks says how a server bends the API. The zero value is what most of them
// accept; each field names a departure.
type Quirks struct {
	// DropKeywords are keywords that the server refuses in the schemas of tools
	// and answers; they are left out wherever they stand as keywords.
	DropKeywords []string `json:"drop_keywords,omitempty"`
	// EchoFields are fields of an assistant message that the server wants back
	// as it sent them, such as "extra_content" with Gemini's signatures.
	EchoFields []string `json:"echo_fields,omitempty"`
	// EffortField is where [model.Request.Effort] goes: "reasoning_effort", or
	// "reasoning" for an object with the field effort. "none" leaves it out.
	// Defaults to "reasoning_effort".
	EffortField string `json:"effort_field,omitempty"`
	// EmptyContent is the content of a message that has calls and no text:
	// "null", "empty" for an empty string, or "omit". Defaults to "null".
	EmptyContent string `json:"empty_content,omitempty"`
	// EmptyThinking tells that an answer with calls must have the field that
	// ThinkingBack names, even if the answer has no reasoning.
	EmptyThinking bool `json:"empty_thinking,omitempty"`
	// Files tells that prompts may hold documents such as PDFs.
	Files bool `json:"files,omitempty"`
	// IDs is the form of call ids: "short" for nine letters and digits, as
	// Mistral wants them. Defaults to ids as they came, up to 40 characters.
	IDs string `json:"ids,omitempty"`
	// KeyHeader is the header that takes the key as it is. Defaults to
	// Authorization, with the word Bearer before the key.
	KeyHeader string `json:"key_header,omitempty"`
	// MaxTokensField bounds an answer. Defaults to "max_tokens".
	MaxTokensField string `json:"max_tokens_field,omitempty"`
	// NoParallelField tells that the server refuses parallel_tool_calls, so that
	// [model.ToolChoice] Single cannot be asked for.
	NoParallelField bool `json:"no_parallel_field,omitempty"`
	// NoStreamOptions tells that the server refuses stream_options. It then has
	// to report the usage unasked.
	NoStreamOptions bool `json:"no_stream_options,omitempty"`
	// OutputSchema tells that the server enforces response_format json_schema.
	OutputSchema bool `json:"output_schema,omitempty"`
	// Required is the tool choice that demands a call. Defaults to "required".
	Required string `json:"required,omitempty"`
	// ServerTools tells that the server runs tools of its own, which stand in
	// the list of tools by their type.
	ServerTools bool `json:"server_tools,omitempty"`
	// Strict tells that the server takes the field strict of a tool.
	Strict bool `json:"strict,omitempty"`
	// SystemRole is the role of the instructions: "developer", or "user" for
	// models whose template has no other. Defaults to "system".
	SystemRole string `json:"system_role,omitempty"`
	// TextCalls lets calls that the model writes into its text, as
	// <tool_call>{"name":…,"arguments":{…}}</tool_call>, count as calls, if they
	// name a tool of the request. For servers that do not parse them themselves.
	TextCalls bool `json:"text_calls,omitempty"`
	// ThinkingBack is how a model's reasoning goes back to it: a field of the
	// assistant message ("reasoning_content", "reasoning"), "reasoning_details"
	// for those as they came, "tags" for <think> tags within the content, "same"
	// for the field in which it came, or "none". Defaults to "none".
	ThinkingBack string `json:"thinking_back,omitempty"`
	// ThinkingField is where [model.Request.Thinking] goes: "reasoning", or
	// "thinking", an object with a type. Defaults to "none": it is left out.
	ThinkingField string `json:"thinking_field,omitempty"`
	// ThinkTags says where reasoning stands within the content: "leading" if the
	// content may begin with <think>, "implied" if it begins within it. Defaults
	// to "none".
	ThinkTags string `json:"think_tags,omitempty"`
	// ToolName tells that results need the name of their tool beside its id.
	ToolName bool `json:"tool_name,omitempty"`
}

// check returns an error for a field that has none of its known values.
func (q *Quirks) check() error {
	for _, f := range []struct {
		name, value string
		known       []string
	}{
		{"EffortField", q.EffortField, []string{"reasoning_effort", "reasoning", "none"}},
		{"EmptyContent", q.EmptyContent, []string{"null", "empty", "omit"}},
		{"IDs", q.IDs, []string{"short"}},
		{"SystemRole", q.SystemRole, []string{"system", "developer", "user"}},
		{"ThinkingBack", q.ThinkingBack, []string{"reasoning_content", "reasoning", "reasoning_details", "tags", "same", "none"}},
		{"ThinkingField", q.ThinkingField, []string{"reasoning", "thinking", "none"}},
		{"ThinkTags", q.ThinkTags, []string{"leading", "implied", "none"}},
	} {
		if f.value != "" && !slices.Contains(f.known, f.value) {
			return fmt.Errorf("quirk %s is %q; it must be one of %q", f.name, f.value, f.known)
		}
	}
	return nil
}

func (q *Quirks) clone() *Quirks {
	c := *q
	c.DropKeywords, c.EchoFields = slices.Clone(q.DropKeywords), slices.Clone(q.EchoFields)
	return &c
}

func or(value, fallback string) string {
	if value == "" {
		return fallback
	}
	return value
}
