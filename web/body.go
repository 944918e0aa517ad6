package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net"
	"net/http"
)

// ratioFloor is the length up to which any ratio of decompression is fine.
const ratioFloor = 1 << 20

// received is the body of an answer.
type received struct {
	body    []byte
	codings []string
	// wire is the length of what was received, and ref its SHA-256.
	wire int64
	ref  string
	// limit is the limit that the body ran into, as a sentence, and body what came
	// before; or unsupported is why it was not read to its end.
	limit, unsupported string
	// problem is set where the body is not whole: what failed, on the network or in
	// a coding.
	network, coding error
	// lie is a coding that the header names and the bytes do not have.
	lie string
}

// wireReader counts and hashes what comes from the network, and keeps its error.
type wireReader struct {
	r     io.Reader
	n     int64
	limit int64
	sum   hash.Hash
	err   error
}

var errWireLimit = errors.New("more bytes than the limit")

func (w *wireReader) Read(p []byte) (int, error) {
	if w.n >= w.limit {
		// One byte more tells a body that ends here from one that goes on.
		var one [1]byte
		if n, err := w.r.Read(one[:]); n == 0 && err != nil {
			w.fail(err)
			return 0, err
		}
		w.err = errWireLimit
		return 0, errWireLimit
	}
	p = p[:min(int64(len(p)), w.limit-w.n)]
	n, err := w.r.Read(p)
	w.n += int64(n)
	w.sum.Write(p[:n])
	w.fail(err)
	return n, err
}

func (w *wireReader) fail(err error) {
	if err != nil && err != io.EOF {
		w.err = err
	}
}

// receive reads a body and takes off its codings, within the limits. Stop is asked
// about the first bytes, and ends the reading of what nobody could use.
func receive(r io.Reader, header http.Header, maxBytes int64, maxRatio int, stop func(head []byte) string) (got received) {
	wire := &wireReader{r: r, limit: maxBytes, sum: sha256.New()}
	defer func() {
		got.wire, got.ref = wire.n, "sha256:"+hex.EncodeToString(wire.sum.Sum(nil))
	}()
	codings, err := contentCodings(header)
	if err != nil {
		got.unsupported = err.Error()
		return got
	}
	d := newDecoded(wire, codings)
	defer d.close()
	var buf bytes.Buffer
	chunk := make([]byte, 32<<10)
	asked := stop == nil
	for {
		n, err := d.Read(chunk)
		buf.Write(chunk[:n])
		size := int64(buf.Len())
		switch {
		case size > maxBytes:
			got.limit = fmt.Sprintf("it is larger than %d bytes", maxBytes)
		case size > ratioFloor && len(d.codings) > 0 && size > int64(maxRatio)*max(wire.n, 1):
			got.limit = fmt.Sprintf("%d bytes have become more than %d, which is what a decompression bomb does", wire.n, size)
		}
		if got.limit != "" {
			got.body = buf.Bytes()
			return got
		}
		if !asked && (buf.Len() >= sniffLen || err != nil) {
			asked = true
			if got.unsupported = stop(buf.Bytes()); got.unsupported != "" {
				return got
			}
		}
		if err == nil {
			continue
		}
		got.body, got.codings, got.lie = buf.Bytes(), d.codings, d.lie
		switch {
		case errors.Is(wire.err, errWireLimit):
			got.limit = fmt.Sprintf("it is larger than %d bytes", maxBytes)
		case wire.err != nil:
			got.network = wire.err
		case err != io.EOF:
			got.coding = err
		}
		return got
	}
}

// isTimeout tells whether an error is that of a time limit.
func isTimeout(err error) bool {
	var timeout net.Error
	return errors.Is(err, errTimeout) || errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout()
}
