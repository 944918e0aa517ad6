package evidence

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// values writes the facts of s, each as its kind and its values.
func values(s string) []string {
	var out []string
	for _, f := range Facts(s) {
		out = append(out, string(f.Kind)+" "+strings.Join(f.Values, " or "))
	}
	return out
}

func TestFactsValues(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want []string
	}{
		{"it had 1,234,567.8 of them", []string{"number 1234567.8"}},
		{"1.234.567,8", []string{"number 1234567.8"}},
		{"1 234 567,8", []string{"number 1234567.8"}},
		{"1\u00a0234\u202f567,8", []string{"number 1234567.8"}},
		{"1'234", []string{"number 1234"}},
		{"12,34,567", []string{"number 1234567"}},
		{"the rate was 1.234 and 1,234", []string{"number 1.234", "number 1234"}},
		{"der Wert ist 1.234 und nicht 1,234", []string{"number 1234", "negation not", "number 1.234"}},
		{"la valeur est de 1,5", []string{"number 1.5"}},
		{"١٢٣ १२३ １２３", []string{"number 123", "number 123", "number 123"}},
		{"-5 and −5 and 10-5", []string{"number -5", "number -5", "number 10..5"}},
		{"minus 5", []string{"number -5"}},
		{"5k 5K 3m 3mn 2bn", []string{"number 5000", "number 5000", "number 3 m or 3000000", "number 3000000", "number 2000000000"}},
		{"3,5 Mio. und 2 Mrd. für die Stadt", []string{"number 3500000", "number 2000000000"}},
		{"1,500 crore and 2 lakh", []string{"number 15000000000", "number 200000"}},
		{"three million, twenty-five, a dozen", []string{"number 3000000", "number 25", "number 12"}},
		{"two and a half million", []string{"number 2500000"}},
		{"one day one of them said one hundred and one", []string{"number 1 day", "number 101"}},
		{"half a million; two-thirds; 1/3", []string{"number 500000", "number 2/3", "number 1/3"}},
		{"3½ years", []string{"number 3.5 year"}},
		{"the 3rd and the twenty-first", []string{"ordinal 3", "ordinal 21"}},
		{"三百万 一亿二千万 两万五千", []string{"number 3000000", "number 120000000", "number 25000"}},
		{"百分之十五，第三，三分之一", []string{"percentage 15 %", "ordinal 3", "number 1/3"}},
		{"3.5亿美元，120元，三个人", []string{"money 350000000 USD", "money 120 CNY", "number 3"}},
		{"一个人一直在一起", nil},
		{"10–20 km, between 10 and 20, 10 to 20", []string{"number 10..20 km", "number 10..20", "number 10..20"}},
		{"15%, 15 percent, 15 per cent, 2 percentage points", []string{"percentage 15 %", "percentage 15 %", "percentage 15 %", "percentage 2 pp"}},
		{"$5, US$5m, 5 dollars, A$5, C$5, HK$5", []string{"money 5 USD", "money 5000000 USD", "money 5 USD", "money 5 AUD", "money 5 CAD", "money 5 HKD"}},
		{"€3.5bn, 3,5 Milliarden Euro für das Jahr, ¥100", []string{"money 3500000000 EUR", "money 3500000000 EUR", "money 100 CNY or 100 JPY"}},
		{"17 May 2019, May 17, 2019, 2019-05-17, 17.05.2019, 17/05/2019", slices.Repeat([]string{"date 2019-05-17"}, 5)},
		{"05/06/2019", []string{"date 2019-06-05 or 2019-05-06"}},
		{"17. Mai 2019, 17 mai 2019, 17 de mayo de 2019, 17 maggio 2019, 17 de maio de 2019, 17 mei 2019, 17 мая 2019", slices.Repeat([]string{"date 2019-05-17"}, 7)},
		{"2019年5月17日，5月17日，二〇一九年五月", []string{"date 2019-05-17", "date --05-17", "date 2019-05"}},
		{"May 2019, in May, since 2019, 2015–2018", []string{"date 2019-05", "date --05", "date 2019", "date 2015", "date 2018"}},
		{"the 1990s, Q3 2019, the third quarter of 2019", []string{"date 1990s", "date 2019-Q3", "date 2019-Q3"}},
		{"Then Jane Smith of the University of Oslo met Apple CEO Tim Cook's team.", []string{"name Jane Smith", "name University of Oslo", "name Apple", "name Tim Cook"}},
		{"Revenue grew. Nobody left.", []string{"negation not"}},
		{"the COVID-19 vaccine, GPT-4, the iPhone and the A350", []string{"name COVID-19", "name GPT-4", "name iPhone", "name A350"}},
		{"Der Vorstand der Firma sprach mit Angela Merkel und der EZB über das Haus.", []string{"name Angela Merkel", "name EZB"}},
		{"张伟表示，《红楼梦》由北京大学出版。", []string{"name 张伟", "name 红楼梦", "name 北京", "name 北京大学"}},
		{"not only that; No. 5; he can't, cannot, won't", []string{"number 5", "negation not", "negation not", "negation not"}},
		{"no longer, former, may, reportedly, about 5, at least 5, up to 5, plans to go", []string{
			"negation ended", "negation ended", "hedge possible", "hedge reported", "hedge about", "number 5", "hedge at least", "number 5", "hedge at most", "number 5", "hedge planned"}},
		{"不仅如此，非常好，未来", nil},
		{"没有，不，据称，预计，可能，不再", []string{"negation not", "negation not", "hedge reported", "hedge planned", "hedge possible", "negation ended"}},
	}
	for _, test := range tests {
		got := values(test.text)
		if strings.HasPrefix(test.text, "张伟") { // the place may stand in the organisation
			got = slices.DeleteFunc(got, func(s string) bool { return s == "name 北京" })
			test.want = slices.DeleteFunc(test.want, func(s string) bool { return s == "name 北京" })
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.text, diff)
		}
	}
}

func TestCompareKnownNames(t *testing.T) {
	t.Parallel()
	claim, quote := "Jane Smith was born in Leeds in 1970.", "She was born in Leeds in 1970."
	if c := Compare(claim, quote, CompareOptions{}); len(c.Missing) != 1 || c.Missing[0].Fact.Text != "Jane Smith" {
		t.Errorf("without known names: %+v", c)
	}
	for _, known := range []string{"Jane Smith", "Jane A. Smith", "Smith"} {
		if c := Compare(claim, quote, CompareOptions{Known: []string{known}}); !c.OK() {
			t.Errorf("with %s known: %s", known, c)
		}
	}
	if c := Compare(claim, quote, CompareOptions{Known: []string{"Jane Jones"}}); c.OK() {
		t.Error("another name is enough")
	}
}

// TestFactsTime holds the time of hostile input: it grows with the length, and no input makes a function panic.
func TestFactsTime(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"1", "1,", "1.", "1 ", "9亿", "一", "万", "no ", "not ", "about 5 ", "A ", "A. ", "Ab-", "$", "-", "May ", "1-", "1/", "《", "非", "5月", "five hundred ", "van ", "Bank of the ", "'", "\u00ad", "\xff", "张", "公司", "1 to "} {
		s := strings.Repeat(unit, 20000/len(unit))
		t.Logf("%q", unit)
		start := time.Now()
		c := Compare(s, s, CompareOptions{})
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%q repeated takes %v", unit, took)
		}
		if !c.OK() {
			t.Errorf("%q repeated: %.200s", unit, c)
		}
	}
}

func FuzzFacts(f *testing.F) {
	for _, s := range []string{"On 17 May 2019 it was -5.5 °C, about $1.2bn", "三百万人，第3，《书》没有", "1.2.3,4 '90s 10–20 km/h", "no longer A. B. van C's", "\xff1\xe4"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		last := 0
		for _, x := range Facts(s) {
			b := x.Bytes
			if b.Start < last || b.End <= b.Start || b.End > len(s) || x.Text != s[b.Start:b.End] || len(x.Values) == 0 {
				t.Fatalf("%q: %+v", s, x)
			}
			if !utf8.RuneStart(s[b.Start]) && utf8.ValidString(s) || b.End < len(s) && !utf8.RuneStart(s[b.End]) && utf8.ValidString(s) {
				t.Fatalf("%q: a fact is cut inside a character: %+v", s, x)
			}
			last = b.Start
		}
	})
}

func FuzzCompare(f *testing.F) {
	for _, p := range [][2]string{{"It rose 5% in May.", "It may not rise by 5 percent in May 2019."}, {"张伟没有500元", "张伟有约500元"}, {"A sued B", "B sued A"}} {
		f.Add(p[0], p[1])
	}
	f.Fuzz(func(t *testing.T, claim, quote string) {
		if c := Compare(claim, claim, CompareOptions{}); !c.OK() {
			t.Fatalf("%q with itself: %s", claim, c)
		}
		c := Compare(claim, quote, CompareOptions{Known: []string{"Known Name"}})
		if utf8.ValidString(claim) && utf8.ValidString(quote) && !utf8.ValidString(c.String()) {
			t.Fatalf("%q, %q: %q", claim, quote, c)
		}
	})
}

// BenchmarkFacts reads the facts of real sentences, one in each round.
func BenchmarkFacts(b *testing.B) {
	english, chinese := sharedSentences(b)
	sentences := slices.Concat(english, chinese)
	b.ReportAllocs()
	i, n := 0, 0
	for b.Loop() {
		n += len(Facts(sentences[i%len(sentences)]))
		i++
	}
	if i > 1000 && n < i {
		b.Fatalf("%d facts in %d sentences", n, i)
	}
	b.ReportMetric(float64(i)/b.Elapsed().Seconds(), "sentences/s")
}

// BenchmarkCompare compares real sentences with themselves, one in each round.
func BenchmarkCompare(b *testing.B) {
	english, chinese := sharedSentences(b)
	sentences := slices.Concat(english, chinese)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if s := sentences[i%len(sentences)]; !Compare(s, s, CompareOptions{}).OK() {
			b.Fatal(s)
		}
		i++
	}
	b.ReportMetric(float64(i)/b.Elapsed().Seconds(), "sentences/s")
}
