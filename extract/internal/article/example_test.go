package article_test

import (
	"fmt"
	"strings"

	"golang.org/x/net/html"

	"github.com/quarry-sdk/quarry/extract/internal/article"
)

func ExampleFind() {
	const page = `<html lang="en"><title>Tin found in Cornwall | The Site</title>
<meta property="og:site_name" content="The Site">
<nav><a href="/">Home</a></nav>
<article>
<h1>Tin found in Cornwall</h1>
<p class="byline">By Jane Doe, published 17 May 2019</p>
<p>A seam of tin was found near Redruth on Thursday, the company said, and it is the largest in a century.</p>
<p>Read more: <a href="/copper">Copper found in Wales</a></p>
</article>`
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		fmt.Println(err)
		return
	}
	a := article.Find(root, "https://example.org/2019/05/tin")
	fmt.Println(a.Title, "/", a.Byline, "/", a.SiteName)
	for _, d := range a.Dates {
		fmt.Println(d.Kind, d.Value, "from", d.Source)
	}
	for n := range root.Descendants() {
		if n.Type == html.TextNode && a.Contains(n) {
			fmt.Println(n.Data)
		}
	}
	// Output:
	// Tin found in Cornwall / Jane Doe / The Site
	// published 2019-05-17 from text
	// published 2019-05 from url
	// A seam of tin was found near Redruth on Thursday, the company said, and it is the largest in a century.
}
