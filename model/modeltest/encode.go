package modeltest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"unicode/utf8"

	"github.com/quarry-sdk/quarry/model"
)

// frame is one event of a stream as bytes, or a hang.
type frame struct {
	data []byte
	hang bool
}

// The shapes below are those of recorded responses of the Anthropic Messages API,
// with their order of fields.
type (
	wireMessage struct {
		Model        string          `json:"model"`
		ID           string          `json:"id"`
		Type         string          `json:"type"`
		Role         string          `json:"role"`
		Content      []any           `json:"content"`
		StopReason   *string         `json:"stop_reason"`
		StopSequence *string         `json:"stop_sequence"`
		StopDetails  json.RawMessage `json:"stop_details,omitempty"`
		Usage        any             `json:"usage"`
	}
	wireUsage struct {
		InputTokens      int64             `json:"input_tokens"`
		CacheWriteTokens int64             `json:"cache_creation_input_tokens"`
		CacheReadTokens  int64             `json:"cache_read_input_tokens"`
		CacheCreation    *wireCacheWrite   `json:"cache_creation,omitempty"`
		OutputTokens     int64             `json:"output_tokens"`
		OutputDetails    *wireOutputDetail `json:"output_tokens_details,omitempty"`
		ServerToolUse    map[string]int64  `json:"server_tool_use,omitempty"`
		ServiceTier      string            `json:"service_tier,omitempty"`
	}
	wireCacheWrite struct {
		FiveMinutes int64 `json:"ephemeral_5m_input_tokens"`
		Hour        int64 `json:"ephemeral_1h_input_tokens"`
	}
	wireOutputDetail struct {
		ThinkingTokens int64 `json:"thinking_tokens"`
	}
	wireText struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	wireThinking struct {
		Type      string `json:"type"`
		Thinking  string `json:"thinking"`
		Signature string `json:"signature"`
	}
	wireToolUse struct {
		Type  string          `json:"type"`
		ID    string          `json:"id"`
		Name  string          `json:"name"`
		Input json.RawMessage `json:"input"`
	}
	wireStart struct {
		Type    string       `json:"type"`
		Message *wireMessage `json:"message"`
	}
	wireBlockStart struct {
		Type  string `json:"type"`
		Index int    `json:"index"`
		Block any    `json:"content_block"`
	}
	wireBlockDelta struct {
		Type  string `json:"type"`
		Index int    `json:"index"`
		Delta any    `json:"delta"`
	}
	wireBlockStop struct {
		Type  string `json:"type"`
		Index int    `json:"index"`
	}
	wireMessageDelta struct {
		Type  string   `json:"type"`
		Delta wireStop `json:"delta"`
		Usage any      `json:"usage"`
	}
	wireStop struct {
		StopReason   *string         `json:"stop_reason"`
		StopSequence *string         `json:"stop_sequence"`
		StopDetails  json.RawMessage `json:"stop_details,omitempty"`
	}
	wireError struct {
		Type      string          `json:"type"`
		Error     wireErrorDetail `json:"error"`
		RequestID string          `json:"request_id,omitempty"`
	}
	wireErrorDetail struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	}
)

// encode is json.Marshal without the escapes for HTML, which the API does not use
// either. What is encoded here always can be.
func encode(v any) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("modeltest: encode %T: %v", v, err))
	}
	return bytes.TrimRight(buf.Bytes(), "\n")
}

func event(name string, payload []byte) frame {
	return frame{data: fmt.Appendf(nil, "event: %s\ndata: %s\n\n", name, payload)}
}

// encodeResponse encodes a response that is not streamed.
func encodeResponse(resp *model.Response) []byte {
	content := make([]any, 0, len(resp.Message.Blocks))
	for _, b := range resp.Message.Blocks {
		content = append(content, fullBlock(b))
	}
	reason, sequence := stops(resp)
	return encode(&wireMessage{
		Model: resp.Model, ID: resp.ID, Type: "message", Role: "assistant",
		Content:      content,
		StopReason:   reason,
		StopSequence: sequence,
		StopDetails:  resp.StopDetails,
		Usage:        fullUsage(&resp.Usage),
	})
}

func stops(resp *model.Response) (reason, sequence *string) {
	r := string(resp.StopReason)
	if resp.StopSequence != "" {
		sequence = &resp.StopSequence
	}
	return &r, sequence
}

func fullUsage(u *model.Usage) any {
	if u.Raw != nil {
		return u.Raw
	}
	w := wireUsage{
		InputTokens:      u.InputTokens,
		CacheWriteTokens: u.CacheWriteTokens,
		CacheReadTokens:  u.CacheReadTokens,
		CacheCreation:    &wireCacheWrite{FiveMinutes: u.CacheWriteTokens - u.CacheWrite1hTokens, Hour: u.CacheWrite1hTokens},
		OutputTokens:     u.OutputTokens,
		ServerToolUse:    u.ServerToolCalls,
		ServiceTier:      "standard",
	}
	if u.ReasoningTokens > 0 {
		w.OutputDetails = &wireOutputDetail{ThinkingTokens: u.ReasoningTokens}
	}
	return &w
}

// startUsage is the usage of message_start, where nothing was written yet.
func startUsage(u *model.Usage) any {
	if w, ok := fullUsage(u).(*wireUsage); ok {
		w.OutputTokens, w.OutputDetails, w.ServerToolUse = min(1, w.OutputTokens), nil, nil
		return w
	}
	return u.Raw
}

func fullBlock(b model.Block) any {
	if raw := b.RawJSON(); raw != nil {
		return raw
	}
	switch b := b.(type) {
	case *model.Text:
		return wireText{Type: "text", Text: b.Text}
	case *model.Thinking:
		return wireThinking{Type: "thinking", Thinking: b.Text, Signature: b.Signature}
	case *model.RedactedThinking:
		return map[string]string{"type": "redacted_thinking", "data": b.Data}
	case *model.ToolUse:
		return wireToolUse{Type: "tool_use", ID: b.ID, Name: b.Name, Input: b.Input}
	}
	panic(fmt.Sprintf("modeltest: no wire form of %T", b)) // decodeBlock sets Raw of all others
}

// encodeStream encodes a response as the events of a stream.
func encodeStream(resp *model.Response, parts []part, pieceRunes int) []frame {
	if pieceRunes <= 0 {
		pieceRunes = defaultPieceRunes
	}
	frames := []frame{event("message_start", encode(wireStart{Type: "message_start", Message: &wireMessage{
		Model: resp.Model, ID: resp.ID, Type: "message", Role: "assistant", Content: []any{}, Usage: startUsage(&resp.Usage),
	}}))}
	if len(parts) > 0 && parts[0].hang {
		frames = nil // nothing at all comes before it
	}
	index := 0
	for _, p := range parts {
		switch {
		case p.hang:
			return append(frames, frame{hang: true})
		case p.fail != nil:
			_, detail := errorDetail(p.fail)
			return append(frames, event("error", encode(wireError{Type: "error", Error: detail})))
		case p.event != nil:
			var head struct {
				Type string `json:"type"`
			}
			_ = json.Unmarshal(p.event, &head) // an event need not be an object
			frames = append(frames, event(head.Type, p.event))
		default:
			frames = append(frames, blockFrames(index, p, pieceRunes)...)
			index++
		}
	}
	reason, sequence := stops(resp)
	return append(frames,
		event("message_delta", encode(wireMessageDelta{
			Type:  "message_delta",
			Delta: wireStop{StopReason: reason, StopSequence: sequence, StopDetails: resp.StopDetails},
			Usage: fullUsage(&resp.Usage),
		})),
		event("message_stop", []byte(`{"type":"message_stop"}`)))
}

// blockFrames encodes one block: its start, its pieces and its stop.
func blockFrames(index int, p part, pieceRunes int) []frame {
	var start any
	var deltas []any
	switch b := p.block.(type) {
	case *model.Text:
		start = wireText{Type: "text"}
		for _, piece := range pieces(b.Text, pieceRunes) {
			deltas = append(deltas, map[string]string{"type": "text_delta", "text": piece})
		}
		if b.Raw != nil {
			start = json.RawMessage(`{"type":"text","text":"","citations":[]}`)
			deltas = append(deltas, citations(b.Raw)...)
		}
	case *model.Thinking:
		start = wireThinking{Type: "thinking"}
		for _, piece := range pieces(b.Text, pieceRunes) {
			deltas = append(deltas, map[string]string{"type": "thinking_delta", "thinking": piece})
		}
		deltas = append(deltas, map[string]string{"type": "signature_delta", "signature": b.Signature})
	case *model.ToolUse:
		start = wireToolUse{Type: "tool_use", ID: b.ID, Name: b.Name, Input: json.RawMessage(`{}`)}
		if b.Raw != nil {
			start = withoutInput(b.Raw)
		}
		deltas = inputDeltas(p.input, pieceRunes)
	case *model.ServerToolUse:
		start = withoutInput(b.Raw)
		deltas = inputDeltas(string(b.Input), pieceRunes)
	default:
		start = fullBlock(b)
	}
	frames := []frame{event("content_block_start", encode(wireBlockStart{Type: "content_block_start", Index: index, Block: start}))}
	if index == 0 {
		frames = append(frames, event("ping", []byte(`{"type": "ping"}`)))
	}
	for _, d := range deltas {
		frames = append(frames, event("content_block_delta", encode(wireBlockDelta{Type: "content_block_delta", Index: index, Delta: d})))
	}
	return append(frames, event("content_block_stop", encode(wireBlockStop{Type: "content_block_stop", Index: index})))
}

// inputDeltas begin with an empty one, and that is all there is for no arguments.
func inputDeltas(input string, pieceRunes int) []any {
	deltas := []any{map[string]string{"type": "input_json_delta", "partial_json": ""}}
	if input == "{}" {
		return deltas
	}
	for _, piece := range pieces(input, pieceRunes) {
		deltas = append(deltas, map[string]string{"type": "input_json_delta", "partial_json": piece})
	}
	return deltas
}

func withoutInput(raw json.RawMessage) any {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return raw
	}
	fields["input"] = json.RawMessage(`{}`)
	return fields
}

func citations(raw json.RawMessage) []any {
	var text struct {
		Citations []json.RawMessage `json:"citations"`
	}
	_ = json.Unmarshal(raw, &text) // it was read before
	deltas := make([]any, len(text.Citations))
	for i, c := range text.Citations {
		deltas[i] = map[string]any{"type": "citations_delta", "citation": c}
	}
	return deltas
}

// limit is the number of bytes of the frames after which the cut is, negative for
// no cut; false if there is no such place.
func (c cut) limit(frames []frame) (int, bool) {
	var all []byte
	ends := make([]int, len(frames))
	for i, f := range frames {
		all = append(all, f.data...)
		ends[i] = len(all)
	}
	switch c.where {
	case cutMiddle, cutClean:
		if len(frames) == 1 {
			return len(all) / 2, true
		}
		return ends[len(frames)/2-1], true
	case cutByte:
		return min(c.at, len(all)), true
	case cutRune:
		i := bytes.IndexFunc(all, func(r rune) bool { return r >= utf8.RuneSelf })
		return i + 1, i >= 0
	case cutEvent:
		middle := len(frames) / 2
		return ends[middle] - len(frames[middle].data)/2, true
	}
	return -1, true
}

// errorDetail gives the status and the envelope's inner part of an error.
func errorDetail(err *model.Error) (int, wireErrorDetail) {
	status, code := http.StatusInternalServerError, "api_error"
	switch err.Kind {
	case model.ErrAuth:
		status, code = http.StatusUnauthorized, "authentication_error"
	case model.ErrBilling:
		status, code = http.StatusPaymentRequired, "billing_error"
	case model.ErrInvalidRequest, model.ErrContextWindow:
		status, code = http.StatusBadRequest, "invalid_request_error"
	case model.ErrNotFound:
		status, code = http.StatusNotFound, "not_found_error"
	case model.ErrTooLarge:
		status, code = http.StatusRequestEntityTooLarge, "request_too_large"
	case model.ErrRateLimited:
		status, code = http.StatusTooManyRequests, "rate_limit_error"
	case model.ErrOverloaded:
		status, code = 529, "overloaded_error"
	case model.ErrTimeout:
		status, code = http.StatusGatewayTimeout, "timeout_error"
	}
	message := err.Message
	if message == "" && err.Kind == model.ErrContextWindow {
		message = "prompt is too long: 200001 tokens > 200000 maximum"
	}
	if err.Status != 0 {
		status = err.Status
	}
	if err.Code != "" {
		code = err.Code
	}
	return status, wireErrorDetail{Type: code, Message: message}
}

// writeError answers with the error envelope.
func writeError(w http.ResponseWriter, failure error) {
	err, ok := failure.(*model.Error)
	if !ok {
		err = &model.Error{Kind: model.ErrServer, Message: failure.Error()}
	}
	switch err.Kind {
	case model.ErrTransport:
		panic(http.ErrAbortHandler)
	case model.ErrProtocol:
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<html><body>Welcome</body></html>"))
		return
	}
	status, detail := errorDetail(err)
	id := err.RequestID
	if id == "" {
		id = "req_modeltest"
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Request-Id", id)
	if err.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(err.RetryAfter.Seconds()))))
	}
	if h.Get("X-Should-Retry") == "" {
		h.Set("X-Should-Retry", strconv.FormatBool(err.Retryable()))
	}
	w.WriteHeader(status)
	_, _ = w.Write(encode(wireError{Type: "error", Error: detail, RequestID: id}))
}
