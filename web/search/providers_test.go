package search_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/internal/sharedtest"
	"github.com/quarry-sdk/quarry/model/modeltest/cassette"
	"github.com/quarry-sdk/quarry/web/search"
)

const testKey = "key-0123456789"

// asked is a request as a provider's server sees it: its parameters or its body.
type asked struct {
	Method, Path string
	Key          string
	Params       map[string]any
}

// serve answers every request, and keeps the last.
func serve(t *testing.T, status int, header http.Header, body string) (base string, last *asked) {
	t.Helper()
	last = &asked{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*last = asked{Method: r.Method, Path: r.URL.Path, Params: map[string]any{}}
		for _, name := range []string{"X-Subscription-Token", "X-Api-Key", "Authorization"} {
			if v := r.Header.Get(name); v != "" {
				last.Key = name + " " + v
			}
		}
		for name, values := range r.URL.Query() {
			last.Params[name] = values[0]
		}
		if data, _ := io.ReadAll(r.Body); len(data) > 0 {
			if err := json.Unmarshal(data, &last.Params); err != nil {
				t.Errorf("the request's body: %v: %s", err, data)
			}
		}
		for name, values := range header {
			w.Header()[name] = values
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(srv.Close)
	return srv.URL, last
}

func day(s string) time.Time {
	at, err := time.Parse(time.DateOnly, s)
	if err != nil {
		panic(err)
	}
	return at
}

type maker func(search.Account) (search.Provider, error)

// The answers follow the providers' documentation; Tavily's and the shapes of the
// others' fields are those of the pages that each constructor names.
var providers = map[string]struct {
	make    maker
	answer  string
	request asked
	results []search.Result
}{
	"brave": {
		make: search.Brave,
		answer: `{"type":"search","query":{"original":"x"},"web":{"type":"search","results":[
			{"title":"Ada &amp; the <strong>engine</strong>","url":"https://example.org/ada","description":"The first <strong>program</strong>.","page_age":"2024-05-17T08:30:00","age":"May 17, 2024","language":"en"},
			{"title":"Second","url":"https://example.org/2"}]}}`,
		request: asked{Method: "GET", Path: "/res/v1/web/search", Key: "X-Subscription-Token " + testKey, Params: map[string]any{
			"q": "ada lovelace site:example.org -site:example.net", "count": "10", "text_decorations": "false", "search_lang": "zh-hans", "freshness": "2024-01-01to2024-12-31"}},
		results: []search.Result{
			{URL: "https://example.org/ada", Title: "Ada & the engine", Snippet: "The first program.", Published: "2024-05-17", Provider: "brave"},
			{URL: "https://example.org/2", Title: "Second", Provider: "brave"},
		},
	},
	"tavily": {
		make: search.Tavily,
		answer: `{"query":"x","answer":null,"results":[
			{"title":"Ada","url":"https://example.org/ada","content":"The  first\nprogram.","score":0.9,"raw_content":null,"published_date":"Fri, 17 May 2024 08:30:00 GMT"}],"response_time":0.9}`,
		request: asked{Method: "POST", Path: "/search", Key: "Authorization Bearer " + testKey, Params: map[string]any{
			"query": "ada lovelace", "search_depth": "basic", "topic": "general", "max_results": 10.0,
			"include_domains": []any{"example.org"}, "exclude_domains": []any{"example.net"}, "start_date": "2024-01-01", "end_date": "2024-12-31"}},
		results: []search.Result{{URL: "https://example.org/ada", Title: "Ada", Snippet: "The first program.", Published: "2024-05-17T08:30:00Z", Provider: "tavily"}},
	},
	"exa": {
		make: search.Exa,
		answer: `{"requestId":"r","resolvedSearchType":"neural","results":[
			{"id":"https://example.org/ada","title":"Ada","url":"https://example.org/ada","publishedDate":"2024-05-17T00:00:00.000Z","author":"A","highlights":["The first","program."]},
			{"title":null,"url":"https://example.org/2","text":"Whole text"}]}`,
		request: asked{Method: "POST", Path: "/search", Key: "X-Api-Key " + testKey, Params: map[string]any{
			"query": "ada lovelace", "type": "auto", "numResults": 10.0, "contents": map[string]any{"highlights": true},
			"includeDomains": []any{"example.org"}, "excludeDomains": []any{"example.net"},
			"startPublishedDate": "2024-01-01T00:00:00.000Z", "endPublishedDate": "2024-12-31T23:59:59.999Z"}},
		results: []search.Result{
			{URL: "https://example.org/ada", Title: "Ada", Snippet: "The first … program.", Published: "2024-05-17T00:00:00Z", Provider: "exa"},
			{URL: "https://example.org/2", Snippet: "Whole text", Provider: "exa"},
		},
	},
	"serper": {
		make: search.Serper,
		answer: `{"searchParameters":{"q":"x"},"organic":[
			{"title":"Ada","link":"https://example.org/ada","snippet":"The first program.","date":"May 17, 2024","position":1},
			{"title":"New","link":"https://example.org/new","snippet":"s","date":"3 days ago","position":2}]}`,
		request: asked{Method: "POST", Path: "/search", Key: "X-Api-Key " + testKey, Params: map[string]any{
			"q": "ada lovelace site:example.org -site:example.net", "num": 10.0, "hl": "zh-cn", "tbs": "cdr:1,cd_min:1/1/2024,cd_max:12/31/2024"}},
		results: []search.Result{
			{URL: "https://example.org/ada", Title: "Ada", Snippet: "The first program.", Published: "2024-05-17", Provider: "serper"},
			{URL: "https://example.org/new", Title: "New", Snippet: "s", Provider: "serper"},
		},
	},
	"searxng": {
		make: search.SearXNG,
		answer: `{"query":"x","number_of_results":0,"results":[
			{"url":"https://example.org/ada","title":"Ada","content":"The first program.","engine":"a","engines":["a","b"],"score":2.0,"publishedDate":"2024-05-17T08:30:00"},
			{"url":"https://example.org/old","title":"Old","content":"","publishedDate":"2019-01-01T00:00:00"}],"unresponsive_engines":[]}`,
		request: asked{Method: "GET", Path: "/search", Params: map[string]any{
			"q": "ada lovelace site:example.org -site:example.net", "format": "json", "language": "zh-Hans"}},
		results: []search.Result{{URL: "https://example.org/ada", Title: "Ada", Snippet: "The first program.", Published: "2024-05-17", Provider: "searxng"}},
	},
}

// TestProviders: what is asked, and what is made of the answer.
func TestProviders(t *testing.T) {
	t.Parallel()
	for name, tt := range providers {
		base, last := serve(t, 200, nil, tt.answer)
		p, err := tt.make(search.Account{BaseURL: base, Key: testKey})
		if err != nil {
			t.Fatal(err)
		}
		answer, err := searcher(t, p).Search(t.Context(), search.Query{
			Text: " ada  lovelace", Language: "zh-Hans", Sites: []string{"example.org"}, NotSites: []string{"example.net"},
			Since: day("2024-01-01"), Until: day("2024-12-31"),
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(tt.request, *last); diff != "" {
			t.Errorf("%s: request (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(tt.results, answer.Results); diff != "" {
			t.Errorf("%s: results (-want +got):\n%s", name, diff)
		}
	}
}

func searcher(t *testing.T, providers ...search.Provider) *search.Searcher {
	t.Helper()
	s, err := search.New(search.Config{Providers: providers})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestTavilyRecording: a recorded search gives its pages, and our request is the
// recorded one with what it leaves to the service.
func TestTavilyRecording(t *testing.T) {
	t.Parallel()
	exchanges, err := cassette.Load(sharedtest.Path(t, "wire", "websearch", "pydantic+pydantic-ai", "test_tavily", "test_basic_search.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	player := cassette.NewPlayer(cassette.PlayerConfig{Exchanges: exchanges})
	defer player.Close()
	p, err := search.Tavily(search.Account{BaseURL: player.URL, Key: testKey})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := searcher(t, p).Search(t.Context(), search.Query{Text: "What is Pydantic AI?"})
	if err != nil || len(answer.Results) != 5 {
		t.Fatalf("%v: %+v", err, answer)
	}
	for _, r := range answer.Results {
		if r.Title == "" || !strings.Contains(r.Snippet, "Pydantic") || !strings.HasPrefix(r.URL, "https://") {
			t.Errorf("%+v", r)
		}
	}
	var ours, theirs map[string]any
	if err := errors.Join(json.Unmarshal(player.Played()[0].Body, &ours), json.Unmarshal(exchanges[0].Request.Body, &theirs)); err != nil {
		t.Fatal(err)
	}
	theirs["max_results"] = 10.0
	if diff := cmp.Diff(theirs, ours); diff != "" {
		t.Errorf("request (-recorded +ours):\n%s", diff)
	}
}

// TestErrors: every failure has a kind, and the key is in none of them.
func TestErrors(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		make   maker
		status int
		header http.Header
		body   string
		kind   search.Kind
		words  string
		wait   time.Duration
	}{
		"brave, bad key":     {search.Brave, 422, nil, `{"type":"ErrorResponse","error":{"id":"1","status":422,"code":"SUBSCRIPTION_TOKEN_INVALID","detail":"The provided subscription token is invalid."}}`, search.KindInvalid, "token is invalid", 0},
		"brave, rate":        {search.Brave, 429, http.Header{"X-Ratelimit-Reset": {"2, 1419704"}}, `{"error":{"code":"RATE_LIMITED","detail":"Request rate limit exceeded for plan."}}`, search.KindRateLimited, "rate limit", 2 * time.Second},
		"tavily, bad key":    {search.Tavily, 401, nil, `{"detail":{"error":"Unauthorized: missing or invalid API key ` + testKey + `."}}`, search.KindAuth, "[key].; check the provider's key", 0},
		"tavily, plan":       {search.Tavily, 432, nil, `{"detail":{"error":"This request exceeds your plan's set usage limit."}}`, search.KindQuota, "usage limit", 0},
		"serper, bad key":    {search.Serper, 403, nil, `{"message":"Unauthorized.","statusCode":403}`, search.KindAuth, "Unauthorized", 0},
		"exa, rate":          {search.Exa, 429, http.Header{"Retry-After": {"7"}}, `{"error":"You've exceeded your rate limit"}`, search.KindRateLimited, "rate limit", 7 * time.Second},
		"searxng, no json":   {search.SearXNG, 403, nil, "<html>Forbidden</html>", search.KindInvalid, "search.formats", 0},
		"searxng, no engine": {search.SearXNG, 200, nil, `{"results":[],"unresponsive_engines":[["google","timeout"],["bing","access denied"]]}`, search.KindServer, "google: timeout, bing", 0},
		"server":             {search.Exa, 503, nil, "<html>busy</html>", search.KindServer, "(503)", 0},
		"not JSON":           {search.Exa, 200, nil, "<html>hello</html>", search.KindProtocol, "not the JSON", 0},
		"another shape":      {search.Exa, 200, nil, `{"results":{"a":1}}`, search.KindProtocol, "not the JSON", 0},
		"redirect":           {search.Exa, 302, http.Header{"Location": {"https://elsewhere.test/"}}, "", search.KindInvalid, "(302)", 0},
		"long words":         {search.Exa, 400, nil, `{"error":"` + strings.Repeat("no ", 1000) + `"}`, search.KindInvalid, "no…", 0},
	} {
		base, _ := serve(t, tt.status, tt.header, tt.body)
		p, err := tt.make(search.Account{BaseURL: base, Key: testKey})
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Search(t.Context(), search.Query{Text: "a", Max: 3})
		var e *search.Error
		if !errors.As(err, &e) || e.Kind != tt.kind || e.RetryAfter != tt.wait || !strings.Contains(err.Error(), tt.words) || len(err.Error()) > 1000 {
			t.Errorf("%s: %v (%+v)", name, err, e)
		}
		if strings.Contains(err.Error(), testKey) {
			t.Errorf("%s: the key is told: %v", name, err)
		}
	}
}

func TestNoAnswer(t *testing.T) {
	t.Parallel()
	hang := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hang }))
	defer srv.Close()
	defer close(hang)
	p, err := search.Exa(search.Account{BaseURL: srv.URL, Key: testKey, Timeout: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	var e *search.Error
	if _, err := p.Search(t.Context(), search.Query{Text: "a"}); !errors.As(err, &e) || e.Kind != search.KindTimeout {
		t.Errorf("a silent provider: %v", err)
	}
	p, _ = search.Exa(search.Account{BaseURL: "http://127.0.0.1:1", Key: testKey})
	if _, err := p.Search(t.Context(), search.Query{Text: "a"}); !errors.As(err, &e) || e.Kind != search.KindTransport || strings.Contains(err.Error(), "127.0.0.1:1/search") {
		t.Errorf("no provider: %v", err)
	}
	gone, cancel := context.WithCancelCause(t.Context())
	left := errors.New("left")
	cancel(left)
	if _, err := p.Search(gone, search.Query{Text: "a"}); err != left {
		t.Errorf("a caller that left: %v", err)
	}
}

func TestAccounts(t *testing.T) {
	for _, name := range []string{"BRAVE_API_KEY", "TAVILY_API_KEY", "EXA_API_KEY", "SERPER_API_KEY", "SEARXNG_URL"} {
		t.Setenv(name, "")
	}
	for name, tt := range providers {
		_, err := tt.make(search.Account{})
		if err == nil || !strings.Contains(err.Error(), strings.ToUpper(name)+"_") {
			t.Errorf("%s without a key: %v", name, err)
		}
		if _, err := tt.make(search.Account{Key: "a b", BaseURL: "http://x.test"}); name != "searxng" && (err == nil || !strings.Contains(err.Error(), "white space")) {
			t.Errorf("%s with a broken key: %v", name, err)
		}
		if _, err := tt.make(search.Account{Key: testKey, BaseURL: "ftp://" + testKey}); err == nil || strings.Contains(err.Error(), testKey) {
			t.Errorf("%s with a broken address: %v", name, err)
		}
	}
	t.Setenv("EXA_API_KEY", " "+testKey+"\n")
	base, last := serve(t, 200, nil, `{}`)
	p, err := search.Exa(search.Account{BaseURL: base + "/"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Search(t.Context(), search.Query{Text: "a"}); err != nil || last.Key != "X-Api-Key "+testKey || last.Path != "/search" {
		t.Errorf("%v: %+v", err, last)
	}
}
