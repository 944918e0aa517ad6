package office_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/quarry-sdk/quarry/extract"
)

func shape(kind, text string) string {
	ph := ""
	if kind != "" {
		ph = `<p:ph type="` + kind + `"/>`
	}
	return `<p:sp><p:nvSpPr><p:cNvPr id="1" name="x"/><p:nvPr>` + ph + `</p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>` + text + `</a:t></a:r></a:p></p:txBody></p:sp>`
}

func slidePart(attrs, shapes string) string {
	return `<p:sld xmlns:p="` + slideNS + `" xmlns:a="` + drawNS + `" xmlns:r="` + relNS + `"` + attrs + `><p:cSld><p:spTree>` + shapes + `</p:spTree></p:cSld></p:sld>`
}

func presentation() []byte {
	return document("ppt/presentation.xml", `<p:presentation xmlns:p="`+slideNS+`" xmlns:r="`+relNS+`"><p:sldIdLst><p:sldId id="1" r:id="b"/><p:sldId id="2" r:id="a"/><p:sldId id="3" r:id="c"/><p:sldId id="4" r:id="z"/></p:sldIdLst></p:presentation>`,
		"ppt/_rels/presentation.xml.rels", rels("a", "slide", "slides/slide1.xml", "b", "slide", "slides/slide2.xml", "c", "slide", "slides/slide3.xml", "z", "slide", "../../../etc/passwd"),
		"ppt/slides/slide2.xml", slidePart("", shape("ftr", "A foot")+shape("", "A box")+shape("title", "The first slide")+
			`<p:sp><p:nvSpPr><p:cNvPr id="1" name="x"/><p:nvPr><p:ph idx="1"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>one</a:t></a:r></a:p><a:p><a:pPr lvl="1"/><a:r><a:rPr><a:hlinkClick r:id="w"/></a:rPr><a:t>deeper</a:t></a:r></a:p><a:p><a:pPr><a:buNone/></a:pPr><a:r><a:t>plain</a:t></a:r></a:p></p:txBody></p:sp>`+
			`<p:sp><p:nvSpPr><p:cNvPr id="1" name="x" hidden="1"/></p:nvSpPr><p:txBody><a:p><a:r><a:t>unseen</a:t></a:r></a:p></p:txBody></p:sp>`),
		"ppt/slides/_rels/slide2.xml.rels", rels("n", "notesSlide", "../notesSlides/n.xml", "w", "hyperlink", "https://example.com/w"),
		"ppt/notesSlides/n.xml", slidePart("", shape("sldNum", "1")+shape("body", "Say this.")),
		"ppt/slides/slide1.xml", slidePart("", `<p:graphicFrame><a:graphic><a:tbl><a:tr><a:tc><a:txBody><a:p><a:r><a:t>k</a:t></a:r></a:p></a:txBody></a:tc><a:tc><a:txBody><a:p><a:r><a:t>v</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl></a:graphic></p:graphicFrame>`),
		"ppt/slides/slide3.xml", slidePart(` show="0"`, shape("title", "Hidden")),
	)
}

func TestPPTX(t *testing.T) {
	t.Parallel()
	doc := mustRead(t, presentation())
	want := "heading1: The first slide\nparagraph aside: A foot\nparagraph: A box\nlist_item1: one\nlist_item2: deeper\nparagraph: plain\nparagraph aside: Say this.\ntable_row: k»v\n"
	if diff := cmp.Diff(want, shown(doc)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	var pages []string
	for _, p := range doc.Pages {
		pages = append(pages, doc.Text[p.Start:p.End])
	}
	if len(pages) != 3 || pages[1] != "k\tv" || pages[2] != "" || doc.Pages[1].Number != 2 {
		t.Errorf("pages %q", pages)
	}
	if doc.Hidden != len("Hidden") || doc.Format != extract.PPTX || doc.Title != "A Title" {
		t.Errorf("hidden %d, format %s", doc.Hidden, doc.Format)
	}
	if len(doc.Links) != 1 || doc.Text[doc.Links[0].Start:doc.Links[0].End] != "deeper" {
		t.Errorf("links %v", doc.Links)
	}
	if len(doc.Warnings) != 1 || doc.Warnings[0].Code != "damaged" {
		t.Errorf("warnings %v", doc.Warnings)
	}
}
