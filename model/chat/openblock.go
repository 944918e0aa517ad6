package chat

import (
	"bytes"
	"encoding/json"

	"github.com/quarry-sdk/quarry/internal/rawjson"
	"github.com/quarry-sdk/quarry/model"
)

// messageFields is the type of the block that holds the fields of an assistant
// message which its server wants back.
const messageFields = "chat.message"

// openBlock is a block while its pieces arrive.
type openBlock struct {
	kind   string // "text", "thinking", "tool_use" or "unknown"
	text   []byte // the text, the arguments, or the raw JSON of an unknown block
	closed bool
	cut    bool        // the answer broke off within it
	block  model.Block // once closed, or in a partial answer

	notes   []model.Citation // of a text
	field   string           // the field in which a thought came
	details []byte           // the reasoning_details of a thought, each with a comma before it
	detail  detail           // the one that goes on

	// Of a call; see call.go.
	id, name []byte // name is also the type of an unknown block
	index    int64
	indexed  bool
	seq      int // the chunk that last gave its name
	prev     []byte
	chained  bool
	extra    raws
}

// open returns the last block if it is of that kind and still open, else a new
// one; nil if the consumer left.
func (d *decoder) open(kind string, yield func(model.Event, error) bool) *openBlock {
	if n := len(d.blocks); n > 0 {
		last := &d.blocks[n-1]
		if last.kind == kind && !last.closed && (kind == "text" || kind == "thinking") {
			return last
		}
		if last.kind != "tool_use" { // calls may go on until the end
			last.closed = true
			if !d.announce(yield) {
				return nil
			}
		}
	}
	if len(d.blocks) < cap(d.blocks) {
		d.blocks = d.blocks[:len(d.blocks)+1] // with the buffers of an earlier answer
	} else {
		d.blocks = append(d.blocks, openBlock{})
	}
	b := &d.blocks[len(d.blocks)-1]
	b.kind = kind
	return b
}

// announce hands out the blocks that are closed, in order.
func (d *decoder) announce(yield func(model.Event, error) bool) bool {
	for d.announced < len(d.blocks) && d.blocks[d.announced].closed {
		i := d.announced
		d.announced++
		b := &d.blocks[i]
		if b.kind == "text" && len(d.notes) > 0 {
			b.notes, d.notes = d.notes, nil
		}
		b.block = b.finish()
		if !yield(model.Event{Kind: model.EventBlock, Index: i, Block: b.block}, nil) {
			return false
		}
	}
	return true
}

// write adds text to a block of that kind. White space alone opens no text: what
// some servers send beside reasoning and calls is not an answer.
func (d *decoder) write(kind string, piece []byte, yield func(model.Event, error) bool) error {
	if len(piece) == 0 {
		return nil
	}
	if kind == "text" && !d.writing() {
		d.space = append(d.space, piece...)
		if len(bytes.TrimSpace(piece)) == 0 {
			return nil
		}
		piece = d.space
		defer func() { d.space = d.space[:0] }()
	}
	b := d.open(kind, yield)
	if b == nil {
		return errStop
	}
	b.text = append(b.text, piece...)
	return d.piece(len(d.blocks)-1, piece, yield)
}

// writing tells whether the last block is a text.
func (d *decoder) writing() bool {
	n := len(d.blocks)
	return n > 0 && d.blocks[n-1].kind == "text" && !d.blocks[n-1].closed
}

// writeRaw adds the JSON string raw to a block of that kind.
func (d *decoder) writeRaw(kind string, raw []byte, yield func(model.Event, error) bool) error {
	d.piecebuf = rawjson.AppendUnquoted(d.piecebuf[:0], raw)
	return d.write(kind, d.piecebuf, yield)
}

func (d *decoder) piece(i int, piece []byte, yield func(model.Event, error) bool) error {
	kind := model.EventText
	switch d.blocks[i].kind {
	case "thinking":
		kind = model.EventThinking
	case "tool_use":
		kind = model.EventInput
	}
	if !yield(model.Event{Kind: kind, Index: i, Text: string(piece)}, nil) {
		return errStop
	}
	return nil
}

// finish builds the block.
func (b *openBlock) finish() model.Block {
	switch b.kind {
	case "text":
		return &model.Text{Text: string(b.text), Citations: b.notes}
	case "thinking":
		return b.thinking()
	case "tool_use":
		return b.toolUse()
	}
	return &model.Unknown{Type: string(b.name), Raw: bytes.Clone(b.text)}
}

// thinking builds a thought. Its Raw names the field in which it came, so that
// it can go back in the same, and holds the details as the server sent them:
//
//	{"field":"reasoning","reasoning_details":[…]}
//
// Details without a word are what the provider has encrypted.
func (b *openBlock) thinking() model.Block {
	b.endDetail()
	var raw json.RawMessage
	if b.field != "" || len(b.details) > 0 {
		raw = append(raw, '{')
		if b.field != "" {
			raw = appendField(raw, "field", rawjson.AppendQuoted(nil, b.field))
		}
		if len(b.details) > 0 {
			raw = appendField(raw, detailsField, array(bytes.Clone(b.details)))
		}
		raw = append(raw, '}')
	}
	signature, data := "", ""
	for e := range rawjson.Elements(rawjson.Field(raw, detailsField)) {
		if s := rawjson.Str(rawjson.Field(e, "signature")); s != "" {
			signature = s
		}
		if s := rawjson.Str(rawjson.Field(e, "data")); s != "" {
			data = s
		}
	}
	if len(b.text) == 0 && data != "" {
		return &model.RedactedThinking{Data: data, Raw: raw}
	}
	return &model.Thinking{Text: string(b.text), Signature: signature, Raw: raw}
}
