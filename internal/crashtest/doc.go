// Package crashtest is the acceptance test of what the journal promises: nothing
// is lost. It kills real processes at every point of a run, lets two of them race
// for one session, and fills the disk. It has tests only.
//
// The test binary is also the agent: it runs itself again as a process with an
// SQLite store, the real model client and five tools. What a process does to the
// world, it does over loopback to servers in the test, which count: a model
// (modeltest.Server) and a ledger that each tool posts its call to, with the
// call's idempotency key. The audit then compares the counts with the journal.
//
// QUARRY_CRASH_ROUNDS sets how often two processes race; it defaults to 200.
package crashtest
