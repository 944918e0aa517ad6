package chat

import (
	"slices"

	"github.com/quarry-sdk/quarry/internal/rawjson"
)

// namesOf are the keywords whose value is an object of names that people chose,
// each with a schema.
var namesOf = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}

// dataOf are the keywords whose value is data, and no schema.
var dataOf = []string{"const", "default", "enum", "example", "examples", "required"}

// without returns a schema without some keywords, wherever they stand as such.
func without(schema []byte, drop []string) []byte {
	if rawjson.IsArray(schema) {
		var list []byte
		for e := range rawjson.Elements(schema) {
			list = append(append(list, ','), without(e, drop)...)
		}
		return array(list)
	}
	if !rawjson.IsObject(schema) {
		return schema
	}
	out := []byte{'{'}
	for key, val := range rawjson.Fields(schema) {
		switch k := string(key); {
		case slices.Contains(drop, k):
			continue
		case slices.Contains(dataOf, k):
		case slices.Contains(namesOf, k) && rawjson.IsObject(val):
			names := []byte{'{'}
			for name, s := range rawjson.Fields(val) {
				names = appendField(names, string(name), without(s, drop))
			}
			val = append(names, '}')
		default:
			val = without(val, drop)
		}
		out = appendField(out, string(key), val)
	}
	return append(out, '}')
}

// isClosed tells whether a schema is one that OpenAI can be strict about: each
// object of it names all its properties as required and allows no others.
// (https://platform.openai.com/docs/guides/structured-outputs)
func isClosed(schema []byte) bool {
	if rawjson.IsArray(schema) {
		for e := range rawjson.Elements(schema) {
			if !isClosed(e) {
				return false
			}
		}
		return true
	}
	if !rawjson.IsObject(schema) {
		return true
	}
	properties := rawjson.Field(schema, "properties")
	if rawjson.Str(rawjson.Field(schema, "type")) == "object" || properties != nil {
		if string(rawjson.Field(schema, "additionalProperties")) != "false" {
			return false
		}
		var required []string
		for e := range rawjson.Elements(rawjson.Field(schema, "required")) {
			required = append(required, rawjson.Str(e))
		}
		for name := range rawjson.Fields(properties) {
			if !slices.Contains(required, string(name)) {
				return false
			}
		}
	}
	for key, val := range rawjson.Fields(schema) {
		switch k := string(key); {
		case slices.Contains(dataOf, k):
		case slices.Contains(namesOf, k):
			for _, s := range rawjson.Fields(val) {
				if !isClosed(s) {
					return false
				}
			}
		case !isClosed(val):
			return false
		}
	}
	return true
}
