package fictional

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"
)

func get(h http.Handler, at string) *httptest.ResponseRecorder {
	r := httptest.NewRecorder()
	h.ServeHTTP(r, httptest.NewRequest("GET", at, nil))
	return r
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

// Pages in other character sets say so in their markup alone.
func TestCharsets(t *testing.T) {
	t.Parallel()
	w, _ := world(t)
	for at, want := range map[string]string{
		"http://mirror.example/science/blueroot-seagrass":     "\x802.4 million",  // the sign of the euro in windows-1252
		"http://www.chaojiandai.example/2024/qingdao-seminar": "\xc7\xe0\xb5\xba", // 青岛 in GB 2312
	} {
		r := get(w, at)
		if r.Header().Get("Content-Type") != "text/html" || utf8.Valid(r.Body.Bytes()) || !strings.Contains(r.Body.String(), want) {
			t.Errorf("%s: %s, without %q", at, r.Header().Get("Content-Type"), want)
		}
	}
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
	for _, at := range []string{"http://elsewhere.example/", "https://www.tramora.example/", "http://www.tramora.example:8080/", "http://127.0.0.1/"} {
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
