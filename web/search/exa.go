package search

import (
	"context"
	"net/http"
	"strings"
	"time"
)

// Exa returns the provider of the Exa API, whose key is in EXA_API_KEY. Its format
// follows https://docs.exa.ai/reference/search.
func Exa(a Account) (Provider, error) {
	c, err := newClient("exa", a, "https://api.exa.ai", "EXA_API_KEY", Limits{
		Interval: 200 * time.Millisecond, MaxResults: 50, Sites: true, Time: true,
	})
	if err != nil {
		return nil, err
	}
	return &exa{c}, nil
}

type exa struct{ *client }

// Search implements [Provider].
func (x *exa) Search(ctx context.Context, q Query) ([]Result, error) {
	body := map[string]any{"query": q.Text, "type": "auto", "numResults": q.Max, "contents": map[string]any{"highlights": true}}
	if len(q.Sites) > 0 {
		body["includeDomains"] = q.Sites
	}
	if len(q.NotSites) > 0 {
		body["excludeDomains"] = q.NotSites
	}
	if !q.Since.IsZero() {
		body["startPublishedDate"] = q.Since.Format(time.DateOnly) + "T00:00:00.000Z"
	}
	if !q.Until.IsZero() {
		body["endPublishedDate"] = q.Until.Format(time.DateOnly) + "T23:59:59.999Z"
	}
	var answer struct {
		Results []struct {
			Title      string   `json:"title"`
			URL        string   `json:"url"`
			Published  string   `json:"publishedDate"`
			Text       string   `json:"text"`
			Highlights []string `json:"highlights"`
		} `json:"results"`
	}
	if err := x.post(ctx, "/search", body, http.Header{"X-Api-Key": {x.key}}, &answer); err != nil {
		return nil, err
	}
	var out []Result
	for _, r := range answer.Results {
		snippet := r.Text
		if len(r.Highlights) > 0 {
			snippet = strings.Join(r.Highlights, " … ")
		}
		out = append(out, Result{URL: r.URL, Title: plain(r.Title), Snippet: plain(snippet), Published: published(r.Published)})
	}
	return out, nil
}
