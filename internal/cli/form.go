package cli

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/session"
)

// questionOf reads a question: of a model, or of a tool's function.
func questionOf(input json.RawMessage) (q quarry.Question, err error) {
	err = json.Unmarshal(input, &q)
	return q, err
}

// typedQuestion tells whether the answer is JSON.
func typedQuestion(p *session.ApprovalAsked) bool { return p.Question && answerSchema(p) != "" }

// answerSchema is the schema of the answer; empty where it is a text.
func answerSchema(p *session.ApprovalAsked) string {
	q, err := questionOf(p.Input)
	if err != nil || p.Inquiry == 0 {
		return ""
	}
	return string(q.Schema)
}

// field is something that a form asks for.
type field struct {
	Type        string   `json:"type"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Enum        []string `json:"enum"`

	name     string
	required bool
}

// fieldsOf are the fields of an object's schema: those that are required first, and
// then by their names.
func fieldsOf(schema json.RawMessage) (fields []field) {
	var s struct {
		Properties map[string]field
		Required   []string
	}
	if json.Unmarshal(schema, &s) != nil {
		return nil
	}
	for name, f := range s.Properties {
		f.name, f.required = name, slices.Contains(s.Required, name)
		fields = append(fields, f)
	}
	slices.SortFunc(fields, func(a, b field) int {
		if a.required != b.required {
			if a.required {
				return -1
			}
			return 1
		}
		return strings.Compare(a.name, b.name)
	})
	return fields
}

func fieldNames(schema json.RawMessage) (names []string) {
	for _, f := range fieldsOf(schema) {
		names = append(names, f.name)
	}
	return names
}

// form asks for the fields of a schema, one after the other.
func (p *person) form(ctx context.Context, schema json.RawMessage) (quarry.Answer, error) {
	for {
		p.say("Answer it (y), or not (n)? ")
		l, err := p.read(ctx)
		if err != nil {
			return quarry.Answer{}, err
		}
		switch strings.ToLower(l) {
		case "n", "no":
			return quarry.Answer{By: "terminal"}, nil
		case "y", "yes":
			answer := quarry.Answer{By: "terminal"}
			answer.Input, err = p.fields(ctx, schema)
			return answer, err
		}
	}
}

func (p *person) fields(ctx context.Context, schema json.RawMessage) (json.RawMessage, error) {
	values := make(map[string]any)
	for _, f := range fieldsOf(schema) {
		for {
			p.say("%s: ", line(f.label(), 500))
			l, err := p.read(ctx)
			if err != nil {
				return nil, err
			}
			if l == "" && !f.required {
				break
			}
			if v, problem := f.value(l); problem != "" {
				p.say("%s\n", problem)
			} else {
				values[f.name] = v
				break
			}
		}
	}
	return json.Marshal(values)
}

// label says what a field is and what it takes.
func (f *field) label() string {
	text := f.name
	if f.Title != "" {
		text = f.Title
	}
	if f.Description != "" {
		text += ", " + f.Description
	}
	switch {
	case len(f.Enum) > 0:
		text += " (" + strings.Join(f.Enum, ", ") + ")"
	case f.Type == "boolean":
		text += " (y or n)"
	case f.Type != "" && f.Type != "string":
		text += " (" + f.Type + ")"
	}
	if !f.required {
		text += ", empty for none"
	}
	return text
}

// value reads what was typed for a field.
func (f *field) value(typed string) (value any, problem string) {
	switch f.Type {
	case "boolean":
		switch strings.ToLower(typed) {
		case "y", "yes", "true":
			return true, ""
		case "n", "no", "false":
			return false, ""
		}
		return nil, "Say y or n."
	case "integer":
		n, err := strconv.ParseInt(typed, 10, 64)
		if err != nil {
			return nil, "That is no whole number."
		}
		return n, ""
	case "number":
		n, err := strconv.ParseFloat(typed, 64)
		if err != nil {
			return nil, "That is no number."
		}
		return n, ""
	case "string", "":
		if len(f.Enum) > 0 && !slices.Contains(f.Enum, typed) {
			return nil, "Say one of " + strings.Join(f.Enum, ", ") + "."
		}
		return typed, ""
	}
	if !json.Valid([]byte(typed)) {
		return nil, "That is no JSON."
	}
	return json.RawMessage(typed), ""
}
