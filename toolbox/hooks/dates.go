package hooks

import (
	"context"
	"fmt"
	"path"
	"strings"
	"time"
	"unicode"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
)

// DateOrder says how a date of numbers such as 03/05/2025 is read.
type DateOrder string

// The orders. The zero value reads only those dates of which one order alone makes
// sense, such as 25/12/2025.
const (
	DayFirst   DateOrder = "day first"
	MonthFirst DateOrder = "month first"
)

// Dates says which dates are normalised, and how they are found. The zero value is
// ready for use.
type Dates struct {
	// Keep are patterns of the JSON keys whose values stay as they are: names, which
	// must be found again, and spans of time. It outweighs Keys. Defaults to
	// DefaultKeep.
	Keep []string
	// Keys are patterns of the JSON keys whose numbers are dates, with '*' for any
	// text. Keys are compared in the form created_at: CreatedAt, createdAt and
	// created-at are the same. Defaults to DefaultKeys.
	Keys []string
	// Match are the tools, as in quarry.Hook. Defaults to all.
	Match string
	// Max and Min bound what a number may mean: outside of them it is not taken for
	// a date. They default to the beginnings of 2100 and of 1990.
	Max, Min time.Time
	// Name is what the hook is called in journals. Defaults to "dates".
	Name string
	// Order says how a date of numbers is read. Defaults to leaving dates alone of
	// which both orders make sense.
	Order DateOrder
}

// DefaultKeys are the JSON keys whose numbers are dates.
func DefaultKeys() []string {
	return []string{
		"date", "*_date", "date_*", "datetime", "*_datetime", "time", "*_time", "timestamp", "*_timestamp", "*_at",
		"created", "updated", "modified", "expires",
	}
}

// DefaultKeep are the JSON keys whose values stay as they are.
func DefaultKeep() []string {
	return []string{
		"id", "*_id", "key", "*_key", "token", "*_token", "cursor", "*_cursor", "hash", "*_hash",
		"name", "*_name", "file", "*_file", "filename", "path", "*_path", "url", "*_url", "uri", "*_uri",
		"*response_time", "*run_time", "*execution_time", "*processing_time", "*elapsed_time", "*cpu_time", "*user_time", "*system_time",
		"*wait_time", "*load_time", "*lead_time", "*total_time", "*max_time", "*min_time", "*avg_time", "*average_time", "*mean_time",
	}
}

// NormalizeDates makes a hook that writes the dates in what the model is told of a
// call as ISO 8601: a date as 2025-03-05, with a time of day 2025-03-05T14:30:00,
// and with Z or an offset where one was given. The journal keeps the tool's result.
//
// In a result that is JSON, or lines of it, numbers and strings of digits become
// dates where their key says that they are such: seconds since 1970, with or without
// a fraction, or milliseconds. They become strings, in UTC. Written dates are found
// in every string; where the key says that it is a date, 2025-03-05 14:30 and
// 25.12.2025 are read too. In any other result, as in one that was cut because it is long,
// written dates are found, and numbers are never changed.
//
// Written dates are English ones with the name of the month, in either order, with
// four digits for the year, and those of mail headers, HTTP, logs, git, ctime and
// JavaScript; 25/12/2025 and 2025/12/25; and 03/05/2025 with an Order. What could
// mean anything else stays as it is: days that do not exist, a weekday that does not
// fit, time zones by name other than UTC and GMT, lists such as "3 and 5 March 2025",
// and what is part of a longer word, number or file name. The text around dates is
// never changed. A result with anything but text stays as it is.
//
// Do not use it on tools whose words are quoted or edited: what a model quotes would
// no longer be what the document says. Match chooses the tools.
func NormalizeDates(d Dates) (quarry.Hook, error) {
	if err := d.fill(); err != nil {
		return quarry.Hook{}, fmt.Errorf("hooks: dates: %w", err)
	}
	return quarry.Hook{
		Match: d.Match,
		Name:  d.Name,
		On:    quarry.PostToolUse,
		Run: func(_ context.Context, in *quarry.HookInput) (quarry.HookOutput, error) {
			if in.Answer == nil {
				return quarry.HookOutput{}, nil
			}
			return d.replace(in.Answer.Content), nil
		},
	}, nil
}

// fill copies and checks the settings, and fills in their defaults.
func (d *Dates) fill() error {
	for _, list := range []struct {
		name     string
		patterns *[]string
		defaults []string
	}{{"Keep", &d.Keep, DefaultKeep()}, {"Keys", &d.Keys, DefaultKeys()}} {
		if *list.patterns == nil {
			*list.patterns = list.defaults
		}
		filled := make([]string, len(*list.patterns))
		for i, p := range *list.patterns {
			if _, err := path.Match(p, ""); err != nil || p == "" {
				return fmt.Errorf("the pattern %q of %s is not one", p, list.name)
			}
			filled[i] = snake(p)
		}
		*list.patterns = filled
	}
	if d.Max.IsZero() {
		d.Max = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	if d.Min.IsZero() {
		d.Min = time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	if !d.Min.Before(d.Max) {
		return fmt.Errorf("its Min, %s, is not before its Max, %s", d.Min.Format(time.DateOnly), d.Max.Format(time.DateOnly))
	}
	switch d.Order {
	case "", DayFirst, MonthFirst:
	default:
		return fmt.Errorf("the order %q is not known; use DayFirst or MonthFirst", d.Order)
	}
	if d.Name == "" {
		d.Name = "dates"
	}
	return nil
}

// replace normalises a result; where nothing changes, it says nothing.
func (d *Dates) replace(content model.Blocks) quarry.HookOutput {
	texts := make([]string, len(content))
	changed := false
	for i, b := range content {
		t, ok := b.(*model.Text)
		if !ok {
			return quarry.HookOutput{} // what replaces it could only be text
		}
		texts[i] = d.normalize(t.Text)
		changed = changed || texts[i] != t.Text
	}
	if !changed {
		return quarry.HookOutput{}
	}
	whole := strings.Join(texts, "\n")
	return quarry.HookOutput{Output: &whole}
}

// normalize normalises one text.
func (d *Dates) normalize(text string) string {
	if isJSON(text) {
		return d.inJSON(text)
	}
	return d.inText(text)
}

// keyKind is what a JSON key says of its value.
type keyKind uint8

const (
	plainKey keyKind = iota
	dateKey
	keptKey
)

// kindOf tells what a key says of its value.
func (d *Dates) kindOf(key string) keyKind {
	key = snake(key)
	fits := func(patterns []string) bool {
		for _, p := range patterns {
			if ok, _ := path.Match(p, key); ok { // fill has checked the patterns
				return true
			}
		}
		return false
	}
	switch {
	case fits(d.Keep):
		return keptKey
	case fits(d.Keys):
		return dateKey
	}
	return plainKey
}

// snake writes a key in the form created_at.
func snake(key string) string {
	var b strings.Builder
	runes := []rune(key)
	for i, r := range runes {
		switch {
		case r == '-' || r == '.' || r == ' ' || r == '/':
			r = '_'
		case unicode.IsUpper(r):
			afterLower := i > 0 && (unicode.IsLower(runes[i-1]) || unicode.IsDigit(runes[i-1]))
			endsUpper := i > 0 && unicode.IsUpper(runes[i-1]) && i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if afterLower || endsUpper {
				b.WriteByte('_')
			}
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}
