package hooks_test

import (
	"strings"
	"testing"
	"time"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/toolbox/hooks"
)

// normalizer returns what the hook makes of a text.
func normalizer(t testing.TB, d hooks.Dates) func(string) string {
	t.Helper()
	hook, err := hooks.NormalizeDates(d)
	if err != nil {
		t.Fatal(err)
	}
	return func(text string) string {
		out, err := hook.Run(t.Context(), &quarry.HookInput{Answer: &session.ToolAnswered{Content: model.Blocks{&model.Text{Text: text}}}})
		if err != nil {
			t.Fatal(err)
		}
		if out.Output == nil {
			return text
		}
		if *out.Output == text {
			t.Errorf("a result that does not change is replaced: %s", text)
		}
		return *out.Output
	}
}

func TestDatesInJSON(t *testing.T) {
	t.Parallel()
	normalize := normalizer(t, hooks.Dates{})
	for _, test := range []struct{ name, in, want string }{
		{"seconds", `{"created_at": 1741176000}`, `{"created_at": "2025-03-05T12:00:00Z"}`},
		{"milliseconds", `{"created_at": 1741176000123}`, `{"created_at": "2025-03-05T12:00:00.123Z"}`},
		{"fraction of a second", `{"timestamp":1741176000.25}`, `{"timestamp":"2025-03-05T12:00:00.25Z"}`},
		{"fraction of a millisecond", `{"timestamp":1741176000123.5}`, `{"timestamp":"2025-03-05T12:00:00.1235Z"}`},
		{"digits in a string", `{"startTime":"1741176000"}`, `{"startTime":"2025-03-05T12:00:00Z"}`},
		{"keys in other forms", `{"createdAt":1741176000,"Due-Date":1741176000,"LastModifiedTime":1741176000,"expires":1741176000}`,
			`{"createdAt":"2025-03-05T12:00:00Z","Due-Date":"2025-03-05T12:00:00Z","LastModifiedTime":"2025-03-05T12:00:00Z","expires":"2025-03-05T12:00:00Z"}`},
		{"other keys", `{"id":1741176000,"amount":1741176000,"phone":"1741176000","at":1741176000,"format":1741176000,"dated":1741176000}`, ""},
		{"spans of time", `{"response_time":1741176000,"avgResponseTime":1741176000,"cpu_time":1741176000,"duration":1741176000}`, ""},
		{"not plausible", `{"deleted_at":0,"created_at":500,"time":-1741176000,"date":20250305,"timestamp":99999999999999,"updated_at":1e9,"expires":null}`, ""},
		{"the bounds", `{"date":631151999,"time":631152000,"timestamp":4102444799,"created":4102444800}`,
			`{"date":631151999,"time":"1990-01-01T00:00:00Z","timestamp":"2099-12-31T23:59:59Z","created":4102444800}`},
		{"nested", `{"orders":[{"paid_at":1741176000,"n":1741176000}],"date":{"n":1741176000}}`,
			`{"orders":[{"paid_at":"2025-03-05T12:00:00Z","n":1741176000}],"date":{"n":1741176000}}`},
		{"list under a key", `{"date":[1741176000,[1741176000]],"n":[1741176000]}`, `{"date":["2025-03-05T12:00:00Z",["2025-03-05T12:00:00Z"]],"n":[1741176000]}`},
		{"after what is nested", `{"created_at":{"a":[1]},"n":1741176000,"time":1741176000}`, `{"created_at":{"a":[1]},"n":1741176000,"time":"2025-03-05T12:00:00Z"}`},
		{"a key that looks like a date", `{"Mar 5, 2025":1,"5 March 2025":{"date":1741176000}}`, `{"Mar 5, 2025":1,"5 March 2025":{"date":"2025-03-05T12:00:00Z"}}`},
		{"everything else stays", "{ \"a\" : 1.50,\n\t\"a\":[ 1e3 , true ],\"time\" : 1741176000 ,\"z\":\"\\u00e9\\/<\"}\n", "{ \"a\" : 1.50,\n\t\"a\":[ 1e3 , true ],\"time\" : \"2025-03-05T12:00:00Z\" ,\"z\":\"\\u00e9\\/<\"}\n"},
		{"written in strings", `{"note":"Sent <b>Mar 5, 2025</b>, paid \"5 March 2025\"."}`, `{"note":"Sent <b>2025-03-05</b>, paid \"2025-03-05\"."}`},
		{"names and addresses stay", `{"name":"Plan of 5 March 2025","url":"https://example.org/?d=5 March 2025 ","title":"Plan of 5 March 2025"}`,
			`{"name":"Plan of 5 March 2025","url":"https://example.org/?d=5 March 2025 ","title":"Plan of 2025-03-05"}`},
		{"a date and nothing else", `{"date":"2025-03-05 14:30","time":"2025-03-05 14:30:00.5 +0100","created":"25.12.2025","updated":"25-12-2025 10:00","n":"25.12.2025"}`,
			`{"date":"2025-03-05T14:30:00","time":"2025-03-05T14:30:00.5+01:00","created":"2025-12-25","updated":"2025-12-25T10:00:00","n":"25.12.2025"}`},
		{"Go's time", `{"time":"2025-03-05 14:30:00 +0000 UTC"}`, `{"time":"2025-03-05T14:30:00Z"}`},
		{"ISO 8601 stays", `{"date":"2025-03-05","time":"2025-03-05T14:30:00+01:00","created":"20250305T143000Z"}`, ""},
		{"ambiguous", `{"date":"03/05/2025","time":"03.05.2025","created":"03-05-2025"}`, ""},
		{"a text that cannot be written again", `{"note":"\ud800 5 March 2025"}`, ""},
		{"lines", "{\"time\":1741176000}\n\n{\"time\":1741176001}\n", "{\"time\":\"2025-03-05T12:00:00Z\"}\n\n{\"time\":\"2025-03-05T12:00:01Z\"}\n"},
		{"a value without a key", `1741176000`, ""},
		{"a list without a key", `[1741176000,"5 March 2025"]`, `[1741176000,"2025-03-05"]`},
		{"cut off", `{"created_at":1741176000,"date":"Mar 5, 2025","rest":[1`, `{"created_at":1741176000,"date":"2025-03-05","rest":[1`},
	} {
		if test.want == "" {
			test.want = test.in
		}
		if got := normalize(test.in); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.name, got, test.want)
		}
	}
}

func TestDatesInText(t *testing.T) {
	t.Parallel()
	normalize := normalizer(t, hooks.Dates{})
	for in, want := range map[string]string{
		"Mar 5, 2025":                             "2025-03-05",
		"Due March 5th, 2025.":                    "Due 2025-03-05.",
		"Sept. 9, 2025":                           "2025-09-09",
		"MAR 5 2025":                              "2025-03-05",
		"5 March 2025":                            "2025-03-05",
		"the 1st of March, 2025, a day":           "the 2025-03-01, a day",
		"(5 Mar 2025)":                            "(2025-03-05)",
		"42,5 Mar 2025,9":                         "42,2025-03-05,9",
		"Wednesday, 5 March 2025":                 "2025-03-05",
		"5 March 2025 - 7 March 2025":             "2025-03-05 - 2025-03-07",
		"05-Mar-2025 14:30":                       "2025-03-05T14:30:00",
		"Mar 5, 2025 at 2:30 pm":                  "2025-03-05T14:30:00",
		"Mar 5, 2025, 12:00 a.m. sharp":           "2025-03-05T00:00:00 sharp",
		"Mar 5, 2025 12:30 AM UTC":                "2025-03-05T00:30:00Z",
		"Mar 5, 2025 14:30:05.120":                "2025-03-05T14:30:05.120",
		"Mar 5, 2025 at noon":                     "2025-03-05 at noon",
		"Wed, 05 Mar 2025 14:30:00 GMT":           "2025-03-05T14:30:00Z",
		"Wed, 05 Mar 2025 14:30:00 +0530":         "2025-03-05T14:30:00+05:30",
		"05 Mar 2025 14:30 -0500 (EST)":           "2025-03-05T14:30:00-05:00 (EST)",
		"Wed, 05 Mar 2025 14:30:00 -0000":         "2025-03-05T14:30:00Z",
		"Wednesday, 05-Mar-25 14:30:00 GMT":       "2025-03-05T14:30:00Z",
		"Sunday, 06-Nov-94 08:49:37 GMT":          "1994-11-06T08:49:37Z",
		"Wed Mar  5 14:30:00 2025":                "2025-03-05T14:30:00",
		"Wed Mar  5 14:30:00 UTC 2025":            "2025-03-05T14:30:00Z",
		"Wed Mar 5 14:30:00 2025 +0100":           "2025-03-05T14:30:00+01:00",
		"[05/Mar/2025:14:30:00 +0100] GET":        "[2025-03-05T14:30:00+01:00] GET",
		"Wed Mar 05 2025 14:30:00 GMT+0100 (CET)": "2025-03-05T14:30:00+01:00 (CET)",
		"25/12/2025, 12/25/2025, 5/5/2025":        "2025-12-25, 2025-12-25, 2025-05-05",
		"2025/12/25 10:00:00":                     "2025-12-25T10:00:00",
		"Mar 5, 2025 10:00 amount":                "2025-03-05T10:00:00 amount",
		"Feb 29, 2024":                            "2024-02-29",
		"a\n5 March 2025\nb":                      "a\n2025-03-05\nb",
	} {
		if got := normalize(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	for _, in := range []string{
		"", "no date", "1741176000", "created_at: 1741176000", "03/05/2025", "3/5/2025 10:00", "25.12.2025",
		"Feb 29, 2025", "31 April 2025", "0 March 2025", "Monday, 5 March 2025", "March 2025", "5 March", "5 March 25", "5 Mar 1066",
		"may 5, 2025", "Summar 5, 2025", "Mar 5, 20255", "x5 March 2025", "5 March 2025x", "1.5 March 2025", "#5 March 2025",
		"5-7 March 2025", "5–7 March 2025", "5 and 7 March 2025", "3, 5 March 2025", "5 March and 7 March 2025", "from March 3 to March 5, 2025", "1st or 2nd of May 2025",
		"report 5 March 2025.pdf", "a/25/12/2025/b", "/2025/12/25/", "plan_5 March 2025", "5 March 2025-draft", "5 March 2025,000", "5 March 2025%",
		"Mar 5, 2025 25:00", "Mar 5, 2025 10:61", "Mar 5, 2025 13:00 pm", "Mar 5, 2025 10:00 PST", "Mar 5, 2025 10:00-12:00", "Mar 5, 2025 10:00:00 +9900",
		"Mar 5, 2025 10:00 UTC+1", "Mar 5, 2025 10:00:00 +1", "Wed Mar 5 14:30:00 PST 2025", "Wed Mar 5 14:30:00 UTC 2025 +0100",
		"2025-03-05", "2025-03-05T14:30:00Z", "2025-03-05 14:30:00 UTC", "\xff 5 March 2025",
	} {
		if got := normalize(in); got != in {
			t.Errorf("%q is changed to %q", in, got)
		}
	}
}

func TestDatesWithAnOrder(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		order    hooks.DateOrder
		in, want string
	}{
		{hooks.DayFirst, "03/05/2025 10:00", "2025-05-03T10:00:00"},
		{hooks.MonthFirst, "03/05/2025 10:00", "2025-03-05T10:00:00"},
		{hooks.MonthFirst, "25/12/2025", "2025-12-25"},
		{hooks.DayFirst, "12/25/2025", "2025-12-25"},
		{hooks.DayFirst, `{"date":"03.05.2025","n":"03.05.2025"}`, `{"date":"2025-05-03","n":"03.05.2025"}`},
		{hooks.DayFirst, "30/02/2025", "30/02/2025"},
	} {
		if got := normalizer(t, hooks.Dates{Order: test.order})(test.in); got != test.want {
			t.Errorf("%s, %q: got %q, want %q", test.order, test.in, got, test.want)
		}
	}
}

func TestDatesSettings(t *testing.T) {
	t.Parallel()
	day := func(year int) time.Time { return time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC) }
	for _, test := range []struct {
		name     string
		dates    hooks.Dates
		in, want string
	}{
		{"keys", hooks.Dates{Keys: []string{"when", "seenOn"}}, `{"when":1741176000,"seen_on":1741176000,"date":1741176000}`,
			`{"when":"2025-03-05T12:00:00Z","seen_on":"2025-03-05T12:00:00Z","date":1741176000}`},
		{"no keys", hooks.Dates{Keys: []string{}}, `{"date":1741176000}`, `{"date":1741176000}`},
		{"keep", hooks.Dates{Keep: []string{"raw_*"}}, `{"raw_time":1741176000,"response_time":1741176000}`, `{"raw_time":1741176000,"response_time":"2025-03-05T12:00:00Z"}`},
		{"range", hooks.Dates{Min: day(1970), Max: day(2000)}, `{"date":[86400,1741176000]}`, `{"date":["1970-01-02T00:00:00Z","1970-01-21T03:39:36Z"]}`},
	} {
		if got := normalizer(t, test.dates)(test.in); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.name, got, test.want)
		}
	}
	for want, d := range map[string]hooks.Dates{
		`pattern "[" of Keys`:     {Keys: []string{"["}},
		`pattern "" of Keep`:      {Keep: []string{""}},
		"is not before its Max":   {Min: day(2000), Max: day(2000)},
		`order "year" is not kno`: {Order: "year"},
	} {
		if _, err := hooks.NormalizeDates(d); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// A result of several blocks stays readable, and pictures are not lost.
func TestDatesOfBlocks(t *testing.T) {
	t.Parallel()
	hook, err := hooks.NormalizeDates(hooks.Dates{})
	if err != nil {
		t.Fatal(err)
	}
	run := func(blocks ...model.Block) quarry.HookOutput {
		out, err := hook.Run(t.Context(), &quarry.HookInput{Answer: &session.ToolAnswered{Content: blocks}})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	out := run(&model.Text{Text: `{"date":1741176000}`}, &model.Text{Text: "1741176000 on 5 March 2025"})
	if out.Output == nil || *out.Output != "{\"date\":\"2025-03-05T12:00:00Z\"}\n1741176000 on 2025-03-05" {
		t.Errorf("got %v", out.Output)
	}
	if out := run(&model.Text{Text: "5 March 2025"}, &model.Image{}); out.Output != nil {
		t.Errorf("a picture is lost: %q", *out.Output)
	}
	if out, err := hook.Run(t.Context(), &quarry.HookInput{}); err != nil || out.Output != nil {
		t.Errorf("without an answer: %v, %v", out, err)
	}
}
