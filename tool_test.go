package quarry_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model/modeltest"
)

type address struct {
	Street string   `json:"street" jsonschema:"street and number"`
	Lines  []string `json:"lines,omitempty"`
}

type orderIn struct {
	Item     string             `json:"item" jsonschema:"what to order"`
	Count    int                `json:"count" jsonschema:"how many, 1 to 10"`
	Weight   float64            `json:"weight,omitempty"`
	Express  bool               `json:"express,omitempty"`
	Tags     []string           `json:"tags" jsonschema:"labels, may be empty"`
	To       address            `json:"to" jsonschema:"where to send it"`
	Others   []address          `json:"others,omitempty"`
	Note     *string            `json:"note,omitempty"`
	Prices   map[string]float64 `json:"prices,omitempty"`
	When     time.Time          `json:"when,omitzero"`
	Internal string             `json:"-"`
	//lint:ignore U1000 it must not become a field of the schema
	hidden string
}

func noop[In any](context.Context, In) (string, error) { return "", nil }

func TestInputSchema(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, want string
		tool       *quarry.Tool
	}{
		{
			"no fields", `{"type": "object", "additionalProperties": false}`,
			quarry.NewTool(quarry.ToolSpec{Name: "t"}, noop[struct{}]),
		},
		{
			"all kinds of fields", `{
				"type": "object",
				"required": ["item", "count", "tags", "to"],
				"additionalProperties": false,
				"properties": {
					"item": {"type": "string", "description": "what to order"},
					"count": {"type": "integer", "description": "how many, 1 to 10"},
					"weight": {"type": "number"},
					"express": {"type": "boolean"},
					"tags": {"type": "array", "description": "labels, may be empty", "items": {"type": "string"}},
					"to": {
						"type": "object", "description": "where to send it",
						"required": ["street"], "additionalProperties": false,
						"properties": {
							"street": {"type": "string", "description": "street and number"},
							"lines": {"type": "array", "items": {"type": "string"}}
						}
					},
					"others": {"type": "array", "items": {
						"type": "object",
						"required": ["street"], "additionalProperties": false,
						"properties": {
							"street": {"type": "string", "description": "street and number"},
							"lines": {"type": "array", "items": {"type": "string"}}
						}
					}},
					"note": {"type": ["null", "string"]},
					"prices": {"type": "object", "additionalProperties": {"type": "number"}},
					"when": {"type": "string"}
				}
			}`,
			quarry.NewTool(quarry.ToolSpec{Name: "t"}, noop[orderIn]),
		},
		{
			"an override", `{"type": "object", "properties": {"city": {"type": "string", "enum": ["Rome"]}}}`,
			quarry.NewTool(quarry.ToolSpec{
				Name:        "t",
				InputSchema: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string","enum":["Rome"]}}}`),
			}, noop[map[string]string]),
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(parseJSON(t, test.want), parseJSON(t, string(test.tool.InputSchema()))); diff != "" {
				t.Errorf("wrong schema (-want +got):\n%s\n%s", diff, test.tool.InputSchema())
			}
		})
	}
}

// The provider's cache of the tools needs the same bytes every time.
func TestInputSchemaIsStable(t *testing.T) {
	t.Parallel()
	first := quarry.NewTool(quarry.ToolSpec{Name: "t"}, noop[orderIn]).InputSchema()
	for range 20 {
		again := quarry.NewTool(quarry.ToolSpec{Name: "t"}, noop[orderIn]).InputSchema()
		if string(again) != string(first) {
			t.Fatalf("two schemas of one type:\n%s\n%s", first, again)
		}
	}
	at := -1
	for _, field := range []string{"item", "count", "weight", "express", "tags", "to", "others", "note", "prices", "when"} {
		next := strings.Index(string(first), `"`+field+`":`)
		if next < at {
			t.Errorf("%q is not in the order of the type:\n%s", field, first)
		}
		at = next
	}
}

func parseJSON(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

func TestToolSpecDefaults(t *testing.T) {
	t.Parallel()
	got := quarry.NewTool(quarry.ToolSpec{Name: "t"}, noop[struct{}]).Spec()
	want := quarry.ToolSpec{Name: "t", Effect: quarry.Exclusive, MaxResultBytes: 32 << 10, MaxTries: 3, Timeout: 2 * time.Minute}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("wrong defaults (-want +got):\n%s", diff)
	}
}

type recursive struct {
	Child *recursive `json:"child,omitempty"`
}

func TestNewReportsBadTools(t *testing.T) {
	t.Parallel()
	spec := func(edit func(*quarry.ToolSpec)) quarry.ToolSpec {
		s := quarry.ToolSpec{Name: "lookup"}
		edit(&s)
		return s
	}
	tests := []struct {
		name, want string
		tool       *quarry.Tool
	}{
		{"nil", "tool 1 is nil", nil},
		{"no function", `tool "lookup": it has no function`, quarry.NewTool[struct{}, string](quarry.ToolSpec{Name: "lookup"}, nil)},
		{"no name", `tool "": the name "" must have 1 to 64 characters`, quarry.NewTool(quarry.ToolSpec{}, noop[struct{}])},
		{"a long name", "must have 1 to 64 characters", quarry.NewTool(quarry.ToolSpec{Name: strings.Repeat("a", 65)}, noop[struct{}])},
		{"a name with a space", `must be of letters, digits, '_' and '-'`, quarry.NewTool(quarry.ToolSpec{Name: "look up"}, noop[struct{}])},
		{"a name with a dot", `must be of letters, digits, '_' and '-'`, quarry.NewTool(quarry.ToolSpec{Name: "look.up"}, noop[struct{}])},
		{"a name beyond ASCII", `must be of letters, digits, '_' and '-'`, quarry.NewTool(quarry.ToolSpec{Name: "größe"}, noop[struct{}])},
		{"a name twice", `there are two tools named "first"`, quarry.NewTool(quarry.ToolSpec{Name: "first"}, noop[struct{}])},
		{"an input that is no struct", "its input type string is not a struct", quarry.NewTool(quarry.ToolSpec{Name: "lookup"}, noop[string])},
		{"an input that is a pointer", "is not a struct", quarry.NewTool(quarry.ToolSpec{Name: "lookup"}, noop[*address])},
		{"an input that is no object", `must have "type": "object"`, quarry.NewTool(quarry.ToolSpec{Name: "lookup"}, noop[time.Time])},
		{"an input with a channel", "derive a schema from its input type", quarry.NewTool(quarry.ToolSpec{Name: "lookup"}, noop[struct{ C chan int }])},
		{"an input within itself", "derive a schema from its input type", quarry.NewTool(quarry.ToolSpec{Name: "lookup"}, noop[recursive])},
		{"an override that is no JSON", "its InputSchema is not a JSON Schema", quarry.NewTool(spec(func(s *quarry.ToolSpec) { s.InputSchema = json.RawMessage(`{`) }), noop[struct{}])},
		{"an override that is no object", `must have "type": "object"`, quarry.NewTool(spec(func(s *quarry.ToolSpec) { s.InputSchema = json.RawMessage(`{"type":"string"}`) }), noop[string])},
		{"an override with a broken reference", "its input schema", quarry.NewTool(spec(func(s *quarry.ToolSpec) {
			s.InputSchema = json.RawMessage(`{"type":"object","properties":{"a":{"$ref":"#/$defs/none"}}}`)
		}), noop[map[string]any])},
		{"an unknown effect", `its effect "destructive" is not known`, quarry.NewTool(spec(func(s *quarry.ToolSpec) { s.Effect = "destructive" }), noop[struct{}])},
		{"keyed without a key", "a keyed tool needs a KeyField", quarry.NewTool(spec(func(s *quarry.ToolSpec) { s.Effect = quarry.Keyed }), noop[struct{}])},
		{"keyed by no field", `its KeyField "path" is not a field of its input`, quarry.NewTool(spec(func(s *quarry.ToolSpec) { s.Effect, s.KeyField = quarry.Keyed, "path" }), noop[address])},
		{"a negative timeout", "a limit is negative", quarry.NewTool(spec(func(s *quarry.ToolSpec) { s.Timeout = -1 }), noop[struct{}])},
		{"a negative size", "a limit is negative", quarry.NewTool(spec(func(s *quarry.ToolSpec) { s.MaxResultBytes = -1 }), noop[struct{}])},
		{"negative tries", "a limit is negative", quarry.NewTool(spec(func(s *quarry.ToolSpec) { s.MaxTries = -1 }), noop[struct{}])},
	}
	first := quarry.NewTool(quarry.ToolSpec{Name: "first"}, noop[struct{}])
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := quarry.New(quarry.Config{Name: "clerk", Model: modeltest.NewScripted(), Tools: []*quarry.Tool{first, test.tool}})
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), `agent "clerk": `) {
				t.Errorf("got %v; want an error of the agent with %q", err, test.want)
			}
		})
	}
	ok := quarry.NewTool(quarry.ToolSpec{Name: "A-z_09" + strings.Repeat("x", 58)}, noop[struct{}])
	if _, err := quarry.New(quarry.Config{Model: modeltest.NewScripted(), Tools: []*quarry.Tool{ok}}); err != nil {
		t.Errorf("a name of 64 characters: %v", err)
	}
	// A bad tool can be looked at without a panic.
	bad := quarry.NewTool[struct{}, string](quarry.ToolSpec{Name: "bad"}, nil)
	if bad.InputSchema() != nil || bad.Spec().Name != "bad" {
		t.Errorf("a bad tool has the schema %s and the name %q", bad.InputSchema(), bad.Spec().Name)
	}
}

func TestNewReportsBadConfig(t *testing.T) {
	t.Parallel()
	m := modeltest.NewScripted()
	tests := []struct {
		name, want string
		cfg        quarry.Config
	}{
		{"no model", `agent "agent": it has no model`, quarry.Config{}},
		{"no model, with a name", `agent "clerk": it has no model`, quarry.Config{Name: "clerk"}},
		{"negative tokens of a response", "MaxTokens is -1", quarry.Config{Model: m, MaxTokens: -1}},
		{"negative turns", "the limit of turns is negative", quarry.Config{Model: m, Limits: quarry.Limits{Turns: -2}}},
		{"negative tokens", "the limit of tokens is negative", quarry.Config{Model: m, Limits: quarry.Limits{Tokens: -2}}},
		{"a negative timeout", "a limit is negative", quarry.Config{Model: m, Limits: quarry.Limits{Timeout: -1}}},
		{"negative money", "the limit of usd is negative", quarry.Config{Model: m, Limits: quarry.Limits{USD: -0.5}}},
		{"money without prices", "there are no prices; set Config.Prices, or Limits.Tokens", quarry.Config{Model: m, Limits: quarry.Limits{USD: 0.5}}},
		{"a compaction that grows", "0 < To <= At <= 1", quarry.Config{Model: m, Compaction: quarry.Compaction{At: 0.5, To: 0.6}}},
		{"negative parallel tools", "a limit is negative", quarry.Config{Model: m, Limits: quarry.Limits{ParallelTools: -1}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if _, err := quarry.New(test.cfg); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v; want an error with %q", err, test.want)
			}
		})
	}
}

func TestNewFillsDefaultsAndCopies(t *testing.T) {
	t.Parallel()
	tools := []*quarry.Tool{
		quarry.NewTool(quarry.ToolSpec{Name: "b"}, noop[struct{}]),
		quarry.NewTool(quarry.ToolSpec{Name: "a"}, noop[struct{}]),
	}
	agent, err := quarry.New(quarry.Config{Model: modeltest.NewScripted(), Limits: quarry.Limits{Turns: 3}, Tools: tools})
	if err != nil {
		t.Fatal(err)
	}
	cfg := agent.Config()
	want := quarry.DefaultLimits
	want.Turns, want.USD = 3, quarry.Unlimited // there are no prices
	if cfg.Limits != want || cfg.Name != "agent" || cfg.MaxTokens != 8192 || cfg.Store == nil || agent.Name() != "agent" {
		t.Errorf("wrong defaults: %+v", cfg)
	}
	if tools[0].Spec().Name != "b" {
		t.Error("New sorted its caller's slice")
	}
	if cfg.Tools[0].Spec().Name != "a" {
		t.Error("the tools are not sorted by name")
	}
}
