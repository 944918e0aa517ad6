package web_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/quarry-sdk/quarry/internal/sharedtest"
	"github.com/quarry-sdk/quarry/web"
	"github.com/quarry-sdk/quarry/web/webtest"
)

// encode applies a coding.
func encode(t testing.TB, coding string, data []byte) []byte {
	t.Helper()
	var buf bytes.Buffer
	var w io.WriteCloser
	var err error
	switch coding {
	case "gzip":
		w = gzip.NewWriter(&buf)
	case "br":
		w = brotli.NewWriter(&buf)
	case "zstd":
		w, err = zstd.NewWriter(&buf)
	case "deflate":
		w = zlib.NewWriter(&buf)
	case "raw deflate":
		w, err = flate.NewWriter(&buf, 6)
	default:
		return data
	}
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// serve returns a network whose host site.example sends a body with a header of
// pairs.
func serve(t testing.TB, body []byte, header ...string) *webtest.Net {
	n := webtest.NewNet(t)
	n.Handle("site.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.Write(body)
	}))
	return n
}

const story = "<!doctype html><title>Ferry</title><p>The ferry leaves at 08:15 and needs forty minutes to the island.</p>\n<p>Tickets cost 12.50 each, and children travel free on weekdays.</p>"

func TestCodings(t *testing.T) {
	t.Parallel()
	var more strings.Builder
	for i := range 500 {
		fmt.Fprintf(&more, "<p>The ferry number %x carried %d people and %d cars.</p>\n", i*i*7919, i*31%211, i*17%83)
	}
	page := []byte(story + more.String())
	gz := encode(t, "gzip", page)
	half := func(coding string) []byte { b := encode(t, coding, page); return b[:len(b)*6/10] }
	wrongSum := slices.Clone(gz)
	wrongSum[len(wrongSum)-6] ^= 0xff
	for _, x := range []struct {
		name     string
		body     []byte
		encoding string
		codings  []string
		whole    bool
		warning  string
	}{
		{"none", page, "", nil, true, ""},
		{"identity", page, "identity", nil, true, ""},
		{"gzip", gz, "gzip", []string{"gzip"}, true, ""},
		{"gzip by its old name", gz, "X-GZIP", []string{"gzip"}, true, ""},
		{"two gzip members", append(slices.Clone(encode(t, "gzip", page[:1000])), encode(t, "gzip", page[1000:])...), "gzip", []string{"gzip"}, true, ""},
		{"brotli", encode(t, "br", page), "br", []string{"br"}, true, ""},
		{"zstd", encode(t, "zstd", page), "zstd", []string{"zstd"}, true, ""},
		{"deflate as zlib", encode(t, "deflate", page), "deflate", []string{"deflate"}, true, ""},
		{"deflate as such", encode(t, "raw deflate", page), "deflate", []string{"deflate"}, true, ""},
		{"two codings", encode(t, "br", gz), "gzip, br", []string{"br", "gzip"}, true, ""},
		{"three codings", encode(t, "zstd", encode(t, "br", gz)), "gzip,br, zstd", []string{"zstd", "br", "gzip"}, true, ""},
		{"a coding that is not there", page, "gzip", nil, true, "encoding"},
		{"zstd that is not there", page, "zstd", nil, true, "encoding"},
		{"brotli that is not there", page, "br", nil, true, "encoding"},
		{"gzip cut", half("gzip"), "gzip", []string{"gzip"}, false, "damaged"},
		{"brotli cut", half("br"), "br", []string{"br"}, false, "damaged"},
		{"deflate cut", half("deflate"), "deflate", []string{"deflate"}, false, "damaged"},
		{"gzip with a wrong sum", wrongSum, "gzip", []string{"gzip"}, true, "damaged"},
		{"gzip with more behind it", append(slices.Clone(gz), "garbage"...), "gzip", []string{"gzip"}, true, "damaged"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := fetch(t, newFetcher(t, serve(t, x.body, "Content-Encoding", x.encoding), web.Config{}), "http://site.example/a")
			if s.Outcome != web.OK || !slices.Equal(s.Codings, x.codings) {
				t.Fatalf("%s: %s (%s), codings %q, warnings %v", x.name, s.Outcome, s.Reason, s.Codings, s.Warnings)
			}
			if whole := bytes.Equal(s.Body(), page); whole != x.whole || !bytes.HasPrefix(page, s.Body()) || len(s.Body()) < 200 {
				t.Errorf("%s: %d of %d bytes were read", x.name, len(s.Body()), len(page))
			}
			if s.WireSize != int64(len(x.body)) || s.Size != int64(len(s.Body())) {
				t.Errorf("%s: the sizes are %d and %d, want %d and %d", x.name, s.WireSize, s.Size, len(x.body), len(s.Body()))
			}
			switch {
			case x.warning == "" && len(s.Warnings) > 0:
				t.Errorf("%s: there are warnings: %v", x.name, s.Warnings)
			case x.warning != "" && (len(s.Warnings) != 1 || s.Warnings[0].Code != x.warning):
				t.Errorf("%s: the warnings are %v, want %s", x.name, s.Warnings, x.warning)
			}
		})
	}
}

func TestCodingsThatCannotBeTakenOff(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		body     []byte
		encoding string
		want     web.Outcome
	}{
		{[]byte(story), "compress", web.UnsupportedType},
		{[]byte(story), "gzip, gzip, gzip, gzip", web.UnsupportedType},
		{[]byte{0x1f, 0x8b, 8}, "gzip", web.Empty},
		{[]byte{0x28, 0xb5, 0x2f, 0xfd, 0}, "zstd", web.Empty},
		{nil, "gzip", web.Empty},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := fetch(t, newFetcher(t, serve(t, x.body, "Content-Encoding", x.encoding), web.Config{}), "http://site.example/a")
			if s.Outcome != x.want {
				t.Errorf("%q as %s is %s (%s), want %s", x.body, x.encoding, s.Outcome, s.Reason, x.want)
			}
		})
	}
}

// TestSharedBrokenPages reads the broken pages of the shared data.
func TestSharedBrokenPages(t *testing.T) {
	t.Parallel()
	dir := sharedtest.Path(t, "pages", "broken")
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".gz") {
			continue
		}
		n++
		data, err := os.ReadFile(dir + "/" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		synctest.Test(t, func(t *testing.T) {
			s := fetch(t, newFetcher(t, serve(t, data, "Content-Encoding", "gzip"), web.Config{}), "http://site.example/a")
			want := web.OK
			if strings.HasPrefix(e.Name(), "truncated") {
				want = web.Empty // it was cut inside of its head
			}
			if s.Outcome != want || len(s.Warnings) != 1 || s.Warnings[0].Code != "damaged" || s.Size < 10_000 {
				t.Errorf("%s: %s, %d bytes, %v", e.Name(), s.Outcome, s.Size, s.Warnings)
			}
		})
	}
	if n != 3 {
		t.Errorf("there are %d broken pages, want 3", n)
	}
}

// TestBombs checks that what grows without end ends soon, and small. It measures
// all that was allocated, of which what is held at a time is a part.
func TestBombs(t *testing.T) {
	zeros := make([]byte, 64<<20)
	bomb := func(codings ...string) []byte {
		data := zeros
		for _, c := range codings {
			data = encode(t, c, data)
		}
		return data
	}
	// A frame of zstd that declares a window of 2 GiB, and one that declares a
	// content of as much.
	window := append([]byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8}, 1, 0, 0)
	size := append([]byte{0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0x80}, 1, 0, 0)
	gz := encode(t, "gzip", zeros[:1<<20])
	for _, x := range []struct {
		name, encoding string
		body           []byte
		want           []web.Outcome
	}{
		{"gzip", "gzip", bomb("gzip"), []web.Outcome{web.TooLarge}},
		{"brotli", "br", bomb("br"), []web.Outcome{web.TooLarge}},
		{"zstd", "zstd", bomb("zstd"), []web.Outcome{web.TooLarge}},
		{"deflate", "deflate", bomb("deflate"), []web.Outcome{web.TooLarge}},
		{"gzip in gzip", "gzip, gzip", bomb("gzip", "gzip"), []web.Outcome{web.TooLarge}},
		{"gzip in brotli in zstd", "gzip, br, zstd", bomb("gzip", "br", "zstd"), []web.Outcome{web.TooLarge}},
		{"many members of gzip", "gzip", bytes.Repeat(gz, 64), []web.Outcome{web.TooLarge}},
		{"a window of zstd", "zstd", window, []web.Outcome{web.Empty}},
		{"a size of zstd", "zstd", size, []web.Outcome{web.Empty}},
	} {
		t.Run(x.name, func(t *testing.T) {
			f := newFetcher(t, serve(t, x.body, "Content-Encoding", x.encoding), web.Config{IgnoreRobots: true})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := time.Now()
			s := fetch(t, f, "http://site.example/bomb")
			took := time.Since(began)
			runtime.ReadMemStats(&after)
			allocated := (after.TotalAlloc - before.TotalAlloc) >> 20
			t.Logf("%s: %s after %v and %d MiB", x.name, s.Outcome, took, allocated)
			if !slices.Contains(x.want, s.Outcome) {
				t.Errorf("the outcome is %s (%s), want %s", s.Outcome, s.Reason, x.want)
			}
			if allocated > 300 || took > 10*time.Second {
				t.Errorf("it took %v and %d MiB", took, allocated)
			}
			if s.BodyRef != "" || len(s.Body()) > 0 {
				t.Error("the bomb was kept")
			}
		})
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	body := []byte(story + strings.Repeat(" ", 10_000-len(story)))
	for _, x := range []struct {
		max  int64
		want web.Outcome
	}{{9_999, web.TooLarge}, {10_000, web.OK}, {10_001, web.OK}} {
		synctest.Test(t, func(t *testing.T) {
			if s := fetch(t, newFetcher(t, serve(t, body), web.Config{MaxBytes: x.max}), "http://site.example/a"); s.Outcome != x.want {
				t.Errorf("with a limit of %d, %d bytes are %s, want %s", x.max, len(body), s.Outcome, x.want)
			}
		})
	}
}

// TestTruncatedBody checks that what came of an answer that broke off is kept.
func TestTruncatedBody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := serve(t, []byte(story), "Content-Length", "100000")
		s := fetch(t, newFetcher(t, n, web.Config{}), "http://site.example/a")
		if s.Outcome != web.OK || string(s.Body()) != story || len(s.Warnings) != 1 || s.Warnings[0].Code != "truncated" {
			t.Errorf("the outcome is %s with %d bytes and %v", s.Outcome, s.Size, s.Warnings)
		}
	})
}

func TestTimeouts(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name    string
		handler http.HandlerFunc
		after   time.Duration
	}{
		{"no header", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, 5 * time.Second},
		{"no end", func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				io.WriteString(w, "<p>more")
				w.(http.Flusher).Flush()
				time.Sleep(time.Second)
			}
		}, 20 * time.Second},
		{"redirects without an end", func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(4 * time.Second)
			http.Redirect(w, r, r.URL.Path+"x", http.StatusFound)
		}, 20 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			n := webtest.NewNet(t)
			n.Handle("site.example", x.handler)
			f := newFetcher(t, n, web.Config{IgnoreRobots: true, HeaderTimeout: 5 * time.Second, Timeout: 20 * time.Second})
			began := time.Now()
			s := fetch(t, f, "http://site.example/a")
			if s.Outcome != web.Timeout || time.Since(began) != x.after {
				t.Errorf("%s: %s (%s) after %v, want timeout after %v", x.name, s.Outcome, s.Reason, time.Since(began), x.after)
			}
		})
	}
}

func TestTypes(t *testing.T) {
	t.Parallel()
	zip := func(name string) []byte {
		return []byte("PK\x03\x04\x14\x00\x00\x00\x08\x00" + strings.Repeat("\x00", 20) + name)
	}
	for _, x := range []struct {
		body         []byte
		header, path string
		want         string // a type, or an outcome
	}{
		{[]byte(story), "text/html", "/a", "text/html"},
		{[]byte(story), "text/plain", "/a.txt", "text/html"},
		{[]byte(story), "application/octet-stream", "/a", "text/html"},
		{[]byte("%PDF-1.7\n"), "text/html", "/a.html", "application/pdf"},
		{[]byte("\n\n%PDF-1.7\n"), "", "/a", "application/pdf"},
		{[]byte(`{"a": 1}`), "application/json", "/a", "application/json"},
		{[]byte(`{"a": 1}`), "application/octet-stream", "/a.json", "application/json"},
		{[]byte(`<?xml version="1.0"?><rss version="2.0">`), "text/xml", "/a", "application/rss+xml"},
		{[]byte(`<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom">`), "", "/a", "application/atom+xml"},
		{[]byte(`<?xml version="1.0"?><urlset>`), "text/html", "/sitemap.xml", "application/xml"},
		{[]byte("a,b\n1,2\n"), "text/csv", "/a", "text/csv"},
		{[]byte("# Title\n\ntext\n"), "text/plain", "/a.md", "text/markdown"},
		{[]byte("plain words\n"), "", "/a", "text/plain"},
		{[]byte("Stra\xdfe und Gr\xf6\xdfe, in Latin-1\n"), "text/plain; charset=iso-8859-1", "/a", "text/plain"},
		{zip("word/document.xml"), "application/zip", "/a", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
		{zip("xl/workbook.xml"), "", "/a.bin", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
		{zip("photos/a.jpg"), "application/zip", "/a.zip", "unsupported_type"},
		{[]byte("\x89PNG\r\n\x1a\n0000"), "text/html", "/a.html", "unsupported_type"},
		{[]byte("\xff\xd8\xff\xe0 JFIF"), "image/jpeg", "/a", "unsupported_type"},
		{[]byte("\x00\x01\x02\x03\x00\x00"), "application/octet-stream", "/a", "unsupported_type"},
		{[]byte("MZ\x90\x00\x03\x00\x00\x00"), "application/x-msdownload", "/a.exe", "unsupported_type"},
		{[]byte("   \n"), "text/html", "/a", "empty"},
		{nil, "text/html", "/a", "empty"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := fetch(t, newFetcher(t, serve(t, x.body, "Content-Type", x.header), web.Config{}), "http://site.example"+x.path)
			if got := s.MediaType; string(s.Outcome) != x.want && (s.Outcome != web.OK || got != x.want) {
				t.Errorf("%.20q as %q at %s is %s %s (%s), want %s", x.body, x.header, x.path, s.Outcome, got, s.Reason, x.want)
			}
		})
	}
}

func TestStatuses(t *testing.T) {
	t.Parallel()
	page := "<h1>No</h1><p>Something is not as it should be.</p>"
	for _, x := range []struct {
		status int
		body   string
		want   web.Outcome
	}{
		{200, story, web.OK}, {201, story, web.OK}, {203, story, web.OK}, {204, "", web.Empty}, {205, "", web.Empty}, {206, story, web.OK},
		{300, story, web.OK}, {302, "", web.ServerError}, {304, "", web.ServerError}, {400, page, web.Blocked}, {401, page, web.Login},
		{402, page, web.Blocked}, {403, page, web.Blocked}, {403, "<title>Log in</title><form><input type=password></form>", web.Login},
		{404, page, web.NotFound}, {404, story, web.NotFound}, {405, page, web.Blocked}, {406, page, web.Blocked}, {408, page, web.Timeout},
		{410, page, web.Gone}, {418, page, web.Blocked}, {429, page, web.RateLimited}, {451, page, web.Blocked}, {500, page, web.ServerError},
		{502, page, web.ServerError}, {503, page, web.ServerError}, {503, "<title>Just a moment...</title><script>window._cf_chl_opt={}</script>", web.Blocked},
		{520, page, web.ServerError}, {599, page, web.ServerError}, {999, page, web.ServerError},
	} {
		synctest.Test(t, func(t *testing.T) {
			n := webtest.NewNet(t)
			n.Handle("site.example", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				w.WriteHeader(x.status)
				io.WriteString(w, x.body)
			}))
			s := fetch(t, newFetcher(t, n, web.Config{IgnoreRobots: true}), "http://site.example/a")
			if s.Outcome != x.want || s.Status != x.status || s.Reason == "" {
				t.Errorf("status %d with %.20q is %s (%s), want %s", x.status, x.body, s.Outcome, s.Reason, x.want)
			}
			if x.want != web.OK && len(s.Signals) == 0 {
				t.Errorf("status %d: no signal tells why", x.status)
			}
		})
	}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := webtest.NewNet(t)
		mux := http.NewServeMux()
		for _, status := range []int{301, 302, 303, 307, 308} {
			mux.Handle(fmt.Sprintf("/%d", status), http.RedirectHandler("/page", status))
		}
		mux.Handle("/chain", http.RedirectHandler("http://two.example/next#part", http.StatusMovedPermanently))
		mux.Handle("/loop", http.RedirectHandler("/loop2", http.StatusFound))
		mux.Handle("/loop2", http.RedirectHandler("/loop", http.StatusFound))
		mux.HandleFunc("/far/", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path+"x", http.StatusFound) })
		mux.HandleFunc("/meta", func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, `<html><head><meta http-equiv="refresh" content="0; URL='/page'"></head><body>Moved.</body></html>`)
		})
		mux.HandleFunc("/page", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, story) })
		n.Handle("site.example", mux)
		n.Handle("two.example", http.RedirectHandler("http://site.example/page", http.StatusPermanentRedirect))
		f := newFetcher(t, n, web.Config{IgnoreRobots: true})
		for _, x := range []struct {
			path  string
			want  web.Outcome
			hops  int
			final string
		}{
			{"/301", web.OK, 1, "/page"}, {"/302", web.OK, 1, "/page"}, {"/303", web.OK, 1, "/page"}, {"/307", web.OK, 1, "/page"}, {"/308", web.OK, 1, "/page"},
			{"/chain", web.OK, 2, "/page"}, {"/meta", web.OK, 1, "/page"}, {"/loop", web.Unreachable, 2, "/loop2"}, {"/far/", web.Unreachable, 11, "/far/xxxxxxxxxx"},
		} {
			s := fetch(t, f, "http://site.example"+x.path)
			if s.Outcome != x.want || len(s.Redirects) != x.hops || s.FinalURL != "http://site.example"+x.final {
				t.Errorf("%s is %s (%s) at %s after %v", x.path, s.Outcome, s.Reason, s.FinalURL, s.Redirects)
			}
		}
		s := fetch(t, f, "http://site.example/chain")
		if got := fmt.Sprint(s.Redirects); got != "[{http://site.example/chain 301 http://two.example/next#part} {http://two.example/next 308 http://site.example/page}]" {
			t.Errorf("the redirects are %s", got)
		}
	})
}
