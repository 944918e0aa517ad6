package web

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quarry-sdk/quarry/internal/sharedtest"
)

// TestRealPagesAreNoWalls walks all real pages: articles about cookies, captchas,
// logins and missing pages among them.
func TestRealPagesAreNoWalls(t *testing.T) {
	t.Parallel()
	// Pages that were looked at by hand and are what the classifier says.
	exceptions := map[string]Outcome{}
	n := 0
	for _, pattern := range []string{
		"article-extraction-benchmark/html/*.html.gz", "readability/*/source.html",
		"trafilatura/*/*.html", "trafilatura/*/*.htm", "charset/pages/*.html",
	} {
		paths, err := filepath.Glob(filepath.Join(sharedtest.Path(t, "pages"), pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if filepath.Base(path) == "expected.html" {
				continue
			}
			n++
			v := classify(seen{page: look(readPage(t, path), "text/html"), final: &url.URL{Scheme: "https", Host: "site.example", Path: "/a/b"}, status: 200})
			want := OK
			for name, o := range exceptions {
				if strings.HasSuffix(path, name) {
					want = o
				}
			}
			if v.outcome != want {
				t.Errorf("%s is %s, want %s: %s %v", path, v.outcome, want, v.reason, v.signals)
			}
		}
	}
	t.Logf("%d pages", n)
	if n < 190 {
		t.Errorf("only %d pages were found", n)
	}
}

func readPage(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(path, ".gz") {
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if data, err = io.ReadAll(z); err != nil {
			t.Fatal(err)
		}
	}
	return data
}
