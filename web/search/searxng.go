package search

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// SearXNG returns the provider of a SearXNG instance, whose address is
// Account.BaseURL or in SEARXNG_URL. The instance has to allow the format json. It
// takes no key. Its format follows https://docs.searxng.org/dev/search_api.html.
func SearXNG(a Account) (Provider, error) {
	if a.BaseURL == "" {
		a.BaseURL = os.Getenv("SEARXNG_URL")
	}
	if a.BaseURL == "" {
		return nil, fmt.Errorf("search searxng: no instance: set SEARXNG_URL or Account.BaseURL")
	}
	c, err := newClient("searxng", a, "", "", Limits{Language: true, MaxResults: 20, SiteWords: true})
	if err != nil {
		return nil, err
	}
	return &searxng{c}, nil
}

type searxng struct{ *client }

// Search implements [Provider].
func (s *searxng) Search(ctx context.Context, q Query) ([]Result, error) {
	params := url.Values{"q": {q.Text}, "format": {"json"}}
	if q.Language != "" {
		params.Set("language", q.Language)
	}
	// The engines know ranges that end today. What is older than the bound is left
	// out afterwards.
	if !q.Since.IsZero() && q.Until.IsZero() {
		switch age := time.Since(q.Since); {
		case age < 24*time.Hour:
			params.Set("time_range", "day")
		case age < 28*24*time.Hour:
			params.Set("time_range", "month")
		case age < 360*24*time.Hour:
			params.Set("time_range", "year")
		}
	}
	var answer struct {
		Results []struct {
			URL       string `json:"url"`
			Title     string `json:"title"`
			Content   string `json:"content"`
			Published string `json:"publishedDate"`
		} `json:"results"`
		Unresponsive [][]string `json:"unresponsive_engines"`
	}
	if err := s.get(ctx, "/search", params, http.Header{}, &answer); err != nil {
		if e, ok := err.(*Error); ok && e.Status == http.StatusForbidden {
			e.Kind, e.Message = KindInvalid, "the instance does not allow the format json: add it to search.formats in its settings.yml"
		}
		return nil, err
	}
	if len(answer.Results) == 0 && len(answer.Unresponsive) > 0 {
		var engines []string
		for _, e := range answer.Unresponsive {
			engines = append(engines, strings.Join(e, ": "))
		}
		return nil, s.fail(KindServer, "no engine of the instance answered: "+s.clean(strings.Join(engines, ", ")))
	}
	var out []Result
	for _, r := range answer.Results {
		out = append(out, Result{URL: r.URL, Title: plain(r.Title), Snippet: plain(r.Content), Published: published(r.Published)})
	}
	return out, nil
}
