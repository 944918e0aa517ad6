package anthropic

import (
	"errors"
	"io"
	"sync"

	"github.com/quarry-sdk/quarry/model"
)

var bodyEnd = []byte("]}")

// body is a request's body: what this request alone has, and the encodings that
// the messages keep. It is copied to the wire from where it lies.
type body struct {
	mu       sync.Mutex
	released bool // guarded by mu

	head     []byte
	messages []*model.Message
	first    int    // the first message that has an encoding: it is sent without its comma
	control  []byte // what a breakpoint is written as
	marks    [maxBreakpoints]mark
	nmarks   int
	size     int64

	once bodyReader // the first reader; most requests need no other
}

var errReleased = errors.New("the request is over")

// release lets go of the request's messages. A transport may go on reading a
// body after its answer has come; from here on it gets an error.
func (b *body) release() {
	b.mu.Lock()
	b.released = true
	b.messages = nil
	b.mu.Unlock()
}

// bodyReader reads a body once. Its Read may be called while another goroutine
// releases the body.
type bodyReader struct {
	b    *body
	part []byte // what is left of the current part
	// The next part: the head, the messages (each before and behind its marks),
	// the end.
	message int // -1: the head
	at      int // how much of the message has been read
	mark    int // the next mark
	ended   bool
}

func (b *body) reader() *bodyReader { return &bodyReader{b: b, message: -1} }

// Read implements io.Reader.
func (r *bodyReader) Read(p []byte) (int, error) {
	r.b.mu.Lock()
	defer r.b.mu.Unlock()
	if r.b.released {
		return 0, errReleased
	}
	n := 0
	for n < len(p) {
		if len(r.part) == 0 && !r.next() {
			if n == 0 {
				return 0, io.EOF
			}
			break
		}
		c := copy(p[n:], r.part)
		r.part = r.part[c:]
		n += c
	}
	return n, nil
}

// Close implements io.Closer.
func (r *bodyReader) Close() error { return nil }

// next moves to the next part.
func (r *bodyReader) next() bool {
	b := r.b
	if r.message < 0 {
		r.message = b.first
		r.at = 1 // without the comma
		r.part = b.head
		return true
	}
	for r.message < len(b.messages) {
		enc, _ := encodeMessage(b.messages[r.message]) // it has succeeded before
		end := len(enc)
		if r.mark < b.nmarks && b.marks[r.mark].message == r.message {
			if end = b.marks[r.mark].at; r.at == end {
				r.mark++
				r.part = b.control
				return true
			}
		}
		if r.at < end {
			r.part = enc[r.at:end]
			r.at = end
			return true
		}
		r.message++
		r.at = 0
	}
	if r.ended {
		return false
	}
	r.ended = true
	r.part = bodyEnd
	return true
}
