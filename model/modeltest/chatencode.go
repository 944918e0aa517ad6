package modeltest

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/quarry-sdk/quarry/model"
)

// chatAnswer is a turn as an answer of the Chat Completions API.
type chatAnswer struct {
	resp       *model.Response
	parts      []part
	pieceRunes int
	usage      bool // a stream tells the usage only if it is asked to
}

// The shapes below are those of recorded answers, with their order of fields.
type (
	chatBody struct {
		ID      string       `json:"id"`
		Object  string       `json:"object"`
		Created int64        `json:"created"`
		Model   string       `json:"model"`
		Choices []chatChoice `json:"choices"`
		Usage   *chatUsage   `json:"usage,omitempty"`
	}
	chatChoice struct {
		Index   int     `json:"index"`
		Delta   any     `json:"delta,omitempty"`
		Message any     `json:"message,omitempty"`
		Finish  *string `json:"finish_reason"`
	}
	chatUsage struct {
		Prompt     int64            `json:"prompt_tokens"`
		Completion int64            `json:"completion_tokens"`
		Total      int64            `json:"total_tokens"`
		In         chatInDetails    `json:"prompt_tokens_details"`
		Out        chatOutDetails   `json:"completion_tokens_details"`
		Creation   *wireCacheWrite  `json:"cache_creation,omitempty"`
		ServerTool map[string]int64 `json:"server_tool_use,omitempty"`
	}
	chatInDetails struct {
		Cached  int64 `json:"cached_tokens"`
		Written int64 `json:"cache_write_tokens,omitempty"`
	}
	chatOutDetails struct {
		Reasoning int64 `json:"reasoning_tokens"`
	}
)

// speakable tells whether the API has a form for all that the turn says.
func (a *chatAnswer) speakable() error {
	for _, p := range a.parts {
		switch b := p.block.(type) {
		case nil, *model.Text, *model.Thinking, *model.RedactedThinking, *model.ToolUse:
		default:
			return scriptError(fmt.Errorf("the Chat Completions API has no form for a block of type %s", b.BlockType()))
		}
	}
	if len(a.parts) > 0 && a.parts[0].fail != nil {
		return a.parts[0].fail
	}
	return nil
}

func (a *chatAnswer) id() string {
	_, hash, _ := strings.Cut(a.resp.ID, "_")
	return "chatcmpl-" + hash
}

// finish is the reason in the API's words.
func (a *chatAnswer) finish() *string {
	reason := string(a.resp.StopReason)
	switch a.resp.StopReason {
	case model.StopEndTurn, model.StopSequence:
		reason = "stop"
	case model.StopToolUse:
		reason = "tool_calls"
	case model.StopMaxTokens:
		reason = "length"
	case model.StopRefusal:
		reason = "content_filter"
	}
	return &reason
}

func (a *chatAnswer) counts() *chatUsage {
	u := &a.resp.Usage
	prompt := u.InputTokens + u.CacheReadTokens + u.CacheWriteTokens
	c := &chatUsage{
		Prompt: prompt, Completion: u.OutputTokens, Total: prompt + u.OutputTokens,
		In:         chatInDetails{Cached: u.CacheReadTokens, Written: u.CacheWriteTokens},
		Out:        chatOutDetails{Reasoning: u.ReasoningTokens},
		ServerTool: u.ServerToolCalls,
	}
	if u.CacheWrite1hTokens > 0 {
		c.Creation = &wireCacheWrite{FiveMinutes: u.CacheWriteTokens - u.CacheWrite1hTokens, Hour: u.CacheWrite1hTokens}
	}
	return c
}

// whole is the answer in one piece.
func (a *chatAnswer) whole() *chatBody {
	message := map[string]any{"role": "assistant", "content": nil}
	if text := a.resp.Message.Blocks.Text(); text != "" {
		message["content"] = text
	}
	var calls []any
	thoughts, plain := []any{}, ""
	for _, p := range a.parts {
		switch b := p.block.(type) {
		case *model.Thinking:
			plain += b.Text
			if b.Signature != "" {
				thoughts = append(thoughts, chatThought(b.Text, b.Signature))
			}
		case *model.RedactedThinking:
			thoughts = append(thoughts, chatSecret(b.Data))
		case *model.ToolUse:
			calls = append(calls, map[string]any{"id": b.ID, "type": "function", "function": map[string]string{"name": b.Name, "arguments": p.input}})
		}
	}
	switch {
	case len(thoughts) > 0:
		message["reasoning"], message["reasoning_details"] = plain, thoughts
	case plain != "":
		message["reasoning_content"] = plain
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	return &chatBody{
		ID: a.id(), Object: "chat.completion", Model: a.resp.Model, Usage: a.counts(),
		Choices: []chatChoice{{Message: message, Finish: a.finish()}},
	}
}

// chatThought is signed reasoning as OpenRouter passes it on.
func chatThought(text, signature string) map[string]any {
	return map[string]any{"type": "reasoning.text", "text": text, "signature": signature, "format": "modeltest", "index": 0}
}

// chatSecret is encrypted reasoning as OpenRouter passes it on.
func chatSecret(data string) map[string]any {
	return map[string]any{"type": "reasoning.encrypted", "data": data, "format": "modeltest", "index": 0}
}

// stream is the answer as the events of a stream.
func (a *chatAnswer) stream() []frame {
	if a.pieceRunes <= 0 {
		a.pieceRunes = defaultPieceRunes
	}
	var frames []frame
	if len(a.parts) == 0 || !a.parts[0].hang {
		frames = append(frames, a.delta(map[string]any{"role": "assistant", "content": ""}))
	}
	calls := 0
	for _, p := range a.parts {
		switch {
		case p.hang:
			return append(frames, frame{hang: true})
		case p.fail != nil:
			status, detail := chatErrorDetail(p.fail)
			detail["status_code"] = status
			return append(frames, dataFrame(encode(map[string]any{"error": detail})))
		case p.event != nil && isPing(p.event):
			frames = append(frames, frame{data: []byte(": ping\n\n")})
		case p.event != nil:
			frames = append(frames, dataFrame(p.event))
		default:
			frames = append(frames, a.blockFrames(p, calls)...)
			if _, ok := p.block.(*model.ToolUse); ok {
				calls++
			}
		}
	}
	end := a.chunk(nil)
	end.Choices = []chatChoice{{Delta: map[string]any{}, Finish: a.finish()}}
	frames = append(frames, dataFrame(encode(end)))
	if a.usage {
		last := a.chunk(nil)
		last.Usage = a.counts()
		frames = append(frames, dataFrame(encode(last)))
	}
	return append(frames, dataFrame([]byte("[DONE]")))
}

// blockFrames encodes one block. Call is its number among the calls.
func (a *chatAnswer) blockFrames(p part, call int) []frame {
	var frames []frame
	switch b := p.block.(type) {
	case *model.Text:
		for _, piece := range pieces(b.Text, a.pieceRunes) {
			frames = append(frames, a.delta(map[string]any{"content": piece}))
		}
	case *model.Thinking:
		for _, piece := range pieces(b.Text, a.pieceRunes) {
			delta := map[string]any{"reasoning_content": piece}
			if b.Signature != "" {
				delta = map[string]any{"reasoning": piece, "reasoning_details": []any{map[string]any{"type": "reasoning.text", "text": piece, "format": "modeltest", "index": 0}}}
			}
			frames = append(frames, a.delta(delta))
		}
		if b.Signature != "" {
			frames = append(frames, a.delta(map[string]any{"reasoning_details": []any{map[string]any{"type": "reasoning.text", "signature": b.Signature, "format": "modeltest", "index": 0}}}))
		}
	case *model.RedactedThinking:
		frames = append(frames, a.delta(map[string]any{"reasoning_details": []any{chatSecret(b.Data)}}))
	case *model.ToolUse:
		frames = append(frames, a.delta(map[string]any{"tool_calls": []any{map[string]any{"index": call, "id": b.ID, "type": "function", "function": map[string]string{"name": b.Name, "arguments": ""}}}}))
		for _, piece := range pieces(p.input, a.pieceRunes) {
			frames = append(frames, a.delta(map[string]any{"tool_calls": []any{map[string]any{"index": call, "function": map[string]string{"arguments": piece}}}}))
		}
	}
	return frames
}

func (a *chatAnswer) chunk(choices []chatChoice) *chatBody {
	if choices == nil {
		choices = []chatChoice{}
	}
	return &chatBody{ID: a.id(), Object: "chat.completion.chunk", Model: a.resp.Model, Choices: choices}
}

func (a *chatAnswer) delta(delta map[string]any) frame {
	return dataFrame(encode(a.chunk([]chatChoice{{Delta: delta}})))
}

func dataFrame(payload json.RawMessage) frame {
	return frame{data: fmt.Appendf(nil, "data: %s\n\n", payload)}
}
