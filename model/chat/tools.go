package chat

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/quarry-sdk/quarry/internal/rawjson"
	"github.com/quarry-sdk/quarry/model"
)

// encodeTools returns the tool list, as an array, kept with it.
func (p *profile) encodeTools(t *model.ToolSet) ([]byte, error) {
	return t.Encoding(p.key, func() ([]byte, error) {
		var list []byte
		for i := range t.Defs {
			var err error
			if list, err = p.appendTool(append(list, ','), &t.Defs[i]); err != nil {
				return nil, err
			}
		}
		for i := range t.Server {
			var err error
			if list, err = p.appendServerTool(append(list, ','), &t.Server[i]); err != nil {
				return nil, err
			}
		}
		return array(list), nil
	})
}

func (p *profile) appendTool(dst []byte, def *model.ToolDef) ([]byte, error) {
	dst = rawjson.AppendQuoted(append(dst, `{"type":"function","function":{"name":`...), def.Name)
	if def.Description != "" {
		dst = rawjson.AppendQuoted(append(dst, `,"description":`...), def.Description)
	}
	schema := def.InputSchema
	if len(bytes.TrimSpace(schema)) == 0 {
		schema = []byte(`{"type":"object"}`)
	}
	params, err := schemaFor(schema, p.quirks.DropKeywords)
	if err != nil {
		return dst, fmt.Errorf("the input schema of tool %s: %w", def.Name, err)
	}
	if rawjson.Str(rawjson.Field(params, "type")) == "object" && rawjson.Field(params, "properties") == nil {
		// Several servers demand the list, even if it is empty.
		params = rawjson.With(params, "properties", []byte("{}"))
	}
	dst = append(append(dst, `,"parameters":`...), params...)
	if def.Strict && p.quirks.Strict {
		dst = append(dst, `,"strict":true`...)
	}
	dst, err = rawjson.AppendMissing(append(dst, '}'), def.Provider["chat"], "type", "function")
	if err != nil {
		return dst, fmt.Errorf("the field Provider of tool %s: %w", def.Name, err)
	}
	return append(dst, '}'), nil
}

func (p *profile) appendServerTool(dst []byte, tool *model.ServerTool) ([]byte, error) {
	if !p.quirks.ServerTools {
		return dst, fmt.Errorf("this server is not known to run tools of its own, such as %s: leave it out, or set Quirks.ServerTools", tool.Type)
	}
	config := bytes.TrimSpace(tool.Config)
	if len(config) > 0 && (!rawjson.IsObject(config) || !json.Valid(config)) {
		return dst, fmt.Errorf("the configuration of server tool %s is not a JSON object", tool.Type)
	}
	obj := appendField([]byte{'{'}, "type", rawjson.AppendQuoted(nil, tool.Type))
	if tool.MaxUses > 0 && rawjson.Field(rawjson.Field(config, "parameters"), "max_uses") == nil {
		params := []byte("{}")
		if was := rawjson.Field(config, "parameters"); rawjson.IsObject(was) {
			params = was
		}
		config = rawjson.With(config, "parameters", rawjson.With(params, "max_uses", fmt.Appendf(nil, "%d", tool.MaxUses)))
	}
	for key, val := range rawjson.Fields(config) {
		if string(key) != "type" {
			obj = appendField(obj, string(key), val)
		}
	}
	return append(append(dst, obj...), '}'), nil
}
