package office_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/quarry-sdk/quarry/extract"
	"github.com/quarry-sdk/quarry/extract/office"
)

// zipped writes parts, name and content by turns.
func zipped(parts ...string) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i+1 < len(parts); i += 2 {
		f, err := w.Create(parts[i])
		if err != nil {
			panic(err)
		}
		if _, err := io.WriteString(f, parts[i+1]); err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

const (
	relNS   = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	wordNS  = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
	drawNS  = "http://schemas.openxmlformats.org/drawingml/2006/main"
	slideNS = "http://schemas.openxmlformats.org/presentationml/2006/main"
	sheetNS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	core    = `<cp:coreProperties xmlns:cp="c" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"><dc:title>A Title</dc:title><dc:creator>An Author</dc:creator><dcterms:created>2024-05-17T08:30:00Z</dcterms:created><dcterms:modified>2025-01</dcterms:modified></cp:coreProperties>`
)

// rels writes relationships: identifier, kind and target by turns. A target with
// "://" is external.
func rels(list ...string) string {
	var b strings.Builder
	b.WriteString(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`)
	for i := 0; i+2 < len(list); i += 3 {
		mode := ""
		if strings.Contains(list[i+2], "://") {
			mode = ` TargetMode="External"`
		}
		fmt.Fprintf(&b, `<Relationship Id="%s" Type="%s/%s" Target="%s"%s/>`, list[i], relNS, list[i+1], list[i+2], mode)
	}
	return b.String() + "</Relationships>"
}

// document writes an office document of a main part and others.
func document(main, content string, parts ...string) []byte {
	return zipped(append([]string{
		"_rels/.rels", rels("r1", "officeDocument", main, "r2", "metadata/core-properties", "docProps/core.xml"),
		"docProps/core.xml", core, main, content}, parts...)...)
}

func read(t testing.TB, config office.Config, data []byte) (*extract.Document, error) {
	t.Helper()
	r, err := office.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return r.Read(t.Context(), data)
}

func mustRead(t testing.TB, data []byte) *extract.Document {
	t.Helper()
	doc, err := read(t, office.Config{ReadHTML: readHTML}, data)
	if err != nil {
		t.Fatal(err)
	}
	checkDocument(t, doc)
	return doc
}

// readHTML is a reader of paragraphs alone.
func readHTML(_ context.Context, data []byte, url string) (*extract.Document, error) {
	doc := &extract.Document{Title: url}
	for _, p := range strings.Split(string(data), "<p>")[1:] {
		p, _, _ = strings.Cut(p, "<")
		if doc.Text != "" {
			doc.Text += "\n"
		}
		start := len(doc.Text)
		doc.Text += p
		doc.Blocks = append(doc.Blocks, extract.Block{Kind: extract.Paragraph, Start: start, End: len(doc.Text)})
	}
	if doc.Text == "" {
		return nil, extract.ErrEmpty
	}
	return doc, nil
}

// shown writes a document as its blocks, one a row.
func shown(doc *extract.Document) string {
	var b strings.Builder
	for _, k := range doc.Blocks {
		mark := string(k.Kind)
		if k.Level > 0 {
			mark += fmt.Sprint(k.Level)
		}
		if !k.Main {
			mark += " aside"
		}
		fmt.Fprintf(&b, "%s: %s\n", mark, strings.NewReplacer("\n", "|", "\t", "»").Replace(doc.Text[k.Start:k.End]))
	}
	return b.String()
}

// checkDocument checks what every document promises.
func checkDocument(t testing.TB, doc *extract.Document) {
	t.Helper()
	if !utf8.ValidString(doc.Text) {
		t.Error("the text is not valid UTF-8")
	}
	end := 0
	for _, b := range doc.Blocks {
		if b.Start < end || b.End <= b.Start || b.End > len(doc.Text) || strings.TrimSpace(doc.Text[end:b.Start]) != "" {
			t.Fatalf("block %+v behind %d", b, end)
		}
		if b.Level < 0 || b.Kind == extract.Heading && (b.Level < 1 || b.Level > 6) {
			t.Errorf("level of %+v", b)
		}
		end = b.End
	}
	if strings.TrimSpace(doc.Text[end:]) != "" {
		t.Error("text behind the last block")
	}
	end = 0
	for _, p := range doc.Pages {
		if p.Start < end || p.End < p.Start || p.End > len(doc.Text) {
			t.Fatalf("page %+v behind %d", p, end)
		}
		end = p.End
	}
	for _, l := range doc.Links {
		if l.Start < 0 || l.End <= l.Start || l.End > len(doc.Text) || l.URL == "" {
			t.Errorf("link %+v", l)
		}
	}
}
