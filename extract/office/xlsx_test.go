package office_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/quarry-sdk/quarry/extract"
)

func xlsx(rows string, parts ...string) []byte {
	return document("xl/workbook.xml", `<workbook xmlns="`+sheetNS+`" xmlns:r="`+relNS+`"><sheets><sheet name="Figures" sheetId="1" r:id="a"/><sheet name="Secret" sheetId="2" state="hidden" r:id="b"/><sheet name="More" sheetId="3" r:id="c"/></sheets></workbook>`,
		append([]string{"xl/_rels/workbook.xml.rels", rels("a", "worksheet", "worksheets/sheet1.xml", "b", "worksheet", "worksheets/sheet2.xml", "c", "worksheet", "worksheets/sheet3.xml", "s", "sharedStrings", "sharedStrings.xml", "t", "styles", "styles.xml"),
			"xl/sharedStrings.xml", `<sst xmlns="` + sheetNS + `"><si><t>plain</t></si><si><r><t>ri</t></r><r><t>ch</t></r><rPh><t>RICH</t></rPh></si><si><t>two
lines</t></si></sst>`,
			"xl/styles.xml", `<styleSheet xmlns="` + sheetNS + `"><numFmts><numFmt numFmtId="170" formatCode="yyyy\-mm\-dd"/><numFmt numFmtId="171" formatCode="#,##0.00\ [$€-407];[Red]\-#,##0.00\ [$€-407]"/></numFmts><cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="170"/><xf numFmtId="171"/><xf numFmtId="10"/><xf numFmtId="3"/></cellXfs></styleSheet>`,
			"xl/worksheets/sheet1.xml", `<worksheet xmlns="` + sheetNS + `"><cols><col min="5" max="5" hidden="1"/></cols><sheetData>` + rows + `</sheetData></worksheet>`,
			"xl/worksheets/sheet2.xml", `<worksheet xmlns="` + sheetNS + `"><sheetData><row><c t="str"><v>hide</v></c></row></sheetData></worksheet>`,
			"xl/worksheets/sheet3.xml", `<worksheet xmlns="` + sheetNS + `"><sheetData><row><c t="b"><v>1</v></c><c t="e"><v>#DIV/0!</v></c><c t="inlineStr"><is><t>in line</t></is></c></row></sheetData></worksheet>`}, parts...)...)
}

func TestXLSX(t *testing.T) {
	t.Parallel()
	doc := mustRead(t, xlsx(`<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="D1" t="s"><v>2</v></c><c r="E1" t="s"><v>0</v></c></row>
<row r="2"><c r="A2" s="1"><v>45429</v></c><c r="B2" s="2"><v>-1234.5</v></c><c r="C2" s="3"><v>0.0725</v></c><c r="D2" s="4"><f>A1*2</f><v>1234567</v></c></row>
<row r="3" hidden="1"><c r="A3"><v>99</v></c></row><row r="4"><c r="XFD4"><v>0.1</v></c><c t="s"><v>77</v></c></row>`))
	want := "table_row: plain»rich»»two lines\ntable_row: 2024-05-17»-1,234.50 €»7.25%»1,234,567\ntable_row: 0.1\ntable_row: TRUE»#DIV/0!»in line\n"
	if diff := cmp.Diff(want, shown(doc)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	var labels []string
	for _, p := range doc.Pages {
		labels = append(labels, p.Label)
	}
	if diff := cmp.Diff([]string{"Figures", "More"}, labels); diff != "" || doc.Pages[1].Number != 2 || doc.Pages[1].End != len(doc.Text) {
		t.Errorf("pages %+v", doc.Pages)
	}
	if want := len("plain") + len("99") + len("hide"); doc.Hidden != want || doc.Format != extract.XLSX {
		t.Errorf("hidden %d, want %d", doc.Hidden, want)
	}
}
