package anthropic

import (
	"io"
	"net/http"
)

// maxErrorBytes bounds how much of an error answer is read.
const maxErrorBytes = 1 << 20

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
