package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/quarry-sdk/quarry/internal/rawjson"
	"github.com/quarry-sdk/quarry/model"
)

// errStop tells that the consumer left the loop.
var errStop = errors.New("the consumer left")

// decoder assembles a response from the events of a stream, or from a whole
// response. It knows nothing of HTTP.
//
// An item of the output becomes one block or more. Its first block has its
// place from the moment in which the item is announced, so that the order of
// the blocks is that of the items, however their events interleave.
type decoder struct {
	resp   model.Response
	begun  bool // something of the response came
	done   bool // its end came
	status string
	items  []openItem
	blocks []openBlock
	usage  []byte
}

// reset makes d ready for the next response and lets go of the last.
func (d *decoder) reset() {
	for i := range d.items {
		d.items[i] = openItem{start: d.items[i].start[:0]}
	}
	for i := range d.blocks {
		d.blocks[i] = openBlock{text: d.blocks[i].text[:0]}
	}
	*d = decoder{items: d.items[:0], blocks: d.blocks[:0], usage: d.usage[:0]}
}

// size is how many bytes the buffers hold that reset keeps.
func (d *decoder) size() int {
	n := cap(d.usage)
	for i := range d.items {
		n += cap(d.items[i].start)
	}
	for i := range d.blocks {
		n += cap(d.blocks[i].text)
	}
	return n
}

// fieldsOf are the fields that events have.
type fieldsOf struct {
	kind, item, itemID, outputIndex, part, delta, text, response []byte
}

func readEvent(data []byte) (f fieldsOf) {
	for key, val := range rawjson.Fields(data) {
		switch string(key) {
		case "type":
			f.kind = val
		case "item":
			f.item = val
		case "item_id":
			f.itemID = val
		case "output_index":
			f.outputIndex = val
		case "content_index", "summary_index":
			f.part = val
		case "delta":
			f.delta = val
		case "text", "arguments", "refusal":
			f.text = val
		case "response":
			f.response = val
		}
	}
	return f
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
	f := readEvent(data)
	switch string(f.kind) {
	case `"response.output_text.delta"`, `"response.refusal.delta"`:
		return d.delta(&f, "message", int(rawjson.Int(f.part)), yield)
	case `"response.function_call_arguments.delta"`:
		return d.delta(&f, "function_call", 0, yield)
	case `"response.mcp_call_arguments.delta"`:
		return d.delta(&f, "mcp_call", 0, yield)
	case `"response.reasoning_summary_text.delta"`, `"response.reasoning_text.delta"`:
		return d.delta(&f, "reasoning", int(rawjson.Int(f.part)), yield)
	case `"response.output_text.done"`, `"response.refusal.done"`:
		return d.completeText(&f, "message", int(rawjson.Int(f.part)), yield)
	case `"response.function_call_arguments.done"`:
		return d.completeText(&f, "function_call", 0, yield)
	case `"response.mcp_call_arguments.done"`:
		return d.completeText(&f, "mcp_call", 0, yield)
	case `"response.output_item.added"`:
		return d.itemAdded(&f)
	case `"response.output_item.done"`:
		return d.itemDone(&f, yield)
	case `"response.created"`, `"response.queued"`, `"response.in_progress"`:
		d.begun = true
		d.responseFields(f.response)
		return nil
	case `"response.completed"`, `"response.incomplete"`, `"response.failed"`, `"response.cancelled"`:
		if !rawjson.IsObject(f.response) {
			return protocolError(rawjson.Str(f.kind) + " has no response")
		}
		d.status = strings.TrimPrefix(rawjson.Str(f.kind), "response.") // unless the response says it
		return d.finish(f.response, yield)
	case `"error"`:
		return streamError(data)
	}
	if silent[string(f.kind)] {
		return nil
	}
	if len(f.kind) == 0 && rawjson.Field(data, "error") != nil {
		return streamError(data) // some gateways leave the type out
	}
	if !yield(model.Event{Kind: model.EventUnknown, Raw: bytes.Clone(data)}, nil) {
		return errStop
	}
	return nil
}

// silent are the events that say nothing which another event does not say too:
// parts and annotations come again with the item that they belong to.
var silent = map[string]bool{
	`"keepalive"`:                                true,
	`"ping"`:                                     true,
	`"response.content_part.added"`:              true,
	`"response.content_part.done"`:               true,
	`"response.output_text.annotation.added"`:    true,
	`"response.reasoning_summary_part.added"`:    true,
	`"response.reasoning_summary_part.done"`:     true,
	`"response.reasoning_summary_text.done"`:     true,
	`"response.reasoning_text.done"`:             true,
	`"response.custom_tool_call_input.done"`:     true,
	`"response.code_interpreter_call_code.done"`: true,
}

// find returns the item that an event is about, opening one where the event is
// the first of it. Items are told apart by their index: gateways have been seen
// to change an item's id from one event to the next.
func (d *decoder) find(f *fieldsOf, kind string) *openItem {
	if len(f.outputIndex) > 0 {
		index := rawjson.Int(f.outputIndex)
		for i := len(d.items) - 1; i >= 0; i-- {
			if d.items[i].index == index {
				return &d.items[i]
			}
		}
		return d.open(index, kind, nil)
	}
	for i := len(d.items) - 1; i >= 0; i-- {
		if it := &d.items[i]; !it.closed && (it.kind == kind || len(f.itemID) > 0) &&
			(len(f.itemID) == 0 || string(rawjson.Field(it.start, "id")) == string(f.itemID)) {
			return it
		}
	}
	return d.open(int64(len(d.items)), kind, nil)
}

// open adds an item, with its first block.
func (d *decoder) open(index int64, kind string, raw []byte) *openItem {
	d.begun = true
	if len(d.items) < cap(d.items) {
		d.items = d.items[:len(d.items)+1] // with the buffers of an earlier response
	} else {
		d.items = append(d.items, openItem{})
	}
	it := &d.items[len(d.items)-1]
	*it = openItem{index: index, kind: kind, start: append(it.start[:0], raw...)}
	d.block(len(d.items)-1, 0)
	return it
}

// block returns the position of a block of an item, adding it where it is new.
func (d *decoder) block(item, part int) int {
	for i := range d.blocks {
		if d.blocks[i].item == item && d.blocks[i].part == part {
			return i
		}
	}
	if len(d.blocks) < cap(d.blocks) {
		d.blocks = d.blocks[:len(d.blocks)+1]
	} else {
		d.blocks = append(d.blocks, openBlock{})
	}
	b := &d.blocks[len(d.blocks)-1]
	*b = openBlock{item: item, part: part, text: b.text[:0]}
	return len(d.blocks) - 1
}

func (d *decoder) number(it *openItem) int {
	for i := range d.items {
		if &d.items[i] == it {
			return i
		}
	}
	return -1
}

func (d *decoder) itemAdded(f *fieldsOf) error {
	if !rawjson.IsObject(f.item) {
		return protocolError("response.output_item.added has no item")
	}
	kind := intern(rawjson.Field(f.item, "type"))
	if len(f.outputIndex) == 0 {
		d.open(int64(len(d.items)), kind, f.item)
		return nil
	}
	it := d.find(f, kind)
	it.kind = kind
	it.start = append(it.start[:0], f.item...)
	return nil
}

// maxParts bounds the parts of one message that deltas may open.
const maxParts = 4096

// delta takes the next piece of a text.
func (d *decoder) delta(f *fieldsOf, kind string, part int, yield func(model.Event, error) bool) error {
	if part < 0 || part > maxParts {
		return protocolError("an event is about a part that no item has")
	}
	it := d.find(f, kind)
	if it.closed {
		return protocolError("a piece came of an item that was complete")
	}
	separate := false
	if kind == "reasoning" { // one block, whatever its parts
		separate = part != it.lastPart
		it.lastPart = part
		part = 0
	}
	at := d.block(d.number(it), part)
	b := &d.blocks[at]
	was := len(b.text)
	if separate && was > 0 {
		b.text = append(b.text, partSeparator...)
	}
	b.text = rawjson.AppendUnquoted(b.text, f.delta)
	return d.piece(it.kind, at, was, yield)
}

// partSeparator stands between the parts of a summary in the text of a thought.
const partSeparator = "\n\n"

// completeText takes a text that is complete: what of it did not come in pieces, comes
// now.
func (d *decoder) completeText(f *fieldsOf, kind string, part int, yield func(model.Event, error) bool) error {
	if part < 0 || part > maxParts {
		return protocolError("an event is about a part that no item has")
	}
	it := d.find(f, kind)
	if it.closed || !rawjson.IsString(f.text) {
		return nil
	}
	return d.complete(it, d.block(d.number(it), part), rawjson.Text(f.text), yield)
}

// complete makes text the text of a block that has had pieces of it.
func (d *decoder) complete(it *openItem, at int, text []byte, yield func(model.Event, error) bool) error {
	b := &d.blocks[at]
	if len(text) <= len(b.text) || !bytes.HasPrefix(text, b.text) {
		return nil
	}
	was := len(b.text)
	b.text = append(b.text, text[was:]...)
	return d.piece(it.kind, at, was, yield)
}

// piece passes on what block at has more than its first was bytes.
func (d *decoder) piece(itemKind string, at, was int, yield func(model.Event, error) bool) error {
	text := d.blocks[at].text[was:]
	if len(text) == 0 {
		return nil
	}
	kind := model.EventText
	switch itemKind {
	case "reasoning":
		kind = model.EventThinking
	case "function_call", "mcp_call":
		kind = model.EventInput
	}
	if !yield(model.Event{Kind: kind, Index: at, Text: string(text)}, nil) {
		return errStop
	}
	return nil
}

func (d *decoder) itemDone(f *fieldsOf, yield func(model.Event, error) bool) error {
	if !rawjson.IsObject(f.item) {
		return protocolError("response.output_item.done has no item")
	}
	it := d.find(f, intern(rawjson.Field(f.item, "type")))
	if it.closed {
		return protocolError("an item was completed twice")
	}
	return d.close(it, f.item, yield)
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
	if object := rawjson.Str(rawjson.Field(data, "object")); object != "response" && !(object == "" && rawjson.IsArray(rawjson.Field(data, "output"))) {
		if !rawjson.IsNull(rawjson.Field(data, "error")) {
			return streamError(data)
		}
		return protocolError("the answer is neither a response nor an error")
	}
	return d.finish(data, yield)
}
