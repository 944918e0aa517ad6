package search

import (
	"context"
	"net/http"
	"time"
)

// Tavily returns the provider of the Tavily Search API, whose key is in
// TAVILY_API_KEY. Its format follows https://docs.tavily.com and a recording.
func Tavily(a Account) (Provider, error) {
	c, err := newClient("tavily", a, "https://api.tavily.com", "TAVILY_API_KEY", Limits{
		MaxResults: 20, QueryRunes: 400, Sites: true, Time: true,
	})
	if err != nil {
		return nil, err
	}
	return &tavily{c}, nil
}

type tavily struct{ *client }

// Search implements [Provider].
func (t *tavily) Search(ctx context.Context, q Query) ([]Result, error) {
	body := map[string]any{"query": q.Text, "search_depth": "basic", "topic": "general", "max_results": q.Max}
	if len(q.Sites) > 0 {
		body["include_domains"] = q.Sites
	}
	if len(q.NotSites) > 0 {
		body["exclude_domains"] = q.NotSites
	}
	if !q.Since.IsZero() {
		body["start_date"] = q.Since.Format(time.DateOnly)
	}
	if !q.Until.IsZero() {
		body["end_date"] = q.Until.Format(time.DateOnly)
	}
	var answer struct {
		Results []struct {
			Title     string `json:"title"`
			URL       string `json:"url"`
			Content   string `json:"content"`
			Published string `json:"published_date"`
		} `json:"results"`
	}
	if err := t.post(ctx, "/search", body, http.Header{"Authorization": {"Bearer " + t.key}}, &answer); err != nil {
		return nil, err
	}
	var out []Result
	for _, r := range answer.Results {
		out = append(out, Result{URL: r.URL, Title: plain(r.Title), Snippet: plain(r.Content), Published: published(r.Published)})
	}
	return out, nil
}
