package hooks_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/toolbox/hooks"
)

// FuzzNormalizeDates checks what must hold of every text: what is JSON stays JSON of
// the same shape, a number changes only under a key of a date, what has no date in it
// does not change, and what is normalised does not change again.
func FuzzNormalizeDates(f *testing.F) {
	for _, seed := range []string{
		`{"created_at": 1741176000, "n": 1741176000, "note": "Sent Mar 5, 2025", "list": [{"time": 1741176000123.5}]}`,
		"{\"date\":\"25.12.2025\"}\n{\"a\":[1,\"5 March 2025\"]}",
		"Wed, 05 Mar 2025 14:30:00 +0530; 5/5/2025 10:00 pm; Wed Mar  5 14:30:00 UTC 2025",
		"Wednesday, 05-Mar-25 14:30:00 GMT [05/Mar/2025:14:30:00 +0100]",
		"May 5 Mar 2025 2025, 3 and 5 March 2025", `{"time":"\ud800"}`, `["\u004dar 5, 2025"]`,
	} {
		f.Add(seed, byte(0))
		f.Add(seed, byte(1))
	}
	orders := []hooks.DateOrder{"", hooks.DayFirst, hooks.MonthFirst}
	f.Fuzz(func(t *testing.T, in string, order byte) {
		normalize := normalizer(t, hooks.Dates{Order: orders[int(order)%len(orders)]})
		out := normalize(in)
		if again := normalize(out); again != out {
			t.Errorf("normalised twice: %q, then %q, then %q", in, out, again)
		}
		if before, ok := values(in); ok {
			after, ok := values(out)
			if !ok {
				t.Fatalf("%q is JSON, and %q is not", in, out)
			}
			if problem := compare("", before, after); problem != "" {
				t.Errorf("%q became %q: %s", in, out, problem)
			}
			return
		}
		// No date begins before the first digit or capital letter.
		begin := strings.IndexFunc(in, func(r rune) bool { return unicode.IsDigit(r) || unicode.IsUpper(r) })
		if begin < 0 {
			begin = len(in)
		}
		if !strings.HasPrefix(out, in[:begin]) {
			t.Errorf("%q became %q", in, out)
		}
	})
}

// FuzzOver checks that no call gets by: where encoding/json fills a tool's field with
// more than the limit, from whichever key, the hook denies.
func FuzzOver(f *testing.F) {
	for _, seed := range []string{
		`{"amount": 500.01}`, `{"amount": 1, "Amount": 1000}`, `{"amount":1,"AMOUNT":501}`, `{"amount": 5.01e2}`, `{"amoun\u0074":501}`, `{"amount":1}`, `{"\u017f":1,"amount":null}`,
	} {
		f.Add(seed)
	}
	hook, err := hooks.DenyOver(hooks.Over{Tool: "refund", Field: "amount", Limit: "500"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, in string) {
		out, err := hook.Run(t.Context(), &quarry.HookInput{Tool: "refund", Input: json.RawMessage(in)})
		if err != nil {
			t.Fatal(err)
		}
		var tool struct {
			Amount float64 `json:"amount"`
		}
		if json.Unmarshal([]byte(in), &tool) == nil && (tool.Amount > 500 || tool.Amount < 0) && out.Decision != quarry.Deny {
			t.Errorf("%s passes as %v", in, tool.Amount)
		}
	})
}

// values decodes a text that is JSON, or JSON in each line.
func values(text string) (list []any, ok bool) {
	parts := strings.SplitAfter(text, "\n")
	if json.Valid([]byte(text)) {
		parts = []string{text}
	}
	for _, part := range parts {
		if strings.TrimSpace(part) == "" {
			continue
		}
		dec := json.NewDecoder(bytes.NewReader([]byte(part)))
		dec.UseNumber()
		var v any
		if err := dec.Decode(&v); err != nil {
			return nil, false
		}
		if _, err := dec.Token(); !errors.Is(err, io.EOF) {
			return nil, false
		}
		if _, scalar := v.(string); len(parts) > 1 && (scalar || v == nil) {
			return nil, false
		}
		list = append(list, v)
	}
	return list, len(list) > 0
}

// compare tells what is not the same, but for dates.
func compare(key string, before, after any) string {
	switch b := before.(type) {
	case map[string]any:
		a, ok := after.(map[string]any)
		if !ok || len(a) != len(b) {
			return "an object has other keys"
		}
		for k, v := range b {
			if _, ok := a[k]; !ok {
				return "the key " + k + " is lost"
			}
			if problem := compare(k, v, a[k]); problem != "" {
				return problem
			}
		}
	case []any:
		a, ok := after.([]any)
		if !ok || len(a) != len(b) {
			return "a list has another length"
		}
		for i, v := range b {
			if problem := compare(key, v, a[i]); problem != "" {
				return problem
			}
		}
	case json.Number:
		if a, ok := after.(json.Number); ok && a == b {
			return ""
		}
		if _, ok := after.(string); !ok || !dated(key) {
			return "the number " + b.String() + " under " + key + " is changed"
		}
	case string:
		if a, ok := after.(string); !ok || a != b && !strings.ContainsFunc(b, unicode.IsDigit) {
			return "the string " + b + " is changed"
		}
	default:
		if before != after {
			return "a value is changed"
		}
	}
	return ""
}

// dated tells whether a key may be that of a date.
func dated(key string) bool {
	key = strings.ToLower(key)
	for _, word := range []string{"date", "time", "at", "created", "updated", "modified", "expires"} {
		if strings.Contains(key, word) {
			return true
		}
	}
	return false
}
