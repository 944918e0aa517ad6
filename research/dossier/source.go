package dossier

import (
	"time"

	"github.com/quarry-sdk/quarry/evidence"
	"github.com/quarry-sdk/quarry/extract"
	"github.com/quarry-sdk/quarry/web"
)

// Source is an address that was read, or that could not be.
type Source struct {
	// ID is S1, S2, … within a run.
	ID string `json:"id"`
	// URL is what was asked for, without fragment; ResolvedURL is what answered.
	URL         string      `json:"url"`
	ResolvedURL string      `json:"resolved_url,omitempty"`
	Outcome     web.Outcome `json:"outcome"`
	// Reason says why, where the page could not be read.
	Reason      string    `json:"reason,omitempty"`
	Status      int       `json:"status,omitempty"`
	RetrievedAt time.Time `json:"retrieved_at"`

	Title     string `json:"title,omitempty"`
	Byline    string `json:"byline,omitempty"`
	SiteName  string `json:"site_name,omitempty"`
	Language  string `json:"language,omitempty"`
	MediaType string `json:"media_type,omitempty"`
	// Dates are what the page states of itself.
	Dates     []extract.Date `json:"dates,omitempty"`
	Extractor string         `json:"extractor,omitempty"`

	// Snapshot is the reference of the kept snapshot, as web.Open takes it; File, BodyFile and TextFile are the
	// files of its record, its bytes and its text in the folder of the dossier.
	Snapshot string `json:"snapshot,omitempty"`
	File     string `json:"file,omitempty"`
	BodyFile string `json:"body_file,omitempty"`
	TextFile string `json:"text_file,omitempty"`
	// BodySHA256 and TextSHA256 are the hashes of bytes and text, in hexadecimal digits.
	BodySHA256 string `json:"body_sha256,omitempty"`
	TextSHA256 string `json:"text_sha256,omitempty"`

	// Quality is what the source is worth for the subject; CopyOf names the source whose text this one repeats.
	Quality Quality `json:"quality,omitempty"`
	CopyOf  string  `json:"copy_of,omitempty"`
}

// Page is a source that was read, with its text.
type Page struct {
	*Source
	Doc *extract.Document
	// Text is that of Doc, prepared for looking up quotes.
	Text *evidence.Text
}

// Quality is what a source is worth.
type Quality string

// The qualities, from the strongest on.
const (
	// Own is kept by the subject.
	Own Quality = "own"
	// Official is kept by an organisation, about its own people and affairs.
	Official Quality = "official"
	// Primary was there or made it: a publisher, a conference, an interview.
	Primary Quality = "primary"
	// Secondary reports.
	Secondary Quality = "secondary"
	// Aggregator puts together what others say.
	Aggregator Quality = "aggregator"
)
