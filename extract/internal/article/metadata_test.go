package article_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/extract/internal/article"
)

const text = `<p>The text begins with a sentence, which goes on for a while, and another one ends it, on whatever page it stands.</p>` +
	`<p>It is followed by a second one, that is no shorter than the first, so that there is a text at all, and one can find it.</p>`

func jsonld(s string) string { return `<script type="application/ld+json">` + s + `</script>` }

func TestFindMetadata(t *testing.T) {
	t.Parallel()
	type found struct{ Title, Byline, SiteName, Canonical, Language string }
	tests := []struct {
		name, page string
		want       found
	}{
		{"nothing", text, found{}},
		{"title element", "<title> A page\n of ours </title>" + text, found{Title: "A page of ours"}},
		{"site cut off", `<title>A page of ours | The Site</title><meta property=og:site_name content="The Site">` + text, found{Title: "A page of ours", SiteName: "The Site"}},
		{"heading in the title", "<title>A page of ours - News - The Site</title><h1>A page of ours</h1>" + text, found{Title: "A page of ours"}},
		{"heading that is another", "<title>A page of ours</title><h1>The Site</h1>" + text, found{Title: "A page of ours"}},
		{"title that is the site's", `<title>The Site</title><meta property=og:title content="The Site"><meta property=og:site_name content="The Site"><h1>A page of ours</h1>` + text, found{Title: "A page of ours", SiteName: "The Site"}},
		{"social title", `<title>x</title><meta property="og:title" content="Ours &amp;amp; theirs">` + text, found{Title: "Ours & theirs"}},
		{"language", `<html lang="pt-BR">` + text, found{Language: "pt-BR"}},
		{"language of the locale", `<meta property=og:locale content=de_AT>` + text, found{Language: "de-AT"}},
		{"canonical", `<link rel="canonical" href="/a?b=1">` + text, found{Canonical: "http://example.org/a?b=1"}},
		{"canonical that is none", `<link rel=canonical href="javascript:x"><meta property=og:url content="https://example.com/y">` + text, found{Canonical: "https://example.com/y"}},
		{"author of the page", `<meta name=author content="By Jane Doe">` + text, found{Byline: "Jane Doe"}},
		{"authors of the page", `<meta name=author content="Jane Doe"><meta name=author content="John Doe">` + text, found{Byline: "Jane Doe, John Doe"}},
		{"author that is an address", `<meta property=article:author content="https://example.org/jane">` + text, found{}},
		{"author with an address", `<meta name=author content="Jane Doe (http://example.org/)">` + text, found{Byline: "Jane Doe"}},
		{"author shown", "<h1>x</h1><span class=byline>By Jane Doe | 3 May 2019</span>" + text, found{Byline: "Jane Doe"}},
		{"author by rel", "<h1>x</h1><p>Text by <a rel=author href=x>Jane Doe</a></p>" + text, found{Byline: "Jane Doe"}},
		{"author of a comment", text + "<div class=comment><span class=author>Jane Doe</span></div>", found{}},
		{"JSON-LD", jsonld(`{"@context":"http://schema.org","@type":"NewsArticle","headline":"A page","author":{"@type":"Person","name":"Jane Doe"},"publisher":{"name":"The Site"},"inLanguage":"fr"}`) + text,
			found{"A page", "Jane Doe", "The Site", "", "fr"}},
		{"JSON-LD in a graph", jsonld(`{"@graph":[{"@type":"WebSite","name":"The Site"},{"@type":["Thing","x"]},{"@type":"BlogPosting","headline":"A page","author":["Jane Doe",{"name":["John Doe"]}]}]}`) + text,
			found{Title: "A page", Byline: "Jane Doe, John Doe"}},
		{"JSON-LD that is broken", jsonld("// <![CDATA[\n{\"@type\":\"Article\",/* x */\"headline\":\"A\npage\",}\n// ]]>") + text, found{Title: "A page"}},
		{"JSON-LD of a picture", jsonld(`{"@type":"ImageObject","name":"x","author":"x"}`) + text, found{}},
	}
	for _, test := range tests {
		a := article.Find(parse(t, test.page), "http://example.org/page")
		got := found{a.Title, a.Byline, a.SiteName, a.Canonical, a.Language}
		// A page without a title is called by its only heading.
		if test.want.Title == "" && strings.Contains(test.page, "<h1>x</h1>") {
			test.want.Title = "x"
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestFindDates(t *testing.T) {
	t.Parallel()
	const p, u = "published ", "updated "
	tests := []struct {
		name, page, url string
		want            []string
	}{
		{"nothing", text, "http://example.org/", nil},
		{"JSON-LD", jsonld(`{"@type":"Article","datePublished":"2019-11-18T08:30:00+01:00","dateModified":"2019-11-19"}`) + text, "",
			[]string{p + "2019-11-18T08:30:00+01:00 json-ld", u + "2019-11-19 json-ld"}},
		{"JSON-LD of the page behind that of the article", jsonld(`[{"@type":"WebPage","datePublished":"2001-01-01"},{"@type":"Article","datePublished":"2019-11-18"}]`) + text, "", []string{p + "2019-11-18 json-ld"}},
		{"JSON-LD of things within", jsonld(`{"@type":"Article","datePublished":"2019-11-18","video":{"@type":"VideoObject","datePublished":"2010-01-01"},"comment":[{"@type":"Comment","dateCreated":"2020-01-01"}]}`) + text, "", []string{p + "2019-11-18 json-ld"}},
		{"JSON-LD that cannot be mended", jsonld(`{"@type":"Article","a":"b"c","datePublished":"2019-11-18"`) + text, "", []string{p + "2019-11-18 json-ld"}},
		{"meta", `<meta property="article:published_time" content="2019-11-18T08:30:00Z"><meta name="DC.date.modified" content="2019-11-19">` + text, "",
			[]string{p + "2019-11-18T08:30:00Z meta", u + "2019-11-19 meta"}},
		{"microdata", `<article><meta itemprop=datePublished content=2019-11-18><span itemprop=dateModified>19 Nov 2019</span>` + text + `</article>`, "",
			[]string{p + "2019-11-18 microdata", u + "2019-11-19 microdata"}},
		{"microdata of a comment", text + `<div itemprop=comment itemscope itemtype="http://schema.org/Comment"><time itemprop=datePublished datetime=2019-11-18>x</time></div>`, "", nil},
		{"time in the header", `<article><header><h1>x</h1><time datetime=2019-11-18T08:30:00Z>yesterday</time></header>` + text + `</article>`, "", []string{p + "2019-11-18T08:30:00Z time"}},
		{"time that is an update", `<article><h1>x</h1>Updated <time datetime=2019-11-18>x</time>` + text + `</article>`, "", []string{u + "2019-11-18 time"}},
		{"time in a sidebar", `<article><h1>x</h1>` + text + `</article><aside><time datetime=2019-11-18>x</time></aside>`, "", nil},
		{"time of a comment", `<article><h1>x</h1>` + text + `</article><div class=comments><time datetime=2019-11-18>x</time></div>`, "", nil},
		{"time of a related article", `<h1>x</h1><article class=card><h2>another</h2><time datetime=2019-11-18>x</time></article><article>` + text + `</article>`, "", nil},
		{"address", text, "http://example.org/2019/05/17/page", []string{p + "2019-05-17 url"}},
		{"address with a word", text, "http://example.org/news/2019/may/07/page", []string{p + "2019-05-07 url"}},
		{"address with a month", text, "http://example.org/2019/05/page", []string{p + "2019-05 url"}},
		{"address in one", text, "http://example.org/a/20190517/page", []string{p + "2019-05-17 url"}},
		{"address of an archive", text, "https://web.archive.org/web/20070228213001/http://example.org/page", nil},
		{"address with a number", text, "http://example.org/page-1206313/2019/99/", nil},
		{"shown", "<h1>A page of ours</h1><p>Published 17 May 2019</p>" + text, "", []string{p + "2019-05-17 text"}},
		{"shown without a word", "<h1>A page of ours</h1><div>By Jane Doe <span>17 May 2019</span></div>" + text, "", []string{p + "2019-05-17 text"}},
		{"shown twice", "<h1>A page of ours</h1><p>Veröffentlicht am 17. Mai 2019, aktualisiert am 18. Mai 2019</p>" + text, "", []string{p + "2019-05-17 text", u + "2019-05-18 text"}},
		{"shown in Chinese", "<h1>一个页面的标题</h1><p>发布时间：2019年5月17日 来源：本网</p>" + text, "", []string{p + "2019-05-17 text"}},
		{"shown behind the text", "<article><h1>A page of ours</h1>" + text + "<p>Last updated: May 18, 2019</p></article>", "", []string{u + "2019-05-18 text"}},
		{"today above the headline", "<div>Monday, May 20, 2019</div><h1>A page of ours</h1><p>17 May 2019</p>" + text, "", []string{p + "2019-05-17 text"}},
		{"in the text", "<h1>A page of ours</h1>" + text + "<p>It happened on 17 May 2019.</p>", "", nil},
		{"copyright", "<h1>A page of ours</h1><p>© 17 May 2019 The Site</p>" + text + "<footer>Copyright 2019</footer>", "", nil},
		{"facts of a table", "<h1>A page of ours</h1><table><tr><th>Founded</th><td>February 28, 1998</td></tr></table>" + text, "", nil},
		{"two orders", "<h1>A page of ours</h1><p>03/04/2019</p>" + text, "", nil},
		{"a later date that nothing names", `<meta property="article:published_time" content="2019-05-17"><h1>A page of ours</h1><p>20 August 2020</p>` + text, "", []string{p + "2019-05-17 meta"}},
		{"an update before the publication", `<meta property="article:published_time" content="2019-05-17"><h1>A page of ours</h1><p>Updated 1 May 2018</p>` + text, "", []string{p + "2019-05-17 meta"}},
		{"a publication after the update", `<meta property="article:modified_time" content="2019-05-17"><h1>A page of ours</h1><p>20 August 2020</p>` + text, "", []string{u + "2019-05-17 meta"}},
	}
	for _, test := range tests {
		a := article.Find(parse(t, test.page), test.url)
		var got []string
		for _, d := range a.Dates {
			got = append(got, string(d.Kind)+" "+d.Value+" "+d.Source)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}
