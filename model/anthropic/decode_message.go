package anthropic

import (
	"bytes"
	"encoding/json"

	"github.com/quarry-sdk/quarry/internal/rawjson"
	"github.com/quarry-sdk/quarry/model"
)

// messageFields takes the fields of a message object. A second one is merged
// into the first: some gateways send message_start twice.
func (d *decoder) messageFields(message []byte) {
	d.begun = true
	for key, val := range rawjson.Fields(message) {
		d.messageField(string(key), val)
	}
}

func (d *decoder) messageField(key string, val []byte) {
	switch key {
	case "type", "role":
		return
	case "content":
		if rawjson.IsArray(val) && len(val) > len("[]") {
			d.early = append(d.early[:0], val...)
		}
		return
	case "usage":
		d.mergeUsage(val)
		return
	}
	if rawjson.IsNull(val) {
		return
	}
	switch key {
	case "id":
		d.resp.ID = rawjson.Str(val)
	case "model":
		d.resp.Model = rawjson.Str(val)
	case "stop_reason":
		d.resp.StopReason = internStop(val)
	case "stop_sequence":
		d.resp.StopSequence = rawjson.Str(val)
	case "stop_details":
		d.resp.StopDetails = bytes.Clone(val)
	default:
		d.extra(key, val)
	}
}

func internStop(val []byte) model.StopReason {
	switch string(val) {
	case `"end_turn"`:
		return model.StopEndTurn
	case `"tool_use"`:
		return model.StopToolUse
	}
	return model.StopReason(rawjson.Str(val))
}

// extra keeps a top-level field that has no typed place. A null says nothing.
func (d *decoder) extra(key string, val []byte) {
	if rawjson.IsNull(val) {
		return
	}
	if d.resp.Extra == nil {
		d.resp.Extra = make(map[string]json.RawMessage)
	}
	d.resp.Extra[key] = bytes.Clone(val)
}

// response returns what has arrived. A block that is still open is closed, and
// marked incomplete where it is a call.
func (d *decoder) response() *model.Response {
	var out struct { // one allocation
		resp    model.Response
		message model.Message
	}
	out.resp = d.resp
	resp := &out.resp
	resp.Message = &out.message
	resp.Message.Role, resp.Message.Provider = model.RoleAssistant, Provider
	if len(d.blocks) > 0 {
		resp.Message.Blocks = make(model.Blocks, len(d.blocks))
		for i := range d.blocks {
			b := &d.blocks[i]
			if b.block == nil {
				b.block = b.finish(true)
			}
			resp.Message.Blocks[i] = b.block
		}
	}
	resp.Usage = decodeUsage(d.usage)
	return resp
}

// partial is response if anything has arrived, else nil.
func (d *decoder) partial() *model.Response {
	if !d.begun {
		return nil
	}
	return d.response()
}
