package anthropic

import (
	"github.com/quarry-sdk/quarry/internal/rawjson"
	"github.com/quarry-sdk/quarry/model"
)

// maxBreakpoints is how many cache breakpoints the API takes in one request.
const maxBreakpoints = 4

// A mark is a cache breakpoint: cache_control is written at these bytes into
// the encoding of message Message.
type mark struct {
	message, at int
}

// What a breakpoint is written as, for each time to live.
var (
	control   = []byte(`,"cache_control":{"type":"ephemeral"}`)
	control5m = []byte(`,"cache_control":{"type":"ephemeral","ttl":"5m"}`)
	control1h = []byte(`,"cache_control":{"type":"ephemeral","ttl":"1h"}`)
)

func cacheControl(ttl string) []byte {
	switch ttl {
	case "":
		return control
	case "5m":
		return control5m
	case "1h":
		return control1h
	}
	return nil
}

// arrayMark returns where in the encoded array arr the breakpoint behind its
// last element goes; -1 if there is no place for it.
func arrayMark(arr []byte) int {
	if len(arr) < len("[{}]") {
		return -1
	}
	return len(arr) - len("}]")
}

// messageMark returns where in the encoding of m the breakpoint behind its last
// block goes; -1 if none of its blocks may carry one. The API takes none on
// thinking, nor twice on one block.
func messageMark(m *model.Message, encoded []byte) int {
	if len(encoded) == 0 {
		return -1
	}
	if len(m.Blocks) > 0 {
		// The usual case needs no look at the bytes.
		switch b := m.Blocks[len(m.Blocks)-1].(type) {
		case *model.Text:
			if b.Text != "" && b.Raw == nil {
				return len(encoded) - len("}"+messageEnd)
			}
		case *model.ToolResult:
			if b.Raw == nil {
				return len(encoded) - len("}"+messageEnd)
			}
		}
	}
	last := -1
	for block := range rawjson.Elements(rawjson.Field(encoded[1:], "content")) {
		switch kind := rawjson.Str(rawjson.Field(block, "type")); {
		case kind == "thinking", kind == "redacted_thinking":
		case rawjson.Field(block, "cache_control") != nil:
			last = -1
		default:
			// The block is a part of encoded, so their ends of memory are the same.
			last = cap(encoded) - cap(block) + len(block) - len("}")
		}
	}
	return last
}
