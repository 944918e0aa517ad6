package evidence

import (
	"encoding/json"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestSelect(t *testing.T) {
	t.Parallel()
	text := "Père Noël said:\u00a0“Profit rose 12.5 % – a re-\ncord.” 利润增长。"
	page := NewText(text)
	got := page.Select(page.Locate("Profit rose 12.5 % - a record.")[0])
	b, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"bytes":{"start":22,"end":56},` +
		`"position":{"type":"TextPositionSelector","start":17,"end":49},` +
		`"quote":{"type":"TextQuoteSelector","exact":"Profit rose 12.5 % - a re- cord.","prefix":"Père Noël said: \"","suffix":"\" 利润增长。"}}`
	if string(b) != want {
		t.Errorf("got  %s\nwant %s", b, want)
	}
	if s, ok := got.Position.Span(text); !ok || s != got.Bytes {
		t.Errorf("the position stands for %v, %v", s, ok)
	}
	for _, p := range []TextPositionSelector{{Start: -1}, {Start: 2, End: 1}, {Start: 0, End: 1000}} {
		if s, ok := p.Span(text); ok {
			t.Errorf("%v stands for %v", p, s)
		}
	}
	for _, s := range []Span{{-5, 3}, {2, 1}, {1, 2}, {0, 10000}} { // outside, turned round, inside a character
		page.Select(s)
		page.TextFragment("https://example.org/", s)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	text := "In Oslo the fee is 5 euros a day. In Bergen the fee is 5 euros a day. In Bodø the fee is 5 euros a day."
	page := NewText(text)
	for i, s := range page.Locate("the fee is 5 euros a day.") {
		q := page.Select(s).Quote
		got := page.Find(q)
		if len(got) != 1 || got[0] != s {
			t.Errorf("place %d: %v, want %v", i, got, s)
		}
		later := NewText("A new paragraph says: the fee is 5 euros a day.\n\n" + text)
		got = later.Find(q)
		if len(got) != 1 || got[0].Start != s.Start+49 {
			t.Errorf("place %d of the longer text: %v", i, got)
		}
		q.Exact = "the fee is 6 euros a day."
		if got := page.Find(q); got != nil {
			t.Errorf("other words are found at %v", got)
		}
	}
	if got := page.Find(TextQuoteSelector{Exact: "the fee is 5 euros a day."}); len(got) != 3 {
		t.Errorf("without context %v, want all three", got)
	}
}

func TestTextFragment(t *testing.T) {
	t.Parallel()
	long := "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty twenty-one"
	tests := []struct{ text, quote, page, want string }{
		{"A plain text.", "plain text", "https://e.org/a?b=c", "https://e.org/a?b=c#:~:text=plain%20text"},
		{"A plain text.", "plain text", "https://e.org/#top", "https://e.org/#top:~:text=plain%20text"},
		{"A plain text.", "plain text", "https://e.org/#top:~:text=old", "https://e.org/#top:~:text=plain%20text"},
		{"a well-known, q&a café", "well-known, q&a café", "p", "p#:~:text=well%2Dknown%2C%20q%26a%20caf%C3%A9"},
		{"Alpha beta. Gamma BETA.", "BETA", "p", "p#:~:text=Alpha%20beta.%20Gamma-,BETA"},
		{"First line\nsecond line here", "First line second line", "p", "p#:~:text=First%20line,second%20line"},
		{"Head\n" + long + ".", long, "p", "p#:~:text=one%20two%20three%20four,eighteen%20nineteen%20twenty%20twenty%2Done"},
		{"她在2019年加入公司。", "2019年加入", "p", "p#:~:text=2019%E5%B9%B4%E5%8A%A0%E5%85%A5"},
	}
	for _, test := range tests {
		page := NewText(test.text)
		spans := page.Locate(test.quote)
		if len(spans) == 0 {
			t.Errorf("%q is not found", test.quote)
			continue
		}
		if got := page.TextFragment(test.page, spans[0]); got != test.want {
			t.Errorf("%q in %q:\ngot  %s\nwant %s", test.quote, test.text, got, test.want)
		}
	}
	if got := NewText("a  b").TextFragment("p", Span{1, 3}); got != "p" {
		t.Errorf("a blank has the fragment %s", got)
	}
}

// TestSelectorsOnPages finds real quotes again by their selectors, and by their fragments as a browser would.
func TestSelectorsOnPages(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 5))
	tried, unique := 0, 0
	for _, p := range sharedPages(t) {
		page := NewText(p.text)
		later := NewText("New words. " + p.text)
		for _, drawn := range draw(rnd, p.text, 10) {
			quote := p.text[drawn.Start:drawn.End]
			for _, s := range page.Locate(quote) {
				tried++
				sel := page.Select(s)
				if back, ok := sel.Position.Span(p.text); !ok || back != s {
					t.Errorf("%s: %q at %v, by its position %v", p.name, quote, s, back)
				}
				got := later.Find(sel.Quote)
				if len(got) == 0 || len(page.Locate(quote)) == 1 && got[0].Start != s.Start+11 {
					t.Errorf("%s: %q at %v found again at %v", p.name, quote, s, got)
				}
				opened := open(p.text, page.TextFragment("https://e.org/", s))
				if opened == plain(quote) {
					unique++
				} else {
					t.Logf("%s: %q opens %q by %s", p.name, quote, opened, page.TextFragment("", s))
				}
			}
		}
	}
	if tried < 150 || unique*100 < tried*99 {
		t.Errorf("%d of %d fragments open their quote", unique, tried)
	}
	t.Logf("%d quotes, %d opened by their fragment", tried, unique)
}

// plain is a text as the tests of fragments compare it.
func plain(s string) string { return strings.Join(strings.Fields(strings.ToLower(s)), " ") }

// open follows a fragment step by step, as the draft has it, with none of the code under test: the text it marks.
func open(text, address string) string {
	_, list, ok := strings.Cut(address, "#:~:text=")
	if !ok {
		return ""
	}
	parts := strings.Split(list, ",")
	var prefix, start, end, suffix string
	decode := func(s string) string {
		out, err := url.PathUnescape(s)
		if err != nil {
			return "\x00"
		}
		return plain(out)
	}
	if p, ok := strings.CutSuffix(parts[0], "-"); ok {
		prefix, parts = decode(p), parts[1:]
	}
	if p, ok := strings.CutPrefix(parts[len(parts)-1], "-"); ok {
		suffix, parts = decode(p), parts[:len(parts)-1]
	}
	if start = decode(parts[0]); len(parts) == 2 {
		end = decode(parts[1])
	}
	for _, part := range []string{prefix, start, end, suffix} {
		if !slices.ContainsFunc(strings.Split(text, "\n"), func(line string) bool { return strings.Contains(plain(line), part) }) {
			return "a part crosses blocks: " + part
		}
	}
	s := plain(text)
	whole := func(i int) bool {
		l, _ := utf8.DecodeLastRuneInString(s[:i])
		r, _ := utf8.DecodeRuneInString(s[i:])
		letter := func(r rune) bool {
			return (unicode.IsLetter(r) || unicode.IsDigit(r)) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
		}
		return !(letter(l) && letter(r))
	}
	for i := range s {
		if !strings.HasPrefix(s[i:], start) || !whole(i) || !whole(i+len(start)) || !strings.HasSuffix(strings.TrimSpace(s[:i]), prefix) {
			continue
		}
		for j := i + len(start); j <= len(s); j++ {
			if end != "" && !(j-len(end) >= i+len(start) && strings.HasSuffix(s[:j], end)) {
				continue
			}
			if strings.HasPrefix(strings.TrimSpace(s[j:]), suffix) && whole(j) {
				return s[i:j]
			}
			if end == "" {
				break
			}
		}
	}
	return ""
}
