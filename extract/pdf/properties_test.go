package pdf_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/quarry-sdk/quarry/extract"
)

func TestProperties(t *testing.T) {
	t.Parallel()
	doc, err := read(t, pages("", []string{at(50, 700, 10, "text")}), "")
	if err != nil {
		t.Fatal(err)
	}
	want := &extract.Document{
		Extractor: "pdf/1", Format: extract.PDF, Title: "A Title", Byline: "An Author", Language: "en-GB", Text: "text",
		Dates: []extract.Date{
			{Kind: extract.Published, Value: "2024-05-17T08:30:00+02:00", Source: "properties", Raw: "D:20240517083000+02'00'"},
			{Kind: extract.Updated, Value: "2025", Source: "properties", Raw: "D:2025"},
		},
		Blocks: []extract.Block{{Kind: extract.Paragraph, Start: 0, End: 4, Main: true}},
		Pages:  []extract.Page{{Start: 0, End: 4, Number: 1, Label: "i"}},
	}
	if diff := cmp.Diff(want, doc); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestXMP(t *testing.T) {
	t.Parallel()
	packet := `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/">
<rdf:Description xmp:CreateDate="2021-03-04T05:06:07Z"><dc:title><rdf:Alt><rdf:li xml:lang="x-default">From XMP</rdf:li><rdf:li xml:lang="de">Aus XMP</rdf:li></rdf:Alt></dc:title>
<dc:creator><rdf:Seq><rdf:li>Ada</rdf:li><rdf:li>Bob</rdf:li></rdf:Seq></dc:creator><dc:language><rdf:Bag><rdf:li>fr</rdf:li></rdf:Bag></dc:language></rdf:Description></rdf:RDF></x:xmpmeta>`
	data := pages("", []string{at(50, 700, 10, "text")}, "<</Type/Metadata/Length 1>>stream\n"+packet+"\nendstream")
	data = []byte(strings.Replace(strings.Replace(string(data), info, "<<>>"+strings.Repeat(" ", len(info)-4), 1), "/Lang(en-GB)", "            ", 1))
	doc, err := read(t, data, "")
	if err != nil {
		t.Fatal(err)
	}
	got := []string{doc.Title, doc.Byline, doc.Language}
	for _, d := range doc.Dates {
		got = append(got, string(d.Kind)+" "+d.Value)
	}
	if diff := cmp.Diff([]string{"From XMP", "Ada, Bob", "fr", "published 2021-03-04T05:06:07Z"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestLinks(t *testing.T) {
	t.Parallel()
	data := pages("", []string{at(50, 700, 10, "See the page") + at(120, 700, 10, "over there") + at(180, 700, 10, "please.")},
		"<</Type/Annot/Subtype/Link/Rect[115 695 170 710]/A<</S/URI/URI(https://example.com/a)>>>>",
		"<</Type/Annot/Subtype/Link/Rect[115 695 170 710]/A<</S/URI/URI(javascript:alert)>>>>")
	data = []byte(strings.Replace(string(data), "/Contents 7 0 R", "/Annots[8 0 R 9 0 R]/Contents 7 0 R", 1))
	doc, err := read(t, data, "") // the cross-reference table is wrong now, and mended
	if err != nil {
		t.Fatal(err)
	}
	if len(doc.Links) != 1 || doc.Links[0].URL != "https://example.com/a" || doc.Text[doc.Links[0].Start:doc.Links[0].End] != "over there" {
		t.Errorf("links %v in %q", doc.Links, doc.Text)
	}
}
