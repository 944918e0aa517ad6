package model

import (
	"fmt"
	"strings"
	"time"
)

// ErrorKind is the class of a model error, by what can be done about it.
type ErrorKind string

// The classes of errors.
const (
	// ErrAuth: the key is missing, wrong or not allowed to do this.
	ErrAuth ErrorKind = "auth"
	// ErrBilling: the account has no credit left.
	ErrBilling ErrorKind = "billing"
	// ErrInvalidRequest: the provider does not accept the request as it is.
	ErrInvalidRequest ErrorKind = "invalid_request"
	// ErrNotFound: no such model or address.
	ErrNotFound ErrorKind = "not_found"
	// ErrTooLarge: the request has more bytes than the provider takes.
	ErrTooLarge ErrorKind = "too_large"
	// ErrContextWindow: the conversation does not fit the model's window.
	ErrContextWindow ErrorKind = "context_window"
	// ErrRateLimited: too much at once; RetryAfter tells when to try again.
	ErrRateLimited ErrorKind = "rate_limited"
	// ErrOverloaded: the provider has no capacity at the moment.
	ErrOverloaded ErrorKind = "overloaded"
	// ErrServer: the provider failed.
	ErrServer ErrorKind = "server"
	// ErrTimeout: no answer, or no further piece of it, in time.
	ErrTimeout ErrorKind = "timeout"
	// ErrTransport: the connection could not be made or broke before the end.
	ErrTransport ErrorKind = "transport"
	// ErrProtocol: what came is not what the provider's API promises.
	ErrProtocol ErrorKind = "protocol"
	// ErrRepetition: the model repeated itself without end and was stopped.
	ErrRepetition ErrorKind = "repetition"
)

// Error is a failed model call. It can be journaled, and never holds a key.
type Error struct {
	Kind     ErrorKind `json:"kind"`
	Provider string    `json:"provider,omitempty"`
	// Status is the HTTP status, 0 where there was none.
	Status int `json:"status,omitempty"`
	// Code is the provider's own name of the error ("overloaded_error").
	Code string `json:"code,omitempty"`
	// Message is the provider's own words.
	Message string `json:"message"`
	// RequestID is what the provider's support asks for.
	RequestID string `json:"request_id,omitempty"`
	// RetryAfter is how long the provider asks to wait; 0 if it does not say.
	RetryAfter time.Duration `json:"retry_after_ns,omitempty"`
	// Partial is what had arrived when the stream broke; nil if nothing had.
	Partial *Response `json:"partial,omitempty"`
	// Stack is where the code of the model panicked; it is no part of the message.
	Stack string `json:"stack,omitempty"`
	// Err is the cause below, if there is one.
	Err error `json:"-"`
}

// Error gives the class, the provider's words and, where there is one, the way
// out.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Provider != "" {
		b.WriteString(e.Provider)
		b.WriteString(": ")
	}
	b.WriteString(strings.ReplaceAll(string(e.Kind), "_", " "))
	if e.Status != 0 {
		fmt.Fprintf(&b, " (HTTP %d)", e.Status)
	}
	if e.Message != "" {
		b.WriteString(": ")
		b.WriteString(e.Message)
	}
	if e.Err != nil && !strings.Contains(e.Message, e.Err.Error()) {
		b.WriteString(": ")
		b.WriteString(e.Err.Error())
	}
	if hint := e.Hint(); hint != "" {
		b.WriteString(" (")
		b.WriteString(hint)
		b.WriteString(")")
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Retryable tells whether the same request may succeed later.
func (e *Error) Retryable() bool {
	switch e.Kind {
	case ErrRateLimited, ErrOverloaded, ErrServer, ErrTimeout, ErrTransport:
		return true
	}
	return false
}

// Hint says how to mend the error, in a few words; empty if nothing is to be
// said beyond the provider's own.
func (e *Error) Hint() string {
	switch e.Kind {
	case ErrAuth:
		return "check the API key of this provider"
	case ErrBilling:
		return "add credit to the account"
	case ErrNotFound:
		return "check the model's name and the base URL"
	case ErrContextWindow:
		return "shorten the conversation or use a model with a larger window"
	case ErrRateLimited:
		if e.RetryAfter > 0 {
			return "try again in " + e.RetryAfter.String()
		}
		return "try again later"
	case ErrOverloaded, ErrServer:
		return "try again later"
	case ErrTransport:
		return "check the connection and the base URL"
	}
	return ""
}
