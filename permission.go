package quarry

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/quarry-sdk/quarry/session"
)

// Mode says what happens to calls that no rule decides.
type Mode string

// The modes.
const (
	// ModeDefault asks for every call that no rule allows. It is the default.
	ModeDefault Mode = "default"
	// ModeAcceptEdits allows tools that edit files of the workspace.
	ModeAcceptEdits Mode = "acceptEdits"
	// ModePlan asks for everything that does more than read, whatever is allowed.
	ModePlan Mode = "plan"
	// ModeDontAsk denies what would be asked for: for runs without a person.
	ModeDontAsk Mode = "dontAsk"
	// ModeBypass allows everything that no rule denies or asks for.
	ModeBypass Mode = "bypass"
)

// Permissions say which calls may run. Each call takes the same way, and the
// first stage that decides is the last:
//
//  1. hooks: one that denies ends it; one that allows goes on to 2 and 3 only
//  2. rules that deny
//  3. rules that ask, hooks that ask, tools that always need an approval
//  4. the mode
//  5. rules that allow
//  6. a person is asked; where there is none, the call is denied
//
// A rule is a tool's name, or a name with a specifier: "read_file",
// "write_file(drafts/**)", "web_fetch(domain:*.example.org)",
// "run_command(git status:*)", "mcp__github", "mcp__github__get_issue",
// "Agent(reader)", "transfer(account:savings)". What specifier a tool takes is
// declared by ToolSpec.Scope; PARAMETER:VALUE is for any tool, to deny and to ask.
type Permissions struct {
	// Allow are rules for calls that run without asking.
	Allow []string `json:"allow,omitempty"`
	// Ask are rules for calls that a person is asked about in every mode.
	Ask []string `json:"ask,omitempty"`
	// Deny are rules for calls that never run. A rule of a bare name also takes the
	// tool out of the model's sight, the provider's own tools too: they run where no
	// other rule is asked.
	Deny []string `json:"deny,omitempty"`
	// Mode defaults to ModeDefault.
	Mode Mode `json:"mode,omitempty"`
}

// Behavior is what becomes of a call.
type Behavior string

// The behaviors, from the most restrictive on.
const (
	Deny  Behavior = "deny"
	Defer Behavior = "defer"
	Ask   Behavior = "ask"
	Allow Behavior = "allow"
)

// restrictions orders the behaviors.
var restrictions = []Behavior{Deny, Defer, Ask, Allow, ""}

// Decision is what becomes of a call, and why; see [session.Decision].
type Decision = session.Decision

// policy is Permissions, checked and ready.
type policy struct {
	mode             Mode
	deny, ask, allow []rule
}

// newPolicy checks permissions.
func newPolicy(p *Permissions) (*policy, error) {
	c := &policy{mode: p.Mode}
	switch c.mode {
	case "":
		c.mode = ModeDefault
	case ModeDefault, ModeAcceptEdits, ModePlan, ModeDontAsk, ModeBypass:
	default:
		return nil, fmt.Errorf("there is no permission mode %q; use default, acceptEdits, plan, dontAsk or bypass", p.Mode)
	}
	for _, list := range []struct {
		name  string
		texts []string
		rules *[]rule
	}{{"Deny", p.Deny, &c.deny}, {"Ask", p.Ask, &c.ask}, {"Allow", p.Allow, &c.allow}} {
		for _, text := range list.texts {
			r, err := parseRule(text)
			if err == nil && list.name == "Allow" {
				err = r.mayAllow()
			}
			if err != nil {
				return nil, fmt.Errorf("the rule %q of Permissions.%s: %w", text, list.name, err)
			}
			*list.rules = append(*list.rules, r)
		}
	}
	return c, nil
}

// policyCall is a call as the rules see it.
type policyCall struct {
	tool  *Tool
	name  string
	input json.RawMessage
	// hook is what the hooks said, with their reason.
	hook       Behavior
	hookReason string
	// extra are rules that a person gave in this session.
	extra []rule
	// person tells that there is somebody to ask.
	person bool
}

// decide is the way of a call through the stages. It is pure.
func (p *policy) decide(c *policyCall) Decision {
	var d Decision
	pass := func(stage, said string) { d.Trace = append(d.Trace, stage+": "+said) }
	end := func(b Behavior, stage, rule, reason string) Decision {
		d.Behavior, d.Stage, d.Rule, d.Reason = string(b), stage, rule, reason
		said := string(b)
		if rule != "" {
			said += " by " + rule
		}
		pass(stage, said)
		return d
	}
	switch c.hook {
	case Deny, Defer:
		return end(c.hook, "hook", "", c.hookReason)
	case "":
		pass("hook", "nothing")
	default:
		pass("hook", string(c.hook))
	}
	if r := find(p.deny, c, true); r != nil {
		return end(Deny, "deny", r.text, fmt.Sprintf("the rule %s denies it", r.text))
	}
	pass("deny", "no rule")
	asked, why := "", ""
	if r := find(p.ask, c, true); r != nil {
		asked, why = r.text, fmt.Sprintf("the rule %s asks for an approval", r.text)
	} else if c.tool != nil && (c.tool.spec.NeedsApproval || c.tool.question) {
		asked, why = c.name, "the tool always needs an approval"
	} else if c.hook == Ask {
		asked, why = "hook", c.hookReason
	}
	if asked != "" {
		return p.askPerson(&d, c, "ask", asked, why)
	}
	pass("ask", "no rule")
	if c.hook == Allow {
		return end(Allow, "hook", "", c.hookReason)
	}
	readOnly := c.tool != nil && c.tool.spec.Effect == ReadOnly && c.tool.errand == nil
	switch {
	case p.mode == ModeBypass:
		return end(Allow, "mode", string(p.mode), "the mode allows what no rule denies")
	case p.mode == ModeAcceptEdits && c.tool != nil && c.tool.spec.Edits:
		return end(Allow, "mode", string(p.mode), "the mode allows edits in the workspace")
	case p.mode == ModePlan && !readOnly:
		return p.askPerson(&d, c, "mode", string(p.mode), "the mode allows nothing but reading without an approval")
	}
	pass("mode", string(p.mode))
	if r := allowing(p.allow, c.extra, c); r != nil {
		return end(Allow, "allow", r.text, fmt.Sprintf("the rule %s allows it", r.text))
	}
	pass("allow", "no rule")
	return p.askPerson(&d, c, "person", "", "no rule allows it")
}

// askPerson asks, or denies where nobody is there to be asked.
func (p *policy) askPerson(d *Decision, c *policyCall, stage, rule, why string) Decision {
	d.Behavior, d.Stage, d.Rule, d.Reason = string(Ask), stage, rule, why
	said := "ask"
	if rule != "" {
		said += " by " + rule
	}
	d.Trace = append(d.Trace, stage+": "+said)
	switch {
	case p.mode == ModeDontAsk:
		d.Behavior, d.Reason = string(Deny), why+", and the mode dontAsk denies what would be asked for"
		d.Trace = append(d.Trace, "person: deny by dontAsk")
	case !c.person:
		d.Behavior, d.Reason = string(Deny), why+", and there is nobody to ask"
		d.Trace = append(d.Trace, "person: deny, there is nobody")
	}
	return *d
}

// find returns the first rule that fits a call. Strict is for rules that deny or
// ask: in doubt they fit; those that allow do not.
func find(rules []rule, c *policyCall, strict bool) *rule {
	for i := range rules {
		if rules[i].fits(c, strict) {
			return &rules[i]
		}
	}
	return nil
}

// allowing returns a rule that allows the call: one of the permissions, or one that
// a person gave in this session. Of a shell's line, each part needs a rule; the
// first one is returned.
func allowing(rules, extra []rule, c *policyCall) *rule {
	rules = append(rules[:len(rules):len(rules)], extra...)
	first := find(rules, c, false)
	if first != nil || c.tool == nil || c.tool.spec.Scope.Kind != ScopeCommand {
		return first
	}
	field := c.tool.spec.Scope.Field
	var fields map[string]json.RawMessage
	if json.Unmarshal(c.input, &fields) != nil || fields["args"] != nil {
		return nil
	}
	line, _ := textOf(fields[field])
	parts, plain := splitCommand(line)
	if !plain {
		return nil
	}
	for _, part := range parts {
		input, err := json.Marshal(map[string]string{field: part})
		if err != nil {
			return nil
		}
		r := find(rules, &policyCall{tool: c.tool, name: c.name, input: input}, false)
		if r == nil {
			return nil
		}
		if first == nil {
			first = r
		}
	}
	return first
}

// hidden tells whether a rule takes the tool out of the model's sight.
func (p *policy) hidden(name string) bool {
	if p == nil {
		return false
	}
	for i := range p.deny {
		if r := &p.deny[i]; r.spec == "" && r.namesTool(name) {
			return true
		}
	}
	return false
}

// check finds rules for tools that do not take their specifier.
func (p *policy) check(tools map[string]*Tool) error {
	for i := range p.allow {
		r := &p.allow[i]
		if r.spec == "" || r.glob() {
			continue
		}
		if t := tools[r.tool]; t != nil && t.spec.Scope.Kind == "" && t.errand == nil {
			return fmt.Errorf("the rule %s: the tool %s declares no scope, so that a rule that allows it takes no specifier", r.text, r.tool)
		}
	}
	return nil
}

// UnusedRules are the rules of Config.Permissions that are about no tool that the
// agent has, by a slip of the pen or since the tool is not there: those that deny
// or ask protect nothing then. Rules about tools of MCP servers are left out, since
// those may come later.
func (a *Agent) UnusedRules() (unused []string) {
	if a.policy == nil {
		return nil
	}
	for _, rules := range [][]rule{a.policy.deny, a.policy.ask, a.policy.allow} {
		for i := range rules {
			if r := &rules[i]; !a.uses(r) && !slices.Contains(unused, r.text) {
				unused = append(unused, r.text)
			}
		}
	}
	return unused
}

// uses tells whether a rule is about a tool of the agent, or of those that it runs.
func (a *Agent) uses(r *rule) bool {
	if strings.HasPrefix(r.tool, "mcp_") || r.aboutAgents() {
		return true
	}
	been := make(map[*Agent]bool)
	var has func(*Agent) bool
	has = func(a *Agent) bool {
		if been[a] {
			return false
		}
		been[a] = true
		for name, t := range a.tools {
			if r.namesTool(name) || slices.ContainsFunc(t.runs(), has) {
				return true
			}
		}
		return slices.ContainsFunc(a.offered, r.namesTool)
	}
	return has(a)
}

// Scope says what the specifier of a rule means for a tool, and in which field of
// its input that is.
type Scope struct {
	Kind  ScopeKind
	Field string
}

// ScopeKind is a kind of specifier.
type ScopeKind string

// The kinds of specifiers.
const (
	// ScopePath: the field is a path in the workspace, the specifier a pattern as
	// in a .gitignore file.
	ScopePath ScopeKind = "path"
	// ScopeURL: the field is a URL, the specifier "domain:HOST", where HOST may
	// begin with "*.".
	ScopeURL ScopeKind = "url"
	// ScopeCommand: the field is a command, or a program whose arguments are in the
	// field "args"; the specifier is its beginning followed by ":*", or a pattern
	// with "*".
	ScopeCommand ScopeKind = "command"
	// ScopeName: the field is a name, which the specifier is.
	ScopeName ScopeKind = "name"
)

// checkScope tells what is wrong with a tool's scope.
func (t *Tool) checkScope() error {
	s := t.spec.Scope
	switch s.Kind {
	case "":
		if s.Field != "" {
			return errors.New("its Scope has a field and no kind")
		}
		return nil
	case ScopePath, ScopeURL, ScopeCommand, ScopeName:
	default:
		return fmt.Errorf("its scope %q is not known: use ScopePath, ScopeURL, ScopeCommand or ScopeName", s.Kind)
	}
	if !t.schema.has(s.Field) {
		return fmt.Errorf("its scope's field %q is not a field of its input", s.Field)
	}
	return nil
}

// inherit adds the rules of a parent. The mode is the child's own, but for a parent
// that plans or does not ask, and for a child that would bypass.
func (p *policy) inherit(parent *policy) *policy {
	if parent == nil {
		return p
	}
	if p == nil {
		return parent
	}
	both := &policy{mode: p.mode}
	if parent.mode == ModePlan || parent.mode == ModeDontAsk || p.mode == ModeBypass {
		both.mode = parent.mode
	}
	both.deny = append(slices.Clone(parent.deny), p.deny...)
	both.ask = append(slices.Clone(parent.ask), p.ask...)
	both.allow = append(slices.Clone(parent.allow), p.allow...)
	return both
}

// noPolicy is what holds where there are no permissions: what the agent was given
// may run, but for tools that always need an approval.
var noPolicy = &policy{mode: ModeBypass}
