package quarry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/quarry-sdk/quarry/model"
)

// AgentToolName is the name of the tool by which a model sends the agents of
// Config.Agents. A call of the name "Task" is one of it, unless there is a tool of
// that name.
const AgentToolName = "Agent"

// taskAlias is the other name of the tool.
const taskAlias = "Task"

// AgentDefinition describes an agent that a model may send with a part of its
// task. Such an agent sees its own instructions and the prompt that it is given,
// and nothing of the conversation that sends it; what comes back is its last words,
// or its typed result. It works on a child session; see [NewAgentTool] for journals,
// budgets and crashes. Name and Description are required.
type AgentDefinition struct {
	// Background lets the caller go on while the agent works, where the call does not
	// say otherwise; the result then comes as a message of its own.
	Background bool
	// DeniedTools are rules as in Permissions.Deny. A tool whose bare name they have
	// is left out.
	DeniedTools []string
	// Description tells the model when to send the agent and when not to.
	Description string
	// Hooks are called at their points of its runs, beside those of the caller.
	Hooks []Hook
	// Instructions are its system prompt.
	Instructions string
	// Limits bound each of its prompts, within its share of the caller's. Defaults
	// to DefaultLimits, field by field.
	Limits Limits
	// Mode is its permission mode. Defaults to the caller's, which holds anyway where
	// that is ModePlan or ModeDontAsk; ModeBypass is the caller's too.
	Mode Mode
	// Model is what it thinks with. Defaults to the caller's.
	Model model.Model
	// Name is what the model calls it.
	Name string
	// Output asks for a typed result.
	Output *Output
	// ServerTools are the provider's own tools that it has. Defaults, where it is nil,
	// to those of the caller that Tools names, if both use the same provider.
	ServerTools []model.ServerTool
	// Tools are the tools of the caller that it has: names, or patterns as in rules,
	// such as "mcp__github" or "read_*". Defaults to all but the tool Agent, questions
	// to the person, and tools that end the run. An agent that lists "Agent" may send
	// agents itself.
	Tools []string
}

// agentIn is the input of the tool Agent.
type agentIn struct {
	Agent      string `json:"agent"`
	Prompt     string `json:"prompt"`
	Continue   string `json:"continue,omitempty"`
	Background *bool  `json:"background,omitempty"`
}

// roster is the agents that a tool sends, by their names.
type roster struct {
	defs   []AgentDefinition
	agents map[string]*Agent
}

// errand is what the arguments ask of which agent.
func (r *roster) errand(input []byte) (errand, error) {
	var in agentIn
	if err := json.Unmarshal(input, &in); err != nil {
		return errand{}, misfit(err)
	}
	e := errand{agent: r.agents[in.Agent], in: Input{Prompt: in.Prompt}, continues: in.Continue}
	if e.agent == nil {
		return e, fmt.Errorf("there is no agent named %q; the agents are: %s", clip(in.Agent, 80), strings.Join(r.names(), ", "))
	}
	for i := range r.defs {
		if r.defs[i].Name == in.Agent {
			e.background = r.defs[i].Background
		}
	}
	if in.Background != nil {
		e.background = *in.Background
	}
	if e.in.blank() {
		return e, errors.New("the prompt is empty")
	}
	return e, e.in.check()
}

func (r *roster) names() (names []string) {
	for i := range r.defs {
		names = append(names, r.defs[i].Name)
	}
	return names
}

// agentTool makes the tool Agent. The agents in it are made afterwards, since they
// may have the tool themselves; a rule that denies an agent by its name takes it
// out of the model's sight.
func (r *roster) agentTool(p *policy) (*Tool, error) {
	var list strings.Builder
	var names []string
	for i := range r.defs {
		d := &r.defs[i]
		if d.Name == "" || strings.TrimSpace(d.Description) == "" {
			return nil, fmt.Errorf("agent definition %d (%q) needs a name and a description", i, d.Name)
		}
		if slices.Contains(names, d.Name) {
			return nil, fmt.Errorf("there are two agent definitions named %q", d.Name)
		}
		if p == nil || !p.deniesAgent(d.Name) {
			names = append(names, d.Name)
			fmt.Fprintf(&list, "\n- %s: %s", d.Name, strings.TrimSpace(d.Description))
		}
	}
	enum, err := json.Marshal(names)
	if err != nil {
		return nil, err
	}
	t := NewTool(ToolSpec{
		Name: AgentToolName, Effect: ReadOnly,
		Description: `Sends an agent with a part of the task and returns what it comes to. The agent sees nothing of this conversation: the prompt must tell it everything. Send several in one response for parts that do not depend on each other; they work at the same time. The agents:` + list.String(),
		InputSchema: fmt.Appendf(nil, `{"type":"object","properties":{`+
			`"agent":{"type":"string","enum":%s,"description":"which agent to send"},`+
			`"prompt":{"type":"string","description":"what it is to do and to return, with everything that it needs to know"},`+
			`"continue":{"type":"string","description":"the handle that an earlier result of this agent came with, to ask it more; it still knows what it did"},`+
			`"background":{"type":"boolean","description":"true to go on without waiting; the result then comes in a later message"}},`+
			`"required":["agent","prompt"],"additionalProperties":false}`, enum),
	}, func(context.Context, agentIn) (string, error) {
		return "", errSession
	})
	t.errand, t.handles = r.errand, true
	return t, t.err
}

// deniesAgent tells whether a rule denies an agent whatever it is asked.
func (p *policy) deniesAgent(name string) bool {
	return slices.ContainsFunc(p.deny, func(r rule) bool { return r.aboutAgents() && (r.spec == "" || r.spec == name) })
}

// initAgents makes the agents of the definitions and the tool that sends them.
func (a *Agent) initAgents() error {
	cfg := &a.cfg
	if len(cfg.Agents) == 0 {
		return nil
	}
	cfg.Agents = slices.Clone(cfg.Agents)
	r := &roster{defs: cfg.Agents, agents: make(map[string]*Agent, len(cfg.Agents))}
	tool, err := r.agentTool(a.policy)
	if err != nil {
		return err
	}
	all := append(slices.Clone(cfg.Tools), tool)
	for i := range r.defs {
		d := &r.defs[i]
		made, err := d.agent(a, all)
		if err != nil {
			return fmt.Errorf("agent definition %q: %w", d.Name, err)
		}
		r.agents[d.Name] = made
		tool.agents = append(tool.agents, made)
	}
	cfg.Tools = all
	return nil
}

// agent makes the agent of a definition, with its part of the caller's tools.
func (d *AgentDefinition) agent(caller *Agent, all []*Tool) (*Agent, error) {
	from := &caller.cfg
	own := Config{
		Compaction: from.Compaction, Effort: from.Effort, Fallbacks: from.Fallbacks, Hooks: d.Hooks, Instructions: d.Instructions, Limits: d.Limits,
		MaxTokens: from.MaxTokens, Model: d.Model, Name: d.Name, Output: d.Output, Prices: from.Prices, Retry: from.Retry,
		ServerTools: d.ServerTools, Temperature: from.Temperature, Thinking: from.Thinking,
	}
	if own.Model == nil {
		own.Model = from.Model
	} else { // what was said of another model
		own.Compaction.Window, own.Effort, own.Thinking, own.Temperature, own.MaxTokens = 0, "", nil, nil, 0
	}
	names, err := d.choose(&own, caller, all)
	if err != nil {
		return nil, err
	}
	own.Permissions = d.permissions(caller, names)
	return New(own)
}

// choose gives an agent its tools; taken are the names that DeniedTools took away.
func (d *AgentDefinition) choose(own *Config, caller *Agent, all []*Tool) (taken []string, err error) {
	rules := func(texts []string) (rules []rule, err error) {
		for _, text := range texts {
			r, err := parseRule(text)
			if err != nil {
				return nil, fmt.Errorf("%q: %w", text, err)
			}
			rules = append(rules, r)
		}
		return rules, nil
	}
	wanted, err := rules(d.Tools)
	if err != nil {
		return nil, err
	}
	denied, err := rules(d.DeniedTools)
	if err != nil {
		return nil, err
	}
	used := make([]bool, len(wanted))
	chosen := func(name string, byDefault bool) bool {
		for i := range denied {
			if denied[i].spec == "" && denied[i].namesTool(name) {
				taken = append(taken, d.DeniedTools[i])
				byDefault = false
			}
		}
		if d.Tools == nil {
			return byDefault
		}
		found := false
		for i := range wanted {
			if wanted[i].namesTool(name) {
				used[i], found = true, true
			}
		}
		return found && !slices.ContainsFunc(denied, func(r rule) bool { return r.spec == "" && r.namesTool(name) })
	}
	for _, t := range all {
		if t == nil || t.err != nil {
			continue // New says so of the caller
		}
		if chosen(t.spec.Name, !t.handles && !t.question && !t.spec.EndsRun) {
			own.Tools = append(own.Tools, t)
		}
	}
	same := providerOf(own.Model) == providerOf(caller.cfg.Model)
	for _, t := range caller.cfg.ServerTools {
		if chosen(t.Name, true) && same && d.ServerTools == nil {
			own.ServerTools = append(own.ServerTools, t)
		}
	}
	for _, t := range d.ServerTools {
		chosen(t.Name, true)
	}
	for i, ok := range used {
		if !ok {
			return nil, fmt.Errorf("the caller has no tool %q for it; there are %s", d.Tools[i], strings.Join(caller.toolNames(all), ", "))
		}
	}
	return taken, nil
}

// toolNames are the names of the tools, the provider's included.
func (a *Agent) toolNames(all []*Tool) (names []string) {
	for _, t := range all {
		names = append(names, t.spec.Name)
	}
	for _, t := range a.cfg.ServerTools {
		names = append(names, t.Name)
	}
	slices.Sort(names)
	return names
}

// permissions are the agent's own; nil where the definition sets none.
func (d *AgentDefinition) permissions(caller *Agent, taken []string) *Permissions {
	p := &Permissions{Mode: d.Mode}
	for _, text := range d.DeniedTools {
		if !slices.Contains(taken, text) {
			p.Deny = append(p.Deny, text)
		}
	}
	switch {
	case p.Mode == "" && p.Deny == nil:
		return nil
	case p.Mode != "":
	case caller.policy != nil:
		p.Mode = caller.policy.mode
	default:
		p.Mode = ModeBypass
	}
	return p
}
