package pdf_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quarry-sdk/quarry/extract"
	"github.com/quarry-sdk/quarry/extract/pdf"
)

// open returns a reader of its own.
func open(t *testing.T, config pdf.Config) *pdf.Reader {
	t.Helper()
	config.CacheDir = cacheDir()
	r, err := pdf.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// endless is a page that would take hours: forms within forms, ten in each.
func endless(content string) []byte {
	const depth = 12
	extra := make([]string, 0, depth)
	first := 10 // behind two pages
	for i := range depth {
		resources := fmt.Sprintf("/Resources<</Font<</F 4 0 R>>/XObject<</X %d 0 R>>>>", first+i+1)
		body := strings.Repeat("/X Do ", 10)
		if i == depth-1 {
			resources, body = "/Resources<</Font<</F 4 0 R>>>>", strings.Repeat(at(50, 50, 10, "ha"), 100)
		}
		extra = append(extra, stream("/Type/XObject/Subtype/Form/BBox[0 0 600 800]"+resources, []byte(body)))
	}
	return pages("/XObject<</X 10 0 R>>", []string{strings.Repeat("/X Do ", 10), content}, extra...)
}

func TestPageTime(t *testing.T) {
	t.Parallel()
	r := open(t, pdf.Config{PageTime: 3 * time.Second, Time: time.Minute})
	start := time.Now()
	doc, err := r.Read(t.Context(), endless(at(50, 700, 10, "the second page")))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(doc.Pages[0].Unquotable, "took more than 3s") || doc.Text != "the second page" {
		t.Errorf("pages %+v, text %q", doc.Pages, doc.Text)
	}
	if took := time.Since(start); took > 50*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestTime(t *testing.T) {
	t.Parallel()
	r := open(t, pdf.Config{Time: 300 * time.Millisecond})
	if _, err := r.Read(t.Context(), endless("")); !errors.Is(err, extract.ErrTooLarge) || !strings.Contains(fmt.Sprint(err), "Config.Time") {
		t.Errorf("error %v", err)
	}
}

// TestCancel ends a read from outside, in the middle of a call into PDFium, and
// another before the start is over.
func TestCancel(t *testing.T) {
	t.Parallel()
	r := open(t, pdf.Config{})
	cause := errors.New("enough")
	ctx, cancel := context.WithTimeoutCause(t.Context(), time.Nanosecond, cause)
	defer cancel()
	if _, err := r.Read(ctx, pages("", []string{""})); !errors.Is(err, cause) {
		t.Errorf("error %v", err)
	}
	if _, err := r.Read(t.Context(), pages("", []string{""})); err != nil { // it has started
		t.Fatal(err)
	}
	ctx, cancel = context.WithTimeoutCause(t.Context(), 200*time.Millisecond, cause)
	defer cancel()
	if _, err := r.Read(ctx, endless("")); !errors.Is(err, cause) {
		t.Errorf("error %v", err)
	}
}

// TestMemory reads a page whose content grows beyond the memory of an instance.
func TestMemory(t *testing.T) {
	t.Parallel()
	r := open(t, pdf.Config{MaxMemory: 32 << 20})
	data := pages("", []string{strings.Repeat(" ", 80<<20), at(50, 700, 10, "after the bomb")})
	doc, err := r.Read(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(doc.Text, "after the bomb") || len(doc.Pages) != 2 {
		t.Errorf("pages %+v, text %.100q", doc.Pages, doc.Text)
	}
}

func TestCaps(t *testing.T) {
	t.Parallel()
	data := pages("", []string{at(50, 700, 10, "one 你"), at(50, 700, 10, "two"), at(50, 700, 10, "three")})
	tests := []struct {
		name   string
		config pdf.Config
		text   string
		pages  int
	}{
		{"pages", pdf.Config{MaxPages: 2}, "one ä½\u00a0\n\ntwo", 2},
		{"text", pdf.Config{MaxText: 12}, "one ä½\u00a0\n\nt", 2},
	}
	for _, test := range tests {
		doc, err := open(t, test.config).Read(t.Context(), data)
		if err != nil {
			t.Fatal(err)
		}
		checkDocument(t, test.name, doc)
		if len(doc.Pages) != test.pages || len(doc.Warnings) != 1 || doc.Warnings[0].Code != "truncated" {
			t.Errorf("%s: text %q, pages %v, warnings %v", test.name, doc.Text, doc.Pages, doc.Warnings)
		}
	}
	if _, err := open(t, pdf.Config{MaxBytes: 100}).Read(t.Context(), data); !errors.Is(err, extract.ErrTooLarge) {
		t.Errorf("error %v", err)
	}
	if _, err := pdf.New(pdf.Config{MaxMemory: 1}); err == nil {
		t.Error("a limit that cannot work is accepted")
	}
}

func TestPasswords(t *testing.T) {
	t.Parallel()
	root, _, password := sharedFiles(t)
	for _, name := range []string{"pdf.js/issue6010_1.pdf", "sample-files/libreoffice-writer-password.pdf", "pdf.js/saslprep-r6.pdf"} {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := read(t, data, ""); !errors.Is(err, extract.ErrEncrypted) || !strings.Contains(err.Error(), "Config.Password") {
			t.Errorf("%s without a password: %v", name, err)
		}
		if _, err := read(t, data, "wrong"); !errors.Is(err, extract.ErrEncrypted) {
			t.Errorf("%s with a wrong password: %v", name, err)
		}
		doc, err := read(t, data, password[name])
		if err != nil || len(doc.Text) < 10 {
			t.Errorf("%s with its password: %v", name, err)
		}
	}
}

func TestDamaged(t *testing.T) {
	t.Parallel()
	whole := pages("", []string{at(50, 700, 10, "text")})
	for name, data := range map[string][]byte{"nothing": nil, "no PDF": []byte("hello"), "a head": whole[:40], "zeros": make([]byte, 1000)} {
		if _, err := read(t, data, ""); !errors.Is(err, extract.ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The table of objects at the end is found again.
	doc, err := read(t, whole[:len(whole)-20], "")
	if err != nil || doc.Text != "text" {
		t.Errorf("cut: %v", err)
	}
}

// TestClose: a closed reader refuses, one that was never used closes, and one that
// is in use waits.
func TestClose(t *testing.T) {
	t.Parallel()
	unused, err := pdf.New(pdf.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := unused.Close(); err != nil {
		t.Error(err)
	}
	if _, err := unused.Read(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("error %v", err)
	}
	r, err := pdf.New(pdf.Config{CacheDir: cacheDir()})
	if err != nil {
		t.Fatal(err)
	}
	data := pages("", []string{at(50, 700, 10, "text")})
	var wg sync.WaitGroup
	for range 5 { // more than there are instances
		wg.Go(func() {
			doc, err := r.Read(t.Context(), data)
			if err != nil || doc.Text != "text" {
				t.Errorf("error %v", err)
			}
		})
	}
	wg.Wait()
	for range 2 {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}
