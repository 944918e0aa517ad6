package web

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// acceptEncoding is the header Accept-Encoding.
const acceptEncoding = "gzip, br, zstd, deflate"

// maxCodings is how many content codings may be stacked.
const maxCodings = 3

// zstdWindow is the largest window that RFC 9659 allows for content codings.
const zstdWindow = 8 << 20

// contentCodings returns the codings of a body, the last applied first.
func contentCodings(h http.Header) ([]string, error) {
	var codings []string
	for c := range strings.SplitSeq(strings.Join(h.Values("Content-Encoding"), ","), ",") {
		switch c = strings.ToLower(strings.TrimSpace(c)); c {
		case "", "identity":
		case "gzip", "x-gzip":
			codings = append(codings, "gzip")
		case "br", "zstd", "deflate":
			codings = append(codings, c)
		default:
			return nil, fmt.Errorf("its content coding %q is unknown", clip(c))
		}
	}
	if len(codings) > maxCodings {
		return nil, fmt.Errorf("it has %d content codings, one on the other, and no more than %d are taken off", len(codings), maxCodings)
	}
	slices.Reverse(codings)
	return codings, nil
}

// decoded reads a body with its codings taken off. A coding that the first bytes
// show not to be there is passed over, and noted.
type decoded struct {
	r       io.Reader
	codings []string
	lie     string
	closers []func()
}

// newDecoded prepares the reading. It does not read: the decoders are made when the
// first bytes are asked for.
func newDecoded(r io.Reader, codings []string) *decoded {
	d := &decoded{r: r}
	for _, c := range codings {
		d.add(c)
	}
	return d
}

func (d *decoded) Read(p []byte) (int, error) { return d.r.Read(p) }

func (d *decoded) close() {
	for _, c := range d.closers {
		c()
	}
}

// add takes one coding off what is read.
func (d *decoded) add(coding string) {
	in := bufio.NewReader(d.r)
	head, _ := in.Peek(4)
	if len(head) == 0 { // nothing, or an error that the next reading meets again
		d.r = in
		return
	}
	var out io.Reader
	var err error
	lie := false
	switch coding {
	case "gzip":
		if lie = len(head) < 2 || head[0] != 0x1f || head[1] != 0x8b; !lie {
			out, err = gzip.NewReader(in)
		}
	case "zstd":
		// A frame, or a frame that is to be skipped.
		if lie = len(head) < 4 || string(head) != "\x28\xb5\x2f\xfd" && (head[0]&0xf0 != 0x50 || string(head[1:]) != "\x2a\x4d\x18"); !lie {
			var z *zstd.Decoder
			z, err = zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
				zstd.WithDecoderMaxWindow(zstdWindow), zstd.WithDecoderMaxMemory(64<<20))
			if err == nil {
				d.closers = append(d.closers, z.Close)
				out = z
			}
		}
	case "deflate":
		// The standard means zlib's format, and some servers send the bare one.
		if len(head) >= 2 && head[0]&0x0f == 8 && (uint(head[0])<<8|uint(head[1]))%31 == 0 {
			out, err = zlib.NewReader(in)
		} else {
			out = flate.NewReader(in)
		}
	case "br":
		if lie = looksLikeText(head); !lie {
			out = brotli.NewReader(in)
		}
	}
	switch {
	case lie:
		d.lie, d.r = coding, in
		return
	case err != nil:
		out = failing{err}
	}
	d.r, d.codings = out, append(d.codings, coding)
}

// looksLikeText tells whether a body begins as HTML, XML or JSON does; as brotli
// these bytes would be a stream that no encoder writes.
func looksLikeText(head []byte) bool {
	return head[0] == '<' && (len(head) > 1 && (head[1] == '!' || head[1] == '?' || head[1]|0x20 == 'h'))
}

// failing is a reader of an error.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
