package evidence

import "sort"

// Kind is the kind of a fact.
type Kind string

// The kinds of facts.
const (
	Number     Kind = "number"
	Ordinal    Kind = "ordinal"
	Percentage Kind = "percentage"
	Money      Kind = "money"
	Date       Kind = "date"
	Name       Kind = "name"
	Negation   Kind = "negation"
	Hedge      Kind = "hedge"
)

// Fact is a detail of a sentence that is true or false by itself.
type Fact struct {
	Kind Kind `json:"kind"`
	// Text is the fact as it is written.
	Text string `json:"text"`
	// Bytes is where it stands.
	Bytes Span `json:"bytes"`
	// Values are what it says in one form, one for each way to read it:
	//
	//   - a number as a decimal string, never rounded, with a unit behind a blank: "1200000", "12.5 km", "10..20 %", "1/3";
	//   - an ordinal as "3"; a percentage as "15 %", and in points as "2 pp" or "25 bp"; money as "1200000 USD";
	//   - a date as ISO 8601 has it as far as it is known: "2019-05-17", "2019-05", "2019", "--05-17", "--05", and "2019-Q3",
	//     "1990s", "T15:00", "Monday";
	//   - a name as it is written, under [Normalize], without a possessive 's;
	//   - a negation or a hedge as its class: "not", "ended", "possible", "reported", "about", "at least", "at most", "planned".
	Values []string `json:"values"`
}

// Facts returns the facts of s in the order in which they stand. Digits are read in any script; words for numbers, months and
// magnitudes, names, negations and hedges by the rules of English and Chinese and, for numbers, dates and names, of some
// languages more: see [Compare] for what is not read. A date, a number and a name do not overlap.
func Facts(s string) []Fact {
	p := parse(s)
	facts := make([]Fact, len(p.facts))
	for i, f := range p.facts {
		facts[i] = f.Fact
	}
	return facts
}

// found is a fact with the tokens that it was read from.
type found struct {
	Fact
	from, to int  // tokens[from:to]
	loose    bool // an end of "from 10 to 20", which is also the range 10–20
	year     bool // a year that may as well be a number
	number   int  // the first token of the number that a hedge speaks of, or -1
}

// parser reads the facts of one string.
type parser struct {
	s      string
	lang   language
	tokens []token
	used   []bool // tokens that are part of a number or a date
	facts  []found
	at     map[int]string // the value of the number, date or name whose first token it is
}

func parse(s string) *parser {
	lang := languageOf(s)
	p := &parser{s: s, lang: lang, tokens: tokenize(s, lang)}
	p.used = make([]bool, len(p.tokens))
	for i := 0; i < len(p.tokens); {
		if p.inName(i) {
			i++
			continue
		}
		next := p.dateAt(i)
		if next == i {
			next = p.quantityAt(i)
		}
		if next == i {
			i++
			continue
		}
		i = next
	}
	p.shareUnits()
	p.loosen()
	p.names()
	p.hanNames()
	p.markers()
	sort.SliceStable(p.facts, func(i, j int) bool { return p.facts[i].Bytes.Start < p.facts[j].Bytes.Start })
	p.at = map[int]string{}
	for _, f := range p.facts {
		if f.Kind != Hedge && f.Kind != Negation {
			p.at[f.from] = f.Values[0]
		}
	}
	return p
}

// add records a fact that stands in tokens[from:to].
func (p *parser) add(kind Kind, from, to int, values ...string) *found {
	s := Span{Start: p.tokens[from].start, End: p.tokens[to-1].end}
	p.facts = append(p.facts, found{
		Fact: Fact{Kind: kind, Text: p.s[s.Start:s.End], Bytes: s, Values: values},
		from: from, to: to, number: -1,
	})
	return &p.facts[len(p.facts)-1]
}

// take is add, and keeps others from reading the tokens.
func (p *parser) take(kind Kind, from, to int, values ...string) *found {
	for i := from; i < to; i++ {
		p.used[i] = true
	}
	return p.add(kind, from, to, values...)
}

// tok returns a token, or an empty one beyond the ends.
func (p *parser) tok(i int) token {
	if i < 0 || i >= len(p.tokens) {
		return token{kind: punctToken, gap: true, first: true, sentence: -1}
	}
	return p.tokens[i]
}

// is reports whether the token at i is written as text.
func (p *parser) is(i int, text string) bool {
	return i >= 0 && i < len(p.tokens) && p.tokens[i].text == text
}

// low returns the token at i in small letters.
func (p *parser) low(i int) string { return p.tok(i).low }

// glue reports whether the token at i follows the one before directly.
func (p *parser) glue(i int) bool { return i > 0 && i < len(p.tokens) && !p.tokens[i].gap }

// phrase reports whether the words, separated by blanks, stand at i, in small letters.
func (p *parser) phrase(i int, words ...string) bool {
	for k, w := range words {
		if p.low(i+k) != w {
			return false
		}
	}
	return true
}

// han reports whether the characters of s stand at i.
func (p *parser) han(i int, s string) bool {
	for _, r := range s {
		if i >= len(p.tokens) || p.tokens[i].text != string(r) {
			return false
		}
		i++
	}
	return true
}
