package office_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quarry-sdk/quarry/extract/office"
)

// bench reads a file of a known size, unpacked.
func bench(b *testing.B, size int, data []byte) {
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		doc, err := read(b, office.Config{}, data)
		if err != nil || len(doc.Blocks) < 1000 {
			b.Fatal(err)
		}
	}
}

func BenchmarkDOCX(b *testing.B) {
	body := strings.Repeat(para("", "A paragraph of a document that has some words, as most of them do."), 10_000)
	bench(b, len(body), docx(body))
}

func BenchmarkXLSX(b *testing.B) {
	var rows strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&rows, `<row r="%d"><c r="A%d" s="1"><v>%d</v></c><c r="B%d" s="2"><v>%d.5</v></c><c r="C%d" t="s"><v>1</v></c></row>`, i, i, 40000+i, i, i, i)
	}
	bench(b, rows.Len(), xlsx(rows.String()))
}
