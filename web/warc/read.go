package warc

import (
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/nlnwa/gowarc/v3"

	"github.com/quarry-sdk/quarry/web"
)

// Limits of what is read.
const (
	maxRecord = 16 << 20
	maxBody   = 256 << 20
)

// Read yields the snapshots of a WARC file in order, each with its body. Records
// that this package did not write are passed over. It ends with the first error:
// a file that is damaged, a body that is not that of its snapshot.
func Read(r io.Reader) iter.Seq2[*web.Snapshot, error] {
	return func(yield func(*web.Snapshot, error) bool) {
		file, err := newReader(r, gowarc.WithBlockErrorPolicy(gowarc.ErrIgnore))
		if err != nil {
			yield(nil, fmt.Errorf("read WARC file: %w", err))
			return
		}
		defer file.Close()
		var last body
		for {
			s, err := next(file, &last)
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(nil, fmt.Errorf("read WARC file: %w", err))
				return
			}
			if s != nil && !yield(s, nil) {
				return
			}
		}
	}
}

// body is the payload of the last record that had one.
type body struct {
	id   string
	data []byte
}

// next reads one record. It returns a snapshot if the record completes one.
func next(file *gowarc.WarcFileReader, last *body) (*web.Snapshot, error) {
	read, err := file.Next()
	if err != nil {
		return nil, err
	}
	r := read.WarcRecord
	if r == nil {
		return nil, errors.New("a record is damaged")
	}
	defer r.Close()
	head := r.WarcHeader()
	switch r.Type() {
	case gowarc.Response, gowarc.Resource:
		data, err := payload(r, maxBody)
		if err != nil {
			return nil, err
		}
		*last = body{head.GetId(gowarc.WarcRecordID), data}
	case gowarc.Metadata:
		if head.Get(gowarc.ContentType) != snapshotType {
			return nil, nil
		}
		data, err := raw(r, maxRecord)
		if err != nil {
			return nil, err
		}
		s, err := web.Parse(data)
		if err != nil {
			return nil, err
		}
		if s.BodyRef == "" {
			return s, nil
		}
		if id := head.GetId(gowarc.WarcRefersTo); id == "" || id != last.id {
			return nil, fmt.Errorf("the body of the snapshot of %s is not before its record", s.URL)
		}
		return s, s.Attach(last.data)
	}
	return nil, nil
}

// payload is what a record is about: the body of an answer, or all of a resource.
func payload(r gowarc.WarcRecord, limit int64) ([]byte, error) {
	block, ok := r.Block().(gowarc.PayloadBlock)
	if !ok {
		return raw(r, limit)
	}
	in, err := block.PayloadBytes()
	if err != nil {
		return nil, err
	}
	return readAll(in, limit)
}

func raw(r gowarc.WarcRecord, limit int64) ([]byte, error) {
	in, err := r.Block().RawBytes()
	if err != nil {
		return nil, err
	}
	return readAll(in, limit)
}

func readAll(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("a record has more than %d bytes", limit)
	}
	return data, err
}
