package hooks

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/quarry-sdk/quarry/internal/lazyregexp"
)

// The parts of the patterns. A group's name says what is in it: wd the weekday, d
// the day, mon the month's name, y the year, a and b day and month in an unknown
// order, m the month; H, M, S and f the time, ap the half of the day, gap what
// stands before the zone z.
const (
	space = `[ \t\x{a0}]+`
	zone  = `(?:UTC|GMT)?[+-]\d{2}:?\d{2}|(?:UTC|GMT|Z)\b`
	clock = `(?P<H>\d{1,2}):(?P<M>\d{2})(?::(?P<S>\d{2})(?:\.(?P<f>\d{1,9}))?)?` +
		`(?:[ \x{a0}]?(?P<ap>(?i:[ap]m\b|[ap]\.m\.)))?(?:(?P<gap>[ ]*)(?P<z>` + zone + `))?`
	tail = `(?:(?:,?` + space + `(?:at` + space + `)?|T)` + clock + `)?`
)

var (
	monthNames = names("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December") + `|Sept|SEPT`
	weekday    = `(?P<wd>` + names("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday") + `)\.?`
	month      = `(?P<mon>` + monthNames + `)\.?`
	nth        = `(?:st|nd|rd|th)?`
)

// names is a pattern for names, whole or as their first three letters, with a
// capital letter or in capitals.
func names(list ...string) string {
	var all []string
	for _, n := range list {
		all = append(all, n, strings.ToUpper(n), n[:3], strings.ToUpper(n[:3]))
	}
	return strings.Join(all, "|")
}

// namedForms are the ways to write a date in a text with the name of its month.
var namedForms = compiled(
	// Mar 5, 2025; March 5th 2025 at 2:30 pm; Wed Mar 05 2025 14:30:00 GMT+0100
	`(?:`+weekday+`,?`+space+`)?`+month+space+`(?P<d>\d{1,2})`+nth+`(?:,`+space+`|,|`+space+`)(?P<y>\d{4})`+tail,
	// 5 March 2025; 5th of March, 2025; Wed, 05 Mar 2025 14:30:00 +0100
	`(?:`+weekday+`,?`+space+`)?(?P<d>\d{1,2})`+nth+space+`(?:of`+space+`)?`+month+`,?`+space+`(?P<y>\d{4})`+tail,
	// 05-Mar-2025 14:30
	`(?P<d>\d{1,2})-`+month+`-(?P<y>\d{4})`+tail,
	// Wednesday, 05-Mar-25 14:30:00 GMT, as in RFC 850
	weekday+`,`+space+`(?P<d>\d{2})-`+month+`-(?P<yy>\d{2})`+space+clock,
	// 05/Mar/2025:14:30:00 +0100, as in logs of web servers
	`(?P<d>\d{2})/`+month+`/(?P<y>\d{4}):`+clock,
	// Wed Mar  5 14:30:00 2025 +0100, as of ctime, date and git
	weekday+space+month+space+`(?P<d>\d{1,2})`+space+`(?P<H>\d{2}):(?P<M>\d{2}):(?P<S>\d{2})`+space+
		`(?:(?P<z>`+zone+`)`+space+`)?(?P<y>\d{4})(?:(?P<gap>`+space+`)(?P<z2>[+-]\d{4}))?`,
)

// slashedForms are those of numbers: 25/12/2025 and 2025/12/25.
var slashedForms = compiled(
	`(?P<a>\d{1,2})/(?P<b>\d{1,2})/(?P<y>\d{4})`+tail,
	`(?P<y>\d{4})/(?P<m>\d{1,2})/(?P<d>\d{1,2})`+tail,
)

// wholeForms are further ways, for a string that is nothing but a date.
var wholeForms = compiled(
	// 25.12.2025, 25-12-2025
	`^(?P<a>\d{1,2})\.(?P<b>\d{1,2})\.(?P<y>\d{4})`+tail+`$`,
	`^(?P<a>\d{1,2})-(?P<b>\d{1,2})-(?P<y>\d{4})`+tail+`$`,
	// 2025-03-05 14:30:00 +0000 UTC, as Go writes a time
	`^(?P<y>\d{4})-(?P<m>\d{2})-(?P<d>\d{2})`+space+clock+`(?: UTC)?$`,
)

// compiled compiles patterns when they are first used.
func compiled(patterns ...string) func() []*regexp.Regexp {
	return sync.OnceValue(func() []*regexp.Regexp {
		list := make([]*regexp.Regexp, len(patterns))
		for i, p := range patterns {
			list[i] = regexp.MustCompile(p)
		}
		return list
	})
}

// change is a date to be put into a text.
type change struct {
	start, end int
	date       string
}

// inText normalises the dates written in a text.
func (d *Dates) inText(text string) string {
	if !utf8.ValidString(text) {
		return text
	}
	var forms []*regexp.Regexp // those that can fit at all
	if monthName().MatchString(text) {
		forms = append(forms, namedForms()...)
	}
	if strings.Contains(text, "/") {
		forms = append(forms, slashedForms()...)
	}
	var changes []change
	for _, re := range forms {
		for _, at := range re.FindAllStringSubmatchIndex(text, -1) {
			g := groups{re, text, at}
			if date := d.read(g); date != "" && g.standsAlone() {
				changes = append(changes, change{at[0], at[1], date})
			}
		}
	}
	slices.SortFunc(changes, func(a, b change) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return b.end - a.end
	})
	var out strings.Builder
	end := 0
	for _, c := range changes {
		if c.start < end {
			continue
		}
		out.WriteString(text[end:c.start])
		out.WriteString(c.date)
		end = c.end
	}
	out.WriteString(text[end:])
	return out.String()
}

// wholeDate returns what a string means that is nothing but a date of one of the
// further ways, or "".
func (d *Dates) wholeDate(s string) string {
	for _, re := range wholeForms() {
		if at := re.FindStringSubmatchIndex(s); at != nil {
			return d.read(groups{re, s, at})
		}
	}
	return ""
}

// groups are what a pattern has found in a text.
type groups struct {
	re   *regexp.Regexp
	text string
	at   []int
}

// get returns what is in a group, "" where the pattern has no such group.
func (g groups) get(name string) string {
	i := g.re.SubexpIndex(name)
	if i < 0 || g.at[2*i] < 0 {
		return ""
	}
	return g.text[g.at[2*i]:g.at[2*i+1]]
}

// num returns the number in a group, 0 where there is none.
func (g groups) num(name string) int {
	n, _ := strconv.Atoi(g.get(name)) // the pattern has digits there, or nothing
	return n
}

// read turns what a pattern has found into ISO 8601, or into "" where it is no date
// or could be several.
func (d *Dates) read(g groups) string {
	year, day := g.num("y"), g.num("d")
	mon := time.Month(g.num("m"))
	switch {
	case g.get("mon") != "":
		mon = time.Month(strings.Index("janfebmaraprmayjunjulaugsepoctnovdec", strings.ToLower(g.get("mon")[:3]))/3 + 1)
	case g.get("a") != "":
		day, mon = d.ordered(year, g.num("a"), g.num("b"))
	}
	if g.get("yy") != "" {
		if year = 1900 + g.num("yy"); year < 1969 {
			year += 100
		}
	}
	if !exists(year, mon, day) {
		return ""
	}
	date := time.Date(year, mon, day, 0, 0, 0, 0, time.UTC)
	if wd := g.get("wd"); wd != "" && !strings.EqualFold(wd[:3], date.Weekday().String()[:3]) {
		return ""
	}
	if g.get("H") == "" {
		return date.Format(time.DateOnly)
	}
	return g.timed(date)
}

// timed adds the time of day to a date.
func (g groups) timed(date time.Time) string {
	hour, minute, second := g.num("H"), g.num("M"), g.num("S")
	if ap := g.get("ap"); ap != "" {
		if hour < 1 || hour > 12 {
			return ""
		}
		hour %= 12
		if ap[0] == 'p' || ap[0] == 'P' {
			hour += 12
		}
	}
	if hour > 23 || minute > 59 || second > 59 {
		return ""
	}
	z, gap := g.get("z"), g.get("gap")
	if z2 := g.get("z2"); z2 != "" {
		if z != "" {
			return ""
		}
		z = z2
	}
	if strings.HasPrefix(z, "-") && gap == "" && g.get("S") == "" {
		return "" // 10:00-12:00 may be a span of time
	}
	offset, ok := offsetOf(z)
	if !ok {
		return ""
	}
	out := fmt.Sprintf("%sT%02d:%02d:%02d", date.Format(time.DateOnly), hour, minute, second)
	if f := g.get("f"); f != "" {
		out += "." + f
	}
	return out + offset
}

// offsetOf writes a zone as Z or an offset, and as "" where there is none.
func offsetOf(zone string) (string, bool) {
	if zone == "" {
		return "", true
	}
	zone = strings.TrimPrefix(strings.TrimPrefix(zone, "UTC"), "GMT")
	if zone == "" || zone == "Z" {
		return "Z", true
	}
	digits := strings.Replace(zone[1:], ":", "", 1)
	n, err := strconv.Atoi(digits)
	quarter := slices.Contains([]int{0, 15, 30, 45}, n%100)
	switch {
	case err != nil || !quarter || n > 1400 || zone[0] == '-' && n > 1200: // the offsets that there are
		return "", false
	case n == 0:
		return "Z", true
	}
	return zone[:1] + digits[:2] + ":" + digits[2:], true
}

// ordered tells which of two numbers is the day: by the order that is set, or
// because one order alone makes a date.
func (d *Dates) ordered(year, a, b int) (day int, mon time.Month) {
	dayFirst, monthFirst := exists(year, time.Month(b), a), exists(year, time.Month(a), b)
	switch {
	case dayFirst && (!monthFirst || a == b || d.Order == DayFirst):
		return a, time.Month(b)
	case monthFirst && (!dayFirst || d.Order == MonthFirst):
		return b, time.Month(a)
	}
	return 0, 0
}

// exists tells whether there is such a day in the Gregorian calendar.
func exists(year int, mon time.Month, day int) bool {
	t := time.Date(year, mon, day, 0, 0, 0, 0, time.UTC)
	return year >= 1583 && year <= 9999 && t.Month() == mon && t.Day() == day
}

var (
	monthName = lazyregexp.New(monthNames)
	// zoneAfter is a zone by name, or a part of an offset, behind a time.
	zoneAfter = lazyregexp.New(`^[ \t\x{a0}]*(?:\(?[A-Z]{2,5}\b|[+-]\d)`)
	// thousands is what makes a number of the year.
	thousands = lazyregexp.New(`^,\d{3}(?:\D|$)`)
	// listBefore is the beginning of a list of days that share the year.
	listBefore = lazyregexp.New(`(?:\b\d{1,2}(?:st|nd|rd|th)?(?:` + space + `(?:of` + space + `)?(?:` + monthNames + `)\.?)?|` +
		`\b(?:` + monthNames + `)\.?` + space + `\d{1,2}(?:st|nd|rd|th)?)` +
		`(?:,` + space + `|,?` + space + `(?:and|or|to|until|till|through|&|-|–|—)` + space + `)$`)
)

// standsAlone tells whether what was found is no part of anything longer.
func (g groups) standsAlone() bool {
	before, after := g.text[:g.at[0]], g.text[g.at[1]:]
	last, _ := utf8.DecodeLastRuneInString(before)
	first, width := utf8.DecodeRuneInString(after)
	second, _ := utf8.DecodeRuneInString(after[width:])
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }
	switch {
	case before != "" && (word(last) || strings.ContainsRune(`-–—./\@#$%+&`, last)):
		return false
	case last == ':' && len(before) > 1 && unicode.IsDigit(rune(before[len(before)-2])):
		return false
	case after == "":
	case word(first) || strings.ContainsRune(`-–—/\@%`, first):
		return false
	case strings.ContainsRune(`.:+`, first) && word(second):
		return false
	case thousands().MatchString(after):
		return false
	case g.get("H") != "" && g.get("z") == "" && g.get("z2") == "" && zoneAfter().MatchString(after):
		return false
	}
	return !listBefore().MatchString(before[max(0, len(before)-48):])
}
