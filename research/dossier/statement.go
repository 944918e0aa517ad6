package dossier

// The statuses of statements.
const (
	// Confirmed: more than one independent source says it.
	Confirmed = "confirmed"
	// SingleSource: one does.
	SingleSource = "single_source"
	// Conflicting: sources say different things.
	Conflicting = "conflicting"
	// PastFact: so once; what says otherwise is old.
	PastFact = "historical"
	// OutOfDate: said as if now, by sources that are too old to tell.
	OutOfDate = "stale"
	// NoDate: said as if now, and nothing tells when.
	NoDate = "undated"
	// UncertainIdentity: it may be about somebody else.
	UncertainIdentity = "uncertain_identity"
	// Unconfirmed: something speaks against it, see Reasons; such as hearsay.
	Unconfirmed = "unconfirmed"
)

// Statement is what the dossier says of one fact.
type Statement struct {
	// ID is F1, F2, … within a dossier.
	ID    string `json:"id"`
	Field string `json:"field"`
	// Text is the wording of the strongest record.
	Text   string `json:"text"`
	Status string `json:"status"`
	// Time is a status of [Verdict.Time].
	Time string `json:"time"`
	// Records are the IDs of all that carry it, the strongest first.
	Records []string `json:"records"`
	// Independent is by how many sources that do not copy each other it is accepted.
	Independent int `json:"independent"`
	// Conflicts are the IDs of statements that say something else of the same fact.
	Conflicts []string `json:"conflicts,omitempty"`
	// From and Until bound the time that it speaks of, On is that of an event.
	From  string `json:"from,omitempty"`
	Until string `json:"until,omitempty"`
	On    string `json:"on,omitempty"`
	// Reasons say what speaks against it.
	Reasons []string `json:"reasons,omitempty"`
}
