package pdf_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"
)

// file writes a PDF of numbered objects; the first is the catalog. Object 2 is the
// tree of pages that pages returns.
func file(objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	offsets := make([]int, len(objects))
	for i, o := range objects {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R/Info 3 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)
	return b.Bytes()
}

const (
	catalog = "<</Type/Catalog/Pages 2 0 R/Lang(en-GB)/PageLabels<</Nums[0<</S/r>>]>>>>"
	info    = "<</Title(A Title)/Author(An Author)/CreationDate(D:20240517083000+02'00')/ModDate(D:2025)>>"
	regular = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
	bold    = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold/Encoding/WinAnsiEncoding>>"
)

// pages writes a PDF with a page for each content. Objects 4 and 5 are the fonts F
// and B; extra objects follow the pages, from 6+2*len(contents) on.
func pages(resources string, contents []string, extra ...string) []byte {
	var kids strings.Builder
	var list []string
	for i, c := range contents {
		n := 6 + 2*i
		fmt.Fprintf(&kids, "%d 0 R ", n)
		list = append(list,
			fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents %d 0 R/Resources<</Font<</F 4 0 R/B 5 0 R>>%s>>>>", n+1, resources),
			stream("", []byte(c)))
	}
	objects := []string{catalog, fmt.Sprintf("<</Type/Pages/Count %d/Kids[%s]>>", len(contents), kids.String()), info, regular, bold}
	return file(append(append(objects, list...), extra...)...)
}

// stream writes a compressed stream.
func stream(dict string, data []byte) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	w.Write(data)
	w.Close()
	return fmt.Sprintf("<<%s/Filter/FlateDecode/Length %d>>stream\n%s\nendstream", dict, b.Len(), b.String())
}

// at shows a line of text at a place in a size.
func at(x, y, size float64, text string) string {
	return font("F", x, y, size, text)
}

func font(name string, x, y, size float64, text string) string {
	text = strings.NewReplacer("\\", "\\\\", "(", "\\(", ")", "\\)").Replace(text)
	return fmt.Sprintf("BT /%s %g Tf %g %g Td (%s) Tj ET\n", name, size, x, y, text)
}

// column shows lines below each other.
func column(x, y, size float64, lines ...string) string {
	var b strings.Builder
	for i, l := range lines {
		b.WriteString(at(x, y-float64(i)*1.2*size, size, l))
	}
	return b.String()
}
