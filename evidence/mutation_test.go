package evidence

import (
	"encoding/json"
	"html"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/unicode/norm"

	"github.com/quarry-sdk/quarry/internal/sharedtest"
)

// page is a real text.
type page struct{ name, text string }

// sharedPages reads texts in several languages and scripts, or skips the test.
func sharedPages(t *testing.T) []page {
	t.Helper()
	root := sharedtest.Path(t, "pages")
	read := func(path ...string) []byte {
		b, err := os.ReadFile(filepath.Join(append([]string{root}, path...)...))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	var pages []page
	var articles map[string]struct{ ArticleBody string }
	if err := json.Unmarshal(read("article-extraction-benchmark", "ground-truth.json"), &articles); err != nil {
		t.Fatal(err)
	}
	ids := make([]string, 0, len(articles))
	for id := range articles {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids[:12] {
		pages = append(pages, page{id[:8], articles[id].ArticleBody})
	}
	samples := []struct {
		file string
		enc  encoding.Encoding
	}{
		{"sample-arabic-1.txt", charmap.Windows1256},
		{"sample-chinese.txt", traditionalchinese.Big5},
		{"sample-french-1.txt", charmap.Windows1252},
		{"sample-greek.txt", charmap.Windows1253},
		{"sample-hebrew-2.txt", charmap.Windows1255},
		{"sample-korean.txt", korean.EUCKR},
		{"sample-russian.txt", charmap.MacintoshCyrillic},
		{"sample-turkish.txt", charmap.Windows1254},
	}
	for _, s := range samples {
		b, err := s.enc.NewDecoder().Bytes(read("charset", "text", s.file))
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, page{s.file, string(b)})
	}
	tags := regexp.MustCompile(`(?s)<[^>]*>`)
	for _, name := range []string{"gmw", "hukumusume", "la-nacion", "lemonde-1", "heise", "rtl-1", "wikipedia", "ietf-1"} {
		markup := string(read("readability", name, "expected.html"))
		pages = append(pages, page{name, html.UnescapeString(tags.ReplaceAllString(markup, ""))})
	}
	return pages
}

// draw draws up to n stretches of 30 to 150 bytes that a careful reader would quote: they start and end with letters, at
// words, and no digit or sign is near their ends.
func draw(rnd *rand.Rand, text string, n int) []Span {
	var spans []Span
	for tries := 0; tries < 40*n && len(spans) < n; tries++ {
		s := Span{Start: rnd.IntN(len(text)), End: 0}
		s.End = s.Start + 30 + rnd.IntN(120)
		if s.End < len(text) && quotable(text, s.Start) && quotable(text, s.End) {
			q := strings.TrimLeftFunc(text[s.Start:s.End], unicode.IsSpace)
			s.Start = s.End - len(q)
			s.End = s.Start + len(strings.TrimRightFunc(q, unicode.IsSpace))
			if s.End-s.Start > 25 && len(units(text[s.Start:s.End])) > 3 {
				spans = append(spans, s)
			}
		}
	}
	return spans
}

// quotable reports whether a quote can start and end at i beyond doubt: between a blank and a letter, or between two
// letters of a script without blanks, none of them a numeral.
func quotable(text string, i int) bool {
	if !utf8.RuneStart(text[i]) {
		return false
	}
	l, n := utf8.DecodeLastRuneInString(text[:i])
	if l2, _ := utf8.DecodeLastRuneInString(text[:i-n]); l2 == '-' {
		return false
	}
	r, _ := utf8.DecodeRuneInString(text[i:])
	letter := func(r rune) bool { return unicode.IsLetter(r) && !hanNumeral(r) }
	switch {
	case unicode.In(l, unicode.Han, unicode.Hiragana) && unicode.In(r, unicode.Han, unicode.Hiragana):
		return letter(l) && letter(r)
	case unicode.IsSpace(l):
		before, _ := utf8.DecodeLastRuneInString(strings.TrimRightFunc(text[:i], unicode.IsSpace))
		return letter(r) && (letter(before) || before == '.' || before == ',')
	case unicode.IsSpace(r):
		after, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(text[i:], unicode.IsSpace))
		return letter(l) && letter(after)
	}
	return false
}

// change changes a string; it returns the same string if it cannot.
type change struct {
	name string
	f    func(rnd *rand.Rand, q string) string
}

// forgiven are changes that the declared normalisation undoes. They may befall the quote as well as the text.
var forgiven = []change{
	{"none", func(_ *rand.Rand, q string) string { return q }},
	{"NFD", func(_ *rand.Rand, q string) string { return norm.NFD.String(q) }},
	{"NFC", func(_ *rand.Rand, q string) string { return norm.NFC.String(q) }},
	{"no-break space", func(_ *rand.Rand, q string) string { return strings.ReplaceAll(q, " ", "\u00a0") }},
	{"lines", func(_ *rand.Rand, q string) string {
		return strings.Join(strings.FieldsFunc(q, unicode.IsSpace), "\r\n  ")
	}},
	{"typographic quotes", func(_ *rand.Rand, q string) string { return strings.NewReplacer("'", "’", `"`, "“").Replace(q) }},
	{"plain quotes", func(_ *rand.Rand, q string) string {
		return strings.NewReplacer("’", "'", "‘", "'", "“", `"`, "”", `"`, "«", `"`, "»", `"`).Replace(q)
	}},
	{"plain dashes", func(_ *rand.Rand, q string) string {
		return strings.NewReplacer("–", "-", "—", "-", "−", "-").Replace(q)
	}},
	{"soft hyphen", func(rnd *rand.Rand, q string) string { return between(rnd, q, "\u00ad", unicode.IsLetter) }},
	{"zero-width space", func(rnd *rand.Rand, q string) string { return between(rnd, q, "\u200b", unicode.IsLetter) }},
	{"word joiner", func(rnd *rand.Rand, q string) string { return between(rnd, q, "\u2060", unicode.IsLetter) }},
	{"directional mark", func(_ *rand.Rand, q string) string { return strings.ReplaceAll(q, " ", " \u200f") }},
}

// brokenLines are changes that are forgiven in the text only.
var brokenLines = []change{
	{"hyphen at a line break", func(rnd *rand.Rand, q string) string { return between(rnd, q, "-\n", spacedLetter) }},
	{"soft hyphen at a line break", func(rnd *rand.Rand, q string) string { return between(rnd, q, "\u00ad\n", spacedLetter) }},
	{"hyphen of the author at a line break", func(_ *rand.Rand, q string) string {
		return regexp.MustCompile(`([a-zа-яα-ω])-([a-zа-яα-ω])`).ReplaceAllString(q, "$1-\n$2")
	}},
}

func spacedLetter(r rune) bool { return unicode.IsLetter(r) && !unspaced(r) }

// between inserts s between two characters for which ok holds.
func between(rnd *rand.Rand, q, s string, ok func(rune) bool) string {
	rs := []rune(q)
	for range 50 {
		if i := 1 + rnd.IntN(len(rs)-1); ok(rs[i-1]) && ok(rs[i]) {
			return string(rs[:i]) + s + string(rs[i:])
		}
	}
	return q
}

// forgeries are changes that make a quote say what the text does not say.
var forgeries = []change{
	{"digit changed", func(_ *rand.Rand, q string) string {
		return mapFirst(q, unicode.IsDigit, func(r rune) string { return string('0' + (r-'0'+1)%10) })
	}},
	{"digit dropped", func(_ *rand.Rand, q string) string {
		return mapFirst(q, unicode.IsDigit, func(rune) string { return "" })
	}},
	{"sign added", func(_ *rand.Rand, q string) string {
		return mapFirst(q, unicode.IsDigit, func(r rune) string { return "-" + string(r) })
	}},
	{"percent added", func(_ *rand.Rand, q string) string {
		return mapFirst(q, unicode.IsDigit, func(r rune) string { return string(r) + "%" })
	}},
	{"word dropped", func(rnd *rand.Rand, q string) string {
		w := units(q)
		i := 1 + rnd.IntN(len(w)-2)
		return strings.Join(slices.Delete(w, i, i+1), "")
	}},
	{"words swapped", func(rnd *rand.Rand, q string) string {
		w := units(q)
		i := rnd.IntN(len(w) - 1)
		w[i], w[i+1] = w[i+1], w[i]
		return strings.Join(w, "")
	}},
	{"negation added", func(rnd *rand.Rand, q string) string {
		w := units(q)
		i := 1 + rnd.IntN(len(w)-2)
		not := "not "
		if strings.IndexFunc(q, unspaced) >= 0 {
			not = "不"
		}
		return strings.Join(slices.Insert(w, i, not), "")
	}},
	{"ellipsis for words", func(rnd *rand.Rand, q string) string {
		w := units(q)
		w[1+rnd.IntN(len(w)-2)] = "… "
		return strings.Join(w, "")
	}},
	{"dots for words", func(rnd *rand.Rand, q string) string {
		w := units(q)
		w[1+rnd.IntN(len(w)-2)] = "... "
		return strings.Join(w, "")
	}},
	{"ellipsis at the end", func(_ *rand.Rand, q string) string { return q + "…" }},
	{"cut in the first word", func(_ *rand.Rand, q string) string {
		rs := []rune(q)
		if spacedLetter(rs[0]) && spacedWord(rs[1]) {
			return string(rs[1:])
		}
		return q
	}},
	{"cut in the last word", func(_ *rand.Rand, q string) string {
		rs := []rune(norm.NFC.String(q))
		if n := len(rs); spacedWord(rs[n-1]) && spacedWord(rs[n-2]) {
			return string(rs[:n-1])
		}
		return q
	}},
	{"letter case", func(_ *rand.Rand, q string) string {
		other := func(r rune) rune {
			if unicode.IsUpper(r) {
				return unicode.ToLower(r)
			}
			return unicode.ToUpper(r)
		}
		return mapFirst(q, func(r rune) bool { return other(r) != r }, func(r rune) string { return string(other(r)) })
	}},
	{"homoglyph", func(_ *rand.Rand, q string) string {
		twin := map[rune]rune{'a': 'а', 'e': 'е', 'o': 'о', 'а': 'a', 'е': 'e', 'о': 'o', 'ο': 'o', 'ι': 'i'}
		return mapFirst(q, func(r rune) bool { return twin[r] != 0 }, func(r rune) string { return string(twin[r]) })
	}},
	{"accents lost", func(_ *rand.Rand, q string) string {
		return norm.NFC.String(strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Mn, r) {
				return -1
			}
			return r
		}, norm.NFD.String(q)))
	}},
	{"letters only", func(_ *rand.Rand, q string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsPunct(r) {
				return -1
			}
			return r
		}, q)
	}},
	{"blank lost", func(_ *rand.Rand, q string) string {
		return mapFirst(q, unicode.IsSpace, func(rune) string { return "" })
	}},
	{"wrapped in marks", func(_ *rand.Rand, q string) string { return "“" + q + "”" }},
	{"letter doubled", func(rnd *rand.Rand, q string) string {
		rs := []rune(q)
		i := 1 + rnd.IntN(len(rs)-2)
		if !unicode.IsLetter(rs[i]) {
			return q
		}
		return string(slices.Insert(rs, i, rs[i]))
	}},
}

// mapFirst replaces the first character for which ok holds.
func mapFirst(q string, ok func(rune) bool, f func(rune) string) string {
	i := strings.IndexFunc(q, ok)
	if i < 0 {
		return q
	}
	r, n := utf8.DecodeRuneInString(q[i:])
	return q[:i] + f(r) + q[i+n:]
}

// units splits q into words with their blanks, or into characters where the script has no blanks.
func units(q string) []string {
	if strings.IndexFunc(q, unspaced) >= 0 {
		return strings.Split(q, "")
	}
	var w []string
	for _, f := range strings.Fields(q) {
		w = append(w, f+" ")
	}
	if len(w) > 0 {
		w[len(w)-1] = strings.TrimSpace(w[len(w)-1])
	}
	return w
}

// TestMutations shows on real pages in several scripts that true quotes are found, after every forgiven change of quote or
// text, and that no forgery is.
func TestMutations(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(7, 11))
	quotes, kept, forged := 0, 0, 0
	perForgery := map[string]int{}
	for _, p := range sharedPages(t) {
		prepared := NewText(p.text)
		spans := draw(rnd, p.text, 25)
		if len(spans) < 5 {
			t.Errorf("%s: only %d quotes drawn", p.name, len(spans))
		}
		plainPage := Normalize(p.text)
		for _, s := range spans {
			q := p.text[s.Start:s.End]
			quotes++
			for _, c := range forgiven {
				changed := c.f(rnd, q)
				if changed == q && c.name != "none" {
					continue
				}
				kept++
				got := prepared.Locate(changed)
				if !slices.ContainsFunc(got, func(g Span) bool { return overlaps(g, s) }) {
					t.Errorf("%s: %s in the quote: %q not found at %v but %v: %v", p.name, c.name, changed, s, got, prepared.Explain(changed))
				}
				checkSpans(t, p.text, changed, got)
			}
			for _, c := range slices.Concat(forgiven, brokenLines) {
				changed := c.f(rnd, q)
				if changed == q {
					continue
				}
				kept++
				text := p.text[:s.Start] + changed + p.text[s.End:]
				got := Locate(text, q)
				if !slices.ContainsFunc(got, func(g Span) bool { return overlaps(g, Span{s.Start, s.Start + len(changed)}) }) {
					t.Errorf("%s: %s in the text: %q not found in %q, but at %v", p.name, c.name, q, changed, got)
				}
				checkSpans(t, text, q, got)
			}
			for _, c := range forgeries {
				changed := c.f(rnd, q)
				// A forgery that happens to be the same words, or stands elsewhere on the page, is none. A cut one does stand there.
				if Normalize(changed) == Normalize(q) || !strings.HasPrefix(c.name, "cut") && strings.Contains(plainPage, Normalize(changed)) {
					continue
				}
				forged++
				perForgery[c.name]++
				if got := prepared.Locate(changed); got != nil {
					t.Errorf("%s: %s: %q found at %v, the text has %q", p.name, c.name, changed, got, q)
				}
				e := prepared.Explain(changed)
				if e.Reason == ReasonFound || e.Passage == "" {
					t.Errorf("%s: %s: %q explained as %+v", p.name, c.name, changed, e)
				} else if prepared.Locate(e.Passage) == nil {
					t.Errorf("%s: %s: the passage offered cannot be quoted: %q", p.name, c.name, e.Passage)
				}
			}
		}
	}
	if quotes < 300 {
		t.Errorf("%d quotes, want 300 or more", quotes)
	}
	for _, c := range forgeries {
		if perForgery[c.name] < 10 {
			t.Errorf("forgery %q tried only %d times", c.name, perForgery[c.name])
		}
	}
	t.Logf("%d true quotes, %d forgiven changes found, %d forgeries refused: %v", quotes, kept, forged, perForgery)
}

func overlaps(a, b Span) bool { return a.Start < b.End && b.Start < a.End }
