package office

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// builtinFormats are the number formats that a workbook does not spell out
// (ECMA-376 part 1, 18.8.30), dates as English programs show them.
var builtinFormats = map[int]string{
	1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00",
	14: "m/d/yyyy", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss", 22: "m/d/yyyy h:mm",
	37: "#,##0;-#,##0", 38: "#,##0;-#,##0", 39: "#,##0.00;-#,##0.00", 40: "#,##0.00;-#,##0.00",
	45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 49: "@",
}

// formatNumber shows a number as its format says. What the format says beyond the
// usual, it shows as it is stored: never another number.
func formatNumber(value, format string, date1904 bool) string {
	x, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return value
	}
	section, negative := pick(format, x)
	tokens, ok := tokenize(section)
	if !ok || len(tokens) == 0 {
		return general(value, x)
	}
	for _, t := range tokens {
		if t.kind == dateToken {
			if text, ok := formatDate(tokens, x, date1904); ok {
				return text
			}
			return general(value, x)
		}
	}
	if negative {
		x = math.Abs(x)
	}
	if text, ok := formatDigits(tokens, x); ok {
		return text
	}
	return general(value, x)
}

// general shows a number of no format: up to eleven digits, as Excel does.
func general(value string, x float64) string {
	if len(value) <= 12 && !strings.ContainsAny(value, "eE") {
		return value
	}
	abs := math.Abs(x)
	if abs != 0 && (abs >= 1e11 || abs < 1e-9) {
		if abs < 1e15 && x == math.Trunc(x) {
			return strconv.FormatFloat(x, 'f', -1, 64)
		}
		return strings.ToUpper(strconv.FormatFloat(x, 'g', 6, 64))
	}
	text := strconv.FormatFloat(x, 'g', 10, 64)
	y, _ := strconv.ParseFloat(text, 64)
	return strconv.FormatFloat(y, 'f', -1, 64)
}

// pick returns the section of a format for a number, and whether it shows the sign
// itself. Conditions other than by sign are not known, and give no section.
func pick(format string, x float64) (section string, negative bool) {
	sections := split(format)
	for _, s := range sections {
		if strings.Contains(s, "[<") || strings.Contains(s, "[>") || strings.Contains(s, "[=") {
			return "", false
		}
	}
	switch {
	case len(sections) >= 2 && x < 0:
		return sections[1], true
	case len(sections) >= 3 && x == 0:
		return sections[2], false
	}
	return sections[0], false
}

// split splits a format at the semicolons outside of quotes.
func split(format string) []string {
	var out []string
	start, quoted := 0, false
	for i := 0; i < len(format); i++ {
		switch format[i] {
		case '\\':
			if !quoted {
				i++
			}
		case '"':
			quoted = !quoted
		case ';':
			if !quoted {
				out = append(out, format[start:i])
				start = i + 1
			}
		}
	}
	return append(out, format[min(start, len(format)):])
}

type tokenKind int

const (
	literal    tokenKind = iota
	digitToken           // 0 # ? . , % E+
	dateToken            // y m d h s, AM/PM and elapsed times in brackets
)

type token struct {
	kind tokenKind
	text string
}

// tokenize splits a section. It reports false for what is not known.
func tokenize(section string) ([]token, bool) {
	if strings.EqualFold(section, "general") || section == "@" {
		return nil, false
	}
	var out []token
	for i := 0; i < len(section); {
		c := section[i]
		switch lower := strings.ToLower(section[i:]); {
		case c == '"':
			end := strings.IndexByte(section[i+1:], '"')
			if end < 0 {
				return nil, false
			}
			out = append(out, token{literal, section[i+1 : i+1+end]})
			i += end + 2
		case c == '\\':
			r := []rune(section[i+1:] + " ")[0]
			out = append(out, token{literal, string(r)})
			i += 1 + len(string(r))
		case c == '_': // the width of a character
			r := []rune(section[i+1:] + " ")[0]
			out = append(out, token{literal, " "})
			i += 1 + len(string(r))
		case c == '*':
			r := []rune(section[i+1:] + " ")[0]
			i += 1 + len(string(r))
		case c == '[':
			end := strings.IndexByte(section[i:], ']')
			if end < 0 {
				return nil, false
			}
			inner := section[i+1 : i+end]
			i += end + 1
			switch low := strings.ToLower(inner); {
			case strings.HasPrefix(inner, "$"):
				currency, _, _ := strings.Cut(inner[1:], "-")
				out = append(out, token{literal, currency})
			case low == "h" || low == "hh" || low == "m" || low == "mm" || low == "s" || low == "ss":
				out = append(out, token{dateToken, "[" + low + "]"})
			}
		case strings.HasPrefix(lower, "am/pm"):
			out = append(out, token{dateToken, "am/pm"})
			i += 5
		case strings.HasPrefix(lower, "a/p"):
			out = append(out, token{dateToken, "a/p"})
			i += 3
		case strings.HasPrefix(lower, "general"):
			return nil, false
		case strings.IndexByte("ymdhs", lower[0]) >= 0:
			n := 1
			for n < len(lower) && lower[n] == lower[0] {
				n++
			}
			out = append(out, token{dateToken, lower[:n]})
			i += n
		case strings.HasPrefix(lower, "e+"), strings.HasPrefix(lower, "e-"):
			out = append(out, token{digitToken, section[i : i+2]})
			i += 2
		case strings.IndexByte("0#?.,%", c) >= 0:
			out = append(out, token{digitToken, string(c)})
			i++
		case c < 0x80 && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '@'):
			return nil, false
		default:
			r := []rune(section[i:])[0]
			out = append(out, token{literal, string(r)})
			i += len(string(r))
		}
	}
	return out, true
}

// formatDigits shows a number by the digits of its format.
func formatDigits(tokens []token, x float64) (string, bool) {
	var whole, decimals, scale, percent, exponent int
	var grouped, point bool
	first, last := -1, -1
	for i, t := range tokens {
		if t.kind != digitToken {
			continue
		}
		switch t.text {
		case "%":
			percent++
			continue
		case ".":
			point = true
		case ",":
			scale++
		case "0", "?", "#":
			if scale > 0 && !point {
				grouped = true
			}
			scale = 0
			switch {
			case exponent > 0:
				exponent++
			case point:
				decimals++
			case t.text == "0":
				whole++
			}
		default: // E+
			exponent = 1
		}
		if first < 0 {
			first = i
		}
		last = i
	}
	if first < 0 || exponent > 0 && (grouped || scale > 0) || decimals > 30 {
		if first < 0 && len(tokens) > 0 && percent == 0 { // words alone
			return literals(tokens), true
		}
		return "", false
	}
	for i := first; i < last; i++ {
		if tokens[i].kind == literal { // "000-00" and fractions
			return "", false
		}
	}
	x *= math.Pow(100, float64(percent))
	x /= math.Pow(1000, float64(scale))
	// Digits that need not be shown are "#"; only those behind the point can be many.
	optional := 0
	for i := last; i >= first && point && exponent == 0 && tokens[i].text == "#"; i-- {
		optional++
	}
	var digits string
	if exponent > 0 {
		digits = strings.ToUpper(strconv.FormatFloat(math.Abs(x), 'e', decimals, 64))
	} else {
		// As people round, half away from zero, in the decimal digits stored.
		digits = strconv.FormatFloat(roundHalfUp(math.Abs(x), decimals), 'f', decimals, 64)
		for ; optional > 0 && strings.HasSuffix(digits, "0"); optional-- {
			digits = digits[:len(digits)-1]
		}
		digits = strings.TrimSuffix(digits, ".")
		integer, fraction, _ := strings.Cut(digits, ".")
		if whole == 0 && integer == "0" {
			integer = ""
		}
		for len(integer) < whole {
			integer = "0" + integer
		}
		if grouped {
			integer = groupThousands(integer)
		}
		if digits = integer; fraction != "" {
			digits += "." + fraction
		}
	}
	if x < 0 && strings.ContainsAny(digits, "123456789") {
		digits = "-" + digits
	}
	var out strings.Builder
	for i, t := range tokens {
		switch {
		case t.kind == literal:
			out.WriteString(t.text)
		case i == first:
			out.WriteString(digits)
		}
		if t.text == "%" && t.kind == digitToken {
			out.WriteString("%")
		}
	}
	return out.String(), true
}

func roundHalfUp(x float64, decimals int) float64 {
	if x > 1e15 || decimals > 15 {
		return x
	}
	// The shortest decimal of the float is what was typed: 1.005 rounds to 1.01.
	text := strconv.FormatFloat(x, 'f', -1, 64)
	point := strings.IndexByte(text, '.')
	if point < 0 || len(text)-point-1 <= decimals {
		return x
	}
	up := text[point+1+decimals] >= '5'
	cut := text[:point+1+decimals]
	y, _ := strconv.ParseFloat(cut, 64)
	if up {
		y += math.Pow(10, -float64(decimals))
	}
	return y
}

func groupThousands(s string) string {
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func literals(tokens []token) string {
	var out strings.Builder
	for _, t := range tokens {
		if t.kind == literal {
			out.WriteString(t.text)
		}
	}
	return out.String()
}

// formatDate shows a number of days since the end of 1899, or since 1904.
func formatDate(tokens []token, x float64, date1904 bool) (string, bool) {
	if x < 0 || x >= 2958466 { // the year 10000
		return "", false
	}
	days, fraction := math.Modf(x)
	parts := 0 // digits of the parts of a second that are shown
	for i, t := range tokens {
		if t.kind == digitToken && t.text == "0" && parts < 3 && (parts > 0 || i > 0 && tokens[i-1].text == ".") {
			parts++
		}
	}
	scale := math.Pow10(parts)
	seconds := math.Round(fraction*86400*scale) / scale
	start := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	if date1904 {
		start = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	} else if days < 61 { // Excel has a 29 February 1900
		start = start.AddDate(0, 0, 1)
	}
	t := start.AddDate(0, 0, int(days)).Add(time.Duration(seconds * float64(time.Second)))
	half := false
	for _, k := range tokens {
		half = half || k.text == "am/pm" || k.text == "a/p"
	}
	var out strings.Builder
	for i, k := range tokens {
		if k.kind == literal {
			out.WriteString(k.text)
			continue
		}
		if k.kind == digitToken {
			switch {
			case k.text == ".":
				out.WriteByte('.')
			case k.text == "0" && parts > 0:
				nanos := math.Round(float64(t.Nanosecond()) / 1e9 * scale)
				digits := strconv.Itoa(int(nanos))
				out.WriteString(strings.Repeat("0", max(0, parts-len(digits))) + digits)
				parts = 0
			case k.text == "," || k.text == "%":
				out.WriteString(k.text)
			}
			continue
		}
		out.WriteString(datePart(tokens, i, t, x, half))
	}
	return out.String(), true
}

// datePart shows one part of a date.
func datePart(tokens []token, i int, t time.Time, x float64, half bool) string {
	hour := t.Hour()
	if half {
		if hour = hour % 12; hour == 0 {
			hour = 12
		}
	}
	pad := func(n int) string {
		if n < 10 {
			return "0" + strconv.Itoa(n)
		}
		return strconv.Itoa(n)
	}
	total := math.Round(x * 86400)
	switch k := tokens[i].text; k {
	case "yyyy", "yyy":
		return strconv.Itoa(t.Year())
	case "yy", "y":
		return pad(t.Year() % 100)
	case "mmm":
		return t.Format("Jan")
	case "mmmm":
		return t.Format("January")
	case "mmmmm":
		return t.Format("January")[:1]
	case "m", "mm":
		n := int(t.Month())
		if minutes(tokens, i) {
			n = t.Minute()
		}
		if k == "mm" {
			return pad(n)
		}
		return strconv.Itoa(n)
	case "d":
		return strconv.Itoa(t.Day())
	case "dd":
		return pad(t.Day())
	case "ddd":
		return t.Format("Mon")
	case "dddd":
		return t.Format("Monday")
	case "h":
		return strconv.Itoa(hour)
	case "hh":
		return pad(hour)
	case "s":
		return strconv.Itoa(t.Second())
	case "ss":
		return pad(t.Second())
	case "am/pm":
		return t.Format("PM")
	case "a/p":
		return t.Format("PM")[:1]
	case "[h]", "[hh]":
		return strconv.Itoa(int(total) / 3600)
	case "[m]", "[mm]":
		return strconv.Itoa(int(total) / 60)
	case "[s]", "[ss]":
		return strconv.Itoa(int(total))
	}
	return ""
}

// minutes tells that an "m" means minutes: it stands behind hours or before seconds.
func minutes(tokens []token, i int) bool {
	for j := i - 1; j >= 0; j-- {
		if tokens[j].kind == dateToken {
			if strings.Trim(tokens[j].text, "[]h") == "" {
				return true
			}
			break
		}
	}
	for j := i + 1; j < len(tokens); j++ {
		if tokens[j].kind == dateToken {
			return strings.Trim(tokens[j].text, "[]s") == ""
		}
	}
	return false
}
