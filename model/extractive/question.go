package extractive

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quarry-sdk/quarry/internal/lazyregexp"
)

// query is a question as the model reads it.
type query struct {
	text string
	// parts are the questions in it, at least one.
	parts []part
	// names are identifiers and proper names, which a page that answers must know.
	names []string
	// thesaurus are words that pages may use for those of the question.
	thesaurus []string
	eastAsian bool
	// translation are words that the pages found have in common, for a question in
	// a language that the corpus does not have.
	translation []string
}

// part is one of the questions, with everything else in the prompt as context.
type part struct {
	text     string
	concepts []concept
	total    float64 // the weights of the concepts together
	want     want
}

// concept is a word of the question with others that may stand for it.
type concept struct {
	surface string
	weight  float64
	alts    []alternative
	given   bool // outside of the part, or a filler
}

type alternative struct {
	stem   string
	weight float64 // 1 for the word itself
}

// stopWords say nothing about a subject.
var stopWords = set(`a about after again all also am an and any are as at be because been before being both but by can could
	cannot did do does doing done down during each few for from further had has have having he her here hers him his how i if in
	into is it its itself just me more most my no nor not of off on once only or other our out over own same she should so some
	such than that the their them then there these they this those through to too under until up very was we were what when
	where which while who whom whose why will with would you your s t d m ll re ve may might must shall let us isn aren don
	doesn didn won`)

// fillers are words of people who ask, not of what they ask about; they count
// for less.
var fillers = set(`want wants wanted need needs like likes know tell say says said get gets got give gives given make makes made
	take takes taken put puts happen happens happening thing things something anything nothing somebody someone nobody anyone
	way ways exactly actually really ever never still already yet else otherwise unless though although however please mean means
	possible able whole kind sort sorts sure instead nowadays today end ends ended ending keep keeps keeping kept go goes going went
	come comes use used uses using work works see sees look looks looking half reach reaches standard ordinary main old new page pages
	docs documentation manual corpus question answer describe explain currently generally simply called call does much many long big
	far often large eight seven six five four three two one nine ten first last moment time times`)

// analyse reads a question. Document frequencies come from search_docs; a word
// that is not in df is taken to be of middling rarity.
func analyse(text string, df map[string]int, documents int, st stemmer) *query {
	q := &query{text: text, eastAsian: hasEastAsian(text)}
	lower := strings.ToLower(text)
	extra := expansions(st, text)
	for _, m := range extra {
		q.thesaurus = append(q.thesaurus, m.words...)
	}
	asked := split(text)
	for _, a := range asked {
		p := part{text: text[a.start:a.end], want: wants(lower[a.start:a.end], lower)}
		seen := make(map[string]int)
		for _, w := range st.words(text) {
			surface := text[w.start:w.end]
			low := strings.ToLower(surface)
			if stopWords[low] || utf8.RuneCountInString(low) == 1 && !eastAsianWord(low) {
				continue
			}
			weight := rarity(low, df, documents)
			inside := w.start >= a.start && w.end <= a.end
			switch {
			case fillers[low]:
				weight *= 0.25
			case isNumber(low):
				weight *= 0.4
			case w.whole && strings.Contains(low, "/"):
				continue
			case w.whole:
				weight *= 0.6
			}
			if !inside && len(asked) > 1 {
				weight *= 0.5
			}
			if i, ok := seen[w.stem]; ok {
				p.concepts[i].weight = max(p.concepts[i].weight, weight)
				continue
			}
			seen[w.stem] = len(p.concepts)
			c := concept{surface: low, weight: weight, alts: []alternative{{w.stem, 1}}, given: !inside || fillers[low]}
			for _, m := range extra {
				if m.start == w.start && !m.phrase {
					c.alts = appendAlts(c.alts, m.words, st)
				}
			}
			p.concepts = append(p.concepts, c)
		}
		for _, m := range extra {
			if !m.phrase {
				continue
			}
			c := concept{surface: lower[m.start:m.end], alts: appendAlts(nil, m.words, st)}
			for _, w := range m.words {
				c.weight = max(c.weight, phraseShare*rarity(w, df, documents))
			}
			if len(asked) > 1 && (m.start < a.start || m.end > a.end) {
				c.weight *= 0.5
			}
			for i := range c.alts {
				c.alts[i].weight = 1
			}
			p.concepts = append(p.concepts, c)
		}
		for _, c := range p.concepts {
			p.total += c.weight
		}
		q.parts = append(q.parts, p)
	}
	q.names = names(text)
	return q
}

// appendAlts adds words that may stand for a concept.
func appendAlts(alts []alternative, words []string, st stemmer) []alternative {
	for _, w := range words {
		for _, s := range st.words(w) {
			if !slices.ContainsFunc(alts, func(a alternative) bool { return a.stem == s.stem }) {
				alts = append(alts, alternative{s.stem, synonym})
			}
		}
	}
	return alts
}

// synonym is what another word counts beside the question's own.
const synonym = 0.7

// phraseShare is what a phrase that the thesaurus knows weighs, of the rarest word
// that it stands for.
const phraseShare = 0.8

// rarity is the inverse document frequency of a word.
func rarity(word string, df map[string]int, documents int) float64 {
	n := float64(max(documents, 1))
	d, ok := df[word]
	f := float64(d)
	if !ok {
		f = n / 20
	}
	return math.Log(1+(n-f+0.5)/(f+0.5)) + 0.2
}

func eastAsianWord(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return eastAsian(r)
}

func isNumber(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return !unicode.IsDigit(r) && r != '.' && r != ',' }) < 0
}

// joints are where one sentence asks twice.
var joints = lazyregexp.New(`(?i)(?:[,;]? and |[,;] )(?:then )?(?:(?:in|on|at|to|by|from|with|for|of|under|after|before) )?(?:what|which|who|whom|whose|how|when|where|why|is|are|does|do|did|can|could|should|will|would|after how|up to)\b`)

// split finds the questions of a text: its sentences that ask, each cut where it
// asks for a second thing. A text that asks nothing is one part.
func split(text string) []span {
	var asks []span
	for _, s := range sentencesOf(text) {
		t := text[s.start:s.end]
		if strings.HasSuffix(t, "?") || strings.HasSuffix(t, "？") {
			asks = append(asks, s)
		}
	}
	if len(asks) == 0 {
		asks = []span{{0, len(text)}}
	}
	var list []span
	for _, s := range asks {
		start := s.start
		for _, m := range joints().FindAllStringIndex(text[s.start:s.end], -1) {
			at := s.start + m[0]
			if at-start < 8 || s.end-at < 12 || !interrogative().MatchString(text[start:at]) {
				continue
			}
			list = append(list, span{start, at})
			start = at
		}
		list = append(list, span{start, s.end})
	}
	return list[:min(len(list), 4)]
}

var interrogative = lazyregexp.New(`(?i)\b(what|which|who|whom|whose|how|when|where|why|is|are|does|do|did|can|could|should|will|would)\b`)

// names finds what a question calls by name: identifiers, and words that are
// written with a capital inside of a sentence or with one inside of the word.
func names(text string) []string {
	var list []string
	for _, s := range sentencesOf(text) {
		first := true
		for _, f := range strings.Fields(text[s.start:s.end]) {
			w := strings.TrimFunc(f, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
			w = strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "’s")
			if isName(w, first) && !slices.Contains(list, w) {
				list = append(list, w)
			}
			first = false
		}
	}
	return list
}

func isName(w string, first bool) bool {
	if utf8.RuneCountInString(w) < 2 || hasEastAsian(w) {
		return false
	}
	if strings.ContainsAny(w, "_") {
		return true
	}
	upper, lower, inner := 0, 0, false
	for i, r := range w {
		if unicode.IsUpper(r) {
			upper++
			inner = inner || i > 0
		} else if unicode.IsLower(r) {
			lower++
		}
	}
	switch {
	case upper > 0 && lower > 0 && inner: // PgBouncer, macOS
		return true
	case upper > 0 && lower > 0: // Oracle
		return !first && !stopWords[strings.ToLower(w)]
	case upper >= 2: // RDS
		return true
	}
	return false
}

// distinct tells names that can hardly be other words: identifiers, and words
// with a capital inside.
func distinct(w string) bool {
	if strings.Contains(w, "_") {
		return true
	}
	lower := false
	for i, r := range w {
		if i > 0 && unicode.IsUpper(r) && lower {
			return true
		}
		lower = lower || unicode.IsLower(r)
	}
	return false
}
