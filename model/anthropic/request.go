package anthropic

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/quarry-sdk/quarry/internal/rawjson"
	"github.com/quarry-sdk/quarry/model"
)

// fill makes b the body of the request. The conversation comes last, so that a
// longer one has the shorter one's bytes as its prefix.
func (b *body) fill(req *model.Request, modelName string, maxTokens int, count bool) error {
	if len(req.Messages) == 0 {
		return invalidRequest("the request has no messages")
	}
	b.control = cacheControl(req.Cache.TTL)
	if b.control == nil {
		return invalidRequest(fmt.Sprintf("cache TTL %q is neither 5m nor 1h", req.Cache.TTL))
	}
	left := maxBreakpoints
	if err := b.fillHead(req, modelName, maxTokens, count, &left); err != nil {
		return err
	}
	b.messages = req.Messages
	b.size = int64(len(b.head) + len(bodyEnd))
	first := true
	for i, m := range req.Messages {
		if m == nil {
			return invalidRequest(fmt.Sprintf("message %d is nil", i))
		}
		enc, err := encodeMessage(m)
		if err != nil {
			return wrapEncode(fmt.Sprintf("message %d", i), err)
		}
		if len(enc) > 0 && first {
			first = false
			b.first = i
			b.size-- // its comma
		}
		b.size += int64(len(enc))
	}
	if first {
		return invalidRequest("no message of the request has content that can be sent")
	}
	want := min(req.Cache.Messages, left)
	for i := len(req.Messages) - 1; i >= 0 && want > 0; i-- {
		enc, _ := encodeMessage(req.Messages[i])
		if at := messageMark(req.Messages[i], enc); at >= 0 {
			b.marks[b.nmarks] = mark{message: i, at: at}
			b.nmarks++
			want--
			b.size += int64(len(b.control))
		}
	}
	slices.Reverse(b.marks[:b.nmarks])
	return nil
}

func wrapEncode(what string, err error) error {
	if e, ok := err.(*model.Error); ok {
		return e
	}
	return invalidRequest("encode " + what + ": " + err.Error())
}

// fillHead writes everything before the messages. Count leaves out what the address
// that counts tokens refuses: everything that is about the answer alone.
func (b *body) fillHead(req *model.Request, modelName string, maxTokens int, count bool, left *int) error {
	h := &head{buf: b.head[:0], extra: req.Extra}
	for key := range req.Extra {
		if key == "messages" || key == "stream" {
			return invalidRequest("Extra cannot replace " + key)
		}
	}
	if req.MaxTokens < 0 {
		return invalidRequest(fmt.Sprintf("max tokens is %d", req.MaxTokens))
	}
	if req.MaxTokens > 0 {
		maxTokens = req.MaxTokens
	}
	h.buf = append(h.buf, '{')
	if h.key("model") {
		h.buf = rawjson.AppendQuoted(h.buf, modelName)
	}
	if !count && h.key("max_tokens") {
		h.buf = appendInt(h.buf, maxTokens)
	}
	if !count {
		h.key("stream")
		h.buf = append(h.buf, "true"...)
	}
	if t := req.Temperature; t != nil && (math.IsNaN(*t) || math.IsInf(*t, 0)) {
		return invalidRequest("the temperature is not a number")
	}
	if !count && req.Temperature != nil && h.key("temperature") {
		h.buf = strconv.AppendFloat(h.buf, *req.Temperature, 'g', -1, 64)
	}
	if !count && len(req.StopSequences) > 0 && h.key("stop_sequences") {
		h.buf = append(h.buf, '[')
		for i, s := range req.StopSequences {
			if i > 0 {
				h.buf = append(h.buf, ',')
			}
			h.buf = rawjson.AppendQuoted(h.buf, s)
		}
		h.buf = append(h.buf, ']')
	}
	if err := h.thinking(req.Thinking); err != nil {
		return err
	}
	if err := h.outputConfig(req); err != nil {
		return err
	}
	if err := h.tools(req, b.control, left); err != nil {
		return err
	}
	if req.System != nil && h.free("system") {
		enc, err := encodeSystem(req.System)
		if err != nil {
			return wrapEncode("system", err)
		}
		if len(enc) > 0 {
			h.key("system")
			h.marked(enc, req.Cache.System, b.control, left)
		}
	}
	if err := h.rest(); err != nil {
		return err
	}
	h.buf = append(h.buf, `,"messages":[`...)
	b.head = h.buf
	return nil
}
