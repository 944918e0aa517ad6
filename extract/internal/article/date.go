package article

// DateKind is what a date is of.
type DateKind string

// The kinds of dates.
const (
	Published DateKind = "published"
	Updated   DateKind = "updated"
)

// Date is a date that a page states of itself. Value is as RFC 3339 has it, as far as
// it is known; Source is "json-ld", "meta", "microdata", "time", "url" or "text"; Raw
// is the date as it is written there.
type Date struct {
	Kind               DateKind
	Value, Source, Raw string
}
