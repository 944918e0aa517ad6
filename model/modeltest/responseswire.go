package modeltest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/quarry-sdk/quarry/model"
)

// inputItem is an item of the input of the Responses API, all types in one.
type inputItem struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments *string         `json:"arguments"`
	Input     *string         `json:"input"`
	Output    json.RawMessage `json:"output"`
	Encrypted string          `json:"encrypted_content"`
	Summary   []struct {
		Text string `json:"text"`
	} `json:"summary"`
}

// inputTypes are the types of items that a request may have, besides messages
// and the calls of hosted tools.
var inputTypes = []string{"message", "reasoning", "item_reference", "compaction", "program", "mcp_list_tools", "mcp_approval_request", "mcp_approval_response"}

// maxCallID is how long the id of a call may be.
const maxCallID = 64

// check checks an item by itself.
func (it *inputItem) check(i int) error {
	if it.Type == "" && it.Role != "" {
		it.Type = "message"
	}
	switch it.Type {
	case "message":
		if !slices.Contains([]string{"user", "assistant", "system", "developer"}, it.Role) {
			return invalid("Invalid value: '%s'. Supported values are: 'assistant', 'system', 'developer', and 'user'.", it.Role)
		}
		if len(it.Content) == 0 {
			return invalid("Missing required parameter: 'input[%d].content'.", i)
		}
	case "function_call", "custom_tool_call":
		switch {
		case it.CallID == "":
			return invalid("Missing required parameter: 'input[%d].call_id'.", i)
		case len(it.CallID) > maxCallID:
			return invalid("Invalid 'input[%d].call_id': string too long. Expected a string with maximum length %d, but got a string with length %d instead.", i, maxCallID, len(it.CallID))
		case !toolName.MatchString(it.Name):
			return invalid("Invalid 'input[%d].name': string does not match pattern. Expected a string that matches the pattern '%s'.", i, toolName)
		case it.Type == "function_call" && it.Arguments == nil:
			return invalid("Missing required parameter: 'input[%d].arguments'.", i)
		case it.Type == "custom_tool_call" && it.Input == nil:
			return invalid("Missing required parameter: 'input[%d].input'.", i)
		}
	case "function_call_output", "custom_tool_call_output":
		if it.CallID == "" {
			return invalid("Missing required parameter: 'input[%d].call_id'.", i)
		}
		if len(it.Output) == 0 {
			return invalid("Missing required parameter: 'input[%d].output'.", i)
		}
	default:
		if !slices.Contains(inputTypes, it.Type) && !strings.HasSuffix(it.Type, "_call") && !strings.HasSuffix(it.Type, "_call_output") {
			return invalid("Invalid value: '%s'. Supported values are: 'message', 'reasoning', 'function_call', and the types of hosted tools.", it.Type)
		}
	}
	return nil
}

// ofModel tells whether the model said the item.
func (it *inputItem) ofModel() bool {
	return it.Type == "message" && it.Role == "assistant" || it.Type != "message" && !strings.HasSuffix(it.Type, "_output") && it.Type != "mcp_approval_response"
}

// block returns the blocks of an item, and the role of the message that they
// belong to.
func (it *inputItem) block(raw json.RawMessage) (model.Blocks, model.Role, error) {
	raw = bytes.Clone(raw)
	switch it.Type {
	case "message":
		role := model.Role(it.Role)
		if it.Role == "developer" {
			role = model.RoleSystem
		}
		blocks, err := decodeParts(it.Content, role)
		return blocks, role, err
	case "reasoning":
		var text []string
		for _, s := range it.Summary {
			text = append(text, s.Text)
		}
		return model.Blocks{&model.Thinking{Text: strings.Join(text, "\n\n"), Signature: it.Encrypted, Raw: raw}}, model.RoleAssistant, nil
	case "function_call":
		use := &model.ToolUse{ID: it.CallID, Name: it.Name, Input: json.RawMessage(*it.Arguments), Raw: raw}
		if !json.Valid(use.Input) {
			use.Incomplete = true
			use.Input = encode(*it.Arguments)
		}
		return model.Blocks{use}, model.RoleAssistant, nil
	case "custom_tool_call":
		return model.Blocks{&model.ToolUse{ID: it.CallID, Name: it.Name, Input: encode(*it.Input), Raw: raw}}, model.RoleAssistant, nil
	case "function_call_output", "custom_tool_call_output":
		content, err := decodeParts(it.Output, model.RoleUser)
		return model.Blocks{&model.ToolResult{ToolUseID: it.CallID, Content: content}}, model.RoleUser, err
	}
	role := model.RoleUser
	if it.ofModel() {
		role = model.RoleAssistant
	}
	return model.Blocks{&model.Unknown{Type: it.Type, Raw: raw}}, role, nil
}

// decodeParts reads the content of a message or of an output: a string or a list
// of parts, of which those of a model have types of their own.
func decodeParts(raw json.RawMessage, role model.Role) (model.Blocks, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return model.Blocks{&model.Text{Text: text}}, nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("content: expected a string or an array of objects")
	}
	var blocks model.Blocks
	for i, item := range list {
		var p struct {
			Type    string `json:"type"`
			Text    string `json:"text"`
			Refusal string `json:"refusal"`
		}
		if err := json.Unmarshal(item, &p); err != nil {
			return nil, fmt.Errorf("content[%d]: %w", i, err)
		}
		known := []string{"input_text", "input_image", "input_file"}
		if role == model.RoleAssistant {
			known = []string{"output_text", "refusal"}
		}
		if !slices.Contains(known, p.Type) {
			return nil, fmt.Errorf("content[%d]: invalid value: '%s'. Supported values are: '%s'", i, p.Type, strings.Join(known, "', '"))
		}
		switch p.Type {
		case "input_text", "output_text":
			blocks = append(blocks, &model.Text{Text: p.Text})
		case "refusal":
			blocks = append(blocks, &model.Text{Text: p.Refusal})
		default:
			blocks = append(blocks, &model.Unknown{Type: p.Type, Raw: bytes.Clone(item)})
		}
	}
	return blocks, nil
}
