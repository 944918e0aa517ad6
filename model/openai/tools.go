package openai

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/quarry-sdk/quarry/internal/rawjson"
	"github.com/quarry-sdk/quarry/model"
)

// encodeTools returns the tool list, as an array, kept with the set.
func encodeTools(t *model.ToolSet) ([]byte, error) {
	return t.Encoding(encodingKey, func() ([]byte, error) {
		dst := []byte{'['}
		for i := range t.Defs {
			var err error
			if dst, err = appendToolDef(dst, &t.Defs[i]); err != nil {
				return nil, err
			}
		}
		for i := range t.Server {
			var err error
			if dst, err = appendServerTool(dst, &t.Server[i]); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	})
}

func appendToolDef(dst []byte, def *model.ToolDef) ([]byte, error) {
	if len(dst) > 1 {
		dst = append(dst, ',')
	}
	dst = rawjson.AppendQuoted(append(dst, `{"type":"function","name":`...), def.Name)
	if def.Description != "" {
		dst = rawjson.AppendQuoted(append(dst, `,"description":`...), def.Description)
	}
	schema := bytes.TrimSpace(def.InputSchema)
	if len(schema) == 0 {
		schema = []byte(`{"type":"object","properties":{}}`)
	}
	if !json.Valid(schema) || !rawjson.IsObject(schema) {
		return dst, invalidRequest("the input schema of tool " + def.Name + " is not a JSON object")
	}
	// Strict is said in both cases: the API takes a tool that does not say for a
	// strict one, and rewrites its schema.
	strict := false
	if def.Strict {
		schema, strict = strictSchema(schema)
	}
	// The schema is compacted: its author's indentation is not worth its bytes.
	buf := bytes.NewBuffer(append(dst, `,"parameters":`...))
	if err := json.Compact(buf, schema); err != nil {
		return dst, err
	}
	dst = fmt.Appendf(buf.Bytes(), `,"strict":%t`, strict)
	dst, err := rawjson.AppendMissing(dst, def.Provider[Provider], "type", "name", "description", "strict", "parameters")
	if err != nil {
		return dst, invalidRequest("the field Provider of tool " + def.Name + ": " + err.Error())
	}
	return append(dst, '}'), nil
}

// named are the types of tools that have a name besides their type.
var named = map[string]bool{"custom": true, "function": true, "namespace": true}

func appendServerTool(dst []byte, tool *model.ServerTool) ([]byte, error) {
	if len(dst) > 1 {
		dst = append(dst, ',')
	}
	config := bytes.TrimSpace(tool.Config)
	if len(config) > 0 && (!json.Valid(config) || !rawjson.IsObject(config)) {
		return dst, invalidRequest("the configuration of server tool " + tool.Type + " is not a JSON object")
	}
	dst = rawjson.AppendQuoted(append(dst, `{"type":`...), tool.Type)
	if named[tool.Type] && tool.Name != "" && rawjson.Field(config, "name") == nil {
		dst = rawjson.AppendQuoted(append(dst, `,"name":`...), tool.Name)
	}
	dst, err := rawjson.AppendMissing(dst, config, "type")
	return append(dst, '}'), err
}

// maxToolCalls is the bound that the API has for the calls of all its tools
// together: the sum of the tools' own bounds, 0 if one of them has none.
func maxToolCalls(tools []model.ServerTool) int {
	sum := 0
	for i := range tools {
		if tools[i].MaxUses <= 0 {
			return 0
		}
		sum += tools[i].MaxUses
	}
	return sum
}
