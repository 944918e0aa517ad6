package fictional

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestStatedIn(t *testing.T) {
	t.Parallel()
	w := Wording{Parts: [][]string{{"professor", "教授"}, {"norderhaven", "诺德哈芬"}}}
	for text, want := range map[string]bool{
		"Professor of Coastal Ecology, Norderhaven University": true,
		"PROFESSOR\n at  Norderhaven":                          true,
		"莱娜是诺德哈芬大学的教授":                                         true,
		"professorship at Norderhaven":                         false,
		"Professor at Aalvik":                                  false,
		"":                                                     false,
	} {
		if got := w.StatedIn(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if (Wording{}).StatedIn("anything") {
		t.Error("no parts are stated in anything")
	}
	for _, x := range []struct {
		variant, text string
		want          bool
	}{
		{"14", "the group has 14 members", true}, {"14", "14.", true}, {"14", "14.5", false}, {"14", "1,14", false}, {"14", "140", false},
		{"2.4 million", "€2.4 million", true}, {"2.4 million", "12.4 million", false}, {"sb-204817", "SB‑204817", true}, {"vice-chair", "Vice–chair", true},
		{"lead", "leads", false}, {"lead", "leads, and will lead", true},
	} {
		if got := (Wording{Parts: [][]string{{x.variant}}}).StatedIn(x.text); got != x.want {
			t.Errorf("%q in %q: %v", x.variant, x.text, got)
		}
	}
}

// The table of the PDF tells where each object begins, and the streams are as long as
// they say.
func TestTypeset(t *testing.T) {
	t.Parallel()
	title, sheets := splitSheets("A (b) \\ c\nd\nfirst\n" + sheetMark + "\nsecond\n")
	pdf := typeset(title, sheets)
	start, err := strconv.Atoi(string(regexp.MustCompile(`startxref\n(\d+)`).FindSubmatch(pdf)[1]))
	if err != nil || !bytes.HasPrefix(pdf[start:], []byte("xref\n0 9\n")) {
		t.Fatalf("the table is not at %d", start)
	}
	rows := regexp.MustCompile(`(?m)^(\d{10}) 00000 n $`).FindAllSubmatch(pdf, -1)
	if len(rows) != 8 {
		t.Errorf("%d rows in the table, want 8", len(rows))
	}
	for i, m := range rows {
		at, err := strconv.Atoi(string(m[1]))
		if want := fmt.Sprintf("%d 0 obj\n", i+1); err != nil || !strings.HasPrefix(string(pdf[at:]), want) {
			t.Errorf("object %d is not at %d", i+1, at)
		}
	}
	streams := regexp.MustCompile(`(?s)/Length (\d+) >>\nstream\n(.*?)endstream`).FindAllSubmatch(pdf, -1)
	for _, m := range streams {
		if n, err := strconv.Atoi(string(m[1])); err != nil || n != len(m[2]) {
			t.Errorf("a stream of %d bytes says %d", len(m[2]), n)
		}
	}
	if len(streams) != 2 || !bytes.Contains(pdf, []byte(`(A \(b\) \\ c) Tj`)) || !bytes.Contains(pdf, []byte("/Count 2")) {
		t.Errorf("%d streams in\n%s", len(streams), pdf)
	}
	w, _ := world(t)
	for _, r := range w.pages["http://www.lena-hartwig.example/cv.pdf"].text {
		if r > 126 {
			t.Errorf("the typesetter has no %q", r)
		}
	}
}
