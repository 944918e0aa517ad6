// Package quarry is an SDK for agents: a model, tools that it may call, limits,
// and a journal from which every run can be shown, resumed and tested. What an
// agent's author needs is in this package.
//
//	weather := quarry.NewTool(quarry.ToolSpec{
//		Name:        "weather",
//		Description: "Tells the weather in a city.",
//		Effect:      quarry.ReadOnly,
//	}, func(ctx context.Context, in struct {
//		City string `json:"city" jsonschema:"the city's name"`
//	}) (string, error) {
//		return lookUp(ctx, in.City)
//	})
//	agent, err := quarry.New(quarry.Config{Model: m, Tools: []*quarry.Tool{weather}})
//	if err != nil {
//		return err // it says which setting is wrong
//	}
//	result, err := agent.Run(ctx, quarry.Input{Prompt: "Do I need an umbrella in Florence?"})
//
// # Agents
//
// An [Agent] is made by [New] from a [Config], of which only the Model is
// required. Models live in packages of their own: model/anthropic for the
// Messages API, model/extractive for one that needs no key and no network,
// model/modeltest for scripted ones in tests. An agent is immutable, holds no
// conversation, and may run any number of sessions at once.
//
// A prompt is worked on in turns: the model is asked, the tools that it calls
// are run, their results go back in one message, and it is asked again. The
// prompt is over when the model says so by its stop reason; words that sound
// finished are no signal. An agent with a tool whose [ToolSpec] has EndsRun is
// finished only by a successful call of it, whose typed output becomes
// Result.Output.
//
// # Tools
//
// [NewTool] makes a tool of a Go function. The schema that the model sees is
// derived from the function's input: fields without omitempty are required,
// `jsonschema:"…"` tags describe them. Arguments are checked before the function
// runs; what does not fit goes back to the model with the name of the field and
// the mend. So do errors and panics, and a tool that takes longer than its
// Timeout. None of them ends a run.
//
// Declare what a tool does to the world. A [ReadOnly] tool runs beside others
// and is run again after a crash. A [Keyed] one runs beside others, but not
// beside one that works on the same thing. An [Exclusive] one, the default, runs
// alone. A call that was cut off and is neither read-only nor Idempotent is
// never run again by itself: the model is told that nobody knows how it ended.
// All this holds within one session; different sessions run at the same time.
//
// [CallFrom] tells a function about its call: the session, the idempotency key
// to hand on, the results so far. Results longer than MaxResultBytes are cut for
// the model and kept in the journal; with [ReadResult] among its tools the model
// can read on.
//
// # Sessions
//
// Each run belongs to a session, whose journal is kept in Config.Store: in
// memory by default, in a file with session/sqlite. Give Input.Session to go on
// with a session, with a further Prompt, or without one to resume what a crash
// or a cancelled context has interrupted. The agent that resumes may be another
// one in another process; it should have the same tools. A call of the model or
// of a tool is journaled before it is made, and its outcome before anything
// depends on it, so that nothing whose outcome is known is done again. Of two
// processes that work on one session, one gets session.ErrConflict and stops.
//
// # Events
//
// [Agent.Run] waits for the result; [Agent.Stream] yields each [Event] as it
// happens: pieces of the model's answer, records of the journal once they are
// durable, and as the last one, whatever happened, the [Result]. The stream
// advances while it is ranged over. Leaving the loop stops the run and leaves a
// session that can be resumed.
//
//	for ev, err := range agent.Stream(ctx, in) {
//		switch {
//		case ev.Delta != nil:
//			fmt.Print(ev.Delta.Text)
//		case ev.Result != nil:
//			fmt.Println(ev.Result.Subtype, err)
//		}
//	}
//
// # Limits
//
// [Limits] bound each prompt, and the whole tree of agents that work on it: turns,
// tokens, money, calls of tools, children, time. [DefaultLimits] are on by default.
// A model that makes the same call with the
// same result three times in a row is warned, and stopped at the fourth.
//
// # Agents that send agents
//
// Config.Agents are definitions of agents that the model may send with parts of
// its task, by the tool Agent: several in one response work at the same time, and
// one may work in the background, or be asked more by its handle; see
// [AgentDefinition]. [AgentTool] and [NewAgentTool] make a tool of one agent, and the
// function of a tool may run those that ToolSpec.Runs names. Each works on a child
// session, with a fresh context, a journal of its own and a share of the budget, and
// is bound by the hooks and permissions of all above it. Only what it comes to goes
// back; that it failed is said as such.
//
// # Permissions
//
// [Permissions] say which calls run, which never do, and which a person is asked
// about: rules such as "write_file(drafts/**)", and a mode for what no rule decides.
// A rule that denies beats everything. Without permissions all tools that the agent
// was given may be called. What became of a call, and why, is in the journal.
//
// # Approvals and questions
//
// Where a person is to be asked, Config.Approver does it while the run waits. With
// Config.Park the run ends instead, as [Waiting]; [Agent.Answer] answers from any
// process, and the next run of the session goes on. [AskUser] lets a model ask the
// person, and [Call.Ask] the function of a tool. Where there is nobody, what would be
// asked is denied.
//
// # Hooks
//
// A [Hook] is called at a point of every run: before and after calls, before a
// prompt, when the run would end. It may deny, replace, add to the conversation, or
// make the run go on or stop. What it said is journaled and not asked again. Before
// calls and prompts, a hook that fails denies.
//
// # Typed results
//
// [RunTyped] returns a value of a Go type, and Config.Output asks for JSON of any
// schema. What comes is repaired where only its form is wrong and asked for again,
// with the exact error, where its content is; a run without a valid value is
// [InvalidOutput].
//
// # Ready-made tools
//
// Packages below toolbox have them: files of a workspace, a memory, skills, programs,
// hooks, and mcp, which gives an agent the tools of MCP servers. toolbox/general is
// an agent with all of these.
//
// # Results
//
// A prompt ends in one [Result]. Its Subtype says how (success, halted,
// waiting, truncated, refused, limit, context_window, invalid_output, error), its Reason why, its Detail
// what to do about it. None of these is a Go error, because the run did what it
// could: test Result.OK. An error is returned where the run did not reach its
// end: its context ended (Subtype is interrupted; resume the session), the input
// was wrong, or the store failed.
//
// # Not promised
//
// The words of details, warnings and error results that are shown to models may
// change, as may the exact requests that a run sends. A handler that ignores its
// context is left to itself, not killed. A tool may run twice, with the same
// key, if it is declared to be safe for that; and at most one call of the model
// is made twice after a crash, and paid twice. What a tool does is not contained:
// its author decides what it may touch.
package quarry
