package evidence

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// number is what a stretch of digits says. Values are decimal strings without leading or trailing zeros, so that equal
// values are equal strings and nothing is ever rounded.
type number struct {
	value  string
	bare   bool     // digits only
	groups []string // the digits between separators
	seps   []rune
}

// scanNumber reads the digits at i and the separators between them, and returns where they end.
//
// "1.234" and "1,234" have two readings. In a language that writes decimal commas the point separates thousands and the
// comma decimals; in any other, and where the language is not known, it is the other way round.
func scanNumber(s string, i int, lang language) (number, int) {
	var groups []string
	var seps []rune
	var ends []int
	for {
		digits, end := scanDigits(s, i)
		groups, ends = append(groups, digits), append(ends, end)
		r, n := utf8.DecodeRuneInString(s[end:])
		if n == 0 || !separates(s, end, r, digits, lang, len(seps)) || len(groups) > 12 {
			break
		}
		seps = append(seps, plainSeparator(r))
		i = end + n
	}
	for used := len(seps); ; used-- {
		if v, ok := readGroups(groups[:used+1], seps[:used], lang); ok {
			return number{value: v, bare: used == 0, groups: groups[:used+1], seps: seps[:used]}, ends[used]
		}
	}
}

// plainSeparator makes one of the blanks and one of the apostrophes that separate groups.
func plainSeparator(r rune) rune {
	switch r {
	case '\u00a0', '\u2009', '\u202f', '\u2007':
		return ' '
	case '’':
		return '\''
	}
	return r
}

// scanDigits returns the digits from i on as ASCII.
func scanDigits(s string, i int) (string, int) {
	start := i
	ascii := true
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !unicode.IsDigit(r) {
			break
		}
		ascii = ascii && n == 1
		i += n
	}
	if ascii {
		return s[start:i], i
	}
	return strings.Map(func(r rune) rune { return '0' + digitValue(r) }, s[start:i]), i
}

// digitValue is the value of a decimal digit of any script: the ranges of Unicode's class Nd run from a zero.
func digitValue(r rune) rune {
	if r <= '9' {
		return r - '0'
	}
	for _, x := range unicode.Nd.R16 {
		if rune(x.Lo) <= r && r <= rune(x.Hi) {
			return (r - rune(x.Lo)) % 10
		}
	}
	for _, x := range unicode.Nd.R32 {
		if rune(x.Lo) <= r && r <= rune(x.Hi) {
			return (r - rune(x.Lo)) % 10
		}
	}
	return 0
}

// separates reports whether r at i, behind the group before, separates it from more digits of the same number.
func separates(s string, i int, r rune, before string, lang language, seps int) bool {
	if r == utf8.RuneError {
		return false
	}
	n := utf8.RuneLen(r)
	next, _ := utf8.DecodeRuneInString(s[i+n:])
	if !unicode.IsDigit(next) {
		return false
	}
	switch r {
	case ',', '.', '٫', '٬':
		return true
	case '．', '，':
		return next >= '０' && next <= '９'
	case '\'', '’':
		return len(before) <= 3 && groupOfThree(s, i+n)
	case '\u00a0', '\u2009', '\u202f', '\u2007':
		return len(before) <= 3 && groupOfThree(s, i+n)
	case ' ':
		if len(before) > 3 || !groupOfThree(s, i+n) {
			return false
		}
		// A plain blank may as well stand between two numbers.
		return lang.groupsByBlank() || seps > 0 || i+8 <= len(s) && s[i+4] == ' ' && groupOfThree(s, i+5)
	}
	return false
}

// groupOfThree reports whether exactly three digits stand at i.
func groupOfThree(s string, i int) bool {
	for range 3 {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !unicode.IsDigit(r) {
			return false
		}
		i += n
	}
	r, _ := utf8.DecodeRuneInString(s[i:])
	return !unicode.IsDigit(r)
}

// readGroups gives the value of groups of digits with these separators. It reports false if they are no number; a row of
// points that is none, such as a version or a date, is its own value.
func readGroups(g []string, seps []rune, lang language) (string, bool) {
	k := len(seps)
	if k == 0 {
		return decimal(g[0], ""), true
	}
	last := seps[k-1]
	for _, r := range seps[:k-1] {
		if r != seps[0] {
			return "", false
		}
	}
	if k > 1 && last != seps[0] {
		if !decimalMark(last) || !thousands(g[:k], seps[0]) {
			return "", false
		}
		return decimal(strings.Join(g[:k], ""), g[k]), true
	}
	if k > 1 {
		if thousands(g, last) {
			return decimal(strings.Join(g, ""), ""), true
		}
		if last == '.' {
			return strings.Join(g, "."), true
		}
		return "", false
	}
	grouped := thousands(g, last)
	switch last {
	case '.', ',', '．', '，':
		comma := lang.decimalComma()
		if grouped && (last == ',' || last == '，') != comma {
			return decimal(g[0]+g[1], ""), true
		}
		return decimal(g[0], g[1]), true
	case '٫':
		return decimal(g[0], g[1]), true
	}
	return decimal(g[0]+g[1], ""), grouped
}

func decimalMark(r rune) bool { return r == '.' || r == ',' || r == '٫' || r == '．' || r == '，' }

// thousands reports whether the groups are those of thousands, or of lakhs and crores (12,34,567).
func thousands(g []string, sep rune) bool {
	n := len(g) - 1
	if len(g[0]) > 3 || n == 0 || len(g[n]) != 3 || g[0] == "0" {
		return false
	}
	size := len(g[1])
	if n > 1 && size == 2 && sep == ',' && len(g[0]) > 2 {
		return false
	}
	for _, d := range g[1:n] {
		if len(d) != size || size != 3 && !(size == 2 && sep == ',') {
			return false
		}
	}
	return true
}

// decimal writes a number in its one form.
func decimal(whole, fraction string) string {
	whole = strings.TrimLeft(whole, "0")
	fraction = strings.TrimRight(fraction, "0")
	if whole == "" {
		whole = "0"
	}
	if fraction == "" {
		return whole
	}
	return whole + "." + fraction
}

// shift multiplies a decimal string by ten to the power of n, which is not negative.
func shift(v string, n int) string {
	if n == 0 || strings.ContainsAny(v, "/~") || strings.Count(v, ".") > 1 {
		return v
	}
	sign := ""
	if strings.HasPrefix(v, "-") {
		sign, v = "-", v[1:]
	}
	whole, fraction, _ := strings.Cut(v, ".")
	for ; n > 0; n-- {
		if fraction == "" {
			whole += strings.Repeat("0", n)
			break
		}
		whole, fraction = whole+fraction[:1], fraction[1:]
	}
	return sign + decimal(whole, fraction)
}

// times multiplies a decimal string by a small whole number.
func times(v string, n int) string {
	whole, fraction, _ := strings.Cut(v, ".")
	digits := []byte(whole + fraction)
	carry := 0
	for i := len(digits) - 1; i >= 0; i-- {
		if digits[i] < '0' || digits[i] > '9' {
			return v
		}
		carry += int(digits[i]-'0') * n
		digits[i] = byte('0' + carry%10)
		carry /= 10
	}
	head := ""
	for ; carry > 0; carry /= 10 {
		head = string(rune('0'+carry%10)) + head
	}
	all := head + string(digits)
	return decimal(all[:len(all)-len(fraction)], fraction)
}
