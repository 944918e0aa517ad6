package web_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/quarry-sdk/quarry/blob"
	"github.com/quarry-sdk/quarry/web"
	"github.com/quarry-sdk/quarry/web/webtest"
)

// newFetcher returns a fetcher on a network in memory, which waits for nothing.
func newFetcher(t *testing.T, n *webtest.Net, c web.Config) *web.Fetcher {
	t.Helper()
	c.Guard = n.Guard()
	if c.HostInterval == 0 {
		c.HostInterval = -1
	}
	f, err := web.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

func fetch(t *testing.T, f *web.Fetcher, url string) *web.Snapshot {
	t.Helper()
	s, err := f.Fetch(t.Context(), web.Request{URL: url})
	if err != nil {
		t.Fatalf("Fetch(%s): %v", url, err)
	}
	return s
}

func TestFixtures(t *testing.T) {
	t.Parallel()
	for _, x := range webtest.Fixtures() {
		t.Run(x.Name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := webtest.NewNet(t)
				n.HandleFixtures()
				blobs, err := blob.Open(t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				f := newFetcher(t, n, web.Config{Blobs: blobs, MaxBytes: 1 << 20})
				s := fetch(t, f, x.URL)
				if s.Outcome != x.Outcome || s.Reason == "" {
					t.Fatalf("the outcome is %s (%s %v), want %s", s.Outcome, s.Reason, s.Signals, x.Outcome)
				}
				if x.Outcome != web.OK && len(s.Signals) == 0 {
					t.Error("no signal tells why")
				}
				if x.MediaType != "" && s.MediaType != x.MediaType {
					t.Errorf("the type is %s, want %s", s.MediaType, x.MediaType)
				}
				check := func(s *web.Snapshot, has []string) {
					for _, text := range append(has, x.Hidden...) {
						if !strings.Contains(string(s.Body()), text) {
							t.Errorf("the body lacks %q", text)
						}
					}
				}
				check(s, x.Has)
				if x.Second == nil {
					return
				}
				again, err := f.Fetch(t.Context(), web.Request{URL: x.URL, Fresh: true})
				if err != nil {
					t.Fatal(err)
				}
				check(again, x.Second)
				if again.BodyRef == s.BodyRef {
					t.Error("both fetches have the same body")
				}
				first, err := web.Open(t.Context(), blobs, s.Ref)
				if err != nil {
					t.Fatal(err)
				}
				check(first, x.Has)
			})
		})
	}
}
