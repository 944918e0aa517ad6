package warc

import (
	"crypto/rand"
	"fmt"
	"io"
	"sync"

	"github.com/nlnwa/gowarc/v3"
)

// preparing is held while gowarc prepares a builder or a reader: it then writes a
// variable of a package of its own, always the same value, which is a race all the
// same where two goroutines do so at once.
var preparing sync.Mutex

// newBuilder returns a builder of records.
func newBuilder(kind gowarc.RecordType, options ...gowarc.WarcRecordOption) gowarc.WarcRecordBuilder {
	preparing.Lock()
	defer preparing.Unlock()
	return gowarc.NewRecordBuilder(kind, append(options, gowarc.WithRecordIdFunc(newID))...)
}

// newReader returns a reader of records.
func newReader(r io.Reader, options ...gowarc.WarcRecordOption) (*gowarc.WarcFileReader, error) {
	preparing.Lock()
	defer preparing.Unlock()
	return gowarc.NewWarcFileReaderFromStream(r, 0, options...)
}

// newID returns a random identifier, version 4 of RFC 9562.
func newID() (string, error) {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]), nil
}
