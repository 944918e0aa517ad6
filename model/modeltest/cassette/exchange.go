package cassette

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// Exchange is a request and its answer.
type Exchange struct {
	Request  Request
	Response Response
	// Note says what the recording leaves open, such as a request that it does
	// not have; empty if nothing.
	Note string
}

// Request is a recorded request. All of it is empty where only the answer was
// recorded.
type Request struct {
	Method string
	URL    string
	// Header leaves out what described the recorded body's framing.
	Header http.Header
	// Body is decoded: neither compressed nor chunked.
	Body []byte
}

// Response is a recorded answer.
type Response struct {
	// Status is the HTTP status; 200 where only a body was recorded.
	Status int
	// Header leaves out what described the recorded body's framing. It has a
	// Content-Type, guessed from the body where none was recorded.
	Header http.Header
	// Body is decoded: neither compressed nor chunked.
	Body []byte
}

// Write answers a request of a test server with the recording.
func (r *Response) Write(w http.ResponseWriter) error {
	for name, values := range r.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(r.Status)
	_, err := w.Write(r.Body)
	return err
}

// Load reads the exchanges of a file, in order. The format is told by the
// file's name and content. An unknown or damaged file is an error that names it.
func Load(path string) ([]Exchange, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	exchanges, err := parse(path, data)
	if err == nil && len(exchanges) == 0 {
		err = fmt.Errorf("it has no exchanges")
	}
	if err != nil {
		return nil, fmt.Errorf("load cassette %s: %w", path, err)
	}
	for i := range exchanges {
		if err := exchanges[i].finish(); err != nil {
			return nil, fmt.Errorf("load cassette %s: exchange %d: %w", path, i, err)
		}
	}
	return exchanges, nil
}

func parse(path string, data []byte) ([]Exchange, error) {
	name := filepath.Base(path)
	switch ext := filepath.Ext(name); {
	case strings.HasSuffix(name, ".chunks.txt"):
		return one(chunks(data)), nil
	case ext == ".yaml" || ext == ".yml":
		return parseYAML(data)
	case ext == ".httprr":
		return parseTrace(data)
	case ext == ".txtar":
		return parseScript(data)
	case ext == ".sse" || ext == ".txt" || ext == ".json":
		return one(data), nil
	default:
		return nil, fmt.Errorf("unknown format %q", ext)
	}
}

// one is an exchange of which only the answer's body is known.
func one(body []byte) []Exchange {
	return []Exchange{{Response: Response{Status: http.StatusOK, Body: body}, Note: "only the answer's body was recorded"}}
}

// finish decodes the bodies and evens the headers out.
func (e *Exchange) finish() error {
	for _, p := range []struct {
		header *http.Header
		body   *[]byte
	}{{&e.Request.Header, &e.Request.Body}, {&e.Response.Header, &e.Response.Body}} {
		if *p.header == nil {
			*p.header = http.Header{}
		}
		for _, name := range []string{"Content-Length", "Content-Encoding", "Transfer-Encoding", "Connection"} {
			p.header.Del(name)
		}
		if bytes.HasPrefix(*p.body, []byte{0x1f, 0x8b}) {
			z, err := gzip.NewReader(bytes.NewReader(*p.body))
			if err != nil {
				return fmt.Errorf("unpack the body: %w", err)
			}
			if *p.body, err = io.ReadAll(z); err != nil {
				return fmt.Errorf("unpack the body: %w", err)
			}
		}
	}
	if e.Response.Status == 0 {
		return fmt.Errorf("the answer has no status")
	}
	if e.Response.Header.Get("Content-Type") == "" && len(e.Response.Body) > 0 {
		e.Response.Header.Set("Content-Type", guessType(e.Response.Body))
	}
	return nil
}

func guessType(body []byte) string {
	body = bytes.TrimSpace(body)
	switch {
	case bytes.HasPrefix(body, []byte("{")), bytes.HasPrefix(body, []byte("[")):
		return "application/json"
	case bytes.HasPrefix(body, []byte("event:")), bytes.HasPrefix(body, []byte("data:")), bytes.HasPrefix(body, []byte(":")):
		return "text/event-stream"
	}
	return "text/plain; charset=utf-8"
}
