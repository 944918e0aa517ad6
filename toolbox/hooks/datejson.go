package hooks

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/quarry-sdk/quarry/internal/lazyregexp"
)

// isJSON tells whether a text is one JSON value, or an object or array in each line.
func isJSON(text string) bool {
	if json.Valid([]byte(text)) {
		return true
	}
	found := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if line[0] != '{' && line[0] != '[' || !json.Valid([]byte(line)) {
			return false
		}
		found = true
	}
	return found
}

// within is an object or array that has begun.
type within struct {
	object bool
	// key tells that a key comes next.
	key bool
	// kind is what the last key says, for an array what its own key says.
	kind keyKind
}

// inJSON normalises the values of valid JSON. Every byte that belongs to no date
// stays where it is.
func (d *Dates) inJSON(text string) string {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var out strings.Builder
	written, end := 0, 0
	stack := []within{{}}
	for {
		token, err := dec.Token()
		if err != nil {
			if err != io.EOF {
				return text
			}
			break
		}
		start := end + strings.IndexFunc(text[end:], func(r rune) bool { return !strings.ContainsRune(" \t\r\n,:", r) })
		end = int(dec.InputOffset())
		at := &stack[len(stack)-1]
		switch token := token.(type) {
		case json.Delim:
			if token == '}' || token == ']' {
				stack = stack[:len(stack)-1]
				continue
			}
			inner := within{object: token == '{', key: token == '{'}
			if !inner.object {
				inner.kind = at.kind
			}
			at.key = at.object
			stack = append(stack, inner)
			continue
		case string:
			if at.key {
				at.kind, at.key = d.kindOf(token), false
				continue
			}
			if now := d.inString(token, at.kind); now != token {
				out.WriteString(text[written:start])
				out.WriteString(quote(now))
				written = end
			}
		case json.Number:
			if date := d.unix(token.String()); at.kind == dateKey && date != "" {
				out.WriteString(text[written:start])
				out.WriteString(quote(date))
				written = end
			}
		}
		at.key = at.object
	}
	out.WriteString(text[written:])
	return out.String()
}

// inString normalises a string of a JSON value.
func (d *Dates) inString(s string, kind keyKind) string {
	if kind == keptKey || strings.ContainsRune(s, utf8.RuneError) { // it could not be written again as it was
		return s
	}
	if kind == dateKey {
		if date := d.unix(s); date != "" {
			return date
		}
		if date := d.wholeDate(s); date != "" {
			return date
		}
	}
	return d.inText(s)
}

// unixTime is a number that may be seconds or milliseconds since 1970.
var unixTime = lazyregexp.New(`^([1-9]\d{0,14})(?:\.(\d{1,9}))?$`)

// unix returns the date that a number means, or "" where it means none. Seconds are
// tried first.
func (d *Dates) unix(number string) string {
	m := unixTime().FindStringSubmatch(number)
	if m == nil {
		return ""
	}
	n, err := strconv.ParseInt(m[1], 10, 64)
	if err != nil {
		return ""
	}
	fraction, err := strconv.ParseInt(m[2]+strings.Repeat("0", 9-len(m[2])), 10, 64)
	if err != nil {
		return ""
	}
	for _, t := range []time.Time{
		time.Unix(n, fraction),
		time.Unix(n/1000, n%1000*1e6+fraction/1000),
	} {
		if !t.Before(d.Min) && t.Before(d.Max) {
			return t.UTC().Format(time.RFC3339Nano)
		}
	}
	return ""
}

// quote writes a string as JSON, without the escapes for HTML.
func quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return strconv.Quote(s) // not reached: a string can be encoded
	}
	return strings.TrimSuffix(b.String(), "\n")
}
