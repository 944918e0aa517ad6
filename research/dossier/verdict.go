package dossier

// Check is one fact about a record, with its reason.
type Check struct {
	// Status is one of those of the check's kind.
	Status string `json:"status"`
	// Reason says why, in a sentence.
	Reason string `json:"reason,omitempty"`
	// Signals are what speaks for it.
	Signals []string `json:"signals,omitempty"`
	// By is "code" or the name of a model.
	By string `json:"by,omitempty"`
}

// Unverified is the status of a check that could not be made. It never speaks against
// a record.
const Unverified = "unverified"

// The statuses of [Verdict.Quote].
const (
	QuoteFound   = "found"
	QuoteMissing = "not_found"
)

// The statuses of [Verdict.Facts].
const (
	// FactsPresent: the claim's numbers, dates and names stand in the quote.
	FactsPresent = "present"
	// FactsMissing: some do not.
	FactsMissing = "missing"
	// FactsChanged: a negation or a hedge is left out, or two facts change places.
	FactsChanged = "changed"
)

// The statuses of [Verdict.Identity].
const (
	Match     = "match"
	Mismatch  = "mismatch"
	Uncertain = "uncertain"
)

// The statuses of [Verdict.Support].
const (
	Supported    = "supported"
	Partial      = "partial"
	Unsupported  = "unsupported"
	Contradicted = "contradicted"
)

// The statuses of [Verdict.Time].
const (
	// Current: so now, by a source that is dated or kept by whom it is about, and young enough.
	Current = "current"
	// Historical: of the past, and said so.
	Historical = "historical"
	// Undated: said as if now, and nothing tells when.
	Undated = "undated"
	// Stale: said as if now, by a source that is too old, or of which a later one says that it has ended.
	Stale = "stale"
	// Timeless: it does not pass, such as a birth, a degree or a publication.
	Timeless = "timeless"
)

// The statuses of records that were judged, in [Verdict.Status] and
// [Record.ValidationStatus].
const (
	// Accepted: nothing speaks against it.
	Accepted = "accepted"
	// Flagged: it is shown with what speaks against it, and confirms nothing.
	Flagged = "flagged"
	// Rejected: it is in no statement, but in the list of what was rejected.
	Rejected = "rejected"
)

// Verdict is what was found about a record. Its checks are separate facts: none makes
// up for another.
type Verdict struct {
	RecordID string `json:"record_id"`
	Quote    Check  `json:"quote"`
	Facts    Check  `json:"facts"`
	Identity Check  `json:"identity"`
	Support  Check  `json:"support"`
	Time     Check  `json:"time"`
	// Source is the source's [Quality].
	Source Check `json:"source"`
	// Group is the ID of the source that counts for this one: itself, or the original of a copy.
	Group string `json:"group"`
	// Conflicts are the IDs of records that say something else of the same fact.
	Conflicts []string `json:"conflicts,omitempty"`
	// From and Until bound the time that the record speaks of, On is that of an event: ISO 8601 as far as it is known.
	From  string `json:"from,omitempty"`
	Until string `json:"until,omitempty"`
	On    string `json:"on,omitempty"`
	// Status follows from the checks, and Reason names the one that decided.
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
}
