package article_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/quarry-sdk/quarry/extract/article"
)

// word is Python's \w+ for str patterns: letters, numbers of any kind, and the
// underscore.
var word = regexp.MustCompile(`[\p{L}\p{N}_]+`)

// overlap is the share of true positives, false positives and false negatives
// among the shingles of four words of a text and what was found of it, as
// shared/pages/README.md defines it.
type overlap struct{ tp, fp, fn float64 }

func compare(want, got string) overlap {
	a, b := shingles(want), shingles(got)
	var o overlap
	for s, n := range a {
		o.tp += float64(min(n, b[s]))
		o.fn += float64(max(0, n-b[s]))
	}
	for s, n := range b {
		o.fp += float64(max(0, n-a[s]))
	}
	if sum := o.tp + o.fp + o.fn; sum > 0 {
		o.tp, o.fp, o.fn = o.tp/sum, o.fp/sum, o.fn/sum
	}
	return o
}

func shingles(text string) map[string]int {
	words := word.FindAllString(text, -1)
	found := map[string]int{}
	if len(words) > 0 && len(words) < 4 {
		found[strings.Join(words, " ")]++
	}
	for i := 0; i+4 <= len(words); i++ {
		found[strings.Join(words[i:i+4], " ")]++
	}
	return found
}

// tally sums up the pages of a collection.
type tally struct {
	pages, equal          int
	precision, recall     float64
	withFound, withWanted float64
}

func (s *tally) add(want, got string) {
	o := compare(want, got)
	s.pages++
	if slices.Equal(word.FindAllString(want, -1), word.FindAllString(got, -1)) {
		s.equal++
	}
	ratio := func(part, other float64) float64 {
		switch {
		case o.fp == 0 && o.fn == 0:
			return 1
		case o.tp == 0:
			return 0
		}
		return part / (part + other)
	}
	if o.tp+o.fp > 0 {
		s.withFound++
		s.precision += ratio(o.tp, o.fp)
	}
	if o.tp+o.fn > 0 {
		s.withWanted++
		s.recall += ratio(o.tp, o.fn)
	}
}

func (s *tally) f1() (f, precision, recall float64) {
	if s.withFound == 0 || s.withWanted == 0 {
		return 0, 0, 0
	}
	precision, recall = s.precision/s.withFound, s.recall/s.withWanted
	if precision+recall == 0 {
		return 0, 0, 0
	}
	return 2 * precision * recall / (precision + recall), precision, recall
}

// lineBreaks are the elements that the renderer puts on lines of their own.
var lineBreaks = map[atom.Atom]bool{
	atom.Article: true, atom.Aside: true, atom.Blockquote: true, atom.Br: true, atom.Center: true, atom.Dd: true, atom.Div: true, atom.Dl: true,
	atom.Dt: true, atom.Figcaption: true, atom.Figure: true, atom.Footer: true, atom.Form: true, atom.H1: true, atom.H2: true,
	atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true, atom.Header: true, atom.Hr: true, atom.Li: true, atom.Main: true,
	atom.Nav: true, atom.Ol: true, atom.P: true, atom.Pre: true, atom.Section: true, atom.Table: true, atom.Td: true,
	atom.Th: true, atom.Tr: true, atom.Ul: true,
}

// render writes the texts below root that keep holds, blocks on lines.
func render(root *html.Node, keep func(*html.Node) bool) string {
	var b strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && lineBreaks[n.DataAtom] {
			b.WriteByte('\n')
		}
		if n.Type == html.TextNode && keep(n) {
			if before := n.PrevSibling; before != nil && lineBreaks[before.DataAtom] {
				b.WriteByte('\n')
			}
			b.WriteString(n.Data)
		}
	}
	return b.String()
}

// everything keeps all text that is not the page's machinery.
func everything(n *html.Node) bool {
	for up := n.Parent; up != nil; up = up.Parent {
		switch up.DataAtom {
		case atom.Head, atom.Noscript, atom.Script, atom.Style, atom.Template:
			return false
		}
	}
	return true
}

func parse(t testing.TB, src string) *html.Node {
	t.Helper()
	root, err := html.ParseWithOptions(strings.NewReader(src), html.ParseOptionEnableScripting(false))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// mainText is what Find leaves of a page.
func mainText(t testing.TB, src, url string) (string, *article.Article) {
	t.Helper()
	root := parse(t, src)
	a := article.Find(root, url)
	return render(root, a.Contains), a
}
