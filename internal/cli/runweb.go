package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/quarry-sdk/quarry/extract"
	"github.com/quarry-sdk/quarry/toolbox/webtools"
	"github.com/quarry-sdk/quarry/web"
	"github.com/quarry-sdk/quarry/web/guard"
	"github.com/quarry-sdk/quarry/web/search"
)

// webEntry is how the agent reaches the web.
type webEntry struct {
	AnyAddress   bool     `yaml:"anyAddress"`
	IgnoreRobots bool     `yaml:"ignoreRobots"`
	PrivateHosts []string `yaml:"privateHosts"`
	Search       []string `yaml:"search"`
	Trusted      []string `yaml:"trusted"`
}

// searchProviders are the providers by their names, in the order in which those with
// a key are asked, and the variable that each needs.
var searchProviders = []struct {
	name, variable string
	open           func(search.Account) (search.Provider, error)
}{
	{"brave", "BRAVE_API_KEY", search.Brave},
	{"tavily", "TAVILY_API_KEY", search.Tavily},
	{"exa", "EXA_API_KEY", search.Exa},
	{"serper", "SERPER_API_KEY", search.Serper},
	{"searxng", "SEARXNG_URL", search.SearXNG},
}

// openWeb makes the tools of the web that a configuration asks for, nil for none.
// Done has to be called when they are no longer needed.
func (a *app) openWeb(config *runConfig) (tools *webtools.Config, done func(), err error) {
	e := config.Web
	if e == nil {
		return nil, func() {}, nil
	}
	searcher, err := e.searcher()
	if err != nil {
		return nil, nil, usagef("%s: web: %s", config.path, err)
	}
	blobs, err := a.blobs()
	if err != nil {
		return nil, nil, err
	}
	cache, err := web.NewFileCache(filepath.Join(a.home(), "cache", "pages"))
	if err != nil {
		return nil, nil, err
	}
	fetcher, err := web.New(web.Config{Blobs: blobs, Cache: cache, Guard: guard.Config{Allow: e.PrivateHosts}, IgnoreRobots: e.IgnoreRobots})
	if err != nil {
		return nil, nil, usagef("%s: web: %s", config.path, err)
	}
	reader, err := a.reader()
	if err != nil {
		return nil, nil, err
	}
	cfg := &webtools.Config{
		AskUnknown: !e.AnyAddress, Fetcher: fetcher, Trusted: e.Trusted,
		Read: func(ctx context.Context, s *web.Snapshot) (*extract.Document, error) {
			return reader.Read(ctx, s.Body(), s.Hint())
		},
	}
	if searcher != nil {
		cfg.Searcher = searcher
	}
	return cfg, fetcher.Close, nil
}

// searcher asks the providers that are named, else those that have a key; nil if
// there is none.
func (e *webEntry) searcher() (*search.Searcher, error) {
	var providers []search.Provider
	known := make([]string, 0, len(searchProviders))
	for _, p := range searchProviders {
		known = append(known, p.name)
		named := slices.Contains(e.Search, p.name)
		if !named && (e.Search != nil || os.Getenv(p.variable) == "") {
			continue
		}
		provider, err := p.open(search.Account{})
		if err != nil {
			return nil, err
		}
		providers = append(providers, provider)
	}
	for _, name := range e.Search {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("there is no search provider %q; there are %s", name, strings.Join(known, ", "))
		}
	}
	if len(providers) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(providers, func(a, b search.Provider) int {
		return slices.Index(e.Search, a.Name()) - slices.Index(e.Search, b.Name())
	})
	searcher, err := search.New(search.Config{Providers: providers})
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "new searcher: "))
	}
	return searcher, nil
}
