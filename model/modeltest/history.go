package modeltest

import (
	"fmt"
	"strings"

	"github.com/quarry-sdk/quarry/model"
)

// CheckHistory tells whether a conversation is one that providers accept: it
// begins with a user message and the roles alternate (an assistant message may
// be continued by another one); no message or text is empty, but for a last
// assistant message; every tool call is answered in the next message, once, ahead
// of any text, and every tool result answers a call of the message before it. The
// error is a *[model.Error] of kind ErrInvalidRequest in the words of the
// Anthropic API where it has any.
func CheckHistory(messages []*model.Message) error {
	return checkHistory(messages, true)
}

func checkHistory(messages []*model.Message, alternate bool) error {
	if len(messages) == 0 {
		return invalid("messages: at least one message is required")
	}
	seen := make(map[string]bool) // ids of all calls so far
	open := make(map[string]bool) // ids of the last message's calls, true once answered
	var calls []string            // the same ids in their order
	for i, m := range messages {
		if m == nil {
			return invalid("messages.%d: message is nil", i)
		}
		switch {
		case m.Role != model.RoleUser && m.Role != model.RoleAssistant && m.Role != model.RoleSystem:
			return invalid("messages.%d.role: Input should be 'user' or 'assistant', not %q", i, m.Role)
		case i == 0 && m.Role != model.RoleUser:
			return invalid("messages: first message must use the \"user\" role")
		case alternate && i > 0 && m.Role == messages[i-1].Role && m.Role != model.RoleAssistant:
			return invalid("messages.%d: roles must alternate between \"user\" and \"assistant\", but found multiple %q roles in a row", i, m.Role)
		}
		last := i == len(messages)-1
		if len(m.Blocks) == 0 && !(last && m.Role == model.RoleAssistant) {
			return invalid("messages.%d: all messages must have non-empty content except for the optional final assistant message", i)
		}
		if len(calls) > 0 && m.Role != model.RoleUser {
			return unanswered(i-1, calls)
		}
		other := false
		for j, b := range m.Blocks {
			switch b := b.(type) {
			case nil:
				return invalid("messages.%d.content.%d: block is nil", i, j)
			case *model.Text:
				if strings.TrimSpace(b.Text) == "" {
					return invalid("messages.%d.content.%d: text content blocks must contain non-whitespace text", i, j)
				}
				other = true
			case *model.ToolUse:
				if m.Role != model.RoleAssistant {
					return invalid("messages.%d: `tool_use` blocks can only be in `assistant` messages", i)
				}
				if b.ID == "" {
					return invalid("messages.%d.content.%d.tool_use.id: String should have at least 1 character", i, j)
				}
				if seen[b.ID] {
					return invalid("messages.%d.content.%d: `tool_use` ids must be unique: %s", i, j, b.ID)
				}
				seen[b.ID] = true
			case *model.ToolResult:
				if m.Role != model.RoleUser {
					return invalid("messages.%d: `tool_result` blocks can only be in `user` messages", i)
				}
				answered, known := open[b.ToolUseID]
				switch {
				case !known:
					return invalid("messages.%d.content.%d: unexpected `tool_use_id` found in `tool_result` blocks: %s. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", i, j, b.ToolUseID)
				case answered:
					return invalid("messages.%d.content.%d: each tool_use must have a single result. Found multiple `tool_result` blocks with id: %s", i, j, b.ToolUseID)
				case other:
					return invalid("messages.%d.content.%d: `tool_result` blocks must come before all other blocks of their message: %s", i, j, b.ToolUseID)
				}
				open[b.ToolUseID] = true
			default:
				other = true
			}
		}
		var missing []string
		for _, id := range calls {
			if !open[id] {
				missing = append(missing, id)
			}
		}
		if len(missing) > 0 {
			return unanswered(i-1, missing)
		}
		clear(open)
		calls = calls[:0]
		for _, use := range m.Blocks.ToolUses() {
			open[use.ID] = false
			calls = append(calls, use.ID)
		}
	}
	if len(calls) > 0 {
		return unanswered(len(messages)-1, calls)
	}
	return nil
}

func unanswered(message int, ids []string) error {
	return invalid("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s. Each `tool_use` block must have a corresponding `tool_result` block in the next message.", message, strings.Join(ids, ", "))
}

func invalid(format string, args ...any) *model.Error {
	return &model.Error{Kind: model.ErrInvalidRequest, Provider: "modeltest", Code: "invalid_request_error", Message: fmt.Sprintf(format, args...)}
}
