package quarry

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

type parcelIn struct {
	Item  string   `json:"item" jsonschema:"what to send"`
	Count int      `json:"count"`
	Tags  []string `json:"tags,omitempty"`
	To    struct {
		Street string `json:"street" jsonschema:"street and number"`
	} `json:"to"`
	Stops []struct {
		City string `json:"city"`
	} `json:"stops,omitempty"`
	Note   *string `json:"note,omitempty"`
	Weight float64 `json:"weight,omitempty"`
}

const limitedSchema = `{
	"type": "object",
	"properties": {
		"unit": {"enum": ["C", "F"]},
		"level": {"type": "integer", "minimum": 1, "maximum": 5},
		"word": {"type": "string", "minLength": 2, "maxLength": 4},
		"code": {"type": "string", "pattern": "^[A-Z]+$"},
		"list": {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 2},
		"either": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
		"any": {}
	}
}`

func TestValidate(t *testing.T) {
	t.Parallel()
	parcel := NewTool(ToolSpec{Name: "send"}, func(context.Context, parcelIn) (string, error) { return "", nil })
	limited := NewTool(ToolSpec{Name: "set", InputSchema: json.RawMessage(limitedSchema)}, func(context.Context, map[string]any) (string, error) { return "", nil })
	const ok = `"item":"tea","count":1,"to":{"street":"A 1"}`
	tests := []struct {
		name  string
		tool  *Tool
		input string
		want  string
	}{
		{"valid", parcel, `{` + ok + `}`, ""},
		{"valid with everything", parcel, `{` + ok + `,"tags":[],"stops":[{"city":"Rome"}],"note":null,"weight":1.5}`, ""},
		{"valid with surrounding space", parcel, " {" + ok + "}\n", ""},
		{"nothing", parcel, ``, "the arguments are not JSON: EOF; send one JSON object"},
		{"not JSON", parcel, `item=tea`, "the arguments are not JSON: invalid character 'i' looking for beginning of value; send one JSON object"},
		{"cut off", parcel, `{"item":"te`, "the arguments are not JSON: unexpected EOF; send one JSON object"},
		{"two objects", parcel, `{` + ok + `}{}`, "there is something behind the arguments' JSON object; send one JSON object and nothing else"},
		{"no object", parcel, `["tea"]`, `the input must be an object; it is an array ["tea"]`},
		{"null", parcel, `null`, `the input must be an object; it is null null`},
		{"a missing field", parcel, `{"count":1,"to":{"street":"A 1"}}`, `"item" is missing (string: what to send); add it`},
		{"a missing field without a description", parcel, `{"item":"tea","to":{"street":"A 1"}}`, `"count" is missing (integer); add it`},
		{"a missing field within another", parcel, `{"item":"tea","count":1,"to":{}}`, `"to.street" is missing (string: street and number); add it`},
		{"a field that is none", parcel, `{` + ok + `,"colour":"red"}`, `"colour" is not a field of this tool; remove it (the fields are item, count, tags, to, stops, note, weight)`},
		{"a field in other case", parcel, `{` + ok + `,"Note":"x"}`, `"Note" is not a field of this tool; remove it (the fields are item, count, tags, to, stops, note, weight)`},
		{"a wrong type", parcel, `{"item":7,"count":1,"to":{"street":"A 1"}}`, `"item" must be a string; it is an integer 7`},
		{"a number in quotes", parcel, `{"item":"tea","count":"1","to":{"street":"A 1"}}`, `"count" must be an integer; it is a string "1"`},
		{"a fraction", parcel, `{"item":"tea","count":1.5,"to":{"street":"A 1"}}`, `"count" must be an integer; it is a number 1.5`},
		{"null for a list", parcel, `{` + ok + `,"tags":null}`, `"tags" must be an array; it is null null`},
		{"a wrong element", parcel, `{` + ok + `,"tags":["a",true]}`, `"tags[1]" must be a string; it is a boolean true`},
		{"a wrong field of an element", parcel, `{` + ok + `,"stops":[{"city":"Rome"},{"city":{}}]}`, `"stops[1].city" must be a string; it is an object {}`},
		{"an object in quotes", parcel, `{"item":"tea","count":1,"to":"{\"street\":\"A 1\"}"}`, `"to" must be an object; it is a string "{\"street\":\"A 1\"}"`},
		{"a wrong pointer", parcel, `{` + ok + `,"note":1}`, `"note" must be null or a string; it is an integer 1`},

		{"limits kept", limited, `{"unit":"C","level":5,"word":"größ","code":"A","list":[1,2],"either":1,"any":{"a":[]}}`, ""},
		{"not in the enum", limited, `{"unit":"K"}`, `"unit" must be one of ["C","F"]; it is "K"`},
		{"below the minimum", limited, `{"level":0}`, `"level" is 0; it must be at least 1`},
		{"above the maximum", limited, `{"level":6}`, `"level" is 6; it must be at most 5`},
		{"too short", limited, `{"word":"ä"}`, `"word" has 1 characters; it needs at least 2`},
		{"too long", limited, `{"word":"größe"}`, `"word" has 5 characters; send at most 4`},
		{"an empty list", limited, `{"list":[]}`, `"list" has 0 elements; it needs at least 1`},
		{"a long list", limited, `{"list":[1,2,3]}`, `"list" has 3 elements; send at most 2`},
		{"a field that no rule knows", limited, `{"other":1}`, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := ""
			if err := test.tool.schema.validate([]byte(test.input)); err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("%s:\n got %s\nwant %s", test.input, got, test.want)
			}
		})
	}
	// What no sentence was written for is still refused, in the validator's words.
	for _, input := range []string{`{"code":"a1"}`, `{"either":true}`} {
		if err := limited.schema.validate([]byte(input)); err == nil {
			t.Errorf("%s is let through", input)
		}
	}
}

func TestArgumentsThatFitTheSchemaOnly(t *testing.T) {
	t.Parallel()
	type in struct {
		Small int8           `json:"small,omitempty"`
		List  []uint         `json:"list,omitempty"`
		Free  map[string]any `json:"free,omitempty"`
		When  time.Time      `json:"when,omitzero"`
	}
	tool := NewTool(ToolSpec{Name: "t", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, in) (string, error) { return "", nil })
	tests := []struct{ input, want string }{
		{`{"small":1.0}`, `"small" is the number 1.0; send a whole number that fits into int8, written without fraction and exponent`},
		{`{"small":300}`, `"small" is the number 300; send a whole number that fits into int8, written without fraction and exponent`},
		{`{"list":[1,-1]}`, `"list" is the number -1; send a whole number that fits into uint, written without fraction and exponent`},
		{`{"free":"x"}`, `"free" cannot be a string; send what the tool's description asks for`},
		{`{"when":"soon"}`, `the arguments do not fit: parsing time "soon" as "2006-01-02T15:04:05Z07:00": cannot parse "soon" as "2006"`},
		{`[]`, `the arguments do not fit: json: cannot unmarshal array into Go value of type quarry.in`},
	}
	for _, test := range tests {
		_, err := tool.run(t.Context(), []byte(test.input))
		if err == nil || err.Error() != test.want {
			t.Errorf("%s:\n got %v\nwant %s", test.input, err, test.want)
		}
	}
}

// FuzzValidate looks for arguments that make the validator panic, and for ones
// that it lets through and that then do not fit the type.
func FuzzValidate(f *testing.F) {
	for _, seed := range []string{`{}`, `{"item":"tea","count":1,"to":{"street":"A 1"}}`, `{"tags":[null]}`, `[]`, `{"item":"tea","count":1e20,"to":{"street":"A 1"}}`, `{"item":"tea","count":1.0,"to":{"street":"A 1"}}`, `{"count":1e400}`} {
		f.Add(seed)
	}
	tool := NewTool(ToolSpec{Name: "send"}, func(context.Context, parcelIn) (string, error) { return "", nil })
	f.Fuzz(func(t *testing.T, input string) {
		if err := tool.schema.validate([]byte(input)); err != nil {
			if err.Error() == "" {
				t.Error("an error without words")
			}
			return
		}
		// What fits the schema and not the type can only be a whole number: one
		// that Go does not read as an int.
		if _, err := tool.run(t.Context(), []byte(input)); err != nil && !strings.Contains(err.Error(), "send a whole number that fits into int") {
			t.Errorf("%s was let through and does not fit: %v", input, err)
		}
	})
}

func TestCompactJSON(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{`{"a":1}`: `{"a":1}`, "{ \"a\" :\n1 }": `{"a":1}`, `{"a": "b c"}`: `{"a":"b c"}`, `{ broken`: `{ broken`} {
		if got := string(compactJSON([]byte(in))); got != want {
			t.Errorf("compactJSON(%s) = %s, want %s", in, got, want)
		}
	}
}
