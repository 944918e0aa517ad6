package openai

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/quarry-sdk/quarry/internal/rawjson"
	"github.com/quarry-sdk/quarry/model"
)

// isHosted tells whether an item is about a tool of the provider's: a search, a
// sandbox, a remote server.
func isHosted(kind string) bool {
	return strings.HasSuffix(kind, "_call") || kind == "mcp_list_tools" || kind == "mcp_approval_request"
}

// resultOf returns what a hosted tool gave back; nil if the item has nothing of
// it. A picture is left in the item's raw form: it has megabytes.
func resultOf(kind string, item []byte) []byte {
	var val []byte
	switch kind {
	case "mcp_call":
		if val = rawjson.Field(item, "output"); rawjson.IsNull(val) {
			val = rawjson.Field(item, "error")
		}
	case "mcp_list_tools":
		val = rawjson.Field(item, "tools")
	case "file_search_call":
		val = rawjson.Field(item, "results")
	case "code_interpreter_call":
		val = rawjson.Field(item, "outputs")
	}
	if rawjson.IsNull(val) {
		return nil
	}
	return val
}

func (it *openItem) toolName() string {
	if strings.HasPrefix(it.kind, "mcp_") {
		if name := rawjson.Str(rawjson.Field(it.start, "name")); name != "" {
			return name
		}
	}
	return strings.TrimSuffix(it.kind, "_call")
}

// hostedInput is what the model asked of the tool, in the tool's own words.
func (it *openItem) hostedInput(b *openBlock) json.RawMessage {
	if it.kind == "mcp_call" || it.kind == "mcp_approval_request" {
		input, _ := arguments(b.text, false)
		if len(b.text) == 0 {
			input, _ = arguments(rawjson.AppendUnquoted(nil, rawjson.Field(it.start, "arguments")), false)
		}
		return input
	}
	for _, key := range [...]string{"action", "operation"} {
		if val := rawjson.Field(it.start, key); rawjson.IsObject(val) {
			return bytes.Clone(val)
		}
	}
	input := []byte("{}")
	for _, key := range [...]string{"queries", "code", "container_id", "server_label", "arguments", "prompt"} {
		if val := rawjson.Field(it.start, key); !rawjson.IsNull(val) {
			input = rawjson.With(input, key, val)
		}
	}
	return input
}

// counted are the hosted tools that are paid by the call, and the names under
// which usage counts them.
var counted = map[string]string{
	"web_search_call":       "web_search_requests",
	"file_search_call":      "file_search_requests",
	"code_interpreter_call": "code_interpreter_requests",
	"image_generation_call": "image_generation_requests",
}

// countCalls counts the calls of hosted tools: the API's own usage does not.
func (d *decoder) countCalls(u *model.Usage) {
	for i := range d.items {
		it := &d.items[i]
		name := counted[it.kind]
		if name == "" {
			continue
		}
		// Opening and searching a page that was found costs nothing.
		if action := rawjson.Str(rawjson.Field(rawjson.Field(it.start, "action"), "type")); action != "" && action != "search" && it.kind == "web_search_call" {
			continue
		}
		if u.ServerToolCalls == nil {
			u.ServerToolCalls = make(map[string]int64)
		}
		u.ServerToolCalls[name]++
	}
}
