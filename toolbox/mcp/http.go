package mcp

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// remote is the transport of a server over HTTP. It returns what closes idle
// connections, too.
func remote(cfg *Server, t *tap) (sdk.Transport, func()) {
	base := http.DefaultTransport.(*http.Transport).Clone()
	target, _ := url.Parse(cfg.URL) // fill has checked it
	client := &http.Client{
		Transport: &tapTransport{base: base, tap: t, target: target, headers: cfg.Headers},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if !sameOrigin(req.URL, target) {
				return errors.New("it redirects to another host, which is not followed")
			}
			if len(via) >= 10 {
				return errors.New("it redirects too often")
			}
			return nil
		},
	}
	if cfg.Transport == SSE {
		return &sdk.SSEClientTransport{Endpoint: cfg.URL, HTTPClient: client, MaxEventSize: maxMessage}, base.CloseIdleConnections
	}
	return &sdk.StreamableClientTransport{Endpoint: cfg.URL, HTTPClient: client, MaxEventSize: maxMessage}, base.CloseIdleConnections
}

func sameOrigin(a, b *url.URL) bool { return a.Scheme == b.Scheme && a.Host == b.Host }

// tapTransport adds the headers to requests for the server's own host, and lets
// the tap see what passes.
type tapTransport struct {
	base    http.RoundTripper
	tap     *tap
	target  *url.URL
	headers map[string]string
}

// RoundTrip implements http.RoundTripper.
func (t *tapTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	if sameOrigin(req.URL, t.target) {
		for name, value := range t.headers {
			req.Header.Set(name, value)
		}
	}
	if req.GetBody != nil {
		if body, err := req.GetBody(); err == nil {
			if data, err := io.ReadAll(body); err == nil {
				t.tap.sent(data)
			}
			_ = body.Close()
		}
	}
	resp, err := t.base.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch kind {
	case "text/event-stream":
		resp.Body = newEventBody(resp.Body, t.tap)
	case "application/json":
		resp.Body = &jsonBody{body: resp.Body, tap: t.tap}
	}
	resp.ContentLength = -1
	resp.Header.Del("Content-Length")
	return resp, nil
}

// jsonBody is a response with one message.
type jsonBody struct {
	body io.ReadCloser
	tap  *tap
	rest *bytes.Reader
}

// Read implements io.Reader.
func (b *jsonBody) Read(p []byte) (int, error) {
	if b.rest == nil {
		data, err := io.ReadAll(io.LimitReader(b.body, maxMessage+1))
		if err != nil {
			return 0, err
		}
		if len(data) > maxMessage {
			return 0, errTooLong
		}
		b.rest = bytes.NewReader(b.tap.received(data))
	}
	return b.rest.Read(p)
}

// Close implements io.Closer.
func (b *jsonBody) Close() error { return b.body.Close() }

// eventBody is a stream of server-sent events with a message in each.
type eventBody struct {
	body   io.ReadCloser
	reader *bufio.Reader
	tap    *tap
	// event has the lines of the event that is being read, data its data.
	event, data []byte
	ready       []byte
	err         error
}

func newEventBody(body io.ReadCloser, t *tap) *eventBody {
	return &eventBody{body: body, reader: bufio.NewReaderSize(body, 32<<10), tap: t}
}

// Read implements io.Reader.
func (b *eventBody) Read(p []byte) (int, error) {
	for len(b.ready) == 0 {
		if b.err != nil {
			return 0, b.err
		}
		b.next()
	}
	n := copy(p, b.ready)
	b.ready = b.ready[n:]
	return n, nil
}

// next reads a line; an empty one ends an event.
func (b *eventBody) next() {
	var line []byte
	line, b.err = readLine(b.reader, maxMessage)
	text := bytes.TrimRight(line, "\r\n")
	if data, ok := bytes.CutPrefix(text, []byte("data:")); ok {
		if b.data == nil {
			b.data = []byte{}
		} else {
			b.data = append(b.data, '\n')
		}
		b.data = append(b.data, bytes.TrimPrefix(data, []byte(" "))...)
		if len(b.data) > maxMessage {
			b.err = errTooLong
		}
	} else if len(text) > 0 {
		b.event = append(append(b.event, text...), '\n')
	}
	if len(text) > 0 && b.err == nil {
		return
	}
	if b.data != nil && len(text) == 0 {
		for part := range bytes.SplitSeq(b.tap.received(b.data), []byte("\n")) {
			b.event = append(append(append(b.event, "data: "...), part...), '\n')
		}
		b.data = nil
	}
	b.ready, b.event = append(b.event, line[len(text):]...), nil
}

// Close implements io.Closer.
func (b *eventBody) Close() error { return b.body.Close() }
