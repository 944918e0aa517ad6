// Package search finds pages of the web by the providers that search it.
//
//	brave, err := search.Brave(search.Account{})   // key: BRAVE_API_KEY
//	tavily, err := search.Tavily(search.Account{}) // key: TAVILY_API_KEY
//	searcher, err := search.New(search.Config{Providers: []search.Provider{brave, tavily}})
//	answer, err := searcher.Search(ctx, search.Query{Text: "Ada Lovelace notes", Sites: []string{"example.org"}})
//	for _, r := range answer.Results {
//		fmt.Println(r.Title, r.URL)
//	}
//
// Most callers need the constructor of a provider, [New] and [Searcher.Search].
// [Index] searches pages that are at hand, without a network.
//
// What is promised: a provider that fails, has nothing or is not to be asked now is
// followed by the next, and the answer says so; queries keep to the limits that
// providers declare; each page comes once, by [Key]; results keep to the query's
// sites and days, as far as a day is known. Keys are in no error.
//
// What is not promised: that a result is what was looked for, and what a snippet
// says. A snippet is a provider's words and no evidence; fetch the page.
package search
