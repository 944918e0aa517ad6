package pdf_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/quarry-sdk/quarry/extract"
	"github.com/quarry-sdk/quarry/extract/pdf"
)

// cacheDir keeps the compiled module between the readers of the tests.
var cacheDir = sync.OnceValue(func() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	return filepath.Join(dir, "quarry-pdf-test")
})

var shared struct {
	sync.Mutex
	reader *pdf.Reader
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.reader != nil {
		if err := shared.reader.Close(); err != nil {
			panic(err)
		}
	}
	os.Exit(code)
}

// reader returns the reader of all tests with a password.
func reader(t testing.TB, password string) *pdf.Reader {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.reader == nil {
		r, err := pdf.New(pdf.Config{CacheDir: cacheDir(), PageTime: time.Minute, Time: 2 * time.Minute}) // machines that test are busy
		if err != nil {
			t.Fatal(err)
		}
		shared.reader = r
	}
	return shared.reader.WithPassword(password)
}

func read(t testing.TB, data []byte, password string) (*extract.Document, error) {
	t.Helper()
	return reader(t, password).Read(t.Context(), data)
}

// checkDocument checks what every document promises.
func checkDocument(t testing.TB, name string, doc *extract.Document) {
	t.Helper()
	if !utf8.ValidString(doc.Text) {
		t.Errorf("%s: the text is not valid UTF-8", name)
	}
	end := 0
	for _, b := range doc.Blocks {
		if b.Start < end || b.End <= b.Start || b.End > len(doc.Text) || strings.TrimSpace(doc.Text[end:b.Start]) != "" {
			t.Fatalf("%s: block %+v behind %d", name, b, end)
		}
		if (b.Kind == extract.Heading) != (b.Level > 0 && b.Kind != extract.ListItem) || b.Level > 6 {
			t.Errorf("%s: level of %+v", name, b)
		}
		end = b.End
	}
	if strings.TrimSpace(doc.Text[end:]) != "" {
		t.Errorf("%s: text behind the last block", name)
	}
	end = 0
	for i, p := range doc.Pages {
		if p.Number != i+1 || p.Start < end || p.End < p.Start || p.End > len(doc.Text) {
			t.Fatalf("%s: page %+v behind %d", name, p, end)
		}
		end = p.End
	}
	for _, l := range doc.Links {
		if l.Start < 0 || l.End <= l.Start || l.End > len(doc.Text) || l.URL == "" {
			t.Errorf("%s: link %+v", name, l)
		}
	}
}
