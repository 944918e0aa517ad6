package chat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/quarry-sdk/quarry/internal/rawjson"
	"github.com/quarry-sdk/quarry/model"
)

// body is the body of a request while it is written.
type body struct {
	buf    []byte
	extra  map[string]json.RawMessage
	quirks *Quirks
}

// key writes the name of a field, unless the request's Extra has that field.
func (b *body) key(name string) bool {
	if _, taken := b.extra[name]; taken {
		return false
	}
	b.name(name)
	return true
}

func (b *body) name(name string) {
	if len(b.buf) > 1 {
		b.buf = append(b.buf, ',')
	}
	b.buf = append(rawjson.AppendQuoted(b.buf, name), ':')
}

func (b *body) str(name, value string) {
	if b.key(name) {
		b.buf = rawjson.AppendQuoted(b.buf, value)
	}
}

// appendRequest appends the body of a request. The conversation comes last, so
// that a longer one has the shorter one's bytes as its prefix.
func (p *profile) appendRequest(dst []byte, req *model.Request, cfg *Config) ([]byte, error) {
	b := &body{buf: append(dst, '{'), extra: req.Extra, quirks: p.quirks}
	for _, step := range []func() error{
		func() error { return b.options(req, cfg) },
		func() error { return b.reasoning(req) },
		func() error { return b.tools(p, req) },
		func() error { return b.output(req) },
		b.rest,
		func() error { return b.messages(p, req) },
	} {
		if err := step(); err != nil {
			return b.buf, err
		}
	}
	return append(b.buf, '}'), nil
}

func (b *body) options(req *model.Request, cfg *Config) error {
	for name := range req.Extra {
		if name == "messages" || name == "stream" || name == "n" {
			return fmt.Errorf("the request's Extra cannot replace %s", name)
		}
	}
	b.str("model", cfg.Model)
	b.name("stream")
	b.buf = append(b.buf, "true"...)
	if !b.quirks.NoStreamOptions && b.key("stream_options") {
		b.buf = append(b.buf, `{"include_usage":true}`...)
	}
	if req.MaxTokens < 0 {
		return fmt.Errorf("max tokens is %d; it cannot be negative", req.MaxTokens)
	}
	limit := req.MaxTokens
	if limit == 0 {
		limit = cfg.MaxTokens
	}
	_, either := req.Extra["max_tokens"]
	if _, new := req.Extra["max_completion_tokens"]; limit > 0 && !either && !new {
		b.name(or(b.quirks.MaxTokensField, "max_tokens"))
		b.buf = strconv.AppendInt(b.buf, int64(limit), 10)
	}
	if t := req.Temperature; t != nil {
		if math.IsNaN(*t) || math.IsInf(*t, 0) {
			return errors.New("the temperature is not a number")
		}
		if b.key("temperature") {
			b.buf = strconv.AppendFloat(b.buf, *t, 'g', -1, 64)
		}
	}
	if len(req.StopSequences) > 0 && b.key("stop") {
		b.buf = append(b.buf, '[')
		for i, s := range req.StopSequences {
			if i > 0 {
				b.buf = append(b.buf, ',')
			}
			b.buf = rawjson.AppendQuoted(b.buf, s)
		}
		b.buf = append(b.buf, ']')
	}
	return nil
}

// reasoning writes the effort and the wish for visible thought.
func (b *body) reasoning(req *model.Request) error {
	t := req.Thinking
	if t != nil {
		switch t.Mode {
		case "adaptive", "disabled":
		case "enabled":
			if t.BudgetTokens <= 0 {
				return errors.New(`thinking mode "enabled" needs BudgetTokens`)
			}
		default:
			return fmt.Errorf("thinking mode %q is none of adaptive, enabled and disabled", t.Mode)
		}
	}
	effort := or(b.quirks.EffortField, "reasoning_effort")
	if req.Effort != "" && effort == "reasoning_effort" {
		b.str("reasoning_effort", req.Effort)
	}
	thinking := b.quirks.ThinkingField
	if t != nil && thinking == "thinking" && b.key("thinking") {
		mode := "enabled"
		if t.Mode == "disabled" {
			mode = t.Mode
		}
		b.buf = rawjson.AppendQuoted(append(b.buf, `{"type":`...), mode)
		b.buf = append(b.buf, '}')
	}
	obj := []byte{'{'}
	if req.Effort != "" && effort == "reasoning" {
		obj = appendField(obj, "effort", rawjson.AppendQuoted(nil, req.Effort))
	}
	if t != nil && thinking == "reasoning" {
		switch {
		case t.Mode == "enabled" && len(obj) == 1: // the effort and the bound exclude each other
			obj = appendField(obj, "max_tokens", strconv.AppendInt(nil, int64(t.BudgetTokens), 10))
		case len(obj) == 1:
			obj = appendField(obj, "enabled", strconv.AppendBool(nil, t.Mode != "disabled"))
		}
		if t.Display == "omitted" {
			obj = appendField(obj, "exclude", []byte("true"))
		}
	}
	if len(obj) > 1 && b.key("reasoning") {
		b.buf = append(append(b.buf, obj...), '}')
	}
	return nil
}

func (b *body) tools(p *profile, req *model.Request) error {
	if _, taken := b.extra["tools"]; taken || req.Tools.Empty() {
		return nil
	}
	enc, err := p.encodeTools(req.Tools)
	if err != nil {
		return err
	}
	b.name("tools")
	b.buf = append(b.buf, enc...)
	return b.toolChoice(&req.ToolChoice)
}

func (b *body) toolChoice(c *model.ToolChoice) error {
	choice := ""
	switch c.Mode {
	case "", "auto":
	case "any":
		choice = or(b.quirks.Required, "required")
	case "none":
		choice = "none"
	case "tool":
		if c.Name == "" {
			return errors.New(`tool choice "tool" needs a name`)
		}
	default:
		return fmt.Errorf("tool choice %q is none of auto, any, none and tool", c.Mode)
	}
	if c.Mode == "tool" && b.key("tool_choice") {
		b.buf = rawjson.AppendQuoted(append(b.buf, `{"type":"function","function":{"name":`...), c.Name)
		b.buf = append(b.buf, "}}"...)
	} else if choice != "" {
		b.str("tool_choice", choice)
	}
	if c.Single && c.Mode != "none" && !b.quirks.NoParallelField && b.key("parallel_tool_calls") {
		b.buf = append(b.buf, "false"...)
	}
	return nil
}

// output writes the schema of the answer. Strict is asked for where the schema
// is one that strictness is defined for.
func (b *body) output(req *model.Request) error {
	if req.OutputSchema == nil {
		return nil
	}
	if _, taken := b.extra["response_format"]; taken {
		return nil
	}
	if !b.quirks.OutputSchema {
		return errors.New("this server is not known to enforce a schema of the answer: set Quirks.OutputSchema if it does")
	}
	schema, err := schemaFor(req.OutputSchema, b.quirks.DropKeywords)
	if err != nil {
		return fmt.Errorf("the output schema: %w", err)
	}
	b.name("response_format")
	b.buf = append(b.buf, `{"type":"json_schema","json_schema":{"name":"answer","schema":`...)
	b.buf = append(b.buf, schema...)
	if isClosed(schema) {
		b.buf = append(b.buf, `,"strict":true`...)
	}
	b.buf = append(b.buf, "}}"...)
	return nil
}

// rest writes the fields of Extra, sorted, so that equal requests have equal
// bytes.
func (b *body) rest() error {
	names := make([]string, 0, len(b.extra))
	for name := range b.extra {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		b.name(name)
		var err error
		if b.buf, err = rawjson.Append(b.buf, b.extra[name]); err != nil {
			return fmt.Errorf("field %s of the request's Extra: %w", name, err)
		}
	}
	return nil
}

func (b *body) messages(p *profile, req *model.Request) error {
	if len(req.Messages) == 0 {
		return errors.New("the request has no messages")
	}
	b.name("messages")
	start := len(b.buf)
	if req.System != nil {
		enc, err := p.encodeSystem(req.System)
		if err != nil {
			return fmt.Errorf("encode system: %w", err)
		}
		b.buf = append(b.buf, enc...)
	}
	before := len(b.buf)
	messages, err := settled(req.Messages)
	if err != nil {
		return err
	}
	for i, m := range messages {
		enc, err := p.encodeMessage(m)
		if err != nil {
			return fmt.Errorf("encode message %d: %w", i, err)
		}
		b.buf = append(b.buf, enc...)
	}
	if len(b.buf) == before {
		return errors.New("no message of the request has content that can be sent")
	}
	b.buf[start] = '[' // each message has a comma before it
	b.buf = append(b.buf, ']')
	return nil
}

// schemaFor returns a schema without white space and without the keywords that
// the server refuses.
func schemaFor(schema json.RawMessage, drop []string) ([]byte, error) {
	schema = bytes.TrimSpace(schema)
	if !rawjson.IsObject(schema) || !json.Valid(schema) {
		return nil, errors.New("it is not a JSON object")
	}
	var buf bytes.Buffer
	if err := json.Compact(&buf, schema); err != nil {
		return nil, err
	}
	if len(drop) == 0 {
		return buf.Bytes(), nil
	}
	return without(buf.Bytes(), drop), nil
}
