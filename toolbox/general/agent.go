package general

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/toolbox/command"
	"github.com/quarry-sdk/quarry/toolbox/files"
	"github.com/quarry-sdk/quarry/toolbox/mcp"
	"github.com/quarry-sdk/quarry/toolbox/memory"
	"github.com/quarry-sdk/quarry/toolbox/skills"
	"github.com/quarry-sdk/quarry/toolbox/webtools"
)

// DefaultName is what the agent is called.
const DefaultName = "general"

// MemoryFile is the file of the memory in the folder of the state.
const MemoryFile = "memory.json"

// Config describes a general agent. Model, State and Workspace are required.
type Config struct {
	// Agents are helpers that the agent may send. Those that set no Limits have the
	// agent's; those with a Model of their own have the web search of its provider,
	// where ServerTools is nil.
	Agents []quarry.AgentDefinition
	// Approver asks a person; see quarry.Config.
	Approver func(ctx context.Context, ask quarry.Approval) (quarry.Answer, error)
	// Blobs keep results that are over their tool's limit. Defaults to nil: they
	// are then kept in the journal.
	Blobs quarry.Blobs
	// Command lets the agent run programs; see package command. Its Dir, Reserved and
	// WithoutApproval are set by Open: programs are run in the workspace, State is
	// protected, and a person is asked about each call unless a rule such as
	// run_command(git status:*) allows it. Defaults to nil: the agent runs none.
	Command *command.Config
	// Compaction says when and how a conversation is made shorter.
	Compaction quarry.Compaction
	// Fallbacks take over where the model is overloaded or declines.
	Fallbacks []model.Model
	// Hooks are called at their points, in helpers too.
	Hooks []quarry.Hook
	// Instructions are the whole system prompt, for a session that goes on: see
	// Recorded. Defaults to the constant Instructions with the skills and what the
	// memory holds.
	Instructions string
	// Limits bound each prompt. Defaults to quarry.DefaultLimits, field by field.
	Limits quarry.Limits
	// MCP are the servers whose tools the agent has. Defaults to none.
	MCP mcp.Config
	// Memory is what is remembered. Defaults to the file MemoryFile in State.
	Memory *memory.Store
	// Model is what the agent thinks with.
	Model model.Model
	// Name is what the agent is called in journals. Defaults to DefaultName.
	Name string
	// Park lets calls wait for a person where there is no Approver.
	Park bool
	// Permissions are added to the defaults: what reads, the memory and the helpers
	// are allowed.
	Permissions quarry.Permissions
	// Prices tell what the models cost. Defaults to nil: costs are then unknown.
	Prices quarry.Prices
	// Retry says how failed calls of the model are repeated.
	Retry quarry.Retry
	// Secret are files and folders of the workspace that no file tool may touch, by
	// their paths from there. Defaults to none.
	Secret []string
	// ServerTools are the provider's own tools; see ProviderTools. They run at the
	// provider, where no rule is asked about a call: a rule of a bare name in
	// Permissions.Deny takes one away. Defaults, where it is nil, to those that
	// WebSearch names for Model.
	ServerTools []model.ServerTool
	// Skills are folders of skills. Defaults to none.
	Skills []string
	// State is the folder in which the program keeps its own files. The tools cannot
	// touch it, wherever it is.
	State string
	// Store keeps the sessions. Defaults to a store in memory.
	Store session.Store
	// Tools are further tools.
	Tools []*quarry.Tool
	// Web lets the agent search the web and read its pages; see package webtools. Where
	// it has a Searcher, the agent has no web search of its provider by default.
	// Defaults to nil: the agent has no tools of its own for the web.
	Web *webtools.Config
	// Workspace is the folder whose files the agent may use.
	Workspace string
}

// Agent is a general agent, with what it holds open.
type Agent struct {
	*quarry.Agent
	warnings []string
	closers  []func() error
}

// Open makes a general agent, which has to be closed. It connects to the MCP
// servers, and fails where one that is required does.
func Open(ctx context.Context, cfg Config) (*Agent, error) {
	a := &Agent{}
	if err := a.open(ctx, cfg); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

// Close releases the workspace, the skills and the MCP servers.
func (a *Agent) Close() error {
	var errs []error
	for _, c := range slices.Backward(a.closers) {
		errs = append(errs, c())
	}
	a.closers = nil
	return errors.Join(errs...)
}

// Warnings are what is not as it was asked for, and why: skills that are broken,
// servers that are not required and have failed, and rules that do not hold for the
// provider's own tools.
func (a *Agent) Warnings() []string { return a.warnings }

func (a *Agent) warn(format string, args ...any) {
	a.warnings = append(a.warnings, fmt.Sprintf(format, args...))
}

func (a *Agent) open(ctx context.Context, cfg Config) error {
	if cfg.Model == nil {
		return errors.New("general: the agent has no model; set Config.Model")
	}
	if cfg.State == "" {
		return errors.New("general: there is no folder for the state; set Config.State")
	}
	if cfg.Name == "" {
		cfg.Name = DefaultName
	}
	searching := cfg.ServerTools == nil && (cfg.Web == nil || cfg.Web.Searcher == nil)
	if searching {
		cfg.ServerTools = WebSearch(cfg.Model)
	}
	cfg.ServerTools = without(cfg.ServerTools, cfg.Permissions.Deny)
	a.warnings = unasked(cfg.ServerTools, slices.Concat(cfg.Permissions.Deny, cfg.Permissions.Ask))
	tools, known, err := a.tools(ctx, &cfg)
	if err != nil {
		return err
	}
	if cfg.Instructions == "" {
		cfg.Instructions = Instructions + known
	}
	tools = append(tools, quarry.AskUser())
	permissions := permissionsOf(&cfg.Permissions, tools)
	a.Agent, err = quarry.New(quarry.Config{
		Agents:       helpers(&cfg, searching),
		Approver:     cfg.Approver,
		Blobs:        cfg.Blobs,
		Compaction:   cfg.Compaction,
		Dir:          cfg.Workspace,
		Fallbacks:    cfg.Fallbacks,
		Hooks:        cfg.Hooks,
		Instructions: cfg.Instructions,
		Limits:       cfg.Limits,
		Model:        cfg.Model,
		Name:         cfg.Name,
		Park:         cfg.Park,
		Permissions:  permissions,
		Prices:       cfg.Prices,
		Retry:        cfg.Retry,
		ServerTools:  cfg.ServerTools,
		Store:        cfg.Store,
		Tools:        tools,
	})
	return err
}

// tools opens everything that has tools for the agent and its helpers. Known is
// what is to be said of skills and memory in the instructions.
func (a *Agent) tools(ctx context.Context, cfg *Config) (tools []*quarry.Tool, known string, err error) {
	reserved, err := reservedIn(cfg.Workspace, cfg.State)
	if err != nil {
		return nil, "", err
	}
	ws, err := files.Open(files.Config{Dir: cfg.Workspace, Reserved: reserved, Secret: cfg.Secret})
	if err != nil {
		return nil, "", err
	}
	a.closers = append(a.closers, ws.Close)
	tools = append(ws.Tools(), quarry.ReadResult())
	if cfg.Command != nil {
		run, err := runCommand(cfg, reserved)
		if err != nil {
			return nil, "", err
		}
		tools, known = append(tools, run), section(aboutCommands)
	}
	if cfg.Web != nil {
		pages, err := webtools.New(*cfg.Web)
		if err != nil {
			return nil, "", err
		}
		tools = append(tools, pages...)
	}
	if len(cfg.Skills) > 0 {
		set, err := skills.Open(skills.Config{Dirs: cfg.Skills})
		if err != nil {
			return nil, "", err
		}
		a.closers = append(a.closers, set.Close)
		for _, p := range set.Problems() {
			a.warn("skill left out: %s", p)
		}
		tools, known = append(tools, set.Tools()...), known+section(set.Prompt())
	}
	if cfg.Memory == nil {
		if cfg.Memory, err = memory.Open(memory.Config{Path: filepath.Join(cfg.State, MemoryFile)}); err != nil {
			return nil, "", err
		}
	}
	remembered, err := cfg.Memory.Prompt(ctx)
	if err != nil {
		return nil, "", err
	}
	tools, known = append(tools, cfg.Memory.Tools()...), known+section(remembered)
	if len(cfg.MCP.Servers) > 0 {
		servers, err := mcp.Connect(ctx, cfg.MCP)
		if err != nil {
			return nil, "", err
		}
		a.closers = append(a.closers, servers.Close)
		for _, s := range servers.Status() {
			if s.Err != nil {
				a.warn("MCP server %s: %v", s.Name, s.Err)
			}
		}
		tools = append(tools, servers.Tools()...)
	}
	return append(tools, cfg.Tools...), known, nil
}

// runCommand makes the tool that runs programs.
func runCommand(cfg *Config, reserved string) (*quarry.Tool, error) {
	c := *cfg.Command
	c.Dir, c.Reserved, c.WithoutApproval = cfg.Workspace, reserved, true
	c.Protected = append(slices.Clone(c.Protected), cfg.State)
	return command.New(c)
}

// section puts a part behind the instructions.
func section(text string) string {
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	return "\n\n" + text
}

// reservedIn is the folder of the workspace that the tools must leave alone: that
// of the state where it is in there.
func reservedIn(workspace, state string) (string, error) {
	real := func(dir string) (string, error) {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return "", err
		}
		if resolved, err := filepath.EvalSymlinks(abs); err == nil {
			return resolved, nil
		}
		// It is made later, in a folder that may be behind a link.
		if parent, err := filepath.EvalSymlinks(filepath.Dir(abs)); err == nil {
			return filepath.Join(parent, filepath.Base(abs)), nil
		}
		return abs, nil
	}
	ws, err := real(workspace)
	if err != nil {
		return "", fmt.Errorf("general: find the workspace: %w", err)
	}
	st, err := real(state)
	if err != nil {
		return "", fmt.Errorf("general: find the state: %w", err)
	}
	rel, err := filepath.Rel(st, ws)
	if err == nil && rel == "." {
		return "", fmt.Errorf("general: the workspace %q is the folder of the state itself; choose another", workspace)
	}
	rel, err = filepath.Rel(ws, st)
	if err != nil || !filepath.IsLocal(rel) {
		return files.DefaultReserved, nil
	}
	return rel, nil
}
