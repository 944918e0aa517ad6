// Package article finds the main content of a web page: the text that a reader came for, without menus, comments, captions,
// prompts and links to other pages; and the title, byline, site, language and dates that the page states.
//
//	root, err := html.Parse(strings.NewReader(page))
//	if err != nil {
//		return err
//	}
//	a := article.Find(root, "https://example.org/2019/05/17/page")
//	for n := range root.Descendants() {
//		if n.Type == html.TextNode && a.Contains(n) {
//			fmt.Print(n.Data)
//		}
//	}
//
// Most callers need [Find], [Article.Contains] and [Article.Dates].
//
// The tree is laid out in a slice and its texts are cut into lines, as a reader sees them. A line that is long enough, has
// sentences and few links is good. What class names, ids, roles and elements say stands around a text is dropped, unless it
// holds much of what is good. The element that holds the content is then the one that the page names: by the text that JSON-LD
// gives, by microdata, by names that only a body has, by the article element that shows the title; or else the one whose lines
// say most for it. Within it, lines are dropped by what they are (captions, bylines, links alone in a paragraph), by what they
// say (prompts, labels and credits in a dozen languages) and by where they stand (before the first paragraph, behind the last).
//
// Dates come from JSON-LD, also where it is broken; meta elements; microdata; time elements and visible text between the title and
// the text, or elsewhere where words say what they are of; and the path of the address. A date of which nothing says what it is
// of is reported only if it agrees with the best of its kind. A date such as 03/04/2019 is read only where the language of the
// page settles the order of day and month. The year of a copyright is no date.
//
// What is not promised: that the same page gives the same content in another version, and anything for pages that scripts fill.
package article
