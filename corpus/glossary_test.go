package corpus

import "testing"

// All searches share the glossary, so none may write to it, not even behind the
// end of one of its lists.
func TestSearchLeavesTheGlossaryAlone(t *testing.T) {
	t.Parallel()
	x := open(t, t.TempDir(), Options{})
	update(t, x, lay(t, map[string]string{"a.md": "# Disk\n\nFiles are kept on disk."}), [4]int{1, 0, 0, 1})
	tails := 0
	for word, concepts := range glossary() {
		if _, err := x.Search(t.Context(), word, 5); err != nil {
			t.Fatal(err)
		}
		for _, c := range concepts {
			for _, v := range c.variants[len(c.variants):cap(c.variants)] {
				tails++
				if v != (variant{}) {
					t.Errorf("a search for %s wrote %q behind the words of its gloss", word, v.text)
				}
			}
		}
	}
	if tails == 0 {
		t.Error("no gloss has room behind its words, so nothing was tested")
	}
}
