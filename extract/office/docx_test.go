package office_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/quarry-sdk/quarry/extract"
)

const docStyles = `<w:styles xmlns:w="` + wordNS + `"><w:docDefaults><w:rPrDefault><w:rPr><w:lang w:val="de-DE"/></w:rPr></w:rPrDefault></w:docDefaults>
<w:style w:styleId="H2"><w:name w:val="heading 2"/></w:style><w:style w:styleId="Mine"><w:name w:val="Mine"/><w:basedOn w:val="H2"/></w:style>
<w:style w:styleId="T"><w:name w:val="Title"/></w:style><w:style w:styleId="Q"><w:name w:val="Quote"/></w:style><w:style w:styleId="LB"><w:name w:val="List Bullet"/></w:style>
<w:style w:styleId="Secret"><w:name w:val="Secret"/><w:rPr><w:vanish/></w:rPr></w:style><w:style w:styleId="Loop"><w:name w:val="x"/><w:basedOn w:val="Loop"/></w:style></w:styles>`

func docx(body string, parts ...string) []byte {
	return document("word/document.xml", `<w:document xmlns:w="`+wordNS+`" xmlns:r="`+relNS+`" xmlns:mc="mc" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" xmlns:a="`+drawNS+`"><w:body>`+body+`</w:body></w:document>`,
		append([]string{"word/styles.xml", docStyles, "word/footnotes.xml", `<w:footnotes xmlns:w="` + wordNS + `"><w:footnote w:id="1"><w:p><w:r><w:t>The first note.</w:t></w:r></w:p></w:footnote><w:footnote w:id="2"><w:p><w:r><w:t>The second note.</w:t></w:r></w:p></w:footnote><w:footnote w:id="3"><w:p><w:r><w:t>Unused.</w:t></w:r></w:p></w:footnote></w:footnotes>`,
			"word/header1.xml", `<w:hdr xmlns:w="` + wordNS + `"><w:p><w:r><w:t>Header</w:t></w:r></w:p></w:hdr>`,
			"word/_rels/document.xml.rels", rels("s", "styles", "styles.xml", "f", "footnotes", "/word/footnotes.xml", "h", "header", "header1.xml", "l", "hyperlink", "https://example.com/a", "j", "hyperlink", "javascript://x")}, parts...)...)
}

func para(style, text string) string {
	return `<w:p><w:pPr><w:pStyle w:val="` + style + `"/></w:pPr><w:r><w:t xml:space="preserve">` + text + `</w:t></w:r></w:p>`
}

func TestDOCX(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body, want string
		hidden           int
		warning          string
	}{
		{"paragraphs and entities", para("", "One &amp; two") + para("", " ") + para("", "Three"), "paragraph: One & two\nparagraph: Three\n", 0, ""},
		{"runs", `<w:p><w:r><w:t>un</w:t></w:r><w:r><w:t xml:space="preserve">broken </w:t><w:tab/><w:t>a</w:t><w:br/><w:t>b</w:t><w:noBreakHyphen/><w:t>c</w:t><w:softHyphen/><w:t>d</w:t></w:r></w:p>`, "paragraph: unbroken »a|b\u2011c\u00add\n", 0, ""},
		{"headings by style, by a style based on it, by outline", para("T", "Title") + para("H2", "Two") + para("Mine", "Mine") + `<w:p><w:pPr><w:outlineLvl w:val="2"/></w:pPr><w:r><w:t>Three</w:t></w:r></w:p>` + para("Loop", "plain"),
			"heading1: Title\nheading2: Two\nheading2: Mine\nheading3: Three\nparagraph: plain\n", 0, ""},
		{"lists and quotations", para("LB", "bullet") + `<w:p><w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="3"/></w:numPr></w:pPr><w:r><w:t>deep</w:t></w:r></w:p><w:p><w:pPr><w:pStyle w:val="LB"/><w:numPr><w:numId w:val="0"/></w:numPr></w:pPr><w:r><w:t>off</w:t></w:r></w:p>` + para("Q", "said"),
			"list_item1: bullet\nlist_item2: deep\nparagraph: off\nquotation: said\n", 0, ""},
		{"tables, one within another", `<w:tbl><w:tr><w:tc>` + para("", "a") + para("", "b") + `</w:tc><w:tc>` + para("", "c") + `</w:tc></w:tr><w:tr><w:tc><w:tbl><w:tr><w:tc>` + para("", "in") + `</w:tc><w:tc>` + para("", "ner") + `</w:tc></w:tr></w:tbl></w:tc><w:tc>` + para("", "d") + `</w:tc></w:tr></w:tbl>` + para("", "after"),
			"table_row: a b»c\ntable_row: in ner»d\nparagraph: after\n", 0, ""},
		{"tracked changes", `<w:p><w:r><w:t xml:space="preserve">The rate is </w:t></w:r><w:del><w:r><w:delText>5</w:delText></w:r></w:del><w:ins><w:r><w:t>7</w:t></w:r></w:ins><w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom><w:r><w:rPr><w:rPrChange><w:rPr><w:vanish/></w:rPr></w:rPrChange></w:rPr><w:t>%.</w:t></w:r></w:p>`, "paragraph: The rate is 7%.\n", 0, "tracked_changes"},
		{"a deleted row", `<w:tbl><w:tr><w:trPr><w:del/></w:trPr><w:tc>` + para("", "gone") + `</w:tc></w:tr><w:tr><w:tc>` + para("", "here") + `</w:tc></w:tr></w:tbl>`, "table_row: here\n", 0, "tracked_changes"},
		{"hidden text", `<w:p><w:r><w:t>seen</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r><w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t> too</w:t></w:r></w:p>` + para("Secret", "four") + `<w:p><w:r><w:rPr><w:rStyle w:val="Secret"/></w:rPr><w:t>five5</w:t></w:r></w:p>`, "paragraph: seen too\n", 15, ""},
		{"notes follow in order", `<w:p><w:r><w:t>Text</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r><w:r><w:t>.</w:t></w:r><w:r><w:footnoteReference w:id="1"/></w:r></w:p>`, "paragraph: Text.\nparagraph: The second note.\nparagraph: The first note.\n", 0, ""},
		{"fields, fallbacks and text boxes", `<w:p><w:r><w:t>page </w:t><w:instrText>PAGE</w:instrText><w:t>3</w:t></w:r><w:r><mc:AlternateContent><mc:Choice><w:txbxContent>` + para("", "in a box") + `</w:txbxContent></mc:Choice><mc:Fallback><w:txbxContent>` + para("", "in a box") + `</w:txbxContent></mc:Fallback></mc:AlternateContent></w:r><w:r><w:t> ends</w:t></w:r></w:p>`, "paragraph: page 3 ends\nparagraph: in a box\n", 0, ""},
		{"mathematics", `<w:p><w:r><w:t>so </w:t></w:r><m:oMath><m:r><m:t>x=1</m:t></m:r></m:oMath></w:p>`, "paragraph: so x=1\n", 0, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			doc := mustRead(t, docx(test.body))
			if diff := cmp.Diff(test.want, shown(doc)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			code := ""
			if len(doc.Warnings) > 0 {
				code = doc.Warnings[0].Code
			}
			if doc.Hidden != test.hidden || code != test.warning {
				t.Errorf("hidden %d, want %d; warnings %v, want %q", doc.Hidden, test.hidden, doc.Warnings, test.warning)
			}
		})
	}
}

func TestDOCXDocument(t *testing.T) {
	t.Parallel()
	doc := mustRead(t, docx(`<w:p><w:r><w:t xml:space="preserve">  See </w:t></w:r><w:hyperlink r:id="l"><w:r><w:t>the page</w:t></w:r></w:hyperlink><w:hyperlink r:id="j"><w:r><w:t>!</w:t></w:r></w:hyperlink></w:p>`))
	want := &extract.Document{
		Extractor: "docx/1", Format: extract.DOCX, Title: "A Title", Byline: "An Author", Language: "de-DE", Text: "See the page!",
		Dates: []extract.Date{
			{Kind: extract.Published, Value: "2024-05-17T08:30:00Z", Source: "properties", Raw: "2024-05-17T08:30:00Z"},
			{Kind: extract.Updated, Value: "2025-01", Source: "properties", Raw: "2025-01"},
		},
		Blocks: []extract.Block{{Kind: extract.Paragraph, Start: 0, End: 13, Main: true}},
		Links:  []extract.Link{{Start: 4, End: 12, URL: "https://example.com/a"}},
	}
	if diff := cmp.Diff(want, doc); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if strings.Contains(doc.Text, "Header") {
		t.Error("the header is in the text")
	}
}
