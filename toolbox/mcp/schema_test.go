package mcp

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model/modeltest"
)

// Schemas are shown as they are, but for those that would fail every request.
func TestSchemas(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ schema, want, words string }{
		"plain":      {`{"type":"object","properties":{"n":{"type":"integer","minimum":1}},"required":["n"],"additionalProperties":false}`, "", ""},
		"empty":      {`{}`, `{"type":"object"}`, ""},
		"draft 7":    {`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"$ref":"#/definitions/a"}},"definitions":{"a":{"type":"string"}}}`, "", ""},
		"extra":      {`{"type":"object","x-mine":{"a":1},"properties":{}}`, "", ""},
		"draft 4":    {`{"type":"object","properties":{"n":{"type":"number","minimum":0,"exclusiveMinimum":true}}}`, anyObject, "The arguments must fit"},
		"remote":     {`{"type":"object","properties":{"n":{"$ref":"https://example.org/x.json"}}}`, anyObject, "The arguments must fit"},
		"strange":    {`{"type":"object","properties":{"a b":{"type":"string"}}}`, anyObject, "The arguments must fit"},
		"pattern":    {`{"type":"object","properties":{"a":{"type":"string","pattern":"(?<=x)y"}}}`, anyObject, "The arguments must fit"},
		"list":       {`{"type":"array"}`, anyObject, "The arguments must fit"},
		"one of":     {`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"oneOf":[{"required":["a"]},{"required":["b"]}]}`, `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}}`, "must also fit"},
		"any within": {`{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`, "", ""},
	} {
		r := &raw{tools: `[{"name":"t","description":"Does it.","inputSchema":` + c.schema + `}]`}
		ss := connect(t, Config{Servers: map[string]Server{"s": r.server()}})
		tools := ss.Tools()
		if len(tools) != 1 {
			t.Errorf("%s: %d tools", name, len(tools))
			continue
		}
		// An agent takes it.
		if _, err := quarry.New(quarry.Config{Model: modeltest.NewScripted(), Tools: tools}); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := c.want
		if want == "" {
			want = c.schema
		}
		if got := string(tools[0].InputSchema()); !sameJSON(t, got, want) {
			t.Errorf("%s: schema %s, want %s", name, got, want)
		}
		text := tools[0].Spec().Description
		if !strings.HasPrefix(text, "Does it.") || (c.words == "") != (text == "Does it.") || !strings.Contains(text, c.words) {
			t.Errorf("%s: description %q", name, text)
		}
	}
}

// Bad arguments do not reach the server; what can't be checked does.
func TestArguments(t *testing.T) {
	t.Parallel()
	r := &raw{
		tools:   `[{"name":"strict","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}},{"name":"loose","inputSchema":{"type":"object","properties":{"n":{"$ref":"https://example.org/x"}}}}]`,
		results: map[string]string{"strict": `{"content":[{"type":"text","text":"ok"}]}`, "loose": `{"content":[{"type":"text","text":"ok"}]}`},
	}
	var got []string
	r.answer = func(_ *raw, method string, _, params json.RawMessage) (string, bool) {
		if method == "tools/call" {
			var p struct {
				Arguments json.RawMessage `json:"arguments"`
			}
			_ = json.Unmarshal(params, &p)
			got = append(got, string(p.Arguments))
		}
		return "", false
	}
	ss := connect(t, Config{Servers: map[string]Server{"s": r.server()}})
	call := texts(t, ss)
	if text := call("mcp__s__strict", map[string]string{"n": "x"}); !strings.Contains(text, `"n" must be an integer`) {
		t.Errorf("got %q", text)
	}
	call("mcp__s__strict", json.RawMessage(`{"n":12345678901234567890}`))
	call("mcp__s__loose", json.RawMessage(`{"n":"anything"}`))
	_ = ss.Close()
	if want := `{"n":12345678901234567890}|{"n":"anything"}`; strings.Join(got, "|") != want {
		t.Errorf("the server got %v", got)
	}
}
