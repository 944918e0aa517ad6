// Package bench measures agents against a model server on the loopback
// interface, in a process of its own, so that the figures are the agent's alone:
// allocations per tool round, memory of a parked agent, a thousand agents at
// once. Run it with make bench; docs/performance.md has the figures.
package bench
