package anthropic

import (
	"io"
	"net/http"
	"time"
)

// maxErrorBytes bounds how much of an error answer is read.
const maxErrorBytes = 1 << 20

// newTransport returns a transport for many calls at once to one host. The
// default keeps two idle connections for each host, and so has most of them
// made anew.
func newTransport() http.RoundTripper {
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

// doer sends the requests that the SDK has made. It gives the body its length
// and a way to be sent again, and bounds the error bodies that the SDK reads.
type doer struct {
	client *http.Client
}

// Do implements option.HTTPClient.
func (d doer) Do(req *http.Request) (*http.Response, error) {
	if r, ok := req.Body.(*bodyReader); ok {
		req.ContentLength = r.b.size
		req.GetBody = r.b.getBody
	}
	resp, err := d.client.Do(req)
	if err == nil && resp.StatusCode >= http.StatusBadRequest {
		resp.Body = limitedBody{io.LimitReader(resp.Body, maxErrorBytes), resp.Body}
	}
	return resp, err
}

func (b *body) getBody() (io.ReadCloser, error) { return b.reader(), nil }

type limitedBody struct {
	io.Reader
	io.Closer
}
