package evidence

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CompareOptions change what [Compare] asks for. The zero value asks for everything.
type CompareOptions struct {
	// Known are names that need not stand in the quote, such as the subject of the research, of whom a quote says "she".
	// Defaults to none.
	Known []string
}

// Comparison is what a claim says beyond its quote, and what it leaves out.
type Comparison struct {
	// Missing are facts of the claim that the quote does not have and that no rule derives.
	Missing []Finding `json:"missing,omitempty"`
	// Dropped are negations and hedges of the quote that the claim leaves out, though it speaks of the same.
	Dropped []Finding `json:"dropped,omitempty"`
	// Swapped are facts of the claim that the quote has, each in the place of the other.
	Swapped []Finding `json:"swapped,omitempty"`
}

// Finding is a fact that stands against a claim.
type Finding struct {
	// Fact is of the claim; a dropped one is of the quote.
	Fact Fact `json:"fact"`
	// Reason is a sentence that tells how to mend the claim. Words in it from claim and quote are data, never an instruction.
	Reason string `json:"reason"`
}

// OK reports whether nothing was found.
func (c Comparison) OK() bool { return len(c.Missing)+len(c.Dropped)+len(c.Swapped) == 0 }

// String gives the reasons, one a line.
func (c Comparison) String() string {
	var lines []string
	for _, f := range slices.Concat(c.Missing, c.Dropped, c.Swapped) {
		lines = append(lines, f.Reason)
	}
	return strings.Join(lines, "\n")
}

// Compare looks for each fact of the claim in the quote, and for each negation and hedge of the quote in the claim. It does not
// tell whether the quote supports the claim: two sentences with the same facts may say different things.
//
// A fact of the claim is derived from the quote by these rules and no others:
//
//   - numbers are equal as decimals, however they are written: 1.2 million is 1,200,000, "three" is 3, 三百万 is 3,000,000. Nothing
//     is rounded and no unit converted. A number without a unit is also derived from one with a unit of measure, never from a
//     percentage or an amount of money; one with a unit only from one with the same. A fraction is also its percentage, and
//     "10–20" the same as "from 10 to 20". "$" is the US dollar, "¥" either yen or yuan, and "m" after digits either metres or
//     millions.
//   - a date is derived from one that is as precise or more; a quarter and a decade from a date in them. A numeric date that can
//     be read day first and month first says only what both readings say. Four digits where no word tells a year from a number are
//     derived from either.
//   - a name is derived from the same words in the same letter case; from a longer name that has its words in the same order, so that
//     "Smith" follows from "Jane Smith" and not the other way; an acronym from a name with these initials; and a few
//     countries and unions from their usual acronyms and adjectives.
//   - a negation or a hedge from one of its class: "not" (no, never, without, unable to, 不, 没有, …), "ended" (no longer, former, 不再),
//     "possible" (may, perhaps, 可能), "reported" (allegedly, 据称), "about" (nearly, 约), "at least" (more than, 超过), "at most"
//     (up to, less than, 不到), "planned" (expected to, plans to, tried to, 预计). A claim may be more careful than its quote, but not
//     add a negation or a bound.
//
// A negation or a hedge of the quote counts if the claim has the number that it bounds, or one of the next words that it speaks of, and
// its sentence shares a fact or some words with the claim.
//
// What is not read: words for numbers in other languages than English and Chinese; names in scripts without capitals other than
// Chinese; names of persons in Chinese without a usual surname; single names in German, which writes all nouns with a capital;
// and facts that only a reader knows, such as that "doubled" is a number.
func Compare(claim, quote string, opts CompareOptions) Comparison {
	c := &comparer{claim: parse(claim), quote: parse(quote), opts: opts}
	c.text = nameText(quote)
	c.has = map[string]int{}
	for i := range c.quote.facts {
		c.has[key(&c.quote.facts[i])]++
	}
	c.claims = map[string]int{}
	for i := range c.claim.facts {
		c.claims[key(&c.claim.facts[i])]++
	}
	c.claimStems = stems(c.claim, 0, len(c.claim.tokens))
	var out Comparison
	for i := range c.claim.facts {
		f := &c.claim.facts[i]
		if f.Kind == Negation || f.Kind == Hedge || c.derived(f) {
			continue
		}
		out.Missing = append(out.Missing, Finding{Fact: f.Fact, Reason: c.missing(f)})
	}
	c.markers(&out)
	c.swaps(&out)
	return out
}

// comparer compares one claim with one quote.
type comparer struct {
	claim, quote *parser
	opts         CompareOptions
	text         string // the quote as names are looked for in it
	claimStems   map[string]bool
	has          map[string]int // how often the quote has a fact just like it, by its key
	claims       map[string]int
	steps        int // how many pairs of facts were looked at
}

// maxPairs is how many pairs of facts are looked at for rules of derivation; beyond it, in texts of thousands of facts, only equal
// facts are derived.
const maxPairs = 200000

// key is the same for facts that are equal.
func key(f *found) string { return string(f.Kind) + " " + strings.Join(f.Values, "|") }

// derived reports whether a number, a date or a name of the claim follows from the quote.
func (c *comparer) derived(f *found) bool {
	if c.has[key(f)] > 0 {
		return true
	}
	if c.steps += len(c.quote.facts); c.steps > maxPairs {
		return false
	}
	if f.Kind == Name {
		return c.nameDerived(f)
	}
	for i := range c.quote.facts {
		if c.implies(&c.quote.facts[i], f) {
			return true
		}
	}
	switch f.Kind {
	case Number, Percentage, Money:
		return c.rangeDerived(f)
	case Date:
		return c.dateComposed(f)
	}
	return false
}

// implies reports whether the fact q of the quote says what the fact f of the claim does.
func (c *comparer) implies(q, f *found) bool {
	switch {
	case f.Kind == Ordinal || q.Kind == Ordinal:
		return f.Kind == q.Kind && f.Values[0] == q.Values[0]
	case f.Kind == Date && q.Kind == Date:
		return datesImply(q.Values, f.Values)
	case f.Kind == Date || q.Kind == Date:
		return (f.year || q.year) && numeric(f.Kind) != numeric(q.Kind) && f.Values[0] == q.Values[0]
	case numeric(f.Kind) && numeric(q.Kind):
		for _, fv := range f.Values {
			for _, qv := range q.Values {
				if fv == qv || f.Kind == Number && unitless(fv, qv) {
					return true
				}
				if (f.loose || q.loose) && rangeEnd(fv, qv, f.loose) {
					return true
				}
			}
		}
	}
	return false
}

func numeric(k Kind) bool { return k == Number || k == Percentage || k == Money }

// unitless reports whether qv is fv with a unit of measure.
func unitless(fv, qv string) bool {
	v, unit, ok := strings.Cut(qv, " ")
	if !ok || v != fv || strings.Contains(fv, " ") {
		return false
	}
	switch unit {
	case "%", "‰", "pp", "bp":
		return false
	}
	return len(unit) != 3 || strings.ToUpper(unit) != unit || unit == "MWh" // a currency is three capitals
}

// rangeEnd reports whether fv is an end of the range qv.
func rangeEnd(fv, qv string, loose bool) bool {
	span, unit, _ := strings.Cut(qv, " ")
	lo, hi, ok := strings.Cut(span, "..")
	v, u, _ := strings.Cut(fv, " ")
	return ok && loose && (v == lo || v == hi) && (u == unit || u == "")
}

// rangeDerived derives a range from its two ends, which the quote gives apart.
func (c *comparer) rangeDerived(f *found) bool {
	span, unit, _ := strings.Cut(f.Values[0], " ")
	lo, hi, ok := strings.Cut(span, "..")
	if !ok {
		return false
	}
	has := func(v string) bool {
		if unit != "" {
			v += " " + unit
		}
		return slices.ContainsFunc(c.quote.facts, func(q found) bool {
			return numeric(q.Kind) && q.loose && slices.ContainsFunc(q.Values, func(qv string) bool { return qv == v || unit == "" && unitless(v, qv) })
		})
	}
	return has(lo) && has(hi)
}

// datesImply reports whether every reading of the quote's date is one of the claim's, and the other way round.
func datesImply(q, f []string) bool {
	for _, qv := range q {
		if !slices.ContainsFunc(f, func(fv string) bool { return dateImplies(qv, fv) }) {
			return false
		}
	}
	for _, fv := range f {
		if !slices.ContainsFunc(q, func(qv string) bool { return dateImplies(qv, fv) }) {
			return false
		}
	}
	return true
}

// dateComposed derives "17 May 2019" from a quote that says "on 17 May" and has no other year than 2019.
func (c *comparer) dateComposed(f *found) bool {
	v := f.Values[0]
	if len(f.Values) > 1 || len(v) < 7 || v[0] == '-' || v[4] != '-' {
		return false
	}
	year, rest := v[:4], "-"+v[4:]
	years, hasRest := map[string]bool{}, false
	for _, q := range c.quote.facts {
		if q.Kind != Date {
			continue
		}
		qv := q.Values[0]
		if len(qv) >= 4 && qv[0] != '-' && qv[0] != 'T' {
			years[qv[:4]] = true
		}
		if dateImplies(qv, rest) && qv[0] == '-' {
			hasRest = true
		}
	}
	return hasRest && len(years) == 1 && years[year]
}

// missing says what the quote has instead of the fact f of the claim.
func (c *comparer) missing(f *found) string {
	var near []string
	for _, q := range c.quote.facts {
		if len(near) == 3 {
			break
		}
		if (q.Kind == f.Kind || numeric(q.Kind) && numeric(f.Kind)) && len(near) < 3 && !slices.Contains(near, "“"+clip(q.Text)+"”") {
			near = append(near, "“"+clip(q.Text)+"”")
		}
	}
	has := "the quote has no " + string(f.Kind)
	if len(near) > 0 {
		has = "the quote has " + strings.Join(near, ", ")
	}
	mend := "State it as the quote does, add the quote that has it, or leave it out."
	if f.Kind == Date && len(f.Values) > 1 {
		mend = "It can be read in two ways: write the month as a word, or the date exactly as the quote does."
	}
	return fmt.Sprintf("The claim says “%s” (%s); %s. %s", clip(f.Text), f.Kind, has, mend)
}

// added says that the claim has a negation or a bound of its own.
func (c *comparer) added(f *found) string {
	return fmt.Sprintf("The claim says “%s”, which the quote does not. Leave it out, or add the quote that says so.", clip(c.claim.around(f)))
}

// dropped says what the claim leaves out.
func (c *comparer) dropped(q *found) string {
	what := map[string]string{
		classNot: "denies", classEnded: "says that it ended", classPossible: "says only that it is possible", classReported: "says only that it is said",
		classAbout: "gives the number as a rough one", classAtLeast: "gives a lower bound", classAtMost: "gives an upper bound", classPlanned: "says only that it is planned, expected or tried",
	}[q.Values[0]]
	return fmt.Sprintf("The quote %s: “%s”. The claim leaves “%s” out: say it as well, or drop the claim.", what, clip(c.quote.around(q)), clip(q.Text))
}

// around is the marker with the words next to it.
func (p *parser) around(f *found) string {
	from, to := max(0, f.from-1), min(len(p.tokens), f.to+3)
	if p.tokens[from].sentence != p.tokens[f.from].sentence {
		from = f.from
	}
	return strings.Join(strings.Fields(p.s[p.tokens[from].start:p.tokens[to-1].end]), " ")
}

// nameText is a text as names are looked for in it: normalised, and without the points of initials and acronyms.
func nameText(s string) string {
	s = Normalize(s)
	var b strings.Builder
	for i, r := range s {
		if r == '.' {
			before, _ := utf8.DecodeLastRuneInString(s[:i])
			if unicode.IsUpper(before) || unicode.IsLower(before) {
				after, _ := utf8.DecodeRuneInString(s[i+1:])
				if unicode.IsUpper(before) || unicode.IsLetter(after) {
					b.WriteByte(' ')
					continue
				}
			}
		}
		b.WriteRune(r)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
