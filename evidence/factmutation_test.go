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

	"github.com/quarry-sdk/quarry/internal/sharedtest"
)

// sharedSentences returns the sentences of the English articles and of the Chinese pages.
func sharedSentences(t testing.TB) (english, chinese []string) {
	t.Helper()
	root := sharedtest.Path(t, "pages")
	b, err := os.ReadFile(filepath.Join(root, "article-extraction-benchmark", "ground-truth.json"))
	if err != nil {
		t.Fatal(err)
	}
	var articles map[string]struct{ ArticleBody string }
	if err := json.Unmarshal(b, &articles); err != nil {
		t.Fatal(err)
	}
	end := regexp.MustCompile(`([.!?]["”’']?)\s+`)
	ids := make([]string, 0, len(articles))
	for id := range articles {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		for _, line := range strings.Split(articles[id].ArticleBody, "\n") {
			for _, s := range strings.Split(end.ReplaceAllString(line, "$1\x00"), "\x00") {
				if s = strings.TrimSpace(s); len(s) > 20 {
					english = append(english, s)
				}
			}
		}
	}
	tags := regexp.MustCompile(`(?s)<script.*?</script>|<style.*?</style>|<[^>]*>`)
	hanEnd := regexp.MustCompile(`[。！？]”?|\n`)
	for _, path := range []string{"readability/gmw/source.html", "readability/qq/source.html", "trafilatura/html/xinhuanet.com.c_1125597921.html",
		"trafilatura/html/archive.org.he.xinhuanet.com.25340717.html", "trafilatura/html/baike.baidu.com.tanya.html"} {
		b, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		if !utf8.Valid(b) {
			continue
		}
		text := html.UnescapeString(tags.ReplaceAllString(string(b), "\n"))
		for _, s := range strings.Split(hanEnd.ReplaceAllString(text, "$0\x00"), "\x00") {
			if s = strings.TrimSpace(s); utf8.RuneCountInString(s) > 8 && strings.IndexFunc(s, unspaced) >= 0 {
				chinese = append(chinese, s)
			}
		}
	}
	return english, chinese
}

// TestCompareWithItself shows that every sentence has all its own facts.
func TestCompareWithItself(t *testing.T) {
	t.Parallel()
	english, chinese := sharedSentences(t)
	facts := map[Kind]int{}
	for i, s := range slices.Concat(english, chinese) {
		if raceEnabled && i%10 > 0 {
			continue
		}
		if c := Compare(s, s, CompareOptions{}); !c.OK() {
			t.Errorf("%q:\n%s", s, c)
		}
		for _, f := range Facts(s) {
			facts[f.Kind]++
			if f.Kind != Name && f.Text != s[f.Bytes.Start:f.Bytes.End] || f.Text == "" {
				t.Errorf("%q: fact %+v", s, f)
			}
		}
	}
	if len(english) < 4000 || len(chinese) < 100 {
		t.Errorf("%d English and %d Chinese sentences", len(english), len(chinese))
	}
	t.Logf("%d English and %d Chinese sentences: %v", len(english), len(chinese), facts)
}

// lie changes one fact of a sentence; it returns the sentence as it is if it has none of the kind.
type lie struct {
	kind string
	f    func(rnd *rand.Rand, s string, names []string) string
}

var (
	someDigits   = regexp.MustCompile(`[0-9]+(?:[.,][0-9]+)*`)
	someYear     = regexp.MustCompile(`\b(?:19|20)[0-9]{2}\b`)
	someMonth    = regexp.MustCompile(`\b(?:January|February|March|April|June|July|August|September|October|November|December)\b|[0-9]+月`)
	someWeekday  = regexp.MustCompile(`\b(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)\b`)
	someNot      = regexp.MustCompile(`\b(?:not|never|no longer)\b |n['’]t\b`)
	someAux      = regexp.MustCompile(`\b(?:is|was|were|are|has|had|will|can|did|does) `)
	someWord     = regexp.MustCompile(`\b(?:million|billion|thousand|percent|per cent)\b`)
	someFullName = regexp.MustCompile(`\b[A-Z][a-z]{2,} [A-Z][a-z]{2,}\b`)
	hanNot       = regexp.MustCompile(`没有|不会|不能|不是|未能|尚未|并未`)
	hanVerb      = regexp.MustCompile(`[是会能]`)
)

// pick replaces one match of re in s.
func pick(rnd *rand.Rand, s string, re *regexp.Regexp, f func(m string) string) string {
	all := re.FindAllStringIndex(s, -1)
	if len(all) == 0 {
		return s
	}
	m := all[rnd.IntN(len(all))]
	return s[:m[0]] + f(s[m[0]:m[1]]) + s[m[1]:]
}

func otherOf(rnd *rand.Rand, m string, list ...string) string {
	for {
		if o := list[rnd.IntN(len(list))]; o != m {
			return o
		}
	}
}

var lies = []lie{
	{"number: digit", func(rnd *rand.Rand, s string, _ []string) string {
		return pick(rnd, s, someDigits, func(m string) string {
			for {
				if i := rnd.IntN(len(m)); m[i] >= '0' && m[i] <= '9' {
					return m[:i] + string('0'+(m[i]-'0'+1+byte(rnd.IntN(8)))%10) + m[i+1:]
				}
			}
		})
	}},
	{"number: tenfold", func(rnd *rand.Rand, s string, _ []string) string {
		return pick(rnd, s, regexp.MustCompile(`\b[1-9][0-9]*(?:\.[0-9]+)?\b`), func(m string) string {
			if a, b, ok := strings.Cut(m, "."); ok {
				return a + b[:1] + "." + b[1:] + "1"
			}
			return m + "00"
		})
	}},
	{"number: magnitude", func(rnd *rand.Rand, s string, _ []string) string {
		return pick(rnd, s, someWord, func(m string) string {
			if strings.HasPrefix(m, "per") {
				return "percentage points"
			}
			return otherOf(rnd, m, "million", "billion", "thousand")
		})
	}},
	{"number: percent sign", func(rnd *rand.Rand, s string, _ []string) string {
		return pick(rnd, s, regexp.MustCompile(`[0-9]%`), func(m string) string { return m[:1] + otherOf(rnd, "", " percentage points", "", " km") })
	}},
	{"number: currency", func(rnd *rand.Rand, s string, _ []string) string {
		return pick(rnd, s, regexp.MustCompile(`[$€£][0-9]`), func(m string) string {
			_, n := utf8.DecodeRuneInString(m)
			return otherOf(rnd, m[:n], "$", "€", "£", "A$", "HK$") + m[n:]
		})
	}},
	{"date: year", func(rnd *rand.Rand, s string, _ []string) string {
		return pick(rnd, s, someYear, func(m string) string { return m[:3] + string('0'+(m[3]-'0'+1+byte(rnd.IntN(8)))%10) })
	}},
	{"date: month", func(rnd *rand.Rand, s string, _ []string) string {
		return pick(rnd, s, someMonth, func(m string) string {
			if strings.HasSuffix(m, "月") && strings.Count(s, "月") > 1 {
				return "13月"
			}
			if strings.HasSuffix(m, "月") {
				return otherOf(rnd, m, "1月", "2月", "3月", "4月", "5月", "6月", "7月", "8月", "9月", "10月", "11月", "12月")
			}
			return otherOf(rnd, m, "January", "February", "April", "June", "July", "August", "September", "October", "November", "December")
		})
	}},
	{"date: weekday", func(rnd *rand.Rand, s string, _ []string) string {
		return pick(rnd, s, someWeekday, func(m string) string {
			return otherOf(rnd, m, "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
		})
	}},
	{"name: another", func(rnd *rand.Rand, s string, names []string) string {
		return pick(rnd, s, someFullName, func(m string) string { return names[rnd.IntN(len(names))] })
	}},
	{"name: another last name", func(rnd *rand.Rand, s string, names []string) string {
		return pick(rnd, s, someFullName, func(m string) string {
			_, last, _ := strings.Cut(names[rnd.IntN(len(names))], " ")
			first, _, _ := strings.Cut(m, " ")
			return first + " " + last
		})
	}},
	{"negation: dropped", func(rnd *rand.Rand, s string, _ []string) string {
		if strings.IndexFunc(s, unspaced) >= 0 {
			return pick(rnd, s, hanNot, func(m string) string {
				return strings.NewReplacer("没有", "", "不", "", "未能", "能", "尚未", "已", "并未", "").Replace(m)
			})
		}
		return pick(rnd, s, someNot, func(string) string { return "" })
	}},
	{"negation: added", func(rnd *rand.Rand, s string, _ []string) string {
		if strings.IndexFunc(s, unspaced) >= 0 {
			return pick(rnd, s, hanVerb, func(m string) string { return "不" + m })
		}
		if strings.Contains(s, " no") || strings.Contains(s, "not ") {
			return s // "not not" is no lie
		}
		return pick(rnd, s, someAux, func(m string) string { return m + otherOf(rnd, "", "not ", "never ", "no longer ") })
	}},
}

// TestLies changes one fact in real sentences and compares them with what they were.
func TestLies(t *testing.T) {
	t.Parallel()
	english, chinese := sharedSentences(t)
	rnd := rand.New(rand.NewPCG(2, 3))
	var names []string
	for _, s := range english {
		for _, name := range someFullName.FindAllString(s, -1) {
			first, last, _ := strings.Cut(strings.ToLower(name), " ")
			if !roles()[first] && !roles()[last] && !commonWords()[first] && !commonWords()[last] && !functionCapitals()[last] && monthNames()[first] == "" && weekdays()[last] == "" {
				names = append(names, name)
			}
		}
	}
	made, caught := map[string]int{}, map[string]int{}
	missed := map[string][]string{}
	for i, s := range slices.Concat(english, chinese, chinese, chinese) {
		if raceEnabled && i%10 > 0 {
			continue
		}
		for _, l := range lies {
			changed := l.f(rnd, s, names)
			// What stands in the sentence already is no lie that words alone could show, and German names are known in pairs only.
			if changed == s || !strings.HasPrefix(l.kind, "negation") && allWords(s, changed) || strings.HasPrefix(l.kind, "name") && languageOf(s) != 0 {
				continue
			}
			group, _, _ := strings.Cut(l.kind, ":")
			for _, k := range []string{group, l.kind} {
				made[k]++
				if !Compare(changed, s, CompareOptions{}).OK() {
					caught[k]++
				} else if k == l.kind {
					missed[k] = append(missed[k], s+"\n    → "+changed)
				}
			}
		}
	}
	total := 0
	for _, l := range lies {
		total += made[l.kind]
		t.Logf("%-24s %5d of %5d caught (%.2f %%)", l.kind, caught[l.kind], made[l.kind], 100*float64(caught[l.kind])/float64(max(1, made[l.kind])))
		for i, m := range missed[l.kind] {
			if i < 40 && testing.Verbose() {
				t.Logf("  %s", m)
			}
		}
	}
	if total < 5000 && !raceEnabled {
		t.Errorf("%d lies, want 5000 or more", total)
	}
	for group, want := range map[string]float64{"number": 99, "date": 99, "name": 97, "negation": 97} {
		if share := 100 * float64(caught[group]) / float64(max(1, made[group])); share < want {
			t.Errorf("%s: %.2f %% of %d lies caught, want %.0f %%", group, share, made[group], want)
		}
	}
}

// allWords reports whether each word of changed stands in s.
func allWords(s, changed string) bool {
	have := map[string]bool{}
	words := func(s string) []string {
		return strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	}
	for _, w := range words(s) {
		have[w] = true
	}
	for _, w := range words(changed) {
		if !have[w] {
			return false
		}
	}
	return true
}
