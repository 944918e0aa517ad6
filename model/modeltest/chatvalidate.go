package modeltest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/quarry-sdk/quarry/model"
)

// chatRequest is a decoded request with what model.Request does not say.
type chatRequest struct {
	*model.Request
	model  string
	stream bool
	usage  bool // include_usage was asked for
}

// wireChat is the body of POST /v1/chat/completions.
type wireChat struct {
	MaxTokens           *int          `json:"max_tokens"`
	MaxCompletionTokens *int          `json:"max_completion_tokens"`
	Messages            []chatMessage `json:"messages"`
	Model               string        `json:"model"`
	Parallel            *bool         `json:"parallel_tool_calls"`
	Effort              string        `json:"reasoning_effort"`
	Format              *struct {
		Type   string `json:"type"`
		Schema struct {
			Name   string          `json:"name"`
			Schema json.RawMessage `json:"schema"`
		} `json:"json_schema"`
	} `json:"response_format"`
	Stop          json.RawMessage `json:"stop"`
	Stream        bool            `json:"stream"`
	StreamOptions *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	Temperature *float64        `json:"temperature"`
	ToolChoice  json.RawMessage `json:"tool_choice"`
	Tools       []chatTool      `json:"tools"`
}

type chatMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	Name       string          `json:"name"`
	ToolCallID string          `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
	Reasoning        string `json:"reasoning"`
	ReasoningContent string `json:"reasoning_content"`
	ReasoningDetails []struct {
		Type      string `json:"type"`
		Text      string `json:"text"`
		Signature string `json:"signature"`
		Data      string `json:"data"`
	} `json:"reasoning_details"`

	fields []string // the names of all that it has
}

// UnmarshalJSON implements json.Unmarshaler.
func (m *chatMessage) UnmarshalJSON(data []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	type plain chatMessage
	err := json.Unmarshal(data, (*plain)(m))
	m.fields = slices.Sorted(maps.Keys(fields))
	return err
}

type chatTool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
		Strict      bool            `json:"strict"`
	} `json:"function"`
}

// The fields that the API knows. It refuses others, where many servers pass over
// them; the strict one finds the mistake.
var (
	chatFields = []string{"audio", "frequency_penalty", "logit_bias", "logprobs", "max_completion_tokens", "max_tokens", "messages", "metadata",
		"modalities", "model", "n", "parallel_tool_calls", "prediction", "presence_penalty", "prompt_cache_key", "reasoning_effort", "response_format",
		"safety_identifier", "seed", "service_tier", "stop", "store", "stream", "stream_options", "temperature", "tool_choice", "tools", "top_logprobs",
		"top_p", "user", "verbosity", "web_search_options"}
	// chatNamed are those that wireChat reads.
	chatNamed         = []string{"max_completion_tokens", "max_tokens", "messages", "model", "parallel_tool_calls", "reasoning_effort", "response_format", "stop", "stream", "stream_options", "temperature", "tool_choice", "tools"}
	chatMessageFields = map[string][]string{
		"system": {"role", "content", "name"}, "developer": {"role", "content", "name"}, "user": {"role", "content", "name"},
		"tool":      {"role", "content", "name", "tool_call_id"},
		"assistant": {"role", "content", "name", "refusal", "tool_calls", "reasoning", "reasoning_content", "reasoning_details"},
	}
	chatToolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
)

const maxChatCallID = 40

func chatInvalid(format string, args ...any) error {
	return &model.Error{Kind: model.ErrInvalidRequest, Provider: "modeltest", Message: fmt.Sprintf(format, args...)}
}

// decodeChat reads and checks the body of a request as the strictest servers do.
// The errors are *model.Error, in the words of OpenAI's API where it has any.
func decodeChat(body []byte) (*chatRequest, error) {
	var fields map[string]json.RawMessage
	var w wireChat
	if err := json.Unmarshal(body, &fields); err != nil {
		return nil, chatInvalid("We could not parse the JSON body of your request: %v", err)
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(chatFields, name) {
			return nil, chatInvalid("Unrecognized request argument supplied: %s", name)
		}
	}
	if err := json.Unmarshal(body, &w); err != nil {
		return nil, chatInvalid("Invalid type: %v", err)
	}
	r := &model.Request{Effort: w.Effort, Temperature: w.Temperature}
	for _, check := range []func(*model.Request) error{w.checkOptions, w.checkTools, w.checkMessages} {
		if err := check(r); err != nil {
			return nil, err
		}
	}
	maps.DeleteFunc(fields, func(name string, _ json.RawMessage) bool { return slices.Contains(chatNamed, name) })
	if len(fields) > 0 {
		r.Extra = fields
	}
	return &chatRequest{Request: r, model: w.Model, stream: w.Stream, usage: w.StreamOptions != nil && w.StreamOptions.IncludeUsage}, nil
}

func (w *wireChat) checkOptions(r *model.Request) error {
	limit := w.MaxCompletionTokens
	if limit == nil {
		limit = w.MaxTokens
	}
	switch {
	case w.Model == "":
		return chatInvalid("you must provide a model parameter")
	case w.MaxTokens != nil && w.MaxCompletionTokens != nil:
		return chatInvalid("Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.")
	case limit != nil && *limit < 1:
		return chatInvalid("Invalid 'max_tokens': integer below minimum value. Expected a value >= 1, but got %d instead.", *limit)
	case w.Temperature != nil && (*w.Temperature < 0 || *w.Temperature > 2):
		return chatInvalid("Invalid 'temperature': decimal out of range. Expected a value between 0 and 2.")
	case w.StreamOptions != nil && !w.Stream:
		return chatInvalid("The 'stream_options' parameter is only allowed when 'stream' is enabled.")
	}
	if limit != nil {
		r.MaxTokens = *limit
	}
	if len(w.Stop) > 0 && string(w.Stop) != "null" {
		var one string
		if json.Unmarshal(w.Stop, &one) == nil {
			r.StopSequences = []string{one}
		} else if json.Unmarshal(w.Stop, &r.StopSequences) != nil || len(r.StopSequences) > 4 {
			return chatInvalid("Invalid 'stop': expected a string or an array of at most 4 strings.")
		}
	}
	if f := w.Format; f != nil && f.Type == "json_schema" {
		if f.Schema.Name == "" || len(f.Schema.Schema) == 0 {
			return chatInvalid("Missing required parameter: 'response_format.json_schema'.")
		}
		r.OutputSchema = f.Schema.Schema
	}
	return nil
}

func (w *wireChat) checkTools(r *model.Request) error {
	names := map[string]bool{}
	set := &model.ToolSet{}
	for i, t := range w.Tools {
		f := &t.Function
		var schema struct {
			Type       string          `json:"type"`
			Properties json.RawMessage `json:"properties"`
		}
		switch {
		case t.Type != "function":
			return chatInvalid("Invalid value: '%s'. Supported values are: 'function'. (tools[%d].type)", t.Type, i)
		case !chatToolName.MatchString(f.Name):
			return chatInvalid("Invalid 'tools[%d].function.name': string does not match pattern '%s'.", i, chatToolName)
		case names[f.Name]:
			return chatInvalid("Tool names must be unique: %s", f.Name)
		case len(f.Parameters) > 0 && json.Unmarshal(f.Parameters, &schema) != nil,
			len(f.Parameters) > 0 && schema.Type != "object":
			return chatInvalid("Invalid schema for function '%s': schema must be a JSON Schema of 'type: \"object\"', got 'type: \"%s\"'.", f.Name, schema.Type)
		case len(f.Parameters) > 0 && schema.Properties == nil:
			return chatInvalid("Invalid schema for function '%s': In context=(), object schema missing properties.", f.Name)
		}
		names[f.Name] = true
		set.Defs = append(set.Defs, model.ToolDef{Name: f.Name, Description: f.Description, InputSchema: f.Parameters, Strict: f.Strict})
	}
	if !set.Empty() {
		r.Tools = set
	} else if w.Parallel != nil {
		return chatInvalid("'parallel_tool_calls' is only allowed when 'tools' are specified.")
	}
	r.ToolChoice.Single = w.Parallel != nil && !*w.Parallel
	if len(w.ToolChoice) == 0 || string(w.ToolChoice) == "null" {
		return nil
	}
	var word string
	if json.Unmarshal(w.ToolChoice, &word) == nil {
		mode, known := map[string]string{"auto": "auto", "none": "none", "required": "any"}[word]
		switch {
		case !known:
			return chatInvalid("Invalid value: '%s'. Supported values are: 'none', 'auto', and 'required'. (tool_choice)", word)
		case set.Empty() && mode != "none":
			return chatInvalid("'tool_choice' is only allowed when 'tools' are specified.")
		}
		r.ToolChoice.Mode = mode
		return nil
	}
	var named chatTool
	if json.Unmarshal(w.ToolChoice, &named) != nil || !names[named.Function.Name] {
		return chatInvalid("Tool choice '%s' not found in 'tools'.", named.Function.Name)
	}
	r.ToolChoice.Mode, r.ToolChoice.Name = "tool", named.Function.Name
	return nil
}

// checkMessages checks the conversation and turns it into one of package model:
// the results behind a call and the words of the user behind them are one message.
func (w *wireChat) checkMessages(r *model.Request) error {
	if len(w.Messages) == 0 {
		return chatInvalid("Invalid 'messages': empty array. Expected an array with minimum length 1.")
	}
	var open []string // the calls that wait for their results
	for i := range w.Messages {
		m := &w.Messages[i]
		if m.Role != "tool" && len(open) > 0 {
			return chatInvalid("An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: %s", strings.Join(open, ", "))
		}
		blocks, err := m.blocks(i)
		if err != nil {
			return err
		}
		switch m.Role {
		case "system", "developer":
			if r.System == nil && len(r.Messages) == 0 {
				r.System = model.NewMessage(model.RoleSystem, blocks...)
			} else {
				r.Messages = append(r.Messages, model.NewMessage(model.RoleSystem, blocks...))
			}
		case "assistant":
			for _, c := range m.ToolCalls {
				open = append(open, c.ID)
			}
			r.Messages = append(r.Messages, &model.Message{Role: model.RoleAssistant, Blocks: blocks, Provider: "chat"})
		case "tool":
			at := slices.Index(open, m.ToolCallID)
			if at < 0 {
				return chatInvalid("Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'. (messages[%d])", i)
			}
			open = slices.Delete(open, at, at+1)
			addUser(r, &model.ToolResult{ToolUseID: m.ToolCallID, Name: m.Name, Content: blocks})
		default:
			addUser(r, blocks...)
		}
	}
	if len(open) > 0 {
		return chatInvalid("An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: %s", strings.Join(open, ", "))
	}
	if len(r.Messages) == 0 {
		return chatInvalid("Invalid 'messages': there is nothing to answer.")
	}
	return nil
}

// addUser adds to the message of the user that the conversation ends with.
func addUser(r *model.Request, blocks ...model.Block) {
	if n := len(r.Messages); n > 0 && r.Messages[n-1].Role == model.RoleUser {
		r.Messages[n-1].Blocks = append(r.Messages[n-1].Blocks, blocks...)
		return
	}
	r.Messages = append(r.Messages, model.NewMessage(model.RoleUser, blocks...))
}

// blocks checks a message and returns what it says.
func (m *chatMessage) blocks(i int) (model.Blocks, error) {
	if chatMessageFields[m.Role] == nil {
		return nil, chatInvalid("Invalid value: '%s'. Supported values are: 'system', 'assistant', 'user', 'tool', and 'developer'. (messages[%d].role)", m.Role, i)
	}
	for _, name := range m.fields {
		if !slices.Contains(chatMessageFields[m.Role], name) {
			return nil, chatInvalid("Unrecognized field: %s. (messages[%d])", name, i)
		}
	}
	empty := len(m.Content) == 0 || string(m.Content) == "null"
	switch {
	case empty && (m.Role != "assistant" || len(m.ToolCalls) == 0):
		return nil, chatInvalid("Invalid value for 'content': expected a string, got null. (messages[%d])", i)
	case m.Role == "tool" && m.ToolCallID == "":
		return nil, chatInvalid("Missing required parameter: 'messages[%d].tool_call_id'.", i)
	}
	blocks := m.thoughts()
	if !empty {
		content, err := chatContent(m.Content, m.Role)
		if err != nil {
			return nil, chatInvalid("%v (messages[%d].content)", err, i)
		}
		blocks = append(blocks, content...)
	}
	if len(blocks) == 0 && len(m.ToolCalls) == 0 {
		return nil, chatInvalid("Invalid value for 'content': it is empty. (messages[%d])", i)
	}
	seen := map[string]bool{}
	for j, c := range m.ToolCalls {
		args := bytes.TrimSpace([]byte(c.Function.Arguments))
		switch {
		case c.ID == "" || len(c.ID) > maxChatCallID:
			return nil, chatInvalid("Invalid 'messages[%d].tool_calls[%d].id': expected a string with length between 1 and %d, but got %d.", i, j, maxChatCallID, len(c.ID))
		case seen[c.ID]:
			return nil, chatInvalid("Duplicate value for 'tool_call_id': %s (messages[%d])", c.ID, i)
		case c.Type != "function" || !chatToolName.MatchString(c.Function.Name):
			return nil, chatInvalid("Invalid 'messages[%d].tool_calls[%d]': expected a function with a name that matches '%s'.", i, j, chatToolName)
		case !json.Valid(args) || args[0] != '{':
			return nil, chatInvalid("Invalid 'messages[%d].tool_calls[%d].function.arguments': expected a JSON object.", i, j)
		}
		seen[c.ID] = true
		blocks = append(blocks, &model.ToolUse{ID: c.ID, Name: c.Function.Name, Input: json.RawMessage(args)})
	}
	return blocks, nil
}

// thoughts are the reasoning that a client sends back.
func (m *chatMessage) thoughts() model.Blocks {
	var blocks model.Blocks
	for _, d := range m.ReasoningDetails {
		if d.Data != "" {
			blocks = append(blocks, &model.RedactedThinking{Data: d.Data})
		} else {
			blocks = append(blocks, &model.Thinking{Text: d.Text, Signature: d.Signature})
		}
	}
	if text := m.ReasoningContent + m.Reasoning; text != "" && blocks == nil {
		blocks = append(blocks, &model.Thinking{Text: text})
	}
	return blocks
}

// chatContent reads a content: a string or a list of parts.
func chatContent(raw json.RawMessage, role string) (model.Blocks, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		if text == "" {
			return nil, nil
		}
		return model.Blocks{&model.Text{Text: text}}, nil
	}
	var parts []struct {
		Type  string `json:"type"`
		Text  string `json:"text"`
		Image struct {
			URL string `json:"url"`
		} `json:"image_url"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return nil, fmt.Errorf("expected a string or an array of objects")
	}
	var blocks model.Blocks
	for _, p := range parts {
		switch {
		case p.Type == "text" && p.Text != "":
			blocks = append(blocks, &model.Text{Text: p.Text})
		case p.Type == "image_url" && role == "user" && (strings.HasPrefix(p.Image.URL, "data:image/") || strings.HasPrefix(p.Image.URL, "http")):
			blocks = append(blocks, &model.Image{Source: model.Source{URL: p.Image.URL}})
		default:
			return nil, fmt.Errorf("a %s message takes no part of type '%s'", role, p.Type)
		}
	}
	return blocks, nil
}
