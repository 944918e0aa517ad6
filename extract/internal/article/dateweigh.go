package article

import (
	"slices"
	"strings"
)

// dated is a date that was found, before it is weighed against the others.
type dated struct {
	kind   DateKind
	m      moment
	source string
	raw    string
	// told means that the page says in words or markup what the date is of; an
	// untold date only stands where dates of publication do.
	told bool
	// above means that it stands over the headline, where a site may print the
	// date of today.
	above bool
}

// rank orders dates by how far they can be trusted. A date that nothing says what
// it is of comes after that of the address, and a month after any day.
func (d *dated) rank() int {
	rank := strings.Index("json-ld meta microdata time text url", d.source)
	if !d.told && d.source != "url" {
		rank += 100
	}
	if d.above && !d.told {
		rank += 100
	}
	if d.m.day == 0 {
		rank += 300
	}
	return rank
}

// weigh brings the dates in order and drops those that contradict better ones:
// an untold date that is another day than the best of its kind, and of a
// publication and an earlier update the one to be trusted less.
func (d *dater) weigh() []Date {
	slices.SortStableFunc(d.found, func(a, b dated) int { return a.rank() - b.rank() })
	best := map[DateKind]*dated{}
	for i := range d.found {
		f := &d.found[i]
		other := best[Published]
		if f.kind == Published {
			other = best[Updated]
		}
		if best[f.kind] == nil && !(other != nil && inverted(f, other)) {
			best[f.kind] = f
		}
	}
	var kept []Date
	for _, kind := range []DateKind{Published, Updated} {
		for i := range d.found {
			f, b := &d.found[i], best[kind]
			if f.kind != kind || b == nil || f != b && (f.rank() < b.rank() || !f.told && !f.m.agrees(b.m)) || len(kept) >= maxKept {
				continue
			}
			kept = append(kept, Date{Kind: kind, Value: f.m.String(), Source: f.source, Raw: f.raw})
		}
	}
	return kept
}

// maxKept bounds the dates that are reported of a page.
const maxKept = 16

// inverted tells whether of two dates of different kinds the update comes before
// the publication.
func inverted(a, b *dated) bool {
	if a.kind == Updated {
		a, b = b, a
	}
	return a.m.day > 0 && b.m.day > 0 && b.m.days()+1 < a.m.days()
}
