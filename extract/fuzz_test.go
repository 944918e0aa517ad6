package extract

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

// fuzz reads arbitrary bytes: they may be refused, but nothing may panic, and a
// document keeps its promises.
func fuzz(f *testing.F, hint Hint, seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := Read(t.Context(), data, hint)
		if err != nil {
			if !errors.Is(err, ErrUnsupported) && !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrEmpty) && !errors.Is(err, ErrTooLarge) && !errors.Is(err, ErrEncrypted) {
				t.Errorf("an error of no kind: %v", err)
			}
			return
		}
		check(t, doc)
		if !utf8.ValidString(doc.Text) {
			t.Error("the text is not UTF-8")
		}
		again, err := Read(t.Context(), data, hint)
		if err != nil || again.Text != doc.Text {
			t.Errorf("read again the text is another one: %v", err)
		}
	})
}

func FuzzHTML(f *testing.F) {
	fuzz(f, Hint{Format: HTML, URL: "https://h.example/d/"},
		"<title>T</title><h1>T</h1><p>a<b>b</b></p><h2>x<h3>y</h2>", "<table><tr><td rowspan=2>a<td colspan=3><h2>b</h2><p>c</table><dl><dt id=x>t<dd>d</dl>",
		"<?xml version='1.0'?><a id='x'/><pre>\n\n a\r\n</pre></p></p>", "<table><tr><td><table><td>x</table><tr><td><pre> a\n\n</pre>",
		strings.Repeat("<div>", 600)+"deep<h1>x", "<svg><title>no</title><text>a</svg><math><mi>x</mi></math>", "<style>p>.a,#b{display:none!important}@media(max-width:1px){</style><p class=a>x<p id=b>y",
		"<p style='position:absolute;left:-9e9px;clip:rect(0'>x<p style=opacity:0>y<p style=font-size:0>z", "<frameset><frame>", "<select><option>q<h1>q", "<h1>a\tb\n\nc</h1>x<br><br>y",
		"<a href=//x>a<p>b</a>c", "<base href=%zz><a href=x>y", "<noscript><p>x</noscript><template>y</template>z", "<textarea>\n\na</textarea><plaintext>b<p>",
	)
}

func FuzzCharset(f *testing.F) {
	for _, s := range []string{
		"\xff\xfe<\x00p\x00>\x00a\x00", "<p>\xff\xfe\x80 a", "<meta charset=gbk>\xd6\xd0\xce\xc4", "<?xml version='1.0' encoding='koi8-r'?>\xc1", "\x1b$B@_Dj",
		"<meta http-equiv=content-type content='text/html; charset=big5'>\xa4\xa4", "<meta content='charset=\"", "<!-- <meta charset=utf-8", "</x a=b c='d'><meta/charset=x>",
	} {
		f.Add([]byte(s), "text/html; charset=shift_jis", true)
		f.Add([]byte(s), "", false)
	}
	f.Fuzz(func(t *testing.T, data []byte, header string, html bool) {
		syn := noSyntax
		if html {
			syn = htmlSyntax
		}
		got, err := decode(data, header, syn)
		if err == nil && (!utf8.ValidString(got.text) || got.charset == "" || got.source == "") {
			t.Errorf("%q in %q by %q", got.text, got.charset, got.source)
		}
	})
}

func FuzzSniff(f *testing.F) {
	for _, s := range []string{"PK\x03\x04", "PK\x05\x06", "%PDF-", "<!-- <html>", "<!DOCTYPE x [<!ENTITY a 'b'>]><rss>", "{\"version\":\"https://jsonfeed.org/version/1\"}", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "RIFF1234WAVE", "\xfe\xff\x00<"} {
		f.Add([]byte(s), "text/html", "a.md")
	}
	f.Fuzz(func(t *testing.T, data []byte, header, name string) {
		format, err := Sniff(data, Hint{ContentType: header, Name: name, URL: name})
		if (format == "") != (err != nil) {
			t.Errorf("format %q, error %v", format, err)
		}
	})
}

func FuzzText(f *testing.F) {
	for _, s := range []string{
		"# T\n\n*a* `b`\n\n- [x](y.md)\n> q\n", "---\ntitle: x\n---\n# y", "|a|b|\n|-|-|\n|<h1>x|y|", "=====\nTitle\n=====\n\n``x`` :r:`y <z>`\n\n.. note:: a\n   b\n", "== ==\na  b\n== ==\n1  2\n== ==\n",
		"+--+--+\n|a |b |\n+==+==+\n", "* - a\n  - b\n", "a;\"b\nc\";d\n", "{\"a\":[1,{\"b\":null}]} 2", "<rss><item><title>x</title><description>&lt;p>y", "<urlset><url><loc>a</loc><lastmod>b</lastmod></url>", "\f\n a \r b \u2028",
	} {
		for i := range 7 {
			f.Add([]byte(s), i)
		}
	}
	formats := []Format{Markdown, RST, Plain, CSV, JSON, Feed, Sitemap}
	f.Fuzz(func(t *testing.T, data []byte, i int) {
		doc, err := Read(t.Context(), data, Hint{Format: formats[uint(i)%7], URL: "https://h.example/"})
		if err == nil {
			check(t, doc)
		}
	})
}
