package openai

import (
	"github.com/quarry-sdk/quarry/internal/rawjson"
	"github.com/quarry-sdk/quarry/model"
)

// pairs looks for the other half of the calls and the results of a message: the
// API refuses a result without its call, a call without its result, and a result
// of another type than its call.
type pairs struct {
	messages []*model.Message
	at       int // the message that is looked at
}

// whole tells whether the message can be encoded by itself: all of its calls
// are answered later, all of its results answer calls to functions. It looks at
// the neighbours first, and so at little else.
func (p *pairs) whole() bool {
	for _, b := range p.messages[p.at].Blocks {
		switch b := b.(type) {
		case *model.ToolUse:
			if !p.answered(b.ID) {
				return false
			}
		case *model.ToolResult:
			if p.kindOfResult(b.ToolUseID) != functionOutput {
				return false
			}
		case *model.ServerToolUse:
			if p.waits(b) {
				return false
			}
		}
	}
	return true
}

// ownHands are the hosted tools whose calls the caller can have to carry out.
var ownHands = map[string]bool{"apply_patch_call": true, "computer_call": true, "local_shell_call": true, "shell_call": true}

// waits tells whether the call of a hosted tool has no answer: neither the
// API's own, nor one that the caller gave as raw JSON.
func (p *pairs) waits(use *model.ServerToolUse) bool {
	if !ownHands[use.Type] {
		return false
	}
	for _, m := range p.messages[p.at:] {
		for _, b := range m.Blocks {
			switch b := b.(type) {
			case *model.ServerToolResult:
				if b.ToolUseID == use.ID {
					return false
				}
			case *model.Unknown:
				if b.Type == use.Type+"_output" && rawjson.Str(rawjson.Field(b.Raw, "call_id")) == use.ID {
					return false
				}
			}
		}
	}
	return true
}

// answered tells whether a later message has the result of a call.
func (p *pairs) answered(id string) bool {
	for _, m := range p.messages[p.at+1:] {
		for _, b := range m.Blocks {
			if r, ok := b.(*model.ToolResult); ok && r.ToolUseID == id {
				return true
			}
		}
	}
	return false
}

// kindOfResult returns the type of the result of a call that stands before;
// empty if there is no such call, or if it was answered before.
func (p *pairs) kindOfResult(id string) string {
	for i := p.at - 1; i >= 0; i-- {
		m := p.messages[i]
		for _, b := range m.Blocks {
			switch b := b.(type) {
			case *model.ToolUse:
				if b.ID == id {
					if originOf(m) != own {
						return functionOutput
					}
					return p.kindOfUse(b)
				}
			case *model.ToolResult:
				if b.ToolUseID == id {
					return ""
				}
			}
		}
	}
	return ""
}

func (p *pairs) kindOfUse(b *model.ToolUse) string {
	if b.Raw != nil && !b.Incomplete {
		if kind := outputKinds[string(rawjson.Text(rawjson.Field(b.Raw, "type")))]; kind != "" {
			return kind
		}
	}
	return functionOutput
}
