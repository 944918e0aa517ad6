package search

import (
	"context"
	"net/http"
	"time"
)

// Serper returns the provider of serper.dev, which asks Google, and whose key is in
// SERPER_API_KEY. Its format follows https://serper.dev.
func Serper(a Account) (Provider, error) {
	c, err := newClient("serper", a, "https://google.serper.dev", "SERPER_API_KEY", Limits{
		Language: true, MaxResults: 50, QueryRunes: 2048, QueryWords: 32, SiteWords: true, Time: true,
	})
	if err != nil {
		return nil, err
	}
	return &serper{c}, nil
}

type serper struct{ *client }

// Search implements [Provider].
func (s *serper) Search(ctx context.Context, q Query) ([]Result, error) {
	body := map[string]any{"q": q.Text, "num": q.Max}
	if base, rest := splitTag(q.Language); base != "" {
		hl := base
		if base == "zh" {
			if hl = "zh-cn"; rest == "hant" || rest == "tw" || rest == "hk" {
				hl = "zh-tw"
			}
		}
		body["hl"] = hl
	}
	if !q.Since.IsZero() || !q.Until.IsZero() {
		tbs := "cdr:1"
		if !q.Since.IsZero() {
			tbs += ",cd_min:" + q.Since.Format("1/2/2006")
		}
		if !q.Until.IsZero() {
			tbs += ",cd_max:" + q.Until.Format("1/2/2006")
		}
		body["tbs"] = tbs
	}
	var answer struct {
		Organic []struct {
			Title   string `json:"title"`
			Link    string `json:"link"`
			Snippet string `json:"snippet"`
			Date    string `json:"date"`
		} `json:"organic"`
	}
	if err := s.post(ctx, "/search", body, http.Header{"X-Api-Key": {s.key}}, &answer); err != nil {
		return nil, err
	}
	var out []Result
	for _, r := range answer.Organic {
		out = append(out, Result{URL: r.Link, Title: plain(r.Title), Snippet: plain(r.Snippet), Published: englishDate(r.Date)})
	}
	return out, nil
}

// englishDate reads a date such as "May 17, 2024"; "3 days ago" is not one.
func englishDate(s string) string {
	for _, layout := range []string{"Jan 2, 2006", "January 2, 2006", "2 Jan 2006", "2 January 2006"} {
		if at, err := time.Parse(layout, s); err == nil {
			return at.Format(time.DateOnly)
		}
	}
	return published(s)
}
