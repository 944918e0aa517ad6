package anthropic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/quarry-sdk/quarry/internal/rawjson"
	"github.com/quarry-sdk/quarry/model"
)

// decoder assembles a response from the events of a stream, or from a whole
// message. It knows nothing of HTTP.
type decoder struct {
	resp   model.Response
	begun  bool // message_start came
	done   bool // message_stop came
	blocks []openBlock
	usage  []byte // the usage object so far
	early  []byte // blocks that message_start already held
}

// reset makes d ready for the next response and lets go of the last.
func (d *decoder) reset() {
	for i := range d.blocks {
		b := &d.blocks[i]
		*b = openBlock{start: b.start[:0], text: b.text[:0], signature: b.signature[:0]}
	}
	*d = decoder{blocks: d.blocks[:0], usage: d.usage[:0], early: d.early[:0]}
}

// event takes one event and passes on what the consumer should see of it. It
// returns a *model.Error where the event is an error or breaks the protocol,
// and errStop if yield wants no more.
func (d *decoder) event(data []byte, yield func(model.Event, error) bool) error {
	if !utf8.Valid(data) {
		return protocolError("an event of the stream is not UTF-8")
	}
	if !json.Valid(data) {
		if string(bytes.TrimSpace(data)) == "[DONE]" {
			return nil
		}
		return protocolError("an event of the stream is not JSON")
	}
	// One pass finds everything that any event has.
	var kind, index, message, block, delta, usage []byte
	for key, val := range rawjson.Fields(data) {
		switch string(key) {
		case "type":
			kind = val
		case "index":
			index = val
		case "message":
			message = val
		case "content_block":
			block = val
		case "delta":
			delta = val
		case "usage":
			usage = val
		}
	}
	switch string(kind) {
	case `"content_block_delta"`:
		return d.blockDelta(data, rawjson.Int(index), delta, yield)
	case `"content_block_start"`:
		if !rawjson.IsObject(block) {
			return protocolError("content_block_start has no block")
		}
		return d.blockStart(rawjson.Int(index), block, yield)
	case `"content_block_stop"`:
		b := d.open(rawjson.Int(index))
		if b == nil {
			return protocolError(fmt.Sprintf("content_block_stop for block %d, which is not open", rawjson.Int(index)))
		}
		return d.blockStop(b, yield)
	case `"ping"`:
		return nil
	case `"message_start"`:
		if !rawjson.IsObject(message) {
			return protocolError("message_start has no message")
		}
		d.messageFields(message)
		return nil
	case `"message_delta"`:
		if !d.begun {
			return protocolError("message_delta came before message_start")
		}
		for key, val := range rawjson.Fields(delta) {
			d.messageField(string(key), val)
		}
		for key, val := range rawjson.Fields(data) {
			switch string(key) {
			case "type", "delta", "usage":
			default:
				d.extra(string(key), val)
			}
		}
		d.mergeUsage(usage)
		return nil
	case `"message_stop"`:
		return d.messageStop(yield)
	case `"error"`:
		return streamError(data)
	}
	if len(kind) == 0 && rawjson.Field(data, "error") != nil {
		return streamError(data) // some gateways leave the type out
	}
	if !yield(model.Event{Kind: model.EventUnknown, Raw: bytes.Clone(data)}, nil) {
		return errStop
	}
	return nil
}

// errStop tells that the consumer left the loop.
var errStop = errors.New("the consumer left")

// open returns the block with that index while it is open, else nil.
func (d *decoder) open(index int64) *openBlock {
	for i := len(d.blocks) - 1; i >= 0; i-- {
		if b := &d.blocks[i]; b.index == index && !b.stopped {
			return b
		}
	}
	return nil
}

// position is the block's place in the message, and the Index of its events.
func (d *decoder) position(b *openBlock) int {
	for i := range d.blocks {
		if &d.blocks[i] == b {
			return i
		}
	}
	return -1
}

func (d *decoder) blockStart(index int64, raw []byte, yield func(model.Event, error) bool) error {
	if !d.begun {
		return protocolError("content_block_start came before message_start")
	}
	if d.open(index) != nil {
		return protocolError(fmt.Sprintf("block %d was started twice", index))
	}
	if len(d.blocks) < cap(d.blocks) {
		d.blocks = d.blocks[:len(d.blocks)+1] // with the buffers of an earlier response
	} else {
		d.blocks = append(d.blocks, openBlock{})
	}
	b := &d.blocks[len(d.blocks)-1]
	b.begin(index, raw)
	if len(b.text) > 0 {
		return d.yieldText(b, b.text, yield)
	}
	return nil
}

func (d *decoder) blockDelta(data []byte, index int64, delta []byte, yield func(model.Event, error) bool) error {
	b := d.open(index)
	if b == nil {
		return protocolError(fmt.Sprintf("content_block_delta for block %d, which is not open", index))
	}
	var kind, piece []byte
	for key, val := range rawjson.Fields(delta) {
		switch string(key) {
		case "type":
			kind = val
		case "text", "thinking", "partial_json", "signature", "citation":
			piece = val
		}
	}
	was := len(b.text)
	switch k := string(kind); {
	case k == `"text_delta"` && b.kind == "text",
		k == `"thinking_delta"` && b.kind == "thinking",
		k == `"input_json_delta"` && b.textKey == "input":
		b.text = rawjson.AppendUnquoted(b.text, piece)
		if len(b.text) == was {
			return nil
		}
		return d.yieldText(b, b.text[was:], yield)
	case k == `"signature_delta"` && b.kind == "thinking":
		b.signature = rawjson.AppendUnquoted(b.signature, piece)
		return nil
	case k == `"citations_delta"` && b.kind == "text" && rawjson.IsObject(piece):
		b.citations = append(b.citations, decodeCitation(piece))
		return nil
	}
	b.merge(delta)
	if !yield(model.Event{Kind: model.EventUnknown, Index: d.position(b), Raw: bytes.Clone(data)}, nil) {
		return errStop
	}
	return nil
}

func (d *decoder) yieldText(b *openBlock, piece []byte, yield func(model.Event, error) bool) error {
	kind := model.EventText
	switch b.textKey {
	case "thinking":
		kind = model.EventThinking
	case "input":
		kind = model.EventInput
	}
	if !yield(model.Event{Kind: kind, Index: d.position(b), Text: string(piece)}, nil) {
		return errStop
	}
	return nil
}

func (d *decoder) blockStop(b *openBlock, yield func(model.Event, error) bool) error {
	b.stopped = true
	b.block = b.finish(false)
	if !yield(model.Event{Kind: model.EventBlock, Index: d.position(b), Block: b.block}, nil) {
		return errStop
	}
	return nil
}

func (d *decoder) messageStop(yield func(model.Event, error) bool) error {
	if !d.begun {
		return protocolError("message_stop came before message_start")
	}
	if len(d.blocks) == 0 && len(d.early) > 0 {
		n := int64(0)
		for raw := range rawjson.Elements(d.early) {
			if !rawjson.IsObject(raw) {
				return protocolError("a content block of the answer is not an object")
			}
			if err := d.blockStart(n, raw, yield); err != nil {
				return err
			}
			n++
		}
	}
	// A block that was never stopped ends with the message.
	for i := range d.blocks {
		if b := &d.blocks[i]; !b.stopped {
			if err := d.blockStop(b, yield); err != nil {
				return err
			}
		}
	}
	d.done = true
	return nil
}

// whole takes an answer that came in one piece.
func (d *decoder) whole(data []byte, yield func(model.Event, error) bool) error {
	if !utf8.Valid(data) {
		return protocolError("the answer is not UTF-8")
	}
	if !json.Valid(data) {
		return protocolError("the answer is not JSON")
	}
	data = bytes.TrimSpace(data)
	kind := rawjson.Str(rawjson.Field(data, "type"))
	switch {
	case kind == "error" || kind == "" && rawjson.Field(data, "error") != nil:
		return streamError(data)
	case kind != "message" && !rawjson.IsArray(rawjson.Field(data, "content")):
		return protocolError("the answer is neither a message nor an error")
	}
	d.messageFields(data)
	return d.messageStop(yield)
}
