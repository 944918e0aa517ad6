// Package command gives an agent a tool that runs programs, run_command. No agent
// has it unless its author gives it, and each call needs a person's approval
// unless Config says otherwise.
//
//	run, err := command.New(command.Config{Allow: []string{"git", "go"}, Dir: "work"})
//	…
//	agent, err := quarry.New(quarry.Config{
//		Approver:    ask,
//		Model:       m,
//		Permissions: &quarry.Permissions{},
//		Tools:       []*quarry.Tool{run},
//	})
//
// Most people need [New] and [Config]. A program is run without a shell: its
// arguments reach it as they are, and nothing in them is expanded. Where a shell
// is wanted, Config.Shell names it, and the model sends a line for it.
//
// What is promised: only programs of Config.Allow are started, unless
// Config.AllowAny is set; the working folder is inside Config.Dir; no call is run
// that names Config.Reserved or Config.Protected in its words; of the
// environment a program is given a short list of names, such as PATH and HOME,
// and Config.Env, never what looks like a key or a secret by its name or by its
// value; a call ends with its time, and everything that it started ends with it;
// long output keeps its beginning and its end. A call that a crash cut off is not
// run again: its outcome is unknown, and a person is told.
//
// Not promised: that a program stays inside the workspace. It can reach whatever
// the user can, as can those that it starts, and what is protected too, by a path
// that no word of the call spells out; a program such as env, xargs, find
// or make on the list allows every other. On Unix, a process that leaves its
// process group on purpose is not stopped. Who must not trust the programs runs
// all of it in a container.
package command
