package cli

import (
	"cmp"
	"context"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/extractive"
	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/toolbox/general"
)

// commandRun is the command label of sessions of the general agent.
const commandRun = "run"

func (a *app) runCommand() *cobra.Command {
	var (
		run      runFlags
		settings runSettings
		resume   string
		accept   bool
	)
	cmd := &cobra.Command{
		Use:   "run TASK",
		Short: "Have the general agent do a task in a folder of files",
		Long: `Run gives a task to the general agent: it reads and writes the files of a
workspace, remembers facts from one session to the next, searches the web where
the model can, and uses skills, the tools of MCP servers and helpers.

What reads, and the memory, may be used without asking. Everything else asks you
at the terminal; where there is none, the session waits, with the exit code 5, and
"quarry approve SESSION CALL" answers. The mode acceptEdits allows the files of
the workspace, dontAsk denies what would be asked, plan asks for all that does
more than read, bypass allows what no rule denies or asks for.

A configuration may have permissions (mode, allow, ask, deny), command (allow,
allowAny, env, maxOutputBytes, shell, timeout), mcpServers, agents (name,
description, instructions, tools, deniedTools, mode, model, background), serverTools (name, maxUses,
allowedDomains, blockedDomains) and hooks (on, match, name, command, timeout), in
YAML or JSON. The agent runs no programs unless it has "command".

An interrupted task is gone on with by: quarry sessions resume ID
or, with other settings, by: quarry run --resume ID`,
		Example: `  quarry run "Summarise the notes in summary.md" --workspace ./notes --permission-mode acceptEdits
  quarry run "Is the changelog complete?" --deny web_search --max-usd 0.50
  quarry run --resume 01K6X0V0M8N3T4E5R6G7H8J9K0 "And now in French"`,
		Args: func(cmd *cobra.Command, args []string) error {
			if resume != "" && len(args) == 0 {
				return nil
			}
			return exactly(1, "one task")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := run.check(); err != nil {
				return err
			}
			in := quarry.Input{Accept: accept}
			if len(args) == 1 {
				in.Prompt = args[0]
				if err := checkTask(in.Prompt); err != nil {
					return err
				}
			}
			if resume != "" {
				return a.runAgain(cmd.Context(), resume, &settings, in, &run)
			}
			if accept {
				return usagef("--accept-changes goes with --resume")
			}
			return a.runAnew(cmd.Context(), &settings, in, &run)
		},
	}
	cmd.Flags().StringVar(&resume, "resume", "", "go on with the session of this id, where the TASK is a further one or left out")
	cmd.Flags().BoolVar(&accept, "accept-changes", false, "with --resume: go on with tools that have changed since the session was begun")
	settings.register(cmd.Flags())
	run.register(cmd.Flags(), quarry.DefaultLimits.Turns)
	return cmd
}

func checkTask(task string) error {
	if strings.TrimSpace(task) == "" {
		return usagef("the task is empty; put it in quotes: quarry run \"TASK\"")
	}
	if n := utf8.RuneCountInString(task); n > maxQuestion {
		return usagef("the task has %d characters and may have %d; put long material into a file of the workspace and name it", n, maxQuestion)
	}
	return nil
}

// runAnew begins a session.
func (a *app) runAnew(ctx context.Context, settings *runSettings, in quarry.Input, run *runFlags) error {
	m, err := a.pickModel(ctx, run.model)
	if err != nil {
		return err
	}
	store, err := a.store(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	if err := settings.absolute(); err != nil {
		return err
	}
	if in.Labels, err = settings.labels(); err != nil {
		return err
	}
	in.Title = line(in.Prompt, 80)
	return a.runAgent(ctx, settings, in, m, run, store, nil)
}

// runAgain goes on with a session under the settings that it has, but for those
// that the flags give.
func (a *app) runAgain(ctx context.Context, id string, flags *runSettings, in quarry.Input, run *runFlags) error {
	store, info, err := a.openSession(ctx, id)
	if err != nil {
		return err
	}
	defer store.Close()
	recs, err := records(ctx, store, info.ID)
	if err != nil {
		return err
	}
	started, ok := recs[0].Event.(*session.Started)
	if !ok || started.Labels[labelCommand] != commandRun || info.Parent != "" {
		return usagef("session %s was not begun by quarry run; see quarry sessions resume --help", info.ID)
	}
	settings, err := settingsOf(started)
	if err != nil {
		return err
	}
	if err := flags.absolute(); err != nil {
		return err
	}
	settings.override(flags)
	in.Session = info.ID
	return a.resumeRun(ctx, settings, in, run, store, recs)
}

// resumeRun goes on with a session of the general agent.
func (a *app) resumeRun(ctx context.Context, settings *runSettings, in quarry.Input, run *runFlags, store session.Store, recs []session.Record) error {
	started := recs[0].Event.(*session.Started)
	if !run.changed("max-turns") {
		run.maxTurns = quarry.DefaultLimits.Turns
	}
	m, err := a.pickModel(ctx, cmp.Or(run.model, started.Model))
	if err != nil {
		return err
	}
	a.note("quarry: %s", settings)
	return resumeError(in.Session, a.runAgent(ctx, settings, in, m, run, store, recs))
}

// runAgent runs the general agent, on a session whose records are those.
func (a *app) runAgent(ctx context.Context, settings *runSettings, in quarry.Input, m model.Model, run *runFlags, store session.Store, recs []session.Record) error {
	agent, done, err := a.openGeneral(ctx, settings, m, run, store, recs)
	if err != nil {
		return err
	}
	defer done()
	return a.converse(ctx, agent.Agent, in, recs)
}

// openGeneral makes the general agent; done has to be called when it is no longer
// needed. A session that goes on keeps the instructions that it has.
func (a *app) openGeneral(ctx context.Context, settings *runSettings, m model.Model, run *runFlags, store session.Store, recs []session.Record) (agent *general.Agent, done func(), err error) {
	if m.Name() == extractive.New().Name() {
		return nil, nil, usagef("the built-in model quotes and cannot do tasks; set ANTHROPIC_API_KEY, or give --model PROVIDER/NAME")
	}
	config, err := readRunConfig(settings.config)
	if err != nil {
		return nil, nil, err
	}
	governing, err := settings.governing(config)
	if err != nil {
		return nil, nil, err
	}
	table, err := a.priceTable()
	if err != nil {
		return nil, nil, err
	}
	blobs, err := a.blobs()
	if err != nil {
		return nil, nil, err
	}
	known, _ := table.Find(m.Name())
	cfg := general.Config{
		Blobs: blobs, Command: config.commands(governing), Compaction: quarry.Compaction{Window: known.ContextWindow}, Instructions: general.Recorded(recs), Limits: run.limits(),
		Model: m, Permissions: settings.permissions(config, governing), Prices: table, Retry: quarry.Retry{Attempts: run.maxAttempts},
		Skills: settings.skills, State: a.home(), Store: store, Workspace: settings.workspace,
	}
	if someone := a.newPerson(); someone != nil {
		cfg.Approver = someone.ask
	} else {
		cfg.Park = true
	}
	if cfg.Fallbacks, err = a.pickFallbacks(ctx, run); err != nil {
		return nil, nil, err
	}
	if cfg.MCP, err = settings.servers(config); err != nil {
		return nil, nil, err
	}
	if cfg.Secret, err = settings.secrets(); err != nil {
		return nil, nil, err
	}
	if cfg.Hooks, err = config.hooks(settings.workspace); err != nil {
		return nil, nil, err
	}
	if cfg.Agents, err = a.helpers(ctx, config); err != nil {
		return nil, nil, err
	}
	if cfg.ServerTools, err = config.serverTools(m); err != nil {
		return nil, nil, err
	}
	web, closeWeb, err := a.openWeb(config)
	if err != nil {
		return nil, nil, err
	}
	cfg.Web = web
	agent, err = general.Open(ctx, cfg)
	if err != nil {
		closeWeb()
	}
	switch {
	case err != nil && (ctx.Err() != nil || strings.HasPrefix(err.Error(), "mcp:")):
		return nil, nil, err
	case err != nil: // the flags, or the configuration
		return nil, nil, usagef("%s", inFlags(strings.TrimPrefix(err.Error(), `agent "general": `)))
	}
	for _, rule := range agent.UnusedRules() {
		a.note("quarry: the rule %s is about no tool of this agent; its tools are %s", rule, strings.Join(toolNames(agent.Agent), ", "))
	}
	for _, w := range agent.Warnings() {
		a.note("quarry: %s", w)
	}
	a.noteUnpriced(run, agent.Agent)
	return agent, func() {
		agent.Close()
		closeWeb()
	}, nil
}

// toolNames are the names of an agent's tools.
func toolNames(agent *quarry.Agent) (names []string) {
	cfg := agent.Config()
	for _, t := range cfg.Tools {
		names = append(names, t.Spec().Name)
	}
	for _, t := range cfg.ServerTools {
		names = append(names, t.Name)
	}
	return names
}

// helpers are the helpers of a configuration.
func (a *app) helpers(ctx context.Context, config *runConfig) (helpers []quarry.AgentDefinition, err error) {
	for i := range config.Agents {
		e := &config.Agents[i]
		s := quarry.AgentDefinition{
			Background: e.Background, DeniedTools: e.DeniedTools, Description: e.Description, Instructions: e.Instructions, Mode: quarry.Mode(e.Mode), Name: e.Name, Tools: e.Tools,
		}
		if e.Model != "" {
			if s.Model, err = a.pickModel(ctx, e.Model); err != nil {
				return nil, err
			}
		}
		helpers = append(helpers, s)
	}
	return helpers, nil
}
