package anthropic

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2/packages/ssestream"

	"github.com/quarry-sdk/quarry/internal/sse"
)

// BenchmarkFraming compares internal/sse's cutting of a stream into events with
// the SDK's, which it replaces.
func BenchmarkFraming(b *testing.B) {
	const events = 13
	b.Run("own", func(b *testing.B) {
		b.ReportAllocs()
		var f sse.Reader
		buf := bufio.NewReaderSize(nil, 4<<10)
		r := strings.NewReader(smallStream)
		for b.Loop() {
			r.Reset(smallStream)
			buf.Reset(r)
			f.Reset(buf)
			n := 0
			for f.Next() == nil {
				n++
			}
			if n != events {
				b.Fatalf("%d events", n)
			}
		}
	})
	b.Run("sdk", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			d := ssestream.NewDecoder(&http.Response{Body: io.NopCloser(strings.NewReader(smallStream))})
			n := 0
			for d.Next() {
				n++
			}
			if n != events || d.Err() != nil {
				b.Fatalf("%d events, %v", n, d.Err())
			}
		}
	})
}
