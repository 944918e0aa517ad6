// Package sessiontest tests implementations of session.Store.
//
//	func TestStore(t *testing.T) {
//		sessiontest.Run(t,
//			func(t *testing.T) session.Store { return openMine(t) },
//			func(t *testing.T, closed session.Store) session.Store { return openAgain(t, closed) })
//	}
//
// The subtests open a fresh, empty store each and run at the same time. They
// take a few seconds on a store that syncs each append to a disk. What a store
// must do beyond them is to be durable when Append returns, which no test in one
// process can see.
//
// [Events] gives one event of each kind with every field set, for whoever
// encodes events.
package sessiontest
