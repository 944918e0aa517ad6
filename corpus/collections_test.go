package corpus

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"

	"github.com/quarry-sdk/quarry/internal/sharedtest"
)

// collection is a test collection with binary relevance.
type collection struct {
	files   map[string]string // file name -> content; the id is the name without its extension
	queries []testQuery
}

type testQuery struct {
	text     string
	relevant map[string]bool
}

// write puts the collection's documents into a new folder.
func (c *collection) write(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range c.files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func slurp(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(data), "\r\n", "\n")
}

func cranfield(t testing.TB) *collection {
	c := &collection{files: map[string]string{}}
	for _, rec := range strings.Split("\n"+slurp(t, sharedtest.Path(t, "datasets", "cranfield", "cran.all.1400")), "\n.I ")[1:] {
		id, rest, _ := strings.Cut(rec, "\n.T\n")
		title, rest, _ := strings.Cut(rest, "\n.A\n")
		_, text, _ := strings.Cut(rest, "\n.W\n")
		c.files[strings.TrimSpace(id)+".txt"] = title + "\n\n" + text
	}
	relevant := map[string]map[string]bool{}
	for line := range strings.Lines(slurp(t, sharedtest.Path(t, "datasets", "cranfield", "cranqrel"))) {
		f := strings.Fields(line)
		if len(f) < 3 || strings.HasPrefix(f[2], "-") {
			continue
		}
		if relevant[f[0]] == nil {
			relevant[f[0]] = map[string]bool{}
		}
		relevant[f[0]][f[1]] = true
	}
	for n, rec := range strings.Split("\n"+slurp(t, sharedtest.Path(t, "datasets", "cranfield", "cran.qry")), "\n.I ")[1:] {
		_, text, _ := strings.Cut(rec, "\n.W\n")
		c.queries = append(c.queries, testQuery{text, relevant[fmt.Sprint(n+1)]}) // cranqrel counts the queries from 1
	}
	return c
}

// trecQrels reads "query 0 document relevance".
func trecQrels(t testing.TB, name string) map[string]map[string]bool {
	relevant := map[string]map[string]bool{}
	for line := range strings.Lines(slurp(t, name)) {
		f := strings.Fields(line)
		if len(f) < 4 || f[3] == "0" {
			continue
		}
		if relevant[f[0]] == nil {
			relevant[f[0]] = map[string]bool{}
		}
		relevant[f[0]][f[2]] = true
	}
	return relevant
}

var cacmDate = regexp.MustCompile(`(?m)^CACM [A-Z][a-z]+,? \d{4}`)

// cacm reads the records as title and abstract, which is what the control run indexed: authors, dates and citation
// numbers follow after the line with the date.
func cacm(t testing.TB) *collection {
	c := &collection{files: map[string]string{}}
	f, err := os.Open(sharedtest.Path(t, "datasets", "cacm", "cacm.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	gz, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for tr := tar.NewReader(gz); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(tr)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(h.Name, ".html") {
			text := string(data)
			if m := cacmDate.FindStringIndex(text); m != nil {
				text = text[:m[0]] + "</pre></html>"
			}
			c.files[filepath.Base(h.Name)] = text
		}
	}
	relevant := trecQrels(t, sharedtest.Path(t, "datasets", "cacm", "qrels.cacm.txt"))
	for _, rec := range strings.Split(slurp(t, sharedtest.Path(t, "datasets", "cacm", "topics.cacm.txt")), "<DOCNO>")[1:] {
		id, rest, _ := strings.Cut(rec, "</DOCNO>")
		text, _, _ := strings.Cut(rest, "</DOC>")
		c.queries = append(c.queries, testQuery{text, relevant[strings.TrimSpace(id)]})
	}
	return c
}

func vaswani(t testing.TB) *collection {
	c := &collection{files: map[string]string{}}
	for _, rec := range strings.Split(slurp(t, sharedtest.Path(t, "datasets", "vaswani-npl", "corpus", "doc-text.trec")), "<DOCNO>")[1:] {
		id, rest, _ := strings.Cut(rec, "</DOCNO>")
		text, _, _ := strings.Cut(rest, "</DOC>")
		c.files[id+".txt"] = text
	}
	relevant := trecQrels(t, sharedtest.Path(t, "datasets", "vaswani-npl", "qrels"))
	for _, rec := range strings.Split(slurp(t, sharedtest.Path(t, "datasets", "vaswani-npl", "query-text.trec")), "<num>")[1:] {
		id, rest, _ := strings.Cut(rec, "</num>")
		text, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(rest), "<title>"), "</title>")
		c.queries = append(c.queries, testQuery{text, relevant[id]})
	}
	return c
}

// xquad makes each paragraph a document and asks each question of it.
func xquad(t testing.TB, language string) *collection {
	var set struct {
		Data []struct {
			Paragraphs []struct {
				Context string
				QAs     []struct{ Question string }
			}
		}
	}
	if err := json.Unmarshal([]byte(slurp(t, sharedtest.Path(t, "datasets", "xquad", "xquad."+language+".json"))), &set); err != nil {
		t.Fatal(err)
	}
	c := &collection{files: map[string]string{}}
	for i, d := range set.Data {
		for j, p := range d.Paragraphs {
			id := fmt.Sprintf("%02d-%d", i, j)
			c.files[id+".txt"] = p.Context
			for _, q := range p.QAs {
				c.queries = append(c.queries, testQuery{q.Question, map[string]bool{id: true}})
			}
		}
	}
	return c
}

// hotpot pools the paragraphs of all questions.
func hotpot(t testing.TB) *collection {
	f, err := os.Open(sharedtest.Path(t, "datasets", "hotpotqa-dev500", "dev_subsampled.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := &collection{files: map[string]string{}}
	ids := map[string]string{}
	dec := json.NewDecoder(bufio.NewReader(f))
	for {
		var q struct {
			Text     string `json:"question_text"`
			Contexts []struct {
				Title      string
				Text       string `json:"paragraph_text"`
				Supporting bool   `json:"is_supporting"`
			}
		}
		if err := dec.Decode(&q); errors.Is(err, io.EOF) {
			return c
		} else if err != nil {
			t.Fatal(err)
		}
		tq := testQuery{q.Text, map[string]bool{}}
		for _, p := range q.Contexts {
			key := p.Title + "\n\n" + p.Text
			id, ok := ids[key]
			if !ok {
				id = fmt.Sprintf("p%05d", len(ids))
				ids[key] = id
				c.files[id+".txt"] = key
			}
			if p.Supporting {
				tq.relevant[id] = true
			}
		}
		c.queries = append(c.queries, tq)
	}
}

// figures are means over the queries that have a relevant document.
type figures struct {
	queries           int
	ndcg10            float64
	r1, r5, r10       float64 // share of the relevant documents found
	any1, any5, any10 float64 // share of the queries with at least one found
}

// measure evaluates a ranking.
func (c *collection) measure(search func(query string) []string) figures {
	var f figures
	for _, q := range c.queries {
		if len(q.relevant) == 0 {
			continue
		}
		f.queries++
		dcg, ideal := 0.0, 0.0
		found := 0.0
		var at [11]float64
		for i, id := range search(q.text) {
			if i >= 10 {
				break
			}
			if q.relevant[id] {
				dcg += 1 / math.Log2(float64(i)+2)
				found++
			}
			at[i+1] = found
		}
		for i := 1; i <= 10; i++ {
			at[i] = max(at[i], at[i-1])
			if i <= len(q.relevant) {
				ideal += 1 / math.Log2(float64(i)+1)
			}
		}
		n := float64(len(q.relevant))
		f.ndcg10 += dcg / ideal
		f.r1 += at[1] / n
		f.r5 += at[5] / n
		f.r10 += at[10] / n
		f.any1 += min(at[1], 1)
		f.any5 += min(at[5], 1)
		f.any10 += min(at[10], 1)
	}
	n := float64(f.queries)
	for _, v := range []*float64{&f.ndcg10, &f.r1, &f.r5, &f.r10, &f.any1, &f.any5, &f.any10} {
		*v /= n
	}
	return f
}

func (f figures) String() string {
	return fmt.Sprintf("%d queries: nDCG@10 %.4f, R@1 %.3f, R@5 %.3f, R@10 %.3f, any@5 %.3f", f.queries, f.ndcg10, f.r1, f.r5, f.r10, f.any5)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
