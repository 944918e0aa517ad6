package guard

import "fmt"

// Error is returned for an address that must not be reached.
type Error struct {
	// Object is what was refused: a URL, a host, an address or a port.
	Object string
	// Code is the rule that refused it, for programs: "malformed", "scheme",
	// "userinfo", "host", "number", "port", "denied", "unlisted" or "address".
	Code string
	// Reason is what is wrong with it, for people.
	Reason string
	// Hint is how to mend it; it may be empty.
	Hint string
}

// Error names the object, the reason and the way out.
func (e *Error) Error() string {
	if e.Hint == "" {
		return fmt.Sprintf("reach %s: %s", e.Object, e.Reason)
	}
	return fmt.Sprintf("reach %s: %s (%s)", e.Object, e.Reason, e.Hint)
}

// allowHint is the hint of refusals that [Config.Allow] lifts.
const allowHint = "if it is meant to be reached, name it in the list of what is allowed"
