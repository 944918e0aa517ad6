package evidence

import (
	"slices"
	"strings"
)

// markers pairs the negations and hedges of the quote with those of the claim.
func (c *comparer) markers(out *Comparison) {
	var claimed, quoted []*found
	for i := range c.claim.facts {
		if f := &c.claim.facts[i]; f.Kind == Negation || f.Kind == Hedge {
			claimed = append(claimed, f)
		}
	}
	for i := range c.quote.facts {
		if f := &c.quote.facts[i]; f.Kind == Negation || f.Kind == Hedge {
			quoted = append(quoted, f)
		}
	}
	if len(claimed)+len(quoted) == 0 {
		return
	}
	const most = 200 // pairs of longer lists are a matter of order alone
	relevant := c.relevance()
	used := make([]bool, len(claimed))
	matched := make([]bool, len(quoted))
	var open []int
	if len(claimed)*len(quoted) > maxPairs {
		return // a list, not a sentence
	}
	for i, q := range quoted {
		if !relevant[c.quote.tokens[q.from].sentence] || !c.concerns(q) {
			continue
		}
		best, score := -1, 0
		for k, f := range claimed {
			if used[k] || f.Values[0] != q.Values[0] {
				continue
			}
			if s := 1; len(claimed) < most && len(quoted) < most {
				s += c.likeness(q, f)
				if (f.Text == "nor") != (q.Text == "nor") {
					s-- // it belongs to a denial before it
				}
				if s > score {
					best, score = k, s
				}
			} else if best < 0 {
				best, score = k, 1
			}
		}
		if best >= 0 && score > 0 {
			used[best], matched[i] = true, true
			continue
		}
		open = append(open, i)
	}
	for _, i := range open {
		q := quoted[i]
		if k := slices.IndexFunc(claimed, func(f *found) bool { return weaker(f.Values[0], q.Values[0]) }); k >= 0 || c.endedOtherwise(c.claim, q) {
			if k >= 0 {
				used[k] = true
			}
			matched[i] = true
			continue
		}
		out.Dropped = append(out.Dropped, Finding{Fact: q.Fact, Reason: c.dropped(q)})
	}
	for k, f := range claimed {
		if used[k] || !binds(f) {
			continue
		}
		free := slices.IndexFunc(quoted, func(q *found) bool { return q.Values[0] == f.Values[0] })
		for i, q := range quoted {
			if !matched[i] && q.Values[0] == f.Values[0] {
				free = i
				break
			}
			if matched[i] && q.Values[0] == f.Values[0] && !c.sameMatter(q, f) && i == free {
				free = -1
			}
		}
		if free >= 0 && (!matched[free] || spreads(quoted[free]) && c.sameMatter(quoted[free], f)) {
			matched[free] = true
			continue
		}
		if c.endedOtherwise(c.quote, f) {
			continue
		}
		out.Missing = append(out.Missing, Finding{Fact: f.Fact, Reason: c.added(f)})
	}
}

// spreads reports whether a negation speaks of several things, each of which a claim may deny by itself.
func spreads(q *found) bool {
	switch strings.ToLower(q.Text) {
	case "neither", "none", "no", "nor", "nobody", "without", "没有":
		return true
	}
	return false
}

// weaker reports whether a claim with the class f is no bolder than a quote with the class q.
func weaker(f, q string) bool {
	return q == classPlanned && f == classPossible || q == classReported && f == classPossible
}

// binds reports whether a claim must not add the marker f of its own.
func binds(f *found) bool {
	switch f.Values[0] {
	case classNot, classEnded, classAtLeast, classAtMost:
		return true
	}
	return false
}

// endedOtherwise reports whether f says that something ended and the other side says so in other words.
func (c *comparer) endedOtherwise(other *parser, f *found) bool {
	if f.Values[0] != classEnded {
		return false
	}
	no := strings.HasPrefix(strings.ToLower(f.Text), "no") || f.Text == "不再"
	for i, t := range other.tokens {
		switch t.low {
		case "resigned", "resigns", "retired", "retires", "stepped", "quit", "departed", "ended", "ex", "former", "formerly", "stopped", "anymore", "dissolved":
			return true
		case "left":
			switch other.low(i + 1) {
			case "the", "as", "his", "her", "its", "their", "office":
				return true
			}
		case "until", "previously", "once", "was", "were", "served":
			if !no {
				return true
			}
		}
		for _, w := range []string{"曾", "卸任", "离任", "离职", "辞去", "辞职", "退休", "停止", "原"} {
			if t.kind == hanToken && other.han(i, w) && !(no && w == "曾") {
				return true
			}
		}
	}
	return false
}

// relevance tells of which sentences of the quote the claim speaks.
func (c *comparer) relevance() map[int]bool {
	relevant := map[int]bool{}
	for i := range c.quote.facts {
		q := &c.quote.facts[i]
		s := c.quote.tokens[q.from].sentence
		if relevant[s] || q.Kind == Negation || q.Kind == Hedge {
			continue
		}
		if c.claims[key(q)] > 0 {
			relevant[s] = true
			continue
		}
		if c.steps += len(c.claim.facts); c.steps > maxPairs {
			break
		}
		for k := range c.claim.facts {
			if f := &c.claim.facts[k]; q.Kind == f.Kind && (q.Values[0] == f.Values[0] || q.Kind != Name && c.implies(q, f)) {
				relevant[s] = true
				break
			}
		}
	}
	tokens := c.quote.tokens
	sentences := 0
	for from := 0; from < len(tokens); {
		to := from
		for to < len(tokens) && tokens[to].sentence == tokens[from].sentence {
			to++
		}
		shared, all := 0, 0
		for s := range stems(c.quote, from, to) {
			all++
			if c.claimStems[s] {
				shared++
			}
		}
		if shared >= 2 || shared > 0 && shared*5 >= 2*min(all, len(c.claimStems)) {
			relevant[tokens[from].sentence] = true
		}
		sentences++
		from = to
	}
	if sentences == 1 && len(tokens) > 0 {
		relevant[tokens[0].sentence] = true
	}
	return relevant
}

// concerns reports whether the claim speaks of what the marker q of the quote speaks of.
func (c *comparer) concerns(q *found) bool {
	if q.number >= 0 {
		if len(c.quote.facts) > 2000 {
			return true
		}
		for i := range c.quote.facts {
			n := &c.quote.facts[i]
			if n.from != q.number || n.Kind == Hedge || n.Kind == Negation {
				continue
			}
			return slices.ContainsFunc(c.claim.facts, func(f found) bool { return c.implies(n, &f) })
		}
	}
	scope := c.quote.scope(q)
	if len(scope) == 0 {
		return false
	}
	for s := range scope {
		if c.claimStems[s] {
			return true
		}
	}
	return false
}

// likeness counts what the surroundings of two markers share.
func (c *comparer) likeness(q, f *found) int {
	n := 0
	if q.number >= 0 && f.number >= 0 {
		if c.quote.at[q.number] == c.claim.at[f.number] {
			return 9
		}
		return -9
	}
	a, b := c.quote.scope(q), c.claim.scope(f)
	for s := range a {
		if b[s] {
			n++
		}
	}
	return n
}

// sameMatter reports whether two markers speak of the same words or the same number.
func (c *comparer) sameMatter(q, f *found) bool { return c.likeness(q, f) > 0 }

// scope is what a marker speaks of: the next two words with a meaning of its clause, or the last two before it.
func (p *parser) scope(f *found) map[string]bool {
	scope := map[string]bool{}
	if f.number >= 0 {
		scope["#"+p.at[f.number]] = true
		return scope
	}
	p.collect(scope, f.to, 1)
	if len(scope) == 0 {
		p.collect(scope, f.from-1, -1)
	}
	return scope
}
