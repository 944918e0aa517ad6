package webtools

import (
	"context"
	"errors"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/extract"
	"github.com/quarry-sdk/quarry/web"
	"github.com/quarry-sdk/quarry/web/search"
)

// The names of the tools.
const (
	SearchName = "web_search"
	FetchName  = "web_fetch"
)

// Config says where the tools get pages from.
type Config struct {
	// AskUnknown asks a person before web_fetch reads an address that neither the
	// prompt nor a search nor a page that was read has named, and that is of no host
	// in Trusted: an agent that reads private files must not be talked into sending
	// them away in an address. Defaults to false.
	AskUnknown bool
	// Fetcher fetches pages. Required.
	Fetcher Fetcher
	// Index is given the text of each page that was read, so that it can be searched;
	// it may be one of the searcher's providers. Defaults to none.
	Index *search.Index
	// OnFetch is told of each fetch and of what was read, before the model is.
	// Defaults to none.
	OnFetch func(ctx context.Context, s *web.Snapshot, doc *extract.Document)
	// Read turns the bytes of a page into text. Required.
	Read func(ctx context.Context, s *web.Snapshot) (*extract.Document, error)
	// Searcher finds pages. Defaults to nil: there is no web_search then.
	Searcher Searcher
	// Trusted are hosts, with those below them, of which any address may be read
	// where AskUnknown is set. Defaults to none.
	Trusted []string
}

// Fetcher fetches pages; *web.Fetcher does.
type Fetcher interface {
	Fetch(ctx context.Context, r web.Request) (*web.Snapshot, error)
}

// Searcher finds pages; *search.Searcher does.
type Searcher interface {
	Search(ctx context.Context, q search.Query) (*search.Answer, error)
}

// New returns the tools.
func New(cfg Config) ([]*quarry.Tool, error) {
	switch {
	case cfg.Fetcher == nil:
		return nil, errors.New("new web tools: there is no fetcher; set Config.Fetcher")
	case cfg.Read == nil:
		return nil, errors.New("new web tools: nothing reads pages; set Config.Read")
	}
	var tools []*quarry.Tool
	if cfg.Searcher != nil {
		tools = append(tools, searchTool(&cfg))
	}
	return append(tools, fetchTool(&cfg)), nil
}
