package quarry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
)

// Output asks for a result that is JSON of a schema. Where the provider enforces
// that, it does; elsewhere the model hands its result in by a tool. What comes is
// repaired where only its form is wrong, and asked for again, with the exact error,
// where its content is. A run without a valid result ends as InvalidOutput, with
// the last attempt in Result.Draft and all of them in Result.Trail.
type Output struct {
	// Name is what the tool is called. Defaults to "final_answer".
	Name string
	// Retries is how often a result that does not fit is asked for again. Defaults
	// to 2; Unlimited is not possible.
	Retries int
	// Schema is the JSON Schema, of draft 7 or 2020-12, of any type.
	Schema json.RawMessage
	// Tool hands the result in by a tool even where the provider could enforce it.
	Tool bool

	schema   *jsonschema.Schema
	resolved *jsonschema.Resolved
	// wrapped tells that the tool takes an object with the result as its "value".
	wrapped bool
	// native tells that the provider enforces it.
	native bool
	tool   *Tool
}

// OutputFor returns an Output with the schema that is derived from T, as for the
// input of a tool; T may be of any type.
func OutputFor[T any]() *Output {
	o := &Output{}
	schema, err := jsonschema.ForType(reflect.TypeFor[T](), &jsonschema.ForOptions{})
	if err == nil {
		plainArrays(schema)
		o.Schema, err = json.Marshal(schema)
	}
	if err != nil {
		o.Schema = json.RawMessage(fmt.Sprintf("%q", err.Error())) // New reports it
	}
	return o
}

// outputTool is the default of Output.Name.
const outputTool = "final_answer"

// compile checks the output for a model.
func (o *Output) compile(m model.Model) error {
	orDefault(&o.Name, outputTool)
	orDefault(&o.Retries, 2)
	if o.Retries < 0 {
		return errors.New("Output.Retries is negative")
	}
	o.schema = &jsonschema.Schema{}
	err := json.Unmarshal(o.Schema, o.schema)
	if err == nil {
		o.resolved, err = o.schema.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	}
	if err != nil {
		return fmt.Errorf("Output.Schema is no JSON Schema: %w", err)
	}
	// What is no object, some providers do not enforce.
	enforcer, ok := m.(model.OutputEnforcer)
	if o.native = ok && enforcer.EnforcesOutput() && !o.Tool && o.schema.Type == "object"; o.native {
		return nil
	}
	o.wrapped = o.schema.Type != "object"
	input := o.Schema
	if o.wrapped {
		input = json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{"value":%s},"required":["value"],"additionalProperties":false}`, o.Schema))
	}
	// The tool takes any object, and says itself what is wrong.
	o.tool = NewTool(ToolSpec{
		Name: o.Name, Description: "Hands in your final result, once, when the work is done. It is the only way to finish.",
		Effect: ReadOnly, EndsRun: true, MaxTries: o.Retries + 1, InputSchema: input,
	}, func(context.Context, struct{}) (json.RawMessage, error) { return nil, nil })
	if o.tool.err != nil {
		return o.tool.err
	}
	open, err := newToolSchema(reflect.TypeFor[struct{}](), json.RawMessage(`{"type":"object"}`))
	if err != nil {
		return err
	}
	open.json = o.tool.schema.json
	o.tool.schema = open
	o.tool.run = func(_ context.Context, input []byte) (rendered, error) {
		value, _, err := o.take(string(input), o.wrapped)
		if err != nil {
			return rendered{}, err
		}
		return rendered{content: model.Blocks{&model.Text{Text: "The result was taken."}}, output: value}, nil
	}
	return nil
}

// validate checks a value; its errors say what to send instead.
func (o *Output) validate(value any) error {
	err := o.resolved.Validate(value)
	if err == nil {
		return nil
	}
	if problem := explain("", o.schema, value); problem != "" {
		return errors.New(problem)
	}
	return fmt.Errorf("it does not fit the schema: %w", err)
}

// fromText takes the result out of what the model has said.
func (l *loop) fromText(text string) {
	o := l.agent.output
	value, repairs, err := o.take(text, false)
	if err == nil {
		l.result.Output, l.result.Repairs = value, repairs
		l.succeed(session.ReasonCompleted)
		return
	}
	ask := note("your answer is not the result that is asked for: %v. Answer again with the whole result as JSON and nothing else.", err)
	if !o.native {
		ask = note("your answer is not the result that is asked for: %v. Call %s with the whole result.", err, o.Name)
	}
	if l.refusedOutput(text, err.Error()) {
		return
	}
	l.talk.say(model.UserText(ask))
	l.goOn()
}

// refusedOutput notes an attempt that does not fit, and tells whether it was the
// last one, which ends the prompt.
func (l *loop) refusedOutput(attempt, problem string) bool {
	o := l.agent.output
	l.refusals++
	l.result.Trail = append(l.result.Trail, session.Attempt{Text: clip(attempt, 4000), Problem: problem})
	if l.refusals <= o.Retries {
		return false
	}
	l.result.Draft, _ = json.Marshal(attempt)
	if json.Valid([]byte(attempt)) {
		l.result.Draft = json.RawMessage(attempt)
	}
	l.end(session.InvalidOutput, session.ReasonOutput, fmt.Sprintf("the model gave no valid result in %d attempts, the last because: %s", l.refusals, clip(problem, 500)))
	return true
}

// OutputError is returned by RunTyped where a run came to no typed result.
type OutputError struct{ Result *Result }

// Error says how the run ended.
func (e *OutputError) Error() string {
	text := fmt.Sprintf("the run came to no typed result (%s, %s)", e.Result.Subtype, e.Result.Reason)
	if e.Result.Detail != "" {
		text += ": " + e.Result.Detail
	}
	return text
}

// RunTyped runs an agent and returns its result as a T. An agent without
// Config.Output is run with OutputFor[T]. Where the run came to no typed result,
// the error is an *OutputError with what it did come to.
func RunTyped[T any](ctx context.Context, a *Agent, in Input) (value T, result *Result, err error) {
	if a.cfg.Output == nil {
		cfg := a.cfg
		cfg.Output = OutputFor[T]()
		origin := a
		if a, err = New(cfg); err != nil {
			return value, nil, err
		}
		a.origin = origin
	}
	if result, err = a.Run(ctx, in); err != nil {
		return value, result, err
	}
	if !result.OK() || result.Output == nil {
		return value, result, &OutputError{result}
	}
	if err := json.Unmarshal(result.Output, &value); err != nil {
		return value, result, fmt.Errorf("the agent's output does not fit the type: %w", err)
	}
	return value, result, nil
}

// outputSchema is what the provider is asked to enforce; nil for nothing.
func (a *Agent) outputSchema() json.RawMessage {
	if a.output == nil || !a.output.native {
		return nil
	}
	return a.output.Schema
}
