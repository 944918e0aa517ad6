package web_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/quarry-sdk/quarry/blob"
	"github.com/quarry-sdk/quarry/web"
	"github.com/quarry-sdk/quarry/web/webtest"
)

func openBlobs(t testing.TB) *blob.Files {
	t.Helper()
	blobs, err := blob.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return blobs
}

func countBlobs(t *testing.T, blobs *blob.Files) (n int) {
	t.Helper()
	for _, err := range blobs.List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

// TestOpen reads a snapshot back: all that it has, and its body.
func TestOpen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		blobs := openBlobs(t)
		n := serve(t, encode(t, "gzip", []byte(story)), "Content-Encoding", "gzip", "Etag", `"1"`)
		n.Handle("old.example", http.RedirectHandler("http://site.example/a", http.StatusMovedPermanently))
		s := fetch(t, newFetcher(t, n, web.Config{Blobs: blobs}), "http://old.example/a")
		got, err := web.Open(t.Context(), blobs, s.Ref)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s, got, cmpopts.IgnoreUnexported(web.Snapshot{})); diff != "" {
			t.Errorf("what was read back differs:\n%s", diff)
		}
		if string(got.Body()) != story || got.Outcome != web.OK || len(got.Redirects) != 1 || got.BodyRef != blob.Ref([]byte(story)) || got.RemoteAddr == "" {
			t.Errorf("the snapshot is %+v", got)
		}
		if got.WireRef != blob.Ref(encode(t, "gzip", []byte(story))) {
			t.Error("the hash of what was received is wrong")
		}
	})
}

// TestSameContentIsKeptOnce fetches a page twice, and the same page elsewhere.
func TestSameContentIsKeptOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		blobs := openBlobs(t)
		f := newFetcher(t, serve(t, []byte(story)), web.Config{Blobs: blobs})
		for i, url := range []string{"http://site.example/a", "http://site.example/a", "http://site.example/b"} {
			time.Sleep(time.Minute)
			s, err := f.Fetch(t.Context(), web.Request{URL: url, Fresh: true})
			if err != nil || s.Outcome != web.OK {
				t.Fatal(s, err)
			}
			if got := countBlobs(t, blobs); got != i+2 {
				t.Errorf("after %d fetches, %d blobs are kept, want one body and %d records", i+1, got, i+1)
			}
		}
	})
}

// versions serves a page that has an ETag and changes when it is told to.
type versions struct {
	version, asked, unchanged atomic.Int64
}

func (v *versions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/robots.txt" {
		http.NotFound(w, r)
		return
	}
	v.asked.Add(1)
	tag := `"` + strings.Repeat("v", int(v.version.Load())+1) + `"`
	w.Header().Set("Etag", tag)
	w.Header().Set("Last-Modified", "Mon, 02 Nov 2026 08:00:00 GMT")
	w.Header().Set("X-Asked", time.Now().UTC().Format(time.RFC3339))
	if r.Header.Get("If-None-Match") == tag {
		v.unchanged.Add(1)
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", "text/html")
	io.WriteString(w, story+tag)
}

func TestCacheOfADay(t *testing.T) {
	t.Parallel()
	files, err := web.NewFileCache(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, cache := range map[string]web.Cache{"memory": nil, "files": files} {
		synctest.Test(t, func(t *testing.T) {
			blobs := openBlobs(t)
			n := webtest.NewNet(t)
			v := new(versions)
			n.Handle("site.example", v)
			f := newFetcher(t, n, web.Config{Blobs: blobs, Cache: cache})
			get := func(fresh bool) *web.Snapshot {
				t.Helper()
				s, err := f.Fetch(t.Context(), web.Request{URL: "http://site.example/a", Fresh: fresh})
				if err != nil || s.Outcome != web.OK {
					t.Fatal(s, err)
				}
				return s
			}
			first := get(false)
			time.Sleep(23*time.Hour + 59*time.Minute)
			if s := get(false); s.Ref != first.Ref || v.asked.Load() != 1 {
				t.Errorf("%s: the page was fetched again on the same day", name)
			}
			if s := get(true); s.Ref == first.Ref || v.asked.Load() != 2 || v.unchanged.Load() != 0 || s.BodyRef != first.BodyRef {
				t.Errorf("%s: a fresh page was not asked for", name)
			}
			time.Sleep(2 * time.Minute) // the next day
			s := get(false)
			if v.asked.Load() != 3 || v.unchanged.Load() != 1 || s.Status != http.StatusNotModified || s.Revalidated == "" {
				t.Errorf("%s: the page was not revalidated: %d asked, %d unchanged, status %d", name, v.asked.Load(), v.unchanged.Load(), s.Status)
			}
			if string(s.Body()) != string(first.Body()) || s.MediaType != "text/html" || s.Header.Get("Content-Type") == "" || s.Header.Get("X-Asked") != s.Started.Format(time.RFC3339) {
				t.Errorf("%s: what was revalidated is %+v", name, s)
			}
			again, err := web.Open(t.Context(), blobs, s.Ref)
			if err != nil || string(again.Body()) != string(first.Body()) {
				t.Errorf("%s: what was revalidated cannot be read: %v", name, err)
			}
			if s := get(false); v.asked.Load() != 3 || s.Ref != again.Ref {
				t.Errorf("%s: what was revalidated is not the newest", name)
			}
			v.version.Add(1)
			time.Sleep(24 * time.Hour)
			if s := get(false); s.BodyRef == first.BodyRef || s.Status != http.StatusOK || v.unchanged.Load() != 1 {
				t.Errorf("%s: the new version was not fetched", name)
			}
		})
	}
}

// TestFailuresOfTheMomentAreNotCached asks again after a failure.
func TestFailuresOfTheMomentAreNotCached(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := webtest.NewNet(t)
		var status atomic.Int64
		n.Handle("site.example", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(int(status.Load()))
			io.WriteString(w, story)
		}))
		f := newFetcher(t, n, web.Config{Blobs: openBlobs(t), IgnoreRobots: true})
		status.Store(500)
		if s := fetch(t, f, "http://site.example/a"); s.Outcome != web.ServerError || s.Ref == "" {
			t.Errorf("the outcome is %s, kept as %q", s.Outcome, s.Ref)
		}
		status.Store(200)
		if s := fetch(t, f, "http://site.example/a"); s.Outcome != web.OK {
			t.Errorf("the failure was kept: %s", s.Outcome)
		}
		status.Store(404)
		if s := fetch(t, f, "http://site.example/b"); s.Outcome != web.NotFound {
			t.Errorf("the outcome is %s", s.Outcome)
		}
		status.Store(200)
		if s := fetch(t, f, "http://site.example/b"); s.Outcome != web.NotFound {
			t.Errorf("what was not found was asked for again on the same day: %s", s.Outcome)
		}
	})
}

func TestParseRefusesWhatIsNoRecord(t *testing.T) {
	t.Parallel()
	for _, record := range []string{
		"", "null", "[]", "{}", `{"version":0}`, `{"version":2,"url":"http://a.example/","outcome":"ok"}`,
		`{"version":1,"url":"","outcome":"ok"}`, `{"version":1,"url":"http://a.example/","outcome":"fine"}`,
		`{"version":1,"url":"http://a.example/","outcome":"ok","body":"../../etc/passwd"}`,
		`{"version":1,"url":"http://a.example/","outcome":"ok","size":-1}`,
	} {
		if s, err := web.Parse([]byte(record)); err == nil {
			t.Errorf("%s was read as %+v", record, s)
		}
	}
	s, err := web.Parse([]byte(`{"version":1,"url":"http://a.example/","outcome":"ok","body":"` + blob.Ref([]byte("a")) + `","size":1}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Attach([]byte("b")); err == nil {
		t.Error("another body was attached")
	}
	if err := s.Attach([]byte("a")); err != nil {
		t.Error(err)
	}
}

// TestRecordStaysReadable reads the record of version 1 that is kept in testdata.
func TestRecordStaysReadable(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/snapshot-1.json")
	if err != nil {
		t.Fatal(err)
	}
	s, err := web.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	back, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.TrimSpace(string(data)), string(back)); diff != "" {
		t.Errorf("the record is read or written differently:\n%s", diff)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"version":1,"url":"http://a.example/","outcome":"ok"}`))
	f.Fuzz(func(t *testing.T, record []byte) {
		s, err := web.Parse(record)
		if err != nil {
			return
		}
		data, err := json.Marshal(s)
		if err != nil {
			t.Fatalf("a record that was read cannot be written: %v", err)
		}
		if _, err := web.Parse(data); err != nil {
			t.Errorf("a record that was written cannot be read: %v", err)
		}
	})
}
