package fictional

import (
	"bytes"
	"fmt"
	"strings"
)

// sheetMark separates the pages in the source of a PDF.
const sheetMark = "------ page ------"

// splitSheets splits the source of a PDF into its pages. Its first two lines are the title.
func splitSheets(source string) (title string, sheets []string) {
	for sheet := range strings.SplitSeq(source, sheetMark) {
		sheets = append(sheets, strings.Trim(sheet, "\n"))
	}
	lines := strings.SplitN(source, "\n", 3)
	return strings.Join(lines[:min(2, len(lines))], " – "), sheets
}

// typeset sets pages of ASCII text in Helvetica, a line to a line, as a PDF of version 1.4
// (ISO 32000-1, 7.5): a header, numbered objects, a table of where they begin, a trailer.
func typeset(title string, sheets []string) []byte {
	const catalog, tree, font, info, first = 1, 2, 3, 4, 5
	var kids []string
	for i := range sheets {
		kids = append(kids, fmt.Sprintf("%d 0 R", first+2*i))
	}
	objects := []string{
		catalog: "<< /Type /Catalog /Pages 2 0 R /Lang (en) >>",
		tree:    fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", strings.Join(kids, " "), len(kids)),
		font:    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
		info:    fmt.Sprintf("<< /Title (%s) /CreationDate (D:20260210090000Z) >>", escapePDF(strings.ReplaceAll(title, "–", "-"))),
	}
	for i, sheet := range sheets {
		content := drawSheet(sheet)
		objects = append(objects,
			fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents %d 0 R >>", first+2*i+1),
			fmt.Sprintf("<< /Length %d >>\nstream\n%sendstream", len(content), content))
	}
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	var table strings.Builder
	for i, o := range objects[1:] {
		fmt.Fprintf(&table, "%010d 00000 n \n", b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n%s", len(objects), table.String())
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R /Info 4 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects), start)
	return b.Bytes()
}

// drawSheet is the content of a page: its lines from the top, 14 points apart.
func drawSheet(sheet string) string {
	var b strings.Builder
	b.WriteString("BT\n/F1 11 Tf\n14 TL\n60 780 Td\n")
	for line := range strings.SplitSeq(sheet, "\n") {
		fmt.Fprintf(&b, "(%s) Tj T*\n", escapePDF(line))
	}
	b.WriteString("ET\n")
	return b.String()
}

func escapePDF(s string) string {
	return strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(s)
}
