package openai

import (
	"bytes"
	"encoding/json"
	"iter"
	"strings"

	"github.com/quarry-sdk/quarry/internal/rawjson"
	"github.com/quarry-sdk/quarry/model"
)

// openItem is an item of the output while its events arrive.
type openItem struct {
	index    int64  // the API's number of the item
	kind     string // its type
	start    []byte // the item as it was announced; once closed, as it ended
	lastPart int    // of a thought: the part that the last piece belonged to
	closed   bool
}

// openBlock is a block of an item.
type openBlock struct {
	item, part int
	text       []byte // the text, the thinking or the arguments so far
	block      model.Block
}

// finalTexts ranges over the texts of a complete item that are streamed in
// pieces, with the number of the part.
func finalTexts(kind string, item []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		switch kind {
		case "message":
			n := 0
			for part := range rawjson.Elements(rawjson.Field(item, "content")) {
				if !yield(n, rawjson.AppendUnquoted(nil, partText(part))) {
					return
				}
				n++
			}
		case "reasoning":
			yield(0, thought(item))
		case "function_call", "mcp_call":
			yield(0, rawjson.AppendUnquoted(nil, rawjson.Field(item, "arguments")))
		}
	}
}

// partText is the text or the refusal of a part of a message.
func partText(part []byte) []byte {
	text := rawjson.Field(part, "text")
	if text == nil {
		text = rawjson.Field(part, "refusal")
	}
	return text
}

// thought is the summary of a reasoning item, else its text, which only models
// with open weights show.
func thought(item []byte) []byte {
	for _, key := range [...]string{"summary", "content"} {
		var text []byte
		for part := range rawjson.Elements(rawjson.Field(item, key)) {
			if len(text) > 0 {
				text = append(text, partSeparator...)
			}
			text = rawjson.AppendUnquoted(text, rawjson.Field(part, "text"))
		}
		if len(text) > 0 {
			return text
		}
	}
	return nil
}

// part returns the n-th part of a message item; nil if there is none.
func (it *openItem) part(n int) []byte {
	i := 0
	for part := range rawjson.Elements(rawjson.Field(it.start, "content")) {
		if i == n {
			return part
		}
		i++
	}
	return nil
}

// refusal returns the n-th part if it is a refusal, else nil.
func (it *openItem) refusal(n int) []byte {
	if it.kind != "message" {
		return nil
	}
	if part := it.part(n); string(rawjson.Field(part, "type")) == `"refusal"` {
		return part
	}
	return nil
}

// build makes a block of the item. Raw is the complete item; nil where its end
// never came, and the block is then made of the pieces.
func (it *openItem) build(b *openBlock, raw json.RawMessage, status string) model.Block {
	switch it.kind {
	case "message":
		return it.buildText(b, raw)
	case "reasoning":
		text := string(b.text)
		if raw != nil {
			text = string(thought(raw))
		}
		sealed := rawjson.Str(rawjson.Field(it.start, "encrypted_content"))
		if text == "" && sealed != "" {
			return &model.RedactedThinking{Data: sealed, Raw: raw}
		}
		return &model.Thinking{Text: text, Signature: sealed, Raw: raw}
	case "function_call":
		use := &model.ToolUse{ID: it.callID(), Name: rawjson.Str(rawjson.Field(it.start, "name")), Raw: raw}
		text := b.text
		if raw != nil {
			text = rawjson.AppendUnquoted(nil, rawjson.Field(raw, "arguments"))
		}
		cut := raw == nil || string(rawjson.Field(raw, "status")) == `"incomplete"`
		if use.Input, use.Incomplete = arguments(text, cut); use.Incomplete {
			use.Raw = nil // it cannot go back as it came
		}
		return use
	case "custom_tool_call":
		// Its input is free text, for which the block has the form of a JSON string.
		use := &model.ToolUse{ID: it.callID(), Name: rawjson.Str(rawjson.Field(it.start, "name")), Raw: raw}
		use.Input = bytes.Clone(rawjson.Field(it.start, "input"))
		use.Incomplete = raw == nil || string(rawjson.Field(raw, "status")) == `"incomplete"`
		if !rawjson.IsString(use.Input) {
			use.Input = json.RawMessage(`""`)
		}
		return use
	}
	switch {
	case isHosted(it.kind):
		if b.part == 1 {
			result := &model.ServerToolResult{Type: it.kind, ToolUseID: it.callID(), Content: bytes.Clone(resultOf(it.kind, it.start))}
			result.IsError = !rawjson.IsNull(rawjson.Field(it.start, "error")) || string(rawjson.Field(it.start, "status")) == `"failed"`
			return result
		}
		return &model.ServerToolUse{Type: it.kind, ID: it.callID(), Name: it.toolName(), Input: it.hostedInput(b), Raw: raw}
	case strings.HasSuffix(it.kind, "_call_output"):
		return &model.ServerToolResult{Type: it.kind, ToolUseID: it.callID(), Content: bytes.Clone(rawjson.Field(it.start, "output")), Raw: raw}
	}
	if raw == nil {
		raw = bytes.Clone(it.start)
	}
	if len(raw) == 0 {
		raw, _ = json.Marshal(map[string]string{"type": it.kind})
	}
	return &model.Unknown{Type: it.kind, Raw: raw}
}

// buildText builds a part of a message. The first part has the raw form of the
// whole item; the others have their own, by which encoding knows that they went
// with the item.
func (it *openItem) buildText(b *openBlock, raw json.RawMessage) model.Block {
	if raw == nil {
		return &model.Text{Text: string(b.text)}
	}
	part := it.part(b.part)
	text := &model.Text{Text: rawjson.Str(partText(part)), Raw: raw}
	if b.part > 0 {
		if text.Raw = bytes.Clone(part); part == nil {
			text.Raw = json.RawMessage(`{"type":"output_text"}`) // a part of which nothing remained
		}
	}
	for a := range rawjson.Elements(rawjson.Field(part, "annotations")) {
		if rawjson.IsObject(a) {
			text.Citations = append(text.Citations, decodeCitation(a))
		}
	}
	return text
}

// arguments returns the arguments of a call. Text that is not JSON comes back
// as a JSON string, and as incomplete.
func arguments(text []byte, cut bool) (json.RawMessage, bool) {
	trimmed := bytes.TrimSpace(text)
	switch {
	case len(trimmed) == 0 && !cut:
		return json.RawMessage("{}"), false
	case cut || !json.Valid(trimmed):
		return rawjson.AppendQuoted(nil, text), true
	}
	return bytes.Clone(trimmed), false
}

// callID is the id by which an item's result is matched: that of the call, or
// of the item where the API has no other.
func (it *openItem) callID() string {
	if id := rawjson.Str(rawjson.Field(it.start, "call_id")); id != "" {
		return id
	}
	return rawjson.Str(rawjson.Field(it.start, "id"))
}

// intern returns the string in raw, without an allocation for the types of
// items that come often.
func intern(raw []byte) string {
	switch string(raw) {
	case `"message"`:
		return "message"
	case `"reasoning"`:
		return "reasoning"
	case `"function_call"`:
		return "function_call"
	case `"web_search_call"`:
		return "web_search_call"
	}
	return rawjson.Str(raw)
}
