package openai

import (
	"errors"
	"io"
	"sync"
)

// body is a request's body: what this request alone has, and the encodings that
// the messages keep. It is copied to the wire from where it lies.
type body struct {
	mu       sync.Mutex
	released bool     // guarded by mu
	parts    [][]byte // guarded by mu
	size     int64
}

// bodyKey is the key under which a call's context has its body: the SDK wraps
// the reader that it is given.
type bodyKey struct{}

var errReleased = errors.New("the request is over")

func (b *body) add(part []byte) {
	b.parts = append(b.parts, part)
	b.size += int64(len(part))
}

// release lets go of the request's messages. A transport may go on reading a
// body after its answer has come; from here on it gets an error. What release
// returns may be used for the next body.
func (b *body) release() [][]byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	parts := b.parts
	b.released, b.parts = true, nil
	clear(parts)
	return parts[:0]
}

func (b *body) getBody() (io.ReadCloser, error) { return b.reader(), nil }

func (b *body) reader() *bodyReader { return &bodyReader{b: b} }

// bodyReader reads a body once. Its Read may be called while another goroutine
// releases the body.
type bodyReader struct {
	b    *body
	part int // the current part
	at   int // how much of it has been read
}

// Read implements io.Reader.
func (r *bodyReader) Read(p []byte) (int, error) {
	r.b.mu.Lock()
	defer r.b.mu.Unlock()
	if r.b.released {
		return 0, errReleased
	}
	n := 0
	for n < len(p) && r.part < len(r.b.parts) {
		c := copy(p[n:], r.b.parts[r.part][r.at:])
		n += c
		r.at += c
		if r.at == len(r.b.parts[r.part]) {
			r.part++
			r.at = 0
		}
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// Close implements io.Closer.
func (r *bodyReader) Close() error { return nil }
