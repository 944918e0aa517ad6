package fictional

import (
	"slices"
	"strings"
	"testing"

	"github.com/quarry-sdk/quarry/evidence"
	"github.com/quarry-sdk/quarry/extract"
	"github.com/quarry-sdk/quarry/extract/formats"
)

// Every quote stands in the text that our reader takes from the bytes of its page;
// and what no reader sees is not in it.
func TestQuotesStandInExtracts(t *testing.T) {
	t.Parallel()
	w, truth := world(t)
	reader, err := formats.Open(formats.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	read := map[string]*extract.Document{}
	for at, p := range w.pages {
		if p.Status != 200 || p.text == "" {
			continue
		}
		d, err := reader.Read(t.Context(), p.body, extract.Hint{ContentType: p.kind, URL: at})
		if err != nil {
			t.Errorf("%s: %v", at, err)
			continue
		}
		read[at] = d
	}
	eachValue(truth, func(_ *Subject, _ *Field, v *Value, all []Evidence) {
		for _, e := range all {
			d := read[e.URL]
			if d == nil {
				continue
			}
			if len(evidence.Locate(d.Text, e.Quote)) == 0 {
				t.Errorf("%s: %s\n%s", v.ID, e.URL, evidence.Explain(d.Text, e.Quote))
			}
		}
	})
	hidden := read["http://factfile.example/lena-hartwig"]
	for _, words := range []string{"maintenance mode", "Golden Anchor"} {
		if strings.Contains(hidden.Text, words) {
			t.Errorf("%q is hidden, and is in the text", words)
		}
	}
	if cv := read["http://www.lena-hartwig.example/cv.pdf"]; len(cv.Pages) != 2 || slices.ContainsFunc(cv.Pages, func(p extract.Page) bool { return p.Unquotable != "" }) {
		t.Errorf("the pages of the PDF: %+v", cv.Pages)
	}
}
