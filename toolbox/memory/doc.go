// Package memory lets an agent remember facts from one session to the next: a
// key and a value each, in one file.
//
//	store, err := memory.Open(memory.Config{Path: ".quarry/memory.json"})
//	…
//	known, err := store.Prompt(ctx)
//	…
//	agent, err := quarry.New(quarry.Config{
//		Instructions: instructions + known,
//		Model:        m,
//		Tools:        store.Tools(),
//	})
//
// Most people need [Open], [Store.Prompt] and [Store.Tools]. The tools are
// remember, recall and forget. Prompt is what goes into the system prompt when a
// run starts: the entries in the order of their keys, so that the same memory
// gives the same prompt, within a size; where it does not fit, the newest are
// kept, and the prompt says how many are not shown.
//
// What is promised: a change is on the disk, whole, before the tool answers;
// several processes may use one file, and none loses what another wrote; a file
// that is damaged is renamed to end in ".damaged-1" or a higher number, logged
// and told to the model, and the memory begins anew; each entry says when it was
// written and in which session. Not promised: that a lock holds on network file
// systems. What is remembered is not encrypted: it is no place for secrets.
package memory
