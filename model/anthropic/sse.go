package anthropic

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxEventBytes bounds one event. The largest that were recorded, web pages in
// a fetch result, have some hundred kilobytes.
const maxEventBytes = 64 << 20

var errEventTooLarge = errors.New("an event of the stream has more than 64 MiB")

// frames cuts a text/event-stream into events. Lines may end in LF, CRLF or CR;
// comments and fields other than event and data are skipped.
// (https://html.spec.whatwg.org/multipage/server-sent-events.html)
//
// One departure from the standard: data that stands before the end of the
// stream without the blank line that would dispatch it is handed out too, and
// marked as cut. Some servers leave the last blank line out.
type frames struct {
	r     *bufio.Reader
	line  []byte // a line that did not fit the reader's buffer
	data  []byte // the data of the event, valid until the next call
	event []byte // the name of the event
	cut   bool   // the stream ended within the event
	begun bool   // the first line has been read
	skip  bool   // the last line ended in CR: an LF that follows belongs to it
}

func (f *frames) reset(r *bufio.Reader) {
	*f = frames{r: r, line: f.line[:0], data: f.data[:0], event: f.event[:0]}
}

// next reads the next event that has data. It returns io.EOF at the end of the
// stream, or the error with which reading failed.
func (f *frames) next() error {
	f.data, f.event, f.cut = f.data[:0], f.event[:0], false
	seen := false
	for {
		line, ended, err := f.readLine()
		if err != nil && err != io.EOF {
			return err
		}
		if !f.begun {
			f.begun = true
			line = bytes.TrimPrefix(line, byteOrderMark)
		}
		if ended && len(line) == 0 {
			if seen {
				return nil
			}
			f.event = f.event[:0]
			continue
		}
		name, value, _ := bytes.Cut(line, colon)
		if len(value) > 0 && value[0] == ' ' {
			value = value[1:]
		}
		switch string(name) {
		case "event":
			f.event = append(f.event[:0], value...)
		case "data":
			if len(f.data)+len(value) > maxEventBytes {
				return errEventTooLarge
			}
			if seen {
				f.data = append(f.data, '\n')
			}
			f.data = append(f.data, value...)
			seen = true
		}
		if err == io.EOF {
			if seen {
				f.cut = true
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
func (f *frames) readLine() (line []byte, ended bool, err error) {
	f.line = f.line[:0]
	for {
		// Peek blocks for one byte only, then takes what has come.
		if _, err := f.r.Peek(1); err != nil {
			return f.line, false, err
		}
		buf, _ := f.r.Peek(f.r.Buffered())
		if f.skip {
			f.skip = false
			if buf[0] == '\n' {
				f.r.Discard(1)
				continue
			}
		}
		i := bytes.IndexAny(buf, "\r\n")
		if i < 0 {
			if len(f.line)+len(buf) > maxEventBytes {
				return nil, false, errEventTooLarge
			}
			f.line = append(f.line, buf...)
			f.r.Discard(len(buf))
			continue
		}
		f.skip = buf[i] == '\r'
		if len(f.line) > 0 {
			f.line = append(f.line, buf[:i]...)
			f.r.Discard(i + 1)
			return f.line, true, nil
		}
		// The bytes stay in the reader's buffer until it reads again.
		line = buf[:i]
		f.r.Discard(i + 1)
		return line, true, nil
	}
}
