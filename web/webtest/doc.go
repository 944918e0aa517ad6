// Package webtest has a web of its own for tests: hosts in memory, whose names
// resolve to addresses of the public web although nothing leaves the process, and
// the pages on which fetchers and readers of pages go wrong.
//
//	n := webtest.NewNet(t)
//	n.Handle("news.example", http.HandlerFunc(serveArticle))
//	fetcher, err := web.New(web.Config{Guard: n.Guard()})
//	...
//	page, err := fetcher.Fetch(ctx, web.Request{URL: "http://news.example/article"})
//
// It works inside of a bubble of testing/synctest, where waits take no time.
// [Fixtures] lists the pages, each with what a person would make of it, and
// [Net.HandleFixtures] serves them.
package webtest
