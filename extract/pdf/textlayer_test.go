package pdf_test

import (
	"fmt"
	"strings"
	"testing"
)

// mapped writes a page whose font says what its codes mean.
func mapped(content string, meaning map[byte]string, page string) []byte {
	var cmap strings.Builder
	cmap.WriteString("/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def\n1 begincodespacerange <00> <FF> endcodespacerange\n")
	fmt.Fprintf(&cmap, "%d beginbfchar\n", len(meaning))
	for code, text := range meaning {
		fmt.Fprintf(&cmap, "<%02X> <", code)
		for _, r := range text {
			fmt.Fprintf(&cmap, "%04X", r)
		}
		cmap.WriteString(">\n")
	}
	cmap.WriteString("endbfchar endcmap end end")
	data := pages(page, []string{strings.ReplaceAll(content, "/F ", "/M ")},
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 9 0 R>>", stream("", []byte(cmap.String())),
		"<</Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8/Length 1>>stream\n \nendstream")
	return []byte(strings.Replace(string(data), "/F 4 0 R", "/M 8 0 R", 1))
}

func TestTextLayer(t *testing.T) {
	t.Parallel()
	lorem := strings.Repeat("lorem ipsum dolor sit amet consectetuer adipiscing elit ", 6)
	shift := map[byte]string{}
	for c := byte('a'); c <= 'z'; c++ {
		shift[c] = string(rune(c - 29)) // glyph numbers of a common order instead of letters
	}
	private := map[byte]string{}
	for c := byte('a'); c <= 'z'; c++ {
		private[c] = string(rune(0xE000) + rune(c))
	}
	tests := []struct {
		name, content, page string
		meaning             map[byte]string
		text, reason        string
	}{
		{"fine", at(50, 700, 3, lorem), "", nil, strings.TrimSpace(lorem), ""},
		{"ligatures", at(50, 700, 10, "o<ce >nal"), "", map[byte]string{'<': "\ufb03", '>': "fi"}, "office final", ""},
		{"a soft hyphen stays", at(50, 700, 10, "co_operation"), "", map[byte]string{'_': "\u00ad"}, "co\u00adoperation", ""},
		{"a radical is the character it shows", at(50, 700, 10, "a"), "", map[byte]string{'a': "\u2f00"}, "一", ""},
		{"forms of Arabic letters, from right to left", at(50, 700, 10, "dcba"), "", map[byte]string{'a': "\ufeb3", 'b': "\ufefc", 'c': "\ufee1", 'd': " "}, "سلام", ""},
		{"Hebrew with a number", at(50, 700, 10, "12 cba"), "", map[byte]string{'a': "א", 'b': "ב", 'c': "ג"}, "אבג 12", ""},
		{"one unknown character does not vanish", at(50, 700, 10, "it is n_t so, says the page"), "", map[byte]string{'_': "\ufffd"}, "it is n\ufffdt so, says the page", ""},
		{"nor does a control", at(50, 700, 10, "it is n_t so, says the page"), "", map[byte]string{'_': "\x03"}, "it is n\ufffdt so, says the page", ""},
		{"private characters", at(50, 700, 3, lorem), "", private, "*", "no known meaning"},
		{"letters by their glyph numbers", at(50, 700, 3, lorem), "", shift, "*", "vowels"},
		{"an image alone", "q 500 0 0 700 50 50 cm /I Do Q", "/XObject<</I 10 0 R>>", nil, "", "image"},
		{"an image with a text layer", "q 500 0 0 700 50 50 cm /I Do Q 3 Tr " + at(50, 700, 10, "recognised"), "/XObject<</I 10 0 R>>", nil, "recognised", ""},
		{"nothing", "", "", nil, "", ""},
		{"off the page", at(50, 700, 10, "seen") + at(50, -300, 10, "unseen"), "", nil, "seen", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			doc, err := read(t, mapped(test.content, test.meaning, test.page), "")
			if err != nil {
				t.Fatal(err)
			}
			checkDocument(t, test.name, doc)
			if test.text != "*" && doc.Text != test.text {
				t.Errorf("text %q, want %q", doc.Text, test.text)
			}
			if got := doc.Pages[0].Unquotable; got == "" != (test.reason == "") || !strings.Contains(got, test.reason) {
				t.Errorf("unquotable %q, want %q", got, test.reason)
			}
			if test.name == "off the page" && doc.Hidden != len("unseen") {
				t.Errorf("%d bytes are hidden, want %d", doc.Hidden, len("unseen"))
			}
		})
	}
}
