package anthropic

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/quarry-sdk/quarry/internal/rawjson"
	"github.com/quarry-sdk/quarry/model"
)

// openBlock is a content block while its deltas arrive.
type openBlock struct {
	index int64  // the provider's number of the block
	kind  string // its type
	// extra tells that the block has more than the typed fields say; start is
	// then the block as it was announced, and Raw is made of it.
	extra bool
	start []byte
	// text is the text, the thinking or the arguments so far.
	text      []byte
	textKey   string // the field that text belongs to
	signature []byte
	citations []model.Citation
	stopped   bool
	block     model.Block // once stopped, or in a partial answer
}

// typedFields are, for each type of block, the fields that the typed view
// carries, in the form in which encoding writes them.
func typedField(kind, key string, val []byte) bool {
	if key == "type" {
		return true
	}
	switch kind {
	case "text":
		return key == "text" || key == "citations" && rawjson.IsArray(val) && len(val) > len("[]")
	case "thinking":
		return key == "thinking" || key == "signature"
	case "redacted_thinking":
		return key == "data"
	case "tool_use", "server_tool_use", "mcp_tool_use":
		return key == "id" || key == "name" || key == "input" && rawjson.IsObject(val)
	}
	if isServerResult(kind) {
		return key == "tool_use_id" || key == "content" || key == "is_error" && kind == "mcp_tool_result"
	}
	return false
}

func isServerResult(kind string) bool {
	return strings.HasSuffix(kind, "_tool_result")
}

// begin takes the block as content_block_start, or a whole message, gives it.
func (b *openBlock) begin(index int64, raw []byte) {
	*b = openBlock{
		index: index,
		start: append(b.start[:0], raw...),
		text:  b.text[:0], signature: b.signature[:0],
	}
	raw = b.start
	b.kind = intern(rawjson.Field(raw, "type"))
	switch b.kind {
	case "text":
		b.textKey = "text"
	case "thinking":
		b.textKey = "thinking"
	case "tool_use", "server_tool_use", "mcp_tool_use":
		b.textKey = "input"
	}
	n := 0
	for key, val := range rawjson.Fields(raw) {
		n++
		switch k := string(key); {
		case !typedField(b.kind, k, val):
			b.extra = true
		case b.kind == "text" && k == "citations":
			for c := range rawjson.Elements(val) {
				b.citations = append(b.citations, decodeCitation(c))
			}
		case k == "signature":
			b.signature = rawjson.AppendUnquoted(b.signature, val)
		case k == b.textKey && k != "input":
			b.text = rawjson.AppendUnquoted(b.text, val)
		}
	}
}

// merge takes a delta whose type is not known, by the shape of its fields: text
// goes on, lists grow, everything else is replaced.
func (b *openBlock) merge(delta []byte) {
	for key, val := range rawjson.Fields(delta) {
		k := string(key)
		if k == "type" || rawjson.IsNull(val) {
			continue
		}
		b.extra = true
		was := rawjson.Field(b.start, k)
		switch {
		case rawjson.IsString(was) && rawjson.IsString(val):
			joined := rawjson.AppendUnquoted(rawjson.AppendUnquoted(nil, was), val)
			val = rawjson.AppendQuoted(nil, joined)
		case rawjson.IsArray(was) && rawjson.IsArray(val):
			joined := bytes.TrimSpace(bytes.Clone(was[:len(was)-1]))
			if items := bytes.TrimSpace(val[1 : len(val)-1]); len(items) > 0 {
				if len(joined) > 1 {
					joined = append(joined, ',')
				}
				joined = append(joined, items...)
			}
			val = append(joined, ']')
		}
		b.start = withField(b.start, k, val)
	}
}

// finish builds the block. Cut tells that the stream broke before its end.
func (b *openBlock) finish(cut bool) model.Block {
	var raw json.RawMessage
	if b.extra || b.kind == "" {
		raw = b.raw()
	}
	switch b.kind {
	case "text":
		return &model.Text{Text: string(b.text), Citations: b.citations, Raw: raw}
	case "thinking":
		return &model.Thinking{Text: string(b.text), Signature: string(b.signature), Raw: raw}
	case "redacted_thinking":
		return &model.RedactedThinking{Data: rawjson.Str(rawjson.Field(b.start, "data")), Raw: raw}
	case "tool_use":
		use := &model.ToolUse{ID: rawjson.Str(rawjson.Field(b.start, "id")), Name: rawjson.Str(rawjson.Field(b.start, "name")), Raw: raw}
		use.Input, use.Incomplete = b.input(cut)
		if use.Incomplete {
			use.Raw = nil // it cannot go back as it came
		}
		return use
	case "server_tool_use", "mcp_tool_use":
		use := &model.ServerToolUse{Type: b.kind, ID: rawjson.Str(rawjson.Field(b.start, "id")), Name: rawjson.Str(rawjson.Field(b.start, "name")), Raw: raw}
		var incomplete bool
		if use.Input, incomplete = b.input(cut); incomplete {
			use.Raw = nil
		}
		return use
	}
	if isServerResult(b.kind) {
		content := rawjson.Field(b.start, "content")
		return &model.ServerToolResult{
			Type:      b.kind,
			ToolUseID: rawjson.Str(rawjson.Field(b.start, "tool_use_id")),
			Content:   bytes.Clone(content),
			IsError:   string(rawjson.Field(b.start, "is_error")) == "true" || strings.HasSuffix(rawjson.Str(rawjson.Field(content, "type")), "_error"),
			Raw:       raw,
		}
	}
	if raw == nil {
		raw = b.raw()
	}
	return &model.Unknown{Type: b.kind, Raw: raw}
}

// input returns the arguments of a call. Text that is not JSON comes back as a
// JSON string, and as incomplete.
func (b *openBlock) input(cut bool) (json.RawMessage, bool) {
	text := bytes.TrimSpace(b.text)
	switch {
	case len(text) == 0 && !cut:
		if in := rawjson.Field(b.start, "input"); !rawjson.IsNull(in) {
			return bytes.Clone(in), false
		}
		return json.RawMessage("{}"), false
	case cut || !json.Valid(text):
		return rawjson.AppendQuoted(nil, b.text), true
	}
	return bytes.Clone(text), false
}

// raw is the block as the API would have sent it in one piece.
func (b *openBlock) raw() json.RawMessage {
	raw := bytes.Clone(b.start)
	switch b.textKey {
	case "text", "thinking":
		raw = withField(raw, b.textKey, rawjson.AppendQuoted(nil, b.text))
	case "input":
		if in, incomplete := b.input(false); !incomplete {
			raw = withField(raw, "input", in)
		}
	}
	if b.kind == "thinking" && (len(b.signature) > 0 || rawjson.Field(raw, "signature") != nil) {
		raw = withField(raw, "signature", rawjson.AppendQuoted(nil, b.signature))
	}
	if b.kind == "text" && len(b.citations) > 0 {
		raw = withField(raw, "citations", appendCitations(nil, b.citations))
	}
	return raw
}

// withField returns obj with the field key set to val. Neither is changed.
func withField(obj []byte, key string, val []byte) []byte {
	out := make([]byte, 0, len(obj)+len(key)+len(val)+4)
	out = append(out, '{')
	found := false
	for k, v := range rawjson.Fields(obj) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		if string(k) == key {
			v, found = val, true
		}
		out = append(rawjson.AppendQuoted(out, k), ':')
		out = append(out, v...)
	}
	if !found {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(rawjson.AppendQuoted(out, key), ':')
		out = append(out, val...)
	}
	return append(out, '}')
}

// intern returns the string in raw, without an allocation for the types of
// blocks that come often.
func intern(raw []byte) string {
	switch string(raw) {
	case `"text"`:
		return "text"
	case `"thinking"`:
		return "thinking"
	case `"tool_use"`:
		return "tool_use"
	case `"server_tool_use"`:
		return "server_tool_use"
	}
	return rawjson.Str(raw)
}
