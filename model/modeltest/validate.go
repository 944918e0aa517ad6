package modeltest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/quarry-sdk/quarry/model"
)

// wireRequest is the body of POST /v1/messages.
type wireRequest struct {
	CacheControl json.RawMessage `json:"cache_control"`
	MaxTokens    *int            `json:"max_tokens"`
	Messages     []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
	Model        string `json:"model"`
	OutputConfig struct {
		Effort string `json:"effort"`
		Format struct {
			Schema json.RawMessage `json:"schema"`
		} `json:"format"`
	} `json:"output_config"`
	StopSequences []string        `json:"stop_sequences"`
	Stream        bool            `json:"stream"`
	System        json.RawMessage `json:"system"`
	Temperature   *float64        `json:"temperature"`
	Thinking      *struct {
		Type         string `json:"type"`
		BudgetTokens int    `json:"budget_tokens"`
		Display      string `json:"display"`
	} `json:"thinking"`
	ToolChoice *struct {
		Type   string `json:"type"`
		Name   string `json:"name"`
		Single bool   `json:"disable_parallel_tool_use"`
	} `json:"tool_choice"`
	Tools []json.RawMessage `json:"tools"`
}

var wireRequestFields = []string{"cache_control", "max_tokens", "messages", "model", "output_config", "stop_sequences",
	"stream", "system", "temperature", "thinking", "tool_choice", "tools"}

// request is a decoded request with what model.Request does not say.
type request struct {
	*model.Request
	model string
}

var (
	toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)
	callID   = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)
)

// decodeRequest reads and checks the body of a request as the API does. The
// errors are *model.Error.
func decodeRequest(body []byte) (req *request, stream bool, err error) {
	var w wireRequest
	if err := json.Unmarshal(body, &w); err != nil {
		var mistyped *json.UnmarshalTypeError
		if errors.As(err, &mistyped) && mistyped.Field != "" {
			return nil, false, invalid("%s: Input should be a valid %s", mistyped.Field, typeName(mistyped.Type.Kind().String()))
		}
		return nil, false, invalid("The request body is not valid JSON: %v", err)
	}
	switch {
	case w.Model == "":
		return nil, false, invalid("model: Field required")
	case w.MaxTokens == nil:
		return nil, false, invalid("max_tokens: Field required")
	case *w.MaxTokens < 1:
		return nil, false, invalid("max_tokens: Input should be greater than or equal to 1")
	case w.Messages == nil:
		return nil, false, invalid("messages: Field required")
	case w.Temperature != nil && (*w.Temperature < 0 || *w.Temperature > 1):
		return nil, false, invalid("temperature: range: 0..1")
	}
	r := &model.Request{
		Effort:        w.OutputConfig.Effort,
		MaxTokens:     *w.MaxTokens,
		OutputSchema:  w.OutputConfig.Format.Schema,
		StopSequences: w.StopSequences,
		Temperature:   w.Temperature,
	}
	for i, m := range w.Messages {
		if len(m.Content) == 0 {
			return nil, false, invalid("messages.%d.content: Field required", i)
		}
		blocks, err := decodeContent(m.Content)
		if err != nil {
			return nil, false, invalid("messages.%d.content.%v", i, err)
		}
		r.Messages = append(r.Messages, &model.Message{Role: model.Role(m.Role), Blocks: blocks, Provider: "anthropic"})
	}
	if len(w.System) > 0 && string(w.System) != "null" {
		blocks, err := decodeContent(w.System)
		if err != nil {
			return nil, false, invalid("system.%v", err)
		}
		r.System = &model.Message{Role: model.RoleSystem, Blocks: blocks, Provider: "anthropic"}
	}
	if t := w.Thinking; t != nil {
		switch {
		case t.Type != "enabled" && t.Type != "disabled" && t.Type != "adaptive":
			return nil, false, unknownTag("thinking", t.Type, "adaptive", "disabled", "enabled")
		case t.Type == "enabled" && t.BudgetTokens < 1024:
			return nil, false, invalid("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024")
		case t.Type == "enabled" && t.BudgetTokens >= *w.MaxTokens:
			return nil, false, invalid("`max_tokens` must be greater than `thinking.budget_tokens`")
		}
		r.Thinking = &model.ThinkingOptions{Mode: t.Type, BudgetTokens: t.BudgetTokens, Display: t.Display}
	}
	if err := w.decodeTools(r); err != nil {
		return nil, false, err
	}
	if err := checkMessages(r.Messages); err != nil {
		return nil, false, err
	}
	if n := w.breakpoints(); n > 4 {
		return nil, false, invalid("A maximum of 4 blocks with cache_control may be provided. Found %d.", n)
	}
	r.Extra = extra(body)
	return &request{Request: r, model: w.Model}, w.Stream, nil
}

// decodeTools reads the tools and the tool choice.
func (w *wireRequest) decodeTools(r *model.Request) error {
	names := make(map[string]bool)
	tools := &model.ToolSet{}
	for i, raw := range w.Tools {
		var t struct {
			Type        string          `json:"type"`
			Name        string          `json:"name"`
			Description string          `json:"description"`
			InputSchema json.RawMessage `json:"input_schema"`
			Strict      bool            `json:"strict"`
			MaxUses     int             `json:"max_uses"`
		}
		if err := json.Unmarshal(raw, &t); err != nil {
			return invalid("tools.%d: Input should be a valid dictionary", i)
		}
		if t.Type == "" || t.Type == "custom" {
			if !toolName.MatchString(t.Name) {
				return invalid("tools.%d.custom.name: String should match pattern '%s'", i, toolName)
			}
			var schema struct {
				Type string `json:"type"`
			}
			if json.Unmarshal(t.InputSchema, &schema) != nil {
				return invalid("tools.%d.custom.input_schema: Field required", i)
			}
			if schema.Type != "object" {
				return invalid("tools.%d.custom.input_schema.type: Input should be 'object'", i)
			}
			tools.Defs = append(tools.Defs, model.ToolDef{Name: t.Name, Description: t.Description, InputSchema: t.InputSchema, Strict: t.Strict})
		} else {
			tools.Server = append(tools.Server, model.ServerTool{Type: t.Type, Name: t.Name, MaxUses: t.MaxUses, Config: raw})
		}
		if t.Name != "" && names[t.Name] {
			return invalid("tools: Tool names must be unique.")
		}
		names[t.Name] = true
	}
	if !tools.Empty() {
		r.Tools = tools
	}
	c := w.ToolChoice
	if c == nil {
		return nil
	}
	switch {
	case !slices.Contains([]string{"auto", "any", "tool", "none"}, c.Type):
		return unknownTag("tool_choice", c.Type, "auto", "any", "tool", "none")
	case len(w.Tools) == 0 && c.Type != "none":
		return invalid("tool_choice: tool_choice may only be specified while providing tools")
	case c.Type == "tool" && !names[c.Name]:
		return invalid("tool_choice: Tool '%s' not found in provided tools", c.Name)
	case w.Thinking != nil && w.Thinking.Type == "enabled" && (c.Type == "any" || c.Type == "tool"):
		return invalid("Thinking may not be enabled when tool_choice forces tool use.")
	}
	r.ToolChoice = model.ToolChoice{Mode: c.Type, Name: c.Name, Single: c.Single}
	return nil
}

// checkMessages checks the history. Like the API, it takes neighbouring messages
// of one role for one message.
func checkMessages(messages []*model.Message) error {
	var merged []*model.Message
	for _, m := range messages {
		if n := len(merged); n > 0 && merged[n-1].Role == m.Role {
			merged[n-1] = model.NewMessage(m.Role, slices.Concat(merged[n-1].Blocks, m.Blocks)...)
			continue
		}
		merged = append(merged, m)
	}
	if err := checkHistory(merged, false); err != nil {
		return err
	}
	for i, m := range merged {
		for j, b := range m.Blocks {
			use, ok := b.(*model.ToolUse)
			if !ok {
				continue
			}
			switch {
			case !callID.MatchString(use.ID):
				return invalid("messages.%d.content.%d.tool_use.id: String should match pattern '%s'", i, j, callID)
			case use.Name == "":
				return invalid("messages.%d.content.%d.tool_use.name: Field required", i, j)
			case !bytes.HasPrefix(use.Input, []byte("{")):
				return invalid("messages.%d.content.%d.tool_use.input: Input should be a valid dictionary", i, j)
			}
		}
	}
	last := merged[len(merged)-1]
	if n := len(last.Blocks); last.Role == model.RoleAssistant && n > 0 {
		if t, ok := last.Blocks[n-1].(*model.Text); ok && strings.TrimRight(t.Text, " \t\r\n") != t.Text {
			return invalid("messages: final assistant content cannot end with trailing whitespace")
		}
	}
	return nil
}

// breakpoints counts the cache breakpoints of the request.
func (w *wireRequest) breakpoints() int {
	n := 0
	if len(w.CacheControl) > 0 && string(w.CacheControl) != "null" {
		n++
	}
	for _, t := range w.Tools {
		n += breakpoints(t)
	}
	n += breakpoints(w.System)
	for _, m := range w.Messages {
		n += breakpoints(m.Content)
	}
	return n
}

func breakpoints(raw json.RawMessage) int {
	n := 0
	switch {
	case bytes.HasPrefix(raw, []byte("[")):
		var list []json.RawMessage
		_ = json.Unmarshal(raw, &list) // it was read before
		for _, item := range list {
			n += breakpoints(item)
		}
	case bytes.HasPrefix(raw, []byte("{")):
		var b struct {
			CacheControl json.RawMessage `json:"cache_control"`
			Content      json.RawMessage `json:"content"`
		}
		_ = json.Unmarshal(raw, &b)
		if len(b.CacheControl) > 0 && string(b.CacheControl) != "null" {
			n++
		}
		n += breakpoints(b.Content)
	}
	return n
}

// extra returns the fields that wireRequest does not name.
func extra(body []byte) map[string]json.RawMessage {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(body, &fields) // it was read before
	maps.DeleteFunc(fields, func(name string, _ json.RawMessage) bool { return slices.Contains(wireRequestFields, name) })
	if len(fields) == 0 {
		return nil
	}
	return fields
}

func unknownTag(field, tag string, known ...string) error {
	return invalid("%s: Input tag '%s' found using 'type' does not match any of the expected tags: '%s'", field, tag, strings.Join(known, "', '"))
}

// typeName is the API's name of a JSON type, by the kind of Go's.
func typeName(kind string) string {
	switch {
	case strings.HasPrefix(kind, "int"):
		return "integer"
	case strings.HasPrefix(kind, "float"):
		return "number"
	case kind == "bool":
		return "boolean"
	case kind == "slice":
		return "list"
	case kind == "struct" || kind == "map" || kind == "ptr":
		return "dictionary"
	}
	return fmt.Sprint(kind)
}
