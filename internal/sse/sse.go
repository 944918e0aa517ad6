// Package sse cuts a text/event-stream into events, for the providers whose
// answers come as one.
//
//	var r sse.Reader
//	r.Reset(bufio.NewReader(resp.Body))
//	for {
//		if err := r.Next(); err != nil {
//			return err // io.EOF at the end of the stream
//		}
//		use(r.Data)
//	}
//
// A Reader keeps its buffers over Reset, so that a pooled one allocates nothing.
package sse

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxEventBytes bounds one event. The largest that were recorded, web pages in
// a fetch result, have some hundred kilobytes.
const maxEventBytes = 64 << 20

// ErrTooLarge: an event has more bytes than any that was ever seen.
var ErrTooLarge = errors.New("an event of the stream has more than 64 MiB")

// Reader reads the events of a stream. Its zero value is ready for Reset. Lines
// may end in LF, CRLF or CR; comments and fields other than event and data are
// skipped.
// (https://html.spec.whatwg.org/multipage/server-sent-events.html)
//
// One departure from the standard: data that stands before the end of the
// stream without the blank line that would dispatch it is handed out too, and
// marked as cut. Some servers leave the last blank line out.
type Reader struct {
	// Data is the data of the event, valid until the next call of Next.
	Data []byte
	// Event is the name of the event, valid as long; empty for none.
	Event []byte
	// Cut tells that the stream ended within the event.
	Cut bool

	src   *bufio.Reader
	line  []byte // a line that did not fit the reader's buffer
	begun bool   // the first line has been read
	skip  bool   // the last line ended in CR: an LF that follows belongs to it
}

// Reset makes r read the stream src, which may be nil to let go of the last.
func (r *Reader) Reset(src *bufio.Reader) {
	*r = Reader{src: src, line: r.line[:0], Data: r.Data[:0], Event: r.Event[:0]}
}

// Size is how many bytes the buffers hold that Reset keeps.
func (r *Reader) Size() int { return cap(r.line) + cap(r.Data) + cap(r.Event) }

// Next reads the next event that has data. It returns io.EOF at the end of the
// stream, or the error with which reading failed.
func (r *Reader) Next() error {
	r.Data, r.Event, r.Cut = r.Data[:0], r.Event[:0], false
	seen := false
	for {
		line, ended, err := r.readLine()
		if err != nil && err != io.EOF {
			return err
		}
		if !r.begun {
			r.begun = true
			line = bytes.TrimPrefix(line, byteOrderMark)
		}
		if ended && len(line) == 0 {
			if seen {
				return nil
			}
			r.Event = r.Event[:0]
			continue
		}
		name, value, _ := bytes.Cut(line, colon)
		if len(value) > 0 && value[0] == ' ' {
			value = value[1:]
		}
		switch string(name) {
		case "event":
			r.Event = append(r.Event[:0], value...)
		case "data":
			if len(r.Data)+len(value) > maxEventBytes {
				return ErrTooLarge
			}
			if seen {
				r.Data = append(r.Data, '\n')
			}
			r.Data = append(r.Data, value...)
			seen = true
		}
		if err == io.EOF {
			if seen {
				r.Cut = true
				return nil
			}
			return io.EOF
		}
	}
}

var (
	colon         = []byte{':'}
	byteOrderMark = []byte("\ufeff")
)

// readLine returns the next line without its end, valid until the next call,
// and whether it had an end.
func (r *Reader) readLine() (line []byte, ended bool, err error) {
	r.line = r.line[:0]
	for {
		// Peek blocks for one byte only, then takes what has come.
		if _, err := r.src.Peek(1); err != nil {
			return r.line, false, err
		}
		buf, _ := r.src.Peek(r.src.Buffered())
		if r.skip {
			r.skip = false
			if buf[0] == '\n' {
				r.src.Discard(1)
				continue
			}
		}
		i := bytes.IndexAny(buf, "\r\n")
		if i < 0 {
			if len(r.line)+len(buf) > maxEventBytes {
				return nil, false, ErrTooLarge
			}
			r.line = append(r.line, buf...)
			r.src.Discard(len(buf))
			continue
		}
		r.skip = buf[i] == '\r'
		if len(r.line) > 0 {
			r.line = append(r.line, buf[:i]...)
			r.src.Discard(i + 1)
			return r.line, true, nil
		}
		// The bytes stay in the reader's buffer until it reads again.
		line = buf[:i]
		r.src.Discard(i + 1)
		return line, true, nil
	}
}
