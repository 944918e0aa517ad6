package extractive

import (
	"encoding/json"
	"strings"

	"github.com/quarry-sdk/quarry/model"
)

// history is what a request says about the question that is open.
type history struct {
	question string
	tools    map[string]bool
	// calls are the model's own calls since the question, with their results.
	calls []call
	// made counts all calls of the conversation, for ids that are new.
	made int
}

// call is a tool call with its result.
type call struct {
	name   string
	input  map[string]any
	text   string
	failed bool
	round  int // which of the model's responses made it, from 1
}

// maxQuestion is how much of a prompt is read as the question, in bytes.
const maxQuestion = 1200

// readHistory finds the last prompt and what was done about it.
func readHistory(req *model.Request) *history {
	h := &history{tools: make(map[string]bool)}
	if req.Tools != nil {
		for _, d := range req.Tools.Defs {
			h.tools[d.Name] = true
		}
	}
	start := -1
	for i, m := range req.Messages {
		if m == nil {
			continue
		}
		h.made += len(m.Blocks.ToolUses())
		if m.Role == model.RoleUser && strings.TrimSpace(m.Blocks.Text()) != "" {
			start = i
		}
	}
	if start < 0 {
		return h
	}
	h.question = questionOf(req.Messages[start].Blocks.Text())
	results := make(map[string]*model.ToolResult)
	for _, m := range req.Messages[start+1:] {
		if m == nil {
			continue
		}
		for _, b := range m.Blocks {
			if r, ok := b.(*model.ToolResult); ok {
				results[r.ToolUseID] = r
			}
		}
	}
	round := 0
	for _, m := range req.Messages[start+1:] {
		if m == nil || m.Role != model.RoleAssistant {
			continue
		}
		round++
		for _, u := range m.Blocks.ToolUses() {
			c := call{name: u.Name, round: round, failed: true}
			_ = json.Unmarshal(u.Input, &c.input)
			if r := results[u.ID]; r != nil {
				c.text, c.failed = r.Content.Text(), r.IsError
			}
			h.calls = append(h.calls, c)
		}
	}
	return h
}

// named returns the calls of one tool, those that failed left out unless asked for.
func (h *history) named(name string, failed bool) []call {
	var list []call
	for _, c := range h.calls {
		if c.name == name && c.failed == failed {
			list = append(list, c)
		}
	}
	return list
}

// rounds counts the responses in which a tool was called.
func (h *history) rounds(name string) int {
	n, last := 0, 0
	for _, c := range h.calls {
		if c.name == name && c.round != last {
			n, last = n+1, c.round
		}
	}
	return n
}

// questionOf takes the question out of a prompt: all of a short one; of a long
// one the last sentences that ask, else its end.
func questionOf(prompt string) string {
	prompt = strings.TrimSpace(strings.ToValidUTF8(prompt, "\uFFFD"))
	if len(prompt) <= maxQuestion {
		return prompt
	}
	tail := prompt
	if len(tail) > 20*maxQuestion {
		tail = tail[runeUp(tail, len(tail)-20*maxQuestion):]
	}
	var asks []string
	size := 0
	list := sentencesOf(tail)
	for i := len(list) - 1; i >= 0; i-- {
		s := tail[list[i].start:list[i].end]
		if !strings.HasSuffix(s, "?") && !strings.HasSuffix(s, "？") {
			continue
		}
		if size += len(s) + 1; size > maxQuestion {
			break
		}
		asks = append([]string{s}, asks...)
	}
	if len(asks) > 0 {
		return strings.Join(asks, " ")
	}
	return tail[runeUp(tail, len(tail)-maxQuestion):]
}
