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

// collect adds two words with a meaning, or the pairs of four Chinese characters, from i on in a direction.
func (p *parser) collect(scope map[string]bool, i, step int) {
	words, chars := 0, 0
	for ; i >= 0 && i < len(p.tokens) && words < 2 && chars < 4; i += step {
		t := p.tokens[i]
		switch {
		case t.kind == punctToken && strings.Contains(",;:.!?，。；：！？", t.text) && len(scope) > 0, t.kind == punctToken && strings.Contains(".!?。！？", t.text):
			return
		case len(scope) > 0 && step > 0 && subordinates(t.low):
			return
		case t.kind == hanToken:
			chars++
			if j := i + 1; p.tok(j).kind == hanToken {
				scope[t.text+p.tokens[j].text] = true
			}
		case t.kind == numberToken:
			scope[t.num.value] = true
			words++
		case t.kind == wordToken && !functionStems()[t.low] && !strings.HasSuffix(t.low, "n't"):
			scope[stem(t.low)] = true
			words++
		}
	}
}

// subordinates reports whether a word starts a clause that a denial before it need not reach: "did not say why".
func subordinates(low string) bool {
	switch low {
	case "why", "whether", "that", "when", "if", "how", "who", "what", "where", "because", "although", "while", "which":
		return true
	}
	return false
}

// stems are the words with a meaning in tokens[from:to], without their endings, and the pairs of Chinese characters.
func stems(p *parser, from, to int) map[string]bool {
	m := make(map[string]bool, to-from)
	for i := from; i < to; i++ {
		t := p.tokens[i]
		switch t.kind {
		case hanToken:
			if p.tok(i+1).kind == hanToken && i+1 < to {
				m[t.text+p.tokens[i+1].text] = true
			}
		case numberToken:
			m[t.num.value] = true
		case wordToken:
			if !functionStems()[t.low] {
				m[stem(t.low)] = true
			}
		}
	}
	return m
}

// functionStems are words without a meaning of their own.
var functionStems = wordSet("the a an and or but of in on at to for from with by as is are was were be been being has have had do does did will would shall should can could may might must it its he she they them his her their him " +
	"we us our you your i my me this that these those there here who whom which what when where why how if then than so also not no any all some each both more most very into over under about after before since until while during only own " +
	"did does just yet still even ever never get got it's that's up out off again against between through because such other")

// irregular gives the first form of verbs whose past has no usual ending.
var irregular = wordMap(`rise: rose risen
fall: fell fallen
sell: sold
buy: bought
win: won
lose: lost
grow: grew grown
make: made
pay: paid
lead: led
leave: left
meet: met
become: became
begin: began begun
build: built
come: came
choose: chose chosen
draw: drew drawn
drive: drove driven
find: found
give: gave given
hold: held
keep: kept
know: knew known
say: said
send: sent
spend: spent
speak: spoke spoken
stand: stood
steal: stole stolen
take: took taken
teach: taught
tell: told
think: thought
write: wrote written
run: ran
see: saw seen
seek: sought
go: went gone
bring: brought
break: broke broken
catch: caught
eat: ate eaten
fight: fought
fly: flew flown
forget: forgot forgotten
hear: heard
hide: hid hidden
mean: meant
shoot: shot
show: shown
sink: sank sunk
sleep: slept
strike: struck
swim: swam swum
throw: threw thrown
wear: wore worn
withdraw: withdrew withdrawn
overtake: overtook overtaken
undergo: underwent undergone`)

// stem cuts the usual endings of English words.
func stem(w string) string {
	w = strings.TrimSuffix(w, "'s")
	if first := irregular()[w]; first != "" {
		w = first
	}
	for _, end := range []string{"ations", "ation", "ings", "ing", "ied", "ies", "ed", "es", "ly", "er", "s", "e", "y"} {
		if s, ok := strings.CutSuffix(w, end); ok && len(s) >= 3 {
			if n := len(s); n > 3 && s[n-1] == s[n-2] && (end == "ing" || end == "ed" || end == "er") {
				s = s[:n-1]
			}
			return s
		}
	}
	return w
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
