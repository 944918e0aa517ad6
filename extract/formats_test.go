package extract

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/internal/sharedtest"
)

func TestFormats(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		hint  Hint
		src   string
		title string
		want  []string
		links []string
	}{
		{
			name: "markdown", hint: Hint{Name: "b.md", URL: "https://h.example/d/b.md"}, title: "Front",
			src:   "---\ntitle: 'Front'\n---\n# Head *ing* {#id}\n\nSome **bold** [link](y.md) &copy; \\*not\\*\nnext.\n\n- one\n  - two\n\n```go\nf()\n\n\tg()\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> q\n\n<div hidden>no</div>\n\n![alt](i.png)\n",
			want:  []string{"heading1 Head ing", "paragraph Some bold link © *not* next.", "list_item1 one", "list_item2 two", "preformatted f()\n\n\tg()", "table_row a\tb", "table_row 1\t2", "quotation q"},
			links: []string{"link https://h.example/d/y.md"},
		},
		{
			name: "rst", hint: Hint{Name: "b.rst"}, title: "Guide",
			src:  "=====\nGuide\n=====\n\nIntro ``x`` :ref:`the target <l>`.\n\n* one\n* two\n\nPart\n----\n\nExample::\n\n  $ run\n   more\n\n====  ====\nA     B\n====  ====\n1     2\n====  ====\n\n.. note:: Care.\n",
			want: []string{"heading1 Guide", "paragraph Intro x the target.", "list_item1 one", "list_item1 two", "heading2 Part", "paragraph Example:", "preformatted $ run\n more", "table_row A\tB", "table_row 1\t2", "paragraph Care."},
		},
		{
			name: "plain", hint: Hint{Name: "b.txt"}, title: "Title line",
			src:  "\r\nTitle line\r\nmore\r\n\r\n  indented\ttab <b>\r\n",
			want: []string{"paragraph Title line\nmore", "paragraph   indented\ttab <b>"},
		},
		{
			name: "csv", hint: Hint{Name: "b.csv"},
			src:  "name;\"a; b\"\n\"x\ny\";1,5\n;2\n",
			want: []string{"table_row name\ta; b", "table_row x y\t1,5", "table_row \t2"},
		},
		{
			name: "tsv", hint: Hint{ContentType: "text/tab-separated-values"},
			src:  "a, b\tc\n1\t2\n",
			want: []string{"table_row a, b\tc", "table_row 1\t2"},
		},
		{
			name: "json", hint: Hint{},
			src:  `{"name": "A \u00fc", "list": [1.50, true, null, {"k": "v"}], "o": {"p": "q"}, "last": "z"}`,
			want: []string{"paragraph name: A ü", "paragraph list", "paragraph 1.50", "paragraph true", "paragraph null", "paragraph k: v", "paragraph o", "paragraph p: q", "paragraph last: z"},
		},
		{
			name: "json lines", hint: Hint{Name: "x.jsonl"},
			src:  "{\"a\": 1}\n{\"a\": 2}\n",
			want: []string{"paragraph a: 1", "paragraph a: 2"},
		},
		{
			name: "rss", hint: Hint{URL: "https://h.example/feed"}, title: "Feed & co",
			src: `<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>Feed &amp;amp; co</title><link>https://h.example/</link><description>About &lt;b&gt;it&lt;/b&gt;</description>
<lastBuildDate>Tue, 02 Jan 2024 10:00:00 +0100</lastBuildDate><image><title>no</title></image>
<item><title><![CDATA[One <i>two</i>]]></title><link>/one</link><pubDate>Mon, 1 Jan 2024 10:00:00 GMT</pubDate><description>short</description><content:encoded><![CDATA[<p>Long</p><p>text <a href="x">l</a></p>]]></content:encoded></item></channel></rss>`,
			want:  []string{"heading1 Feed & co", "paragraph Tue, 02 Jan 2024 10:00:00 +0100", "paragraph About it", "heading2 One two", "paragraph Mon, 1 Jan 2024 10:00:00 GMT", "paragraph Long", "paragraph text l"},
			links: []string{"Feed & co https://h.example/", "One two https://h.example/one", "l https://h.example/x"},
		},
		{
			name: "atom", hint: Hint{}, title: "T",
			src:   `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de"><title>T</title><updated>2024-01-02T03:04:05Z</updated><link rel="self" href="self"/><entry><title>E</title><link href="https://h.example/e"/><author><name>Ann</name></author><published>2024-01-01T00:00:00Z</published><content type="xhtml"><div><p>a <b>b</b></p><ul><li>c</li></ul></div></content></entry></feed>`,
			want:  []string{"heading1 T", "paragraph 2024-01-02T03:04:05Z", "heading2 E", "paragraph Ann", "paragraph 2024-01-01T00:00:00Z", "paragraph a b", "list_item1 c"},
			links: []string{"E https://h.example/e"},
		},
		{
			name: "json feed", hint: Hint{}, title: "J",
			src:   `{"version": "https://jsonfeed.org/version/1.1", "title": "J", "items": [{"title": "E", "url": "https://h.example/e", "content_text": "a < b", "date_published": "2024-01-01"}]}`,
			want:  []string{"heading1 J", "heading2 E", "paragraph 2024-01-01", "paragraph a < b"},
			links: []string{"E https://h.example/e"},
		},
		{
			name: "sitemap", hint: Hint{},
			src:   `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml"><url><loc> https://h.example/a </loc><lastmod>2024-01-01</lastmod><xhtml:link rel="alternate" hreflang="de" href="https://h.example/de"/></url><url><loc>https://h.example/b</loc></url></urlset>`,
			want:  []string{"table_row https://h.example/a\t2024-01-01", "table_row https://h.example/de\tde", "table_row https://h.example/b"},
			links: []string{"https://h.example/a https://h.example/a", "https://h.example/de https://h.example/de", "https://h.example/b https://h.example/b"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			doc := readString(t, test.src, test.hint)
			if doc.Title != test.title {
				t.Errorf("title %q, want %q", doc.Title, test.title)
			}
			if diff := cmp.Diff(test.want, show(doc)); diff != "" {
				t.Errorf("blocks (-want +got):\n%s", diff)
			}
			var links []string
			for _, l := range doc.Links {
				links = append(links, doc.Text[l.Start:l.End]+" "+l.URL)
			}
			if diff := cmp.Diff(test.links, links); diff != "" {
				t.Errorf("links (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFeedDates(t *testing.T) {
	t.Parallel()
	doc := readString(t, `<rss><channel><title>T</title><pubDate>Mon, 1 Jan 2024 10:00:00 EST</pubDate><lastBuildDate>Tue, 02 Jan 2024 10:00:00 +0100</lastBuildDate></channel></rss>`, Hint{})
	want := []Date{
		{Kind: Published, Value: "2024-01-01", Source: "feed", Raw: "Mon, 1 Jan 2024 10:00:00 EST"},
		{Kind: Updated, Value: "2024-01-02T10:00:00+01:00", Source: "feed", Raw: "Tue, 02 Jan 2024 10:00:00 +0100"},
	}
	if diff := cmp.Diff(want, doc.Dates); diff != "" {
		t.Errorf("dates (-want +got):\n%s", diff)
	}
}

// zipped makes a zip archive of members of one byte.
func zipped(t *testing.T, names ...string) string {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for _, name := range names {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(f, "x")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

func TestSniff(t *testing.T) {
	t.Parallel()
	docx := zipped(t, "[Content_Types].xml", "word/document.xml")
	tests := []struct {
		name, data, header, file string
		want                     Format
		err                      error
		says                     string
	}{
		{name: "pdf behind junk", data: "\n\njunk%PDF-1.4\n", header: "text/html", want: PDF},
		{name: "docx", data: docx, header: "application/zip", want: DOCX},
		{name: "docx without its directory", data: docx[:len(docx)-60], want: DOCX},
		{name: "pptx", data: zipped(t, "[Content_Types].xml", "ppt/presentation.xml"), want: PPTX},
		{name: "xlsx", data: zipped(t, "[Content_Types].xml", "xl/workbook.xml"), want: XLSX},
		{name: "epub", data: zipped(t, "mimetype", "META-INF/container.xml"), want: EPUB},
		{name: "zip", data: zipped(t, "a.txt"), file: "a.docx", err: ErrUnsupported, says: "zip archive"},
		{name: "old Office", data: "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("\x00", 100), err: ErrUnsupported, says: "old .doc"},
		{name: "Office with a password", data: "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("\x00", 100) + "E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00", err: ErrEncrypted},
		{name: "png", data: "\x89PNG\r\n\x1a\n\x00\x00", header: "text/html", err: ErrUnsupported, says: "PNG image"},
		{name: "webp", data: "RIFF1234WEBPVP8 ", err: ErrUnsupported, says: "WebP image"},
		{name: "elf", data: "\x7fELF\x02\x01", file: "a.html", err: ErrUnsupported, says: "executable"},
		{name: "gzip", data: "\x1f\x8b\x08\x00", err: ErrUnsupported, says: "gzip archive"},
		{name: "svg", data: "<?xml version='1.0'?><!DOCTYPE svg PUBLIC 'x'><svg></svg>", err: ErrUnsupported, says: "SVG image"},
		{name: "unknown video", data: "\x00\x01\x02\x00", header: "video/x-new", err: ErrUnsupported, says: "video/x-new"},
		{name: "unknown bytes", data: "\x00\x01\x02\x00", err: ErrUnsupported, says: "binary content"},
		{name: "empty", data: "", err: ErrEmpty},

		{name: "html behind comments and a mark", data: "\xef\xbb\xbf \n<!-- x > --><!-- y -->\n<!doctype HTML>", header: "text/plain", want: HTML},
		{name: "html in UTF-16", data: "\xff\xfe<\x00h\x00t\x00m\x00l\x00>\x00", want: HTML},
		{name: "xhtml", data: "<?xml version='1.0'?>\n<!DOCTYPE html PUBLIC 'x'><html>", header: "application/octet-stream", want: HTML},
		{name: "html without a root", data: "<p>x", want: HTML},
		{name: "html by the header", data: "just words", header: "text/html; charset=utf-8", file: "x.txt", want: HTML},
		{name: "html by the suffix", data: "just words", file: "x.HTM", want: HTML},
		{name: "markdown that begins with markup", data: "<h1 align=center>x</h1>\n\n# y", file: "README.md", want: Markdown},
		{name: "markdown that begins with a comment", data: "<!-- x -->\n# y", file: "README.md", want: Markdown},
		{name: "markdown sent as plain text", data: "# y", header: "text/plain", file: "README.md", want: Markdown},
		{name: "html source sent as plain text", data: "not markup", header: "text/plain", file: "a.html", want: Plain},
		{name: "rst", data: "x\n=", file: "a.rst", want: RST},
		{name: "csv", data: "a,b", header: "text/csv", want: CSV},
		{name: "json", data: " {\"a\": 1}", header: "text/html", want: JSON},
		{name: "json that is cut", data: "{\"a\": 1", header: "application/json", want: JSON},
		{name: "no json", data: "[1] a footnote", want: Plain},
		{name: "json feed", data: `{"version":"https://jsonfeed.org/version/1"}`, want: Feed},
		{name: "rss", data: "<?xml version='1.0'?><?xml-stylesheet href='x'?><!-- c --><rss>", header: "text/xml", want: Feed},
		{name: "rss 1.0", data: "<rdf:RDF xmlns:rdf='x'>", want: Feed},
		{name: "atom", data: "<feed xmlns='http://www.w3.org/2005/Atom'>", want: Feed},
		{name: "sitemap", data: "<urlset>", want: Sitemap},
		{name: "sitemap index", data: "<?xml version='1.0'?><sitemapindex>", want: Sitemap},
		{name: "other xml", data: "<?xml version='1.0'?><note>", header: "text/xml", want: Plain},
		{name: "words", data: "words", want: Plain},
		{name: "declared to be a PDF", data: "words", file: "a.pdf", want: Plain},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := Sniff([]byte(test.data), Hint{ContentType: test.header, Name: test.file})
			if got != test.want || !errors.Is(err, test.err) || err != nil && !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %q, %v; want %q, %v %q", got, err, test.want, test.err, test.says)
			}
		})
	}
}

func TestReaderLinksFormats(t *testing.T) {
	t.Parallel()
	data := []byte("%PDF-1.4")
	if _, err := Read(t.Context(), data, Hint{}); !errors.Is(err, ErrUnsupported) {
		t.Errorf("without a reader: %v", err)
	}
	want := &Document{Text: "from the reader"}
	r, err := New(Options{MaxBytes: 10, Formats: map[Format]FormatReader{PDF: func(_ context.Context, got []byte, hint Hint) (*Document, error) {
		if !bytes.Equal(got, data) || hint.Name != "a" {
			t.Errorf("the reader got %q, %+v", got, hint)
		}
		return want, nil
	}}})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := r.Read(t.Context(), data, Hint{Name: "a"}); got != want || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := r.Read(t.Context(), make([]byte, 11), Hint{}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("too large: %v", err)
	}
	if _, err := New(Options{MaxText: -1}); err == nil {
		t.Error("a negative limit is taken")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Read(ctx, []byte("x"), Hint{}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}

// TestSharedFiles reads feeds and sitemaps as they are found.
func TestSharedFiles(t *testing.T) {
	t.Parallel()
	tests := []struct {
		file   string
		format Format
		links  int
	}{
		{"feed1.atom", Feed, 2}, {"feed2.rss", Feed, 2}, {"sitemap-hreflang.xml", Sitemap, 15}, {"sitemap.xml", Sitemap, 84}, {"sitemap2.xml", Sitemap, 2},
	}
	for _, test := range tests {
		doc := readString(t, string(read(t, filepath.Join(sharedtest.Path(t, "pages", "trafilatura", "resources"), test.file))), Hint{})
		if doc.Format != test.format || len(doc.Links) != test.links {
			t.Errorf("%s: %s with %d links, want %s with %d", test.file, doc.Format, len(doc.Links), test.format, test.links)
		}
	}
}

func TestDetectLanguage(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"en":      "The cat sat on the mat and looked at the dog that was in the house.",
		"de":      "Der Hund und die Katze sind auf dem Dach und sehen in den Garten.",
		"fr":      "Le chat est sur la table et le chien dort dans la maison avec les enfants.",
		"es":      "El gato está en la casa y el perro duerme con los niños por la noche.",
		"it":      "Il gatto è sulla tavola e il cane dorme nella casa con i bambini di notte.",
		"pt":      "O gato está na casa e o cão dorme com as crianças, mas não ao pé da mesa.",
		"nl":      "De kat zit op het dak en de hond slaapt in het huis met een kind.",
		"pl":      "Kot jest na dachu, a pies śpi w domu i nie wie, że to już noc.",
		"tr":      "Kedi bir evde ve köpek de bahçede, ama çocuk için bu çok daha güzel.",
		"ru":      "Кошка сидит на крыше, а собака спит в доме и не знает, что это уже ночь.",
		"uk":      "Кіт сидить на даху, а собака спить у домі і не знає, що це вже ніч.",
		"el":      "Η γάτα κάθεται στη στέγη",
		"he":      "החתול יושב על הגג והכלב ישן",
		"ar":      "القط على السقف والكلب ينام في البيت مع الأطفال من الليل إلى الصباح",
		"fa":      "گربه روی بام است و سگ در خانه با بچه ها می خوابد که شب است",
		"ja":      "猫は屋根の上に座っていて、犬は家の中で寝ている。",
		"ko":      "고양이는 지붕 위에 앉아 있고 개는 집에서 잔다.",
		"zh-Hans": "猫坐在屋顶上，狗在家里睡觉，这是一个关于动物的问题。",
		"zh-Hant": "貓坐在屋頂上，狗在家裡睡覺，這是一個關於動物的問題。",
		"":        "12 34 kg",
	}
	for want, text := range tests {
		if got := DetectLanguage(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if got := readString(t, "<html lang=en><p>猫坐在屋顶上，狗在家里睡觉，这是一个关于动物的问题。", Hint{}).Language; got != "zh-Hans" {
		t.Errorf("a page that says English and is Chinese: %q", got)
	}
	if got := readString(t, "<html lang=zh-CN><p>猫坐在屋顶上，狗在家里睡觉，这是一个关于动物的问题。", Hint{}).Language; got != "zh-CN" {
		t.Errorf("a page that says Chinese and is: %q", got)
	}
}
