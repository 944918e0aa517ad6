package openai

import (
	"bytes"
	"encoding/json"

	"github.com/quarry-sdk/quarry/internal/rawjson"
	"github.com/quarry-sdk/quarry/model"
)

// finish takes the response as it is at its end. Its output counts where the
// events did not tell of an item, or not of its end.
func (d *decoder) finish(response []byte, yield func(model.Event, error) bool) error {
	d.begun = true
	d.responseFields(response)
	switch d.status {
	case "queued", "in_progress":
		return protocolError("the response is still " + d.status + ": background mode is not supported; ask again without it")
	case "failed":
		e := streamError(rawjson.Field(response, "error"))
		if rawjson.IsNull(rawjson.Field(response, "error")) {
			e.Message = "the response failed, and the API did not say why"
		}
		return e
	}
	n := int64(0)
	for item := range rawjson.Elements(rawjson.Field(response, "output")) {
		if !rawjson.IsObject(item) {
			return protocolError("an item of the output is not an object")
		}
		it := d.byIndex(n)
		if it == nil {
			it = d.open(n, intern(rawjson.Field(item, "type")), item)
		}
		n++
		if it.closed {
			continue
		}
		if err := d.close(it, item, yield); err != nil {
			return err
		}
	}
	for i := range d.items {
		if it := &d.items[i]; !it.closed {
			if err := d.close(it, nil, yield); err != nil {
				return err
			}
		}
	}
	d.done = true
	return nil
}

func (d *decoder) byIndex(index int64) *openItem {
	for i := range d.items {
		if d.items[i].index == index {
			return &d.items[i]
		}
	}
	return nil
}

// close completes an item with its final form, or without one, and announces
// its blocks.
func (d *decoder) close(it *openItem, item []byte, yield func(model.Event, error) bool) error {
	it.closed = true
	n := d.number(it)
	if item != nil {
		it.kind = intern(rawjson.Field(item, "type"))
		it.start = append(it.start[:0], item...)
		for part, text := range finalTexts(it.kind, item) {
			if err := d.complete(it, d.block(n, part), text, yield); err != nil {
				return err
			}
		}
	}
	if resultOf(it.kind, it.start) != nil {
		d.block(n, 1)
	}
	var raw json.RawMessage
	if item != nil {
		raw = bytes.Clone(item)
	}
	for i := range d.blocks {
		b := &d.blocks[i]
		if b.item != n {
			continue
		}
		b.block = it.build(b, raw, d.status)
		if !yield(model.Event{Kind: model.EventBlock, Index: i, Block: b.block}, nil) {
			return errStop
		}
	}
	return nil
}

// echoed are the fields in which a response repeats its request. They say
// nothing that the caller has not said, and would be journaled at each turn.
var echoed = map[string]bool{
	"background": true, "frequency_penalty": true, "include": true, "instructions": true,
	"max_output_tokens": true, "max_tool_calls": true, "metadata": true, "parallel_tool_calls": true,
	"presence_penalty": true, "previous_response_id": true, "prompt": true, "prompt_cache_key": true,
	"prompt_cache_retention": true, "reasoning": true, "safety_identifier": true, "store": true,
	"temperature": true, "text": true, "tool_choice": true, "tools": true, "top_logprobs": true,
	"top_p": true, "truncation": true, "user": true,
}

// setText sets a string that each of several events repeats.
func setText(s *string, raw []byte) {
	if text := rawjson.Text(raw); string(text) != *s {
		*s = string(text)
	}
}

// responseFields takes the fields of a response but for its output.
func (d *decoder) responseFields(response []byte) {
	for key, val := range rawjson.Fields(response) {
		if rawjson.IsNull(val) || echoed[string(key)] {
			continue
		}
		switch string(key) {
		case "object", "output", "output_text", "error":
		case "id":
			setText(&d.resp.ID, val)
		case "model":
			setText(&d.resp.Model, val)
		case "status":
			setText(&d.status, val)
		case "usage":
			d.usage = append(d.usage[:0], val...)
		case "incomplete_details":
			d.resp.StopDetails = bytes.Clone(val)
		default:
			if d.resp.Extra == nil {
				d.resp.Extra = make(map[string]json.RawMessage)
			}
			d.resp.Extra[string(key)] = bytes.Clone(val)
		}
	}
}

// response returns what has arrived. An item that is still open is closed, and
// a call marked as incomplete.
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
				b.block = d.items[b.item].build(b, nil, "incomplete")
			}
			resp.Message.Blocks[i] = b.block
		}
	}
	resp.Usage = decodeUsage(d.usage)
	d.countCalls(&resp.Usage)
	d.stop(resp)
	return resp
}

// partial is response if anything has arrived, else nil.
func (d *decoder) partial() *model.Response {
	if !d.begun {
		return nil
	}
	resp := d.response()
	resp.StopReason = ""
	return resp
}

// stop says why the response ended: the API has a status, and leaves it to the
// reader to look for calls and refusals.
func (d *decoder) stop(resp *model.Response) {
	switch d.status {
	case "", "completed":
		resp.StopReason = model.StopEndTurn
	case "incomplete":
		switch reason := rawjson.Str(rawjson.Field(resp.StopDetails, "reason")); reason {
		case "max_output_tokens", "max_tokens":
			resp.StopReason, resp.StopDetails = model.StopMaxTokens, nil // they say no more
		case "content_filter":
			resp.StopReason = model.StopRefusal
		case "":
			resp.StopReason = "incomplete"
		default:
			resp.StopReason = model.StopReason(reason)
		}
		return
	default:
		resp.StopReason = model.StopReason(d.status)
		return
	}
	for i := range d.blocks {
		it := &d.items[d.blocks[i].item]
		if part := it.refusal(d.blocks[i].part); part != nil {
			resp.StopReason = model.StopRefusal
			resp.StopDetails = bytes.Clone(part)
			return
		}
		if _, ok := d.blocks[i].block.(*model.ToolUse); ok {
			resp.StopReason = model.StopToolUse
		}
	}
}
