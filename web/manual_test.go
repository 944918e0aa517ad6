package web

import (
	"os"
	"strings"
	"testing"
)

// TestManualNamesAll checks that the manual names every outcome and every sign.
func TestManualNamesAll(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../docs/web.md")
	if err != nil {
		t.Fatal(err)
	}
	manual := string(data)
	for _, o := range Outcomes() {
		if !strings.Contains(manual, "| `"+string(o)+"` |") {
			t.Errorf("docs/web.md does not tell of the outcome %s", o)
		}
	}
	for _, s := range signs {
		if !strings.Contains(manual, "`"+s.name+"`") {
			t.Errorf("docs/web.md does not tell of the sign %s", s.name)
		}
	}
}
