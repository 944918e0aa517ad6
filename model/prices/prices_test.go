package prices_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/prices"
)

func load(t *testing.T, text string) *prices.Table {
	t.Helper()
	table, err := prices.Load(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// TestFind: a name finds the row that lists it, and nothing that looks like it.
func TestFind(t *testing.T) {
	t.Parallel()
	builtIn := prices.Default()
	mine := load(t, "names\tsource\nx/big-DATE\tme\nx/big-20250102\tme\n")
	for _, tt := range []struct {
		table      *prices.Table
		name, want string // want is the row's own name, "" for none
	}{
		{builtIn, "extractive", "extractive"},
		{builtIn, "anthropic/claude-sonnet-4-5", "anthropic/claude-sonnet-4-5"},
		{builtIn, "anthropic/claude-sonnet-4-5-20250929", "anthropic/claude-sonnet-4-5"},
		{builtIn, "anthropic/claude-sonnet-4-20250514", "anthropic/claude-sonnet-4-0"},
		{builtIn, "anthropic/claude-opus-4-20250514", "anthropic/claude-opus-4-0"},
		{builtIn, "openai/gpt-4o-2024-08-06", "openai/gpt-4o"},
		{builtIn, "openai/gpt-4o-2024-05-13", "openai/gpt-4o-2024-05-13"}, // it has a price of its own

		{builtIn, "", ""},
		{builtIn, "-", ""},
		{builtIn, "anthropic/", ""},
		{builtIn, "anthropic/extractive", ""},
		{builtIn, "claude-sonnet-4-5", ""},        // no provider
		{builtIn, "openai/claude-sonnet-4-5", ""}, // another provider
		{builtIn, "anthropic/claude-sonnet-4", ""},
		{builtIn, "anthropic/claude-sonnet-4-5-20260101", ""}, // a snapshot nobody listed
		{builtIn, "anthropic/claude-sonnet-4-50", ""},
		{builtIn, "anthropic/claude-sonnet-4-5-turbo", ""},
		{builtIn, "anthropic/Claude-Sonnet-4-5", ""},
		{builtIn, "anthropic/claude-sonnet-4-5 ", ""},
		{builtIn, "openai/gpt-4.1-2099-01-01", ""},
		{builtIn, "openai/gpt-5-pro", ""},
		{builtIn, "sonnet", ""}, // aliases are not resolved here

		{mine, "x/big-20260929", "x/big-DATE"},
		{mine, "x/big-2026-09-29", "x/big-DATE"},
		{mine, "x/big-DATE", "x/big-DATE"},
		{mine, "x/big-20250102", "x/big-20250102"}, // what is listed goes first
		{mine, "x/big", ""},
		{mine, "x/big-20261329", ""}, // no month 13
		{mine, "x/big-2026-02-30", ""},
		{mine, "x/bigger-20260929", ""},
		{mine, "x/big-5-20260929", ""},
		{mine, "x/big20260929", ""},
	} {
		p, ok := tt.table.Find(tt.name)
		if got := strings.Join(p.Names[:min(1, len(p.Names))], ""); ok != (tt.want != "") || got != tt.want {
			t.Errorf("%q finds %q, %v; want %q", tt.name, got, ok, tt.want)
		}
	}
}

// TestDefault: each row of the built-in table is whole and plausible.
func TestDefault(t *testing.T) {
	t.Parallel()
	usd := func(r prices.Rate) float64 { x, _ := r.USD(); return x }
	for _, p := range prices.Default().Rows() {
		name := p.Names[0]
		if name == "extractive" {
			continue
		}
		provider, _, _ := strings.Cut(name, "/")
		for _, n := range p.Names {
			if !strings.HasPrefix(n, provider+"/") {
				t.Errorf("%s and %s are in one row", name, n)
			}
		}
		if p.AsOf == "" || !strings.HasPrefix(p.Source, "https://") || p.ContextWindow == 0 {
			t.Errorf("%s lacks its date, its source's address or its context window", name)
		}
		if p.MaxOutput > p.ContextWindow || p.PromptLimit > p.ContextWindow {
			t.Errorf("%s: its limits contradict each other", name)
		}
		in, known := p.Input.USD()
		if !known {
			continue
		}
		if in <= 0 || usd(p.Output) <= in || usd(p.CacheRead) >= in {
			t.Errorf("%s: output does not cost more than input, or reading the cache not less", name)
		}
		if w5, ok := p.CacheWrite5m.USD(); ok && (w5 <= in || usd(p.CacheWrite1h) <= w5) {
			t.Errorf("%s: the prices of writing the cache are out of order", name)
		}
	}
}

func TestCost(t *testing.T) {
	t.Parallel()
	builtIn := prices.Default()
	tools := func(name string, n int64) map[string]int64 { return map[string]int64{name: n} }
	const sonnet = "anthropic/claude-sonnet-4-5"
	const opus = "anthropic/claude-opus-4-5"
	for _, tt := range []struct {
		name  string
		model string
		usage model.Usage
		want  float64 // -1: unknown
	}{
		{"nothing", sonnet, model.Usage{}, 0},
		{"input", sonnet, model.Usage{InputTokens: 1}, 0.000003},
		{"output", sonnet, model.Usage{OutputTokens: 1}, 0.000015},
		{"reasoning is part of the output", sonnet, model.Usage{OutputTokens: 10, ReasoningTokens: 8}, 0.00015},
		{"cache read", sonnet, model.Usage{CacheReadTokens: 10}, 0.000003},
		{"cache written for 5 minutes", sonnet, model.Usage{CacheWriteTokens: 100}, 0.000375},
		{"cache written for an hour", sonnet, model.Usage{CacheWriteTokens: 100, CacheWrite1hTokens: 100}, 0.0006},
		{"both", sonnet, model.Usage{CacheWriteTokens: 100, CacheWrite1hTokens: 40}, 0.000465},
		{"searches", sonnet, model.Usage{ServerToolCalls: tools("web_search_requests", 3)}, 0.03},
		{"fetches are free", sonnet, model.Usage{InputTokens: 1, ServerToolCalls: tools("web_fetch_requests", 3)}, 0.000003},
		{"everything", sonnet, model.Usage{
			InputTokens: 1234, OutputTokens: 567, CacheReadTokens: 8901, CacheWriteTokens: 2345, CacheWrite1hTokens: 345, ReasoningTokens: 100,
			ServerToolCalls: tools("web_search_requests", 2),
		}, 0.0444473}, // 3702+8505+2670.3+7500+2070 = 24447.3 millionths, and 0.02
		{"no float dust", "openai/gpt-4.1-nano", model.Usage{InputTokens: 3}, 0.0000003},
		{"extractive", "extractive", model.Usage{InputTokens: 1e6, OutputTokens: 1e6, CacheReadTokens: 5}, 0},
		{"large", opus, model.Usage{InputTokens: math.MaxInt64, OutputTokens: math.MaxInt64}, 2.767011611056432742e14},

		{"a tool without a price", sonnet, model.Usage{ServerToolCalls: tools("code_execution_requests", 1)}, -1},
		{"a tool that was not used", sonnet, model.Usage{ServerToolCalls: tools("code_execution_requests", 0)}, 0},
		{"a search without a price", "openai/gpt-4.1", model.Usage{ServerToolCalls: tools("web_search_requests", 1)}, -1},
		{"a cache without a price", "openai/gpt-5", model.Usage{CacheWriteTokens: 1}, -1},
		{"a model with limits only", "anthropic/claude-haiku-5-5", model.Usage{InputTokens: 1}, -1},
		{"negative input", sonnet, model.Usage{InputTokens: -1}, -1},
		{"negative output", sonnet, model.Usage{OutputTokens: math.MinInt64}, -1},
		{"negative cache", opus, model.Usage{CacheReadTokens: -1, InputTokens: 10}, -1},
		{"negative writes", opus, model.Usage{CacheWriteTokens: math.MinInt64, CacheWrite1hTokens: math.MaxInt64}, -1},
		{"negative reasoning", opus, model.Usage{OutputTokens: 1, ReasoningTokens: -1}, -1},
		{"negative searches", opus, model.Usage{ServerToolCalls: tools("web_search_requests", -1)}, -1},
		{"more written for an hour than at all", opus, model.Usage{CacheWriteTokens: 1, CacheWrite1hTokens: 2}, -1},
		{"negative for an hour", opus, model.Usage{CacheWriteTokens: 1, CacheWrite1hTokens: -2}, -1},
		{"at the prompt's limit", sonnet, model.Usage{InputTokens: 100_000, CacheReadTokens: 100_000}, 0.33},
		{"above the prompt's limit", sonnet, model.Usage{InputTokens: 100_000, CacheReadTokens: 100_001}, -1},
		{"far above it", sonnet, model.Usage{InputTokens: math.MaxInt64, CacheReadTokens: math.MaxInt64, CacheWriteTokens: math.MaxInt64}, -1},
		{"standard tier", opus, model.Usage{InputTokens: 1, Raw: json.RawMessage(`{"service_tier":"standard","inference_geo":"not_available","speed":null}`)}, 0.000005},
		{"default tier", "openai/gpt-5", model.Usage{InputTokens: 1, Raw: json.RawMessage(`{"service_tier":"default"}`)}, 0.00000125},
		{"another tier", opus, model.Usage{InputTokens: 1, Raw: json.RawMessage(`{"service_tier":"batch"}`)}, -1},
		{"another speed", opus, model.Usage{InputTokens: 1, Raw: json.RawMessage(`{"speed":"fast"}`)}, -1},
		{"another place", opus, model.Usage{InputTokens: 1, Raw: json.RawMessage(`{"inference_geo":"us"}`)}, -1},
		{"raw usage that is no object", opus, model.Usage{InputTokens: 1, Raw: json.RawMessage(`[`)}, -1},
	} {
		p, ok := builtIn.Find(tt.model)
		if !ok {
			t.Fatalf("no row for %s", tt.model)
		}
		got, known := p.Cost(&tt.usage)
		if want := max(tt.want, 0); got != want || known != (tt.want >= 0) {
			t.Errorf("%s: %v, %v; want %v", tt.name, got, known, tt.want)
		}
	}
	if _, known := (prices.Price{}).Cost(nil); known {
		t.Error("the cost of no usage is known")
	}
	if _, known := (prices.Price{}).Cost(&model.Usage{InputTokens: 1}); known {
		t.Error("the zero price is known")
	}
}

// TestTableCost: a table prices by the model's name, and knows no price for one
// that it does not have.
func TestTableCost(t *testing.T) {
	t.Parallel()
	table := prices.Default().Merge(load(t, "names\tinput\toutput\tsource\nx/big-DATE\t2\t4\tme\n"))
	for _, tt := range []struct {
		name  string
		usage *model.Usage
		usd   float64
		known bool
	}{
		{"x/big-20260929", &model.Usage{InputTokens: 1e6, OutputTokens: 1e6}, 6, true},
		{"anthropic/claude-sonnet-4-5", &model.Usage{InputTokens: 100_000}, 0.3, true},
		{"extractive", &model.Usage{InputTokens: 100_000}, 0, true},
		{"x/big-20260929", &model.Usage{CacheReadTokens: 1}, 0, false}, // no price for it
		{"x/big", &model.Usage{InputTokens: 1e6}, 0, false},
		{"", &model.Usage{}, 0, false},
		{"extractive", nil, 0, false},
	} {
		if usd, known := table.Cost(tt.name, tt.usage); usd != tt.usd || known != tt.known {
			t.Errorf("Cost(%q, %+v) = %v, %v, want %v, %v", tt.name, tt.usage, usd, known, tt.usd, tt.known)
		}
	}
}

func TestRate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, text, json string }{
		{"-", "-", "null"},
		{"0", "0.00", "0"},
		{"3", "3.00", "3"},
		{"0.5", "0.50", "0.5"},
		{"3.750", "3.75", "3.75"},
		{"0.075", "0.075", "0.075"},
		{"0.000001", "0.000001", "0.000001"},
		{"999999999.999999", "999999999.999999", "999999999.999999"},
	} {
		r, err := prices.ParseRate(tt.in)
		if err != nil {
			t.Errorf("%q: %v", tt.in, err)
			continue
		}
		if data, err := json.Marshal(r); r.String() != tt.text || string(data) != tt.json || err != nil {
			t.Errorf("%q is %s and %s (%v); want %s and %s", tt.in, r, data, err, tt.text, tt.json)
		}
	}
	for _, bad := range []string{"", ".", "1.", ".5", "-1", "+1", "1e3", "NaN", "$3", "3,75", " 3", "1_000", "0.0000001", "1000000000", "٣"} {
		if _, err := prices.ParseRate(bad); err == nil {
			t.Errorf("%q is a price", bad)
		}
	}
}

// TestLoadDamaged: what is wrong with a file is named by line and field.
func TestLoadDamaged(t *testing.T) {
	t.Parallel()
	const head = "# mine\nnames\tinput\tcontext_window\tas_of\tsource\n"
	for _, tt := range []struct {
		text, field, in string
		line            int
	}{
		{"", "", "no line that names the columns", 1},
		{"# only this\n\n", "", "no line that names the columns", 2},
		{"names,input,source\n", "", `no column "names,input,source"`, 1},
		{"names\tprice\tsource\n", "", `no column "price"`, 1},
		{"names\tnames\tsource\n", "", "names is there twice", 1},
		{"names\tinput\n", "", "no column source", 1},
		{"input\tsource\n", "", "no column names", 1},
		{head + "a/b\t3\t-\t2026\n", "", "4 columns, and the first line has 5", 3},
		{head + "a/b\t3\t\t-\t2026\tme\n", "", "6 columns", 3},
		{head + "a/b\t-1\t-\t2026\tme\n", "input", `"-1" is no price`, 3},
		{head + "a/b\tfree\t-\t2026\tme\n", "input", `"free" is no price`, 3},
		{head + "a/b\t\t-\t2026\tme\n", "input", `"" is no price`, 3},
		{head + "a/b\t3\t200K\t2026\tme\n", "context_window", `"200K" is no number of tokens`, 3},
		{head + "a/b\t3\t0\t2026\tme\n", "context_window", `"0" is no number of tokens`, 3},
		{head + "a/b\t3\t99999999999999999999\t2026\tme\n", "context_window", "no number of tokens", 3},
		{head + "a/b\t3\t-\tlast week\tme\n", "as_of", `"last week" is no day`, 3},
		{head + "a/b\t3\t-\t2026-02-30\tme\n", "as_of", "is no day", 3},
		{head + "a/b\t3\t-\t2026\t \n", "source", "it is empty", 3},
		{head + " \t3\t-\t2026\tme\n", "names", "it is empty", 3},
		{head + "a/\t3\t-\t2026\tme\n", "names", `"a/" is no name`, 3},
		{head + "-\t3\t-\t2026\tme\n", "names", `"-" is no name`, 3},
		{head + "a/b\t3\t-\t2026\tme\n\n# again\na/c a/b\t3\t-\t2026\tme\n", "names", `"a/b" is there twice`, 6},
		{head + "a/b a/b\t3\t-\t2026\tme\n", "names", `"a/b" is there twice`, 3},
		{head + "a/DATE-b\t3\t-\t2026\tme\n", "names", "DATE not at its end", 3},
		{head + "a/bDATE\t3\t-\t2026\tme\n", "names", "DATE not at its end", 3},
		{head + "a/b\x1b[m\t3\t-\t2026\tme\n", "names", "control character", 3},
		{head + strings.Repeat("x", 2<<20), "", "more than 1048576 bytes", 3},
	} {
		_, err := prices.Load(strings.NewReader(tt.text))
		var field *prices.FieldError
		if !errors.As(err, &field) || field.Line != tt.line || field.Field != tt.field || !strings.Contains(err.Error(), tt.in) {
			t.Errorf("%.80q: %v; want line %d, %q, %s", tt.text, err, tt.line, tt.field, tt.in)
		}
	}
	if _, err := prices.Load(brokenReader{}); !errors.Is(err, errBroken) {
		t.Errorf("a reader's error became %v", err)
	}
}

var errBroken = errors.New("broken")

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errBroken }

// TestLoadLenient: the order of columns, the ends of lines and a byte order mark
// do not matter.
func TestLoadLenient(t *testing.T) {
	t.Parallel()
	table := load(t, "\ufeffsource\toutput\tnames\r\n\r\nme\t2.5\ta/b   a/c\r\n")
	p, ok := table.Find("a/c")
	if _, known := p.Input.USD(); !ok || p.Output.String() != "2.50" || p.Source != "me" || known {
		t.Errorf("%+v, %v", p, ok)
	}
}

func TestMerge(t *testing.T) {
	t.Parallel()
	base := load(t, "names\tinput\tcontext_window\tsource\na/one a/one-20250101 a/uno\t1\t100\tbase\na/two\t2\t-\tbase\nextractive\t0\t-\tbase\n")
	for _, tt := range []struct {
		name, over string
		want       map[string]string // the rows' input prices, "" for none
	}{
		{"its own name replaces all names", "a/one\t9\tme\n", map[string]string{"a/one": "9.00", "a/one-20250101": "9.00", "a/uno": "9.00", "a/two": "2.00"}},
		{"another name replaces itself", "a/uno\t9\tme\n", map[string]string{"a/one": "1.00", "a/one-20250101": "1.00", "a/uno": "9.00"}},
		{"two rows part a row", "a/one\t9\tme\na/uno\t8\tme\n", map[string]string{"a/one": "9.00", "a/one-20250101": "9.00", "a/uno": "8.00"}},
		{"any date", "a/one-DATE\t9\tme\n", map[string]string{"a/one": "1.00", "a/one-20250101": "9.00", "a/one-20260101": "9.00"}},
		{"unknown hides what was known", "a/one\t-\tme\n", map[string]string{"a/one": "-", "a/uno": "-"}},
		{"a new model", "b/three\t3\tme\n", map[string]string{"b/three": "3.00", "a/one": "1.00", "extractive": "0.00"}},
		{"nothing", "", map[string]string{"a/one": "1.00", "b/three": ""}},
	} {
		over := load(t, "names\tinput\tsource\n"+tt.over)
		merged := base.Merge(over)
		for name, want := range tt.want {
			p, ok := merged.Find(name)
			if got := p.Input.String(); ok != (want != "") || ok && got != want {
				t.Errorf("%s: %s costs %s, %v; want %q", tt.name, name, got, ok, want)
			}
			if ok && p.Source == "me" && p.ContextWindow != 0 {
				t.Errorf("%s: %s kept a limit of the row that was replaced", tt.name, name)
			}
		}
		seen := make(map[string]bool)
		for _, p := range merged.Rows() {
			for _, n := range p.Names {
				if seen[n] {
					t.Errorf("%s: %s is in two rows", tt.name, n)
				}
				seen[n] = true
			}
		}
		if p, _ := base.Find("a/one"); p.Input.String() != "1.00" || len(p.Names) != 3 {
			t.Errorf("%s: the base changed: %+v", tt.name, p)
		}
	}
}

// FuzzLoad: a file is read or refused with a line; what was read can be asked.
func FuzzLoad(f *testing.F) {
	f.Add("names\tinput\tsource\na/b a/b-DATE\t3.75\tme\n", "a/b-20250929")
	f.Add("# x\n\nnames\tsource\tas_of\tprompt_limit\na/b\tme\t2026-09\t5\n", "a/b")
	f.Fuzz(func(t *testing.T, text, name string) {
		table, err := prices.Load(strings.NewReader(text))
		if err != nil {
			var field *prices.FieldError
			if !errors.As(err, &field) || field.Line < 1 {
				t.Fatalf("%v names no line", err)
			}
			return
		}
		merged := prices.Default().Merge(table)
		for _, p := range table.Rows() {
			for _, n := range p.Names {
				if _, ok := merged.Find(n); !ok {
					t.Errorf("%q is lost", n)
				}
			}
			usd, known := p.Cost(&model.Usage{InputTokens: math.MaxInt64, OutputTokens: math.MaxInt64, CacheWriteTokens: 3})
			if usd < 0 || math.IsNaN(usd) || math.IsInf(usd, 0) || !known && usd != 0 {
				t.Errorf("a cost of %v, %v", usd, known)
			}
		}
		merged.Find(name)
	})
}
