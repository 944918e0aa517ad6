package evidence

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// pairs reads the lines "quote | claim" of a file.
func pairs(t testing.TB, name string) [][2]string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var out [][2]string
	for line := range strings.Lines(string(b)) {
		quote, claim, ok := strings.Cut(strings.TrimSpace(line), " | ")
		if ok && !strings.HasPrefix(line, "#") {
			out = append(out, [2]string{quote, claim})
		}
	}
	return out
}

func TestCompareAcceptsParaphrases(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{"paraphrases_en.txt": 150, "paraphrases_zh.txt": 60} {
		list := pairs(t, name)
		if len(list) < want {
			t.Errorf("%s has %d pairs, want %d", name, len(list), want)
		}
		for _, p := range list {
			if c := Compare(p[1], p[0], CompareOptions{}); !c.OK() {
				t.Errorf("quote %q\nclaim %q\n%s", p[0], p[1], c)
			}
		}
	}
}

func TestCompareRefusesLies(t *testing.T) {
	t.Parallel()
	for _, p := range pairs(t, "lies.txt") {
		c := Compare(p[1], p[0], CompareOptions{})
		if c.OK() {
			t.Errorf("quote %q\nclaim %q\naccepted", p[0], p[1])
		}
		if s := c.String(); !strings.Contains(s, "“") || !utf8.ValidString(s) {
			t.Errorf("quote %q: the reason %q names nothing", p[0], s)
		}
	}
}
