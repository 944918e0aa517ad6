// Package cli holds the commands of quarry. It is the only package that knows
// all the others: it links providers, stores and tools to the agents that the
// commands run.
//
// Start reading at Main; each command is a file.
package cli
