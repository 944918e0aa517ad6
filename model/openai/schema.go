package openai

import (
	"bytes"
	"slices"

	"github.com/quarry-sdk/quarry/internal/rawjson"
)

// maxSchemaDepth bounds how deep a schema is looked into. The API takes ten
// levels of objects.
const maxSchemaDepth = 64

// strictSchema returns schema in the form that the API's strict mode takes, and
// whether there is one.
//
// The one change that is made is to close objects that do not say whether they
// take further properties. Everything else would change what a caller may leave
// out or write, so a schema has no strict form if its root is not an object, if
// an object has a property that is not required, or takes further properties, or
// says nothing of its properties, or if a keyword or a format occurs that strict
// mode does not know.
// (https://platform.openai.com/docs/guides/structured-outputs#supported-schemas)
func strictSchema(schema []byte) ([]byte, bool) {
	if rawjson.Str(rawjson.Field(schema, "type")) != "object" || rawjson.Field(schema, "anyOf") != nil {
		return schema, false
	}
	if strict := appendStrict(nil, schema, 0); strict != nil {
		return strict, true
	}
	return schema, false
}

// strictKeywords are the keywords that strict mode takes as they are.
var strictKeywords = []string{
	"$ref", "$schema", "const", "description", "enum", "exclusiveMaximum", "exclusiveMinimum", "maxItems", "maximum",
	"minItems", "minimum", "multipleOf", "pattern", "required", "title", "type",
}

var strictFormats = []string{"date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "time", "uuid"}

// appendStrict appends the strict form of a schema; it returns nil if there is
// none.
func appendStrict(dst, schema []byte, depth int) []byte {
	if !rawjson.IsObject(schema) || depth > maxSchemaDepth {
		return nil
	}
	dst = append(dst, '{')
	var properties, required []byte
	closed := false
	for key, val := range rawjson.Fields(schema) {
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(rawjson.AppendQuoted(dst, key), ':')
		switch k := string(key); {
		case k == "properties" || k == "$defs" || k == "definitions":
			if k == "properties" {
				properties = val
			}
			dst = appendEach(dst, val, depth)
		case k == "items":
			dst = appendStrict(dst, val, depth+1)
		case k == "anyOf":
			dst = appendChoices(dst, val, depth)
		case k == "additionalProperties":
			if string(val) != "false" {
				return nil
			}
			closed = true
			dst = append(dst, val...)
		case k == "format":
			if !slices.Contains(strictFormats, rawjson.Str(val)) {
				return nil
			}
			dst = append(dst, val...)
		case slices.Contains(strictKeywords, k):
			if k == "required" {
				required = val
			}
			dst = append(dst, val...)
		default:
			return nil
		}
		if dst == nil {
			return nil
		}
	}
	if isObjectSchema(schema) {
		if !rawjson.IsObject(properties) || !requiresAll(properties, required) {
			return nil
		}
		if !closed {
			dst = append(dst, `,"additionalProperties":false`...)
		}
		if required == nil {
			dst = append(dst, `,"required":[]`...)
		}
	}
	return append(dst, '}')
}

func isObjectSchema(schema []byte) bool {
	kind := rawjson.Field(schema, "type")
	if rawjson.IsArray(kind) {
		for k := range rawjson.Elements(kind) {
			if string(k) == `"object"` {
				return true
			}
		}
		return false
	}
	return string(kind) == `"object"` || rawjson.Field(schema, "properties") != nil
}

// appendEach appends an object of schemas.
func appendEach(dst, schemas []byte, depth int) []byte {
	if !rawjson.IsObject(schemas) {
		return nil
	}
	dst = append(dst, '{')
	for key, val := range rawjson.Fields(schemas) {
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(rawjson.AppendQuoted(dst, key), ':')
		if dst = appendStrict(dst, val, depth+1); dst == nil {
			return nil
		}
	}
	return append(dst, '}')
}

func appendChoices(dst, schemas []byte, depth int) []byte {
	if !rawjson.IsArray(schemas) {
		return nil
	}
	dst = append(dst, '[')
	for val := range rawjson.Elements(schemas) {
		if dst[len(dst)-1] != '[' {
			dst = append(dst, ',')
		}
		if dst = appendStrict(dst, val, depth+1); dst == nil {
			return nil
		}
	}
	return append(dst, ']')
}

func requiresAll(properties, required []byte) bool {
	for key := range rawjson.Fields(properties) {
		found := false
		for r := range rawjson.Elements(required) {
			if bytes.Equal(rawjson.AppendUnquoted(nil, r), key) {
				found = true
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}
