package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTyped(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "")
	var out strings.Builder
	if err := run(t.Context(), mail, &out); err != nil {
		t.Fatal(err)
	}
	want := `Refused an answer: "total_cents" must be an integer; it is a string "138.80"
   2 x writing desk lamp       99.80
  12 x ruled notebook          39.00
Invoice 2025-117, due 2025-03-19: 138.80
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestTypedRefuses(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "")
	for want, mail := range map[string]string{
		"come to 138.80; do not pay it yet": strings.Replace(mail, "138.80", "238.80", 1),
		"there is no invoice in it":         "Dear Ada, how are you?",
	} {
		if err := run(t.Context(), mail, &strings.Builder{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
