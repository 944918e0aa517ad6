package web

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// How long a robots.txt is believed: RFC 9309 allows 24 hours. A failure is
// forgotten sooner.
const (
	robotsFresh        = 24 * time.Hour
	robotsFailureFresh = 5 * time.Minute
	robotsMaxHosts     = 4096
	robotsMaxRedirects = 5
	robotsTimeout      = 10 * time.Second
)

// robotsCache keeps the robots.txt of hosts.
type robotsCache struct {
	f       *Fetcher
	flights flights[*robotsEntry]

	mu      sync.Mutex
	entries map[string]*robotsEntry
}

// robotsEntry is the robots.txt of one scheme, host and port.
type robotsEntry struct {
	rules   *robotsRules // nil: nothing is allowed, or failure is set
	status  int
	expires time.Time
	// failure is why robots.txt could not be asked for.
	failure *verdict
}

// robotsVerdict is what a robots.txt says of a URL; an outcome means no.
type robotsVerdict struct {
	verdict
	delay time.Duration
}

func newRobotsCache(f *Fetcher) *robotsCache {
	return &robotsCache{f: f, entries: make(map[string]*robotsEntry)}
}

// check tells whether a URL may be fetched. The error is the end of the context.
func (c *robotsCache) check(ctx context.Context, u *url.URL) (robotsVerdict, error) {
	origin := u.Scheme + "://" + u.Host
	e, err := c.entry(ctx, origin)
	if err != nil {
		return robotsVerdict{}, err
	}
	switch {
	case e.failure != nil:
		return robotsVerdict{verdict: *e.failure}, nil
	case e.rules == nil:
		return robotsVerdict{verdict: verdict{Robots, fmt.Sprintf("the host's robots.txt was answered with status %d, which means that nothing may be fetched for now (RFC 9309).", e.status),
			[]Signal{{"robots_status", "status", fmt.Sprint(e.status)}}}}, nil
	}
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	if u.RawQuery != "" {
		path += "?" + u.RawQuery
	}
	if ok, rule := e.rules.allowed(path); !ok {
		return robotsVerdict{verdict: verdict{Robots, fmt.Sprintf("the host's robots.txt asks %s not to fetch it.", c.f.product),
			[]Signal{{"robots_rule", "text", clipFound("Disallow: " + rule.path)}}}}, nil
	}
	return robotsVerdict{delay: e.rules.delay}, nil
}

// entry returns the robots.txt of an origin, from memory or from its host.
func (c *robotsCache) entry(ctx context.Context, origin string) (*robotsEntry, error) {
	c.mu.Lock()
	e := c.entries[origin]
	c.mu.Unlock()
	if e != nil && time.Now().Before(e.expires) {
		return e, nil
	}
	return c.flights.do(ctx, origin, func(ctx context.Context) (*robotsEntry, error) {
		e, err := c.fetch(ctx, origin)
		if err != nil {
			return nil, err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if len(c.entries) >= robotsMaxHosts {
			clear(c.entries)
		}
		c.entries[origin] = e
		return e, nil
	})
}

// fetch asks a host for its robots.txt. A status from 400 on means that there is
// none, one from 500 on, and 429, that nothing may be fetched.
func (c *robotsCache) fetch(ctx context.Context, origin string) (*robotsEntry, error) {
	if err := take(ctx, c.f.pacer.total); err != nil {
		return nil, err
	}
	defer func() { <-c.f.pacer.total }()
	timed, cancel := context.WithTimeoutCause(ctx, min(robotsTimeout, c.f.config.Timeout), errTimeout)
	defer cancel()
	fail := func(err error) (*robotsEntry, error) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		o, reason, signal := networkOutcome(err, timed)
		return &robotsEntry{expires: time.Now().Add(time.Minute), failure: &verdict{o, "robots.txt could not be read: " + reason, []Signal{signal}}}, nil
	}
	at, err := url.Parse(origin + "/robots.txt")
	if err != nil {
		return fail(err)
	}
	for range robotsMaxRedirects + 1 {
		if err := c.f.guard.CheckURL(at); err != nil {
			return fail(err)
		}
		status, header, body, err := c.get(timed, at)
		if err != nil {
			return fail(err)
		}
		switch {
		case status >= 300 && status < 400 && header.Get("Location") != "":
			ref, err := url.Parse(header.Get("Location"))
			if err != nil {
				return allowAll(), nil
			}
			if at, err = parseURL(at.ResolveReference(ref).String()); err != nil {
				return allowAll(), nil
			}
			continue
		case status >= 200 && status < 300:
			return &robotsEntry{rules: parseRobots(body, c.f.product), status: status, expires: time.Now().Add(robotsFresh)}, nil
		case status >= 500 || status == http.StatusTooManyRequests:
			if wait, ok := retryAfter(header, time.Now()); ok {
				c.f.pacer.leaveAlone(strings.ToLower(at.Hostname()), time.Now().Add(min(wait, c.f.config.RetryAfterMax)))
			}
			return &robotsEntry{status: status, expires: time.Now().Add(robotsFailureFresh)}, nil
		}
		return allowAll(), nil
	}
	return allowAll(), nil // more redirects than RFC 9309 asks to follow: as if there were none
}

func allowAll() *robotsEntry {
	return &robotsEntry{rules: new(robotsRules), expires: time.Now().Add(robotsFresh)}
}

func (c *robotsCache) get(ctx context.Context, at *url.URL) (status int, header http.Header, body []byte, err error) {
	req := &http.Request{Method: http.MethodGet, URL: at, Host: at.Host, Header: http.Header{
		"Accept": {"text/plain, */*;q=0.5"}, "Accept-Encoding": {acceptEncoding}, "User-Agent": {c.f.config.UserAgent},
	}}
	resp, err := c.f.transport.RoundTrip(req.WithContext(ctx))
	if err != nil {
		return 0, nil, nil, err
	}
	defer resp.Body.Close()
	got := receive(resp.Body, resp.Header, robotsMaxBytes, c.f.config.MaxRatio, nil)
	if got.network != nil && isTimeout(got.network) {
		return 0, nil, nil, got.network
	}
	return resp.StatusCode, resp.Header, got.body, nil
}
