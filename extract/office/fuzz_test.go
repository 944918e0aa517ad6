package office_test

import "testing"

// The main parts are fuzzed in a sound zip file, since a fuzzer seldom finds one.

func FuzzDOCX(f *testing.F) {
	f.Add(para("H2", "a") + "<w:tbl><w:tr><w:tc>" + para("LB", "b") + "</w:tc></w:tr></w:tbl><w:p><w:del/><w:r><w:rPr><w:vanish/></w:rPr><w:t>c</w:t></w:r><w:footnoteReference w:id='1'/><w:hyperlink r:id='l'><w:r><w:t>d</w:t></w:r></w:hyperlink></w:p>")
	f.Add("</w:p></w:tr><w:p><w:p><w:t>x</w:t></w:p><w:tbl><w:tr></w:tbl></w:tr>")
	f.Fuzz(func(t *testing.T, body string) { check(t, docx(body)) })
}

func FuzzPPTX(f *testing.F) {
	f.Add(shape("title", "a") + shape("body", "b") + "<a:tbl><a:tr><a:tc><a:p><a:r><a:t>c</a:t></a:r></a:p></a:tc></a:tr></a:tbl>")
	f.Add("<a:tc><a:p></a:tr><a:p>")
	f.Fuzz(func(t *testing.T, shapes string) {
		check(t, document("ppt/presentation.xml", `<p:p xmlns:r="`+relNS+`"><p:sldId r:id="a"/></p:p>`, "ppt/_rels/presentation.xml.rels", rels("a", "slide", "s.xml"), "ppt/s.xml", slidePart("", shapes)))
	})
}

func FuzzXLSX(f *testing.F) {
	f.Add(`<row><c r="B1" s="1"><v>45429</v></c><c t="s"><v>1</v></c></row>`, "yyyy-mm-dd")
	f.Add(`<row><c s="1"><v>-1e300</v></c><c s="1"><v>0.5</v></c></row>`, `[$€-407]#,##0.00;[Red]"x"0.0E+0%`)
	f.Fuzz(func(t *testing.T, rows, format string) {
		check(t, xlsx(rows))
		check(t, document("xl/workbook.xml", `<w xmlns:r="`+relNS+`"><sheet name="a" r:id="a"/></w>`, "xl/_rels/workbook.xml.rels", rels("a", "worksheet", "s.xml", "t", "styles", "t.xml"),
			"xl/s.xml", "<s>"+rows+"</s>", "xl/t.xml", `<s><numFmt numFmtId="170" formatCode="`+format+`"/><cellXfs><xf/><xf numFmtId="170"/></cellXfs></s>`))
	})
}

func FuzzEPUB(f *testing.F) {
	f.Add(`<package><dc:title>x</dc:title><item id="a" href="a" media-type="text/html"/><itemref idref="a"/></package>`, "<p>text")
	f.Add(`<item href="%zz"/><itemref/>`, "")
	f.Fuzz(func(t *testing.T, opf, chapter string) {
		check(t, zipped("META-INF/container.xml", `<c><rootfile full-path="o.opf"/></c>`, "o.opf", opf, "a", chapter))
	})
}

func FuzzZip(f *testing.F) {
	f.Add(docx(para("", "x")))
	f.Add(epub())
	f.Fuzz(func(t *testing.T, data []byte) { check(t, data) })
}
