// Package crashtest is the acceptance test of what the journal promises: nothing
// is lost. It kills real processes at every point of a run, cuts the power under
// them, lets two of them race for one session, and fills the disk. It has tests
// only.
//
// The test binary is also the agent: it runs itself again as a process with an
// SQLite store, the real model client and five tools. What a process does to the
// world, it does over loopback to servers in the test, which count: a model
// (modeltest.Server) and a ledger that each tool posts its call to, with the
// call's idempotency key. The audit then compares the counts with the journal.
//
// The power is cut in a simulation. The process logs each write, truncation, sync and
// deletion that SQLite asks of its file system, and the test replays the log into
// a new directory without what was not synced, or with a part of it. The database
// file's directory is taken to be there for good; how it came to be is not tested.
//
// QUARRY_CRASH_ROUNDS sets how often two processes race; it defaults to 200.
// QUARRY_CRASH_SEED is where the random choices of a power cut begin; it defaults
// to 1.
package crashtest
