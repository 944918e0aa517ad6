package office_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/quarry-sdk/quarry/extract"
	"github.com/quarry-sdk/quarry/extract/office"
)

func TestHostile(t *testing.T) {
	t.Parallel()
	blank := strings.Repeat(" ", 1<<20)
	bomb := para("", strings.Repeat("a", 100<<20))
	var many []string
	for i := range 3000 {
		many = append(many, fmt.Sprintf("part%d", i), "")
	}
	tests := []struct {
		name   string
		config office.Config
		data   []byte
		want   error
	}{
		{"no zip", office.Config{}, []byte("hello"), extract.ErrDamaged},
		{"nothing", office.Config{}, nil, extract.ErrDamaged},
		{"another zip", office.Config{}, zipped("a.txt", "x"), extract.ErrUnsupported},
		{"an old file", office.Config{}, []byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1 WordDocument"), extract.ErrUnsupported},
		{"an encrypted one", office.Config{}, []byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1 E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00"), extract.ErrEncrypted},
		{"too large", office.Config{MaxBytes: 10}, docx(""), extract.ErrTooLarge},
		{"a bomb of text", office.Config{}, docx(bomb), extract.ErrTooLarge},
		{"a bomb of rows", office.Config{MaxUnpacked: 4 << 20}, xlsx(strings.Repeat(`<row r="1"><c r="XFD1"/></row>`, 1<<18)), extract.ErrTooLarge},
		{"a bomb of styles", office.Config{MaxUnpacked: 1 << 20}, docx("", "word/styles.xml2", blank, "docProps/x", ""), extract.ErrEmpty},
		{"many parts", office.Config{MaxParts: 2000}, docx("", many...), extract.ErrTooLarge},
		{"deep elements", office.Config{}, docx(strings.Repeat("<w:x>", 5000)), extract.ErrTooLarge},
		{"deep tables", office.Config{}, docx(strings.Repeat("<w:tbl><w:tr><w:tc>", 5000)), extract.ErrTooLarge},
		{"entities", office.Config{}, document("word/document.xml", `<!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><w:document xmlns:w="`+wordNS+`"><w:p><w:r><w:t>&b;</w:t></w:r></w:p></w:document>`), extract.ErrDamaged},
		{"an outer entity", office.Config{}, document("word/document.xml", `<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><w:document xmlns:w="`+wordNS+`"><w:p><w:r><w:t>&x;</w:t></w:r></w:p></w:document>`), extract.ErrDamaged},
		{"cut XML", office.Config{}, document("word/document.xml", `<w:document xmlns:w="`+wordNS+`"><w:p>`), extract.ErrDamaged},
		{"two parts of one name", office.Config{}, zipped("word/document.xml", "<a/>", "WORD/./document.xml", "<b/>"), extract.ErrDamaged},
		{"a main part outside", office.Config{}, zipped("_rels/.rels", rels("r", "officeDocument", "../../../etc/passwd")), extract.ErrUnsupported},
		{"no text", office.Config{}, docx("<w:p/>"), extract.ErrEmpty},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			start := time.Now()
			if _, err := read(t, test.config, test.data); !errors.Is(err, test.want) {
				t.Errorf("error %v, want %v", err, test.want)
			}
			if took := time.Since(start); took > time.Minute {
				t.Errorf("it took %v; a machine that has nothing else to do needs seconds", took)
			}
		})
	}
}

func TestMaxText(t *testing.T) {
	t.Parallel()
	doc, err := read(t, office.Config{MaxText: 12}, docx(para("", "one")+para("", "two äöü")+para("", "three")))
	if err != nil {
		t.Fatal(err)
	}
	checkDocument(t, doc)
	if doc.Text != "one\n\ntwo ä" || len(doc.Warnings) != 1 || doc.Warnings[0].Code != "truncated" || doc.Title != "A Title" {
		t.Errorf("text %q, warnings %v", doc.Text, doc.Warnings)
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	r, err := office.New(office.Config{})
	if err != nil {
		t.Fatal(err)
	}
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if _, err := r.Read(ctx, docx(para("", "x"))); !errors.Is(err, cause) {
		t.Errorf("error %v", err)
	}
}

// TestDamagedZip cuts and changes bytes of a file everywhere: no panic, and an error
// of a known kind or a sound document.
func TestDamagedZip(t *testing.T) {
	t.Parallel()
	for _, data := range [][]byte{docx(para("", "text")), presentation(), epub()} {
		for i := 0; i < len(data); i += 29 {
			for _, damaged := range [][]byte{data[:i], append(bytes.Clone(data[:i]), append([]byte{data[i] ^ 0x55}, data[i+1:]...)...)} {
				check(t, damaged)
			}
		}
	}
}

func check(t *testing.T, data []byte) {
	t.Helper()
	doc, err := read(t, office.Config{ReadHTML: readHTML, MaxUnpacked: 4 << 20, MaxText: 1 << 20}, data)
	if err == nil {
		checkDocument(t, doc)
		return
	}
	for _, k := range []error{extract.ErrDamaged, extract.ErrEmpty, extract.ErrEncrypted, extract.ErrTooLarge, extract.ErrUnsupported} {
		if errors.Is(err, k) {
			return
		}
	}
	t.Fatalf("an error of no kind: %v", err)
}
