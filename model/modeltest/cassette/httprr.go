package cassette

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/textproto"
	"strconv"
	"strings"
)

// parseTrace reads an httprr trace: after a first line, each exchange is a line
// of two byte counts, then so many bytes of a raw request and a raw response.
func parseTrace(data []byte) ([]Exchange, error) {
	line, rest, _ := bytes.Cut(data, []byte("\n"))
	if strings.TrimSpace(string(line)) != "httprr trace v1" {
		return nil, errors.New("it does not begin with \"httprr trace v1\"")
	}
	var out []Exchange
	for len(bytes.TrimSpace(rest)) > 0 {
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		var nreq, nresp int
		if _, err := fmt.Sscanf(string(line), "%d %d", &nreq, &nresp); err != nil {
			return nil, fmt.Errorf("exchange %d: the byte counts %q: %w", len(out), line, err)
		}
		if nreq < 0 || nresp < 0 || nreq > len(rest) || nresp > len(rest)-nreq {
			return nil, fmt.Errorf("exchange %d: it has fewer bytes than it says", len(out))
		}
		var e Exchange
		first, header, body, err := rawMessage(rest[:nreq])
		if err != nil {
			return nil, fmt.Errorf("exchange %d: request: %w", len(out), err)
		}
		e.Request = Request{Header: header, Body: body}
		e.Request.Method, e.Request.URL, _ = strings.Cut(first, " ")
		if i := strings.LastIndexByte(e.Request.URL, ' '); i >= 0 {
			e.Request.URL = e.Request.URL[:i]
		}
		first, header, body, err = rawMessage(rest[nreq : nreq+nresp])
		if err != nil {
			return nil, fmt.Errorf("exchange %d: response: %w", len(out), err)
		}
		e.Response = Response{Header: header, Body: body}
		_, status, _ := strings.Cut(first, " ")
		status, _, _ = strings.Cut(status, " ")
		if e.Response.Status, err = strconv.Atoi(status); err != nil {
			return nil, fmt.Errorf("exchange %d: status line %q: %w", len(out), first, err)
		}
		out = append(out, e)
		rest = rest[nreq+nresp:]
	}
	return out, nil
}

// rawMessage cuts an HTTP/1 message into its first line, header and body.
func rawMessage(data []byte) (first string, header http.Header, body []byte, err error) {
	r := bufio.NewReader(bytes.NewReader(data))
	tp := textproto.NewReader(r)
	if first, err = tp.ReadLine(); err != nil {
		return "", nil, nil, err
	}
	mime, err := tp.ReadMIMEHeader()
	if err != nil && err != io.EOF {
		return "", nil, nil, err
	}
	header = http.Header(mime)
	var b io.Reader = r
	if header.Get("Transfer-Encoding") == "chunked" {
		b = httputil.NewChunkedReader(r)
	}
	body, err = io.ReadAll(b)
	return first, header, body, err
}
