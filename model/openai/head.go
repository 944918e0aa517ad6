package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/quarry-sdk/quarry/internal/rawjson"
	"github.com/quarry-sdk/quarry/model"
)

// head is the beginning of a body while it is written.
type head struct {
	buf   []byte
	extra map[string]json.RawMessage
}

// merged are the fields of Extra that are merged into what is written here.
var merged = map[string]bool{"include": true, "reasoning": true, "text": true}

// key writes the name of a field, unless Extra has that field.
func (h *head) key(name string) bool {
	if _, taken := h.extra[name]; taken {
		return false
	}
	h.name(name)
	return true
}

func (h *head) name(name string) {
	if len(h.buf) > 1 {
		h.buf = append(h.buf, ',')
	}
	h.buf = append(rawjson.AppendQuoted(h.buf, name), ':')
}

// object is the field of Extra with that name, which has to be an object.
func (h *head) object(name string) ([]byte, error) {
	more := bytes.TrimSpace(h.extra[name])
	if len(more) == 0 {
		return []byte("{}"), nil
	}
	if !json.Valid(more) || !rawjson.IsObject(more) {
		return nil, invalidRequest(name + " of Extra is not a JSON object")
	}
	return more, nil
}

// limits writes the bounds and the temperature.
func (h *head) limits(req *model.Request, maxTokens int) error {
	if req.MaxTokens < 0 {
		return invalidRequest(fmt.Sprintf("max tokens is %d", req.MaxTokens))
	}
	if req.MaxTokens > 0 {
		maxTokens = req.MaxTokens
	}
	if h.key("max_output_tokens") {
		h.buf = appendInt(h.buf, maxTokens)
	}
	if len(req.StopSequences) > 0 {
		return invalidRequest("the Responses API has no stop sequences: leave StopSequences empty")
	}
	if t := req.Temperature; t != nil && (math.IsNaN(*t) || math.IsInf(*t, 0)) {
		return invalidRequest("the temperature is not a number")
	}
	if req.Temperature != nil && h.key("temperature") {
		h.buf = strconv.AppendFloat(h.buf, *req.Temperature, 'g', -1, 64)
	}
	return nil
}

// reasoning writes the effort and whether a summary is wanted. The API has no
// bound of its own for reasoning: BudgetTokens stays unsent, and MaxTokens bounds
// the whole.
func (h *head) reasoning(req *model.Request) error {
	obj, err := h.object("reasoning")
	if err != nil {
		return err
	}
	effort, summary := req.Effort, ""
	if t := req.Thinking; t != nil {
		switch t.Mode {
		case "adaptive", "enabled":
			if t.Display != "omitted" {
				summary = "auto"
			}
		case "disabled":
			if effort == "" {
				effort = "none"
			}
		default:
			return invalidRequest(fmt.Sprintf("thinking mode %q is none of adaptive, enabled and disabled", t.Mode))
		}
	}
	if effort != "" && rawjson.Field(obj, "effort") == nil {
		obj = rawjson.With(obj, "effort", rawjson.AppendQuoted(nil, effort))
	}
	if summary != "" && rawjson.Field(obj, "summary") == nil {
		obj = rawjson.With(obj, "summary", rawjson.AppendQuoted(nil, summary))
	}
	h.objectField("reasoning", obj)
	return nil
}

// text writes the schema of the answer.
func (h *head) text(req *model.Request) error {
	obj, err := h.object("text")
	if err != nil {
		return err
	}
	if req.OutputSchema != nil && rawjson.Field(obj, "format") == nil {
		schema := bytes.TrimSpace(req.OutputSchema)
		if !json.Valid(schema) || !rawjson.IsObject(schema) {
			return invalidRequest("the output schema is not a JSON object")
		}
		schema, strict := strictSchema(schema)
		format := append([]byte(`{"type":"json_schema","name":"answer","schema":`), schema...)
		format = strconv.AppendBool(append(format, `,"strict":`...), strict)
		obj = rawjson.With(obj, "format", append(format, '}'))
	}
	h.objectField("text", obj)
	return nil
}

func (h *head) objectField(name string, obj []byte) {
	if string(obj) != "{}" {
		h.name(name)
		h.buf = append(h.buf, obj...)
	}
}

// include asks for the encrypted form of reasoning where it is of use, besides
// what Extra asks for.
func (h *head) include(encrypted bool) error {
	const sealed = `"reasoning.encrypted_content"`
	more := bytes.TrimSpace(h.extra["include"])
	if len(more) > 0 && (!json.Valid(more) || !rawjson.IsArray(more)) {
		return invalidRequest("include of Extra is not a JSON array")
	}
	if len(more) == 0 && !encrypted {
		return nil
	}
	h.name("include")
	h.buf = append(h.buf, '[')
	for val := range rawjson.Elements(more) {
		encrypted = encrypted && string(val) != sealed
		h.buf = append(append(h.buf, val...), ',')
	}
	if encrypted {
		h.buf = append(h.buf, sealed...)
	} else {
		h.buf = bytes.TrimSuffix(h.buf, []byte{','})
	}
	h.buf = append(h.buf, ']')
	return nil
}

func (h *head) tools(req *model.Request) error {
	if req.Tools.Empty() {
		return nil
	}
	if _, taken := h.extra["tools"]; taken {
		return nil
	}
	enc, err := encodeTools(req.Tools)
	if err != nil {
		return wrapEncode("tools", err)
	}
	h.name("tools")
	h.buf = append(h.buf, enc...)
	if n := maxToolCalls(req.Tools.Server); n > 0 && h.key("max_tool_calls") {
		h.buf = appendInt(h.buf, n)
	}
	return h.toolChoice(&req.ToolChoice, req.Tools)
}

func (h *head) toolChoice(c *model.ToolChoice, tools *model.ToolSet) error {
	if c.Single && h.key("parallel_tool_calls") {
		h.buf = append(h.buf, "false"...)
	}
	var choice []byte
	switch c.Mode {
	case "":
		return nil
	case "auto", "none":
		choice = rawjson.AppendQuoted(nil, c.Mode)
	case "any":
		choice = []byte(`"required"`)
	case "tool":
		if c.Name == "" {
			return invalidRequest(`tool choice "tool" needs a name`)
		}
		choice = appendNamed(nil, c.Name, tools)
	default:
		return invalidRequest(fmt.Sprintf("tool choice %q is none of auto, any, none and tool", c.Mode))
	}
	if h.key("tool_choice") {
		h.buf = append(h.buf, choice...)
	}
	return nil
}

// appendNamed appends the choice of one tool: a function by its name, a hosted
// tool by its type.
func appendNamed(dst []byte, name string, tools *model.ToolSet) []byte {
	for i := range tools.Server {
		if t := &tools.Server[i]; (t.Name == name || t.Type == name) && !named[t.Type] {
			return append(rawjson.AppendQuoted(append(dst, `{"type":`...), t.Type), '}')
		} else if t.Name == name && t.Type == "custom" {
			return append(rawjson.AppendQuoted(append(dst, `{"type":"custom","name":`...), name), '}')
		}
	}
	return append(rawjson.AppendQuoted(append(dst, `{"type":"function","name":`...), name), '}')
}

// rest writes the fields of Extra, sorted, so that equal requests have equal
// bytes.
func (h *head) rest() error {
	names := make([]string, 0, len(h.extra))
	for name := range h.extra {
		if !merged[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		h.name(name)
		var err error
		if h.buf, err = rawjson.Append(h.buf, h.extra[name]); err != nil {
			return invalidRequest("field " + name + " of Extra: " + err.Error())
		}
	}
	return nil
}

func appendInt(dst []byte, n int) []byte { return strconv.AppendInt(dst, int64(n), 10) }
