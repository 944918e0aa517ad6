package apicall

import (
	"bufio"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// IsWhole tells whether an answer is one JSON object rather than a stream, by
// its type, or by its first byte where a gateway declares none.
func IsWhole(contentType string, r *bufio.Reader) bool {
	if strings.HasPrefix(contentType, "text/event-stream") {
		return false
	}
	for n := 1; ; n++ {
		peeked, err := r.Peek(n)
		if err != nil {
			return strings.Contains(contentType, "json")
		}
		switch peeked[n-1] {
		case ' ', '\n', '\r', '\t':
		case '{':
			return true
		default:
			return false
		}
	}
}

// RetryAfter reads how long the API asks to wait; 0 if it does not say.
func RetryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 && ms < 1e9 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	v := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(v, 64); err == nil {
		if s > 0 && s < 1e6 {
			return time.Duration(s * float64(time.Second))
		}
		return 0
	}
	if t, err := http.ParseTime(v); err == nil {
		return max(0, time.Until(t).Round(time.Second))
	}
	return 0
}

// Snippet is the beginning of a body that has no known form, as one line.
func Snippet(body []byte) string {
	const limit = 300
	s := strings.Join(strings.Fields(strings.ToValidUTF8(string(body[:min(len(body), 4*limit)]), "\ufffd")), " ")
	if r := []rune(s); len(r) > limit {
		s = string(r[:limit]) + "…"
	}
	return s
}

// WithoutAddress takes the address off an error of net/http: people keep
// secrets in addresses.
func WithoutAddress(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}
