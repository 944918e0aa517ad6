package warc_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/nlnwa/gowarc/v3"

	"github.com/quarry-sdk/quarry/web"
	"github.com/quarry-sdk/quarry/web/warc"
	"github.com/quarry-sdk/quarry/web/webtest"
)

// snapshots fetches all fixtures, and what is worse.
func snapshots(t *testing.T) (list []*web.Snapshot) {
	n := webtest.NewNet(t)
	n.HandleFixtures()
	n.Handle("gzip.example", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header()["X-Odd"] = []string{"a", "b"}
		z := gzip.NewWriter(w)
		io.WriteString(z, "<p>Compressed on its way, and read as it was written.</p>")
		z.Close()
	}))
	f, err := web.New(web.Config{Guard: n.Guard(), HostInterval: -1, MaxBytes: 1 << 20, Renderer: renderer{}})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	urls := []string{"http://gzip.example/a", "http://127.0.0.1/", "not a URL at all\x00", "http://nowhere.example/"}
	for _, x := range webtest.Fixtures() {
		urls = append(urls, x.URL)
	}
	for _, url := range urls {
		s, err := f.Fetch(t.Context(), web.Request{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	return list
}

func write(t *testing.T, list []*web.Snapshot) []byte {
	t.Helper()
	var file bytes.Buffer
	w := warc.NewWriter(&file)
	for _, s := range list {
		if err := w.Write(s); err != nil {
			t.Fatal(err)
		}
	}
	return file.Bytes()
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		want := snapshots(t)
		var got []*web.Snapshot
		for s, err := range warc.Read(bytes.NewReader(write(t, want))) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, s)
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(web.Snapshot{}), cmpopts.IgnoreFields(web.Snapshot{}, "Ref")); diff != "" {
			t.Fatalf("what was read back differs:\n%s", diff)
		}
		rendered := 0
		for i := range want {
			if !bytes.Equal(want[i].Body(), got[i].Body()) {
				t.Errorf("the body of %s differs", want[i].URL)
			}
			if want[i].Renderer != "" {
				rendered++
			}
		}
		if rendered != 1 {
			t.Errorf("%d pages were rendered, want 1", rendered)
		}
	})
}

// TestOthersCanRead reads the records with strict validation, as other programs do.
func TestOthersCanRead(t *testing.T) { // not in parallel: gowarc prepares its readers with a race
	synctest.Test(t, func(t *testing.T) {
		data := write(t, snapshots(t)[:1])
		r, err := gowarc.NewWarcFileReaderFromStream(bytes.NewReader(data), 0, gowarc.WithStrictValidation())
		if err != nil {
			t.Fatal(err)
		}
		var kinds []string
		for record, err := range r.Records() {
			if err != nil {
				t.Fatal(err)
			}
			kinds = append(kinds, record.WarcRecord.Type().String())
			head := record.WarcRecord.WarcHeader()
			if block, ok := record.WarcRecord.Block().(gowarc.HttpResponseBlock); ok {
				in, err := block.PayloadBytes()
				if err != nil {
					t.Fatal(err)
				}
				body, err := io.ReadAll(in)
				if err != nil || string(body) != "<p>Compressed on its way, and read as it was written.</p>" {
					t.Errorf("the payload is %q (%v)", body, err)
				}
				h := block.HttpHeader()
				if block.HttpStatusCode() != 200 || h.Get("Content-Encoding") != "" || h.Get("X-Archive-Orig-Content-Encoding") != "gzip" || len(h.Values("X-Odd")) != 2 {
					t.Errorf("the answer is %d %v", block.HttpStatusCode(), h)
				}
				if head.Get(gowarc.WarcIPAddress) != "45.33.0.3" || head.Get(gowarc.WarcTargetURI) != "http://gzip.example/a" || !strings.HasPrefix(head.Get(gowarc.WarcPayloadDigest), "sha256:") {
					t.Errorf("the header is %s", head)
				}
			}
		}
		if got := strings.Join(kinds, " "); got != "warcinfo response request metadata" {
			t.Errorf("the records are %s", got)
		}
	})
}

// TestDamagedFiles cuts a file at many places and changes a byte of it: what is
// yielded without an error is whole.
func TestDamagedFiles(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		want := snapshots(t)[:4]
		data := write(t, want)
		failures := 0
		try := func(data []byte) {
			for s, err := range warc.Read(bytes.NewReader(data)) {
				if err != nil {
					failures++
					return
				}
				if s.BodyRef != "" && int64(len(s.Body())) != s.Size {
					t.Errorf("a snapshot of %d bytes has %d", s.Size, len(s.Body()))
				}
			}
		}
		for n := 1; n < len(data); n += len(data)/97 + 1 {
			try(data[:n])
			changed := bytes.Clone(data)
			changed[n] ^= 0x55
			try(changed)
		}
		if failures < 90 {
			t.Errorf("only %d of the damaged files were refused", failures)
		}
		try([]byte("this is no WARC file"))
		try(nil)
	})
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("WARC/1.1\r\nWARC-Type: metadata\r\nContent-Length: 2\r\n\r\n{}\r\n\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, err := range warc.Read(bytes.NewReader(data)) {
			if err != nil {
				return
			}
		}
	})
}

// renderer is a renderer that knows what every page is like.
type renderer struct{}

func (renderer) Render(_ context.Context, url string) (*web.Rendered, error) {
	return &web.Rendered{HTML: []byte("<p>The page has a sentence when its scripts have run.</p>"), FinalURL: url, Renderer: "test/1"}, nil
}
