package chat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/quarry-sdk/quarry/internal/rawjson"
	"github.com/quarry-sdk/quarry/model"
)

// assistant returns an answer of a model: its text, its calls, and of its
// reasoning what the server wants back.
func (p *profile) assistant(m *model.Message) ([]byte, error) {
	a := assistant{p: p, own: m.Provider == p.origin}
	for i, b := range m.Blocks {
		if err := a.add(b); err != nil {
			return nil, fmt.Errorf("block %d: %w", i, err)
		}
	}
	return a.encode(), nil
}

// assistant is a message of the assistant while it is written.
type assistant struct {
	p       *profile
	own     bool // an answer of this server
	text    strings.Builder
	thought strings.Builder
	field   string // the one in which the thought came
	details []byte // each with a comma before it
	calls   []byte // each with a comma before it
	parts   []byte // of the content, each with a comma before it
	odd     bool   // some part is no text
	fields  []byte // an object that holds further fields; nil for none
}

func (a *assistant) add(block model.Block) error {
	switch b := block.(type) {
	case *model.Text:
		if b.Text != "" {
			a.text.WriteString(b.Text)
			a.parts = appendTextPart(append(a.parts, ','), b.Text)
		}
	case *model.ToolUse:
		return a.call(b)
	case *model.Thinking:
		if a.own { // only its maker knows what to make of a thought
			a.thought.WriteString(b.Text)
			return a.detail(b.Raw)
		}
	case *model.RedactedThinking:
		if a.own {
			return a.detail(b.Raw)
		}
	case *model.Unknown:
		switch {
		case !a.own:
		case !json.Valid(b.Raw) || !rawjson.IsObject(bytes.TrimSpace(b.Raw)):
			return errors.New("its raw form is not a JSON object")
		case b.Type == messageFields:
			a.fields = b.Raw
		default:
			a.odd = true
			a.parts = append(append(a.parts, ','), bytes.TrimSpace(b.Raw)...)
		}
	case *model.Image, *model.Document, *model.ServerToolUse, *model.ServerToolResult:
		// An assistant's message holds none of them.
	case nil:
		return errors.New("it is nil")
	default:
		return fmt.Errorf("an answer takes no %s", b.BlockType())
	}
	return nil
}

// detail takes the raw form of a thought.
func (a *assistant) detail(raw json.RawMessage) error {
	if raw == nil {
		return nil
	}
	if !json.Valid(raw) {
		return errors.New("its raw form is not JSON")
	}
	a.field = or(a.field, rawjson.Str(rawjson.Field(raw, "field")))
	for e := range rawjson.Elements(rawjson.Field(raw, detailsField)) {
		a.details = append(append(a.details, ','), e...)
	}
	return nil
}

// call appends a call. Servers parse the arguments and insist on an object;
// anything else is wrapped, so that the model sees what it wrote.
func (a *assistant) call(use *model.ToolUse) error {
	if use.Name == "" {
		use = &model.ToolUse{ID: use.ID, Name: "unnamed", Input: use.Input, Raw: use.Raw}
	}
	args := bytes.TrimSpace(use.Input)
	switch {
	case len(args) == 0 || string(args) == "null":
		args = []byte("{}")
	case rawjson.IsObject(args) && json.Valid(args):
	case rawjson.IsString(args) && json.Valid(args):
		args = slices.Concat([]byte(`{"INVALID_JSON":`), args, []byte("}"))
	default:
		args = append(rawjson.AppendQuoted([]byte(`{"INVALID_JSON":`), args), '}')
	}
	fn := appendField([]byte{'{'}, "name", rawjson.AppendQuoted(nil, use.Name))
	fn = append(appendField(fn, "arguments", rawjson.AppendQuoted(nil, args)), '}')
	obj := appendField([]byte{'{'}, "id", rawjson.AppendQuoted(nil, a.p.callID(use.ID)))
	obj = appendField(obj, "type", []byte(`"function"`))
	obj = append(appendField(obj, "function", fn), '}')
	if a.own && len(use.Raw) > 0 {
		if !json.Valid(use.Raw) || !rawjson.IsObject(bytes.TrimSpace(use.Raw)) {
			return errors.New("its raw form is not a JSON object")
		}
		obj = merged(obj, bytes.TrimSpace(use.Raw))
	}
	a.calls = append(append(a.calls, ','), obj...)
	return nil
}

// encode returns the message with a comma before it; nothing if it says nothing.
func (a *assistant) encode() []byte {
	text := a.text.String()
	back := a.p.quirks.ThinkingBack
	if back == "same" {
		if back = a.field; back != "reasoning" && back != detailsField {
			back = or(back, "tags")
		}
		if back == "content" {
			back = "none"
		}
	}
	thought := a.thought.String()
	if back == "tags" && thought != "" {
		text = strings.TrimSuffix("<think>\n"+strings.Trim(thought, "\n")+"\n</think>\n\n"+text, "\n\n")
	}
	if text == "" && len(a.calls) == 0 && !a.odd {
		return []byte{} // servers refuse a message without content
	}
	dst := []byte(`,{"role":"assistant"`)
	switch {
	case a.odd:
		dst = append(append(dst, `,"content":`...), array(a.parts)...)
	case text != "":
		dst = rawjson.AppendQuoted(append(dst, `,"content":`...), text)
	default:
		switch a.p.quirks.EmptyContent {
		case "omit":
		case "empty":
			dst = append(dst, `,"content":""`...)
		default:
			dst = append(dst, `,"content":null`...)
		}
	}
	switch back {
	case "reasoning_content", "reasoning":
		if thought != "" || a.p.quirks.EmptyThinking && len(a.calls) > 0 {
			dst = rawjson.AppendQuoted(append(append(dst, `,"`...), back+`":`...), thought)
		}
	case detailsField:
		if len(a.details) > 0 {
			dst = append(append(dst, `,"reasoning_details":`...), array(a.details)...)
		} else if thought != "" {
			dst = rawjson.AppendQuoted(append(dst, `,"reasoning":`...), thought)
		}
	}
	for key, val := range rawjson.Fields(bytes.TrimSpace(a.fields)) {
		dst = append(rawjson.AppendQuoted(append(dst, ','), key), ':')
		dst = append(dst, val...)
	}
	if len(a.calls) > 0 {
		dst = append(append(dst, `,"tool_calls":`...), array(a.calls)...)
	}
	return append(dst, '}')
}
