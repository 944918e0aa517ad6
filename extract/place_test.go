package extract

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPlace(t *testing.T) {
	t.Parallel()
	doc := readString(t, "<p>before<h1>One\n of it</h1><p>a<h2>Two</h2><p>b<h3>Three</h3><p>c<h2>Four</h2><p>d", Hint{Format: HTML})
	for word, want := range map[string][]string{
		"before": nil, "One": {"One of it"}, "b": nil, "Three": {"One of it", "Two", "Three"}, "c": {"One of it", "Two", "Three"}, "d": {"One of it", "Four"},
	} {
		at := strings.LastIndex(doc.Text, word)
		if word == "b" {
			at = strings.Index(doc.Text, "\nb\n") + 1
			want = []string{"One of it", "Two"}
		}
		if diff := cmp.Diff(want, doc.Section(at)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", word, diff)
		}
	}
	doc = &Document{Text: "one\n\ntwo", Pages: []Page{{Start: 0, End: 3, Number: 1}, {Start: 5, End: 8, Number: 2}}}
	for at, want := range map[int]int{0: 1, 2: 1, 3: 0, 4: 0, 5: 2, 7: 2, 8: 0} {
		page, ok := doc.PageAt(at)
		if page.Number != want || ok != (want != 0) {
			t.Errorf("byte %d is on page %d, %v; want %d", at, page.Number, ok, want)
		}
	}
}
