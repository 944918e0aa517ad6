package fictional

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// Every trap is set where it says, and each kind is there.
func TestTraps(t *testing.T) {
	t.Parallel()
	w, truth := world(t)
	kinds := map[string]bool{}
	for _, trap := range truth.Traps {
		kinds[trap.Kind] = true
		if w.pages[trap.URL] == nil {
			t.Errorf("%s: %s is not there", trap.Kind, trap.URL)
		}
		if trap.Note == "" {
			t.Errorf("%s: %s has no note", trap.Kind, trap.URL)
		}
	}
	if got := slices.Sorted(maps.Keys(kinds)); !slices.Equal(got, TrapKinds()) {
		t.Errorf("kinds %v, want %v", got, TrapKinds())
	}
	at := func(kind string) *page {
		i := slices.IndexFunc(truth.Traps, func(trap Trap) bool { return trap.Kind == kind })
		return w.pages[truth.Traps[i].URL]
	}
	if p := at("undated"); p.published != "" || strings.ContainsAny(p.text, "0123456789") {
		t.Error("the undated page has a date")
	}
	if p := at("hidden_text"); strings.Contains(p.text, "maintenance mode") || !strings.Contains(string(p.body), "maintenance mode") {
		t.Error("the hidden text is visible, or not there")
	}
	if p := at("injection"); !strings.Contains(p.text, "ignore previous instructions") {
		t.Error("the injection is not visible")
	}
	if p := at("hearsay"); !strings.Contains(p.text, "reportedly") {
		t.Error("the hearsay has no hedge")
	}
	if p := at("negation"); !strings.Contains(p.text, "have never worked for Norderhaven University") {
		t.Error("the negation is not there")
	}
}

// The copies have a text in common that makes up most of each.
func TestCopies(t *testing.T) {
	t.Parallel()
	w, truth := world(t)
	for _, c := range truth.Copies {
		if !slices.Contains(c.URLs, c.Original) || len(c.URLs) < 4 {
			t.Errorf("%s: %d pages", c.ID, len(c.URLs))
		}
		for _, at := range c.URLs {
			shared, text := 0, plainQuotes(w.pages[at].text)
			for line := range strings.SplitSeq(plainQuotes(w.pages[c.Original].text), "\n") {
				if len(line) > 80 && strings.Contains(text, line[40:]) {
					shared += len(line)
				}
			}
			if 10*shared < 7*len(text) {
				t.Errorf("%s: %s shares %d of %d bytes", c.ID, at, shared, len(text))
			}
		}
	}
}

func plainQuotes(s string) string { return strings.NewReplacer("“", `"`, "”", `"`).Replace(s) }
