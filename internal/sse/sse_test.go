package sse

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// read lists the events of a stream, one a line; ! marks one that was cut.
func read(t testing.TB, src io.Reader) string {
	t.Helper()
	var out strings.Builder
	var r Reader
	r.Reset(bufio.NewReaderSize(src, 16))
	for {
		err := r.Next()
		if err == io.EOF {
			return out.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString(string(r.Event) + "|" + string(r.Data))
		if r.Cut {
			out.WriteByte('!')
		}
		out.WriteByte('\n')
	}
}

func TestReader(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ stream, want string }{
		"one":               {"event: a\ndata: 1\n\n", "a|1\n"},
		"no name":           {"data: 1\n\ndata: 2\n\n", "|1\n|2\n"},
		"CRLF":              {"event: a\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n", "a|1\n|2\n"},
		"CR":                {"event: a\rdata: 1\r\rdata: 2\r\r", "a|1\n|2\n"},
		"mark":              {"\ufeffdata: 1\n\n", "|1\n"},
		"comments":          {": hello\n\n: again\ndata: 1\n: within\n\n", "|1\n"},
		"lines":             {"data: 1\ndata: 2\n\n", "|1\n2\n"},
		"no blank":          {"data:1\n\n", "|1\n"},
		"two blanks":        {"data:  1\n\n", "| 1\n"},
		"no data":           {"event: a\n\ndata: 1\n\n", "|1\n"},
		"other fields":      {"id: 7\nretry: 9\ndata: 1\n\n", "|1\n"},
		"empty data":        {"data\n\n", "|\n"},
		"longer than a buf": {"data: " + strings.Repeat("ü", 100) + "\n\n", "|" + strings.Repeat("ü", 100) + "\n"},
		"cut":               {"data: 1\n\ndata: 2\n", "|1\n|2!\n"},
		"cut in a line":     {"data: 1\n\ndata: 2", "|1\n|2!\n"},
		"nothing":           {"", ""},
	} {
		if got := read(t, strings.NewReader(tt.stream)); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
		if got := read(t, iotest.OneByteReader(strings.NewReader(tt.stream))); got != tt.want {
			t.Errorf("%s, byte by byte: %q, want %q", name, got, tt.want)
		}
	}
}

func TestReaderErrors(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	var r Reader
	r.Reset(bufio.NewReader(io.MultiReader(strings.NewReader("data: 1"), iotest.ErrReader(broken))))
	if err := r.Next(); err != broken {
		t.Errorf("a connection that breaks: %v", err)
	}
	r.Reset(bufio.NewReader(io.MultiReader(strings.NewReader("data: "), endless{})))
	if err := r.Next(); err != ErrTooLarge {
		t.Errorf("an event without an end: %v", err)
	}
}

// endless is a line that never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// FuzzReader: how a stream is cut into pieces makes no difference.
func FuzzReader(f *testing.F) {
	f.Add("event: a\ndata: 1\n\ndata: 2\r\n\r\n", 5)
	f.Add(":c\rdata:x\r\ndata\n\n\ufeffdata: é", 9)
	f.Fuzz(func(t *testing.T, stream string, cut int) {
		cut = min(max(cut, 0), len(stream))
		whole := read(t, strings.NewReader(stream))
		if two := read(t, io.MultiReader(strings.NewReader(stream[:cut]), strings.NewReader(stream[cut:]))); two != whole {
			t.Fatalf("%q cut at %d: %q, want %q", stream, cut, two, whole)
		}
	})
}
