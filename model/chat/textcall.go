package chat

import (
	"encoding/json"
	"slices"

	"github.com/quarry-sdk/quarry/internal/rawjson"
	"github.com/quarry-sdk/quarry/model"
)

// textCall takes what the model wrote between <tool_call> tags, the form of the
// templates of Hermes and Qwen. What is no call of a tool that the model was
// given is text, tags and all. Closed tells that the closing tag came.
func (d *decoder) textCall(inside []byte, closed bool, yield func(model.Event, error) bool) error {
	var name string
	var args []byte
	if json.Valid(inside) {
		name = rawjson.Str(rawjson.Field(inside, "name"))
		for _, key := range [...]string{"arguments", "parameters"} {
			if args == nil {
				args = arguments(rawjson.Field(inside, key))
			}
		}
	}
	if name == "" || !slices.ContainsFunc(d.tools.Defs, func(t model.ToolDef) bool { return t.Name == name }) {
		text := slices.Concat(openCall, inside)
		if closed {
			text = append(text, closeCall...)
		}
		return d.write("text", text, yield)
	}
	b := d.open("tool_use", yield)
	if b == nil {
		return errStop
	}
	b.name = append(b.name, name...)
	if len(args) == 0 {
		return nil
	}
	b.text = append(b.text, args...)
	return d.piece(len(d.blocks)-1, args, yield)
}
