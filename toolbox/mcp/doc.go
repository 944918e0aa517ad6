// Package mcp gives agents the tools of servers that speak the Model Context
// Protocol.
//
//	cfg, err := mcp.ReadConfig("mcp.json") // the "mcpServers" file of other programs
//	…
//	servers, err := mcp.Connect(ctx, cfg)
//	…
//	defer servers.Close()
//	agent, err := quarry.New(quarry.Config{Model: m, Tools: servers.Tools()})
//
// Most people need [ReadConfig], [Connect], [Servers.Tools] and [Servers.Close].
// A server in the same process is attached by [Servers.Attach].
//
// Connect waits until every server is ready or has failed, so that the first
// request has all tools. A tool is named mcp__server__tool; [ToolName] has the
// rule. The list of tools is sorted and does not change during a run: when a
// server says that it has others, the next call of Tools has them. A server that
// ends is a failed call that says so, with what the server wrote last; the next
// call starts it anew, and one that keeps failing is tried at growing intervals. A
// call is bounded by CallTimeout and by nothing else; where its context ends, the
// server is told.
//
// Of a result, texts and pictures are shown to the model, and other content
// (sounds, resources, links) is told of in words. Nothing is lost: the output that
// the journal keeps is the structured content where there is one and the rest is
// text that was shown, nothing where the blocks say it all, and otherwise the
// whole result as it came, an object with an array "content". A result with the
// error flag is a failed call.
//
// A server is somebody else's program. Its hints decide what runs at the same time
// and what is repeated after a crash, so a server that lies can have a call made
// twice: see Config.DistrustHints. Descriptions and results are its words. A
// process inherits few variables and no keys, and the values of Env and Headers
// stay out of errors and logs. It may not use a model without Config.Sample and
// Server.AllowSampling. What it asks a person goes to Config.Elicit, or waits in the
// run as an approval does.
//
// What is not promised: the words of notes and errors, and the layout of the texts
// of mcp_list_resources.
package mcp
