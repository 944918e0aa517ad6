package search

import (
	"context"
	"fmt"
	"time"
)

// Provider finds pages.
type Provider interface {
	// Name names the provider in results, errors and records, such as "brave".
	Name() string
	// Limits are what the provider can do.
	Limits() Limits
	// Search returns what it found, best first. The query keeps to the limits. Its
	// errors are of type *Error, or those of ctx.
	Search(ctx context.Context, q Query) ([]Result, error)
}

// Kind is what went wrong with a search.
type Kind string

// The kinds.
const (
	// KindAuth is a key that is missing or wrong.
	KindAuth Kind = "auth"
	// KindQuota is an account that is used up.
	KindQuota Kind = "quota"
	// KindRateLimited is a provider that wants to be asked later.
	KindRateLimited Kind = "rate_limited"
	// KindInvalid is a request that the provider refuses.
	KindInvalid Kind = "invalid_request"
	// KindServer is a failure of the provider's.
	KindServer Kind = "server"
	// KindTimeout is an answer that did not come in time.
	KindTimeout Kind = "timeout"
	// KindTransport is a connection that could not be made, or broke.
	KindTransport Kind = "transport"
	// KindProtocol is an answer that cannot be read.
	KindProtocol Kind = "protocol"
)

// Error is a search that failed. Its text never has a key in it.
type Error struct {
	Kind     Kind
	Provider string
	// Status is the HTTP status; 0 if there was none.
	Status int
	// Message says what the provider said, or what was wrong.
	Message string
	// RetryAfter is how long the provider asked to be left alone; 0 if it did not.
	RetryAfter time.Duration
}

// Error implements error.
func (e *Error) Error() string {
	s := fmt.Sprintf("search %s: %s", e.Provider, e.Kind)
	if e.Status != 0 {
		s += fmt.Sprintf(" (%d)", e.Status)
	}
	if e.Message != "" {
		s += ": " + e.Message
	}
	if hint := hints[e.Kind]; hint != "" {
		s += "; " + hint
	}
	return s
}

// hints say how to mend an error.
var hints = map[Kind]string{
	KindAuth:  "check the provider's key",
	KindQuota: "renew the provider's plan, or set up another provider",
}
