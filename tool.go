package quarry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/quarry-sdk/quarry/model"
)

// Effect declares what a tool does to the world. It decides which calls of one
// response run at the same time, and what happens to a call that a crash cut off.
type Effect string

// The effects.
const (
	// Exclusive tools run alone: after every call before them, and before every
	// call after them. It is the default.
	Exclusive Effect = "exclusive"
	// Keyed tools run beside others, but one after the other where their
	// KeyField has the same value, such as two writes to one path.
	Keyed Effect = "keyed"
	// ReadOnly tools change nothing. They run beside anything but Exclusive
	// ones, and are simply run again after a crash.
	ReadOnly Effect = "read_only"
)

// The defaults of a ToolSpec.
const (
	// DefaultToolTimeout is how long one call may take.
	DefaultToolTimeout = 2 * time.Minute
	// DefaultMaxResultBytes is how much of a result a model is shown.
	DefaultMaxResultBytes = 32 << 10
)

// ToolSpec describes a tool: to the model by name, description and schema, and
// to the loop by its effect and limits.
type ToolSpec struct {
	// Counts says what a call counts as in Limits, beside a tool call: a search or
	// a fetch. Defaults to neither.
	Counts Count
	// Current returns the hash that something has now which the tool read before:
	// one of the sources it named by Call.Read. It is asked when a session goes on,
	// so that the model is told of what has changed; "" means that it is gone.
	Current func(ctx context.Context, name string) (hash string, err error)
	// Description tells the model what the tool does, when to use it and when
	// not to.
	Description string
	// Effect declares what the tool does to the world. Defaults to Exclusive.
	Effect Effect
	// Edits tells that the tool does nothing but edit files of the workspace; the
	// mode acceptEdits allows it.
	Edits bool
	// EndsRun makes a successful call the end of the run: its output becomes
	// Result.Output. An agent with such a tool has not finished before it calls it.
	EndsRun bool
	// Idempotent declares that running the same call twice, with the same
	// idempotency key, does no more than running it once.
	Idempotent bool
	// InputSchema replaces the JSON Schema that is derived from the input type:
	// for limits that a Go type can't say. It must describe an object.
	InputSchema json.RawMessage
	// Keep keeps the tool's results from being dropped when the conversation is
	// made shorter: for those that carry evidence.
	Keep bool
	// KeyField names the field of the input by which a Keyed tool's calls are
	// told apart.
	KeyField string
	// MaxResultBytes bounds how much of a result the model is shown; the rest is
	// kept in the journal. Defaults to DefaultMaxResultBytes.
	MaxResultBytes int
	// MaxTries ends the run as Halted when an EndsRun tool has refused this many
	// calls. Defaults to 3.
	MaxTries int
	// Name is what the model calls: 1 to 64 letters, digits, '_' and '-'.
	Name string
	// NeedsApproval makes every call ask a person first, in every mode.
	NeedsApproval bool
	// Provider holds further fields of a provider's own definition of the tool, a JSON
	// object for each provider's name, such as
	// {"anthropic": {"defer_loading": true}}. Others are not sent them.
	Provider map[string]json.RawMessage
	// Reconcile is asked after a crash whether a call that was started took effect;
	// it finds out by the call's Key, or by its arguments. Where it did, output is
	// what the tool would have returned; where not, the tool is run. An error leaves
	// the outcome unknown. Without Reconcile, a lost call of a tool that may not be
	// repeated is unknown.
	Reconcile func(ctx context.Context, input json.RawMessage) (output any, happened bool, err error)
	// Runs are the agents that the function may run with its context. Their sessions
	// are then children of the one that calls the tool: they are bound by its hooks
	// and permissions, and together by a share of its budget, and what waits for a
	// person in them parks the whole tree. A repeated call finds the runs again that it
	// made with the same prompts; so the tool must be ReadOnly or Idempotent, or have a
	// Reconcile.
	Runs []*Agent
	// Scope says what the specifier of a rule of Permissions means for the tool.
	// Defaults to none.
	Scope Scope
	// Strict asks the provider to enforce the schema while it samples.
	Strict bool
	// TellUnknown asks to tell a person of a call whose outcome is unknown, and not
	// the model alone: for tools that pay, send or delete.
	TellUnknown bool
	// Timeout bounds one call. Defaults to DefaultToolTimeout, and to that of
	// DefaultLimits for a tool that runs agents.
	Timeout time.Duration
}

// Tool is something that a model may call. Make one with NewTool. It is
// immutable and may be used by any number of agents.
type Tool struct {
	spec   ToolSpec
	schema *toolSchema
	// run decodes a valid input, runs the handler and renders what it returns.
	run func(ctx context.Context, input []byte) (rendered, error)
	// errand turns the input into what an agent is asked to do on a child session;
	// nil where run serves the calls. agents are those that it may be.
	errand func(input []byte) (errand, error)
	agents []*Agent
	// handles tells that its results come with the handle of their session.
	handles bool
	// question tells that a person answers the calls.
	question bool
	err      error
}

// Texter is implemented by outputs that a model should read as text rather than
// as JSON. The JSON is journaled beside it.
type Texter interface {
	// ToolText is what the model reads.
	ToolText() string
}

// ErrOutcomeUnknown is wrapped by errors of tools that do not know whether the call
// took effect, as where a server was lost in the middle of it.
var ErrOutcomeUnknown = errors.New("nobody knows whether the call took effect")

// Contenter is implemented by outputs that a model should read as blocks, such as
// pictures beside texts, rather than as JSON; the JSON is journaled beside them. An
// error may implement it too, for a failed call of which more is known than a
// message: its blocks are then the error result's, texts only, and its JSON is
// journaled.
type Contenter interface {
	// ToolContent is what the model reads.
	ToolContent() model.Blocks
}

// NewTool makes a tool of a Go function. The JSON Schema of the input is derived
// from In, which must be a struct: fields without "omitempty" are required, a
// `jsonschema:"…"` tag is the field's description, other fields are refused. Each
// call is validated before fn runs; a bad one is answered with an error that
// names the field and the mend.
//
// What fn returns is shown to the model: a string as it is, model.Blocks as they
// are, a [Contenter] by its blocks, a [Texter] by its text, anything else as JSON.
// An error becomes an error result with its message, and a panic likewise; neither
// ends the run.
//
// fn may be called from many goroutines, must return soon after its context
// ends, and finds out about its call with [CallFrom]. A spec that is wrong is
// reported by [New].
func NewTool[In, Out any](spec ToolSpec, fn func(ctx context.Context, in In) (Out, error)) *Tool {
	t := &Tool{spec: spec}
	t.spec.Runs = slices.Clone(spec.Runs)
	t.fill()
	if fn == nil {
		t.err = errors.New("it has no function")
		return t
	}
	t.schema, t.err = newToolSchema(reflect.TypeFor[In](), spec.InputSchema)
	if t.err == nil {
		t.err = t.check()
	}
	t.run = func(ctx context.Context, input []byte) (rendered, error) {
		var in In
		if err := json.Unmarshal(input, &in); err != nil {
			return rendered{}, misfit(err)
		}
		out, err := fn(ctx, in)
		if err != nil {
			return rendered{}, err
		}
		return render(out, t.spec.EndsRun)
	}
	return t
}

func (t *Tool) fill() {
	s := &t.spec
	if s.Effect == "" {
		s.Effect = Exclusive
	}
	if s.MaxResultBytes == 0 {
		s.MaxResultBytes = DefaultMaxResultBytes
	}
	if s.MaxTries == 0 {
		s.MaxTries = 3
	}
	if s.Timeout == 0 && len(s.Runs) > 0 {
		s.Timeout = DefaultLimits.Timeout
	}
	if s.Timeout == 0 {
		s.Timeout = DefaultToolTimeout
	}
}

func (t *Tool) check() error {
	s := &t.spec
	if err := checkToolName(s.Name); err != nil {
		return err
	}
	switch s.Effect {
	case Exclusive, ReadOnly:
	case Keyed:
		if s.KeyField == "" {
			return errors.New("a keyed tool needs a KeyField: the input field that names what it works on")
		}
		if !t.schema.has(s.KeyField) {
			return fmt.Errorf("its KeyField %q is not a field of its input", s.KeyField)
		}
	default:
		return fmt.Errorf("its effect %q is not known: use Exclusive, Keyed or ReadOnly", s.Effect)
	}
	if err := t.checkScope(); err != nil {
		return err
	}
	if slices.Contains(s.Runs, nil) {
		return errors.New("one of the agents that it runs is nil")
	}
	for i, a := range s.Runs {
		if slices.ContainsFunc(s.Runs[:i], func(b *Agent) bool { return a.cfg.Name == b.cfg.Name }) {
			return fmt.Errorf("two of the agents that it runs are named %q; set Config.Name, by which their sessions are told apart", a.cfg.Name)
		}
	}
	if len(s.Runs) > 0 && !t.repeatable() {
		return errors.New("it runs agents, so that a crash must not lose what they do: make it ReadOnly or Idempotent, or give it a Reconcile")
	}
	switch s.Counts {
	case "", CountSearch, CountFetch:
	default:
		return fmt.Errorf("it counts as %q, which is not known: use CountSearch or CountFetch", s.Counts)
	}
	if s.MaxResultBytes < 0 || s.MaxTries < 0 || s.Timeout < 0 {
		return errors.New("a limit is negative")
	}
	return nil
}

func checkToolName(name string) error {
	if name == "" || len(name) > 64 {
		return fmt.Errorf("the name %q must have 1 to 64 characters", name)
	}
	for _, c := range []byte(name) {
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && c != '_' && c != '-' {
			return fmt.Errorf("the name %q must be of letters, digits, '_' and '-'", name)
		}
	}
	return nil
}

// Spec returns the tool's description, defaults filled in.
func (t *Tool) Spec() ToolSpec { return t.spec }

// InputSchema returns the JSON Schema that calls are checked against.
func (t *Tool) InputSchema() json.RawMessage {
	if t.schema == nil {
		return nil
	}
	return t.schema.json
}

func (t *Tool) def() model.ToolDef {
	return model.ToolDef{Name: t.spec.Name, Description: t.spec.Description, InputSchema: t.schema.json, Strict: t.spec.Strict, Provider: t.spec.Provider}
}

// runs are the agents that calls of the tool may run.
func (t *Tool) runs() []*Agent { return append(t.agents[:len(t.agents):len(t.agents)], t.spec.Runs...) }

// repeatable tells whether a call that was cut off may simply be run again.
func (t *Tool) repeatable() bool {
	return t.spec.Effect == ReadOnly || t.spec.Idempotent || t.spec.Reconcile != nil
}

// key returns the value that keyed calls are serialised by. It is the same for
// all ways in which JSON can write one value.
func (t *Tool) key(input json.RawMessage) string {
	if t.spec.Effect != Keyed {
		return ""
	}
	var fields map[string]any
	if json.Unmarshal(input, &fields) != nil || fields[t.spec.KeyField] == nil {
		return ""
	}
	key, err := json.Marshal(fields[t.spec.KeyField])
	if err != nil {
		return ""
	}
	return string(key)
}

// toolSchema is a tool's schema in the forms that are needed.
type toolSchema struct {
	json     json.RawMessage
	schema   *jsonschema.Schema
	resolved *jsonschema.Resolved
}

func newToolSchema(in reflect.Type, override json.RawMessage) (*toolSchema, error) {
	schema := &jsonschema.Schema{}
	if override != nil {
		if err := json.Unmarshal(override, schema); err != nil {
			return nil, fmt.Errorf("its InputSchema is not a JSON Schema: %w", err)
		}
	} else {
		if in.Kind() != reflect.Struct {
			return nil, fmt.Errorf("its input type %s is not a struct", in)
		}
		var err error
		if schema, err = jsonschema.ForType(in, &jsonschema.ForOptions{}); err != nil {
			return nil, fmt.Errorf("derive a schema from its input type %s: %w", in, err)
		}
		plainArrays(schema)
	}
	if schema.Type != "object" {
		return nil, errors.New(`its input schema must have "type": "object"`)
	}
	resolved, err := schema.Resolve(&jsonschema.ResolveOptions{})
	if err != nil {
		return nil, fmt.Errorf("its input schema: %w", err)
	}
	data, err := json.Marshal(schema)
	if err != nil {
		return nil, fmt.Errorf("its input schema: %w", err)
	}
	return &toolSchema{json: data, schema: schema, resolved: resolved}, nil
}

// plainArrays turns the "null or array" that a Go slice becomes into "array":
// models are told one way to write an empty list.
func plainArrays(s *jsonschema.Schema) {
	if len(s.Types) == 2 && s.Types[0] == "null" && s.Types[1] == "array" {
		s.Type, s.Types = "array", nil
	}
	for _, p := range s.Properties {
		plainArrays(p)
	}
	if s.Items != nil {
		plainArrays(s.Items)
	}
	if s.AdditionalProperties != nil {
		plainArrays(s.AdditionalProperties)
	}
}

func (s *toolSchema) has(field string) bool {
	_, ok := s.schema.Properties[field]
	return ok
}
