// Package rawjson reads and writes JSON in place, for the providers, which keep
// what they were sent as it came: a field that nobody asks for costs a scan and
// no allocation.
//
// The functions that read take only JSON that [json.Valid] has accepted.
package rawjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// ErrNotJSON: what should be JSON is none.
var ErrNotJSON = errors.New("it is not JSON")

// Fields ranges over the fields of the object obj, as key and raw value, in the
// order in which they stand. It yields nothing if obj is not an object.
func Fields(obj []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, val []byte) bool) {
		i := skipSpace(obj, 0)
		if i >= len(obj) || obj[i] != '{' {
			return
		}
		for i++; ; {
			i = skipSpace(obj, i)
			if i < len(obj) && obj[i] == ',' {
				i = skipSpace(obj, i+1)
			}
			if i >= len(obj) || obj[i] != '"' {
				return
			}
			end := valueEnd(obj, i)
			key := obj[i+1 : end-1]
			if bytes.IndexByte(key, '\\') >= 0 {
				key = AppendUnquoted(nil, obj[i:end])
			}
			i = skipSpace(obj, end)
			if i >= len(obj) || obj[i] != ':' {
				return
			}
			i = skipSpace(obj, i+1)
			end = valueEnd(obj, i)
			if !yield(key, obj[i:end]) {
				return
			}
			i = end
		}
	}
}

// Elements ranges over the elements of the array arr. It yields nothing if arr
// is not an array.
func Elements(arr []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		i := skipSpace(arr, 0)
		if i >= len(arr) || arr[i] != '[' {
			return
		}
		for i++; ; {
			i = skipSpace(arr, i)
			if i < len(arr) && arr[i] == ',' {
				i = skipSpace(arr, i+1)
			}
			if i >= len(arr) || arr[i] == ']' {
				return
			}
			end := valueEnd(arr, i)
			if !yield(arr[i:end]) {
				return
			}
			i = end
		}
	}
}

// Field returns the value of the field key of obj; nil if there is none.
func Field(obj []byte, key string) []byte {
	for k, v := range Fields(obj) {
		if string(k) == key {
			return v
		}
	}
	return nil
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// valueEnd returns the index behind the value that begins at b[i].
func valueEnd(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			for i++; i < len(b) && b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		default:
			if depth == 0 {
				for i < len(b) && !endsLiteral(b[i]) {
					i++
				}
				return i
			}
		}
		i++
		if depth <= 0 {
			break
		}
	}
	return min(i, len(b))
}

func endsLiteral(c byte) bool {
	switch c {
	case ',', ']', '}', ' ', '\n', '\r', '\t', ':':
		return true
	}
	return false
}

// IsNull, IsString, IsObject and IsArray tell what raw holds. No bytes at all
// are null.
func IsNull(raw []byte) bool   { return len(raw) == 0 || raw[0] == 'n' }
func IsString(raw []byte) bool { return len(raw) >= 2 && raw[0] == '"' }
func IsObject(raw []byte) bool { return len(raw) >= 2 && raw[0] == '{' }
func IsArray(raw []byte) bool  { return len(raw) >= 2 && raw[0] == '[' }

// Str returns the string that raw holds; empty if it holds something else.
func Str(raw []byte) string {
	return string(Text(raw))
}

// Text is Str without a copy, where raw needs none: the bytes are those of raw.
func Text(raw []byte) []byte {
	if !IsString(raw) {
		return nil
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	return AppendUnquoted(nil, raw)
}

// Int returns the number that raw holds, 0 if it holds something else. A
// fraction is cut off.
func Int(raw []byte) int64 {
	if len(raw) == 0 || raw[0] == '"' {
		return 0
	}
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return n
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f != f || f > 1<<53 || f < -(1<<53) {
		return 0
	}
	return int64(f)
}

// AppendUnquoted appends the text of the JSON string raw to dst.
func AppendUnquoted(dst, raw []byte) []byte {
	if !IsString(raw) {
		return dst
	}
	raw = raw[1 : len(raw)-1]
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 || i+1 >= len(raw) {
			return append(dst, raw...)
		}
		dst = append(dst, raw[:i]...)
		c := raw[i+1]
		raw = raw[i+2:]
		switch c {
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		case 'u':
			r := hex4(raw)
			raw = raw[min(4, len(raw)):]
			if utf16.IsSurrogate(r) {
				low := rune(-1)
				if len(raw) >= 6 && raw[0] == '\\' && raw[1] == 'u' {
					low = hex4(raw[2:])
				}
				if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
					raw = raw[6:]
				}
			}
			dst = utf8.AppendRune(dst, r)
		default: // a quote, a slash or a backslash
			dst = append(dst, c)
		}
	}
}

func hex4(b []byte) rune {
	if len(b) < 4 {
		return utf8.RuneError
	}
	n, err := strconv.ParseUint(string(b[:4]), 16, 32)
	if err != nil {
		return utf8.RuneError
	}
	return rune(n)
}

const hexDigits = "0123456789abcdef"

// AppendQuoted appends s to dst as a JSON string. Bytes that are not UTF-8
// become U+FFFD.
func AppendQuoted[S string | []byte](dst []byte, s S) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= ' ' && c != '"' && c != '\\' {
				i++
				continue
			}
			dst = append(dst, s[start:i]...)
			switch c {
			case '"', '\\':
				dst = append(dst, '\\', c)
			case '\n':
				dst = append(dst, '\\', 'n')
			case '\r':
				dst = append(dst, '\\', 'r')
			case '\t':
				dst = append(dst, '\\', 't')
			default:
				dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
			}
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(string(s[i:min(i+utf8.UTFMax, len(s))]))
		if r == utf8.RuneError && size == 1 {
			dst = append(dst, s[start:i]...)
			dst = append(dst, "\ufffd"...)
			start = i + size
		}
		i += size
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// Append appends raw to dst, which must be valid JSON, without its
// surrounding white space.
func Append(dst, raw []byte) ([]byte, error) {
	if !json.Valid(raw) {
		return dst, ErrNotJSON
	}
	return append(dst, bytes.TrimSpace(raw)...), nil
}

// AppendMissing appends the fields of the object more to dst, an object that is
// still open, behind a comma each; without those that taken names.
func AppendMissing(dst, more []byte, taken ...string) ([]byte, error) {
	more = bytes.TrimSpace(more)
	if len(more) == 0 {
		return dst, nil
	}
	if !IsObject(more) || !json.Valid(more) {
		return dst, ErrNotJSON
	}
	for key, val := range Fields(more) {
		if !slices.Contains(taken, string(key)) {
			dst = append(AppendQuoted(append(dst, ','), key), ':')
			dst = append(dst, val...)
		}
	}
	return dst, nil
}

// With returns the object obj with the field key set to val. Neither is changed.
func With(obj []byte, key string, val []byte) []byte {
	out := make([]byte, 0, len(obj)+len(key)+len(val)+4)
	out = append(out, '{')
	found := false
	for k, v := range Fields(obj) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		if string(k) == key {
			v, found = val, true
		}
		out = append(AppendQuoted(out, k), ':')
		out = append(out, v...)
	}
	if !found {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(AppendQuoted(out, key), ':')
		out = append(out, val...)
	}
	return append(out, '}')
}
