package evidence

import (
	"encoding/json"
	"html"
	"maps"
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
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
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
	for _, id := range ids[:16] {
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
	tags := regexp.MustCompile(`(?s)<script.*?</script>|<style.*?</style>|<[^>]*>`)
	for _, s := range []struct {
		file string
		enc  encoding.Encoding
	}{
		{"euc_kr.html", korean.EUCKR}, {"shift_jis.html", japanese.ShiftJIS}, {"gb18030.html", simplifiedchinese.GB18030}, {"big5.html", traditionalchinese.Big5},
	} {
		b, err := s.enc.NewDecoder().Bytes(read("charset", "pages", s.file))
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, page{s.file, html.UnescapeString(tags.ReplaceAllString(string(b), ""))})
	}
	for _, name := range []string{"nhk.or.jp.k100.html", "xinhuanet.com.c_1125597921.html", "rp.pl-unijne-fundusze.html"} {
		b := read("trafilatura", "html", name)
		if !utf8.Valid(b) {
			b, _ = charmap.Windows1250.NewDecoder().Bytes(b)
		}
		pages = append(pages, page{name, html.UnescapeString(tags.ReplaceAllString(string(b), ""))})
	}
	for _, name := range []string{"pdf.js/tracemonkey_a11y.txt", "sample-files/pdflatex-4-pages.txt", "sample-files/multicolumn.txt", "sample-files/GeoTopo-komprimiert.txt"} {
		text := string(read("pdf", "pdftotext-reference", filepath.FromSlash(name)))
		pages = append(pages, page{name, text[:min(len(text), 40000)]})
	}
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
	{"decimal point moved", func(_ *rand.Rand, q string) string {
		if changed := regexp.MustCompile(`(\d)([.,])(\d)`).ReplaceAllString(q, "$1$3$2"); changed != q {
			return changed
		}
		return regexp.MustCompile(`(\d)(\d)`).ReplaceAllString(q, "$1.$2")
	}},
	{"year changed", func(_ *rand.Rand, q string) string {
		return regexp.MustCompile(`(1[5-9]|20)(\d)(\d)`).ReplaceAllStringFunc(q, func(y string) string { return y[:3] + string('0'+(y[3]-'0'+1)%10) })
	}},
	{"percentage changed", func(_ *rand.Rand, q string) string {
		return regexp.MustCompile(`\s*(?:%|per ?cent|Prozent|％)`).ReplaceAllString(q, " percentage points")
	}},
	{"unit changed", func(rnd *rand.Rand, q string) string {
		unit := []string{" km", " kg", "€", " million"}[rnd.IntN(4)]
		return regexp.MustCompile(`(\d)(\s?)(\p{L}+|%|°)`).ReplaceAllString(q, "$1"+unit)
	}},
	{"digits removed", func(_ *rand.Rand, q string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsDigit(r) {
				return -1
			}
			return r
		}, q)
	}},
	{"negation dropped", func(_ *rand.Rand, q string) string {
		return regexp.MustCompile(`\b(?:not|no|never|nicht|kein|keine|non|pas|ne|не|нет|δεν|değil|nie) |n['’]t\b|不|没|未|ない|않|לא |لا |لم |ليس `).ReplaceAllString(q, "")
	}},
	{"names swapped", func(rnd *rand.Rand, q string) string {
		capitals := regexp.MustCompile(`\p{Lu}\p{Ll}+`).FindAllStringIndex(q, -1)
		if len(capitals) < 2 {
			w := units(q)
			i, j := rnd.IntN(len(w)), rnd.IntN(len(w))
			w[i], w[j] = w[j], w[i]
			return strings.Join(w, "")
		}
		a, b := capitals[0], capitals[len(capitals)-1]
		return q[:a[0]] + q[b[0]:b[1]] + q[a[1]:b[0]] + q[a[0]:a[1]] + q[b[1]:]
	}},
	{"word added", func(rnd *rand.Rand, q string) string {
		w := units(q)
		return strings.Join(slices.Insert(w, 1+rnd.IntN(len(w)-1), w[rnd.IntN(len(w))]), "")
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

// scriptOf names the script of most letters of q.
func scriptOf(q string) string {
	counts := map[string]int{}
	for _, r := range q {
		switch {
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			counts["Japanese"] += 3
		case unicode.Is(unicode.Han, r):
			counts["Chinese"]++
		case unicode.Is(unicode.Hangul, r):
			counts["Korean"] += 3
		case unicode.Is(unicode.Arabic, r):
			counts["Arabic"]++
		case unicode.Is(unicode.Hebrew, r):
			counts["Hebrew"]++
		case unicode.Is(unicode.Cyrillic, r):
			counts["Cyrillic"]++
		case unicode.Is(unicode.Greek, r):
			counts["Greek"]++
		case r < utf8.RuneSelf && unicode.IsLetter(r):
			counts["Latin"]++
		}
	}
	best := "Latin"
	for s, n := range counts {
		if n > counts[best] || n == counts[best] && s < best {
			best = s
		}
	}
	if best == "Latin" && strings.IndexFunc(norm.NFC.String(q), func(r rune) bool { return r >= 0xC0 && unicode.Is(unicode.Latin, r) }) >= 0 {
		return "Latin with accents"
	}
	return best
}

// TestMutations shows on real texts in several scripts that true quotes are found, after every forgiven change of quote or text, and
// that no forgery is.
func TestMutations(t *testing.T) {
	t.Parallel()
	perPage := 45
	if raceEnabled {
		perPage = 6
	}
	rnd := rand.New(rand.NewPCG(7, 11))
	pages := sharedPages(t)
	m := mutations{t: t, rnd: rnd, kinds: map[string]int{}, scripts: map[string]int{}, quotes: map[string]int{}}
	elsewhere := map[string][]string{} // quotes of other texts in a script
	drawn := make([][]Span, len(pages))
	for i, p := range pages {
		drawn[i] = draw(rnd, p.text, perPage)
		if len(drawn[i]) < min(5, perPage/6) {
			t.Errorf("%s: only %d quotes drawn", p.name, len(drawn[i]))
		}
		for _, s := range drawn[i] {
			q := p.text[s.Start:s.End]
			elsewhere[scriptOf(q)] = append(elsewhere[scriptOf(q)], q)
		}
	}
	for i, p := range pages {
		m.page, m.prepared, m.plain = p, NewText(p.text), Normalize(p.text)
		for k, s := range drawn[i] {
			q := p.text[s.Start:s.End]
			script := scriptOf(q)
			m.quotes[script]++
			m.forgive(s)
			for _, c := range forgeries {
				m.forge(c.name, script, q, c.f(rnd, q))
			}
			other := drawn[i][(k+1+rnd.IntN(len(drawn[i])))%len(drawn[i])]
			second := p.text[other.Start:other.End]
			m.forge("joined by an ellipsis", script, q, q+" … "+second)
			m.forge("joined by nothing", script, q, q+" "+second)
			for range 2 {
				m.forge("not on the page", script, q, elsewhere[script][rnd.IntN(len(elsewhere[script]))])
			}
		}
	}
	quotes, forged := 0, 0
	for _, n := range m.quotes {
		quotes += n
	}
	for _, n := range m.kinds {
		forged += n
	}
	for _, script := range []string{"Latin", "Latin with accents", "Chinese", "Japanese", "Korean", "Arabic", "Hebrew", "Cyrillic", "Greek"} {
		if m.quotes[script] == 0 || m.scripts[script] == 0 {
			t.Errorf("%s: %d quotes and %d forgeries", script, m.quotes[script], m.scripts[script])
		}
	}
	for _, c := range forgeries {
		if m.kinds[c.name] < 5 && !raceEnabled {
			t.Errorf("forgery %q tried only %d times", c.name, m.kinds[c.name])
		}
	}
	if (quotes < 1000 || forged < 20000) && !raceEnabled {
		t.Errorf("%d quotes and %d forgeries, want 1000 and 20000 or more", quotes, forged)
	}
	if m.lost*100 > m.kept {
		t.Errorf("%d of %d forgiven changes are not found", m.lost, m.kept)
	}
	t.Logf("%d true quotes: %v", quotes, m.quotes)
	t.Logf("%d forgiven changes, %d of them not found", m.kept, m.lost)
	t.Logf("%d forgeries, %d located; by script %v", forged, m.located, m.scripts)
	for _, kind := range slices.Sorted(maps.Keys(m.kinds)) {
		t.Logf("%-40s %6d refused", kind, m.kinds[kind])
	}
}

// mutations changes the quotes of one text after the other.
type mutations struct {
	t        *testing.T
	rnd      *rand.Rand
	page     page
	prepared *Text
	plain    string

	kept, lost, located, explained int
	kinds, scripts, quotes         map[string]int
}

// forgive makes the changes that the normalisation undoes, in the quote and in the text.
func (m *mutations) forgive(s Span) {
	q := m.page.text[s.Start:s.End]
	for _, c := range forgiven {
		changed := c.f(m.rnd, q)
		if changed == q && c.name != "none" {
			continue
		}
		m.kept++
		got := m.prepared.Locate(changed)
		if !slices.ContainsFunc(got, func(g Span) bool { return overlaps(g, s) }) {
			m.lost++
			m.t.Logf("%s: %s in the quote: %q not found at %v but %v: %v", m.page.name, c.name, changed, s, got, m.prepared.Explain(changed))
		}
		checkSpans(m.t, m.page.text, changed, got)
	}
	// A stretch of the text is enough to change the text around the quote.
	from, to := s.Start, s.End
	for from > 0 && (s.Start-from < 300 || !utf8.RuneStart(m.page.text[from])) {
		from--
	}
	for to < len(m.page.text) && (to-s.End < 300 || !utf8.RuneStart(m.page.text[to])) {
		to++
	}
	for _, c := range slices.Concat(forgiven, brokenLines) {
		changed := c.f(m.rnd, q)
		if changed == q {
			continue
		}
		m.kept++
		text := m.page.text[from:s.Start] + changed + m.page.text[s.End:to]
		got := Locate(text, q)
		if !slices.ContainsFunc(got, func(g Span) bool { return overlaps(g, Span{s.Start - from, s.Start - from + len(changed)}) }) {
			m.lost++
			m.t.Logf("%s: %s in the text: %q not found in %q, but at %v", m.page.name, c.name, q, changed, got)
		}
		checkSpans(m.t, text, q, got)
	}
}

// forge checks that a forgery of q is not located, and that the passage offered for every tenth can be quoted.
func (m *mutations) forge(kind, script, q, changed string) {
	// A forgery that happens to be the same words, or stands elsewhere on the page, is none. A cut one does stand there.
	plain := Normalize(changed)
	if plain == Normalize(q) || !strings.HasPrefix(kind, "cut") && strings.Contains(m.plain, plain) {
		return
	}
	m.kinds[kind]++
	m.scripts[script]++
	if got := m.prepared.Locate(changed); got != nil {
		m.located++
		m.t.Errorf("%s: %s: %q found at %v, the text has %q", m.page.name, kind, changed, got, q)
	}
	if m.explained++; m.explained%10 > 0 {
		return
	}
	e := m.prepared.Explain(changed)
	if e.Reason == ReasonFound || e.Passage == "" && e.Reason != ReasonAbsent {
		m.t.Errorf("%s: %s: %q explained as %+v", m.page.name, kind, changed, e)
	} else if e.Passage != "" && m.prepared.Locate(e.Passage) == nil {
		m.t.Errorf("%s: %s: the passage offered cannot be quoted: %q", m.page.name, kind, e.Passage)
	}
}

func overlaps(a, b Span) bool { return a.Start < b.End && b.Start < a.End }
