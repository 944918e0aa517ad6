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
