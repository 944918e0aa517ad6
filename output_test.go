package quarry

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
)

type cityOut struct {
	Name   string   `json:"name"`
	People int      `json:"people"`
	Rivers []string `json:"rivers,omitempty"`
}

// enforcing is a scripted model whose provider enforces schemas.
type enforcing struct{ *modeltest.Scripted }

func (enforcing) EnforcesOutput() bool { return true }

// Only the form of a result is repaired, never its content.
func TestRepairs(t *testing.T) {
	t.Parallel()
	const whole = `{"name":"Rome","people":3}`
	object, list := OutputFor[cityOut](), OutputFor[[]cityOut]()
	for _, o := range []*Output{object, list} {
		if err := o.compile(modeltest.NewScripted()); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name, text, want string
		repairs          []string
		err              string
		out              *Output
	}{
		{"as it is", whole, whole, nil, "", object},
		{"white space and a mark", "\ufeff \n" + whole + "\n", whole, nil, "", object},
		{"a fence", "Here:\n```json\n" + whole + "\n```\nDone.", whole, []string{"fence taken off"}, "", object},
		{"a fence that is not closed", "```\n" + whole, whole, []string{"fence taken off"}, "", object},
		{"prose around it", "The city is " + whole + ", as you asked {sic}.", whole, []string{"taken out of other text"}, "", object},
		{"thinking before it", "<think>{\"name\":1}</think>" + whole, whole, []string{"thinking left out"}, "", object},
		{"a comma too many", `{"name":"Rome","people":3,}`, whole, []string{"quotes, commas and names mended"}, "", object},
		{"single quotes", `{'name':'Rome','people':3}`, whole, []string{"quotes, commas and names mended"}, "", object},
		{"an apostrophe in double quotes", `{"name":"L'Aquila","people":3,}`, `{"name":"L'Aquila","people":3}`, []string{"quotes, commas and names mended"}, "", object},
		{"a quote in single quotes", `{'name':'the "Eternal" city','people':3}`, `{"name":"the \"Eternal\" city","people":3}`, []string{"quotes, commas and names mended"}, "", object},
		{"a wrapper", `{"result":` + whole + `}`, whole, []string{`taken out of "result"`}, "", object},
		{"a string", `"{\"name\":\"Rome\",\"people\":3}"`, whole, []string{"taken out of a string"}, "", object},
		{"a field in a string", `{"name":"Rome","people":3,"rivers":"[\"Tiber\"]"}`, `{"name":"Rome","people":3,"rivers":["Tiber"]}`, []string{"fields taken out of strings"}, "", object},
		{"cut off in a list", `{"name":"Rome","people":3,"rivers":["Tiber","Ani`, `{"name":"Rome","people":3,"rivers":["Tiber"]}`, []string{"closed where it was cut off"}, "", object},
		{"cut off in a field", `{"name":"Rome","people":3,"riv`, whole, []string{"closed where it was cut off"}, "", object},
		{"cut off before what is required", `{"name":"Rome","peo`, "", nil, `"people" is missing`, object},
		{"a bare object for a list", whole, "[" + whole + "]", []string{"made a list"}, "", list},
		{"a list", "[" + whole + "]", "[" + whole + "]", nil, "", list},
		{"a list that was cut off", "[" + whole + `,{"name":"Os`, "[" + whole + "]", []string{"closed where it was cut off"}, "", list},
		{"no JSON", "Rome is a city.", "", nil, "it has no JSON", object},
		{"a wrong type", `{"name":"Rome","people":"3"}`, "", nil, `"people" must be`, object},
		{"a field too many", `{"name":"Rome","people":3,"mayor":"x"}`, "", nil, "mayor", object},
		{"nothing", "", "", nil, "it has no JSON", object},
		{"two results", whole + whole, whole, []string{"taken out of other text"}, "", object},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			value, repairs, err := test.out.take(test.text, false)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("got %s, %v; want an error with %q", value, err, test.err)
				}
				return
			}
			if err != nil || string(value) != test.want {
				t.Fatalf("got %s, %v", value, err)
			}
			if diff := cmp.Diff(test.repairs, repairs); diff != "" {
				t.Errorf("other repairs (-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzOutput looks for texts that make the reader fail, and for values that do not
// fit the schema.
func FuzzOutput(f *testing.F) {
	for _, seed := range []string{`{"name":"Rome","people":3}`, "```json\n{'a':1,}\n```", `{"a":{"b":[1,{"c":"`, "[[[[", `"\"`, "<think>{</think>}"} {
		f.Add(seed)
	}
	o := OutputFor[cityOut]()
	if err := o.compile(modeltest.NewScripted()); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		value, _, err := o.take(text, false)
		var out cityOut
		if err == nil && json.Unmarshal(value, &out) != nil {
			t.Errorf("%q becomes %s", text, value)
		}
	})
}

// A result comes by the tool, by text, or by the provider's schema; it is asked for
// again with the exact error, and at last given up with all attempts.
func TestRunTyped(t *testing.T) {
	t.Parallel()
	good, bad := map[string]any{"name": "Rome", "people": 3}, map[string]any{"name": "Rome"}
	tests := []struct {
		name   string
		native bool
		turns  []*modeltest.Turn
		err    string
		trail  int
		asked  string // what the last request ends with
	}{
		{"by the tool", false, []*modeltest.Turn{modeltest.Call("final_answer", good)}, "", 0, ""},
		{"by text", false, []*modeltest.Turn{modeltest.Say("Well: {\"name\":\"Rome\",\"people\":3}")}, "", 0, ""},
		{"by the schema", true, []*modeltest.Turn{modeltest.Say(`{"name":"Rome","people":3}`)}, "", 0, ""},
		{"after an error of the tool", false, []*modeltest.Turn{modeltest.Call("final_answer", bad), modeltest.Call("final_answer", good)}, "", 1, `"people" is missing (integer); add it`},
		{"after prose", false, []*modeltest.Turn{modeltest.Say("Rome."), modeltest.Call("final_answer", good)}, "", 1,
			"[Quarry: your answer is not the result that is asked for: it has no JSON. Call final_answer with the whole result.]"},
		{"after an error by the schema", true, []*modeltest.Turn{modeltest.Say(`{"name":"Rome"}`), modeltest.Say(`{"name":"Rome","people":3}`)}, "", 1,
			`[Quarry: your answer is not the result that is asked for: "people" is missing (integer); add it. Answer again with the whole result as JSON and nothing else.]`},
		{"never", false, []*modeltest.Turn{modeltest.Say("Rome."), modeltest.Call("final_answer", bad), modeltest.Say("Rome!")},
			"the run came to no typed result (invalid_output, output): the model gave no valid result in 3 attempts, the last because: it has no JSON", 3, ""},
		{"refused", false, []*modeltest.Turn{new(modeltest.Turn).Refuse(`{"type":"refusal"}`)}, "the run came to no typed result (refused, refusal)", 0, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			scripted := modeltest.NewScripted(test.turns...)
			var m model.Model = scripted
			if test.native {
				m = enforcing{scripted}
			}
			agent, err := New(Config{Model: m})
			if err != nil {
				t.Fatal(err)
			}
			city, result, err := RunTyped[cityOut](t.Context(), agent, Input{Prompt: "Which city?"})
			if test.err != "" {
				var oe *OutputError
				if !errors.As(err, &oe) || !strings.HasPrefix(err.Error(), test.err) || len(result.Trail) != test.trail {
					t.Fatalf("got %+v, %v", result, err)
				}
				if test.trail > 0 && (string(result.Draft) != `"Rome!"` || result.Trail[1].Text != `{"name":"Rome"}`) {
					t.Errorf("the last attempt is %s, and the trail %+v", result.Draft, result.Trail)
				}
				return
			}
			if err != nil || city.Name != "Rome" || city.People != 3 || len(result.Trail) != test.trail {
				t.Fatalf("got %+v, %+v, %v", city, result, err)
			}
			requests := scripted.Requests()
			if has := requests[0].OutputSchema != nil; has != test.native || (requests[0].Tools == nil) != test.native {
				t.Errorf("the request has the schema %s and the tools %+v", requests[0].OutputSchema, requests[0].Tools)
			}
			if test.asked != "" {
				messages := requests[len(requests)-1].Messages
				last := messages[len(messages)-1]
				said := last.Blocks.Text()
				if r, ok := last.Blocks[0].(*model.ToolResult); ok {
					said = r.Content.Text()
				}
				if said != test.asked {
					t.Errorf("the model is asked %q, want %q", said, test.asked)
				}
			}
		})
	}
}

// Results that are no objects are wrapped for the tool, and schemas are checked.
func TestOutputOfOtherTypes(t *testing.T) {
	t.Parallel()
	agent, err := New(Config{Model: modeltest.NewScripted(modeltest.Call("final_answer", map[string]any{"value": []string{"a", "b"}}))})
	if err != nil {
		t.Fatal(err)
	}
	if list, _, err := RunTyped[[]string](t.Context(), agent, Input{Prompt: "Which?"}); err != nil || !cmp.Equal(list, []string{"a", "b"}) {
		t.Errorf("got %v, %v", list, err)
	}
	for schema, want := range map[string]string{`{"type":`: "is no JSON Schema", `{"type":"object","properties":{"a":{"$ref":"#/nowhere"}}}`: "is no JSON Schema", `"chan"`: "is no JSON Schema"} {
		if _, err := New(Config{Model: modeltest.NewScripted(), Output: &Output{Schema: json.RawMessage(schema)}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", schema, err)
		}
	}
	taken := NewTool(ToolSpec{Name: "final_answer"}, func(context.Context, struct{}) (string, error) { return "", nil })
	if _, err := New(Config{Model: modeltest.NewScripted(), Output: OutputFor[cityOut](), Tools: []*Tool{taken}}); err == nil || !strings.Contains(err.Error(), "set Output.Name") {
		t.Errorf("got %v", err)
	}
}

// An agent with an output works with its tools first, and goes on after a crash.
func TestOutputAfterTools(t *testing.T) {
	t.Parallel()
	store := session.NewMemory()
	ran := 0
	look := NewTool(ToolSpec{Name: "look", Effect: ReadOnly}, func(context.Context, struct{}) (string, error) { ran++; return "Rome, 3", nil })
	config := Config{
		Model: modeltest.NewScripted(modeltest.Call("look", nil), modeltest.Call("final_answer", map[string]any{"name": "Rome", "people": 3})),
		Store: store, Output: OutputFor[cityOut](), Tools: []*Tool{look}, Permissions: &Permissions{Mode: ModeDontAsk, Allow: []string{"look"}},
	}
	for range 2 { // stopped at the first record after the tool, and resumed
		agent, err := New(config)
		if err != nil {
			t.Fatal(err)
		}
		in := Input{Session: "s"}
		if ran == 0 {
			in.Prompt = "Which city?"
		}
		var result *Result
		for ev, err := range agent.Stream(t.Context(), in) {
			if err != nil {
				t.Fatal(err)
			}
			if result = ev.Result; ev.Record != nil && ev.Record.Event.Kind() == session.KindToolAnswered && in.Prompt != "" {
				break
			}
		}
		if in.Prompt == "" && (!result.OK() || string(result.Output) != `{"name":"Rome","people":3}` || ran != 1) {
			t.Errorf("got %+v; the tool ran %d times", result, ran)
		}
	}
}
