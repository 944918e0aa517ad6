package evidence

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// nameKin are names that stand for one another: a country, its acronym and its people. The last of a line may be a stem.
var nameKin = wordMap(`US: US USA U_S United_States America American Americans
UK: UK U_K United_Kingdom Britain British Britons
EU: EU E_U European_Union
UN: UN U_N United_Nations
AU: Australia Australian Australians
AT: Austria Austrian Austrians
BE: Belgium Belgian Belgians
BR: Brazil Brazilian Brazilians
CA: Canada Canadian Canadians
CN: China Chinese
DK: Denmark Danish Danes Dane
NL: Netherlands Dutch
EG: Egypt Egyptian Egyptians
ENG: England English
FI: Finland Finnish Finns
FR: France French
DE: Germany German Germans
GR: Greece Greek Greeks
HU: Hungary Hungarian Hungarians
IN: India Indian Indians
IR: Iran Iranian Iranians
IQ: Iraq Iraqi Iraqis
IE: Ireland Irish
IL: Israel Israeli Israelis
IT: Italy Italian Italians
JP: Japan Japanese
KR: Korea Korean Koreans
MX: Mexico Mexican Mexicans
NO: Norway Norwegian Norwegians
PK: Pakistan Pakistani Pakistanis
PL: Poland Polish Poles
PT: Portugal Portuguese
RU: Russia Russian Russians
SCO: Scotland Scottish
ES: Spain Spanish
SE: Sweden Swedish Swedes
CH: Switzerland Swiss
SY: Syria Syrian Syrians
TR: Turkey Turkish Turks
UA: Ukraine Ukrainian Ukrainians
VN: Vietnam Vietnamese
EUR: Europe European Europeans
AF: Africa African Africans
AS: Asia Asian Asians`)

// nameDerived reports whether a name of the claim follows from the quote, or need not.
func (c *comparer) nameDerived(f *found) bool {
	name := f.Values[0]
	if holdsName(c.text, name) {
		return true
	}
	words := strings.Fields(name)
	t := c.claim.tokens[f.from]
	if t.first && f.to == f.from+1 && !distinct(t.text) && holdsName(c.text, strings.ToLower(name)) {
		return true
	}
	if t.kind == wordToken && t.first && len(words) > 1 && c.lower(strings.ToLower(words[0])) && holdsName(c.text, strings.Join(words[1:], " ")) {
		return true
	}
	for _, q := range c.quote.facts {
		if q.Kind != Name {
			continue
		}
		longer := strings.Fields(q.Values[0])
		if len(longer) > len(words) && within(words, longer) || len(words) == 1 && acronymOf(name, q.Values[0]) {
			return true
		}
	}
	if c.kin(name) || c.inflected(name) {
		return true
	}
	return slices.ContainsFunc(c.opts.Known, func(known string) bool {
		k := plainName(known)
		return k == name || within(words, strings.Fields(k)) || within(strings.Fields(k), words) || strings.Contains(k, name) && utf8.RuneCountInString(name) > 1 && t.kind == hanToken
	})
}

// lower reports whether the quote has a word in small letters.
func (c *comparer) lower(w string) bool { return usual(w) || holdsName(c.text, w) }

// holdsName reports whether a name stands in a text in whole words.
func holdsName(text, name string) bool {
	if name == "" {
		return false
	}
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		i += from
		l, _ := utf8.DecodeLastRuneInString(text[:i])
		r, more := utf8.DecodeRuneInString(text[i+len(name):])
		first, n := utf8.DecodeRuneInString(name)
		last, _ := utf8.DecodeLastRuneInString(name)
		if !(i > 0 && spacedWord(l) && spacedWord(first)) && !(more > 0 && spacedWord(r) && spacedWord(last)) {
			return true
		}
		from = i + n
	}
}

// within reports whether words stand in longer, in this order.
func within(words, longer []string) bool {
	i := 0
	for _, w := range longer {
		if i < len(words) && words[i] == w {
			i++
		}
	}
	return i == len(words) && i > 0
}

// acronymOf reports whether the capitals that start the words of a name spell the acronym.
func acronymOf(acronym, name string) bool {
	acronym = strings.ReplaceAll(acronym, " ", "")
	if len(acronym) < 2 || len(acronym) > 8 || strings.ToUpper(acronym) != acronym {
		return false
	}
	initials := ""
	for _, w := range strings.FieldsFunc(name, func(r rune) bool { return r == ' ' || r == '-' }) {
		if r, _ := utf8.DecodeRuneInString(w); unicode.IsUpper(r) {
			initials += string(r)
		}
	}
	return initials == acronym
}

// kin reports whether the quote has a name that stands for this one.
func (c *comparer) kin(name string) bool {
	id := nameKin()[strings.ReplaceAll(name, " ", "_")]
	if id == "" {
		return false
	}
	for other, k := range nameKin() {
		if k == id && holdsName(c.text, strings.ReplaceAll(other, "_", " ")) {
			return true
		}
	}
	return false
}

// inflected reports whether the quote has each word of a Cyrillic name with another ending.
func (c *comparer) inflected(name string) bool {
	if r, _ := utf8.DecodeRuneInString(name); !unicode.Is(unicode.Cyrillic, r) {
		return false
	}
	for _, w := range strings.Fields(name) {
		rs := []rune(w)
		if len(rs) < 5 {
			return false
		}
		root := string(rs[:max(4, len(rs)-2)])
		if !slices.ContainsFunc(strings.Fields(c.text), func(t string) bool {
			return strings.HasPrefix(t, root) && utf8.RuneCountInString(t) <= len(rs)+2
		}) {
			return false
		}
	}
	return true
}
