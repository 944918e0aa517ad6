package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// anyObject is the schema of arguments that are passed on unchecked.
const anyObject = `{"type":"object"}`

// plainKey are the names of fields that providers take.
var plainKey = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)

// schemaOf returns the schema that a model is shown for a tool and that its
// arguments are checked against, and what is to be said of it in words. It is the
// server's own, but for what providers refuse, since one such tool would fail
// every request: where the schema is not of draft 2020-12 or draft 7, refers to
// others or has strange names, the arguments are an object of anything and the
// words have the schema; "oneOf", "anyOf" and "allOf" of the whole go into the
// words alone. The server checks its arguments itself in any case.
func schemaOf(t *sdk.Tool) (schema json.RawMessage, words string) {
	whole, err := json.Marshal(t.InputSchema)
	fields, ok := t.InputSchema.(map[string]any)
	if err != nil || !ok {
		return json.RawMessage(anyObject), ""
	}
	fields = maps.Clone(fields)
	if fields["type"] == nil {
		fields["type"] = "object"
	}
	moved := make(map[string]any)
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		if v, ok := fields[key]; ok {
			moved[key] = v
			delete(fields, key)
		}
	}
	if len(moved) > 0 {
		if text, err := json.Marshal(moved); err == nil {
			words = fmt.Sprintf("The arguments must also fit this JSON Schema: %s", text)
		}
	}
	shown, err := json.Marshal(fields)
	if err == nil {
		err = usable(shown)
	}
	if err != nil {
		return json.RawMessage(anyObject), fmt.Sprintf("The arguments must fit this JSON Schema: %s", whole)
	}
	return shown, words
}

// usable tells why a schema can't be used.
func usable(data []byte) error {
	var s jsonschema.Schema
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	if s.Type != "object" {
		return fmt.Errorf("it is of type %q", s.Type)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if !plainKey.MatchString(name) {
			return fmt.Errorf("it has a field %q", name)
		}
	}
	if _, err := s.Resolve(&jsonschema.ResolveOptions{}); err != nil {
		return err
	}
	// What was read must be what is written again: a keyword of an old draft is
	// dropped otherwise.
	_, err := json.Marshal(&s)
	return err
}

// describe joins what a server says of a tool with words about its schema.
func describe(t *sdk.Tool, words string) string {
	text := t.Description
	if text == "" {
		text = t.Title
	}
	if text == "" && t.Annotations != nil {
		text = t.Annotations.Title
	}
	if text == "" {
		text = "The server says nothing of this tool but its name, " + t.Name + "."
	}
	if words == "" {
		return text
	}
	return strings.TrimRight(text, "\n ") + "\n\n" + words
}
