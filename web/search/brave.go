package search

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Brave returns the provider of the Brave Search API, whose key is in
// BRAVE_API_KEY. Its format follows
// https://api-dashboard.search.brave.com/app/documentation/web-search/get-started.
func Brave(a Account) (Provider, error) {
	c, err := newClient("brave", a, "https://api.search.brave.com", "BRAVE_API_KEY", Limits{
		Interval: time.Second, Language: true, MaxResults: 20, QueryRunes: 400, QueryWords: 50, SiteWords: true, Time: true,
	})
	if err != nil {
		return nil, err
	}
	return &brave{c}, nil
}

type brave struct{ *client }

// Search implements [Provider].
func (b *brave) Search(ctx context.Context, q Query) ([]Result, error) {
	params := url.Values{"q": {q.Text}, "count": {strconv.Itoa(q.Max)}, "text_decorations": {"false"}}
	if lang := braveLanguage(q.Language); lang != "" {
		params.Set("search_lang", lang)
	}
	if since, until := days(q); since != "" {
		params.Set("freshness", since+"to"+until)
	}
	var answer struct {
		Web struct {
			Results []struct {
				Title       string `json:"title"`
				URL         string `json:"url"`
				Description string `json:"description"`
				PageAge     string `json:"page_age"`
			} `json:"results"`
		} `json:"web"`
	}
	if err := b.get(ctx, "/res/v1/web/search", params, http.Header{"X-Subscription-Token": {b.key}}, &answer); err != nil {
		return nil, err
	}
	var out []Result
	for _, r := range answer.Web.Results {
		out = append(out, Result{URL: r.URL, Title: plain(r.Title), Snippet: plain(r.Description), Published: published(r.PageAge)})
	}
	return out, nil
}

// braveLanguage is the name that the API has for a language.
func braveLanguage(tag string) string {
	switch base, rest := splitTag(tag); {
	case base == "zh" && (rest == "hant" || rest == "tw" || rest == "hk"):
		return "zh-hant"
	case base == "zh":
		return "zh-hans"
	case base == "ja":
		return "jp"
	default:
		return base
	}
}

// days are the bounds of a query as dates; empty if it has none.
func days(q Query) (since, until string) {
	if q.Since.IsZero() && q.Until.IsZero() {
		return "", ""
	}
	from, to := q.Since, q.Until
	if from.IsZero() {
		from = time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	if to.IsZero() {
		to = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return from.Format(time.DateOnly), to.Format(time.DateOnly)
}
