package docs

import (
	"strings"
	"testing"

	"github.com/quarry-sdk/quarry/corpus"
	"github.com/quarry-sdk/quarry/evidence"
	"github.com/quarry-sdk/quarry/extract"
)

// TestPlaced: a quote is placed on the first page that can be quoted.
func TestPlaced(t *testing.T) {
	t.Parallel()
	doc := &corpus.Document{Text: "tea\ntea\ntea", Pages: []extract.Page{
		{Start: 0, End: 3, Number: 1, Unquotable: "its text is noise."}, {Start: 4, End: 7, Number: 2}, {Start: 8, End: 11, Number: 3}}}
	spans := evidence.Locate(doc.Text, "tea")
	if at, page, fault := placed(doc, spans); at.Start != 4 || page == nil || *page != 2 || fault != "" {
		t.Errorf("%+v, %v, %q", at, page, fault)
	}
	if _, _, fault := placed(doc, spans[:1]); !strings.Contains(fault, "page 1 of this document cannot be quoted: its text is noise. Cite another page.") {
		t.Errorf("%q", fault)
	}
	doc.Pages = nil
	if at, page, fault := placed(doc, spans); at.Start != 0 || page != nil || fault != "" {
		t.Errorf("%+v, %v, %q", at, page, fault)
	}
}
