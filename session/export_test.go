package session_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/session/sessiontest"
)

// exported returns a session of every kind of event as a file.
func exported(tb testing.TB) string {
	store := session.NewMemory()
	var recs []session.Record
	for i, ev := range sessiontest.Events() {
		recs = append(recs, session.Record{Seq: int64(i + 1), Time: time.Date(2026, 1, 2, 3, 4, 5, i, time.UTC), Event: ev})
	}
	if err := store.Append(tb.Context(), "a", 0, recs); err != nil {
		tb.Fatal(err)
	}
	var file bytes.Buffer
	if err := session.Export(tb.Context(), store, "a", &file); err != nil {
		tb.Fatal(err)
	}
	return file.String()
}

const (
	head  = `{"format":"quarry.session","version":1,"session":"a","records":2}` + "\n"
	line1 = `{"seq":1,"time":"2026-01-02T03:04:05Z","kind":"started","data":{"format":1,"machine":"agent","agent":"clerk"}}` + "\n"
	line2 = `{"seq":2,"time":"2026-01-02T03:04:06.000000007+01:00","kind":"resumed","data":{}}` + "\n"
)

func TestImport(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{
		"whole": head + line1 + line2, "no last line end": head + line1 + strings.TrimSpace(line2),
		"line ends of Windows":  strings.ReplaceAll(head+line1+line2, "\n", "\r\n"),
		"fields of later times": strings.Replace(head, "{", `{"tool":"x",`, 1) + line1 + line2,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := session.NewMemory()
			id, err := session.Import(t.Context(), store, iotest.OneByteReader(strings.NewReader(file)), "")
			if id != "a" || err != nil {
				t.Fatalf("Import gives %q, %v", id, err)
			}
			want := []session.Record{
				{Seq: 1, Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Event: &session.Started{Format: 1, Machine: "agent", Agent: "clerk"}},
				{Seq: 2, Time: time.Date(2026, 1, 2, 2, 4, 6, 7, time.UTC), Event: &session.Resumed{}},
			}
			got := journalOf(t, store, "a")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the records differ (-want +got):\n%s", diff)
			}
			if zone := got[1].Time.Location(); zone != time.UTC {
				t.Errorf("a time is in the zone %v", zone)
			}
		})
	}
}

func journalOf(t *testing.T, store session.Store, id string) (recs []session.Record) {
	t.Helper()
	for rec, err := range store.Load(t.Context(), id, 0) {
		if err != nil {
			t.Fatal(err)
		}
		recs = append(recs, rec)
	}
	return recs
}

func TestImportErrors(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, file string
		line       int
		want       string
	}{
		{"empty", "", 1, "the file is empty"},
		{"blank", "\n", 1, "it is not the header"},
		{"another file", "hello\n", 1, "it is not the header"},
		{"a record first", line1, 1, "it is not the header"},
		{"another format", `{"format":"csv","version":1}`, 1, "it is not the header"},
		{"no version", `{"format":"quarry.session"}`, 1, "it is not the header"},
		{"newer", `{"format":"quarry.session","version":2,"session":{"of":"another shape"}}`, 1, "the file has version 2 and this version reads up to 1 (use a newer quarry)"},
		{"damaged header", `{"format":"quarry.session","version":1,"session":7}`, 1, "the header is damaged"},
		{"no records", `{"format":"quarry.session","version":1,"session":"a"}`, 1, "there are 0 records"},
		{"header alone", head, 2, "the file ends where record 1 of 2 is due"},
		{"a record missing at the end", head + line1, 3, "the file ends where record 2 of 2 is due"},
		{"a record missing", head + line2, 2, "record 2 comes where 1 is due"},
		{"a record twice", head + line1 + line1, 3, "record 1 comes where 2 is due"},
		{"cut within a record", head + line1 + line2[:30], 3, "it is not a record"},
		{"blank line", head + line1 + "\n" + line2, 3, "it is not a record"},
		{"more than there should be", head + line1 + line2 + line2, 4, "there is more than the 2 records"},
		{"text behind", head + line1 + line2 + "x", 4, "there is more than the 2 records"},
		{"two in a line", head + strings.TrimSpace(line1) + line2, 2, "it is not a record"},
		{"not UTF-8", head + strings.Replace(line1, "clerk", "cl\xffrk", 1) + line2, 2, "it is not UTF-8"},
		{"unknown kind", head + line1 + strings.Replace(line2, "resumed", "dreamed", 1), 3, "this version does not know the kind of event (use a newer quarry)"},
		{"newer journal", head + strings.Replace(line1, `"format":1`, `"format":9`, 1) + line2, 2, "the journal has format 9"},
		{"damaged event", head + line1 + strings.Replace(line2, "{}", "[]", 1), 3, "it is damaged"},
		{"no data", head + line1 + strings.Replace(line2, `,"data":{}`, "", 1), 3, "it is damaged"},
		{"no time", head + line1 + `{"seq":2,"kind":"resumed","data":{}}`, 3, "record 2 has no time"},
		{"null", head + line1 + "null", 3, "the record cannot be used"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			store := session.NewMemory()
			id, err := session.Import(t.Context(), store, strings.NewReader(tc.file), "")
			var ie *session.ImportError
			if id != "" || !errors.As(err, &ie) || ie.Line != tc.line || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("Import gives %q, %v\nwant %q in line %d", id, err, tc.want, tc.line)
			}
			if !strings.Contains(err.Error(), fmt.Sprintf("line %d: ", tc.line)) {
				t.Errorf("%v does not name the line", err)
			}
			for info := range store.List(t.Context(), session.Filter{}) {
				t.Errorf("something was imported: %+v", info)
			}
		})
	}
	store := session.NewMemory()
	if _, err := session.Import(t.Context(), store, strings.NewReader(strings.Replace(head, `"a"`, `"../a"`, 1)+line1+line2), ""); err == nil {
		t.Error("Import took an id that is a path")
	}
	if _, err := session.Import(t.Context(), store, strings.NewReader(head+line1+line2), "a b"); err == nil {
		t.Error("Import took a bad id")
	}
	if _, err := session.Import(t.Context(), store, iotest.ErrReader(errors.New("the disk is gone")), ""); err == nil || !strings.Contains(err.Error(), "the disk is gone") {
		t.Errorf("Import of what cannot be read: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := session.Import(ctx, store, strings.NewReader(head+line1+line2), ""); !errors.Is(err, context.Canceled) {
		t.Errorf("Import after its context had ended: %v", err)
	}
}

// TestExportErrors writes to what takes less than everything.
func TestExportErrors(t *testing.T) {
	t.Parallel()
	store := session.NewMemory()
	if _, err := session.Import(t.Context(), store, strings.NewReader(head+line1+line2), ""); err != nil {
		t.Fatal(err)
	}
	if err := session.Export(t.Context(), store, "a", failingWriter{}); err == nil || !strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("Export: %v", err)
	}
	for _, id := range []string{"", "b"} {
		if err := session.Export(t.Context(), store, id, &bytes.Buffer{}); !errors.Is(err, session.ErrNotFound) {
			t.Errorf("Export of %q: %v, want ErrNotFound", id, err)
		}
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

// FuzzImport checks that no file brings Import down, that a file is taken whole or
// not at all, and that what was taken comes out and goes in again unchanged.
func FuzzImport(f *testing.F) {
	whole := exported(f)
	for _, file := range []string{"", head, head + line1, head + line1 + line2, whole, whole[:len(whole)/2], strings.Replace(whole, "1", "2", 3)} {
		f.Add([]byte(file))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		store := session.NewMemory()
		id, err := session.Import(t.Context(), store, bytes.NewReader(file), "")
		if err != nil {
			for info := range store.List(t.Context(), session.Filter{}) {
				t.Fatalf("after %v there is %+v", err, info)
			}
			return
		}
		var again bytes.Buffer
		if err := session.Export(t.Context(), store, id, &again); err != nil {
			t.Fatalf("what was imported cannot be exported: %v", err)
		}
		first := again.String()
		if _, err := session.Import(t.Context(), store, &again, "again"); err != nil && id != "again" {
			t.Fatalf("what was exported cannot be imported: %v\n%s", err, first)
		}
		if id == "again" {
			return
		}
		var third bytes.Buffer
		if err := session.Export(t.Context(), store, "again", &third); err != nil {
			t.Fatal(err)
		}
		_, a, _ := strings.Cut(first, "\n")
		if _, b, _ := strings.Cut(third.String(), "\n"); a != b {
			t.Fatalf("the records changed:\n%s\n%s", a, b)
		}
	})
}
