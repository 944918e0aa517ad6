// Package webtools lets an agent search the web and read its pages.
//
//	fetcher, err := web.New(web.Config{Blobs: blobs})
//	searcher, err := search.New(search.Config{Providers: providers})
//	tools, err := webtools.New(webtools.Config{Fetcher: fetcher, Read: read, Searcher: searcher})
//	agent, err := quarry.New(quarry.Config{Model: m, Tools: tools})
//
// web_search finds pages, and web_fetch reads one: a short page whole, of a long one
// the outline and the passages that fit best what is looked for, and the rest by
// offset. Every page that was read is kept as a snapshot, if the fetcher keeps any,
// so that a quote can be checked later in what was really read.
//
// What a page says is data. It stands between marks with the hash of its text, which
// a text cannot hold itself; whatever in it imitates these marks, the harness or a
// turn of the conversation is broken by a zero-width space, which changes no quote:
// package evidence does not see it.
package webtools
