package quarry

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// rule is one rule of Permissions.
type rule struct {
	text, tool, spec string
}

// parseRule reads a rule.
func parseRule(text string) (rule, error) {
	r := rule{text: text}
	name, rest, has := strings.Cut(text, "(")
	r.tool = name
	if name == "" {
		return r, errors.New("it names no tool")
	}
	for _, c := range []byte(name) {
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && c != '_' && c != '-' && c != '*' {
			return r, errors.New("a tool's name is of letters, digits, '_' and '-', with '*' for any of them")
		}
	}
	if !has {
		return r, nil
	}
	spec, ok := strings.CutSuffix(rest, ")")
	if !ok {
		return r, errors.New("its specifier has no closing parenthesis at the end")
	}
	if r.spec = strings.TrimSpace(spec); r.spec == "" {
		return r, errors.New("its specifier is empty; leave out the parentheses to mean every call")
	}
	if r.spec == "*" {
		r.spec = ""
	}
	if strings.ContainsRune(r.spec, 0) {
		return r, errors.New("its specifier has a zero byte")
	}
	return r, nil
}

// glob tells whether the tool's name has wild cards.
func (r *rule) glob() bool { return strings.Contains(r.tool, "*") }

// mayAllow tells why a rule must not allow anything.
func (r *rule) mayAllow() error {
	if !r.glob() {
		return nil
	}
	rest, ok := strings.CutPrefix(r.tool, "mcp__")
	server, _, more := strings.Cut(rest, "__")
	if !ok || !more || server == "" || strings.Contains(server, "*") {
		return errors.New("a rule that allows names its tool, or an MCP server as in mcp__server__*; to allow everything use the mode bypass")
	}
	return nil
}

// aboutAgents tells whether the rule is about the agents that a tool sends.
func (r *rule) aboutAgents() bool { return r.tool == AgentToolName || r.tool == taskAlias }

// namesTool tells whether the rule is about a tool of this name.
func (r *rule) namesTool(name string) bool {
	if r.tool == name || r.tool == taskAlias && name == AgentToolName || r.glob() && wild(r.tool, name, false) {
		return true
	}
	// mcp__server is all tools of the server.
	return strings.HasPrefix(r.tool, "mcp__") && strings.Count(r.tool, "__") == 1 && strings.HasPrefix(name, r.tool+"__")
}

// fits tells whether the rule is about this call.
func (r *rule) fits(c *policyCall, strict bool) bool {
	if c.tool != nil && c.tool.errand != nil && r.aboutAgents() {
		if r.spec == "" {
			return true
		}
		e, err := c.tool.errand(c.input)
		if e.agent == nil {
			return strict && err != nil // nobody knows whom it would send
		}
		return r.spec == e.agent.cfg.Name || strict && fitsParameterOf(r.spec, c.input)
	}
	if !r.namesTool(c.name) {
		return false
	}
	if r.spec == "" {
		return true
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(c.input, &fields) != nil {
		return strict // nobody knows what it would do
	}
	if c.tool != nil {
		scope := c.tool.spec.Scope
		value, isText := textOf(fields[scope.Field])
		switch scope.Kind {
		case ScopePath:
			if isText && fitsPath(r.spec, value, strict) {
				return true
			}
		case ScopeURL:
			if isText && fitsURL(r.spec, value, strict) {
				return true
			}
		case ScopeCommand:
			if isText && fitsCommand(r.spec, commandOf(value, fields["args"]), fields["args"] == nil, strict) {
				return true
			}
		case ScopeName:
			if isText && value == r.spec {
				return true
			}
		}
	}
	return strict && fitsParameter(r.spec, fields)
}

// fitsParameterOf is fitsParameter for the arguments of a call.
func fitsParameterOf(spec string, input json.RawMessage) bool {
	var fields map[string]json.RawMessage
	return json.Unmarshal(input, &fields) == nil && fitsParameter(spec, fields)
}

// fitsParameter tells whether a specifier PARAMETER:VALUE is what the call says.
// A parameter that was left out never fits.
func fitsParameter(spec string, fields map[string]json.RawMessage) bool {
	name, want, ok := strings.Cut(spec, ":")
	raw, has := fields[name]
	if !ok || !has {
		return false
	}
	if text, isText := textOf(raw); isText {
		return text == want
	}
	got := strings.TrimSpace(string(raw))
	if got == want {
		return true
	}
	a, errA := strconv.ParseFloat(got, 64)
	b, errB := strconv.ParseFloat(want, 64)
	return errA == nil && errB == nil && a == b
}

func textOf(raw json.RawMessage) (string, bool) {
	var text string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
		return "", false
	}
	return text, true
}

// commandOf is a program with its arguments as one line, each argument quoted
// where a shell would want it.
func commandOf(program string, args json.RawMessage) string {
	var list []string
	if len(args) == 0 || json.Unmarshal(args, &list) != nil {
		return program
	}
	line := program
	for _, arg := range list {
		if arg == "" || strings.ContainsAny(arg, " \t\n'\"\\$`&|;<>()") {
			arg = fmt.Sprintf("%q", arg)
		}
		line += " " + arg
	}
	return line
}

// wild tells whether a pattern with '*' fits all of s; fold ignores case.
func wild(pattern, s string, fold bool) bool {
	if fold {
		pattern, s = strings.ToLower(pattern), strings.ToLower(s)
	}
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == s
	}
	if !strings.HasPrefix(s, parts[0]) {
		return false
	}
	s = s[len(parts[0]):]
	last := parts[len(parts)-1]
	for _, part := range parts[1 : len(parts)-1] {
		at := strings.Index(s, part)
		if at < 0 {
			return false
		}
		s = s[at+len(part):]
	}
	return len(s) >= len(last) && strings.HasSuffix(s, last)
}
