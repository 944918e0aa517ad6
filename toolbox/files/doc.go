// Package files gives an agent the files of one folder, its workspace: tools to
// read, write, edit, list, find and search them, and nothing outside of it.
//
//	ws, err := files.Open(files.Config{Dir: "work"})
//	…
//	defer ws.Close()
//	agent, err := quarry.New(quarry.Config{Model: m, Tools: ws.Tools()})
//
// Most people need [Open] and [Workspace.Tools]. The tools are:
//
//   - read_file shows a file's lines with their numbers, or a range of lines or
//     of bytes.
//   - write_file writes a whole file, and makes the folders above it.
//   - edit_file replaces pieces of a file that match exactly.
//   - list_files lists a folder; glob finds files by their names, and grep by
//     what they hold, with an RE2 expression.
//
// What is promised: no path leaves the workspace, by "..", an absolute path, a
// link, a junction, the case or the Unicode form of a name, a NUL, a device's
// name or a race with another process; the reserved folder, ".quarry" unless
// Config says otherwise, is neither read nor written; a write is whole or not at
// all, and answers how many bytes went where; a file that exists is replaced or
// edited only if this session has read it as it is now. What was read is known
// from the journal, so that a resumed run goes on in another process; and where
// a file has changed meanwhile, the model is told. A refusal says the reason and
// what to do instead.
//
// Not promised: that a hard link, a bind mount or a folder that another process
// moves away during a call stays inside, which no program can see; that two
// processes which write one file at the same moment are kept apart. The layout of
// the tools' texts may change.
package files
