package pdf_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/quarry-sdk/quarry/extract"
	"github.com/quarry-sdk/quarry/internal/sharedtest"
	"golang.org/x/text/unicode/norm"
)

var (
	update = flag.Bool("update", false, "write testdata/facts.tsv anew")
	dump   = flag.String("dump", "", "a folder to write the texts of the shared PDFs to")
)

// sharedFiles are the PDFs of the shared data with the password of each.
func sharedFiles(t testing.TB) (root string, names []string, password map[string]string) {
	root = sharedtest.Path(t, "pages", "pdf")
	table, err := os.ReadFile(filepath.Join(root, "pdftotext-status.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	password = map[string]string{}
	for i, row := range strings.Split(strings.TrimSpace(string(table)), "\n") {
		if i == 0 {
			continue
		}
		cells := strings.Split(row, "\t")
		names = append(names, cells[0])
		password[cells[0]] = cells[5]
	}
	return root, names, password
}

// TestSharedFiles reads every PDF of the shared data: each ends in time, and
// is what testdata/facts.tsv says of it. It prints how near the texts are to
// those of poppler's pdftotext, a peer.
func TestSharedFiles(t *testing.T) {
	root, names, password := sharedFiles(t)
	var rows []string
	var scores []score
	var slowest time.Duration
	var slow string
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		doc, err := read(t, data, password[name])
		if took := time.Since(start); took > slowest {
			slowest, slow = took, name
		}
		rows = append(rows, fact(name, doc, err))
		if err != nil {
			continue
		}
		checkDocument(t, name, doc)
		if *dump != "" {
			write(t, filepath.Join(*dump, strings.ReplaceAll(name, "/", "_")+".txt"), doc.Text)
		}
		reference, err := os.ReadFile(filepath.Join(root, "pdftotext-reference", strings.TrimSuffix(name, ".pdf")+".txt"))
		if err == nil && len(words(string(reference))) > 0 && ordinary(doc) {
			want, got := words(peer(string(reference))), words(peer(unhyphenated(doc.Text)))
			scores = append(scores, score{name, len(want), len(got), f1(want, got, 1), f1(want, got, 4)})
		}
	}
	t.Logf("the slowest is %s: %v", slow, slowest)
	if slowest > 60*time.Second { // ten on a machine that has nothing else to do
		t.Errorf("%s took %v", slow, slowest)
	}
	compareFacts(t, rows)
	printScores(t, scores)
}

// fact is the row of a file in testdata/facts.tsv.
func fact(name string, doc *extract.Document, err error) string {
	if err != nil {
		kind := "error"
		for _, k := range []error{extract.ErrDamaged, extract.ErrEmpty, extract.ErrEncrypted, extract.ErrTooLarge, extract.ErrUnsupported} {
			if errors.Is(err, k) {
				kind = k.Error()
			}
		}
		return name + "\t" + kind
	}
	list := words(doc.Text)
	var unquotable, codes []string
	for _, p := range doc.Pages {
		if p.Unquotable != "" {
			unquotable = append(unquotable, fmt.Sprint(p.Number))
		}
	}
	for _, w := range doc.Warnings {
		codes = append(codes, w.Code)
	}
	slices.Sort(codes)
	headings := 0
	for _, b := range doc.Blocks {
		if b.Kind == extract.Heading {
			headings++
		}
	}
	return fmt.Sprintf("%s\tok\t%d\t%d\t%d\t%d\t%s\t%s\t%s", name, len(doc.Pages), len(list), headings, len(doc.Links),
		strings.Join(unquotable, ","), strings.Join(slices.Compact(codes), ","), strings.Join(list[:min(3, len(list))], " "))
}

const factsHeader = "file\toutcome\tpages\twords\theadings\tlinks\tunquotable pages\twarnings\tfirst words\n"

func compareFacts(t *testing.T, rows []string) {
	t.Helper()
	got := factsHeader + strings.Join(rows, "\n") + "\n"
	file := filepath.Join("testdata", "facts.tsv")
	if *update {
		write(t, file, got)
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("the facts differ; run with -update if they are right (-want +got):\n%s", diff)
	}
}

type score struct {
	name           string
	want, got      int
	words, shingle float64
}

func printScores(t *testing.T, scores []score) {
	var w, s float64
	for _, x := range scores {
		w += x.words
		s += x.shingle
	}
	n := float64(len(scores))
	slices.SortFunc(scores, func(a, b score) int {
		if a.words+a.shingle < b.words+b.shingle {
			return -1
		}
		return 1
	})
	t.Logf("%d files beside pdftotext: word F1 %.4f, 4-word shingle F1 %.4f; the worst:", len(scores), w/n, s/n)
	for _, x := range scores[:min(16, len(scores))] {
		t.Logf("%-50s words %.3f shingles %.3f (%d words there, %d here)", x.name, x.words, x.shingle, x.want, x.got)
	}
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	t.Logf("Go heap from the system: %d MB", mem.HeapSys>>20)
	if w/n < 0.9 || s/n < 0.85 {
		t.Errorf("the texts are far from those of pdftotext: words %.4f, shingles %.4f", w/n, s/n)
	}
}

func ordinary(doc *extract.Document) bool {
	for _, p := range doc.Pages {
		if p.Unquotable != "" {
			return false
		}
	}
	return true
}

// unhyphenated joins words over line ends, as pdftotext does.
var lineEnd = regexp.MustCompile(`(\pL)[-\x{ad}\x{2010}]\n(\p{Ll})`)

func unhyphenated(text string) string { return lineEnd.ReplaceAllString(text, "$1$2") }

// peer drops what differs by convention: forms of letters and marks of direction.
func peer(text string) string {
	return norm.NFKC.String(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, text))
}

// words are the runs of letters, marks and digits.
func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r)
	})
}

// f1 compares two texts as multisets of n words in a row; a shorter text is one.
func f1(want, got []string, n int) float64 {
	count := func(list []string) (map[string]int, int) {
		m := map[string]int{}
		if len(list) < n {
			m[strings.Join(list, " ")]++
			return m, 1
		}
		for i := 0; i+n <= len(list); i++ {
			m[strings.Join(list[i:i+n], " ")]++
		}
		return m, len(list) - n + 1
	}
	a, na := count(want)
	b, nb := count(got)
	both := 0
	for k, v := range a {
		both += min(v, b[k])
	}
	return 2 * float64(both) / float64(na+nb)
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
