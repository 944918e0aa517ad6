package dossier

// Kind is what a subject is.
type Kind string

// The kinds of subjects.
const (
	Person       Kind = "person"
	Organisation Kind = "organisation"
	// Question is a question that is about no single subject.
	Question Kind = "question"
)

// Subject is who or what is looked into.
type Subject struct {
	// Name is the person's or the organisation's; empty for a question.
	Name string `json:"name,omitempty"`
	Kind Kind   `json:"kind"`
	// Anchors are the pages that say without doubt who is meant.
	Anchors []string `json:"anchors,omitempty"`
	// Question is what is asked, in words; empty for a profile.
	Question string `json:"question,omitempty"`
}

// Fields are the names of the sections of a profile, in the order in which they are
// reported.
var Fields = []string{
	"identity", "current_roles", "previous_roles", "education", "publications", "projects", "talks", "public_profiles",
}

// OtherField is the section of what belongs to no other.
const OtherField = "other"

// FieldOf is the section that records of a claim type belong to.
func FieldOf(c ClaimType) string {
	switch c {
	case Identity:
		return "identity"
	case CurrentRole:
		return "current_roles"
	case PreviousRole:
		return "previous_roles"
	case Education:
		return "education"
	case Publication:
		return "publications"
	case Project:
		return "projects"
	case TalkOrMedia:
		return "talks"
	case PublicProfile:
		return "public_profiles"
	}
	return OtherField
}
