package search

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

// Account is how a provider of the web is reached.
type Account struct {
	// BaseURL is the address of the provider's API. Defaults to the official one,
	// where there is one.
	BaseURL string
	// HTTPClient sends the requests. Defaults to a client of the provider's own.
	HTTPClient *http.Client
	// Interval is the least time between the starts of two requests, which depends
	// on the plan. Defaults to the provider's smallest; negative means none.
	Interval time.Duration
	// Key is the key. Defaults to the environment variable that the provider's
	// constructor names.
	Key string
	// Timeout is how long an answer may take. Defaults to 10 s.
	Timeout time.Duration
}

const (
	defaultTimeout = 10 * time.Second
	maxAnswer      = 8 << 20
	maxMessage     = 300
)

// client sends the requests of one provider.
type client struct {
	name    string
	base    string
	key     string
	http    *http.Client
	timeout time.Duration
	limits  Limits
}

// newClient fills in an account. KeyEnv is the variable of the key; empty where the
// provider takes none.
func newClient(name string, a Account, official, keyEnv string, limits Limits) (*client, error) {
	c := &client{name: name, base: strings.TrimRight(a.BaseURL, "/"), key: strings.TrimSpace(a.Key), http: a.HTTPClient, timeout: a.Timeout, limits: limits}
	if c.base == "" {
		c.base = official
	}
	if u, err := url.Parse(c.base); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("search %s: the base URL is no http or https address", name)
	}
	if keyEnv != "" {
		if c.key == "" {
			c.key = strings.TrimSpace(os.Getenv(keyEnv))
		}
		if c.key == "" {
			return nil, fmt.Errorf("search %s: no key: set %s or Account.Key", name, keyEnv)
		}
		if strings.ContainsFunc(c.key, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return nil, fmt.Errorf("search %s: the key has characters that no key has (white space, or beyond ASCII): copy it again", name)
		}
	}
	if c.http == nil {
		c.http = &http.Client{}
	}
	// A redirect would carry the key to another place.
	own := *c.http
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.http = &own
	if c.timeout <= 0 {
		c.timeout = defaultTimeout
	}
	if a.Interval != 0 {
		c.limits.Interval = max(a.Interval, 0)
	}
	return c, nil
}

// Name implements [Provider].
func (c *client) Name() string { return c.name }

// Limits implements [Provider].
func (c *client) Limits() Limits { return c.limits }

// get asks with parameters, and decodes the answer into out.
func (c *client) get(ctx context.Context, path string, params url.Values, header http.Header, out any) error {
	return c.do(ctx, http.MethodGet, path+"?"+params.Encode(), nil, header, out)
}

// post asks with a JSON body, and decodes the answer into out.
func (c *client) post(ctx context.Context, path string, body any, header http.Header, out any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return c.fail(KindInvalid, err.Error())
	}
	return c.do(ctx, http.MethodPost, path, data, header, out)
}

func (c *client) do(ctx context.Context, method, path string, body []byte, header http.Header, out any) error {
	within, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(within, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return c.fail(KindInvalid, "the request cannot be made")
	}
	for name, values := range header {
		req.Header[name] = values
	}
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return c.lost(ctx, err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return c.lost(ctx, err)
	case resp.StatusCode != http.StatusOK:
		return c.refused(resp, data)
	case len(data) > maxAnswer:
		return c.fail(KindProtocol, fmt.Sprintf("the answer is longer than %d MiB", maxAnswer>>20))
	}
	if err := json.Unmarshal(data, out); err != nil {
		return c.fail(KindProtocol, "the answer is not the JSON that was expected: "+c.clean(err.Error()))
	}
	return nil
}

func (c *client) fail(kind Kind, message string) *Error {
	return &Error{Kind: kind, Provider: c.name, Message: message}
}

// lost is the error of a request without an answer.
func (c *client) lost(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var timeout net.Error
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout() {
		return c.fail(KindTimeout, fmt.Sprintf("no answer within %s", c.timeout))
	}
	var inner *url.Error
	if errors.As(err, &inner) {
		err = inner.Err // without the address, which may have a key
	}
	return c.fail(KindTransport, c.clean(err.Error()))
}

// statusKinds are the kinds of errors by status; the 43x are Tavily's.
var statusKinds = map[int]Kind{
	400: KindInvalid, 401: KindAuth, 402: KindQuota, 403: KindAuth, 404: KindInvalid, 408: KindTimeout, 422: KindInvalid,
	429: KindRateLimited, 432: KindQuota, 433: KindQuota, 504: KindTimeout,
}

func (c *client) refused(resp *http.Response, data []byte) *Error {
	e := c.fail(KindServer, c.clean(messageOf(data)))
	e.Status = resp.StatusCode
	if kind, ok := statusKinds[resp.StatusCode]; ok {
		e.Kind = kind
	} else if resp.StatusCode < 500 {
		e.Kind = KindInvalid
	}
	e.RetryAfter = retryAfter(resp.Header)
	return e
}

// retryAfter is the wait that an answer asks for: Retry-After in seconds or as a
// date, else the first figure of Brave's X-RateLimit-Reset.
func retryAfter(h http.Header) time.Duration {
	for _, value := range []string{h.Get("Retry-After"), strings.Split(h.Get("X-RateLimit-Reset"), ",")[0]} {
		value = strings.TrimSpace(value)
		if s, err := strconv.ParseFloat(value, 64); err == nil && s > 0 && s < 24*3600 {
			return time.Duration(s * float64(time.Second))
		}
		if at, err := http.ParseTime(value); err == nil {
			return max(0, time.Until(at))
		}
	}
	return 0
}

// messageOf finds the words of an error: providers put them in many places.
func messageOf(data []byte) string {
	var v any
	if json.Unmarshal(data, &v) != nil {
		return ""
	}
	for {
		object, ok := v.(map[string]any)
		if !ok {
			break
		}
		v = nil
		for _, name := range []string{"error", "detail", "message"} {
			if object[name] != nil {
				v = object[name]
				break
			}
		}
	}
	s, _ := v.(string)
	return s
}

// clean takes the key out of a message and makes it short.
func (c *client) clean(s string) string {
	if c.key != "" {
		s = strings.ReplaceAll(s, c.key, "[key]")
	}
	return shorten(strings.Join(strings.Fields(s), " "), maxMessage)
}
