package quarry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// validate checks the arguments of a call. Its errors name the field, what is
// wrong with it, and what to send instead.
func (s *toolSchema) validate(input []byte) error {
	dec := json.NewDecoder(bytes.NewReader(input))
	var value any
	if err := dec.Decode(&value); err != nil {
		return fmt.Errorf("the arguments are not JSON: %w; send one JSON object", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is something behind the arguments' JSON object; send one JSON object and nothing else")
	}
	err := s.resolved.Validate(value)
	if err == nil {
		return nil
	}
	if problem := explain("", s.schema, value); problem != "" {
		return errors.New(problem)
	}
	return fmt.Errorf("the arguments do not fit the tool's schema: %w", err)
}

// explain finds the first thing that is wrong with value and says how to mend
// it; empty where it finds nothing that it can put in words.
func explain(path string, s *jsonschema.Schema, value any) string {
	if s == nil {
		return ""
	}
	if p := explainType(path, s, value); p != "" {
		return p
	}
	if len(s.Enum) > 0 && !slices.ContainsFunc(s.Enum, func(e any) bool { return sameJSON(e, value) }) {
		return fmt.Sprintf("%s must be one of %s; it is %s", at(path), shortJSON(s.Enum), shortJSON(value))
	}
	switch v := value.(type) {
	case map[string]any:
		return explainObject(path, s, v)
	case []any:
		return explainArray(path, s, v)
	case string:
		return explainString(path, s, v)
	case float64:
		return explainNumber(path, s, v)
	}
	return ""
}

// misfit says in a tool's terms why arguments that fit the schema don't fit its
// Go type: a whole number may be written as 1.0 in JSON, and be too large in Go.
func misfit(err error) error {
	var te *json.UnmarshalTypeError
	if !errors.As(err, &te) || te.Field == "" {
		return fmt.Errorf("the arguments do not fit: %w", err)
	}
	switch te.Type.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return fmt.Errorf("%s is the %s; send a whole number that fits into %s, written without fraction and exponent", at(te.Field), te.Value, te.Type.Kind())
	}
	return fmt.Errorf("%s cannot be a %s; send what the tool's description asks for", at(te.Field), te.Value)
}

func explainType(path string, s *jsonschema.Schema, value any) string {
	types := s.Types
	if s.Type != "" {
		types = []string{s.Type}
	}
	if len(types) == 0 {
		return ""
	}
	is := jsonType(value)
	var want []string
	for _, t := range types {
		if t == is || (t == "number" && is == "integer") {
			return ""
		}
		want = append(want, withArticle(t))
	}
	return fmt.Sprintf("%s must be %s; it is %s %s", at(path), strings.Join(want, " or "), withArticle(is), shortJSON(value))
}

func explainObject(path string, s *jsonschema.Schema, v map[string]any) string {
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			return fmt.Sprintf("%s is missing%s; add it", at(join(path, name)), describe(s.Properties[name]))
		}
	}
	names := make([]string, 0, len(v))
	for name := range v {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		prop, ok := s.Properties[name]
		if !ok {
			if s.AdditionalProperties != nil && s.AdditionalProperties.Not != nil && len(s.PatternProperties) == 0 {
				return fmt.Sprintf("%s is not a field of this tool; remove it (the fields are %s)", at(join(path, name)), strings.Join(fieldNames(s), ", "))
			}
			continue
		}
		if p := explain(join(path, name), prop, v[name]); p != "" {
			return p
		}
	}
	return ""
}

func explainArray(path string, s *jsonschema.Schema, v []any) string {
	if s.MinItems != nil && len(v) < *s.MinItems {
		return fmt.Sprintf("%s has %d elements; it needs at least %d", at(path), len(v), *s.MinItems)
	}
	if s.MaxItems != nil && len(v) > *s.MaxItems {
		return fmt.Sprintf("%s has %d elements; send at most %d", at(path), len(v), *s.MaxItems)
	}
	for i, item := range v {
		if p := explain(path+"["+strconv.Itoa(i)+"]", s.Items, item); p != "" {
			return p
		}
	}
	return ""
}

func explainString(path string, s *jsonschema.Schema, v string) string {
	n := len([]rune(v))
	switch {
	case s.MinLength != nil && n < *s.MinLength:
		return fmt.Sprintf("%s has %d characters; it needs at least %d", at(path), n, *s.MinLength)
	case s.MaxLength != nil && n > *s.MaxLength:
		return fmt.Sprintf("%s has %d characters; send at most %d", at(path), n, *s.MaxLength)
	}
	return ""
}

func explainNumber(path string, s *jsonschema.Schema, v float64) string {
	switch {
	case s.Minimum != nil && v < *s.Minimum:
		return fmt.Sprintf("%s is %v; it must be at least %v", at(path), v, *s.Minimum)
	case s.Maximum != nil && v > *s.Maximum:
		return fmt.Sprintf("%s is %v; it must be at most %v", at(path), v, *s.Maximum)
	}
	return ""
}

// fieldNames lists the fields in the order of the Go type, where it is known.
func fieldNames(s *jsonschema.Schema) []string {
	if len(s.PropertyOrder) == len(s.Properties) {
		return s.PropertyOrder
	}
	names := make([]string, 0, len(s.Properties))
	for name := range s.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func at(path string) string {
	if path == "" {
		return "the input"
	}
	return strconv.Quote(path)
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func describe(s *jsonschema.Schema) string {
	if s == nil {
		return ""
	}
	switch {
	case s.Description != "" && s.Type != "":
		return fmt.Sprintf(" (%s: %s)", s.Type, s.Description)
	case s.Description != "":
		return " (" + s.Description + ")"
	case s.Type != "":
		return " (" + s.Type + ")"
	}
	return ""
}

func jsonType(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case float64:
		if v == float64(int64(v)) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

func withArticle(noun string) string {
	if noun == "null" {
		return noun
	}
	if strings.ContainsRune("aeio", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}

func sameJSON(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// shortJSON shows a value in at most about 80 characters.
func shortJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return clip(string(data), 80)
}
