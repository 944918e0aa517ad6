package warc

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/nlnwa/gowarc/v3"

	"github.com/quarry-sdk/quarry/blob"
	"github.com/quarry-sdk/quarry/web"
)

// snapshotType is the type of metadata records that hold the record of a snapshot.
const snapshotType = "application/vnd.quarry.snapshot+json"

// Writer writes snapshots to a WARC file. It must not be used by several goroutines
// at once.
type Writer struct {
	w         io.Writer
	marshaler gowarc.Marshaler
	begun     bool
}

// NewWriter returns a writer that appends to w. There is nothing to close.
func NewWriter(w io.Writer) *Writer {
	return &Writer{w: w, marshaler: gowarc.NewMarshaler()}
}

// Write writes the records of a snapshot.
func (w *Writer) Write(s *web.Snapshot) error {
	if err := w.write(s); err != nil {
		return fmt.Errorf("write snapshot of %s to a WARC file: %w", s.URL, err)
	}
	return nil
}

func (w *Writer) write(s *web.Snapshot) error {
	if s.BodyRef != "" && s.Size != int64(len(s.Body())) {
		return errors.New("its body is not there; open the snapshot by web.Open, or attach the body")
	}
	if !w.begun {
		w.begun = true
		info := "format: WARC File Format 1.1\r\nconformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n"
		if _, err := w.record(gowarc.Warcinfo, s.Finished, gowarc.ApplicationWarcFields, []byte(info), nil); err != nil {
			return err
		}
	}
	at := target(s)
	head := map[string]string{gowarc.WarcTargetURI: at}
	if host, _, err := net.SplitHostPort(s.RemoteAddr); err == nil && net.ParseIP(host) != nil {
		head[gowarc.WarcIPAddress] = host
	}
	var first string
	if s.BodyRef != "" {
		kind, contentType, block := gowarc.Response, "application/http;msgtype=response", responseBlock(s)
		if s.Renderer != "" {
			kind, contentType, block = gowarc.Resource, "text/html", s.Body()
		}
		head[gowarc.WarcPayloadDigest] = s.BodyRef
		id, err := w.record(kind, s.Finished, contentType, block, head)
		if err != nil {
			return err
		}
		first = id
		head = map[string]string{gowarc.WarcTargetURI: at, gowarc.WarcConcurrentTo: id}
	}
	if s.RequestHeader != nil && s.Renderer == "" {
		if _, err := w.record(gowarc.Request, s.Finished, "application/http;msgtype=request", requestBlock(s), head); err != nil {
			return err
		}
	}
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	head = map[string]string{gowarc.WarcTargetURI: at}
	if first != "" {
		head[gowarc.WarcRefersTo] = first
	}
	_, err = w.record(gowarc.Metadata, s.Finished, snapshotType, data, head)
	return err
}

// target is the URI of a snapshot's records. One that was refused may be no URI.
func target(s *web.Snapshot) string {
	for _, raw := range []string{s.FinalURL, s.URL} {
		if u, err := url.Parse(raw); err == nil && u.Scheme != "" && raw != "" {
			return u.String()
		}
	}
	return "urn:quarry:no-url"
}

// record writes one record as a gzip member, and returns its id.
func (w *Writer) record(kind gowarc.RecordType, at time.Time, contentType string, block []byte, head map[string]string) (string, error) {
	b := newBuilder(kind, gowarc.WithDefaultDigestAlgorithm("sha256"), gowarc.WithBufferMaxMemBytes(int64(len(block))+1<<20),
		gowarc.WithSpecViolationPolicy(gowarc.ErrIgnore))
	defer b.Close()
	b.AddWarcHeader(gowarc.WarcDate, at.UTC().Format(time.RFC3339Nano))
	b.AddWarcHeader(gowarc.ContentType, contentType)
	b.AddWarcHeader(gowarc.WarcBlockDigest, blob.Ref(block))
	for name, value := range head {
		if name == gowarc.WarcConcurrentTo || name == gowarc.WarcRefersTo {
			value = "<" + value + ">"
		}
		b.AddWarcHeader(name, value)
	}
	if _, err := b.Write(block); err != nil {
		return "", err
	}
	r, _, err := b.Build()
	if err != nil {
		return "", err
	}
	defer r.Close()
	z := gzip.NewWriter(w.w)
	if _, _, err := w.marshaler.Marshal(z, r, 0); err != nil {
		return "", err
	}
	return r.WarcHeader().GetId(gowarc.WarcRecordID), z.Close()
}

// movedHeaders no longer hold of a body whose codings were taken off.
var movedHeaders = []string{"Content-Encoding", "Content-Length", "Transfer-Encoding"}

// responseBlock is the answer as HTTP/1.1, with the body of the snapshot.
func responseBlock(s *web.Snapshot) []byte {
	var b bytes.Buffer
	status := s.Status
	header := s.Header.Clone()
	if header == nil {
		header = http.Header{}
	}
	if status == http.StatusNotModified { // the body is that of an earlier answer
		status = http.StatusOK
		header.Set("X-Archive-Orig-Status", "304")
	}
	for _, name := range movedHeaders {
		if values, ok := header[name]; ok {
			header["X-Archive-Orig-"+name] = values
			delete(header, name)
		}
	}
	header.Set("Content-Length", fmt.Sprint(len(s.Body())))
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\n", status, http.StatusText(status))
	writeHeader(&b, header)
	b.Write(s.Body())
	return b.Bytes()
}

// requestBlock is the last request as HTTP/1.1.
func requestBlock(s *web.Snapshot) []byte {
	var b bytes.Buffer
	u, err := url.Parse(s.FinalURL)
	if err != nil {
		u = &url.URL{Path: "/"}
	}
	fmt.Fprintf(&b, "GET %s HTTP/1.1\r\nHost: %s\r\n", u.RequestURI(), u.Host)
	writeHeader(&b, s.RequestHeader)
	return b.Bytes()
}

// writeHeader writes a header in the order of its names, and the empty line.
func writeHeader(b *bytes.Buffer, h http.Header) {
	names := make([]string, 0, len(h))
	for name := range h {
		names = append(names, name)
	}
	slices.Sort(names)
	oneLine := strings.NewReplacer("\r", " ", "\n", " ")
	for _, name := range names {
		for _, v := range h[name] {
			fmt.Fprintf(b, "%s: %s\r\n", name, oneLine.Replace(v))
		}
	}
	b.WriteString("\r\n")
}
