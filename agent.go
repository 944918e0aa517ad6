package quarry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
)

// Config describes an agent. The zero value of every field but Model is a
// sensible default.
type Config struct {
	// Agents are those that the model may send with parts of its task, by the tool
	// Agent.
	Agents []AgentDefinition
	// Approver asks a person about calls, and waits for the answer. Without it, and
	// without Park, such calls are denied.
	Approver func(ctx context.Context, ask Approval) (Answer, error)
	// Blobs keep results that are over their tool's limit. Defaults to nil: they
	// are then kept in the journal.
	Blobs Blobs
	// Compaction says when and how a conversation is made shorter.
	Compaction Compaction
	// Dir is the folder in which the agent works, which hooks are told. Defaults to
	// none.
	Dir string
	// Effort is the model's effort level, as the provider names it.
	Effort string
	// Fallbacks take over, one after the other, for the rest of a turn in which
	// the model before is overloaded, has no rate left, or declines. Which one did is in the journal
	// and in Result.Fallbacks.
	Fallbacks []model.Model
	// Gate is shared by agents that use one key. Defaults to one of the agent's
	// own.
	Gate *Gate
	// Hooks are called at their points of every run, of children too.
	Hooks []Hook
	// Instructions are the system prompt.
	Instructions string
	// Limits bound each prompt. Defaults to DefaultLimits, field by field.
	Limits Limits
	// MaxTokens bounds one response of the model. Defaults to
	// model.DefaultMaxTokens.
	MaxTokens int
	// Model is what the agent thinks with. It is required.
	Model model.Model
	// Name is what the agent is called in journals and traces. Defaults to
	// "agent".
	Name string
	// Output asks for a result that is JSON of a schema. Defaults to nil: the result
	// is text.
	Output *Output
	// Park lets calls wait for a person where there is no Approver: the run then
	// ends with the subtype Waiting, and goes on when Agent.Answer has answered.
	Park bool
	// Permissions say which calls may run. Defaults to nil: all tools that the agent
	// was given may be called, but for those that need an approval. A child has its
	// parent's too.
	Permissions *Permissions
	// Prices tell what the model costs, for Limits.USD and Result.Spent. Defaults
	// to nil: costs are then unknown. A child without prices uses its parent's.
	Prices Prices
	// Retry says how model calls that failed are repeated. Defaults to
	// DefaultRetry, field by field.
	Retry Retry
	// ServerTools are the provider's own tools, such as web search.
	ServerTools []model.ServerTool
	// Store keeps the sessions. Defaults to a store in memory that lives as long
	// as the agent.
	Store session.Store
	// Temperature is the sampling temperature; nil leaves it to the provider.
	Temperature *float64
	// Thinking asks the model to reason; nil leaves it to the provider.
	Thinking *model.ThinkingOptions
	// Tools are what the model may call. The model sees them sorted by name.
	Tools []*Tool
}

// Agent is a model with instructions, tools and limits. It is immutable and may
// run any number of sessions at once.
type Agent struct {
	cfg     Config
	system  *model.Message
	tools   map[string]*Tool
	toolSet *model.ToolSet
	record  json.RawMessage
	engine  *session.Engine
	// expired is what the engine journals when a prompt's time is over.
	expired *session.Expired
	// output is Output, ready; nil where there is none.
	output *Output
	// policy is Permissions, ready; nil where there are none.
	policy *policy
	// baseTokens is the estimate of the instructions and the tool list.
	baseTokens int64
	// limits are those of what is counted.
	limits session.Amounts
	// usdSet tells that the limit of money was set, and is no default.
	usdSet bool
	// origin is the agent that this one is a copy of, with a typed result.
	origin *Agent
	// ownGate tells that the gate was made here; a child then shares its parent's.
	ownGate bool
	// running are the sessions that run, by their ids; each has its cancel function.
	running sync.Map
	// offered are the names of the provider's tools that it was given.
	offered []string
	// endsRun tells that there is a tool that ends the run; canRead that cut
	// results can be read on.
	endsRun, canRead bool
}

// New makes an agent. It copies and checks cfg and fills in its defaults.
func New(cfg Config) (*Agent, error) {
	a := &Agent{cfg: cfg}
	if err := a.init(); err != nil {
		name := cfg.Name
		if name == "" {
			name = "agent"
		}
		return nil, fmt.Errorf("agent %q: %w", name, err)
	}
	return a, nil
}

func (a *Agent) init() error {
	cfg := &a.cfg
	if cfg.Model == nil {
		return errors.New("it has no model; set Config.Model")
	}
	if cfg.Name == "" {
		cfg.Name = "agent"
	}
	if err := cfg.Limits.check(); err != nil {
		return err
	}
	set := cfg.Limits
	cfg.Limits.fill(&DefaultLimits)
	a.usdSet = set.USD > 0
	if err := cfg.Retry.check(); err != nil {
		return err
	}
	cfg.Retry.fill()
	cfg.Fallbacks = slices.Clone(cfg.Fallbacks)
	if i := slices.Index(cfg.Fallbacks, nil); i >= 0 {
		return fmt.Errorf("fallback %d is nil", i)
	}
	if cfg.Gate == nil {
		cfg.Gate, a.ownGate = &Gate{}, true
	}
	if cfg.MaxTokens < 0 {
		return fmt.Errorf("MaxTokens is %d; use 0 for the default", cfg.MaxTokens)
	}
	if cfg.MaxTokens == 0 {
		cfg.MaxTokens = model.DefaultMaxTokens
	}
	if cfg.Store == nil {
		cfg.Store = session.NewMemory()
	}
	if cfg.Instructions != "" {
		a.system = model.NewMessage(model.RoleSystem, &model.Text{Text: cfg.Instructions})
	}
	if cfg.Permissions != nil {
		var err error
		if a.policy, err = newPolicy(cfg.Permissions); err != nil {
			return err
		}
	}
	if err := a.initAgents(); err != nil {
		return err
	}
	if err := a.initTools(); err != nil {
		return err
	}
	cfg.Hooks = slices.Clone(cfg.Hooks)
	for i := range cfg.Hooks {
		if err := cfg.Hooks[i].compile(); err != nil {
			return fmt.Errorf("hook %d (%s): %w", i, cfg.Hooks[i].Name, err)
		}
	}
	if err := cfg.Compaction.fill(); err != nil {
		return err
	}
	a.baseTokens = estimate(a.system)
	if a.toolSet != nil {
		tools, err := json.Marshal(a.toolSet)
		if err != nil {
			return err
		}
		a.baseTokens += estimateText(string(tools))
	}
	if err := a.limitMoney(&set); err != nil {
		return err
	}
	a.limits = cfg.Limits.amounts()
	a.expired = &session.Expired{Limit: session.ReasonWallClock, Value: cfg.Limits.Timeout}
	a.engine = &session.Engine{Hands: &hands{agent: a, run: a.shared()}}
	var err error
	a.record, err = json.Marshal(a.settings())
	return err
}

func (a *Agent) initTools() error {
	cfg := &a.cfg
	cfg.Tools = slices.Clone(cfg.Tools)
	a.tools = make(map[string]*Tool, len(cfg.Tools))
	for i, t := range cfg.Tools {
		if t == nil {
			return fmt.Errorf("tool %d is nil", i)
		}
		if t.err != nil {
			return fmt.Errorf("tool %q: %w", t.spec.Name, t.err)
		}
		if a.tools[t.spec.Name] != nil {
			return fmt.Errorf("there are two tools named %q", t.spec.Name)
		}
		a.tools[t.spec.Name] = t
		a.endsRun = a.endsRun || t.spec.EndsRun
		a.canRead = a.canRead || t.spec.Name == ReadResultName
	}
	offered := cfg.Tools
	if cfg.Output != nil {
		output := *cfg.Output
		if err := output.compile(cfg.Model); err != nil {
			return err
		}
		a.output = &output
		if t := output.tool; t != nil {
			if a.tools[t.spec.Name] != nil {
				return fmt.Errorf("the tool of the output is named %q as another; set Output.Name", t.spec.Name)
			}
			a.tools[t.spec.Name] = t
			a.endsRun = true
			offered = append(slices.Clone(cfg.Tools), t)
		}
	}
	byName := func(x, y *Tool) int { return strings.Compare(x.spec.Name, y.spec.Name) }
	slices.SortFunc(cfg.Tools, byName)
	for _, t := range cfg.ServerTools {
		a.offered = append(a.offered, t.Name)
	}
	cfg.ServerTools = slices.DeleteFunc(slices.Clone(cfg.ServerTools), func(t model.ServerTool) bool { return a.policy.hidden(t.Name) })
	slices.SortFunc(offered, byName)
	if len(offered)+len(cfg.ServerTools) == 0 {
		return nil
	}
	a.toolSet = &model.ToolSet{Server: cfg.ServerTools}
	for _, t := range offered {
		if !a.policy.hidden(t.spec.Name) {
			a.toolSet.Defs = append(a.toolSet.Defs, t.def())
		}
	}
	if a.policy != nil {
		return a.policy.check(a.tools)
	}
	return nil
}

// Name is the agent's name.
func (a *Agent) Name() string { return a.cfg.Name }

// Config returns the agent's settings with defaults filled in. The slices in it
// must not be changed.
func (a *Agent) Config() Config { return a.cfg }

// started is the first record of the agent's sessions.
func (a *Agent) started(title string, labels map[string]string) *session.Started {
	return &session.Started{Format: session.FormatVersion, Machine: "agent", Agent: a.cfg.Name, Model: a.cfg.Model.Name(), Title: title, Labels: labels, Config: a.record}
}
