// Package general makes the general agent: one that works on any task, with the
// files of a workspace, a memory, skills, the tools of MCP servers, and the
// provider's own web search.
//
//	agent, err := general.Open(ctx, general.Config{
//		Model:     m,
//		State:     ".quarry",
//		Store:     store,
//		Workspace: ".",
//	})
//	…
//	defer agent.Close()
//	result, err := agent.Run(ctx, quarry.Input{Prompt: "Find out … and write it to notes.md."})
//
// Most people need [Open]. What reads, and the memory, may be used without asking;
// everything else asks a person, unless Config.Permissions say otherwise.
//
// The instructions are put together when the agent is opened: [Instructions], the
// skills, and what the memory holds at that moment. They are part of the first
// record of each session that the agent begins. For a session that goes on later,
// give Open what [Recorded] finds in its journal, so that its requests begin with
// the same bytes as before, whatever has been remembered since.
//
// What is promised: what package files, memory, skills and mcp promise. Not
// promised: the words of the instructions.
package general
