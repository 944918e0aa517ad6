package extract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// show writes the blocks of a document, one per line: kind, level, "-" for what is
// not of the main content, text.
func show(doc *Document) []string {
	var list []string
	for _, b := range doc.Blocks {
		side := ""
		if !b.Main {
			side = "-"
		}
		list = append(list, fmt.Sprintf("%s%.0d%s %s", b.Kind, b.Level, side, doc.Text[b.Start:b.End]))
	}
	return list
}

// check tests what each document promises of its offsets.
func check(t testing.TB, doc *Document) {
	t.Helper()
	at := 0
	for i, b := range doc.Blocks {
		if b.Start < at || b.End <= b.Start || b.End > len(doc.Text) {
			t.Fatalf("block %d is %d to %d, after %d, of %d bytes", i, b.Start, b.End, at, len(doc.Text))
		}
		if between := strings.TrimSpace(doc.Text[at:b.Start]); between != "" {
			t.Fatalf("%q is in no block", between)
		}
		at = b.End
	}
	if rest := strings.TrimSpace(doc.Text[at:]); rest != "" {
		t.Fatalf("%q is in no block", rest)
	}
	for i, l := range doc.Links {
		if l.Start < 0 || l.End <= l.Start || l.End > len(doc.Text) || l.URL == "" {
			t.Fatalf("link %d is %+v, of %d bytes", i, l, len(doc.Text))
		}
	}
}

func readString(t testing.TB, src string, hint Hint) *Document {
	t.Helper()
	doc, err := Read(t.Context(), []byte(src), hint)
	if err != nil {
		t.Fatal(err)
	}
	check(t, doc)
	return doc
}

func TestHTMLBlocks(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, src string
		want      []string
	}{
		{"white space", "<p> One <b>t</b>wo&nbsp;three,<br>four\n five.\t</p>  <p>a<span> </span>b<span>c</span> so&shy;ft", []string{"paragraph One two\u00a0three,\nfour five.", "paragraph a bc so\u00adft"}},
		{"line breaks", "<div><br>a<br>b<br><br>c<br><br><br>d<br></div>e", []string{"paragraph a\nb", "paragraph c", "paragraph d", "paragraph e"}},
		{"inline elements make no blanks", "<p>a<sup>2</sup>+b<sub>1</sub><a>c</a><wbr>d<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby>", []string{"paragraph a2+b1cd漢かん"}},
		{"headings", "<h1>A <i>b</i><br>c</h1><h3><div>x</div><div>y</div></h3>z", []string{"heading1 A b\nc", "heading3 x\ny", "paragraph z"}},
		{"a heading that is never closed is its first line", "<h2>Open<p>" + strings.Repeat("text ", 80) + "<p>more", []string{"heading2 Open", "paragraph " + strings.TrimSpace(strings.Repeat("text ", 80)), "paragraph more"}},
		{"lists", "<ul><li>a<ul><li>b<p>c</p></li></ul>d</li></ul><ol><li><blockquote>q</blockquote></ol><dl><dt>t<dd>d</dl>", []string{"list_item1 a", "list_item2 b", "list_item2 c", "list_item1 d", "quotation q", "list_item1 t", "list_item1 d"}},
		{"preformatted", "<pre>\n  x := 1\n\n\ty<br>z\n</pre><textarea>a\n b</textarea>", []string{"preformatted   x := 1\n\n\ty\nz", "preformatted a\n b"}},
		{"table", "<table><caption>C</caption><thead><tr><th>k<th>v</thead><tr><td>a<td><td>c<td></table>", []string{"caption C", "table_row k\tv", "table_row a\t\tc"}},
		{"cells that span", "<table><tr><td rowspan=2>r<td colspan=2>wide<td>x<tr><td>a<td>b<td>c<tr><td>1<td>2<td>3<td>4</table>", []string{"table_row r\twide\t\tx", "table_row \ta\tb\tc", "table_row 1\t2\t3\t4"}},
		{"blocks in cells", "<table><tr><td><p>a</p><p>b</p><td><ul><li>c<li>d</ul></table>", []string{"table_row a\nb\tc\nd"}},
		{"a table that is a layout", "<table><tr><td><h2>H</h2><p>x<td><p>y</table>", []string{"heading2 H", "paragraph x", "paragraph y"}},
		{"captions and quotations", "<figure><img alt=no><figcaption>F <b>g</b></figcaption></figure><blockquote>a<p>b</blockquote>", []string{"caption F g", "quotation a", "quotation b"}},
		{"open and closed", "<details><summary>s</summary>d</details><dialog open>o</dialog><p aria-hidden=true>r", []string{"paragraph s", "paragraph d", "paragraph o", "paragraph r"}},
		{"display", "<span style='display:block'>a</span><span style='display:block'>b</span><div style='display:inline'>c</div><div style='display:inline'>d</div><div style='display:flex'><span>e</span><span>f</span></div>", []string{"paragraph a", "paragraph b", "paragraph cd", "paragraph e", "paragraph f"}},
		{"svg and math", "<p>a<svg><title>no</title><defs><text>no</text></defs><text>b</text></svg><math><semantics><mi>x</mi><annotation>no</annotation></semantics></math>", []string{"paragraph abx"}},
		{"white-space", "<div style='white-space:pre-wrap'>a\n  b</div>", []string{"paragraph a\n  b"}},
		{"xhtml closed in place", `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body><p>a<a id="x"/>b</p><script src="y"/><p>c</p></body></html>`, []string{"paragraph ab", "paragraph c"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			doc := readString(t, test.src, Hint{Format: HTML})
			got := show(doc)
			for i := range got { // TestHTMLSides has what is main
				got[i] = strings.Replace(got[i], "- ", " ", 1)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("blocks (-want +got):\n%s", diff)
			}
		})
	}
}

// TestHTMLSides: what stands around the content is told from it.
func TestHTMLSides(t *testing.T) {
	t.Parallel()
	doc := readString(t, "<header>h</header><nav>n</nav><main><header>t</header>m<aside>a</aside></main><div role=contentinfo>i</div><footer>f</footer>", Hint{Format: HTML})
	want := []string{"paragraph- h", "paragraph- n", "paragraph t", "paragraph m", "paragraph- a", "paragraph- i", "paragraph- f"}
	if diff := cmp.Diff(want, show(doc)); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
	r, err := New(Options{NoArticle: true})
	if err != nil {
		t.Fatal(err)
	}
	const page = "<title>T</title><meta name=author content=A><meta property=article:published_time content=2024-05-17><nav>n</nav><p>p"
	plain, err := r.Read(t.Context(), []byte(page), Hint{Format: HTML})
	if err != nil || plain.Title != "T" || plain.Byline != "" || plain.Dates != nil || plain.Blocks[0].Main || !plain.Blocks[1].Main {
		t.Errorf("without the article: %v, %+v", err, plain)
	}
	if doc := readString(t, page, Hint{Format: HTML}); doc.Byline != "A" || len(doc.Dates) != 1 || doc.Text != plain.Text {
		t.Errorf("with it: %+v", doc)
	}
	many := strings.Repeat("<b>x</b>", maxNodes)
	doc = readString(t, "<nav>n</nav><p>"+many+"</p>", Hint{Format: HTML})
	if len(doc.Blocks) != 2 || doc.Blocks[0].Main || !doc.Blocks[1].Main {
		t.Errorf("a page of many elements: %+v", doc.Blocks)
	}
}

func TestHTMLHidden(t *testing.T) {
	t.Parallel()
	const seen = "seen"
	tests := []struct {
		name, src string
		visible   bool
	}{
		{"hidden", "<p hidden>x</p>", false},
		{"hidden until found", "<p hidden=until-found>x</p>", true},
		{"display", "<p style='color:red; DISPLAY : none '>x</p>", false},
		{"display in a comment", "<p style='/*display:none*/'>x</p>", true},
		{"visibility", "<div style='visibility:hidden'><b>x</b></div>", false},
		{"visible again", "<div style='visibility:hidden'><b style='visibility:visible'>x</b></div>", true},
		{"opacity", "<p style='opacity:0'>x</p>", false},
		{"half opacity", "<p style='opacity:0.5'>x</p>", true},
		{"opacity with an animation", "<p style='opacity:0;animation:fade 1s forwards'>x</p>", true},
		{"font size", "<p style='font-size:0px'>x</p>", false},
		{"font size set again by a class", "<div style='font-size:0'><p class=a>x</p></div>", true},
		{"off the screen", "<p style='position:absolute;left:-9999px'>x</p>", false},
		{"a little off", "<p style='position:absolute;left:-5px'>x</p>", true},
		{"negative but in flow", "<p style='left:-9999px'>x</p>", true},
		{"indent", "<p style='text-indent:-9999px'>x</p>", false},
		{"clip", "<p style='position:absolute;clip:rect(0 0 0 0)'>x</p>", false},
		{"clip path", "<p style='clip-path:inset(50%)'>x</p>", false},
		{"no height", "<p style='height:0;overflow:hidden'>x</p>", false},
		{"no height but padding", "<p style='height:0;overflow:hidden;padding-bottom:50%'>x</p>", true},
		{"color of the background", "<p style='color:#fff;background:white'>x</p>", false},
		{"color of the background around", "<div style='background-color:rgb(255,255,255)'><p style='color:#ffffff'>x</p></div>", false},
		{"color on another background", "<p style='color:#fff;background:#000'>x</p>", true},
		{"color on an unknown background", "<p style='color:#fff'>x</p>", true},
		{"template", "<template>x</template>", false},
		{"noscript", "<noscript><p>x</p></noscript>", false},
		{"dialog", "<dialog>x</dialog>", false},
		{"popover", "<div popover>x</div>", false},
		{"style by class", "<style>.h{display:none}</style><p class='a h'>x</p>", false},
		{"style by id", "<style>#h, .q {display:none}</style><p id=h>x</p>", false},
		{"style by name", "<style>em{display:none}</style><em>x</em>", false},
		{"style of descendants", "<style>div .h b{display:none}</style><div><p class=h><i><b>x</b></i></div>", false},
		{"style of children", "<style>div > b{display:none}</style><div><i><b>x</b></i></div>", true},
		{"style by two classes", "<style>.a.b{display:none}</style><p class=a>x</p>", true},
		{"style for print", "<style>@media print{p{display:none}}</style><p>x</p>", true},
		{"style for the screen", "<style>@media screen and (min-width: 600px){p{display:none}}</style><p>x</p>", false},
		{"style for a telephone", "<style>@media (max-width: 600px){p{display:none}}</style><p>x</p>", true},
		{"style element for print", "<style media=print>p{display:none}</style><p>x</p>", true},
		{"style of an animation", "<style>@keyframes k{from{visibility:hidden}p{display:none}}</style><p>x</p>", true},
		{"the more special rule", "<style>p.a{display:block}p{display:none}</style><p class=a>x</p>", true},
		{"the later rule", "<style>p{display:none}p{display:block}</style><p>x</p>", true},
		{"the important rule", "<style>p{display:none !important}p.a{display:block}</style><p class=a style='display:block'>x</p>", false},
		{"the style attribute", "<style>p{display:none}</style><p style='display:block'>x</p>", true},
		{"a state", "<style>p:hover{display:none}p::before{opacity:0}</style><p>x</p>", true},
		{"no scripts", "<html class=no-js><style>.no-js p{display:none}</style><p>x</p>", true},
		{"body", "<style>body{opacity:0}</style><p>x</p>", true},
		{"a broken style sheet", "<style>} p{color:red;;display:none</style><p>x</p>", false},
		{"input", "<input type=hidden value=x>", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			doc := readString(t, "<title>t</title>"+test.src+"<section>"+seen, Hint{Format: HTML})
			want := seen
			if test.visible {
				want = "x\n\n" + seen
			}
			if got := strings.ReplaceAll(doc.Text, "x\nseen", "x\n\nseen"); got != want {
				t.Errorf("text %q, want %q", got, want)
			}
			if hidden := 0; test.name != "input" {
				if !test.visible {
					hidden = 1
				}
				if doc.Hidden != hidden {
					t.Errorf("%d bytes hidden, want %d", doc.Hidden, hidden)
				}
			}
		})
	}
}

func TestHTMLFacts(t *testing.T) {
	t.Parallel()
	src := `<html lang="de_at"><head><title> A
 &amp; B </title><base href="/base/"><link rel="Canonical" href="x?y=1"><meta property="og:site_name" content="Site  S"></head>
<body><a href="z.html">in <b>bold</b> </a><a href=" #top ">top</a> <a href="javascript:go()">js</a><a href="http://[">bad</a><a name=q>anchor</a>
<div><a href="//other.example/ü"><p>block</p></a></div><p>Der Hund und die Katze sind auf dem Dach und sehen in den Garten.`
	doc := readString(t, src, Hint{URL: "https://host.example/dir/page.html"})
	got := map[string]string{"title": doc.Title, "site": doc.SiteName, "canonical": doc.Canonical, "language": doc.Language, "extractor": doc.Extractor}
	want := map[string]string{"title": "A & B", "site": "Site S", "canonical": "https://host.example/base/x?y=1", "language": "de-AT", "extractor": "html/1"}
	for _, l := range doc.Links {
		got[doc.Text[l.Start:l.End]] = l.URL
	}
	want["in bold"] = "https://host.example/base/z.html"
	want["top"] = "https://host.example/base/#top"
	want["block"] = "https://other.example/%C3%BC"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
}

func TestHTMLWarnings(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("A sentence that is only there for those who see it. ", 60)
	tests := []struct {
		name, src, code, text string
	}{
		{"a shell for scripts", "<div id=root>Loading</div><noscript><p>You need to enable JavaScript to run this app.</p></noscript>", "noscript", "Loading"},
		{"shown by a script", "<div style='opacity:0'>" + long + "</div><p>x", "revealed", strings.TrimSpace(long) + "\nx"},
		{"nested deeply", strings.Repeat("<div>", 3000) + "inside" + strings.Repeat("</div>", 3000) + "<p>end", "nesting", "inside\n\nend"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			doc := readString(t, test.src, Hint{Format: HTML})
			if strings.ReplaceAll(doc.Text, "\n\n", "\n") != strings.ReplaceAll(test.text, "\n\n", "\n") {
				t.Errorf("text %q", doc.Text)
			}
			if len(doc.Warnings) != 1 || doc.Warnings[0].Code != test.code {
				t.Errorf("warnings %+v, want %s", doc.Warnings, test.code)
			}
		})
	}
}
