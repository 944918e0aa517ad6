package anthropic

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/internal/rawjson"
	"github.com/quarry-sdk/quarry/model"
)

// FuzzStream: whatever comes, decoding ends in a response or a typed error, and
// what it decoded can be journaled and sent back.
func FuzzStream(f *testing.F) {
	f.Add([]byte(richStream), 1)
	f.Add([]byte(smallStream), 100)
	f.Add([]byte(strings.ReplaceAll(richStream, "\n", "\r\n")), 33)
	f.Add([]byte("event: error\ndata: {\"error\":{}}\n\n"), 3)
	f.Add([]byte(`{"type":"message","content":[{"type":"text","text":"x"},{"type":"tool_use"}],"usage":{"input_tokens":1e3}}`), 9)
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		cut = min(max(cut, 0), len(data))
		contentType := "text/event-stream"
		if bytes.HasPrefix(data, []byte("{")) {
			contentType = "application/json"
		}
		resp, err := offlineAs(t, contentType, string(data[:cut]), string(data[cut:])).Collect()
		if err != nil {
			var e *model.Error
			if !errors.As(err, &e) || e.Kind == "" || e.Error() == "" {
				t.Fatalf("untyped error: %#v", err)
			}
			if resp = e.Partial; resp == nil {
				return
			}
		}
		if _, err := json.Marshal(resp); err != nil {
			t.Fatalf("journal: %v", err)
		}
		enc, err := encodeMessage(resp.Message)
		if err != nil {
			t.Fatalf("encode: %v", err)
		}
		if len(enc) > 0 && !json.Valid(enc[1:]) {
			t.Fatalf("not JSON: %s", enc)
		}
		if at := messageMark(resp.Message, enc); at >= 0 {
			marked := string(enc[1:at]) + `,"m":1` + string(enc[at:])
			if !json.Valid([]byte(marked)) {
				t.Fatalf("not JSON with a breakpoint: %s", marked)
			}
		}
	})
}

// FuzzWalk holds the JSON walker against encoding/json.
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
	case rawjson.IsObject(data):
		out := map[string]any{}
		for k, v := range rawjson.Fields(data) {
			out[string(k)] = walk(v)
		}
		return out
	case rawjson.IsArray(data):
		out := []any{}
		for v := range rawjson.Elements(data) {
			out = append(out, walk(v))
		}
		return out
	case rawjson.IsString(data):
		return rawjson.Str(data)
	case rawjson.IsNull(data):
		return nil
	case string(data) == "true", string(data) == "false":
		return string(data) == "true"
	}
	return json.Number(data)
}

// FuzzQuote: quoting is the inverse of unquoting, and JSON.
func FuzzQuote(f *testing.F) {
	for _, s := range []string{"", "a\"b\\c\n\t\r\x00\x1f", "日本😀\u2028", "\xff\xc3", "\\u0041"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		q := rawjson.AppendQuoted(nil, s)
		want := strings.ToValidUTF8(s, "\ufffd")
		var std string
		if err := json.Unmarshal(q, &std); err != nil {
			t.Fatalf("%q: %v", q, err)
		}
		if !utf8.ValidString(s) { // one sign for each byte, as encoding/json does it
			data, _ := json.Marshal(s)
			json.Unmarshal(data, &want)
		}
		if std != want || rawjson.Str(q) != want {
			t.Fatalf("%q became %q and %q", s, std, rawjson.Str(q))
		}
	})
}
