package modeltest

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/quarry-sdk/quarry/model"
)

// The shapes below are those of recorded responses of the Responses API.
type (
	wireResponse struct {
		ID         string          `json:"id"`
		Object     string          `json:"object"`
		Status     string          `json:"status"`
		Error      any             `json:"error"`
		Incomplete json.RawMessage `json:"incomplete_details"`
		Model      string          `json:"model"`
		Output     []any           `json:"output"`
		Store      bool            `json:"store"`
		Usage      any             `json:"usage"`
	}
	wireMessageItem struct {
		ID      string `json:"id"`
		Type    string `json:"type"`
		Status  string `json:"status"`
		Content []any  `json:"content"`
		Role    string `json:"role"`
	}
	wireOutputText struct {
		Type        string `json:"type"`
		Annotations []any  `json:"annotations"`
		Text        string `json:"text"`
	}
	wireReasoning struct {
		ID        string  `json:"id"`
		Type      string  `json:"type"`
		Encrypted *string `json:"encrypted_content"`
		Summary   []any   `json:"summary"`
	}
	wireFunctionCall struct {
		ID        string `json:"id"`
		Type      string `json:"type"`
		Status    string `json:"status"`
		Arguments string `json:"arguments"`
		CallID    string `json:"call_id"`
		Name      string `json:"name"`
	}
	wireResponsesUsage struct {
		InputTokens   int64            `json:"input_tokens"`
		InputDetails  map[string]int64 `json:"input_tokens_details"`
		OutputTokens  int64            `json:"output_tokens"`
		OutputDetails map[string]int64 `json:"output_tokens_details"`
		TotalTokens   int64            `json:"total_tokens"`
	}
)

// responseID is the id of a response or an item, of which the API has another
// prefix.
func responseID(prefix, id string, n int) string {
	_, hash, _ := strings.Cut(id, "_")
	if n < 0 {
		return prefix + hash
	}
	return prefix + hash + "_" + strconv.Itoa(n)
}

func emptyResponse(resp *model.Response) *wireResponse {
	return &wireResponse{ID: responseID("resp_", resp.ID, -1), Object: "response", Status: "in_progress", Model: resp.Model, Output: []any{}}
}

// finalResponse is a response as it is at its end.
func finalResponse(resp *model.Response) *wireResponse {
	out := emptyResponse(resp)
	out.Status, out.Incomplete = responseStatus(resp)
	out.Usage = responsesUsage(&resp.Usage)
	for i, b := range resp.Message.Blocks {
		out.Output = append(out.Output, item(resp.ID, i, b, out.Status))
	}
	return out
}

// responseStatus is the status, and why the response is incomplete, for a stop
// reason. A reason of which the API does not know is told as such a why.
func responseStatus(resp *model.Response) (status string, incomplete json.RawMessage) {
	reason := string(resp.StopReason)
	switch resp.StopReason {
	case model.StopEndTurn, model.StopToolUse:
		return "completed", nil
	case model.StopMaxTokens:
		reason = "max_output_tokens"
	case model.StopRefusal:
		reason = "content_filter"
	}
	return "incomplete", encode(map[string]string{"reason": reason})
}

func responsesUsage(u *model.Usage) any {
	if u.Raw != nil {
		return u.Raw
	}
	in := u.InputTokens + u.CacheReadTokens + u.CacheWriteTokens
	return &wireResponsesUsage{
		InputTokens:   in,
		InputDetails:  map[string]int64{"cached_tokens": u.CacheReadTokens, "cache_write_tokens": u.CacheWriteTokens},
		OutputTokens:  u.OutputTokens,
		OutputDetails: map[string]int64{"reasoning_tokens": u.ReasoningTokens},
		TotalTokens:   in + u.OutputTokens,
	}
}

// item is a block as a complete item of the output. A block that was given as
// raw JSON is an item as it is.
func item(id string, n int, b model.Block, status string) any {
	switch b := b.(type) {
	case *model.Text:
		part := wireOutputText{Type: "output_text", Annotations: []any{}, Text: b.Text}
		return wireMessageItem{ID: responseID("msg_", id, n), Type: "message", Status: status, Content: []any{part}, Role: "assistant"}
	case *model.Thinking:
		out := wireReasoning{ID: responseID("rs_", id, n), Type: "reasoning", Summary: []any{}}
		if b.Text != "" {
			out.Summary = append(out.Summary, map[string]string{"type": "summary_text", "text": b.Text})
		}
		if b.Signature != "" {
			out.Encrypted = &b.Signature
		}
		return out
	case *model.RedactedThinking:
		return wireReasoning{ID: responseID("rs_", id, n), Type: "reasoning", Summary: []any{}, Encrypted: &b.Data}
	case *model.ToolUse:
		call := wireFunctionCall{ID: responseID("fc_", id, n), Type: "function_call", Status: "completed", Arguments: string(b.Input), CallID: b.ID, Name: b.Name}
		if b.Incomplete {
			call.Status = status
			_ = json.Unmarshal(b.Input, &call.Arguments) // it is a JSON string
		}
		return call
	}
	return b.RawJSON()
}

// responsesStream encodes a response as the events of a stream.
func responsesStream(resp *model.Response, parts []part, pieceRunes int) []frame {
	if pieceRunes <= 0 {
		pieceRunes = defaultPieceRunes
	}
	s := &eventWriter{}
	if len(parts) == 0 || !parts[0].hang { // nothing at all comes before a hang
		s.add("response.created", map[string]any{"response": emptyResponse(resp)})
		s.add("response.in_progress", map[string]any{"response": emptyResponse(resp)})
	}
	status, _ := responseStatus(resp)
	n := 0
	for _, p := range parts {
		switch {
		case p.hang:
			return append(s.frames, frame{hang: true})
		case p.fail != nil:
			_, detail := responsesErrorOf(p.fail)
			failed := emptyResponse(resp)
			failed.Status, failed.Error = "failed", detail
			s.add("error", map[string]any{"error": detail})
			s.add("response.failed", map[string]any{"response": failed})
			return s.frames
		case p.event != nil:
			var head struct {
				Type string `json:"type"`
			}
			_ = json.Unmarshal(p.event, &head) // an event need not be an object
			s.frames = append(s.frames, event(head.Type, p.event))
		default:
			s.item(n, p.block, item(resp.ID, n, p.block, status), pieceRunes)
			n++
		}
	}
	name := "response.completed"
	if status == "incomplete" {
		name = "response.incomplete"
	}
	s.add(name, map[string]any{"response": finalResponse(resp)})
	return s.frames
}

// eventWriter numbers the events of a stream.
type eventWriter struct {
	frames []frame
	number int
}

func (s *eventWriter) add(name string, fields map[string]any) {
	fields["type"], fields["sequence_number"] = name, s.number
	s.number++
	s.frames = append(s.frames, event(name, encode(fields)))
}

// item adds the events of one item: that it began, its pieces, and its end.
func (s *eventWriter) item(n int, b model.Block, complete any, pieceRunes int) {
	add := func(name string, fields map[string]any) {
		fields["output_index"] = n
		s.add(name, fields)
	}
	begun := complete
	switch it := complete.(type) {
	case wireMessageItem:
		part := it.Content[0].(wireOutputText)
		it.Status, it.Content = "in_progress", []any{}
		add("response.output_item.added", map[string]any{"item": it})
		add("response.content_part.added", map[string]any{"item_id": it.ID, "content_index": 0, "part": wireOutputText{Type: "output_text", Annotations: []any{}}})
		for _, piece := range pieces(part.Text, pieceRunes) {
			add("response.output_text.delta", map[string]any{"item_id": it.ID, "content_index": 0, "delta": piece})
		}
		add("response.output_text.done", map[string]any{"item_id": it.ID, "content_index": 0, "text": part.Text})
		add("response.content_part.done", map[string]any{"item_id": it.ID, "content_index": 0, "part": part})
	case wireReasoning:
		summary := it.Summary
		it.Summary, it.Encrypted = []any{}, nil
		add("response.output_item.added", map[string]any{"item": it})
		if len(summary) > 0 {
			for _, piece := range pieces(b.(*model.Thinking).Text, pieceRunes) {
				add("response.reasoning_summary_text.delta", map[string]any{"item_id": it.ID, "summary_index": 0, "delta": piece})
			}
		}
	case wireFunctionCall:
		arguments := it.Arguments
		it.Status, it.Arguments = "in_progress", ""
		add("response.output_item.added", map[string]any{"item": it})
		for _, piece := range pieces(arguments, pieceRunes) {
			add("response.function_call_arguments.delta", map[string]any{"item_id": it.ID, "delta": piece})
		}
		add("response.function_call_arguments.done", map[string]any{"item_id": it.ID, "arguments": arguments})
	default:
		add("response.output_item.added", map[string]any{"item": begun})
	}
	add("response.output_item.done", map[string]any{"item": complete})
}
