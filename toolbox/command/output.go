package command

import (
	"fmt"
	"strings"
)

// output keeps the beginning and the end of what a program writes.
type output struct {
	max  int // how many bytes are kept
	head []byte
	tail []byte // a ring once it is full; at is its oldest byte
	at   int
	// Bytes is how many were written in all.
	bytes int64
}

// Write implements io.Writer and never fails.
func (o *output) Write(p []byte) (int, error) {
	n := len(p)
	o.bytes += int64(n)
	if room := o.max/2 - len(o.head); room > 0 {
		take := min(room, len(p))
		o.head = append(o.head, p[:take]...)
		p = p[take:]
	}
	size := o.max - o.max/2
	if len(p) >= size {
		o.tail, o.at = append(o.tail[:0], p[len(p)-size:]...), 0
		return n, nil
	}
	if room := size - len(o.tail); room > 0 {
		take := min(room, len(p))
		o.tail = append(o.tail, p[:take]...)
		p = p[take:]
	}
	for len(p) > 0 {
		took := copy(o.tail[o.at:], p)
		p = p[took:]
		o.at = (o.at + took) % size
	}
	return n, nil
}

// left is how many bytes are not kept.
func (o *output) left() int64 { return o.bytes - int64(len(o.head)+len(o.tail)) }

// String is what is kept, with a note where something is left out. What is not
// UTF-8 is replaced.
func (o *output) String() string {
	end := string(o.tail[o.at:]) + string(o.tail[:o.at])
	if o.left() == 0 {
		return strings.ToValidUTF8(string(o.head)+end, "\ufffd")
	}
	return fmt.Sprintf("%s\n[… %d bytes are left out here …]\n%s",
		strings.ToValidUTF8(string(o.head), "\ufffd"), o.left(), strings.ToValidUTF8(end, "\ufffd"))
}
