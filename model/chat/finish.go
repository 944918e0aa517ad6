package chat

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/quarry-sdk/quarry/internal/rawjson"
	"github.com/quarry-sdk/quarry/model"
)

// end closes the answer. A stream may end without [DONE] if it has told why it
// ends, and without telling if [DONE] came.
func (d *decoder) end(yield func(model.Event, error) bool) error {
	if !d.done && len(d.finish) == 0 {
		return io.ErrUnexpectedEOF
	}
	if !d.begun {
		return d.protocol("the stream ended before it began")
	}
	d.done = true
	if err := d.flush(yield); err != nil {
		return err
	}
	if len(d.finish) == 0 && len(d.blocks) == 0 {
		return d.protocol("the answer is empty and does not say why")
	}
	if err := d.finishError(); err != nil {
		return err
	}
	if len(d.echo) > 0 {
		b := d.open("unknown", yield)
		if b == nil {
			return errStop
		}
		b.name = append(b.name, messageFields...)
		b.text = append(b.text, d.echo.object()...)
	}
	d.nameCalls()
	for i := range d.blocks {
		d.blocks[i].closed = true
	}
	if n := len(d.blocks); n > 0 && d.stop() == model.StopMaxTokens {
		// Nobody knows which arguments would have come.
		d.blocks[n-1].cut = len(d.blocks[n-1].text) == 0
	}
	if !d.announce(yield) {
		return errStop
	}
	return nil
}

// flush passes on what the splitters held back.
func (d *decoder) flush(yield func(model.Event, error) bool) error {
	err := d.think.flush(func(inside bool, piece []byte) error {
		if inside {
			return d.write("thinking", piece, yield)
		}
		return d.splitCalls(piece, yield)
	})
	if err != nil {
		return err
	}
	return d.calls.flush(func(inside bool, piece []byte) error {
		if inside {
			return d.textCall(piece, false, yield)
		}
		return d.write("text", piece, yield)
	})
}

// reason is finish_reason, in small letters.
func (d *decoder) reason() string { return strings.ToLower(rawjson.Str(d.finish)) }

// finishError is the failure that a finish_reason reports; nil for none.
func (d *decoder) finishError() error {
	var kind model.ErrorKind
	switch d.reason() {
	case "error", "abort", "network_error", "finish_reason_error", "malformed_function_call":
		kind = model.ErrServer
	case "insufficient_system_resource":
		kind = model.ErrOverloaded
	default:
		return nil
	}
	return &model.Error{
		Kind: kind, Provider: d.origin, Status: http.StatusOK, Code: rawjson.Str(d.finish),
		Message: "the server broke the answer off",
	}
}

// stop is why the answer ended. Reasons that are not known stay as they came.
func (d *decoder) stop() model.StopReason {
	calls := false
	for i := range d.blocks {
		calls = calls || d.blocks[i].kind == "tool_use"
	}
	if len(d.refusal) > 0 {
		return model.StopRefusal
	}
	switch d.reason() {
	case "", "stop", "end_turn", "eos", "eos_token", "complete", "completed", "end", "done", "finish_reason_stop",
		"tool_calls", "tool_call", "tool_use", "function_call", "finish_reason_unspecified", "null":
		// Some servers say stop behind calls, and some tool_calls without one.
		if calls {
			return model.StopToolUse
		}
		return model.StopEndTurn
	case "length", "max_tokens", "max_output_tokens", "max_completion_tokens", "max_new_tokens":
		return model.StopMaxTokens
	case "content_filter", "refusal", "safety", "sensitive", "recitation", "blocklist", "prohibited_content", "spii", "image_safety":
		return model.StopRefusal
	case "stop_sequence":
		return model.StopSequence
	case "model_length", "model_context_window_exceeded", "context_length_exceeded":
		return model.StopContextWindow
	case "pause_turn":
		return model.StopPauseTurn
	}
	return model.StopReason(rawjson.Str(d.finish))
}

// response returns what has arrived. A call that is still open is marked
// incomplete.
func (d *decoder) response() *model.Response {
	var out struct { // one allocation
		resp    model.Response
		message model.Message
	}
	resp := &out.resp
	resp.ID, resp.Model, resp.Message = d.id, d.model, &out.message
	resp.Message.Role, resp.Message.Provider = model.RoleAssistant, d.origin
	if len(d.blocks) > 0 {
		resp.Message.Blocks = make(model.Blocks, len(d.blocks))
	}
	for i := range d.blocks {
		b := &d.blocks[i]
		if b.block == nil {
			b.cut = true
			b.block = b.finish()
		}
		resp.Message.Blocks[i] = b.block
	}
	if d.done || len(d.finish) > 0 {
		resp.StopReason = d.stop()
	}
	if resp.StopReason == model.StopRefusal {
		resp.StopDetails = d.refusalDetails()
	}
	resp.Usage = d.decodeUsage()
	resp.Extra = d.extras()
	return resp
}

// partial is response if anything has arrived, else nil.
func (d *decoder) partial() *model.Response {
	if !d.begun {
		return nil
	}
	_ = d.flush(func(model.Event, error) bool { return true }) // nothing of it can fail
	d.nameCalls()
	return d.response()
}

// refusalDetails is the provider's explanation of a refusal.
func (d *decoder) refusalDetails() json.RawMessage {
	details := []byte(d.choice.object())
	if details == nil {
		details = []byte("{}")
	}
	if len(d.finish) > 0 {
		details = rawjson.With(details, "finish_reason", d.finish)
	}
	if len(d.refusal) > 0 {
		details = rawjson.With(details, "refusal", rawjson.AppendQuoted(nil, d.refusal))
	}
	return details
}

// extras are the fields of the answer, its choice and its message that have no
// typed place.
func (d *decoder) extras() map[string]json.RawMessage {
	extra := make(map[string]json.RawMessage, len(d.extra)+3)
	for i := range d.extra {
		extra[d.extra[i].key] = append(json.RawMessage(nil), d.extra[i].val...)
	}
	if raw := d.choice.object(); raw != nil {
		extra["choice"] = raw
	}
	if raw := d.message.object(); raw != nil {
		extra["message"] = raw
	}
	if len(d.logprobs[0])+len(d.logprobs[1]) > 0 {
		raw := []byte{'{'}
		for i, name := range [...]string{"content", "refusal"} {
			if len(d.logprobs[i]) > 0 {
				raw = appendField(raw, name, array(append([]byte(nil), d.logprobs[i]...)))
			}
		}
		extra["logprobs"] = append(raw, '}')
	}
	if len(extra) == 0 {
		return nil
	}
	return extra
}
