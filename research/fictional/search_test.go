package fictional

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/web/search"
)

// found reports whether a page is among the first twenty for a query.
func found(t *testing.T, w *Web, query, at string) bool {
	t.Helper()
	results, err := w.Provider().Search(t.Context(), search.Query{Text: query, Max: resultsPerPage})
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(results, func(r search.Result) bool { return r.URL == at })
}

// The provider of SearXNG, over HTTP, finds what the provider of the index finds.
func TestSearchEndpoint(t *testing.T) {
	t.Parallel()
	site, err := Listen(Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer site.Close()
	remote, err := search.SearXNG(search.Account{BaseURL: "http://" + SearchHost, HTTPClient: site.Client()})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"Lena Hartwig", "Lena Hartwig professor Norderhaven University", "海草 教授", "Vattrio employees", "Sundgate footbridge cost"} {
		want, err := site.Provider().Search(t.Context(), search.Query{Text: text, Max: resultsPerPage})
		if err != nil {
			t.Fatal(err)
		}
		got, err := remote.Search(t.Context(), search.Query{Text: text, Max: resultsPerPage})
		if err != nil {
			t.Fatal(err)
		}
		if len(got) < 2 {
			t.Errorf("%s: %d results", text, len(got))
		}
		for i := range want {
			want[i].Provider = ""
		}
		for i := range got {
			got[i].Provider = ""
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-index +searxng):\n%s", text, diff)
		}
	}
}

func TestSearchPages(t *testing.T) {
	t.Parallel()
	w, _ := world(t)
	first := get(w, "http://search.example/search?q=Lena+Hartwig&format=json").Body.String()
	second := get(w, "http://search.example/search?q=Lena+Hartwig&format=json&pageno=2").Body.String()
	if strings.Count(first, `"url"`) != resultsPerPage || strings.Count(second, `"url"`) == 0 || first == second {
		t.Errorf("%d and %d results", strings.Count(first, `"url"`), strings.Count(second, `"url"`))
	}
	for _, x := range []struct{ url, want string }{
		{"http://search.example/search?q=Hartwig+site:railcode.example&format=json", "railcode.example/2019"},
		{"http://search.example/search?q=Hartwig", "<ol>"},
		{"http://search.example/search?q=nothingofthekind&format=json", `"results":[]`},
		{"http://search.example/search?q=Hartwig&format=json&pageno=999999999999", `"results":[]`},
		{"http://search.example/", "<form"},
	} {
		r := get(w, x.url)
		if r.Code != http.StatusOK || !strings.Contains(r.Body.String(), x.want) {
			t.Errorf("%s: %d %.80s", x.url, r.Code, r.Body)
		}
	}
	if got := get(w, "http://search.example/search?q=Hartwig+-site:railcode.example+site:lena-codes.example+OR+site:codeshed.example&format=json").Body.String(); strings.Contains(got, "railcode.example/2019") || !strings.Contains(got, "http://codeshed.example/lhartwig\"") || strings.Contains(got, "norderhaven-university.example") {
		t.Errorf("sites: %s", got)
	}
}

// Both people come up for their name, so that a search is no answer to who is meant; and
// the pages that are not meant for search engines do not.
func TestSearchIsOpen(t *testing.T) {
	t.Parallel()
	w, truth := world(t)
	results, err := w.Provider().Search(t.Context(), search.Query{Text: "Lena Hartwig", Max: resultsPerPage})
	if err != nil {
		t.Fatal(err)
	}
	only := func(id, other string) (n int) {
		for _, r := range results {
			if slices.Contains(truth.Subject(id).Pages, r.URL) && !slices.Contains(truth.Subject(other).Pages, r.URL) {
				n++
			}
		}
		return n
	}
	if a, b := only("hartwig-ecologist", "hartwig-engineer"), only("hartwig-engineer", "hartwig-ecologist"); a < 4 || b < 3 {
		t.Errorf("of the first %d, %d are of the one and %d of the other", len(results), a, b)
	}
	for _, at := range []string{"http://www.norderhaven-university.example/private/staff-reviews", "http://factfile.example/confirm"} {
		if found(t, w, w.pages[at].title, at) {
			t.Errorf("%s is found", at)
		}
	}
	// What is behind a wall, or gone, is still known.
	for query, at := range map[string]string{
		"five people who measure the coast": "http://www.coastdaily.example/2025/11/tides-of-change",
		"T3 turbidity probe":                "http://www.vattrio.example/products/t3",
	} {
		if !found(t, w, query, at) {
			t.Errorf("%s is not found", at)
		}
	}
}
