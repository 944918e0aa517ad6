package chat

import (
	"fmt"

	"github.com/quarry-sdk/quarry/model"
)

// settled returns a conversation in which each call has its result in the next
// message, ahead of everything else and in the order of the calls, and no result
// is without a call: what servers insist on. It is the same conversation if it is
// so already. A call that nothing answers is left out, and so is a result that
// answers nothing.
func settled(messages []*model.Message) ([]*model.Message, error) {
	inOrder := true
	var uses []*model.ToolUse
	for i, m := range messages {
		if m == nil {
			return nil, fmt.Errorf("message %d is nil", i)
		}
		for j, b := range m.Blocks {
			if b == nil {
				return nil, fmt.Errorf("encode message %d: block %d: it is nil", i, j)
			}
		}
		if inOrder = inOrder && answers(m, uses); inOrder {
			if uses = uses[:0]; m.Role == model.RoleAssistant {
				for _, b := range m.Blocks {
					if use, ok := b.(*model.ToolUse); ok {
						uses = append(uses, use)
					}
				}
			}
		}
	}
	if inOrder && len(uses) == 0 {
		return messages, nil
	}
	return settle(messages), nil
}

// answers tells whether the message begins with the results of the calls, in
// their order, and has no others.
func answers(m *model.Message, uses []*model.ToolUse) bool {
	if len(uses) > 0 && (m.Role != model.RoleUser || len(m.Blocks) < len(uses)) {
		return false
	}
	for i, b := range m.Blocks {
		result, ok := b.(*model.ToolResult)
		switch {
		case i < len(uses):
			if !ok || result.ToolUseID != uses[i].ID {
				return false
			}
		case ok:
			return false
		}
	}
	return true
}

// settle puts a conversation in order.
func settle(messages []*model.Message) []*model.Message {
	var out []*model.Message
	for i, m := range messages {
		uses := m.Blocks.ToolUses()
		if m.Role != model.RoleAssistant {
			uses = nil
		}
		results := resultsOf(uses, messages[i+1:])
		seen := make(map[string]bool, len(uses))
		kept := withOnly(m, func(b model.Block) bool {
			switch b := b.(type) {
			case *model.ToolUse:
				again := seen[b.ID]
				seen[b.ID] = true
				return results[b.ID] != nil && !again
			case *model.ToolResult:
				return false // it goes behind its call
			}
			return true
		})
		if len(kept.Blocks) > 0 || len(m.Blocks) == 0 {
			out = append(out, kept)
		}
		answer := model.NewMessage(model.RoleUser)
		for _, use := range uses {
			if r := results[use.ID]; r != nil {
				answer.Blocks = append(answer.Blocks, r)
				delete(results, use.ID)
			}
		}
		if len(answer.Blocks) > 0 {
			out = append(out, answer)
		}
	}
	return out
}

// resultsOf finds the results of calls, up to the next answer of the model.
func resultsOf(uses []*model.ToolUse, later []*model.Message) map[string]*model.ToolResult {
	if len(uses) == 0 {
		return nil
	}
	results := make(map[string]*model.ToolResult, len(uses))
	for _, use := range uses {
		results[use.ID] = nil
	}
	for _, m := range later {
		if m.Role == model.RoleAssistant {
			break
		}
		for _, b := range m.Blocks {
			r, ok := b.(*model.ToolResult)
			if !ok {
				continue
			}
			if was, called := results[r.ToolUseID]; called && was == nil {
				results[r.ToolUseID] = r
			}
		}
	}
	return results
}

// withOnly returns the message without the blocks that want is false for; m itself
// if that is none.
func withOnly(m *model.Message, want func(model.Block) bool) *model.Message {
	var blocks model.Blocks
	for _, b := range m.Blocks {
		if want(b) {
			blocks = append(blocks, b)
		}
	}
	if len(blocks) == len(m.Blocks) {
		return m
	}
	return &model.Message{Role: m.Role, Blocks: blocks, Provider: m.Provider}
}
