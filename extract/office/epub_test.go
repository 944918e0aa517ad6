package office_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/quarry-sdk/quarry/extract"
	"github.com/quarry-sdk/quarry/extract/office"
)

func epub(parts ...string) []byte {
	return zipped(append([]string{"mimetype", "application/epub+zip",
		"META-INF/container.xml", `<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>`,
		"OEBPS/book.opf", `<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>The Book</dc:title><dc:creator>Ada</dc:creator><dc:creator>Bob</dc:creator><dc:language>en-GB</dc:language><dc:date>2020-03</dc:date><meta property="dcterms:modified">2021-04-05T06:07:08Z</meta></metadata>
<manifest><item id="c2" href="text/two%20b.xhtml" media-type="application/xhtml+xml"/><item id="c1" href="text/one.xhtml" media-type="application/xhtml+xml"/><item id="n" href="notes.xhtml" media-type="application/xhtml+xml"/><item id="cover" href="cover.xhtml" media-type="application/xhtml+xml"/><item id="bad" href="../../../../etc/passwd" media-type="application/xhtml+xml"/></manifest>
<spine><itemref idref="cover"/><itemref idref="c1"/><itemref idref="c2"/><itemref idref="bad"/><itemref idref="n" linear="no"/></spine></package>`,
		"OEBPS/text/one.xhtml", "<p>First.<p>Second.", "OEBPS/text/two b.xhtml", "<p>Third.", "OEBPS/notes.xhtml", "<p>A note.", "OEBPS/cover.xhtml", "<img>", "OEBPS/extra.xhtml", "<p>Not in the spine."}, parts...)...)
}

func TestEPUB(t *testing.T) {
	t.Parallel()
	doc := mustRead(t, epub("META-INF/encryption.xml", `<encryption><EncryptedData><EncryptionMethod Algorithm="http://www.idpf.org/2008/embedding"/><CipherData><CipherReference URI="font.ttf"/></CipherData></EncryptedData></encryption>`))
	want := &extract.Document{
		Extractor: "epub/1", Format: extract.EPUB, Title: "The Book", Byline: "Ada, Bob", Language: "en-GB", Text: "First.\n\nSecond.\n\nThird.\n\nA note.",
		Dates: []extract.Date{
			{Kind: extract.Published, Value: "2020-03", Source: "properties", Raw: "2020-03"},
			{Kind: extract.Updated, Value: "2021-04-05T06:07:08Z", Source: "properties", Raw: "2021-04-05T06:07:08Z"},
		},
		Blocks: []extract.Block{
			{Kind: extract.Paragraph, Start: 0, End: 6, Main: true}, {Kind: extract.Paragraph, Start: 8, End: 15, Main: true},
			{Kind: extract.Paragraph, Start: 17, End: 23, Main: true}, {Kind: extract.Paragraph, Start: 25, End: 32},
		},
		Pages: []extract.Page{
			{Number: 1}, {Start: 0, End: 15, Number: 2, Label: "epub:///oebps/text/one.xhtml"},
			{Start: 17, End: 23, Number: 3, Label: "epub:///oebps/text/two%20b.xhtml"}, {Start: 25, End: 32, Number: 5, Label: "epub:///oebps/notes.xhtml"},
		},
		Warnings: []extract.Warning{{Code: "damaged", Message: "document 4 of the spine is missing"}},
	}
	if diff := cmp.Diff(want, doc); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestEPUBRefused(t *testing.T) {
	t.Parallel()
	protected := epub("META-INF/encryption.xml", `<encryption><EncryptedData><EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/><CipherData><CipherReference URI="OEBPS/text/one.xhtml"/></CipherData></EncryptedData></encryption>`)
	if _, err := read(t, office.Config{ReadHTML: readHTML}, protected); !errors.Is(err, extract.ErrEncrypted) {
		t.Errorf("protected: %v", err)
	}
	if _, err := read(t, office.Config{}, epub()); !errors.Is(err, extract.ErrUnsupported) {
		t.Errorf("without a reader of HTML: %v", err)
	}
}
