package rawjson

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestWith(t *testing.T) {
	t.Parallel()
	for _, tt := range [][3]string{
		{`{}`, `1`, `{"a":1}`},
		{`{"b":2}`, `1`, `{"b":2,"a":1}`},
		{`{"a":[0], "b":2}`, `1`, `{"a":1,"b":2}`},
	} {
		if got := string(With([]byte(tt[0]), "a", []byte(tt[1]))); got != tt[2] {
			t.Errorf("%s with %s is %s, want %s", tt[0], tt[1], got, tt[2])
		}
	}
}

func TestAppend(t *testing.T) {
	t.Parallel()
	if got, err := Append([]byte("x"), []byte(" [1 ] ")); err != nil || string(got) != "x[1 ]" {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := Append(nil, []byte("[1")); err != ErrNotJSON {
		t.Errorf("%v", err)
	}
}

// FuzzWalk holds the walker against encoding/json.
func FuzzWalk(f *testing.F) {
	for _, s := range []string{`{}`, ` { "a" : 1 , "b\u0041\n" : [ 1.5e3 , {"x":"}"} , null , "\\\"" ] } `, `["\ud83d\ude00","\ud83d","\u00e9"]`, `"x"`, `-0`, `[[],{}]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if !json.Valid(data) || !utf8.Valid(data) {
			return
		}
		var want any
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.UseNumber()
		if err := dec.Decode(&want); err != nil {
			t.Skip() // a number beyond what json.Number takes
		}
		if got := walk(bytes.TrimSpace(data)); !cmp.Equal(got, want) {
			t.Fatalf("%s\n got %#v\nwant %#v", data, got, want)
		}
	})
}

func walk(data []byte) any {
	switch {
	case IsObject(data):
		out := map[string]any{}
		for k, v := range Fields(data) {
			out[string(k)] = walk(v)
		}
		return out
	case IsArray(data):
		out := []any{}
		for v := range Elements(data) {
			out = append(out, walk(v))
		}
		return out
	case IsString(data):
		return Str(data)
	case IsNull(data):
		return nil
	case string(data) == "true", string(data) == "false":
		return string(data) == "true"
	}
	Int(data)
	return json.Number(data)
}

// FuzzQuote: quoting is the inverse of unquoting, and JSON.
func FuzzQuote(f *testing.F) {
	for _, s := range []string{"", "a\"b\\c\n\t\r\x00\x1f", "日本😀\u2028", "\xff\xc3", "\\u0041"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		q := AppendQuoted(nil, s)
		want := strings.ToValidUTF8(s, "\ufffd")
		var std string
		if err := json.Unmarshal(q, &std); err != nil {
			t.Fatalf("%q: %v", q, err)
		}
		if !utf8.ValidString(s) { // one sign for each byte, as encoding/json does it
			data, _ := json.Marshal(s)
			json.Unmarshal(data, &want)
		}
		if std != want || Str(q) != want {
			t.Fatalf("%q became %q and %q", s, std, Str(q))
		}
	})
}
