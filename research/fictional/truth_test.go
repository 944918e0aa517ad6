package fictional

import (
	"slices"
	"strings"
	"testing"

	"github.com/quarry-sdk/quarry/evidence"
)

// world is the web and the truth about it.
func world(t *testing.T) (*Web, *Truth) {
	t.Helper()
	w, err := New(Config{SlowPage: -1})
	if err != nil {
		t.Fatal(err)
	}
	truth, err := ReadTruth()
	if err != nil {
		t.Fatal(err)
	}
	return w, truth
}

// eachValue calls f with every value, and with the evidence of all of its sides and its
// denials.
func eachValue(truth *Truth, f func(s *Subject, field *Field, v *Value, all []Evidence)) {
	for i := range truth.Subjects {
		s := &truth.Subjects[i]
		for j := range s.Fields {
			for k := range s.Fields[j].Values {
				v := &s.Fields[j].Values[k]
				all := slices.Concat(v.Evidence, v.Denials)
				for _, side := range v.Sides {
					all = append(all, side.Evidence...)
				}
				f(s, &s.Fields[j], v, all)
			}
		}
	}
}

// Every quote stands in its page, the page speaks of the subject, and it can be fetched.
func TestQuotesStandInTheirPages(t *testing.T) {
	t.Parallel()
	w, truth := world(t)
	quotes := 0
	eachValue(truth, func(s *Subject, _ *Field, v *Value, all []Evidence) {
		for _, e := range all {
			quotes++
			p := w.pages[e.URL]
			switch {
			case p == nil || p.Status != 200:
				t.Errorf("%s: %s is not served", v.ID, e.URL)
			case len(evidence.Locate(p.text, e.Quote)) == 0:
				t.Errorf("%s: %s\n%s", v.ID, e.URL, evidence.Explain(p.text, e.Quote))
			case len(e.Quote) > 500:
				t.Errorf("%s: a quote of %d bytes", v.ID, len(e.Quote))
			case !slices.Contains(s.Pages, e.URL):
				t.Errorf("%s: %s is not among the pages of %s", v.ID, e.URL, s.ID)
			}
		}
	})
	if quotes < 150 {
		t.Errorf("only %d quotes", quotes)
	}
}

// The values are well formed, and their wordings tell them from each other.
func TestValuesAreToldApart(t *testing.T) {
	t.Parallel()
	_, truth := world(t)
	seen := map[string]bool{}
	wrong := []Standing{Stale, Hearsay, False}
	eachValue(truth, func(_ *Subject, field *Field, v *Value, all []Evidence) {
		if seen[v.ID] {
			t.Errorf("%s is there twice", v.ID)
		}
		seen[v.ID] = true
		if !v.StatedIn(v.Normal) {
			t.Errorf("%s: its own normal form does not state it", v.ID)
		}
		if (v.Standing == Contradicted) != (len(v.Sides) >= 2) || v.Standing == Contradicted && len(v.Evidence) > 0 {
			t.Errorf("%s: %s with %d sides", v.ID, v.Standing, len(v.Sides))
		}
		if len(all) == len(v.Denials) && v.Standing != False {
			t.Errorf("%s has no evidence", v.ID)
		}
		for i, side := range v.Sides {
			if other := v.Sides[(i+1)%len(v.Sides)]; !side.StatedIn(side.Normal) || side.StatedIn(other.Normal) {
				t.Errorf("%s: its sides are not told apart", v.ID)
			}
		}
		for _, other := range field.Values {
			if other.ID != v.ID && v.StatedIn(other.Normal) && (other.Standing == Right || !slices.Contains(wrong, other.Standing)) {
				t.Errorf("%s is stated by the normal form of %s", v.ID, other.ID)
			}
		}
		if !slices.Contains([]Standing{Right, Undated, Stale, Contradicted, Hearsay, False}, v.Standing) {
			t.Errorf("%s: standing %q", v.ID, v.Standing)
		}
		for _, date := range []string{v.From, v.Until, v.On} {
			if date > truth.AsOf && date != "2026" && v.Standing != Stale {
				t.Errorf("%s: %s is after %s", v.ID, date, truth.AsOf)
			}
		}
		if len(v.Denials) > 0 && v.Standing != Hearsay && v.Standing != False {
			t.Errorf("%s is %s, and denied", v.ID, v.Standing)
		}
		if v.Standing == Stale && v.Until == "" && v.On == "" {
			t.Errorf("%s is stale, and nothing says when it was so", v.ID)
		}
	})
}

// What the task of a profile asks for is there for each person, with what is missing.
func TestFields(t *testing.T) {
	t.Parallel()
	_, truth := world(t)
	profile := []string{"identity", "current_roles", "previous_roles", "education", "publications", "projects", "talks", "public_profiles"}
	for i := range truth.Subjects {
		s := &truth.Subjects[i]
		if s.Kind == "person" {
			for _, name := range profile {
				if f := s.Field(name); f == nil || len(f.Values) == 0 && f.Gap == "" {
					t.Errorf("%s: field %s has neither values nor a gap", s.ID, name)
				}
			}
		}
		if s.Namesake != "" {
			if other := truth.Subject(s.Namesake); other == nil || other.Name != s.Name || other.Namesake != s.ID {
				t.Errorf("%s: its namesake is %q", s.ID, s.Namesake)
			}
			if len(s.Pages) < 12 {
				t.Errorf("%s: %d pages", s.ID, len(s.Pages))
			}
		}
	}
	if len(truth.Subjects) != 4 {
		t.Errorf("%d subjects", len(truth.Subjects))
	}
}

// The pages of a subject name it, and all pages that name it are listed, false friends
// included: who counts pages of the wrong person relies on it.
func TestPagesOfSubjects(t *testing.T) {
	t.Parallel()
	w, truth := world(t)
	var ambiguous []string
	for _, trap := range truth.Traps {
		if trap.Kind == "ambiguous" {
			ambiguous = append(ambiguous, trap.URL)
		}
	}
	for _, s := range truth.Subjects {
		names := []string{s.Name, strings.Fields(s.Name)[0], s.Name[strings.LastIndex(s.Name, " ")+1:], "哈特维希"}
		for _, at := range append(slices.Clone(s.Pages), s.Anchors...) {
			p := w.pages[at]
			if p == nil || p.Status != 200 || p.text == "" {
				t.Errorf("%s: %s is not served", s.ID, at)
				continue
			}
			// Her own pages say "I".
			own := strings.HasPrefix(at, s.Anchors[0])
			if !own && !slices.ContainsFunc(names, func(n string) bool { return strings.Contains(p.text, n) }) {
				t.Errorf("%s: %s does not name it", s.ID, at)
			}
		}
		other := truth.Subject(s.Namesake)
		for at, p := range w.pages {
			if p.Status != 200 || p.Indexed != nil || p.Unlisted || !strings.Contains(p.text, s.Name) || slices.Contains(ambiguous, at) {
				continue
			}
			if !slices.Contains(s.Pages, at) && (other == nil || !slices.Contains(other.Pages, at)) {
				t.Errorf("%s: %s names it and is not listed", s.ID, at)
			}
		}
	}
}
