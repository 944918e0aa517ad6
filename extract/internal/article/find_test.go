package article_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/quarry-sdk/quarry/extract/internal/article"
)

// paragraph is a paragraph that says it is part of the text.
func paragraph(name string) string {
	return "<p>" + name + " begins a sentence of the text, which goes on for a while, and another one ends it. So there is enough of it to read.</p>"
}

// TestFindKeeps marks what must be kept of a page with a plus, what must not with
// a minus.
func TestFindKeeps(t *testing.T) {
	t.Parallel()
	body := paragraph("+one") + paragraph("+two") + paragraph("+three")
	tests := []struct{ name, page string }{
		{"menu and footer", "<nav><a href=x>-menu</a></nav><main>" + body + "</main><footer>-imprint of the site, with a sentence.</footer>"},
		{"roles", "<div role=navigation>-menu</div>" + body + "<div role=contentinfo>" + paragraph("-about") + "</div><div role=complementary>" + paragraph("-side") + "</div>"},
		{"comments", "<article>" + body + "</article><div id=comments>" + strings.Repeat(paragraph("-reader"), 3) + "</div>"},
		{"cookie notice", "<div class=cookie-notice>" + paragraph("-cookies") + "</div>" + body},
		{"dialog", "<div role=dialog>" + paragraph("-accept") + "</div>" + body},
		{"sidebar beside div", "<div class=row><div>" + body + "</div><div class=sidebar>" + paragraph("-side") + "</div></div>"},
		{"sidebar around all", "<div class=has-sidebar><div class=sidebar-layout>" + body + "</div></div>"},
		{"banner around all", "<body class='promo ad'><div class=promo>" + body + "</div>"},
		{"widget that holds most", "<div class=widget>" + strings.Repeat(body, 3) + "</div><div>" + strings.Repeat("<p>Nobody else has said so, and whoever reads on will find quite another matter here, told at length and in other words.</p>", 5) + "</div>"},
		{"text named a teaser", "<div class=blog_teaser_text>" + body + "</div><div class=x><p>-short</p></div>"},
		{"paywall around paragraphs", "<article>" + paragraph("+zero") + "<div class=paywall>" + body + "</div></article>"},
		{"hidden", body + "<p hidden>-hidden one, with a sentence.</p><p style='display: none'>-styled</p><span class=sr-only>-read aloud</span>"},
		{"scripts and controls", "<article>" + body + "<script>-script</script><noscript>-noscript</noscript><button>-button</button><select><option>-option</select></article>"},
		{"title is not text", "<title>A headline of the page</title><article><h1>-A headline of the page</h1>" + body + "</article>"},
		{"what comes before the title", "<title>A headline of the page</title>" + paragraph("-lead") + "<h1>-A headline of the page</h1>" + body},
		{"headings within", "<article>" + paragraph("+one") + "<h2>+heading</h2>" + paragraph("+two") + "<h3>+lower</h3>" + paragraph("+three") + "</article>"},
		{"headings of nothing", "<article>" + body + "<h2>-more of us</h2></article>"},
		{"lists within", "<article>" + paragraph("+one") + "<ul><li>+apples</li><li>+pears</li></ul>" + paragraph("+two") + "</article>"},
		{"tables within", "<article>" + paragraph("+one") + "<table class=player-table><tr class=player-1><td>+cell</td><td>+5040</td></tr></table>" + paragraph("+two") + "</article>"},
		{"captions", "<article>" + paragraph("+one") + "<figure><img src=x><figcaption>-caption, with a sentence.</figcaption></figure><p class=wp-caption-text>-caption</p>" + paragraph("+two") + "</article>"},
		{"byline", "<article><p>By -Jane -Doe</p><p>Published -17 May 2019</p>" + body + "</article>"},
		{"share bar", "<article><div class=share-buttons><a href=x>-tweet</a></div>" + body + "<ul class=social><li>-like</li></ul></article>"},
		{"section about sharing", "<article>" + paragraph("+one") + "<div id=sharing-with-a-single-developer>" + body + "</div></article>"},
		{"section about cookies", "<article>" + paragraph("+one") + "<section id=cookies><h2>+Cookies</h2>" + paragraph("+two") + "</section><h2 id=related>+related matters</h2>" + paragraph("+three") + "</article>"},
		{"section of comments", "<article>" + body + "<section id=comments><h2>-Comments</h2>" + paragraph("-reader") + "</section></article>"},
		{"lead named a teaser", "<article><p class=teaser>+lead begins the text with a sentence that is long enough, and says so.</p>" + body + "<div class=teaser>-another <a href=x>page</a></div></article>"},
		{"no paragraph", "<body><a href='javascript:'><p>+abc</p><p>+def</p>+ghi</a>"},
		{"tags of the text as classes", "<article class='post tag-newsletter category-related'>" + body + "</article>"},
		{"pointer with a link", "<article>" + paragraph("+one") + "<p>-Read more: <a href=x>another page of ours</a></p>" + paragraph("+two") + "</article>"},
		{"pointer in German", "<article>" + paragraph("+one") + "<p>-Lesen Sie auch: <a href=x>eine andere Seite</a></p>" + paragraph("+two") + "</article>"},
		{"line that is a link", "<article>" + paragraph("+one") + "<p><a href=x>-ANOTHER STORY OF OURS THAT YOU SHOULD READ</a></p>" + paragraph("+two") + "</article>"},
		{"links within", "<article>" + paragraph("+one") + "<p>+Linked <a href=x>words in the middle of</a> a sentence, that goes on behind them.</p>" + paragraph("+two") + "</article>"},
		{"related links", "<article>" + body + "<h3>-Related stories</h3><ul><li><a href=x>-first of them</a></li><li><a href=x>-second of them</a></li></ul></article>"},
		{"related links within", "<article>" + paragraph("+one") + "<h4>-More:</h4><ul><li><h4><a href=x>-first of them</a></h4></li></ul>" + paragraph("+two") + "</article>"},
		{"related links in Chinese", "<article><p>+本报记者从有关部门获悉，今年前三季度经济运行总体平稳，就业形势保持稳定。</p><p>+专家表示，下一步要继续扩大内需，推动高质量发展，改善民生福祉。</p><div>-相关阅读</div><ul><li><a href=x>-另一篇文章</a></li></ul></article>"},
		{"prompts", "<article>" + paragraph("+one") + "<p>-Sign up for our daily newsletter</p><p>-Follow us on Twitter</p><p>-Advertisement</p>" + paragraph("+two") + "</article>"},
		{"prompt words in a long paragraph", "<article>" + paragraph("+one") + "<p>+The site told users to sign up for a newsletter, the court heard, " + strings.Repeat("and the case went on, as cases do, ", 6) + "until it was settled.</p></article>"},
		{"credits behind the text", "<article>" + body + "<p>-Jane Doe contributed to this report.</p><p>-Reporting by Jane Doe; Editing by John Doe</p></article>"},
		{"post of another site", "<article>" + paragraph("+one") + "<div class='widget share'><blockquote class=twitter-tweet><p>+posted words</p>+— Somebody</blockquote></div>" + paragraph("+two") + "</article>"},
		{"marked body", "<div itemprop=articleBody><p>+A short text of a few words that is marked, and that is all there is of it. It has two sentences, though, and the third is what makes it believable.</p></div><div>" + strings.Repeat(paragraph("-other"), 4) + "</div>"},
		{"paragraphs that are marked each", "<article><div>" + strings.ReplaceAll(body, "<p>", "<p itemprop=articleBody>") + "</div></article><div>" + strings.Repeat(paragraph("-other"), 4) + "</div>"},
		{"bodies of several articles", "<div><article><div class=article-body>" + body + "</div></article><article><div class=article-body>" + paragraph("-other") + "</div></article></div>"},
		{"article with the title among others", "<title>A headline of the page</title><article>" + strings.Repeat(paragraph("-other"), 5) + "</article><article><h1>-A headline of the page</h1>" + body + "</article>"},
		{"text that JSON-LD gives", `<script type="application/ld+json">{"@type":"NewsArticle","articleBody":"` + strings.ReplaceAll(strings.NewReplacer("<p>", "", "</p>", " ").Replace(body), "+", "") + `"}</script><div><div>` + strings.ReplaceAll(body, "+", "<b>+</b>") + "</div></div><div>" + strings.Repeat("<p>-Nobody else has said so, and whoever reads on will find quite another matter here, told at length and in other words.</p>", 9) + "</div>"},
		{"lines parted by br", "<div><div>+one begins a sentence of the text, which goes on for a while, and another one ends it.<br><br>+two begins a sentence of the text, which goes on for a while, and another one ends it.</div><div><a href=x>-menu</a></div></div>"},
		{"readings over letters", "<article><p>+子どもへの<ruby>虐待<rt>-ぎゃくたい</rt></ruby>をなくすための法律ができて、親が子どもを教育するために、たたいたり蹴ったりする体罰を禁止することになりました。</p></article>"},
	}
	for _, test := range tests {
		text, _ := mainText(t, "<!DOCTYPE html>"+test.page, "http://example.org/")
		for _, mark := range strings.FieldsFunc(test.page, func(r rune) bool { return strings.ContainsRune(" <>\n,.-—", r) && r != '-' }) {
			switch word := strings.TrimLeft(mark, "+-"); {
			case strings.HasPrefix(mark, "+") && word != "" && !strings.Contains(text, word):
				t.Errorf("%s: %q is missing from %q", test.name, mark, text)
			case strings.HasPrefix(mark, "-") && strings.Contains(text, mark):
				t.Errorf("%s: %q is in %q", test.name, mark, text)
			}
		}
	}
}

// TestContainsBlanks keeps the blanks between the elements of a line.
func TestContainsBlanks(t *testing.T) {
	t.Parallel()
	const code = "<span>SELECT</span> <span>avg</span>\n<span>FROM</span>"
	text, _ := mainText(t, "<article>"+paragraph("one")+"<pre>"+code+"</pre>"+paragraph("two")+"</article>", "")
	if !strings.Contains(text, "SELECT avg\nFROM") {
		t.Errorf("the blanks are lost in %q", text)
	}
}

// TestFindLeavesTheTree compares the tree before and after.
func TestFindLeavesTheTree(t *testing.T) {
	t.Parallel()
	root := parse(t, "<title>t</title><nav>menu</nav><article>"+paragraph("one")+"<p class=byline>By me</article><!-- c -->")
	before := markup(t, root)
	a := article.Find(root, "")
	if after := markup(t, root); after != before {
		t.Errorf("the tree is\n%s\nafter\n%s", after, before)
	}
	for n := range root.Descendants() {
		if n.Type == html.TextNode && a.Contains(n) && !a.Contains(n.Parent) {
			t.Errorf("%q is contained, and its parent %q is not", n.Data, n.Parent.Data)
		}
	}
}

func markup(t testing.TB, root *html.Node) string {
	t.Helper()
	var b strings.Builder
	if err := html.Render(&b, root); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func FuzzFind(f *testing.F) {
	f.Add("<title>A</title><article><h1>A</h1>" + paragraph("one") + "<time datetime=2019-11-18>x</time></article>")
	f.Add(`<script type="application/ld+json">{"@graph":[{"@type":["Article"],"author":[{"name":"x"}],"datePublished":"2019-11-18",},]}</script><p>1`)
	f.Add("<div class='comment share'><p>Updated: 03/04/2019<br>Published 2019年5月17日<table><tr><td><li>a")
	f.Add("<meta name=date content=2019><svg><title>x</title><p>\xff\x00<rt>")
	f.Fuzz(func(t *testing.T, src string) {
		root, err := html.Parse(strings.NewReader(src))
		if err != nil {
			return
		}
		before := markup(t, root)
		a := article.Find(root, src)
		for n := range root.Descendants() {
			if a.Contains(n) && n.Type != html.TextNode && n.Type != html.ElementNode {
				t.Errorf("contains a node of type %v", n.Type)
			}
		}
		for _, d := range a.Dates {
			if d.Value < "1990" || d.Value > "2101" || d.Source == "" || d.Raw == "" {
				t.Errorf("date %+v", d)
			}
		}
		if markup(t, root) != before {
			t.Error("the tree was changed")
		}
	})
}
