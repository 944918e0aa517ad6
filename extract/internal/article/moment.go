package article

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/quarry-sdk/quarry/internal/lazyregexp"
)

// moment is a date as far as it is known: month and day are 0 if they are not,
// and clock is the time of day with its offset, such as "T08:30:00+02:00".
type moment struct {
	year, month, day int
	clock            string
}

// String is the moment as RFC 3339 has it, cut where knowledge ends.
func (m moment) String() string {
	switch {
	case m.month == 0:
		return fmt.Sprintf("%04d", m.year)
	case m.day == 0:
		return fmt.Sprintf("%04d-%02d", m.year, m.month)
	}
	return fmt.Sprintf("%04d-%02d-%02d%s", m.year, m.month, m.day, m.clock)
}

// valid tells whether the moment is on the calendar, and since there is a web.
func (m moment) valid() bool {
	if m.year < 1990 || m.year > 2100 || m.month < 0 || m.month > 12 || m.day < 0 {
		return false
	}
	return m.day == 0 || m.month > 0 && m.day <= time.Date(m.year, time.Month(m.month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// days is the number of the moment's day, for comparing; the first of the month
// or the year if the day is not known.
func (m moment) days() int {
	return int(time.Date(m.year, time.Month(max(1, m.month)), max(1, m.day), 0, 0, 0, 0, time.UTC).Unix() / 86400)
}

// agrees tells whether two moments may be the same day, told in different zones
// or to different precision.
func (m moment) agrees(o moment) bool {
	switch {
	case m.month == 0 || o.month == 0:
		return m.year == o.year
	case m.day == 0 || o.day == 0:
		return m.year == o.year && m.month == o.month
	}
	d := m.days() - o.days()
	return -1 <= d && d <= 1
}

var (
	isoForm     = lazyregexp.New(`^(\d{4})-(\d{1,2})(?:-(\d{1,2}))?(?:[T ]\s*(\d{1,2}):?(\d{2})(?::?(\d{2})(?:[.,]\d+)?)?\s*(Z|z|UTC|GMT|[+-]\d{2}:?\d{2}|[+-]\d{2})?)?(?:[^\d].*)?$`)
	compactForm = lazyregexp.New(`^(\d{4})(\d{2})(\d{2})(?:T?(\d{2})(\d{2})(\d{2})?(Z|[+-]\d{2}:?\d{2})?)?$`)
	epochForm   = lazyregexp.New(`^\d{10}(?:\d{3})?$`)
	mailForm    = lazyregexp.New(`^(?:[A-Z][a-z]{2},? )?(\d{1,2}) ([A-Z][a-z]{2,8}) (\d{4}) (\d{2}):(\d{2})(?::(\d{2}))? ?(GMT|UTC|Z|[+-]\d{4})?$`)
)

// parseStamp reads a date written for machines, or else one for people in the
// language of the page.
func parseStamp(raw, lang string) (moment, bool) {
	raw = strings.TrimSpace(raw)
	if len(raw) > 200 {
		return moment{}, false
	}
	if m := isoForm().FindStringSubmatch(raw); m != nil {
		return checked(moment{atoi(m[1]), atoi(m[2]), atoi(m[3]), clock(m[4], m[5], m[6], m[7])})
	}
	if m := compactForm().FindStringSubmatch(raw); m != nil {
		return checked(moment{atoi(m[1]), atoi(m[2]), atoi(m[3]), clock(m[4], m[5], m[6], m[7])})
	}
	if epochForm().MatchString(raw) {
		seconds, _ := strconv.ParseInt(raw[:10], 10, 64)
		t := time.Unix(seconds, 0).UTC()
		return checked(moment{t.Year(), int(t.Month()), t.Day(), t.Format("T15:04:05Z")})
	}
	if m := mailForm().FindStringSubmatch(raw); m != nil {
		if month := months()[strings.ToLower(m[2])]; month > 0 {
			return checked(moment{atoi(m[3]), month, atoi(m[1]), clock(m[4], m[5], m[6], m[7])})
		}
	}
	if len(raw) == 4 {
		return checked(moment{year: atoi(raw)})
	}
	return parseText(raw, lang)
}

func checked(m moment) (moment, bool) {
	if m.day == 0 || m.month == 0 {
		m.clock = ""
	}
	return m, m.valid()
}

func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// clock is a time of day with its offset; empty without one, since RFC 3339 has
// no time whose offset is unknown.
func clock(hour, minute, second, zone string) string {
	if hour == "" || zone == "" || atoi(hour) > 23 || atoi(minute) > 59 || atoi(second) > 59 {
		return ""
	}
	switch zone {
	case "Z", "z", "UTC", "GMT":
		zone = "Z"
	default:
		zone = zone[:3] + ":" + (strings.TrimPrefix(zone[3:], ":") + "00")[:2]
		if atoi(zone[1:3]) > 23 || atoi(zone[4:]) > 59 {
			return ""
		}
	}
	return fmt.Sprintf("T%02d:%02d:%02d%s", atoi(hour), atoi(minute), atoi(second), zone)
}
