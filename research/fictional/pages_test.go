package fictional

import (
	"bytes"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// Every page is linked from another one or found by its title, and every link leads
// somewhere, if only to a trap.
func TestLinks(t *testing.T) {
	t.Parallel()
	w, truth := world(t)
	linked := map[string]bool{}
	for at, p := range w.pages {
		if p.kind != htmlType {
			continue
		}
		base, err := url.Parse(at)
		if err != nil {
			t.Fatal(err)
		}
		root, err := html.Parse(bytes.NewReader(p.body))
		if err != nil {
			t.Fatal(err)
		}
		for n := range root.Descendants() {
			if n.Data != "a" || attr(n, "href") == "" {
				continue
			}
			to, err := base.Parse(attr(n, "href"))
			if err != nil {
				t.Fatal(err)
			}
			to.RawQuery = ""
			if to.String() == at {
				continue
			}
			if w.pages[to.String()] == nil {
				t.Errorf("%s links to %s, which is neither a page nor a trap", at, to)
			}
			linked[to.String()] = true
		}
	}
	for _, at := range w.URLs() {
		p := w.pages[at]
		if linked[at] || found(t, w, p.title, at) {
			continue
		}
		t.Errorf("%s is not linked, and not found by its title", at)
	}
	for _, trap := range truth.Traps {
		if trap.Kind == "off_task_link" && !linked[trap.URL] {
			t.Errorf("%s is not linked", trap.URL)
		}
	}
}

// Names of real enterprises that might be thought to be meant, and other things that do
// not belong here.
var forbidden = regexp.MustCompile(`(?i)\b(google|github|gitlab|linkedin|orcid|scopus|facebook|twitter|wikipedia|siemens|microsoft|nature|elsevier|springer|lorem|ipsum)\b`)

func TestPagesAreOurs(t *testing.T) {
	t.Parallel()
	w, _ := world(t)
	total, articles := 0, 0
	for at, p := range w.pages {
		if u, err := url.Parse(at); err != nil || !strings.HasSuffix(u.Host, ".example") {
			t.Errorf("%s is not below .example", at)
		}
		if m := forbidden.FindString(p.text); m != "" {
			t.Errorf("%s mentions %q", at, m)
		}
		for _, link := range regexp.MustCompile(`https?://[^/"\s<]+`).FindAllString(string(p.body), -1) {
			if !strings.HasSuffix(link, ".example") && link != "https://schema.org" {
				t.Errorf("%s mentions %s", at, link)
			}
		}
		if len(strings.Fields(p.text)) >= 100 {
			articles++
		}
		total += len(p.body)
	}
	for _, name := range []string{"answers.json", "truth.json"} {
		raw, err := files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		total += len(raw)
	}
	if total > 300<<10 {
		t.Errorf("%d bytes are embedded", total)
	}
	if len(w.pages) < 60 || articles < 45 {
		t.Errorf("%d pages, %d of them of a hundred words", len(w.pages), articles)
	}
	t.Logf("%d addresses, %d hosts, %d bytes, %d of a hundred words and more", len(w.URLs()), len(w.Hosts()), total, articles)
}
