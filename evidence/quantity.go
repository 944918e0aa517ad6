package evidence

import (
	"strings"
	"unicode/utf8"
)

// core is a number without sign, unit and magnitude.
type core struct {
	value   string
	next    int
	ordinal bool
	percent bool // its value is in percent already
	bare    bool // digits only
	word    bool // a word such as "one" or "a", which is a number only before a magnitude or a unit
	half    bool // a fraction that may be given in percent as well
}

// quantity is a number with all that belongs to it.
type quantity struct {
	lo, hi string
	unit   string // "%", "pp", a unit; empty if none
	money  string // a currency, or two with | between them
	alt    bool   // "m", which may be metres or millions
	core   core
	next   int
}

// quantityAt reads a number, a percentage or an amount of money at i and returns where it ends; i if there is none.
func (p *parser) quantityAt(i int) int {
	q, ok := p.readQuantity(i)
	if !ok {
		return i
	}
	kind := Number
	switch {
	case q.core.ordinal:
		kind = Ordinal
	case q.money != "":
		kind = Money
	case q.unit == "%" || q.unit == "‰" || q.unit == "pp" || q.unit == "bp":
		kind = Percentage
	}
	value := q.lo
	if q.hi != "" {
		value += ".." + q.hi
	}
	var values []string
	switch {
	case q.money != "":
		for _, m := range strings.Split(q.money, "|") {
			values = append(values, value+" "+m)
		}
	case q.unit != "":
		values = append(values, value+" "+q.unit)
		if q.alt {
			values = append(values, shift(value, 6))
		}
	default:
		values = append(values, value)
		if q.core.half && q.hi == "" {
			if pc, ok := percentOf(q.lo); ok {
				values = append(values, pc+" %")
			}
		}
	}
	f := p.take(kind, i, q.next, values...)
	if low := p.low(i - 1); (low == "from" || low == "to") && q.hi == "" {
		f.loose = true
	}
	return q.next
}

// readQuantity reads a number with sign, currency, magnitude, range and unit.
func (p *parser) readQuantity(i int) (quantity, bool) {
	var q quantity
	at, sign := p.sign(i)
	money, next := p.moneyBefore(at)
	if next > at {
		if sign == "" {
			next, sign = p.sign(next)
		}
		at = next
	}
	c, ok := p.core(at)
	if !ok {
		return q, false
	}
	q.core, q.lo, q.next, q.money = c, c.value, c.next, money
	if c.ordinal {
		return q, true
	}
	lo := p.magnitude(&q)
	p.readRange(&q, lo)
	p.unit(&q)
	if c.word && q.next == c.next {
		return q, false
	}
	if sign != "" && q.lo != "0" {
		q.lo = sign + q.lo
	}
	return q, true
}

// sign reads a minus sign at i: one that stands directly before a number and directly after nothing.
func (p *parser) sign(i int) (int, string) {
	t := p.tok(i)
	switch {
	case t.text == "-" && t.kind == punctToken && p.glue(i+1):
		r, _ := utf8.DecodeRuneInString(p.s[t.start:])
		before := p.tok(i - 1)
		free := t.gap || before.kind == punctToken && before.text != ")" && before.text != "%" && before.text != "-" && before.text != "." || before.kind == hanToken
		if free && r != '—' && r != '―' && (p.tok(i+1).kind == numberToken || p.tok(i+1).kind == punctToken) {
			return i + 1, "-"
		}
	case (t.low == "minus" || t.low == "negative") && p.tok(i+1).kind == numberToken:
		return i + 1, "-"
	case (t.text == "负" || t.text == "負") && (p.tok(i+1).kind == numberToken || hanDigit(p.tok(i+1).text) >= 0):
		return i + 1, "-"
	}
	return i, ""
}

// moneyBefore reads a currency before an amount at i.
func (p *parser) moneyBefore(i int) (string, int) {
	t := p.tok(i)
	if t.kind == wordToken {
		if code := currencyPrefixes()[strings.TrimSuffix(t.text, ".")]; code != "" && p.glue(i+1) && p.is(i+1, "$") {
			return code, i + 2
		}
		if t.text == "Rs" && p.tok(i+1).kind == numberToken {
			return "INR", i + 1
		}
		if currencyCodeSet()[t.text] && p.tok(i+1).kind == numberToken {
			return code(t.text), i + 1
		}
		if currencyCodeSet()[t.text] && currencySigns()[p.tok(i+1).text] != "" {
			return code(t.text), i + 2
		}
	}
	if p.han(i, "人民币") && p.tok(i+3).kind != hanToken {
		return "CNY", i + 3
	}
	if c := currencySigns()[t.text]; c != "" {
		next := p.tok(i + 1)
		if next.kind == numberToken || next.text == "." || next.text == "-" {
			return c, i + 1
		}
	}
	return "", i
}

func code(s string) string {
	if s == "RMB" {
		return "CNY"
	}
	return s
}

// core reads digits or words for a number at i.
func (p *parser) core(i int) (core, bool) {
	t := p.tok(i)
	switch t.kind {
	case numberToken:
		return p.digits(i)
	case wordToken:
		return p.numberWords(i)
	case hanToken:
		return p.hanNumber(i)
	}
	if next := p.tok(i + 1); t.text == "." && next.kind == numberToken && next.num.bare && p.glue(i+1) && (t.gap || p.tok(i-1).kind == punctToken) {
		return core{value: decimal("0", next.num.groups[0]), next: i + 2}, true
	}
	if v := vulgar(t.text); v != "" {
		return core{value: v, next: i + 1, half: true}, true
	}
	return core{}, false
}

// digits reads a number that starts with digits.
func (p *parser) digits(i int) (core, bool) {
	t := p.tokens[i]
	c := core{value: t.num.value, next: i + 1, bare: t.num.bare}
	next := p.tok(i + 1)
	switch {
	case next.kind == wordToken && p.glue(i+1) && ordinalEnding(next.low):
		c.ordinal, c.next = true, i+2
	case next.text == "/" && p.glue(i+1) && p.glue(i+2) && t.num.bare && p.tok(i+2).num.bare && !p.is(i+3, "/"):
		c.value, c.next, c.bare = fraction(t.num.value, p.tok(i+2).num.value), i+3, false
		c.half = true
	case vulgar(next.text) != "" && (p.glue(i+1) || next.kind == punctToken) && t.num.bare:
		if v := vulgar(next.text); strings.HasPrefix(v, "0.") {
			c.value, c.next, c.bare = t.num.value+v[1:], i+2, false
		}
	case next.text == "千" && (p.is(i+2, "米") || p.is(i+2, "克") || p.is(i+2, "瓦")):
	case next.kind == hanToken && hanMagnitude(next.text) > 0:
		return p.hanNumber(i)
	case p.phrase(i+1, "and", "a", "half"):
		c.value, c.next, c.bare = t.num.value+".5", i+4, false
	}
	return c, true
}

// vulgar is the value of a sign such as ½.
func vulgar(s string) string {
	switch s {
	case "½":
		return "0.5"
	case "¼":
		return "0.25"
	case "¾":
		return "0.75"
	case "⅓":
		return "1/3"
	case "⅔":
		return "2/3"
	case "⅛":
		return "0.125"
	case "⅕":
		return "0.2"
	case "⅖":
		return "0.4"
	case "⅗":
		return "0.6"
	case "⅘":
		return "0.8"
	}
	return ""
}

// fraction is a/b as an exact decimal, where it is one with few digits, or in lowest terms.
func fraction(a, b string) string {
	if len(a) > 6 || len(b) > 6 {
		return a + "/" + b
	}
	n, d := atoi(a), atoi(b)
	if d == 0 {
		return a + "/" + b
	}
	if r := n * 10000 % d; r == 0 {
		v := itoa(n * 10000 / d)
		for len(v) < 5 {
			v = "0" + v
		}
		return decimal(v[:len(v)-4], v[len(v)-4:])
	}
	g := gcd(n, d)
	return itoa(n/g) + "/" + itoa(d/g)
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + string(rune('0'+n%10))
}

// percentOf is a decimal fraction in percent.
func percentOf(v string) (string, bool) {
	if strings.Contains(v, "/") {
		return "", false
	}
	return shift(v, 2), true
}

// magnitude reads words such as "million" behind a number, and returns the power of ten they stand for.
func (p *parser) magnitude(q *quantity) int {
	exp := 0
	for range 3 {
		i := q.next
		t := p.tok(i)
		if t.text == "-" && p.glue(i) && p.glue(i+1) && utf8.RuneCountInString(p.tok(i+1).text) > 3 { // "5-million"
			i++
			t = p.tok(i)
		}
		if t.kind != wordToken {
			break
		}
		if t.low == "dozen" {
			q.lo, q.next = times(q.lo, 12), i+1
			break
		}
		n, ok := magnitudeOf(t.text, p.lang)
		short := utf8.RuneCountInString(t.text) == 1 || t.text == "MD" || t.text == "Md"
		_, currencyNext := p.moneyAfter(i + 1)
		if t.text == "m" && (q.money != "" || currencyNext > 0) && (p.glue(i) || i == q.core.next) {
			n, ok, short = 6, true, false
		}
		if !ok || short && !p.glue(i) && q.money == "" || t.low == "mil" && p.lang != spanish && p.lang != portuguese || t.low == "mille" && p.lang == english {
			break
		}
		if short && !p.glue(i) && t.text != "M" && t.text != "B" {
			break
		}
		exp += n
		q.lo, q.next = shift(q.lo, n), i+1
		if p.is(q.next, ".") && p.glue(q.next) && (t.low == "mio" || t.low == "mrd" || t.low == "tsd") {
			q.next++
		}
		if p.low(q.next) == "de" && (p.lang == spanish || p.lang == french || p.lang == portuguese) && currencyWordMap()[p.low(q.next+1)] != "" {
			q.next++
		}
	}
	return exp
}

// readRange reads the second number of "10–20" or "10 to 20"; lo is the magnitude of the first.
func (p *parser) readRange(q *quantity, lo int) {
	i := q.next
	t := p.tok(i)
	between := p.low(q.core.next-2) == "between" || p.low(q.core.next-3) == "between"
	switch {
	case t.text == "-" && p.glue(i) && p.glue(i+1):
	case t.text == "-" && !p.glue(i) && !p.glue(i+1) && p.s[t.start] != '-':
	case t.text == "~" || t.text == "～" || t.text == "至" || t.text == "到":
	case t.low == "to" && p.low(q.core.next-2) != "from" && p.low(q.core.next-3) != "from":
	case t.low == "and" && between:
	case t.low == "bis" && p.lang == german:
	default:
		return
	}
	at := i + 1
	if m, next := p.moneyBefore(at); next > at {
		if q.money == "" || m != q.money && q.money != "USD" && m != "USD" {
			return
		}
		at = next
	} else if q.money != "" && t.text != "-" && !between && p.tok(at).kind == wordToken && t.low == "to" {
		return
	}
	c, ok := p.core(at)
	if !ok || c.ordinal || c.word || c.percent || q.core.percent {
		return
	}
	// "10 to 2019" is no range, nor is a number of three parts.
	if p.is(c.next, "-") && p.glue(c.next) && p.tok(c.next+1).kind == numberToken && p.glue(c.next+1) {
		return
	}
	second := quantity{lo: c.value, next: c.next, core: c, money: q.money}
	hi := p.magnitude(&second)
	if hi > 0 && lo == 0 {
		q.lo = shift(q.lo, hi)
	}
	q.hi, q.next = second.lo, second.next
}

// unit reads what is counted: percent, a currency or a unit of measure.
func (p *parser) unit(q *quantity) {
	i := q.next
	if q.core.percent {
		q.unit = "%"
		return
	}
	if p.is(i, "+") && p.glue(i) {
		i++
	}
	if t := p.tok(i); t.text == "-" && p.glue(i) && p.glue(i+1) && p.tok(i+1).kind == wordToken {
		i++
		if p.phrase(i, "year") && p.is(i+1, "-") && p.low(i+2) == "old" {
			q.next = i + 3
			return
		}
	}
	if n, unit, money := p.hanUnit(i); n > 0 {
		q.unit, q.next = unit, i+n
		if money != "" {
			q.money, q.unit = money, ""
		}
		return
	}
	t := p.tok(i)
	switch t.text {
	case "%", "％", "﹪", "٪":
		q.unit, q.next = "%", i+1
		if low := p.low(i + 1); low == "points" || low == "point" {
			q.unit, q.next = "pp", i+2
		}
		return
	case "‰":
		q.unit, q.next = "‰", i+1
		return
	case "°":
		q.unit, q.next = "degree", i+1
		if w := p.tok(i + 1).text; w == "C" || w == "F" {
			q.unit, q.next = "°"+w, i+2
		}
		return
	}
	if n, unit := p.percentWords(i); n > 0 {
		q.unit, q.next = unit, i+n
		return
	}
	if q.money == "" {
		if c, n := p.moneyAfter(i); n > 0 {
			q.money, q.next = c, i+n
			return
		}
	} else {
		if c, n := p.moneyAfter(i); n > 0 && c == q.money {
			q.next = i + n
		}
		return
	}
	if n, unit := p.unitWords(i, q); n > 0 {
		q.unit, q.next = unit, i+n
	}
}

// percentWords reads a word for percent or for percentage points at i.
func (p *parser) percentWords(i int) (int, string) {
	switch p.low(i) {
	case "percent", "pct", "percents", "prozent", "procent", "процент", "процента", "процентов":
		if low := p.low(i + 1); low == "points" || low == "point" {
			return 2, "pp"
		}
		return 1, "%"
	case "percentage", "basis":
		if low := p.low(i + 1); low == "points" || low == "point" {
			if p.low(i) == "basis" {
				return 2, "bp"
			}
			return 2, "pp"
		}
	case "prozentpunkt", "prozentpunkte", "prozentpunkten":
		return 1, "pp"
	case "per", "pour", "por":
		switch p.low(i + 1) {
		case "cent", "ciento", "cento":
			return 2, "%"
		}
	}
	return 0, ""
}

// moneyAfter reads a currency behind an amount.
func (p *parser) moneyAfter(i int) (string, int) {
	t := p.tok(i)
	if c := currencySigns()[t.text]; c != "" && (p.glue(i) || p.tok(i+1).kind != numberToken) {
		return c, 1
	}
	if t.kind != wordToken {
		return "", 0
	}
	if currencyCodeSet()[t.text] {
		return code(t.text), 1
	}
	if c := currencyWordMap()[strings.TrimPrefix(t.low, "d'")]; c != "" && t.low != "real" {
		if c == "GBP|lb" && p.low(i+1) == "sterling" {
			return "GBP", 2
		}
		return c, 1
	}
	if c := dollarOwners()[strings.TrimSuffix(t.low, ".")]; c != "" && strings.HasPrefix(p.low(i+1), "dollar") {
		return c, 2
	}
	for n, w := range []string{"", "hong", "new"} {
		if n > 0 && t.low == w && strings.HasPrefix(p.low(i+2), "dollar") {
			return dollarOwners()[p.low(i+1)], 3
		}
	}
	switch {
	case t.low == "swiss" && strings.HasPrefix(p.low(i+1), "franc"):
		return "CHF", 2
	case t.low == "british" && strings.HasPrefix(p.low(i+1), "pound"):
		return "GBP", 2
	case t.low == "indian" && strings.HasPrefix(p.low(i+1), "rupee"):
		return "INR", 2
	case (t.low == "chinese" || t.low == "japanese") && currencyWordMap()[p.low(i+1)] != "":
		return currencyWordMap()[p.low(i+1)], 2
	}
	return "", 0
}

// unitWords reads a unit of measure behind a number.
func (p *parser) unitWords(i int, q *quantity) (int, string) {
	t := p.tok(i)
	if t.kind != wordToken {
		return 0, ""
	}
	if (t.low == "square" || t.low == "sq" || t.low == "cubic") && p.tok(i+1).kind == wordToken {
		n := 1
		if p.is(i+1, ".") {
			n = 2
		}
		if u, ok := unitOf(p.tok(i + n).text); ok {
			if t.low == "cubic" {
				return n + 1, u + "3"
			}
			return n + 1, u + "2"
		}
	}
	u, ok := unitOf(t.text)
	if !ok {
		return 0, ""
	}
	n := 1
	switch {
	case t.text == "in" && !p.glue(i), t.text == "t" && !p.glue(i) && !p.gapNarrow(i) && p.tok(i+1).kind != punctToken, t.low == "pp" && t.text != "pp":
		return 0, ""
	case t.text == "s" && p.glue(i) && q.core.bare: // the 90s
		return 0, ""
	case t.text == "m" && p.glue(i):
		q.alt = true
	case u == "x" && t.low == "times" && q.core.word:
		return 0, ""
	}
	if (u == "year" || u == "month") && (p.low(i+1) == "old" || p.phrase(i+1, "of", "age")) {
		if u == "year" {
			if p.low(i+1) == "old" {
				q.next = i + 2
			} else {
				q.next = i + 3
			}
			return 0, ""
		}
	}
	if u == "degree" {
		switch p.low(i + 1) {
		case "celsius", "centigrade", "c":
			return 2, "°C"
		case "fahrenheit", "f":
			return 2, "°F"
		}
	}
	if p.is(i+1, "/") && p.glue(i+1) && p.tok(i+2).kind == wordToken {
		if per, ok := unitOf(p.tok(i + 2).text); ok {
			return n + 2, rate(u, per)
		}
	}
	if low := p.low(i + 1); (low == "per" || low == "an" || low == "a") && p.tok(i+2).kind == wordToken && u != "year" && u != "day" {
		if per, ok := unitOf(p.tok(i + 2).text); ok && per != "x" {
			return n + 2, rate(u, per)
		}
	}
	return n, u
}

func rate(u, per string) string {
	if per == "hour" {
		per = "h"
	}
	if u == "mile" && per == "h" {
		return "mph"
	}
	return u + "/" + per
}

// gapNarrow reports whether a no-break space is before the token at i.
func (p *parser) gapNarrow(i int) bool {
	r, _ := utf8.DecodeLastRuneInString(p.s[:p.tok(i).start])
	return r == '\u00a0' || r == '\u202f' || r == '\u2009'
}

// shareUnits gives the numbers of "10, 20 and 30 km" the unit of the last.
func (p *parser) shareUnits() {
	for k := len(p.facts) - 2; k >= 0; k-- {
		a, b := &p.facts[k], &p.facts[k+1]
		if a.Kind != Number || b.Kind != Number && b.Kind != Percentage || len(a.Values) != 1 || strings.Contains(a.Values[0], " ") {
			continue
		}
		_, unit, ok := strings.Cut(b.Values[0], " ")
		if !ok {
			continue
		}
		joined := b.from-a.to <= 2 && b.from > a.to
		for i := a.to; i < b.from; i++ {
			switch p.low(i) {
			case ",", "and", "or", "to", "/", "、", "和", "或", "及":
			default:
				joined = false
			}
		}
		if joined {
			a.Kind = b.Kind
			a.Values = []string{a.Values[0] + " " + unit, a.Values[0]}
		}
	}
}

// loosen marks the numbers of "10% to 15%", which are the ends of a range as well.
func (p *parser) loosen() {
	for k := 1; k < len(p.facts); k++ {
		a, b := &p.facts[k-1], &p.facts[k]
		if !numeric(a.Kind) || !numeric(b.Kind) || b.from != a.to+1 {
			continue
		}
		switch p.low(a.to) {
		case "to", "-", "~", "～", "至", "到", "and":
			if p.low(a.to) != "and" || p.low(a.from-1) == "between" {
				a.loose, b.loose = true, true
			}
		}
	}
}
