package webtools_test

import (
	"context"
	"strings"
	"testing"

	"github.com/quarry-sdk/quarry/blob"
	"github.com/quarry-sdk/quarry/evidence"
	"github.com/quarry-sdk/quarry/extract"
	"github.com/quarry-sdk/quarry/extract/formats"
	"github.com/quarry-sdk/quarry/toolbox/webtools"
	"github.com/quarry-sdk/quarry/web"
	"github.com/quarry-sdk/quarry/web/webtest"
)

// TestHostilePages: from the wire to the model, each page on which readers go wrong
// ends with the outcome and the text that a person would give, what is hidden is not
// shown, and what is shown can be quoted from the snapshot that was kept.
func TestHostilePages(t *testing.T) {
	t.Parallel()
	reader, err := formats.Open(formats.Config{CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = reader.Close() })
	read := func(ctx context.Context, s *web.Snapshot) (*extract.Document, error) {
		return reader.Read(ctx, s.Body(), s.Hint())
	}
	n := webtest.NewNet(t)
	n.HandleFixtures()
	blobs, err := blob.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	pages := 0
	for _, x := range webtest.Fixtures() {
		if x.Outcome == web.Timeout || x.Outcome == web.TooLarge {
			continue // package web waits for these in a bubble
		}
		pages++
		fetcher, err := web.New(web.Config{Blobs: blobs, Guard: n.Guard(), HostInterval: -1, MaxBytes: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		var kept *web.Snapshot
		text, isError := call(t, webtools.Config{Fetcher: fetcher, Read: read, OnFetch: func(_ context.Context, s *web.Snapshot, _ *extract.Document) { kept = s }},
			webtools.FetchName, map[string]string{"url": x.URL})
		fetcher.Close()
		if isError || !strings.Contains(text, "outcome: "+string(x.Outcome)) {
			t.Errorf("%s: want %s:\n%s", x.Name, x.Outcome, text)
			continue
		}
		if x.Outcome != web.OK {
			continue
		}
		stored, err := web.Open(t.Context(), blobs, kept.Ref)
		if err != nil {
			t.Errorf("%s: %v", x.Name, err)
			continue
		}
		doc, err := read(t.Context(), stored)
		if err != nil {
			t.Errorf("%s: %v", x.Name, err)
			continue
		}
		for _, sentence := range x.Has {
			if !strings.Contains(evidence.Normalize(text), evidence.Normalize(sentence)) || len(evidence.Locate(doc.Text, sentence)) == 0 {
				t.Errorf("%s: %q is not in\n%s", x.Name, sentence, text)
			}
		}
		for _, sentence := range x.Hidden {
			if strings.Contains(text, sentence) || len(evidence.Locate(doc.Text, sentence)) > 0 {
				t.Errorf("%s: %q is shown:\n%s", x.Name, sentence, text)
			}
		}
		if len(x.Hidden) > 0 && doc.Hidden == 0 {
			t.Errorf("%s: nothing was counted as hidden", x.Name)
		}
	}
	if pages < 12 {
		t.Errorf("only %d pages", pages)
	}
	t.Logf("%d pages", pages)
}
