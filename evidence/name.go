package evidence

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// roles are titles and offices. They are no part of a name and divide "Apple CEO Tim Cook" into two.
var roles = wordSet("mr mrs ms miss dr prof professor sir lady lord dame president vice-president vice chairman chairwoman chairperson chair ceo cfo cto coo " +
	"chief executive officer director minister prime secretary chancellor governor senator representative congressman congresswoman mayor judge justice " +
	"general colonel captain major lieutenant sergeant admiral commander officer king queen prince princess pope bishop cardinal reverend rev rep sen gov gen " +
	"coach manager founder co-founder spokesman spokeswoman spokesperson deputy assistant attorney ambassador commissioner herr frau dr. ing monsieur madame señor señora signor")

// functionCapitals are words that are no name wherever they stand, such as in a title.
var functionCapitals = wordSet("i i'm i've i'd i'll the a an in of and he she it they we you his her its their our my your this that these those but for with if when what why how who " +
	"not no yes is are was were be been on at by to from as or so there here then than who whom whose which where while after before since until also and/or it's that's there's he's she's we're they're you're what's don't " +
	"der die das ein eine und im in am el la los las le les un une il lo et y e o os")

// particles stand in lower case inside names of persons.
var particles = wordSet("de la las los van von der den di da dal del della du des le al el bin ibn ben bint zu zur dos das y e ter ten & 't")

// institutions are heads of names that go on with "of".
var institutions = wordSet("bank university ministry department house republic bay city church institute college school office court council board bureau museum academy center centre " +
	"kingdom states union federation association commission committee league order isle gulf cape lake mount temple tower hall federal center chamber society secretary statue battle treaty declaration state province people's democratic organization organisation institutes duke duchess prince bill game call lord lords king")

// inName reports whether the digits at i are a part of a name, as in COVID-19 and GPT-4.
func (p *parser) inName(i int) bool {
	t := p.tokens[i]
	if t.kind != numberToken || !p.glue(i) || !p.is(i-1, "-") || !p.glue(i-1) {
		return false
	}
	if p.glue(i+1) && p.tok(i+1).kind == wordToken {
		return false
	}
	w := p.tok(i - 2)
	if w.kind != wordToken || !capital(w.text) || w.text != "COVID" && len(w.text) > 12 {
		return false
	}
	switch w.low {
	case "mid", "pre", "post", "non", "under", "over", "sub", "top", "week", "season", "age", "win", "late", "early", "part", "day":
		return false
	}
	return monthNames()[w.low] == "" && weekdays()[w.low] == ""
}

// capital reports whether a word is written like a name: with a capital, or with digits among its letters.
func capital(w string) bool {
	digits, letters := false, false
	for _, r := range w {
		if unicode.IsUpper(r) || unicode.IsTitle(r) {
			return true
		}
		if unicode.IsDigit(r) {
			digits = true
		} else if unicode.IsLetter(r) {
			letters = true
		}
	}
	return digits && letters
}

// distinct reports whether a word is a name by its form alone: an acronym, CamelCase, or letters with digits.
func distinct(w string) bool {
	upper, lower, digits, inner := 0, 0, 0, 0
	for i, r := range w {
		switch {
		case unicode.IsUpper(r):
			upper++
			if i > 0 {
				inner++
			}
		case unicode.IsLower(r):
			lower++
		case unicode.IsDigit(r):
			digits++
		}
	}
	return inner > 0 && (upper > 1 || lower > 0) || digits > 0 && upper+lower > 0
}

// common reports whether a capital says nothing of the word at i, because it starts a sentence and is a usual word.
func (p *parser) common(i int) bool {
	t := p.tokens[i]
	word := strings.TrimSuffix(t.low, "'s")
	if functionCapitals()[word] || strings.Contains(t.low, "'") && commonWords()[word[:strings.IndexByte(word+"'", '\'')]] && t.first {
		return true
	}
	if !t.first || distinct(t.text) {
		return false
	}
	if p.lang != english {
		return languageWords(t.low) != nil || p.lang == german && !capital(p.tok(i+1).text)
	}
	return usual(word)
}

// usual reports whether a word of small letters is, or is made like, a usual English word.
func usual(w string) bool {
	if commonWords()[w] || smallNumbers()[w] != "" || ordinalWords()[w] != "" || markerWords()[w] != "" || markerBeforeTo()[w] != "" || unitWords()[w] != "" {
		return true
	}
	for _, end := range []string{"s", "ed", "d", "er", "ers", "r", "es", "ing", "ly", "y"} {
		if stem, ok := strings.CutSuffix(w, end); ok && len(stem) > 2 && (commonWords()[stem] || commonWords()[stem+"e"]) {
			return true
		}
	}
	for _, end := range []string{"ing", "ings", "ly", "tion", "tions", "sion", "sions", "ment", "ments", "ness", "ities", "ously", "ical", "able", "ible", "ated", "ized", "ised", "ologists", "ists", "ians", "ful", "less", "ive", "ives", "ances", "ence", "ences"} {
		if strings.HasSuffix(w, end) && len(w) > len(end)+3 {
			return true
		}
	}
	return false
}

// names finds names in scripts with capital letters.
func (p *parser) names() {
	for i := 0; i < len(p.tokens); {
		t := p.tokens[i]
		if t.kind != wordToken || p.used[i] || !capital(t.text) || p.common(i) || roles()[t.low] {
			i++
			continue
		}
		end := p.nameEnd(i)
		p.addName(i, end)
		i = end
	}
}

// nameEnd returns where the name that starts at i ends.
func (p *parser) nameEnd(i int) int {
	head := p.tokens[i].low
	end := i + 1
	for end < len(p.tokens) && end-i < 16 {
		last := p.tokens[end-1]
		if strings.HasSuffix(last.low, "'s") {
			break
		}
		j := end
		if p.is(j, ".") && p.glue(j) && (utf8.RuneCountInString(last.text) == 1 || last.low == "st" || last.low == "jr") {
			j++ // an initial
		}
		t := p.tok(j)
		switch {
		case t.kind == wordToken && p.nameWord(j) && (t.gap || j > end):
			end = j + 1
		case t.text == "-" && p.glue(j) && p.glue(j+1) && (p.tok(j+1).kind == wordToken && capital(p.tok(j+1).text) || p.inName(j+1)):
			end = j + 2
		case t.text == "&" && p.nameWord(j+1):
			end = j + 2
		case t.kind == wordToken && (particles()[t.low] || (t.low == "of" || t.low == "for" || t.low == "and") && institutions()[head]):
			if p.lang == german && t.low != "von" && t.low != "van" && t.low != "de" {
				return end
			}
			k := j + 1
			for k < j+3 && (particles()[p.low(k)] || p.low(k) == "the") && !p.nameWord(k) {
				k++
			}
			if t.low == "and" && !institutions()[head] || !p.nameWord(k) || p.tok(k).first || functionCapitals()[p.low(k)] {
				return end
			}
			if p.lang == english && (t.low == "y" || t.low == "e" || t.low == "und" || t.low == "das") {
				return end
			}
			end = k + 1
		default:
			return end
		}
	}
	return end
}

// nameWord reports whether the token at i can go on with a name.
func (p *parser) nameWord(i int) bool {
	t := p.tok(i)
	return t.kind == wordToken && !p.used[i] && capital(t.text) && !t.first && !functionCapitals()[t.low] && !roles()[strings.TrimSuffix(t.low, "'s")]
}

// addName records the name in tokens[from:to], unless its language writes all nouns like that.
func (p *parser) addName(from, to int) {
	t := p.tokens[from]
	if to == from+1 {
		switch {
		case utf8.RuneCountInString(t.text) < 2:
			return
		case p.lang == german && !distinct(t.text):
			return
		case p.lang != english && p.lang != chinese && t.first && !distinct(t.text):
			return
		}
	}
	s := Span{Start: t.start, End: p.tokens[to-1].end}
	text := p.s[s.Start:s.End]
	if strings.HasSuffix(p.tokens[to-1].low, "'s") {
		i := strings.LastIndexAny(text, "'’ʼ‘‛")
		if i > 0 {
			s.End = s.Start + i
		}
	}
	f := p.add(Name, from, to, "")
	f.Bytes, f.Text = s, p.s[s.Start:s.End]
	f.Values[0] = plainName(f.Text)
}

// plainName is a name in the form in which it is compared: normalised, and without the points of U.S. and J. K.
func plainName(s string) string {
	return strings.Trim(nameText(s), ". ")
}
