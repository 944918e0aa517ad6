package evidence

import (
	"unicode"
	"unicode/utf8"
)

// around holds the characters on both sides of a place in the normalised text: l[0] and r[0] stand next to it. A
// character beyond the ends of the text is 0.
type around struct {
	l, r [4]rune
}

func (t *Text) around(p int) around {
	var a around
	s := t.folded.norm
	for i, at := 0, p; i < len(a.l) && at > 0; i++ {
		r, n := utf8.DecodeLastRuneInString(s[:at])
		a.l[i] = r
		at -= n
	}
	for i, at := 0, p; i < len(a.r) && at < len(s); i++ {
		r, n := utf8.DecodeRuneInString(s[at:])
		a.r[i] = r
		at += n
	}
	return a
}

// inside reports whether the normalised offset p is inside a word or a number of the text, so that no quote may start
// or end there.
func (t *Text) inside(p int) bool {
	if p <= 0 || p >= len(t.folded.norm) {
		return false
	}
	a := t.around(p)
	l, r := a.l[0], a.r[0]
	switch {
	case extends(r) || takesNext(l):
		return true
	case t.insideBreak(p):
		return true
	case wordRune(l) && wordRune(r):
		return insideWord(a)
	case insideNumber(a, t.dashAt(p-utf8.RuneLen(l))):
		return true
	case l == ' ' && t.groups(p-1), r == ' ' && t.groups(p):
		return true
	case (l == ' ' || r == ' ') && !t.sameLine(p, l):
		return false
	case spacedUnit(a):
		return true
	}
	return connects(a.l[0], a.r[0], a.r[1], t.dashAt(p)) || joinedLeft(a, t.dashAt(p-utf8.RuneLen(l)))
}

// insideBreak reports whether p stands in a word that is broken over two lines.
func (t *Text) insideBreak(p int) bool {
	for at := p - 2; at <= p; at++ {
		if _, ok := t.folded.breakAt(at); ok {
			return true
		}
	}
	return false
}

// insideWord decides between two characters of words. Scripts without blanks allow every place but those inside numbers.
func insideWord(a around) bool {
	l, r := a.l[0], a.r[0]
	if !unspaced(l) && !unspaced(r) {
		return true
	}
	switch {
	case numeral(l) && numeral(r):
		return true
	case numeral(r) && (l == '负' || l == '負'): // minus
		return true
	case numeral(r) && l == '之' && a.l[1] == '分': // "parts of": percent and fractions
		return true
	case numeral(r) && hanPoint(l) && numeral(a.l[1]), numeral(l) && hanPoint(r) && numeral(a.r[1]):
		return true
	}
	return false
}

func hanPoint(r rune) bool { return r == '点' || r == '點' }

// insideNumber reports whether a sign, a point, a percent, degree or currency sign next to the place ties it into a number.
// The dash is the original character where the one before the place is a folded dash.
func insideNumber(a around, dash rune) bool {
	l, r := a.l[0], a.r[0]
	// After a word a long dash is punctuation; everywhere else a dash directly before a number is its sign.
	punctuation := (dash == '—' || dash == '―') && wordRune(a.l[1])
	if !punctuation && prefixes(l, a.l[1]) && leadsToNumber(a.r[:]) {
		return true
	}
	if unicode.IsNumber(l) && suffixes(r) {
		return true
	}
	if degree(l) && unicode.IsLetter(r) && !unspaced(r) && (unicode.IsNumber(a.l[1]) || a.l[1] == ' ' && unicode.IsNumber(a.l[2])) {
		return true
	}
	return currency(r) && spacedWord(l) && leadsToNumber(a.r[:]) // the US of US$5
}

// prefixes reports whether r, after before, belongs to a number that follows it directly.
func prefixes(r, before rune) bool {
	switch {
	case r == '-' || r == '.':
		return before != r // two of them are a dash or an ellipsis
	case r == '+' || comparator(r) || currency(r) || percent(r) || r == '×':
		return true
	}
	return false
}

// leadsToNumber reports whether the characters are digits, if need be after a sign, a currency sign or a point.
func leadsToNumber(rs []rune) bool {
	for _, r := range rs {
		if unicode.IsNumber(r) {
			return true
		}
		if !(r == '-' || r == '+' || r == '.' || currency(r) || comparator(r)) {
			return false
		}
	}
	return false
}

// suffixes reports whether r belongs to a number that stands directly before it.
func suffixes(r rune) bool { return percent(r) || degree(r) || currency(r) || r == '×' || r == '+' }

// spacedUnit reports whether the blank next to the place stands between a number and its percent, degree or currency sign, or
// between a comparison and its number.
func spacedUnit(a around) bool {
	if a.l[0] == ' ' {
		before := a.l[1]
		if comparator(before) && leadsToNumber(a.r[:]) {
			return true
		}
		own := unicode.IsNumber(a.l[2]) || a.l[2] == ' ' && unicode.IsNumber(a.l[3]) // the sign of another number
		if currency(before) && leadsToNumber(a.r[:]) && !own {
			return true
		}
		return unicode.IsNumber(before) && suffixes(a.r[0]) && a.r[0] != '+' && a.r[0] != '×' && !leadsToNumber(a.r[1:])
	}
	if a.r[0] == ' ' {
		next := a.r[1]
		if unicode.IsNumber(a.l[0]) && suffixes(next) && next != '+' && next != '×' && !leadsToNumber(a.r[2:]) {
			return true
		}
		return (comparator(a.l[0]) || currency(a.l[0]) && !unicode.IsNumber(a.l[1])) && leadsToNumber(a.r[1:])
	}
	return false
}

// sameLine reports whether the blank next to p is a single space on one line. A tab, a line break or several spaces
// separate: they stand between cells and paragraphs.
func (t *Text) sameLine(p int, l rune) bool {
	if l == ' ' {
		p--
	}
	s := t.text[t.folded.start(p):t.folded.end(p+1)]
	r, n := utf8.DecodeRuneInString(s)
	return n == len(s) && unicode.Is(unicode.Zs, r)
}

// groups reports whether the blank at p separates two groups of digits of one number, as in 1 234 567: at most three
// digits before it, exactly three after it.
func (t *Text) groups(p int) bool {
	s := t.folded.norm
	left, right := 0, 0
	for at := p; left < 4; left++ {
		r, n := utf8.DecodeLastRuneInString(s[:at])
		if !unicode.IsDigit(r) {
			break
		}
		at -= n
	}
	for at := p + 1; right < 4; right++ {
		r, n := utf8.DecodeRuneInString(s[at:])
		if !unicode.IsDigit(r) {
			break
		}
		at += n
	}
	return left >= 1 && left <= 3 && right == 3 && t.sameLine(p+1, ' ')
}

// dashAt returns the original dash of the folded one at p, or 0 if there is none.
func (t *Text) dashAt(p int) rune {
	if p < 0 || p >= len(t.folded.norm) || t.folded.norm[p] != '-' {
		return 0
	}
	r, _ := utf8.DecodeRuneInString(t.text[t.folded.start(p):])
	return r
}

// joinedLeft is connects for a place behind the connecting character.
func joinedLeft(a around, dash rune) bool {
	if !wordRune(a.l[1]) {
		return false
	}
	// A hyphen, plus or number sign that ends a word ties it to the left only.
	return wordRune(a.r[0]) && connects(a.l[1], a.l[0], a.r[0], dash)
}

// connects reports whether the character c ties the word or number that ends with before to what follows; dash is the
// original character where c is a folded dash.
func connects(before, c, after, dash rune) bool {
	if !spacedWord(before) {
		return false
	}
	word := spacedWord(after)
	digits := unicode.IsNumber(before) && unicode.IsNumber(after)
	switch c {
	case '\'', '@', '&', '/', '⁄', '·', '\u2027':
		return word
	case '.':
		// A capital after a small letter or a digit is a new sentence whose blank was lost.
		return word && !(unicode.IsUpper(after) && (unicode.IsLower(before) || unicode.IsNumber(before)))
	case '^':
		return word
	case ',', ':', '٫', '٬', '*', '×', '=':
		return digits
	case '+', '#':
		return true
	case '-':
		switch dash {
		case '—', '―':
			return digits
		case '–', '‒':
			return word
		}
		return after != '-' // a hyphen that ends a word belongs to it: "pre-", "BBB-"
	}
	return false
}
