package evidence

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// benchPage returns a text of about 1 MB, with typographic marks and line breaks, and 1,000 quotes from it.
func benchPage() (string, []string) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var vocabulary []string
	for range 5000 {
		w := make([]byte, 2+rnd.IntN(9))
		for i := range w {
			w[i] = byte('a' + rnd.IntN(26))
		}
		vocabulary = append(vocabulary, string(w))
	}
	var b strings.Builder
	for b.Len() < 1<<20 {
		// Frequent words first, as in a language.
		b.WriteString(vocabulary[int(float64(len(vocabulary))*rnd.Float64()*rnd.Float64()*rnd.Float64())])
		switch rnd.IntN(40) {
		case 0:
			b.WriteString(" – ")
		case 1:
			b.WriteString(",\n")
		case 2:
			b.WriteString("’s ")
		case 3:
			b.WriteString("-\n")
		case 4:
			fmt.Fprintf(&b, " %d,%03d ", rnd.IntN(900), rnd.IntN(1000))
		default:
			b.WriteByte(' ')
		}
	}
	text := b.String()
	var quotes []string
	for len(quotes) < 1000 {
		words := strings.Fields(text[rnd.IntN(len(text)-500):][:300])
		q := strings.Join(words[2:12+rnd.IntN(8)], " ")
		if !strings.HasSuffix(q, "-") && utf8.ValidString(q) {
			quotes = append(quotes, q)
		}
	}
	return text, quotes
}

// BenchmarkLocate prepares a text of 1 MB and locates 1,000 quotes in it.
func BenchmarkLocate(b *testing.B) {
	text, quotes := benchPage()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		page := NewText(text)
		found := 0
		for _, q := range quotes {
			if len(page.Locate(q)) > 0 {
				found++
			}
		}
		if found < 900 {
			b.Fatalf("%d of %d quotes found", found, len(quotes))
		}
	}
}

// BenchmarkLocateOnce locates one quote in a text of 1 MB that is not prepared.
func BenchmarkLocateOnce(b *testing.B) {
	text, quotes := benchPage()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if len(Locate(text, quotes[0])) == 0 {
			b.Fatal("not found")
		}
	}
}

// BenchmarkExplain explains a quote with a changed word against a text of 1 MB.
func BenchmarkExplain(b *testing.B) {
	text, quotes := benchPage()
	page := NewText(text)
	for b.Loop() {
		if e := page.Explain(quotes[0] + " else"); e.Passage == "" {
			b.Fatal("no passage")
		}
	}
}
