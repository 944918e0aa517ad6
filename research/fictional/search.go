package fictional

import (
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/quarry-sdk/quarry/web/search"
)

// resultsPerPage is how many results the search engine puts on a page.
const resultsPerPage = 20

// Provider returns a provider over the pages that the search engine knows, for use without
// HTTP: the same index in the same order. As of any provider, its results are no more than
// Query.Max, which a search.Searcher fills in.
func (w *Web) Provider() search.Provider { return w.index }

// indexPages fills the search engine. It ranks by words alone. It knows the pages that
// anyone may read, and of some that are now behind a wall or gone what they once said.
func indexPages(pages map[string]*page) *search.Index {
	x := search.NewIndex("fictional")
	for _, at := range slices.Sorted(maps.Keys(pages)) {
		p := pages[at]
		switch {
		case p.Indexed != nil:
			x.Add(search.Page{URL: at, Title: p.Indexed.Title, Text: p.Indexed.Text, Published: p.Indexed.Published})
		case p.Status == http.StatusOK && !p.Unlisted && p.text != "":
			x.Add(search.Page{URL: at, Title: p.title, Text: p.text, Published: p.published})
		}
	}
	return x
}

// result is a result as SearXNG writes it (https://docs.searxng.org/dev/search_api.html).
type result struct {
	URL       string   `json:"url"`
	Title     string   `json:"title"`
	Content   string   `json:"content"`
	Engine    string   `json:"engine"`
	Engines   []string `json:"engines"`
	Category  string   `json:"category"`
	Published string   `json:"publishedDate,omitempty"`
}

// serveSearch answers /search with its parameters q, format and pageno.
func (w *Web) serveSearch(rw http.ResponseWriter, r *http.Request) {
	asked := r.URL.Query().Get("q")
	if r.URL.Path != "/search" || strings.TrimSpace(asked) == "" {
		rw.Header().Set("Content-Type", htmlType)
		fmt.Fprint(rw, "<!DOCTYPE html>\n<title>Search</title><form action=\"/search\"><input name=\"q\"><button>Search</button></form>\n")
		return
	}
	q := readQuery(asked)
	q.Max = search.MaxResults
	found, err := w.index.Search(r.Context(), q)
	if err != nil {
		http.Error(rw, err.Error(), http.StatusInternalServerError)
		return
	}
	number, err := strconv.Atoi(r.URL.Query().Get("pageno"))
	if err != nil || number < 1 {
		number = 1
	}
	from := min((min(number, len(found)+1)-1)*resultsPerPage, len(found))
	found = found[from:min(from+resultsPerPage, len(found))]
	if r.URL.Query().Get("format") == "json" {
		writeJSON(rw, asked, found)
		return
	}
	rw.Header().Set("Content-Type", htmlType)
	fmt.Fprintf(rw, "<!DOCTYPE html>\n<title>%s</title><ol>\n", html.EscapeString(asked))
	for _, f := range found {
		fmt.Fprintf(rw, "<li><a href=\"%s\">%s</a><br>%s</li>\n", html.EscapeString(f.URL), html.EscapeString(f.Title), html.EscapeString(f.Snippet))
	}
	fmt.Fprint(rw, "</ol>\n")
}

func writeJSON(rw http.ResponseWriter, asked string, found []search.Result) {
	results := make([]result, 0, len(found))
	for _, f := range found {
		results = append(results, result{URL: f.URL, Title: f.Title, Content: f.Snippet, Engine: "fictional",
			Engines: []string{"fictional"}, Category: "general", Published: f.Published})
	}
	rw.Header().Set("Content-Type", "application/json")
	json.NewEncoder(rw).Encode(map[string]any{
		"query": asked, "number_of_results": 0, "results": results,
		"answers": []string{}, "corrections": []string{}, "infoboxes": []string{}, "suggestions": []string{}, "unresponsive_engines": [][]string{},
	})
}

// readQuery takes site:HOST and -site:HOST, and OR between them, out of a query.
func readQuery(asked string) (q search.Query) {
	var words []string
	for _, word := range strings.Fields(asked) {
		if host, ok := strings.CutPrefix(word, "site:"); ok {
			if last := len(words) - 1; len(q.Sites) > 0 && last >= 0 && words[last] == "OR" {
				words = words[:last]
			}
			q.Sites = append(q.Sites, host)
		} else if host, ok := strings.CutPrefix(word, "-site:"); ok {
			q.NotSites = append(q.NotSites, host)
		} else {
			words = append(words, word)
		}
	}
	q.Text = strings.Join(words, " ")
	return q
}
