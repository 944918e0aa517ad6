package search_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/web/search"
)

// fake is a provider that answers by a function.
type fake struct {
	name   string
	limits search.Limits
	find   func(q search.Query) ([]search.Result, error)
	asked  []search.Query
	at     []time.Time
}

func (f *fake) Name() string          { return f.name }
func (f *fake) Limits() search.Limits { return f.limits }
func (f *fake) Search(_ context.Context, q search.Query) ([]search.Result, error) {
	f.asked, f.at = append(f.asked, q), append(f.at, time.Now())
	return f.find(q)
}

func finds(urls ...string) func(search.Query) ([]search.Result, error) {
	return func(search.Query) (out []search.Result, err error) {
		for _, u := range urls {
			out = append(out, search.Result{URL: u})
		}
		return out, nil
	}
}

func fails(kind search.Kind, after time.Duration) func(search.Query) ([]search.Result, error) {
	return func(search.Query) ([]search.Result, error) {
		return nil, &search.Error{Kind: kind, Provider: "p", RetryAfter: after}
	}
}

// TestFailover: what fails or has nothing is passed over, and the answer says so.
func TestFailover(t *testing.T) {
	t.Parallel()
	s := searcher(t,
		&fake{name: "down", find: fails(search.KindServer, 0)},
		&fake{name: "empty", find: finds()},
		&fake{name: "odd", find: func(search.Query) ([]search.Result, error) { return nil, errors.New("oops") }},
		&fake{name: "good", find: finds("https://a.test/1")},
		&fake{name: "never", find: finds("https://a.test/2")},
	)
	answer, err := s.Search(t.Context(), search.Query{Text: "x"})
	if err != nil {
		t.Fatal(err)
	}
	want := &search.Answer{Provider: "good", Results: []search.Result{{URL: "https://a.test/1", Provider: "good"}}, Attempts: []search.Attempt{
		{Provider: "down", Query: "x", Kind: search.KindServer, Error: "search p: server"},
		{Provider: "empty", Query: "x"},
		{Provider: "odd", Query: "x", Kind: search.KindServer, Error: "search odd: server: oops"},
		{Provider: "good", Query: "x", Found: 1, Kept: 1},
	}}
	if diff := cmp.Diff(want, answer); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	answer, err = searcher(t, &fake{name: "empty", find: finds()}).Search(t.Context(), search.Query{Text: "x"})
	if err != nil || len(answer.Results) != 0 || answer.Provider != "" {
		t.Errorf("nothing is found: %v, %+v", err, answer)
	}
	answer, err = searcher(t, &fake{name: "p", find: fails(search.KindAuth, 0)}).Search(t.Context(), search.Query{Text: "x"})
	var failed *search.FailedError
	if !errors.As(err, &failed) || len(answer.Attempts) != 1 || err.Error() != "search: no provider answered: p: auth; check the provider's key" {
		t.Errorf("nobody answers: %v", err)
	}
}

// TestKept: results keep to the query, and a page comes once.
func TestKept(t *testing.T) {
	t.Parallel()
	p := &fake{name: "p", find: func(search.Query) ([]search.Result, error) {
		return []search.Result{
			{URL: "https://www.a.test/x?utm_source=1", Title: "first"},
			{URL: "https://m.a.test/x/", Title: "again"},
			{URL: "https://sub.a.test/y", Published: "2024-05"},
			{URL: "https://not-a.test/z"},
			{URL: "https://a.test/old", Published: "2019-01-01"},
			{URL: "https://a.test/late", Published: "2024-06-02T00:00:00Z"},
			{URL: "https://bad.a.test/"},
			{URL: "javascript:alert(1)"},
			{URL: "https://a.test/in", Published: "2024-05-20"},
			{URL: "https://a.test/year", Published: "2024"},
			{URL: "https://a.test/more"},
		}, nil
	}}
	answer, err := searcher(t, p).Search(t.Context(), search.Query{
		Text: "x", Max: 4, Sites: []string{"www.a.test"}, NotSites: []string{"bad.a.test"}, Since: day("2024-05-10"), Until: day("2024-06-01")})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range answer.Results {
		got = append(got, r.URL)
	}
	want := []string{"https://www.a.test/x?utm_source=1", "https://sub.a.test/y", "https://a.test/in", "https://a.test/year"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"https://m.a.test/x/"}, answer.Results[0].Also); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestFit: queries keep to what a provider takes.
func TestFit(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 60)
	for name, tt := range map[string]struct {
		limits search.Limits
		q      search.Query
		text   string
		note   string
	}{
		"short":            {search.Limits{}, search.Query{Text: " a  b "}, "a b", ""},
		"words":            {search.Limits{QueryWords: 3}, search.Query{Text: "a b c d e"}, "a b c", "the last 2 words"},
		"characters":       {search.Limits{QueryRunes: 9}, search.Query{Text: "über München"}, "über", "the last 1 words"},
		"sites":            {search.Limits{SiteWords: true}, search.Query{Text: "a", Sites: []string{"x.org", "y.org"}, NotSites: []string{"z.org"}}, "a site:x.org OR site:y.org -site:z.org", ""},
		"sites of its own": {search.Limits{SiteWords: true, Sites: true}, search.Query{Text: "a", Sites: []string{"x.org"}}, "a", ""},
		"no room":          {search.Limits{SiteWords: true, QueryRunes: 10}, search.Query{Text: "a", Sites: []string{"example.org"}}, "", ""},
		"many":             {search.Limits{QueryWords: 50}, search.Query{Text: long}, strings.TrimSpace(strings.Repeat("word ", 50)), "the last 10 words"},
	} {
		p := &fake{name: "p", limits: tt.limits, find: finds("https://x.org/")}
		answer, _ := searcher(t, p).Search(t.Context(), tt.q)
		a := answer.Attempts[0]
		if a.Query != tt.text || !strings.HasPrefix(a.Note, tt.note) || (tt.text == "") != (len(p.asked) == 0) {
			t.Errorf("%s: %+v", name, a)
		}
		if tt.text != "" && p.asked[0].Text != tt.text {
			t.Errorf("%s: asked for %q", name, p.asked[0].Text)
		}
	}
}

// TestTurns: a provider is not asked more often than it allows, and is left alone
// when it asks for it, while the next one serves.
func TestTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		slow := &fake{name: "slow", limits: search.Limits{Interval: 2 * time.Second}, find: finds("https://a.test/")}
		s := searcher(t, slow)
		for range 3 {
			if _, err := s.Search(t.Context(), search.Query{Text: "x"}); err != nil {
				t.Fatal(err)
			}
		}
		for i, at := range slow.at {
			if at.Sub(begin) != time.Duration(i)*2*time.Second {
				t.Errorf("request %d after %s", i, at.Sub(begin))
			}
		}

		limited := &fake{name: "limited", find: fails(search.KindRateLimited, time.Minute)}
		other := &fake{name: "other", find: finds("https://a.test/")}
		s = searcher(t, limited, other)
		for range 3 {
			answer, err := s.Search(t.Context(), search.Query{Text: "x"})
			if err != nil || answer.Provider != "other" || answer.Attempts[0].Kind != search.KindRateLimited {
				t.Errorf("%v: %+v", err, answer)
			}
		}
		if len(limited.asked) != 1 {
			t.Errorf("asked %d times within the minute", len(limited.asked))
		}
		time.Sleep(time.Minute) // of the bubble
		if _, err := s.Search(t.Context(), search.Query{Text: "x"}); err != nil || len(limited.asked) != 2 {
			t.Errorf("%v: asked %d times after it", err, len(limited.asked))
		}

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		s = searcher(t, slow)
		if _, err := s.Search(ctx, search.Query{Text: "x"}); err != nil {
			t.Error(err)
		}
		if _, err := s.Search(ctx, search.Query{Text: "x"}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a caller that does not wait: %v", err)
		}
	})
}

func TestQueriesRefused(t *testing.T) {
	t.Parallel()
	s := searcher(t, &fake{name: "p", find: finds()})
	for words, q := range map[string]search.Query{
		"no words": {Text: " \n"}, "-1 results": {Text: "a", Max: -1}, "before Since": {Text: "a", Since: day("2024-02-01"), Until: day("2024-01-01")},
	} {
		if _, err := s.Search(t.Context(), q); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", words, err)
		}
	}
	for _, cfg := range []search.Config{{}, {Providers: []search.Provider{nil}}} {
		if _, err := search.New(cfg); err == nil {
			t.Errorf("%+v is taken", cfg)
		}
	}
}

func TestIndex(t *testing.T) {
	t.Parallel()
	x := search.NewIndex("")
	x.Add(search.Page{URL: "https://a.test/engine", Title: "The engine", Text: "Ada wrote the first program.\nIt was for the engine.", Published: "2024-05-17"})
	x.Add(search.Page{URL: "https://a.test/tea", Title: "Tea", Text: "How to make tea. The kettle is no engine."})
	x.Add(search.Page{URL: "https://b.test/zh", Title: "分析机", Text: "埃达写了第一个程序。"})
	x.Add(search.Page{URL: "http://www.a.test/tea?utm_source=1", Title: "Tea", Text: "How to make tea."})
	if x.Len() != 3 {
		t.Errorf("%d pages", x.Len())
	}
	for query, want := range map[string]string{
		"engine program": "https://a.test/engine", "TEA": "http://www.a.test/tea?utm_source=1", "第一个程序": "https://b.test/zh", "nothing": "",
	} {
		answer, err := searcher(t, x).Search(t.Context(), search.Query{Text: query})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if len(answer.Results) > 0 {
			got = answer.Results[0].URL
		}
		if got != want || want != "" && len(answer.Results) != 1 {
			t.Errorf("%s: %+v", query, answer.Results)
		}
	}
	answer, _ := searcher(t, x).Search(t.Context(), search.Query{Text: "first program"})
	want := []search.Result{{URL: "https://a.test/engine", Title: "The engine", Snippet: "Ada wrote the first program.", Published: "2024-05-17", Provider: "local"}}
	if diff := cmp.Diff(want, answer.Results); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if direct, err := x.Search(t.Context(), search.Query{Text: "program"}); err != nil || len(direct) != 1 {
		t.Errorf("asked directly, with the number of results left open: %v, %+v", err, direct)
	}
	if answer, _ := searcher(t, x).Search(t.Context(), search.Query{Text: "program tea", Sites: []string{"b.test"}}); len(answer.Results) != 0 {
		t.Errorf("another site: %+v", answer.Results)
	}
}
