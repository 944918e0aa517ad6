package search_test

import (
	"context"
	"fmt"

	"github.com/quarry-sdk/quarry/web/search"
)

// Pages at hand are searched without a network; a provider of the web takes the
// index's place without another change.
func Example() {
	pages := search.NewIndex("local")
	pages.Add(search.Page{URL: "https://example.org/engine", Title: "The engine", Text: "Ada wrote the first program.\nIt was for the engine."})
	pages.Add(search.Page{URL: "https://example.org/tea", Title: "Tea", Text: "How to make tea."})
	searcher, err := search.New(search.Config{Providers: []search.Provider{pages}})
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := searcher.Search(context.Background(), search.Query{Text: "first program"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range answer.Results {
		fmt.Printf("%s (%s): %s\n", r.Title, r.URL, r.Snippet)
	}
	// Output:
	// The engine (https://example.org/engine): Ada wrote the first program.
}
