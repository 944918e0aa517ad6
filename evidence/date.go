package evidence

import "strings"

// dateAt reads a date, a year, a quarter, a weekday or a time at i and returns where it ends; i if there is none.
func (p *parser) dateAt(i int) int {
	t := p.tok(i)
	switch t.kind {
	case numberToken:
		for _, read := range []func(int) int{p.numericDate, p.dayMonth, p.hanDate, p.clock, p.year} {
			if next := read(i); next > i {
				return next
			}
		}
	case wordToken:
		if next := p.monthDay(i); next > i {
			return next
		}
		if next := p.quarter(i); next > i {
			return next
		}
		if d := weekdays()[t.low]; d != "" && (t.low != t.text || p.lang != english) {
			p.take(Date, i, i+1, d)
			return i + 1
		}
		if d := p.decadeWord(i); d != "" {
			p.take(Date, i, i+1, d)
			return i + 1
		}
	case hanToken:
		return p.hanDate(i)
	case punctToken:
		if t.text == "'" && p.tok(i+1).kind == numberToken && p.glue(i+1) && p.is(i+2, "s") && p.glue(i+2) && len(p.tok(i+1).text) == 2 {
			p.take(Date, i, i+3, "--"+p.tok(i+1).text+"s")
			return i + 3
		}
	}
	return i
}

func (p *parser) decadeWord(i int) string {
	switch p.low(i) {
	case "twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties", "nineties":
		word := strings.TrimSuffix(p.low(i), "ies") + "y"
		return "--" + smallNumbers()[word] + "s"
	}
	return ""
}

// small returns the value of the token at i if it is one or two bare digits from 1 to limit, in two digits.
func (p *parser) small(i, limit int) (string, bool) {
	t := p.tok(i)
	if t.kind != numberToken || !t.num.bare || len(t.num.groups[0]) > 2 {
		return "", false
	}
	return two(t.num.groups[0], limit)
}

func two(digits string, limit int) (string, bool) {
	n := atoi(digits)
	if n < 1 || n > limit || len(digits) > 2 {
		return "", false
	}
	if n < 10 {
		return "0" + itoa(n), true
	}
	return itoa(n), true
}

// yearAt returns the year at i: four bare digits from 1000 to 2199.
func (p *parser) yearAt(i int) (string, bool) {
	t := p.tok(i)
	if t.kind != numberToken || !t.num.bare {
		return "", false
	}
	return isYear(t.num.groups[0])
}

func isYear(digits string) (string, bool) {
	n := atoi(digits)
	return digits, len(digits) == 4 && n >= 1000 && n < 2200
}

// numericDate reads 2019-05-17, 17/05/2019, 5/17/19 and 17.05.2019. One that can be read day first and month first has both
// values: it agrees with the other side if that has one of them, or the same digits.
func (p *parser) numericDate(i int) int {
	t := p.tokens[i]
	g, next := t.num.groups, i+1
	if len(g) != 3 || t.num.seps[0] != '.' {
		if !t.num.bare {
			return i
		}
		sep := p.tok(i + 1).text
		if sep != "-" && sep != "/" || !p.glue(i+1) || !p.is(i+3, sep) || !p.glue(i+2) || !p.glue(i+3) || !p.glue(i+4) ||
			p.tok(i+2).kind != numberToken || p.tok(i+4).kind != numberToken || !p.tok(i+2).num.bare {
			return i
		}
		g, next = []string{g[0], p.tok(i + 2).num.groups[0], p.tok(i + 4).num.groups[0]}, i+5
	}
	var values []string
	put := func(y, m, d string) {
		month, ok := two(m, 12)
		day, ok2 := two(d, 31)
		if len(y) == 2 {
			if y < "50" {
				y = "20" + y
			} else {
				y = "19" + y
			}
		}
		if _, ok3 := isYear(y); ok && ok2 && ok3 {
			if v := y + "-" + month + "-" + day; len(values) == 0 || values[0] != v {
				values = append(values, v)
			}
		}
	}
	switch {
	case len(g[0]) == 4:
		put(g[0], g[1], g[2])
	case t.num.seps != nil && len(g) == 3 && next == i+1:
		put(g[2], g[1], g[0])
	case len(g[2]) == 4 || p.is(i+1, "/"):
		put(g[2], g[1], g[0])
		put(g[2], g[0], g[1])
	}
	if values == nil {
		return i
	}
	p.take(Date, i, next, values...)
	return next
}

// month returns the number of the month at i.
func (p *parser) month(i int) string {
	t := p.tok(i)
	if t.kind != wordToken || len(t.text) > 24 {
		return ""
	}
	low := strings.TrimSuffix(t.low, "'s")
	m := monthNames()[low]
	switch t.text {
	case "may", "march", "mar", "august", "set", "out", "jan", "sep", "oct", "dec", "nov", "mars", "Mars":
		if p.lang == english && t.text != "Mars" || t.text == "Mars" {
			return ""
		}
	}
	return m
}

// afterDay returns where what follows the digits of a day ends: "th", ".", "º", "er", "of", "de".
func (p *parser) afterDay(i int) int {
	switch {
	case p.glue(i) && (ordinalEnding(p.low(i)) || p.low(i) == "er" || p.low(i) == "º" || p.low(i) == "°" || p.low(i) == "."):
		i++
	}
	switch p.low(i) {
	case "of", "de", "del", "di":
		i++
	}
	return i
}

// afterMonth reads the year behind a month.
func (p *parser) afterMonth(i int) (string, int) {
	j := i
	if p.is(j, ".") && p.glue(j) {
		j++
	}
	switch p.low(j) {
	case ",", "of", "de", "del":
		j++
	}
	if y, ok := p.yearAt(j); ok && !p.counts(j) {
		return y, j + 1
	}
	return "", i
}

// counts reports whether the number at i is followed by what makes it a quantity.
func (p *parser) counts(i int) bool {
	t := p.tok(i + 1)
	switch {
	case t.text == "%" || t.text == "％" || t.text == "°":
		return true
	case t.kind == wordToken:
		_, unit := unitOf(t.text)
		_, magnitude := magnitudeWords()[t.low]
		return unit && t.text != "in" || magnitude || t.low == "percent" || currencyWordMap()[t.low] != "" && t.low != "won"
	case t.kind == hanToken:
		_, unit, money := p.hanUnit(i + 1)
		return unit != "" && unit != "year" || money != "" || hanMagnitude(t.text) > 0
	}
	return currencySigns()[t.text] != "" && p.glue(i+1)
}

func dateValue(y, m, d string) string {
	if y == "" {
		y = "-"
	}
	v := y + "-" + m
	if d != "" {
		v += "-" + d
	}
	return v
}

// dayMonth reads "17 May 2019", "17. Mai", "1er mai", and the days of "17–19 May".
func (p *parser) dayMonth(i int) int {
	day, ok := p.small(i, 31)
	if !ok {
		return i
	}
	j := p.afterDay(i + 1)
	if m := p.month(j); m != "" {
		if y, next := p.afterMonth(j + 1); y != "" {
			p.take(Date, i, next, dateValue(y, m, day))
			return next
		}
		p.take(Date, i, j+1, dateValue("", m, day))
		return j + 1
	}
	switch p.low(j) {
	case "-", "to", "and", "bis", "au", "al":
		day2, ok := p.small(j+1, 31)
		if !ok {
			return i
		}
		k := p.afterDay(j + 2)
		if m := p.month(k); m != "" {
			y, next := p.afterMonth(k + 1)
			p.take(Date, i, j, dateValue(y, m, day))
			p.take(Date, j+1, next, dateValue(y, m, day2))
			return next
		}
	}
	return i
}

// monthDay reads "May 17, 2019", "May 2019", and "May" where it can be nothing else.
func (p *parser) monthDay(i int) int {
	m := p.month(i)
	if m == "" {
		return i
	}
	j := i + 1
	if p.is(j, ".") && p.glue(j) {
		j++
	}
	if day, ok := p.small(j, 31); ok && !p.tok(j+1).num.bare && !p.counts(j) {
		k := j + 1
		if p.glue(k) && ordinalEnding(p.low(k)) {
			k++
		}
		day2, next2 := "", k
		if low := p.low(k); low == "-" || low == "to" || low == "and" {
			if d, ok := p.small(k+1, 31); ok && p.month(k+2) == "" && !p.counts(k+1) && (low == "-" || d > day) {
				day2, next2 = d, k+2
				if p.glue(next2) && ordinalEnding(p.low(next2)) {
					next2++
				}
			}
		}
		y, next := p.afterMonth(next2)
		if day2 == "" {
			p.take(Date, i, next, dateValue(y, m, day))
			return next
		}
		p.take(Date, i, k, dateValue(y, m, day))
		p.take(Date, k+1, next, dateValue(y, m, day2))
		return next
	}
	if y, next := p.afterMonth(i + 1); y != "" {
		p.take(Date, i, next, dateValue(y, m, ""))
		return next
	}
	t := p.tokens[i]
	if len(t.low) <= 4 && t.low != "june" && t.low != "july" && t.low != "mai" && t.low != "mayo" || t.low == "march" {
		switch p.low(i - 1) {
		case "in", "since", "until", "till", "by", "of", "last", "next", "early", "late", "mid", "during", "this", "before", "after", "from", "between", "through":
			if (t.low == "may" || t.low == "march") && t.text != t.low || len(t.low) > 2 && t.low != "may" && t.low != "march" && t.low != "mar" && t.low != "out" && t.low != "set" {
				p.take(Date, i, i+1, "--"+m)
				return i + 1
			}
		}
		return i
	}
	if p.lang == english && t.low == t.text {
		return i
	}
	if p.tok(i+1).kind == wordToken && p.tok(i+1).text != p.tok(i+1).low && !p.tok(i+1).first && t.low == "august" { // a name
		return i
	}
	p.take(Date, i, i+1, "--"+m)
	return i + 1
}

// quarter reads "Q3 2019" and "the third quarter of 2019".
func (p *parser) quarter(i int) int {
	t := p.tokens[i]
	q, j := "", i+1
	switch t.low {
	case "q1", "q2", "q3", "q4":
		q = t.text[1:]
	case "first", "second", "third", "fourth":
		if p.low(i+1) == "quarter" || p.low(i+1) == "fiscal" && p.low(i+2) == "quarter" {
			q, j = ordinalWords()[t.low], i+2
			if p.low(i+1) == "fiscal" {
				j++
			}
		}
	}
	if q == "" {
		return i
	}
	k := j
	for p.low(k) == "of" || p.low(k) == "in" || p.low(k) == "the" || p.low(k) == "fiscal" || p.low(k) == "year" {
		k++
	}
	if y, ok := p.yearAt(k); ok {
		p.take(Date, i, k+1, y+"-Q"+q)
		return k + 1
	}
	p.take(Date, i, j, "--Q"+q)
	return j
}

// clock reads 10:30, 3 p.m. and 3:15 PM.
func (p *parser) clock(i int) int {
	t := p.tokens[i]
	hour, minute, next := "", "00", i+1
	ok := false
	if h := t.num.groups[0]; (t.num.bare || len(t.num.groups) == 2 && t.num.seps[0] == '.') && len(h) <= 2 && atoi(h) < 25 {
		hour = h
	} else {
		return i
	}
	if len(t.num.groups) == 2 {
		minute = t.num.groups[1]
	}
	if m := p.tok(i + 2); t.num.bare && (p.is(i+1, ":") || p.is(i+1, "：")) && p.glue(i+1) && p.glue(i+2) && m.kind == numberToken && m.num.bare && len(m.text) == 2 && m.text < "60" {
		minute, next, ok = m.text, i+3, true
		if s := p.tok(i + 4); p.is(i+3, ":") && p.glue(i+3) && s.kind == numberToken && p.glue(i+4) {
			minute, next = minute+":"+s.text, i+5
		}
	}
	n := atoi(hour)
	switch low := strings.ReplaceAll(p.low(next), ".", ""); {
	case low == "pm" && n <= 12:
		if n < 12 {
			n += 12
		}
		next, ok = next+1, true
	case low == "am" && n <= 12 && (p.glue(next) || len(p.low(next)) > 2 || p.tok(next).text == "AM" || p.tok(next).text == "am"):
		if n == 12 {
			n = 0
		}
		next, ok = next+1, true
	}
	if !ok || len(minute) < 2 {
		return i
	}
	if p.is(next, ".") && p.glue(next) && !p.tok(next+1).first {
		next++
	}
	hour = itoa(n)
	if n < 10 {
		hour = "0" + hour
	}
	p.take(Date, i, next, "T"+hour+":"+minute)
	return next
}

// year reads a year, a decade and the years of "2015–2018" and "2015/16".
func (p *parser) year(i int) int {
	t := p.tokens[i]
	if !t.num.bare {
		return i
	}
	digits := t.num.groups[0]
	if p.glue(i+1) && (p.low(i+1) == "s" || p.is(i+1, "'") && p.is(i+2, "s") && p.glue(i+2)) && digits[len(digits)-1] == '0' {
		next := i + 2
		if p.is(i+1, "'") {
			next++
		}
		if _, ok := isYear(digits); ok {
			p.take(Date, i, next, digits+"s")
			return next
		}
		if len(digits) == 2 {
			p.take(Date, i, next, "--"+digits+"s")
			return next
		}
	}
	y, ok := isYear(digits)
	if !ok || p.counts(i) {
		return i
	}
	if p.glue(i+1) && p.low(i+1) == "er" {
		p.take(Date, i, i+2, y+"s")
		return i + 2
	}
	sep := p.tok(i + 1).text
	before := p.tok(i - 1)
	if p.glue(i) && (before.text == "-" || before.text == "/" || currencySigns()[before.text] != "") || before.text == "#" {
		return i
	}
	if (sep == "-" || sep == "/" || sep == "~" || sep == "至") && p.glue(i+1) && p.glue(i+2) || sep == "-" && p.tok(i+2).kind == numberToken {
		second := p.tok(i + 2)
		if y2, ok := p.yearAt(i + 2); ok && y2 > y && !p.counts(i+2) {
			p.take(Date, i, i+1, y)
			p.take(Date, i+2, i+3, y2)
			return i + 3
		}
		if second.kind == numberToken && second.num.bare && len(second.text) == 2 && second.text > y[2:] && p.glue(i+2) {
			p.take(Date, i, i+1, y)
			p.take(Date, i+2, i+3, y[:2]+second.text)
			return i + 3
		}
		if p.glue(i+1) && p.glue(i+2) && second.kind == numberToken {
			return i
		}
	}
	f := p.take(Date, i, i+1, y)
	f.year = !p.dated(i)
	return i + 1
}

// dated reports whether what stands around the four digits at i says that they are a year.
func (p *parser) dated(i int) bool {
	switch p.low(i - 1) {
	case "in", "since", "by", "until", "till", "during", "year", "fiscal", "early", "late", "mid", "season", "summer", "winter", "spring", "autumn", "fall", "im", "seit", "en", "depuis", "nel", "em":
		return true
	}
	next := p.tok(i + 1)
	return next.kind == punctToken && next.text != "-" || next.text == ""
}

// hanDate reads 2019年5月17日, 5月17日, 二〇一九年, 90年代, 2019年第三季度 and 星期一.
func (p *parser) hanDate(i int) int {
	if p.is(i, "星") && p.is(i+1, "期") || p.is(i, "周") && !p.is(i+1, "日") || p.is(i, "礼") && p.is(i+1, "拜") {
		j := i + 1
		if !p.is(i, "周") {
			j++
		}
		day := hanDigit(p.tok(j).text)
		if p.is(j, "日") || p.is(j, "天") {
			day = 7
		}
		if day >= 1 && day <= 7 && !p.is(j+1, "个") && !p.is(j+1, "年") && p.tok(i-1).kind != numberToken && hanDigit(p.tok(i-1).text) < 0 && !p.is(i-1, "个") {
			p.take(Date, i, j+1, [...]string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}[day-1])
			return j + 1
		}
		return i
	}
	if j := i; p.is(i, "第") {
		if q, ok := p.hanQuarter(&j); ok {
			p.take(Date, i, j, "--Q"+q)
			return j
		}
	}
	first, at, ok := p.hanCount(i)
	if !ok {
		return i
	}
	year, month, day := "", "", ""
	next := at
	if p.is(at, "年") && len(first) == 4 {
		if y, ok := isYear(first); ok {
			year, next = y, at+1
			if p.is(next, "代") {
				p.take(Date, i, next+1, y+"s")
				return next + 1
			}
			if q, ok := p.hanQuarter(&next); ok {
				p.take(Date, i, next, y+"-Q"+q)
				return next
			}
			first, at, ok = p.hanCount(next)
			if !ok {
				p.take(Date, i, next, y)
				return next
			}
		}
	}
	if p.han(at, "年代") && len(first) == 2 {
		p.take(Date, i, at+2, "--"+first+"s")
		return at + 2
	}
	if m, ok := two(first, 12); ok && p.is(at, "月") {
		month, next = m, at+1
		if d, at2, ok := p.hanCount(next); ok && (p.is(at2, "日") || p.is(at2, "号")) {
			if d2, ok := two(d, 31); ok {
				day, next = d2, at2+1
			}
		}
	}
	switch {
	case month != "":
		p.take(Date, i, next, dateValue(year, month, day))
	case year != "":
		p.take(Date, i, next, year)
	default:
		if d, ok := two(first, 31); ok && (p.is(at, "日") || p.is(at, "号")) && !p.is(at+1, "楼") {
			p.take(Date, i, at+1, "---"+d)
			return at + 1
		}
		return i
	}
	return next
}

// hanCount reads the whole number of a Chinese date at i.
func (p *parser) hanCount(i int) (string, int, bool) {
	t := p.tok(i)
	if t.kind == numberToken {
		if !t.num.bare {
			return "", i, false
		}
		return t.num.groups[0], i + 1, true
	}
	if t.kind != hanToken || hanDigit(t.text) < 0 && t.text != "十" {
		return "", i, false
	}
	c, ok := p.hanDigits(i)
	if !ok || strings.ContainsAny(c.value, "./") {
		return "", i, false
	}
	return c.value, c.next, true
}

// hanQuarter reads 第三季度 at *i.
func (p *parser) hanQuarter(i *int) (string, bool) {
	j := *i
	if p.is(j, "第") {
		j++
	}
	q, at, ok := p.hanCount(j)
	if !ok || len(q) != 1 || q < "1" || q > "4" || !p.han(at, "季度") {
		return "", false
	}
	*i = at + 2
	return q, true
}

// dateImplies reports whether a date says at least what a less precise one does.
func dateImplies(precise, rough string) bool {
	switch {
	case precise == rough:
		return true
	case strings.HasPrefix(precise, rough+"-") && !strings.HasPrefix(rough, "-"):
		return true
	case strings.HasPrefix(rough, "---"): // a day of a month
		return len(precise) >= 3 && strings.HasSuffix(precise, rough[2:]) && strings.Count(precise, "-") >= 2 && !strings.HasPrefix(precise, "---")
	case strings.HasPrefix(rough, "--Q"):
		return quarterOf(precise) == rough[2:]
	case strings.HasPrefix(rough, "--") && strings.HasSuffix(rough, "s"):
		return len(precise) >= 4 && precise[0] != '-' && precise[2] == rough[2]
	case strings.HasPrefix(rough, "--"):
		tail := precise
		if len(precise) > 4 && precise[4] == '-' && precise[0] != '-' {
			tail = "-" + precise[4:]
		}
		return tail == rough || strings.HasPrefix(tail, rough+"-")
	case len(rough) == 5 && rough[4] == 's':
		return len(precise) >= 4 && precise[:3] == rough[:3]
	case len(rough) == 7 && rough[5] == 'Q':
		return len(precise) >= 7 && precise[:5] == rough[:5] && quarterOf(precise) == rough[5:]
	}
	return false
}

// quarterOf is the quarter of a date, such as "Q3", or empty.
func quarterOf(date string) string {
	i := strings.Index(date, "-Q")
	if i >= 0 {
		return date[i+1:]
	}
	if strings.HasPrefix(date, "--") {
		date = "0000" + date[1:]
	}
	if len(date) < 7 || date[4] != '-' {
		return ""
	}
	m := atoi(date[5:7])
	if m < 1 || m > 12 {
		return ""
	}
	return "Q" + itoa((m+2)/3)
}
