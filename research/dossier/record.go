package dossier

import "github.com/quarry-sdk/quarry/evidence"

// ClaimType is what a claim is about.
type ClaimType string

// The claim types.
const (
	Identity      ClaimType = "identity"
	CurrentRole   ClaimType = "current_role"
	PreviousRole  ClaimType = "previous_role"
	Education     ClaimType = "education"
	Publication   ClaimType = "publication"
	Project       ClaimType = "project"
	PublicProfile ClaimType = "public_profile"
	TalkOrMedia   ClaimType = "talk_or_media"
	Other         ClaimType = "other"
)

// ClaimTypes are all claim types.
var ClaimTypes = []ClaimType{Identity, CurrentRole, PreviousRole, Education, Publication, Project, PublicProfile, TalkOrMedia, Other}

// SourceType is what a collector takes a source for.
type SourceType string

// The source types.
const (
	PersonalWebsite     SourceType = "personal_website"
	OfficialCompanyPage SourceType = "official_company_page"
	UniversityProfile   SourceType = "university_profile"
	PublicationDatabase SourceType = "publication_database"
	ConferencePage      SourceType = "conference_page"
	NewsInterview       SourceType = "news_interview"
	OtherSource         SourceType = "other"
)

// SourceTypes are all source types.
var SourceTypes = []SourceType{
	PersonalWebsite, OfficialCompanyPage, UniversityProfile, PublicationDatabase, ConferencePage, NewsInterview, OtherSource,
}

// Claim is what a collector hands in: one claim and the quote that carries it.
type Claim struct {
	ClaimType ClaimType `json:"claim_type"`
	// Claim is one statement, at most 1,000 characters.
	Claim string `json:"claim"`
	// SourceURL is the address as it was fetched.
	SourceURL  string     `json:"source_url"`
	SourceType SourceType `json:"source_type"`
	Title      string     `json:"title"`
	// Quote stands word for word in the page, at most 500 characters.
	Quote string `json:"quote"`
	// The dates are as the page states them, ISO 8601 as far as they are known; nil if it
	// does not.
	PublicationDate *string `json:"publication_date"`
	EventDate       *string `json:"event_date"`
	LastUpdatedDate *string `json:"last_updated_date"`
	// IdentitySignals say by what the page is about the subject; at least one.
	IdentitySignals []string `json:"identity_signals"`
}

// Pending is the status of a record that nobody has judged.
const Pending = "pending"

// Record is a claim that was accepted: its quote stands in a page that was read.
type Record struct {
	// ID is E1, E2, … within a run.
	ID            string `json:"id"`
	SubQuestionID string `json:"sub_question_id"`
	Claim
	// SourceID names the [Source].
	SourceID string `json:"source_id"`
	// SourceSnapshot is the file of the page in the run's folder.
	SourceSnapshot    string `json:"source_snapshot"`
	ResolvedSourceURL string `json:"resolved_source_url"`
	// RetrievalDate is when the page was fetched, RFC 3339 in UTC.
	RetrievalDate    string `json:"retrieval_date"`
	ValidationStatus string `json:"validation_status"`

	// Selectors say where the quote stands in the page's text.
	Selectors evidence.Selectors `json:"selectors"`
	// Places is how often it stands there.
	Places int `json:"places,omitempty"`
	// Page is the number of the page of a paged document; else 0.
	Page int `json:"page,omitempty"`
	// TextFragmentURL opens the live page at the quote.
	TextFragmentURL string `json:"text_fragment_url"`
	// BodySHA256 and TextSHA256 are the hashes of the page's bytes and of its text, in
	// hexadecimal digits; Extractor is what read the one from the other.
	BodySHA256 string `json:"body_sha256"`
	TextSHA256 string `json:"text_sha256"`
	Extractor  string `json:"extractor"`
}
