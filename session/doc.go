// Package session is the ground under every durable run: an append-only journal
// of records, machines that fold it, and the engine that performs what a machine
// says is due.
//
//	store := session.NewMemory()
//	live, err := session.Create(ctx, store, session.NewID(), machine, time.Now(), &session.Started{Agent: "clerk"})
//	if err != nil {
//		return err
//	}
//	engine := &session.Engine{Hands: hands} // performs the effects
//	if err := engine.Submit(ctx, live, &session.Prompted{Message: model.UserText("Hello")}, observe); err != nil {
//		return err
//	}
//	return engine.Advance(ctx, live, observe) // until the machine is done
//
// A [Machine] is a pure fold plus a pure decision: Apply takes in one record,
// Next says what is due. It has no clock, no randomness and does no I/O, so each
// of its rules can be a row of a table test. The [Engine] is the only thing that
// performs: it journals the intent, performs the effect, journals the outcome.
// Resuming is loading the records, folding them and asking again.
//
// Authors of agents do not need this package: package quarry wraps it. It is for
// those who write a store (run package sessiontest on it), a machine, or a tool
// that reads journals.
package session
