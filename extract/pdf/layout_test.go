package pdf_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/quarry-sdk/quarry/extract"
)

// shown writes a document as its blocks, one a row, with line ends as "|".
func shown(doc *extract.Document) string {
	var b strings.Builder
	for _, k := range doc.Blocks {
		mark := map[extract.BlockKind]string{extract.Paragraph: "p", extract.ListItem: "-", extract.TableRow: "row"}[k.Kind]
		if k.Kind == extract.Heading {
			mark = fmt.Sprintf("h%d", k.Level)
		}
		if !k.Main {
			mark += " aside"
		}
		fmt.Fprintf(&b, "%s: %s\n", mark, strings.NewReplacer("\n", "|", "\t", "»").Replace(doc.Text[k.Start:k.End]))
	}
	return b.String()
}

var (
	left = []string{"The first column has lines of some", "length that fill it from its left to", "its right edge, as a set text does,", "and it ends with a word that is bro-"}
	rite = []string{"ken between the two columns, where", "the second one goes on and fills its", "own width line by line as the first", "one did, until it ends with a stop."}
)

// across shows the lines of two columns in the order of a table's rows.
func across(x1, x2, y, size float64, a, b []string) string {
	var out strings.Builder
	for i := range a {
		out.WriteString(at(x1, y-float64(i)*1.2*size, size, a[i]))
		out.WriteString(at(x2, y-float64(i)*1.2*size, size, b[i]))
	}
	return out.String()
}

func TestLayout(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, content, want string
	}{
		{"paragraphs by distance",
			column(50, 700, 10, "One line of text that is long enough", "and its second line.") + column(50, 660, 10, "Another paragraph."),
			"p: One line of text that is long enough|and its second line.\np: Another paragraph.\n"},
		{"paragraphs by a short last line and an indent",
			column(50, 700, 10, "One line of text that is long enough", "and its end.") + at(65, 676, 10, "An indented line of text, long as well") + at(50, 664, 10, "and what follows it here."),
			"p: One line of text that is long enough|and its end.\np: An indented line of text, long as well|and what follows it here.\n"},
		{"two columns, a word broken between them",
			column(50, 700, 10, left...) + column(320, 700, 10, rite...),
			"p: " + strings.Join(append(append([]string{}, left...), rite...), "|") + "\n"},
		{"two columns written from the right one on",
			column(320, 700, 10, "right one, a line of text", "right two, a line of text", "right three, a line") + column(50, 700, 10, "left one, a line of text", "left two, a line of text", "left three, a line"),
			"p: left one, a line of text|left two, a line of text|left three, a line\np: right one, a line of text|right two, a line of text|right three, a line\n"},
		{"a title and a foot over two columns",
			at(50, 760, 24, "A title that runs across both columns") + column(50, 700, 10, left...) + column(320, 700, 10, rite...) +
				at(50, 600, 10, "A line at the foot that runs across the page from left to right and on."),
			"h1: A title that runs across both columns\np: " + strings.Join(append(append([]string{}, left...), rite...), "|") + "\np: A line at the foot that runs across the page from left to right and on.\n"},
		{"a table is read by rows",
			across(50, 320, 700, 10, []string{"Country", "Norway", "Chile", "Ghana"}, []string{"Capital", "Oslo", "Santiago", "Accra"}),
			"row: Country»Capital\nrow: Norway»Oslo\nrow: Chile»Santiago\nrow: Ghana»Accra\n"},
		{"captions side by side",
			column(50, 700, 10, "(a) a caption of two", "lines of text") + column(320, 700, 10, "(b) another one, of", "two lines as well"),
			"-: (a) a caption of two|lines of text\n-: (b) another one, of|two lines as well\n"},
		{"headings by size", font("B", 50, 760, 20, "Chapter") + font("B", 50, 730, 14, "Section") + column(50, 700, 10, "Body text that is longer than the rest of this page,", "so that its size is that of the body."),
			"h1: Chapter\nh2: Section\np: Body text that is longer than the rest of this page,|so that its size is that of the body.\n"},
		{"lists", column(50, 700, 10, "1. the first item", "2. the second item", "\x95 a third", "1984. is a year"),
			"-: 1. the first item\n-: 2. the second item\n-: • a third|1984. is a year\n"},
		{"letters set one by one, blanks by their gaps", "BT /F 10 Tf 50 700 Td [(N)20(o)-10( )0(b)(lan)-1200(ks)-300(here)] TJ ET\n", "p: No blan ks here\n"},
		{"an exponent belongs to its line", "BT /F 10 Tf 50 700 Td (E = mc) Tj 4 Ts /F 7 Tf (2) Tj 0 Ts /F 10 Tf ( holds.) Tj ET\n", "p: E = mc2 holds.\n"},
		{"a page turned by its text", "q 0 1 -1 0 400 100 cm " + column(50, 200, 10, "A line that runs up the page", "and one beside it.") + "Q\n", "p: A line that runs up the page|and one beside it.\n"},
		{"a stamp in the margin does not tear the text",
			"q 0 1 -1 0 30 100 cm " + at(0, 0, 10, "stamped up the margin") + "Q\n" + column(50, 700, 10, "The text of the page is read first,", "as a whole."),
			"p: The text of the page is read first,|as a whole.\np: stamped up the margin\n"},
		{"accents", at(50, 700, 10, "na\xefve \x80 caf\xe9"), "p: naïve € café\n"},
		{"upside down", "q -1 0 0 -1 600 800 cm " + column(50, 700, 10, "first line of the two", "second line.") + "Q\n", "p: first line of the two|second line.\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			doc, err := read(t, pages("", []string{test.content}), "")
			if err != nil {
				t.Fatal(err)
			}
			checkDocument(t, test.name, doc)
			if diff := cmp.Diff(test.want, shown(doc)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestRunningTitles(t *testing.T) {
	t.Parallel()
	var contents []string
	for i := range 4 {
		contents = append(contents, at(50, 780, 10, "A Book of Tests")+at(50, 600, 10, fmt.Sprintf("Text of page %c.", 'a'+i))+at(300, 20, 10, fmt.Sprint(i+1)))
	}
	doc, err := read(t, pages("", contents), "")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := doc.MainText(), "Text of page a.\nText of page b.\nText of page c.\nText of page d."; got != want {
		t.Errorf("main text %q, want %q", got, want)
	}
	if doc.Pages[3].Label != "iv" || !strings.Contains(doc.Text[doc.Pages[3].Start:doc.Pages[3].End], "page d") {
		t.Errorf("page %+v", doc.Pages[3])
	}
}

func TestHyphenation(t *testing.T) {
	t.Parallel()
	doc, err := read(t, pages("", []string{column(50, 700, 10, "A word that is hyphen-", "ated, a well-known one,", "and 10-", "20 units.")}), "")
	if err != nil {
		t.Fatal(err)
	}
	if want := "A word that is hyphen-\nated, a well-known one,\nand 10-\n20 units."; doc.Text != want {
		t.Errorf("text %q, want %q", doc.Text, want)
	}
	if len(doc.Warnings) != 1 || doc.Warnings[0].Code != "hyphenation" || !strings.HasPrefix(doc.Warnings[0].Message, "1 lines") {
		t.Errorf("warnings %v", doc.Warnings)
	}
}
