package corpus

import (
	"testing"
	"unicode/utf8"
)

// checkDocument fails when a document breaks a promise of the package: valid text, sections inside it that begin with
// their heading, passages that cover it.
func checkDocument(t testing.TB, doc *Document) {
	t.Helper()
	if !utf8.ValidString(doc.Text) || !utf8.ValidString(doc.Title) {
		t.Error("text or title is not valid UTF-8")
	}
	if len(doc.Sections) == 0 || doc.Sections[0].Start != 0 || doc.Sections[0].End != len(doc.Text) || doc.Sections[0].Heading != doc.Title {
		t.Fatalf("the first section is not the document: %+v", doc.Sections)
	}
	last := 0
	for i, s := range doc.Sections {
		if s.Start < last || s.End <= s.Start || s.End > len(doc.Text) {
			t.Fatalf("section %d %q lies at %d..%d of %d, after %d", i, s.Heading, s.Start, s.End, len(doc.Text), last)
		}
		last = s.Start
		if len(s.Path) == 0 || s.Path[0] != doc.Title || s.Path[len(s.Path)-1] != s.Heading {
			t.Errorf("section %d has the path %q", i, s.Path)
		}
		if !utf8.ValidString(doc.Text[s.Start:s.End]) {
			t.Errorf("section %d cuts a character", i)
		}
		if i == 0 {
			continue
		}
		if text := collapse(doc.Text[s.Start:s.End]); len(text) < len(s.Heading) || text[:len(s.Heading)] != s.Heading {
			t.Errorf("section %d begins with %.40q, not with its heading %q", i, text, s.Heading)
		}
		for _, outer := range doc.Sections[:i] {
			if s.Start < outer.End && s.End > outer.End {
				t.Errorf("section %q overlaps %q", s.Heading, outer.Heading)
			}
		}
	}
	at := 0
	for i, p := range doc.passages {
		if p.start != at || p.end <= p.start || !utf8.ValidString(doc.Text[p.start:p.end]) {
			t.Fatalf("passage %d lies at %d..%d, want it to begin at %d", i, p.start, p.end, at)
		}
		if p.section < 0 || p.section >= len(doc.Sections) || p.linked < 0 || p.linked > p.end-p.start {
			t.Errorf("passage %d: %+v", i, p)
		}
		at = p.end
	}
	if at != len(doc.Text) {
		t.Errorf("the passages end at %d of %d", at, len(doc.Text))
	}
}
