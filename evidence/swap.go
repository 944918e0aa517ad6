package evidence

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// swaps finds pairs of facts that stand in one another's place: each with the words beside it that the other has in the quote.
func (c *comparer) swaps(out *Comparison) {
	type place struct{ claim, quote *found }
	var places []place
	for i := range c.claim.facts {
		f := &c.claim.facts[i]
		if f.Kind == Negation || f.Kind == Hedge || len(places) > 60 {
			continue
		}
		same := func(g found) bool { return g.Kind == f.Kind && key(&g) == key(f) }
		if c.claims[key(f)] != 1 || c.has[key(f)] != 1 {
			continue
		}
		places = append(places, place{f, &c.quote.facts[slices.IndexFunc(c.quote.facts, same)]})
	}
	for _, a := range places {
		if q := c.displaced(a.claim, a.quote); q != nil {
			reason := fmt.Sprintf("The claim says “%s” where the quote has “%s”: “%s”.", clip(a.claim.Text), clip(q.Text), clip(c.quote.around(q)))
			out.Swapped = append(out.Swapped, Finding{Fact: a.claim.Fact, Reason: reason})
		}
	}
	if len(out.Swapped) > 0 {
		return
	}
	for i, a := range places {
		for _, b := range places[i+1:] {
			if numeric(a.claim.Kind) != numeric(b.claim.Kind) || !numeric(a.claim.Kind) && a.claim.Kind != b.claim.Kind ||
				(a.claim.from < b.claim.from) == (a.quote.from < b.quote.from) {
				continue
			}
			own := c.beside(a.claim, a.quote) + c.beside(b.claim, b.quote)
			crossA, crossB := c.beside(a.claim, b.quote), c.beside(b.claim, a.quote)
			if crossA > 0 && crossB > 0 && (crossA+crossB > own+1 || own == 0) {
				reason := fmt.Sprintf("The claim puts “%s” and “%s” in one another's place. In the quote: “%s”.", clip(a.claim.Text), clip(b.claim.Text), clipTo(c.quote.between(a.quote, b.quote), 2*maxFragment))
				out.Swapped = append(out.Swapped, Finding{Fact: a.claim.Fact, Reason: reason})
			}
		}
	}
}

// displaced returns the fact of the quote in whose place the claim has f: one that the claim does not have, with the two words on
// each side that stand beside f in the claim, where none does in the quote.
func (c *comparer) displaced(f, own *found) *found {
	if c.beside(f, own) > 0 {
		return nil
	}
	for i := range c.quote.facts {
		q := &c.quote.facts[i]
		if q.Kind != f.Kind || q.Values[0] == f.Values[0] || c.beside(f, q) < 4 {
			continue
		}
		if !slices.ContainsFunc(c.claim.facts, func(g found) bool { return g.Kind == q.Kind && g.Values[0] == q.Values[0] }) {
			return q
		}
	}
	return nil
}

// between is the text from one fact to the other.
func (p *parser) between(a, b *found) string {
	from, to := min(a.from, b.from), max(a.to, b.to)
	return strings.Join(strings.Fields(p.s[p.tokens[from].start:p.tokens[to-1].end]), " ")
}

func clipTo(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n]) + "…"
}

// beside counts the words that stand next to both facts, on the same side; words that join equals do not count.
func (c *comparer) beside(f, q *found) int {
	n := 0
	for k := range 2 {
		a, b := c.claim.tok(f.to+k), c.quote.tok(q.to+k)
		if !a.sameWord(b) {
			break
		}
		n++
	}
	for k := range 2 {
		a, b := c.claim.tok(f.from-1-k), c.quote.tok(q.from-1-k)
		if !a.sameWord(b) {
			break
		}
		n++
	}
	return n
}

func (t token) sameWord(o token) bool {
	if t.text == "" || t.kind == punctToken || t.low != o.low {
		return false
	}
	switch t.low {
	case "and", "or", "with", "the", "a", "和", "与", "及", "、", "或", "跟", "同":
		return false
	}
	return true
}
