package modeltest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/quarry-sdk/quarry/model"
)

// wireResponsesRequest is the body of POST /v1/responses.
type wireResponsesRequest struct {
	Include      []string        `json:"include"`
	Input        json.RawMessage `json:"input"`
	Instructions string          `json:"instructions"`
	MaxTokens    *int            `json:"max_output_tokens"`
	Model        string          `json:"model"`
	Parallel     *bool           `json:"parallel_tool_calls"`
	Previous     string          `json:"previous_response_id"`
	Reasoning    struct {
		Effort  string `json:"effort"`
		Summary string `json:"summary"`
	} `json:"reasoning"`
	Stop        json.RawMessage `json:"stop"`
	Store       *bool           `json:"store"`
	Stream      bool            `json:"stream"`
	Temperature *float64        `json:"temperature"`
	Text        struct {
		Format struct {
			Type   string          `json:"type"`
			Name   string          `json:"name"`
			Schema json.RawMessage `json:"schema"`
			Strict bool            `json:"strict"`
		} `json:"format"`
	} `json:"text"`
	ToolChoice json.RawMessage   `json:"tool_choice"`
	Tools      []json.RawMessage `json:"tools"`
}

var wireResponsesFields = []string{"include", "input", "instructions", "max_output_tokens", "model", "parallel_tool_calls",
	"previous_response_id", "reasoning", "store", "stream", "temperature", "text", "tool_choice", "tools"}

// decodeResponsesRequest reads and checks the body of a request as the API does.
// The errors are *model.Error.
func decodeResponsesRequest(body []byte) (req *request, stream bool, err error) {
	var w wireResponsesRequest
	if err := json.Unmarshal(body, &w); err != nil {
		return nil, false, invalid("We could not parse the JSON body of your request: %v", err)
	}
	switch {
	case w.Model == "":
		return nil, false, invalid("Missing required parameter: 'model'.")
	case len(w.Input) == 0:
		return nil, false, invalid("Missing required parameter: 'input'.")
	case w.MaxTokens != nil && *w.MaxTokens < 16:
		return nil, false, invalid("Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got %d instead.", *w.MaxTokens)
	case w.Temperature != nil && (*w.Temperature < 0 || *w.Temperature > 2):
		return nil, false, invalid("Invalid 'temperature': decimal out of range. Expected a value between 0 and 2.")
	case len(w.Stop) > 0:
		return nil, false, invalid("Unknown parameter: 'stop'.")
	}
	r := &model.Request{Effort: w.Reasoning.Effort, OutputSchema: w.Text.Format.Schema, Temperature: w.Temperature}
	if w.MaxTokens != nil {
		r.MaxTokens = *w.MaxTokens
	}
	if w.Reasoning.Summary != "" {
		r.Thinking = &model.ThinkingOptions{Mode: "adaptive", Display: "summarized"}
	}
	if w.Instructions != "" {
		r.System = model.NewMessage(model.RoleSystem, &model.Text{Text: w.Instructions})
	}
	if f := w.Text.Format; f.Type == "json_schema" {
		if f.Name == "" {
			return nil, false, invalid("Missing required parameter: 'text.format.name'.")
		}
		if err := checkSchema("response_format '"+f.Name+"'", f.Schema, f.Strict); err != nil {
			return nil, false, err
		}
	}
	if err := w.decodeTools(r); err != nil {
		return nil, false, err
	}
	in := inputReader{stored: w.Store == nil || *w.Store, continued: w.Previous != ""}
	if err := in.read(w.Input); err != nil {
		return nil, false, err
	}
	r.Messages = in.messages
	var extra map[string]json.RawMessage
	_ = json.Unmarshal(body, &extra) // it was read before
	maps.DeleteFunc(extra, func(name string, _ json.RawMessage) bool { return slices.Contains(wireResponsesFields, name) })
	if len(extra) > 0 {
		r.Extra = extra
	}
	return &request{Request: r, model: w.Model}, w.Stream, nil
}

// checkSchema checks what strict mode asks of the root of a schema.
func checkSchema(what string, schema json.RawMessage, strict bool) error {
	var root struct {
		Type       string                     `json:"type"`
		More       json.RawMessage            `json:"additionalProperties"`
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	if err := json.Unmarshal(schema, &root); err != nil || root.Type != "object" {
		return invalid("Invalid schema for %s: schema must be a JSON Schema of 'type: \"object\"', got 'type: \"%s\"'.", what, root.Type)
	}
	if !strict {
		return nil
	}
	if string(root.More) != "false" {
		return invalid("Invalid schema for %s: In context=(), 'additionalProperties' is required to be supplied and to be false.", what)
	}
	for _, name := range slices.Sorted(maps.Keys(root.Properties)) {
		if !slices.Contains(root.Required, name) {
			return invalid("Invalid schema for %s: In context=(), 'required' is required to be supplied and to be an array including every key in properties. Missing '%s'.", what, name)
		}
	}
	return nil
}

// decodeTools reads the tools and the tool choice.
func (w *wireResponsesRequest) decodeTools(r *model.Request) error {
	tools := &model.ToolSet{}
	names := make(map[string]bool)
	for i, raw := range w.Tools {
		var t struct {
			Type        string          `json:"type"`
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
			Strict      *bool           `json:"strict"`
		}
		if err := json.Unmarshal(raw, &t); err != nil || t.Type == "" {
			return invalid("Missing required parameter: 'tools[%d].type'.", i)
		}
		if t.Type != "function" {
			tools.Server = append(tools.Server, model.ServerTool{Type: t.Type, Name: t.Name, Config: raw})
			names[t.Type] = true
			continue
		}
		if !toolName.MatchString(t.Name) {
			return invalid("Invalid 'tools[%d].name': string does not match pattern. Expected a string that matches the pattern '%s'.", i, toolName)
		}
		if names[t.Name] {
			return invalid("Tool names must be unique: '%s'.", t.Name)
		}
		names[t.Name] = true
		strict := t.Strict == nil || *t.Strict
		if err := checkSchema("function '"+t.Name+"'", t.Parameters, strict); err != nil {
			return err
		}
		tools.Defs = append(tools.Defs, model.ToolDef{Name: t.Name, Description: t.Description, InputSchema: t.Parameters, Strict: strict})
	}
	if !tools.Empty() {
		r.Tools = tools
	}
	r.ToolChoice.Single = w.Parallel != nil && !*w.Parallel
	if len(w.ToolChoice) == 0 {
		return nil
	}
	var mode string
	if json.Unmarshal(w.ToolChoice, &mode) == nil {
		switch mode {
		case "auto", "none":
			r.ToolChoice.Mode = mode
		case "required":
			r.ToolChoice.Mode = "any"
		default:
			return invalid("Invalid value: '%s'. Supported values are: 'none', 'auto', and 'required'.", mode)
		}
		if len(w.Tools) == 0 && mode == "required" {
			return invalid("Tool choice 'required' must be specified with 'tools' parameter.")
		}
		return nil
	}
	var choice struct {
		Type string `json:"type"`
		Name string `json:"name"`
	}
	if err := json.Unmarshal(w.ToolChoice, &choice); err != nil {
		return invalid("Invalid type for 'tool_choice'.")
	}
	if choice.Name == "" {
		choice.Name = choice.Type
	}
	if choice.Type != "allowed_tools" && !names[choice.Name] {
		return invalid("Tool choice '%s' not found in 'tools' parameter.", choice.Name)
	}
	r.ToolChoice.Mode, r.ToolChoice.Name = "tool", choice.Name
	return nil
}

// inputReader reads the input into messages, and checks it.
type inputReader struct {
	stored    bool // the API keeps answers, so that items may be named by their ids
	continued bool // the conversation begins before this input
	messages  []*model.Message
}

func (in *inputReader) read(raw json.RawMessage) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		in.add(model.RoleUser, &model.Text{Text: text})
		return nil
	}
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return invalid("Invalid type for 'input': expected one of an array of objects or string.")
	}
	if len(items) == 0 {
		return invalid("Invalid 'input': empty array. Expected an array with minimum length 1, but got an empty array instead.")
	}
	open := map[string]string{} // the types of the outputs that calls wait for
	seen := map[string]bool{}
	var waiting []string // the ids of these calls, in order
	thought := ""        // the id of a reasoning item that nothing follows yet
	for i, raw := range items {
		var it inputItem
		if err := json.Unmarshal(raw, &it); err != nil {
			return invalid("Invalid type for 'input[%d]': %v", i, err)
		}
		if err := it.check(i); err != nil {
			return err
		}
		if it.Type != "reasoning" && it.ofModel() {
			thought = ""
		}
		switch it.Type {
		case "function_call", "custom_tool_call":
			if seen[it.CallID] {
				return invalid("Duplicate call id: %s.", it.CallID)
			}
			seen[it.CallID] = true
			open[it.CallID] = it.Type + "_output"
			waiting = append(waiting, it.CallID)
		case "function_call_output", "custom_tool_call_output":
			if kind := open[it.CallID]; kind != it.Type && !(in.continued && !seen[it.CallID]) {
				return invalid("No tool call found for %s with call_id %s.", strings.ReplaceAll(strings.TrimSuffix(it.Type, "_output"), "_", " ")+" output", it.CallID)
			}
			delete(open, it.CallID)
		case "reasoning":
			if !in.stored && it.Encrypted == "" && len(it.Content) == 0 {
				return &model.Error{Kind: model.ErrInvalidRequest, Status: 404, Message: fmt.Sprintf("Item with id '%s' not found. Items are not persisted when `store` is set to false.", it.ID)}
			}
			thought = it.ID
		}
		block, role, err := it.block(raw)
		if err != nil {
			return invalid("Invalid 'input[%d]': %v", i, err)
		}
		in.add(role, block...)
	}
	for _, id := range waiting {
		if open[id] != "" {
			return invalid("No tool output found for %s %s.", strings.ReplaceAll(strings.TrimSuffix(open[id], "_output"), "_", " "), id)
		}
	}
	if thought != "" {
		return invalid("Item '%s' of type 'reasoning' was provided without its required following item.", thought)
	}
	return nil
}

// add appends blocks to the last message, or to a new one where the role is
// another.
func (in *inputReader) add(role model.Role, blocks ...model.Block) {
	if n := len(in.messages); n > 0 && in.messages[n-1].Role == role {
		last := in.messages[n-1]
		in.messages[n-1] = &model.Message{Role: role, Provider: last.Provider, Blocks: slices.Concat(last.Blocks, blocks)}
		return
	}
	m := model.NewMessage(role, blocks...)
	if role == model.RoleAssistant {
		m.Provider = "openai"
	}
	in.messages = append(in.messages, m)
}
