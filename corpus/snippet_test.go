package corpus

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSnippet(t *testing.T) {
	filler := strings.Repeat("Nothing to be seen in this sentence. ", 12)
	long := "# Page\n\n" + filler + "The needle lies in the haystack of port 5432. " + filler
	chinese := "# 页面\n\n" + strings.Repeat("这里没有什么可看的。", 40) + "端口是五四三二。" + strings.Repeat("这里没有什么可看的。", 40)
	x := open(t, t.TempDir(), Options{PassageSize: 5000})
	update(t, x, lay(t, map[string]string{"long.md": long, "zh.md": chinese, "short.txt": "Short\n\nOnly a thimble here", "word.md": "# Word\n\nx" + strings.Repeat("y", 2000) + " tail"}), [4]int{4, 0, 0, 4})
	tests := []struct{ query, begins, holds, ends string }{
		{"needle haystack", "The needle", "The needle lies in the haystack of port 5432.", ""},
		{"thimble", "Only", "Only a thimble here", "Only a thimble here"},
		{"端口", "端口是", "端口是五四三二。", ""},
		{"五四三二", "端口是", "端口是五四三二。", ""},
		{"tail", "", "tail", "tail"},
	}
	for _, test := range tests {
		hits, err := x.Search(t.Context(), test.query, 1)
		if err != nil || len(hits) != 1 {
			t.Fatalf("%s: %v, %v", test.query, hits, err)
		}
		s := hits[0].Snippet
		checkHit(t, x, hits[0], 1)
		if !strings.HasPrefix(s, test.begins) || !strings.Contains(s, test.holds) || !strings.HasSuffix(s, test.ends) {
			t.Errorf("%s: snippet %q", test.query, s)
		}
		if strings.TrimSpace(s) != s {
			t.Errorf("%s: white space around %q", test.query, s)
		}
	}
	hits, err := x.Search(t.Context(), "needle", 1)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := x.Document(t.Context(), "long")
	if err != nil {
		t.Fatal(err)
	}
	if next, _ := utf8.DecodeRuneInString(doc.Text[hits[0].End:]); next != ' ' && next != '\n' {
		t.Errorf("the snippet ends inside a word: %q before %q", hits[0].Snippet, next)
	}
	if n := utf8.RuneCountInString(hits[0].Snippet); n < 200 {
		t.Errorf("the snippet has only %d characters", n)
	}
}
