package fictional

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/html"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/web"
	"github.com/quarry-sdk/quarry/web/webtest"
)

var update = flag.Bool("update", false, "write testdata anew")

func get(h http.Handler, at string) *httptest.ResponseRecorder {
	r := httptest.NewRecorder()
	h.ServeHTTP(r, httptest.NewRequest("GET", at, nil))
	return r
}

// Each page, fetched over the loopback interface, ends as it should.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	site, err := Listen(Config{SlowPage: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer site.Close()
	fetcher, err := web.New(web.Config{Guard: site.Guard(), HostInterval: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer fetcher.Close()
	var got strings.Builder
	for _, at := range site.URLs() {
		s, err := fetcher.Fetch(t.Context(), web.Request{URL: at})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&got, "%s\t%s\n", s.Outcome, at)
	}
	for _, at := range []string{"http://elsewhere.example/", "https://www.lena-hartwig.example/"} {
		if s, err := fetcher.Fetch(t.Context(), web.Request{URL: at}); err != nil || s.Outcome != web.Unreachable {
			t.Errorf("%s: %v, %v; nothing else should be reached", at, s.Outcome, err)
		}
	}
	const file = "testdata/outcomes.tsv"
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
}

// The outcomes are those of the traps, so that the table is not merely what came out.
func TestOutcomesOfTraps(t *testing.T) {
	t.Parallel()
	table, err := os.ReadFile("testdata/outcomes.tsv")
	if err != nil {
		t.Fatal(err)
	}
	_, truth := world(t)
	want := map[string]web.Outcome{
		"bot_check": web.Blocked, "consent_wall": web.ConsentWall, "dead_link": web.NotFound, "gone": web.Gone, "login": web.Login,
		"robots": web.Robots, "script_shell": web.ScriptShell, "soft_404": web.NotFound,
	}
	walls := 0
	for line := range strings.Lines(string(table)) {
		outcome, at, _ := strings.Cut(strings.TrimSpace(line), "\t")
		expected := web.OK
		for _, trap := range truth.Traps {
			if o := want[trap.Kind]; trap.URL == at && o != "" {
				expected = o
				walls++
			}
		}
		if web.Outcome(outcome) != expected {
			t.Errorf("%s: %s, want %s", at, outcome, expected)
		}
	}
	if walls < 10 {
		t.Errorf("%d walls", walls)
	}
}

// The slow page waits as long as it is told to, and a request that ends does not wait.
func TestSlowPage(t *testing.T) {
	t.Parallel()
	_, truth := world(t)
	i := slices.IndexFunc(truth.Traps, func(trap Trap) bool { return trap.Kind == "slow" })
	for _, x := range []struct {
		config Config
		want   web.Outcome
		took   time.Duration
	}{
		{Config{}, web.OK, 2 * time.Second},
		{Config{SlowPage: time.Hour}, web.Timeout, 15 * time.Second},
		{Config{SlowPage: -1, Latency: 300 * time.Millisecond}, web.OK, 600 * time.Millisecond}, // robots.txt, too
	} {
		synctest.Test(t, func(t *testing.T) {
			w, err := New(x.config)
			if err != nil {
				t.Fatal(err)
			}
			n := webtest.NewNet(t)
			for _, host := range w.Hosts() {
				n.Handle(host, w)
			}
			fetcher, err := web.New(web.Config{Guard: n.Guard(), HostInterval: -1})
			if err != nil {
				t.Fatal(err)
			}
			defer fetcher.Close()
			start := time.Now()
			s, err := fetcher.Fetch(t.Context(), web.Request{URL: truth.Traps[i].URL})
			if err != nil || s.Outcome != x.want {
				t.Fatalf("%+v: %v, %v", x.config, s, err)
			}
			if took := time.Since(start); took != x.took {
				t.Errorf("%+v: took %s, want %s", x.config, took, x.took)
			}
		})
	}
}

// Two webs answer with the same bytes.
func TestSameBytes(t *testing.T) {
	t.Parallel()
	a, _ := world(t)
	b, _ := world(t)
	for _, at := range a.URLs() {
		x, y := get(a, at), get(b, at)
		if x.Code != y.Code || !bytes.Equal(x.Body.Bytes(), y.Body.Bytes()) || x.Header().Get("ETag") != y.Header().Get("ETag") {
			t.Errorf("%s differs from one web to the next", at)
		}
	}
}

func TestHandler(t *testing.T) {
	t.Parallel()
	w, _ := world(t)
	for _, x := range []struct {
		method, url string
		status      int
		kind, body  string
	}{
		{"GET", "http://www.lena-hartwig.example/about", 200, htmlType, "Hallstein College"},
		{"GET", "http://WWW.Lena-Hartwig.example:80/about?from=search", 200, htmlType, "Hallstein College"},
		{"GET", "http://www.lena-hartwig.example/about/", 404, "", ""},
		{"GET", "http://www.lena-hartwig.example/cv.pdf", 200, pdfType, "%PDF-1.4"},
		{"GET", "http://www.norderhaven-university.example/robots.txt", 200, plainType, "Disallow"},
		{"GET", "http://www.norderhaven-university.example/~hartwig", 301, "", ""},
		{"GET", "http://www.vattrio.example/products/t3", 410, htmlType, "410"},
		{"GET", "http://www.lena-hartwig.example/robots.txt", 404, "", ""},
		{"GET", "http://elsewhere.example/", 421, "", ""},
		{"POST", "http://www.lena-hartwig.example/about", 405, "", ""},
		{"HEAD", "http://www.lena-hartwig.example/about", 200, htmlType, ""},
	} {
		r := httptest.NewRecorder()
		w.ServeHTTP(r, httptest.NewRequest(x.method, x.url, nil))
		if r.Code != x.status || x.kind != "" && r.Header().Get("Content-Type") != x.kind || !strings.Contains(r.Body.String(), x.body) {
			t.Errorf("%s %s: %d %s %.60q", x.method, x.url, r.Code, r.Header().Get("Content-Type"), r.Body)
		}
	}
	if r := get(w, "http://www.lena-hartwig.example/about"); r.Header().Get("ETag") == "" {
		t.Error("a page without an entity tag")
	}
}

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
		if m := forbidden.FindString(p.text); m != "" && !strings.Contains(p.text, "lottery for nature") {
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

// The server answers under names that its guard and its client know, and ends.
func TestClient(t *testing.T) {
	t.Parallel()
	site, err := Listen(Config{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := site.Client().Get("http://www.tramora.example/about")
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil || !strings.Contains(string(body), "Jovan Petek") {
		t.Errorf("%.60s, %v", body, err)
	}
	for _, at := range []string{"http://elsewhere.example/", "https://www.tramora.example/", "http://127.0.0.1/"} {
		if r, err := site.Client().Get(at); err == nil {
			r.Body.Close()
			t.Errorf("%s was reached", at)
		}
	}
	if err := site.Close(); err != nil {
		t.Fatal(err)
	}
	if r, err := site.Client().Get("http://www.tramora.example/about"); err == nil {
		r.Body.Close()
		t.Error("the server answers after its end")
	}
}
