package openai

import (
	"net/http"

	"github.com/quarry-sdk/quarry/internal/apicall"
)

// doer sends the requests that the SDK has made. It gives the body its length
// and a way to be sent again, and reads error answers itself: the SDK loses the
// status of those that are not JSON.
type doer struct {
	client *http.Client
}

// Do implements option.HTTPClient.
func (d doer) Do(req *http.Request) (*http.Response, error) {
	if b, ok := req.Context().Value(bodyKey{}).(*body); ok {
		req.ContentLength = b.size
		req.GetBody = b.getBody
	}
	resp, err := d.client.Do(req)
	if err == nil && resp.StatusCode >= http.StatusBadRequest {
		return nil, statusError(resp.StatusCode, resp.Header, apicall.ErrorBody(resp))
	}
	return resp, err
}
