package apicall

import (
	"io"
	"net/http"
	"time"
)

// maxErrorBytes bounds how much of an error answer is read.
const maxErrorBytes = 1 << 20

// NewTransport returns a transport for many calls at once to one host. The
// default keeps two idle connections for each host, and so has most of them
// made anew.
func NewTransport() http.RoundTripper {
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport // someone's wrapper: theirs to tune
	}
	t = t.Clone()
	t.MaxIdleConns = 256
	t.MaxIdleConnsPerHost = 256
	t.IdleConnTimeout = 90 * time.Second
	if t.DialContext != nil {
		t.DialContext = pooledDial(t.DialContext)
	}
	// A compressed stream is delivered late, in blocks.
	t.DisableCompression = true
	return t
}

// ErrorBody reads the body of an error answer, up to its first mebibyte, and
// closes it. A body that breaks off is as good as a whole one: the status says
// the most of it.
func ErrorBody(resp *http.Response) []byte {
	defer resp.Body.Close()
	data, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBytes))
	return data
}
