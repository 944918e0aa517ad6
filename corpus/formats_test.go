package corpus

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quarry-sdk/quarry/extract"
)

// TestFormats: files of a further format are indexed where its reader is given, and
// skipped with its own words where it fails.
func TestFormats(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, text := range map[string]string{"book.PDF": "kettle", "bad.pdf": "bad", "sheet.xlsx": "cells", "page.md": "# Page\n\nWords."} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	readPDF := func(_ context.Context, data []byte, _ extract.Hint) (*extract.Document, error) {
		if string(data) == "bad" {
			return nil, errors.New("the document needs a password")
		}
		text := "The book\nThe kettle boils.\nNoise."
		return &extract.Document{Format: extract.PDF, Title: "The book", Text: text,
			Blocks: []extract.Block{{Kind: extract.Heading, Level: 1, Start: 0, End: 8}, {Kind: extract.Paragraph, Start: 9, End: len(text)}},
			Pages:  []extract.Page{{Start: 0, End: 26, Number: 1, Label: "i"}, {Start: 27, End: len(text), Number: 2, Unquotable: "noise"}}}, nil
	}
	index, err := Open(t.Context(), t.TempDir(), Options{Formats: map[extract.Format]extract.FormatReader{extract.PDF: readPDF}})
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	report, err := index.Update(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	reasons := map[string]string{}
	for _, s := range report.Skipped {
		reasons[s.Path] = s.Reason
	}
	if len(reasons) != 2 || reasons["sheet.xlsx"] != "unsupported type .xlsx" || !strings.Contains(reasons["bad.pdf"], "needs a password") {
		t.Errorf("skipped: %v", reasons)
	}
	hits, err := index.Search(t.Context(), "kettle", 5)
	if err != nil || len(hits) != 1 || hits[0].DocID != "book" || hits[0].Title != "The book" {
		t.Fatalf("%v: %+v", err, hits)
	}
	doc, err := index.Document(t.Context(), "book")
	if err != nil || doc.Format != "pdf" || doc.Text[hits[0].Start:hits[0].End] != hits[0].Snippet {
		t.Errorf("%v: %+v", err, doc)
	}
	for offset, want := range map[int]int{0: 1, 25: 1, 26: 0, 27: 2} {
		if page, ok := doc.PageAt(offset); page.Number != want || ok != (want > 0) {
			t.Errorf("byte %d is on page %d, %v; want %d", offset, page.Number, ok, want)
		}
	}
}
