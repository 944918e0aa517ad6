package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"
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

// free tells whether the request's Extra leaves the field to us.
func (h *head) free(name string) bool {
	if h.extra == nil {
		return true
	}
	_, taken := h.extra[name]
	return !taken
}

// key writes the name of a field, unless Extra has that field.
func (h *head) key(name string) bool {
	if !h.free(name) {
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

// marked writes an encoded array, with a breakpoint behind its last element if
// one is wanted and left.
func (h *head) marked(arr []byte, want bool, control []byte, left *int) {
	at := -1
	if want && *left > 0 {
		at = arrayMark(arr)
	}
	if at < 0 {
		h.buf = append(h.buf, arr...)
		return
	}
	*left--
	h.buf = append(h.buf, arr[:at]...)
	h.buf = append(h.buf, control...)
	h.buf = append(h.buf, arr[at:]...)
}

func (h *head) thinking(t *model.ThinkingOptions) error {
	if t == nil || !h.free("thinking") {
		return nil
	}
	switch t.Mode {
	case "adaptive", "disabled":
	case "enabled":
		if t.BudgetTokens <= 0 {
			return invalidRequest(`thinking mode "enabled" needs BudgetTokens`)
		}
	default:
		return invalidRequest(fmt.Sprintf("thinking mode %q is none of adaptive, enabled and disabled", t.Mode))
	}
	h.key("thinking")
	h.buf = rawjson.AppendQuoted(append(h.buf, `{"type":`...), t.Mode)
	if t.Mode == "enabled" {
		h.buf = appendInt(append(h.buf, `,"budget_tokens":`...), t.BudgetTokens)
	}
	if t.Display != "" && t.Mode != "disabled" {
		h.buf = rawjson.AppendQuoted(append(h.buf, `,"display":`...), t.Display)
	}
	h.buf = append(h.buf, '}')
	return nil
}

// outputConfig writes the effort and the schema of the answer, together with
// the further fields that Extra may have for the same object.
func (h *head) outputConfig(req *model.Request) error {
	more := bytes.TrimSpace(h.extra["output_config"])
	if req.Effort == "" && req.OutputSchema == nil && more == nil {
		return nil
	}
	if more != nil && (!rawjson.IsObject(more) || !json.Valid(more)) {
		return invalidRequest("output_config of Extra is not a JSON object")
	}
	h.name("output_config")
	start := len(h.buf)
	h.buf = append(h.buf, '{')
	if req.Effort != "" && rawjson.Field(more, "effort") == nil {
		h.buf = rawjson.AppendQuoted(append(h.buf, `"effort":`...), req.Effort)
	}
	if req.OutputSchema != nil && rawjson.Field(more, "format") == nil {
		if !rawjson.IsObject(bytes.TrimSpace(req.OutputSchema)) || !json.Valid(req.OutputSchema) {
			return invalidRequest("the output schema is not a JSON object")
		}
		if len(h.buf) > start+1 {
			h.buf = append(h.buf, ',')
		}
		h.buf = append(h.buf, `"format":{"type":"json_schema","schema":`...)
		h.buf = append(h.buf, bytes.TrimSpace(req.OutputSchema)...)
		h.buf = append(h.buf, '}')
	}
	for key, val := range rawjson.Fields(more) {
		if len(h.buf) > start+1 {
			h.buf = append(h.buf, ',')
		}
		h.buf = append(rawjson.AppendQuoted(h.buf, key), ':')
		h.buf = append(h.buf, val...)
	}
	h.buf = append(h.buf, '}')
	return nil
}

func (h *head) tools(req *model.Request, control []byte, left *int) error {
	if req.Tools.Empty() || !h.free("tools") {
		return nil
	}
	enc, err := encodeTools(req.Tools)
	if err != nil {
		return wrapEncode("tools", err)
	}
	h.key("tools")
	h.marked(enc, req.Cache.Tools, control, left)
	return h.toolChoice(&req.ToolChoice)
}

func (h *head) toolChoice(c *model.ToolChoice) error {
	mode := c.Mode
	switch mode {
	case "":
		if !c.Single {
			return nil
		}
		mode = "auto"
	case "auto", "any", "none":
	case "tool":
		if c.Name == "" {
			return invalidRequest(`tool choice "tool" needs a name`)
		}
	default:
		return invalidRequest(fmt.Sprintf("tool choice %q is none of auto, any, none and tool", mode))
	}
	if !h.key("tool_choice") {
		return nil
	}
	h.buf = rawjson.AppendQuoted(append(h.buf, `{"type":`...), mode)
	if mode == "tool" {
		h.buf = rawjson.AppendQuoted(append(h.buf, `,"name":`...), c.Name)
	}
	if c.Single && mode != "none" {
		h.buf = append(h.buf, `,"disable_parallel_tool_use":true`...)
	}
	h.buf = append(h.buf, '}')
	return nil
}

// rest writes the fields of Extra, sorted, so that equal requests have equal
// bytes.
func (h *head) rest() error {
	if len(h.extra) == 0 {
		return nil
	}
	names := make([]string, 0, len(h.extra))
	for name := range h.extra {
		if name != "output_config" {
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
