package web

// Outcome is how a fetch ended. Only [OK] can carry evidence.
type Outcome string

// The outcomes.
const (
	// OK is a page or a document with something to read.
	OK Outcome = "ok"
	// Blocked is a refusal: a bot check, or a status such as 403 or 451.
	Blocked Outcome = "blocked"
	// ConsentWall is a consent dialog without the page behind it.
	ConsentWall Outcome = "consent_wall"
	// Login is a page that asks who you are instead of what was asked for.
	Login Outcome = "login"
	// ScriptShell is a page that only scripts would fill.
	ScriptShell Outcome = "script_shell"
	// RateLimited is a host that wants to be asked later: status 429, or a wait
	// that it asked for earlier and that is longer than a fetch may wait.
	RateLimited Outcome = "rate_limited"
	// NotFound is a page that is not there, whatever the status says.
	NotFound Outcome = "not_found"
	// Gone is a page that is not there any more: status 410.
	Gone Outcome = "gone"
	// ServerError is a status from 500 on, or an answer that is not HTTP's.
	ServerError Outcome = "server_error"
	// TooLarge is more than the limits of size and decompression take.
	TooLarge Outcome = "too_large"
	// UnsupportedType is something that no text can be read from, such as an image.
	UnsupportedType Outcome = "unsupported_type"
	// Empty is an answer without anything to read.
	Empty Outcome = "empty"
	// Timeout is an answer that did not come or did not end in time.
	Timeout Outcome = "timeout"
	// ForbiddenAddress is a URL that the guard refuses, the last of redirects
	// included, or one that is none.
	ForbiddenAddress Outcome = "forbidden_address"
	// Robots is a page that the host's robots.txt asks not to fetch.
	Robots Outcome = "robots"
	// Unreachable is a host that could not be talked to: no such name, no
	// connection, no TLS, or redirects without an end. The signals tell which.
	Unreachable Outcome = "unreachable"
)

// Outcomes returns all outcomes.
func Outcomes() []Outcome {
	return []Outcome{
		OK, Blocked, ConsentWall, Login, ScriptShell, RateLimited, NotFound, Gone, ServerError, TooLarge,
		UnsupportedType, Empty, Timeout, ForbiddenAddress, Robots, Unreachable,
	}
}

// settled tells whether asking again on the same day would be a waste: the host has
// answered, and the answer is about the page and not about the moment.
func (o Outcome) settled() bool {
	switch o {
	case OK, ConsentWall, Login, ScriptShell, NotFound, Gone, TooLarge, UnsupportedType, Empty:
		return true
	}
	return false
}

// Signal is something that was seen and led to the outcome.
type Signal struct {
	// Name is a word for programs, such as "cloudflare_challenge".
	Name string `json:"name"`
	// Where is where it was seen: "status", "header", "url", "title", "heading",
	// "text", "markup", "bytes", "network" or "limit".
	Where string `json:"where"`
	// Found is the beginning of what was seen there.
	Found string `json:"found,omitempty"`
}

// maxFound is the length of Signal.Found in bytes.
const maxFound = 80
