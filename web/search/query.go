package search

import "time"

// Query is what is looked for.
type Query struct {
	// Language is the language that results should be in, a BCP 47 tag such as "en"
	// or "zh-Hans". Defaults to any.
	Language string
	// Max is how many results are wanted. Defaults to 10, at most 50.
	Max int
	// NotSites are hosts whose pages are not wanted, with all hosts below them.
	NotSites []string
	// Since and Until bound the time of publication, both days included. The zero
	// value is no bound.
	Since, Until time.Time
	// Sites are the hosts that pages must be of, or of a host below one of them.
	// Defaults to any.
	Sites []string
	// Text is the words.
	Text string
}

// The number of results of a query.
const (
	DefaultMax = 10
	MaxResults = 50
)

// Result is a page that was found.
type Result struct {
	// URL is the address as the provider gave it.
	URL string `json:"url"`
	// Title and Snippet are plain text. They are the provider's words: data from
	// the web, and no evidence.
	Title   string `json:"title"`
	Snippet string `json:"snippet,omitempty"`
	// Published is when the provider says that the page was published, as RFC 3339
	// has it, as far as it is known; empty if the provider does not say.
	Published string `json:"published,omitempty"`
	// Provider is the name of the provider that found it.
	Provider string `json:"provider"`
	// Also are further addresses of the same page that were found, by [Key].
	Also []string `json:"also,omitempty"`
}

// Limits are what a provider can do.
type Limits struct {
	// Interval is the least time between the starts of two requests. 0 is none.
	Interval time.Duration
	// Language, Sites and Time tell whether the provider narrows results down by
	// these itself; elsewhere the results that do not fit are left out afterwards.
	Language, Sites, Time bool
	// MaxResults is how many results a request can bring.
	MaxResults int
	// QueryRunes and QueryWords bound the text of a query, in characters and in
	// words. 0 is no bound.
	QueryRunes, QueryWords int
	// SiteWords tells that site:HOST and -site:HOST in the text narrow results down
	// to hosts, where Sites is false.
	SiteWords bool
}
