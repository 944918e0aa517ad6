package quarry

import "github.com/quarry-sdk/quarry/session"

// Result is what a prompt came to; see [session.Result].
type Result = session.Result

// Subtype is how a prompt ended; see [session.Subtype].
type Subtype = session.Subtype

// The ways in which a prompt ends. The reasons that go with them are constants
// of package session.
const (
	// Success: the model finished, or called a tool that ends the run.
	Success = session.Success
	// Halted: the model did not manage to call the tool that ends the run.
	Halted = session.Halted
	// InvalidOutput: the model gave no result that fits the schema.
	InvalidOutput = session.InvalidOutput
	// Truncated: the last response was cut off at its token limit.
	Truncated = session.Truncated
	// Refused: the model declined.
	Refused = session.Refused
	// Limited: a limit was reached, or the run turned in a circle.
	Limited = session.Limited
	// ContextWindow: the conversation no longer fits the model.
	ContextWindow = session.ContextWindow
	// Failed: the model could not be asked, or answered what no rule covers.
	Failed = session.Failed
	// Waiting: calls wait for a person.
	Waiting = session.Waiting
	// Stopped: the run was interrupted and can be resumed.
	Stopped = session.Stopped
)
